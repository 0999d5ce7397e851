/*
 * Evaluates expressions with C's rules for 64-bit integers and double. Integers wrap around.
 * Operations that C leaves undefined (division by 0, shift by 64) give an unknown value. If only
 * the start of a string is known (`cut`), a result is unknown if the rest of the string could
 * change it.
 */
#include "spec/spec.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct spec_value unknown = { .type = SPEC_VALUE_UNKNOWN };

static struct spec_value integer(int64_t number)
{
	return (struct spec_value){ .type = SPEC_VALUE_INT, .number = number };
}

static struct spec_value real(double number)
{
	return (struct spec_value){ .type = SPEC_VALUE_REAL, .real = number };
}

enum evaluate_truth { FALSE, TRUE, OPEN };

static enum evaluate_truth truth_of(const struct spec_value *v)
{
	switch (v->type) {
	case SPEC_VALUE_INT: return v->number != 0;
	case SPEC_VALUE_REAL: return v->real != 0;
	case SPEC_VALUE_TEXT: return TRUE; /* a pointer that is not NULL */
	default: return OPEN;
	}
}

static struct spec_value from_truth(enum evaluate_truth t)
{
	return t == OPEN ? unknown : integer(t);
}

/* ---- strings --------------------------------------------------------------------------------- */

/*
 * Compares like strcmp on at most `most` bytes. Returns false if the result depends on bytes that
 * were cut off.
 */
static bool compare_texts(const struct spec_value *a, const struct spec_value *b, uint64_t most,
			  int *order)
{
	uint64_t shorter = a->length < b->length ? a->length : b->length;

	*order = memcmp(a->text, b->text, shorter < most ? shorter : most);
	if (*order || shorter >= most)
		return true;
	if ((a->cut && a->length == shorter) || (b->cut && b->length == shorter))
		return false;
	*order = (a->length > b->length) - (a->length < b->length);
	return true;
}

static struct spec_value text_order(const struct spec_value *a, const struct spec_value *b,
				    uint64_t most)
{
	int order;

	if (!compare_texts(a, b, most, &order))
		return unknown;
	return integer((order > 0) - (order < 0));
}

/* strstr(): returns 1 if `part` was found and 0 if not; C's strstr() returns a pointer. */
static struct spec_value text_contains(const struct spec_value *text, const struct spec_value *part)
{
	bool found = !part->length || memmem(text->text, text->length, part->text, part->length);

	/* only the start of `part` is known: "not found" can be certain, but "found" cannot */
	if (part->cut)
		return found || text->cut ? unknown : integer(0);
	return found ? integer(1) : text->cut ? unknown : integer(0);
}

static struct spec_value text_starts_with(const struct spec_value *text,
					  const struct spec_value *start)
{
	struct spec_value order = text_order(text, start, start->length);

	if (order.type == SPEC_VALUE_UNKNOWN || (start->cut && !order.number))
		return unknown;
	return integer(!order.number);
}

static struct spec_value evaluate_call(const struct spec_expr *e, const struct spec_scope *scope)
{
	struct spec_value a[3] = { unknown, unknown, unknown };
	size_t count = 0;

	for (const struct spec_expr *x = e->left; x && count < 3; x = x->next)
		a[count++] = spec_evaluate(x, scope);
	if (a[0].type != SPEC_VALUE_TEXT)
		return unknown;
	if (!strcmp(e->text, "strlen"))
		return a[0].cut ? unknown : integer(a[0].length);
	if (a[1].type != SPEC_VALUE_TEXT)
		return unknown;
	if (!strcmp(e->text, "strcmp"))
		return text_order(&a[0], &a[1], UINT64_MAX);
	if (!strcmp(e->text, "strncmp"))
		return a[2].type == SPEC_VALUE_INT ? text_order(&a[0], &a[1], (uint64_t)a[2].number)
						   : unknown;
	if (!strcmp(e->text, "strstr"))
		return text_contains(&a[0], &a[1]);
	return !strcmp(e->text, "startswith") ? text_starts_with(&a[0], &a[1]) : unknown;
}

