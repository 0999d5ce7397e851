#include "grammar_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

struct table *table_make(struct arena *arena)
{
	struct table *table = arena_alloc(arena, sizeof *table);

	table->arena = arena;
	return table;
}

struct copies {
	const struct table *from[16];
	struct table *to[16];
	int count;
};

static struct table *copy_into(struct copies *copies, const struct table *table)
{
	struct table *made;

	for (int i = 0; i < copies->count; i++) {
		if (copies->from[i] == table)
			return copies->to[i];
	}
	made = table_make(table->arena);
	copies->from[copies->count] = table;
	copies->to[copies->count++] = made;
	for (int i = 0; i < table->count; i++) {
		struct value value = table->items[i].value;

		if (value.kind == VALUE_TABLE)
			value.table = copy_into(copies, value.table);
		table_set(made, table->items[i].key, value);
	}
	made->graph = table->graph;
	return made;
}

struct table *table_copy(const struct table *table)
{
	struct copies copies = { .count = 0 };

	return copy_into(&copies, table);
}

static bool equal(struct value a, struct value b)
{
	if (a.kind != b.kind)
		return false;
	switch (a.kind) {
	case VALUE_NIL: return true;
	case VALUE_TEXT: return !strcmp(a.text, b.text);
	case VALUE_TABLE: return a.table == b.table;
	default: return a.number == b.number;
	}
}

struct value table_get(const struct table *table, struct value key)
{
	for (int i = 0; i < table->count; i++) {
		if (equal(table->items[i].key, key))
			return table->items[i].value;
	}
	return (struct value){ 0 };
}

void table_set(struct table *table, struct value key, struct value value)
{
	int at = 0;

	while (at < table->count && !equal(table->items[at].key, key))
		at++;
	if (value.kind == VALUE_NIL) {
		if (at < table->count)
			table->items[at] = table->items[--table->count];
		return;
	}
	if (at == table->room) {
		struct entry *old = table->items;

		table->room = table->room ? 2 * table->room : 4;
		table->items =
			arena_alloc(table->arena, (size_t)table->room * sizeof *table->items);
		for (int i = 0; i < table->count; i++)
			table->items[i] = old[i];
	}
	table->items[at] = (struct entry){ key, value };
	table->count += at == table->count;
}

struct value value_text(const char *text)
{
	return (struct value){ .kind = VALUE_TEXT, .text = text };
}

struct value value_number(int64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = number };
}

static struct value value_boolean(bool truth)
{
	return (struct value){ .kind = VALUE_BOOLEAN, .number = truth };
}

static struct value value_table(struct table *table)
{
	return (struct value){ .kind = VALUE_TABLE, .table = table };
}

/* ---- showing --------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
	const struct value *x = &((const struct entry *)a)->key,
			   *y = &((const struct entry *)b)->key;

	if (x->kind != y->kind)
		return x->kind == VALUE_NUMBER ? -1 : 1;
	if (x->kind == VALUE_TEXT)
		return strcmp(x->text, y->text);
	return (x->number > y->number) - (x->number < y->number);
}

static void show_table(const struct table *table, FILE *out)
{
	struct entry sorted[64];

	for (int i = 0; i < table->count; i++)
		sorted[i] = table->items[i];
	qsort(sorted, (size_t)table->count, sizeof *sorted, compare_keys);
	fprintf(out, "{");
	for (int i = 0; i < table->count; i++) {
		fprintf(out, "%s", i ? ", " : "");
		value_show(sorted[i].key, false, out);
		fprintf(out, ": ");
		value_show(sorted[i].value, false, out);
	}
	fprintf(out, "}");
}

void value_show(struct value value, bool plain, FILE *out)
{
	switch (value.kind) {
	case VALUE_NIL: fprintf(out, "nil"); break;
	case VALUE_BOOLEAN: fprintf(out, value.number ? "true" : "false"); break;
	case VALUE_NUMBER: /* larger numbers are shown as addresses */
		if (value.number >= INT64_C(1) << 32)
			fprintf(out, "%#" PRIx64, (uint64_t)value.number);
		else
			fprintf(out, "%" PRId64, value.number);
		break;
	case VALUE_TEXT: fprintf(out, plain ? "%s" : "\"%s\"", value.text); break;
	case VALUE_TABLE: show_table(value.table, out); break;
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

struct table *scope_event(struct scope *s, const struct letter *l)
{
	struct table *table = table_make(s->arena);

	table_set(table, value_text("x"), value_number(l->x));
	if (l->y >= 0)
		table_set(table, value_text("y"), value_number(l->y));
	table_set(table, value_text("tid"), value_number(l->tid));
	table_set(table, value_text("callee"), value_text(case_texts[l->callee]));
	if (s->c->parameter)
		table_set(table, value_text("o"), value_number(l->o));
	return table;
}

