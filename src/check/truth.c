/* Fills the truth table of a formula by the definitions of its operators, in three-valued logic. */
#include "check/truth.h"

#include "base/mem.h"
#include "spec/explain.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_temporal(const struct spec_expr *e)
{
	for (; e; e = e->next) {
		if (e->operator>= SPEC_IMPLIES || is_temporal(e->left) || is_temporal(e->right) ||
		    is_temporal(e->third))
			return true;
	}
	return false;
}

static bool is_connective(const struct spec_expr *e)
{
	switch (e->operator) {
	case SPEC_NOT:
	case SPEC_AND:
	case SPEC_OR:
	case SPEC_IMPLIES:
	case SPEC_IFF: return true;
	case SPEC_EQUAL:
	case SPEC_UNEQUAL:
	case SPEC_CONDITIONAL:
		return is_temporal(e->left) || is_temporal(e->right) || is_temporal(e->third);
	default: return e->operator>= SPEC_PREV;
	}
}

static char *print_expression(const struct spec_expr *e)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);

	explain_whole(out, e);
	mem_stream_close(out);
	return text;
}

/* There are few atoms, so a linear search is enough. */
static uint32_t find_atom_number(struct truth_table *table, const struct spec_expr *e)
{
	struct spec_scope nothing = { 0 };
	uint32_t atom_number = table->atom_count;
	char *text;

	if (e->operator!= SPEC_EVENT && spec_evaluate(e, &nothing).type != SPEC_VALUE_UNKNOWN)
		return TRUTH_CONSTANT;
	text = print_expression(e);
	for (size_t i = 0; i < table->rows.count && atom_number == table->atom_count; i++) {
		const struct truth_row *row = &table->rows.items[i];
		char *other = row->atom ? print_expression(row->expr) : NULL;

		if (other && !strcmp(text, other))
			atom_number = row->atom_number;
		free(other);
	}
	free(text);
	table->atom_count += atom_number == table->atom_count;
	return atom_number;
}

static uint32_t add_rows(struct truth_table *table, const struct spec_expr *e)
{
	struct truth_row row = { .expr = e, .atom = !is_connective(e) };

	if (row.atom) {
		row.atom_number = find_atom_number(table, e);
	} else {
		row.left = add_rows(table, e->left);
		if (e->right)
			row.right = add_rows(table, e->right);
		if (e->third)
			row.third = add_rows(table, e->third);
	}
	*vec_push(&table->rows) = row;
	return (uint32_t)table->rows.count - 1;
}

void truth_open(struct truth_table *table, const struct spec_expr *formula)
{
	*table = (struct truth_table){ 0 };
	add_rows(table, formula);
}

void truth_close(struct truth_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++)
		vec_free(&table->rows.items[i].states);
	vec_free(&table->rows);
}

static enum truth negation(enum truth a)
{
	return a == TRUTH_OPEN ? TRUTH_OPEN : a == TRUTH_FALSE ? TRUTH_TRUE : TRUTH_FALSE;
}

static enum truth both(enum truth a, enum truth b)
{
	if (a == TRUTH_FALSE || b == TRUTH_FALSE)
		return TRUTH_FALSE;
	return a == TRUTH_TRUE && b == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_OPEN;
}

static enum truth either(enum truth a, enum truth b)
{
	return negation(both(negation(a), negation(b)));
}

static enum truth equal(enum truth a, enum truth b)
{
	return a == TRUTH_OPEN || b == TRUTH_OPEN ? TRUTH_OPEN : a == b ? TRUTH_TRUE : TRUTH_FALSE;
}

/*
 * Evaluates an operator that looks back, from the row's own value in the state before. Its row is
 * filled from the first state on.
 */
static enum truth evaluate_past(const struct truth_row *row, uint8_t operator, enum truth a,
				enum truth b, enum truth a_before, size_t i)
{
	enum truth before = i ? (enum truth)row->states.items[i - 1] : TRUTH_OPEN;

	switch (operator) {
	case SPEC_PREV: return a_before;
	case SPEC_ONCE: return i ? either(a, before) : a;
	case SPEC_SOFAR: return i ? both(a, before) : a;
	case SPEC_SINCE: return i ? either(b, both(a, before)) : b;
	case SPEC_START: return both(a, negation(a_before));
	case SPEC_END: return both(negation(a), a_before);
	default: return both(negation(b), i ? either(a, before) : a); /* [a, b) */
	}
}

/*
 * Evaluates an operator that looks ahead, from the row's own value in the next state. Its row is
 * filled from the last state on.
 */
static enum truth evaluate_future(const struct truth_row *row, uint8_t operator, enum truth a,
				  enum truth b, enum truth a_next, size_t i, bool last)
{
	enum truth next_value = last ? TRUTH_OPEN : (enum truth)row->states.items[i + 1];

	switch (operator) {
	case SPEC_NEXT: return last ? TRUTH_FALSE : a_next;
	case SPEC_ALWAYS: return last ? a : both(a, next_value);
	case SPEC_EVENTUALLY: return last ? a : either(a, next_value);
	default: return last ? b : either(b, both(a, next_value)); /* a until b */
	}
}

static enum truth evaluate_connective(uint8_t operator, enum truth a, enum truth b, enum truth c)
{
	switch (operator) {
	case SPEC_CONDITIONAL: return b == c ? b : either(both(a, b), both(negation(a), c));
	case SPEC_NOT: return negation(a);
	case SPEC_AND: return both(a, b);
	case SPEC_OR: return either(a, b);
	case SPEC_IMPLIES: return either(negation(a), b);
	case SPEC_UNEQUAL: return negation(equal(a, b));
	default: return equal(a, b); /* <=>, == */
	}
}

static void fill_row(struct truth_table *table, struct truth_row *row, size_t count)
{
	const struct truth_row *left = &table->rows.items[row->left];
	const struct truth_row *right = &table->rows.items[row->right];
	const struct truth_row *third = &table->rows.items[row->third];
	uint8_t operator= row->expr->operator;

	row->states.count = 0;
	row->states.items = mem_resize(row->states.items, count, 1);
	row->states.room = row->states.count = count;
	for (size_t k = 0; k < count; k++) {
		size_t i = operator>= SPEC_ALWAYS ? count - 1 - k : k;
		bool last = i + 1 == count;
		enum truth a = left->states.items[i];
		enum truth b = row->expr->right ? right->states.items[i] : TRUTH_OPEN;

		if (operator>= SPEC_ALWAYS)
			row->states.items[i] = (uint8_t)evaluate_future(
				row, operator, a, b, last ? a : left->states.items[i + 1], i, last);
		else if (operator>= SPEC_PREV)
			row->states.items[i] = (uint8_t)evaluate_past(
				row, operator, a, b, i ? left->states.items[i - 1] : a, i);
		else
			row->states.items[i] = (uint8_t)
				evaluate_connective(operator, a, b,
						    row->expr->third ? third->states.items[i] : b);
	}
}

enum truth truth_at(struct truth_table *table, size_t state, size_t count)
{
	assert(state < count);
	for (size_t i = 0; i < table->rows.count; i++) {
		struct truth_row *row = &table->rows.items[i];

		if (row->atom)
			assert(row->states.count >= count);
		else
			fill_row(table, row, count);
	}
	return table->rows.items[table->rows.count - 1].states.items[state];
}