/* ---- operators ------------------------------------------------------------------------------- */

static struct spec_value order_value(enum spec_operator operator, int order)
{
	switch (operator) {
	case SPEC_LESS: return integer(order < 0);
	case SPEC_LESS_EQUAL: return integer(order <= 0);
	case SPEC_GREATER: return integer(order > 0);
	case SPEC_GREATER_EQUAL: return integer(order >= 0);
	case SPEC_EQUAL: return integer(order == 0);
	case SPEC_UNEQUAL: return integer(order != 0);
	default: return unknown;
	}
}

static struct spec_value evaluate_texts(enum spec_operator operator, const struct spec_value * a,
					const struct spec_value *b)
{
	int order;

	/*
	 * A string is compared with a number. The result is known only for NULL: a string that was
	 * read is not NULL.
	 */
	if (a->type != b->type) {
		const struct spec_value *number = a->type == SPEC_VALUE_TEXT ? b : a;

		if (number->type != SPEC_VALUE_INT || number->number)
			return unknown;
		return operator== SPEC_EQUAL   ? integer(0) :
		       operator== SPEC_UNEQUAL ? integer(1)
					       : unknown;
	}
	return compare_texts(a, b, UINT64_MAX, &order) ? order_value(operator, order) : unknown;
}

static struct spec_value evaluate_reals(enum spec_operator operator, double a, double b)
{
	switch (operator) {
	case SPEC_MULTIPLY: return real(a * b);
	case SPEC_DIVIDE: return b != 0 ? real(a / b) : unknown;
	case SPEC_ADD: return real(a + b);
	case SPEC_SUBTRACT: return real(a - b);
	case SPEC_UNEQUAL: return integer(a != b);
	default: break;
	}
	if (isnan(a) || isnan(b))
		return integer(0);
	return order_value(operator,(a > b) - (a < b));
}

static struct spec_value divide(enum spec_operator operator, int64_t a, int64_t b)
{
	if (!b)
		return unknown;
	if (b == -1) /* INT64_MIN / -1 overflows; it wraps around like all other operations */
		return integer(operator== SPEC_DIVIDE ? (int64_t)(0 - (uint64_t)a) : 0);
	return integer(operator== SPEC_DIVIDE ? a / b : a % b);
}

static struct spec_value evaluate_integers(enum spec_operator operator, int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (operator) {
	case SPEC_MULTIPLY: return integer((int64_t)(ua * ub));
	case SPEC_DIVIDE:
	case SPEC_MODULO: return divide(operator, a, b);
	case SPEC_ADD: return integer((int64_t)(ua + ub));
	case SPEC_SUBTRACT: return integer((int64_t)(ua - ub));
	case SPEC_SHIFT_LEFT: return ub < 64 ? integer((int64_t)(ua << ub)) : unknown;
	case SPEC_SHIFT_RIGHT: return ub < 64 ? integer(a >> ub) : unknown;
	case SPEC_BIT_AND: return integer(a & b);
	case SPEC_BIT_XOR: return integer(a ^ b);
	case SPEC_BIT_OR: return integer(a | b);
	default: return order_value(operator,(a > b) - (a < b));
	}
}

static double as_real(const struct spec_value *v)
{
	return v->type == SPEC_VALUE_REAL ? v->real : (double)v->number;
}

static struct spec_value evaluate_binary(const struct spec_expr *e, const struct spec_scope *scope)
{
	struct spec_value a = spec_evaluate(e->left, scope), b = spec_evaluate(e->right, scope);

	if (a.type == SPEC_VALUE_UNKNOWN || b.type == SPEC_VALUE_UNKNOWN)
		return unknown;
	if (a.type == SPEC_VALUE_TEXT || b.type == SPEC_VALUE_TEXT)
		return evaluate_texts(e->operator, & a, &b);
	if (a.type == SPEC_VALUE_REAL || b.type == SPEC_VALUE_REAL)
		return evaluate_reals(e->operator, as_real(&a), as_real(&b));
	return evaluate_integers(e->operator, a.number, b.number);
}