/*
 * Returns the table of a symbol of the rule, and sets the name of its attribute. Returns NULL if
 * shrinking removed the symbol.
 */
static struct table *find_symbol(struct scope *s, int symbol, int number, const char **name)
{
	const struct item *item;
	struct table **slot;

	item = symbol == SYMBOL_LEFT ? NULL : case_find_symbol(s->rule, symbol);
	if (!item && symbol != SYMBOL_LEFT)
		return NULL;
	*name = item && item->kind == ITEM_EVENT ? case_event_names[number]
						 : case_attribute_names[number];
	if (!item)
		return s->left;
	slot = &s->slots[item - s->rule->items];
	if (item->kind == ITEM_PRODUCTION && !*slot)
		*slot = table_make(s->arena);
	return *slot;
}

static struct value read_attribute(struct scope *s, int symbol, int number)
{
	const char *name;
	struct table *table;

	if (symbol == SYMBOL_WIDE)
		return s->wide[number];
	table = find_symbol(s, symbol, number, &name);
	return table ? table_get(table, value_text(name)) : (struct value){ 0 };
}

static void write_attribute(struct scope *s, int symbol, int number, struct value value)
{
	const char *name;
	struct table *table;

	if (symbol == SYMBOL_WIDE) {
		s->wide[number] = value;
		return;
	}
	table = find_symbol(s, symbol, number, &name);
	if (table)
		table_set(table, value_text(name), value);
}

static struct value read_own(const struct scope *s, int number)
{
	const struct letter *l = s->own;

	switch (number) {
	case EVENT_X: return value_number(l->x);
	case EVENT_Y: return l->y < 0 ? (struct value){ 0 } : value_number(l->y);
	case EVENT_TID: return value_number(l->tid);
	default: return value_number(l->o);
	}
}

static struct value read_whole(struct scope *s, int symbol)
{
	const char *name;
	struct table *table = find_symbol(s, symbol, 0, &name);

	return table ? value_table(table) : (struct value){ 0 };
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* An evaluation. In C, 0 is false, and a comparison is a number. */
struct evaluation {
	struct scope *scope;
	bool c, failed;
};

static struct value evaluate(struct evaluation *e, int number);

static struct value fail(struct evaluation *e)
{
	e->failed = true;
	return (struct value){ 0 };
}

static const struct node *node_at(const struct evaluation *e, int number)
{
	return &e->scope->c->nodes[number];
}

static bool is_comparison(const struct node *n)
{
	return n->kind == NODE_LESS || n->kind == NODE_EQUAL || n->kind == NODE_UNEQUAL ||
	       n->kind == NODE_NOT;
}

static bool lua_truth(struct value v)
{
	return v.kind != VALUE_NIL && !(v.kind == VALUE_BOOLEAN && !v.number);
}

static bool truth(struct evaluation *e, int number)
{
	const struct node *n = node_at(e, number);
	struct value v;

	if (e->c && n->kind == NODE_AND)
		return truth(e, n->a) && truth(e, n->b);
	if (e->c && n->kind == NODE_OR)
		return truth(e, n->a) || truth(e, n->b);
	v = evaluate(e, number);
	return lua_truth(v) && !(e->c && v.kind == VALUE_NUMBER && !v.number);
}

/* Evaluates an operand of arithmetic. */
static struct value operand(struct evaluation *e, int number)
{
	struct value v = evaluate(e, number);

	if (e->c && is_comparison(node_at(e, number)))
		v.kind = VALUE_NUMBER;
	return v;
}

static struct value calculate(struct evaluation *e, const struct node *n)
{
	struct value a = operand(e, n->a);
	struct value b = n->kind == NODE_MODULO ? value_number(n->number) : operand(e, n->b);
	uint64_t x = (uint64_t)a.number, y = (uint64_t)b.number;

	if (e->failed || a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
		return fail(e);
	switch ((enum node_kind)n->kind) {
	case NODE_ADD: return value_number((int64_t)(x + y));
	case NODE_SUBTRACT: return value_number((int64_t)(x - y));
	case NODE_MULTIPLY: return value_number((int64_t)(x * y));
	default: a.number %= b.number;
	}
	if (!e->c && a.number < 0) /* Lua's remainder has the sign of the divisor */
		a.number += b.number;
	return a;
}

static struct value compare(struct evaluation *e, const struct node *n)
{
	struct value a = operand(e, n->a), b = operand(e, n->b);