static struct spec_value evaluate_unary(const struct spec_expr *e, const struct spec_scope *scope)
{
	struct spec_value a = spec_evaluate(e->left, scope);
	enum evaluate_truth t = truth_of(&a);

	if (e->operator== SPEC_NOT)
		return from_truth(t == OPEN ? OPEN : t == TRUE ? FALSE : TRUE);
	if (a.type == SPEC_VALUE_INT)
		return integer(e->operator== SPEC_NEGATE ? (int64_t)(0 - (uint64_t)a.number)
							 : ~a.number);
	return a.type == SPEC_VALUE_REAL && e->operator== SPEC_NEGATE ? real(-a.real) : unknown;
}

/*
 * Evaluates && and ||. If one side is unknown, the other side may still decide the result.
 */
static struct spec_value evaluate_logical(const struct spec_expr *e, const struct spec_scope *scope)
{
	enum evaluate_truth decides = e->operator== SPEC_OR ? TRUE : FALSE;
	struct spec_value a = spec_evaluate(e->left, scope);
	enum evaluate_truth left = truth_of(&a);

	if (left == decides)
		return integer(decides);
	struct spec_value b = spec_evaluate(e->right, scope);
	enum evaluate_truth right = truth_of(&b);
	if (right == decides)
		return integer(decides);
	return left == OPEN || right == OPEN ? unknown : integer(!decides);
}

static bool same_value(const struct spec_value *a, const struct spec_value *b)
{
	int order;

	if (a->type != b->type)
		return false;
	if (a->type == SPEC_VALUE_TEXT)
		return compare_texts(a, b, UINT64_MAX, &order) && !order;
	return a->type == SPEC_VALUE_INT    ? a->number == b->number
	       : a->type == SPEC_VALUE_REAL ? a->real == b->real
					    : true;
}

static struct spec_value evaluate_conditional(const struct spec_expr *e,
					      const struct spec_scope *scope)
{
	struct spec_value condition = spec_evaluate(e->left, scope);
	enum evaluate_truth t = truth_of(&condition);

	if (t != OPEN)
		return spec_evaluate(t == TRUE ? e->right : e->third, scope);
	struct spec_value a = spec_evaluate(e->right, scope), b = spec_evaluate(e->third, scope);
	return same_value(&a, &b) ? a : unknown;
}

static struct spec_value evaluate_name(const struct spec_expr *e, const struct spec_scope *scope)
{
	if (e->parameter != SPEC_NONE)
		return scope->parameters ? scope->parameters[e->parameter] : unknown;
	if (e->local != SPEC_NONE)
		return scope->locals ? scope->locals[e->local] : unknown;
	return scope->global ? scope->global(scope->context, e) : unknown;
}

struct spec_value spec_evaluate(const struct spec_expr *e, const struct spec_scope *scope)
{
	switch (e->operator) {
	case SPEC_NUMBER: return integer(e->number);
	case SPEC_REAL: return real(e->real);
	case SPEC_TEXT:
		return (struct spec_value){ .type = SPEC_VALUE_TEXT,
					    .text = e->text,
					    .length = e->text_length };
	case SPEC_NAME: return evaluate_name(e, scope);
	case SPEC_MEMBER:
	case SPEC_INDEX:
	case SPEC_DEREF:
	case SPEC_ADDRESS: return scope->global ? scope->global(scope->context, e) : unknown;
	case SPEC_CALL: return evaluate_call(e, scope);
	case SPEC_NOT:
	case SPEC_COMPLEMENT:
	case SPEC_NEGATE: return evaluate_unary(e, scope);
	case SPEC_AND:
	case SPEC_OR: return evaluate_logical(e, scope);
	case SPEC_CONDITIONAL: return evaluate_conditional(e, scope);
	default: return e->operator<SPEC_IMPLIES ? evaluate_binary(e, scope) : unknown;
	}
}