	if (e->failed)
		return fail(e);
	if (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER)
		return value_boolean(a.number < b.number);
	if (a.kind == VALUE_TEXT && b.kind == VALUE_TEXT)
		return value_boolean(strcmp(a.text, b.text) < 0);
	return fail(e);
}

static struct value compare_equal(struct evaluation *e, const struct node *n)
{
	struct value a = evaluate(e, n->a), b = evaluate(e, n->b);
	bool mixed = is_comparison(node_at(e, n->a)) != is_comparison(node_at(e, n->b));

	if (e->c && mixed) {
		a.kind = a.kind == VALUE_BOOLEAN ? VALUE_NUMBER : a.kind;
		b.kind = b.kind == VALUE_BOOLEAN ? VALUE_NUMBER : b.kind;
	}
	return value_boolean(equal(a, b) == (n->kind == NODE_EQUAL));
}

static struct value connect(struct evaluation *e, const struct node *n)
{
	struct value a = evaluate(e, n->a);

	if (n->kind == NODE_OR_ZERO)
		return lua_truth(a) ? a : value_number(0);
	return lua_truth(a) == (n->kind == NODE_AND) ? evaluate(e, n->b) : a;
}

static struct value choose(struct evaluation *e, const struct node *n)
{
	bool first = truth(e, n->a);
	struct value b;

	if (!first || e->failed)
		return evaluate(e, n->c);
	b = evaluate(e, n->b);
	return e->c || lua_truth(b) ? b : evaluate(e, n->c);
}

static struct value look_up(struct evaluation *e, const struct node *n)
{
	struct value a = evaluate(e, n->a);
	struct value key = n->kind == NODE_INDEX ? evaluate(e, n->b) : (struct value){ 0 };

	if (e->failed || (lua_truth(a) && a.kind != VALUE_TABLE))
		return fail(e);
	if (n->kind == NODE_COUNT)
		return value_number(a.kind == VALUE_TABLE ? a.table->count : 0);
	return a.kind == VALUE_TABLE ? table_get(a.table, key) : (struct value){ 0 };
}

static struct value make_single(struct evaluation *e, const struct node *n)
{
	struct table *table = table_make(e->scope->arena);

	table_set(table, value_number(1), evaluate(e, n->a));
	return value_table(table);
}

static struct value make_graph(struct scope *s)
{
	struct table *graph = table_make(s->arena);

	graph->graph = true;
	return value_table(graph);
}

/* Is the graph acyclic? It has three nodes; tests whether any of them leads to itself. */
static struct value is_acyclic(struct evaluation *e)
{
	struct value k = e->scope->wide[WIDE_K];
	bool leads[3][3] = { 0 };

	if (k.kind != VALUE_TABLE)
		return fail(e);
	for (int i = 0; i < k.table->count; i++)
		leads[k.table->items[i].key.number / 3][k.table->items[i].key.number % 3] = true;
	for (int via = 0; via < 3; via++) {
		for (int i = 0; i < 9; i++)
			leads[i / 3][i % 3] |= leads[i / 3][via] && leads[via][i % 3];
	}
	return value_boolean(!leads[0][0] && !leads[1][1] && !leads[2][2]);
}

static struct value evaluate(struct evaluation *e, int number)
{
	const struct node *n = node_at(e, number);
	struct scope *s = e->scope;

	switch ((enum node_kind)n->kind) {
	case NODE_NIL: break;
	case NODE_NUMBER: return value_number(n->number);
	case NODE_TEXT: return value_text(case_texts[n->number]);
	case NODE_ATTRIBUTE: return read_attribute(s, n->symbol, n->number);
	case NODE_WHOLE: return read_whole(s, n->symbol);
	case NODE_WIDE: return s->wide[n->number];
	case NODE_SESSION: return table_get(s->given, value_text(case_attribute_names[n->number]));
	case NODE_OWN: return read_own(s, n->number);
	case NODE_OR_ZERO:
	case NODE_AND:
	case NODE_OR: return connect(e, n);
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
	case NODE_MODULO: return calculate(e, n);
	case NODE_LESS: return compare(e, n);
	case NODE_EQUAL:
	case NODE_UNEQUAL: return compare_equal(e, n);
	case NODE_NOT: return value_boolean(!truth(e, n->a));
	case NODE_CHOOSE: return choose(e, n);
	case NODE_COUNT:
	case NODE_INDEX: return look_up(e, n);
	case NODE_TABLE: return value_table(table_make(s->arena));
	case NODE_SINGLE: return make_single(e, n);
	case NODE_GRAPH: return make_graph(s);
	case NODE_ACYCLIC: return is_acyclic(e);
	}
	return (struct value){ 0 };
}

/* ---- statements ------------------------------------------------------------------------------ */

static void put(struct evaluation *e, const struct statement *st)
{
	struct value target = read_attribute(e->scope, st->symbol, st->number);
	struct value key = evaluate(e, st->a), value = evaluate(e, st->b), old;

	if (e->failed || target.kind != VALUE_TABLE) {
		e->failed = true;
		return;
	}
	if (st->kind == STATEMENT_BUMP) {
		old = table_get(target.table, key);
		if (old.kind == VALUE_NUMBER)
			value.number = (int64_t)((uint64_t)value.number + (uint64_t)old.number);
		if (!value.number)
			value.kind = VALUE_NIL;
	}
	table_set(target.table, key, value);
}

static void change_graph(struct evaluation *e, const struct statement *st)
{
	struct value a, b, *k = &e->scope->wide[WIDE_K];

	if (st->kind == STATEMENT_GRAPH)
		*k = make_graph(e->scope);
	a = evaluate(e, st->a);
	b = evaluate(e, st->b);
	if (e->failed || k->kind != VALUE_TABLE || a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
		e->failed = true;
	else
		table_set(k->table, value_number(3 * a.number + b.number),
			  st->kind == STATEMENT_CUT ? (struct value){ 0 } : value_boolean(true));
}

static void total(struct evaluation *e)
{
	struct value m = e->scope->wide[WIDE_M], *g = &e->scope->wide[WIDE_G];

	e->failed |= m.kind != VALUE_TABLE;
	for (int i = 0; !e->failed && i < m.table->count; i++) {
		struct value v = m.table->items[i].value;

		if (!lua_truth(*g))
			*g = value_number(0);
		e->failed |= g->kind != VALUE_NUMBER || v.kind != VALUE_NUMBER;
		g->number = (int64_t)((uint64_t)g->number + (uint64_t)v.number);
	}
}

static void carry_out_subtle(struct evaluation *e, const struct statement *st)
{
	struct scope *s = e->scope;
	struct statement change = *st;

	switch ((enum statement_kind)st->kind) {
	case STATEMENT_FRESH:
	case STATEMENT_MAYBE:
		change.symbol = SYMBOL_WIDE;
		change.number = WIDE_M;
		if (st->kind == STATEMENT_FRESH || (truth(e, st->a) && !e->failed))
			s->wide[WIDE_M] = value_table(table_make(s->arena));
		if (st->kind == STATEMENT_MAYBE)
			change.a = NODE_ONE;
		put(e, &change);
		break;
	case STATEMENT_ALIAS: put(e, st); break;
	case STATEMENT_TOTAL: total(e); break;
	default: change_graph(e, st);
	}
}

static void carry_out(struct evaluation *e, const struct statement *st)
{
	struct scope *s = e->scope;
	struct value value;

	if (st->symbol > 0 && !case_find_symbol(s->rule, st->symbol) &&
	    st->kind != STATEMENT_SWAP && st->kind != STATEMENT_FAIL)
		return;
	switch ((enum statement_kind)st->kind) {
	case STATEMENT_NONE: break;
	case STATEMENT_IF:
		if (!truth(e, st->b) || e->failed)
			return;
		/* fall through */
	case STATEMENT_SET:
		value = evaluate(e, st->a);
		if (!e->failed)
			write_attribute(s, st->symbol, st->number, value);
		break;
	case STATEMENT_PUT:
	case STATEMENT_BUMP: put(e, st); break;
	case STATEMENT_SWAP:
		value = s->wide[WIDE_G];
		s->wide[WIDE_G] = s->wide[WIDE_H];
		s->wide[WIDE_H] = value;
		break;
	case STATEMENT_LOCAL:
		value = evaluate(e, st->a);
		e->failed |= value.kind != VALUE_NUMBER;
		value.number = (int64_t)((uint64_t)value.number * 2);
		if (!e->failed)
			write_attribute(s, st->symbol, st->number, value);
		break;
	case STATEMENT_FAIL: e->failed |= truth(e, st->b); break;
	default: carry_out_subtle(e, st);
	}
}

bool scope_run(struct scope *scope, const struct item *action)
{
	struct evaluation e = { .scope = scope };

	for (int i = 0; i < action->count && !e.failed; i++)
		carry_out(&e, &scope->c->statements[action->first + i]);
	return !e.failed;
}

bool scope_holds(struct scope *scope, int node, bool *holds)
{
	struct evaluation e = { .scope = scope, .c = true };

	if (!scope->given)
		scope->given = table_copy(scope->before);
	*holds = truth(&e, node);
	return !e.failed;
}

bool scope_begin(struct scope *scope)
{
	struct evaluation e = { .scope = scope };

	scope->given = table_copy(scope->before);
	for (int i = 0; i < WIDES; i++) {
		scope->wide[i] = (struct value){ 0 };
		if (scope->c->head_is_set[i] && !e.failed)
			scope->wide[i] = evaluate(&e, scope->c->head[i]);
	}
	scope->given = table_copy(scope->before);
	return !e.failed;
}
