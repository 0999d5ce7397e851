/* From the syntax tree of a formula to its form: see form.h. */
#include "logic/form.h"
#include "base/mem.h"
#include "spec/explain.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

char *form_text(const struct spec_expr *expr)
{
	char *text;
	size_t size;
	FILE *out = mem_stream(&text, &size);

	explain_whole(out, expr);
	mem_stream_close(out);
	return text;
}

static bool is_of_time(uint8_t operator)
{
	return operator>= SPEC_PREV;
}

static bool is_logic(uint8_t operator)
{
	return operator== SPEC_NOT || operator== SPEC_AND || operator== SPEC_OR || operator==
		SPEC_IMPLIES ||
		operator== SPEC_IFF;
}

/* The first event or temporal operator in an expression, or NULL. */
static const struct spec_expr *find_moment(const struct spec_expr *e)
{
	for (; e; e = e->next) {
		const struct spec_expr *below[] = { e->left, e->right, e->third };

		if (e->operator== SPEC_EVENT || is_of_time(e->operator))
			return e;
		for (unsigned i = 0; i < 3; i++) {
			const struct spec_expr *found = below[i] ? find_moment(below[i]) : NULL;

			if (found)
				return found;
		}
	}
	return NULL;
}

static bool names_something(const struct spec_expr *e)
{
	for (; e; e = e->next)
		if (e->operator== SPEC_NAME ||(e->left && names_something(e->left)) ||
		    (e->right && names_something(e->right)) ||
		    (e->third && names_something(e->third)))
			return true;
	return false;
}

static uint32_t add_node(struct form *f, struct form_node node)
{
	uint32_t shape[] = { node.operator, node.holds, node.atom, node.part[0], node.part[1],
			     node.part[2] };
	bool fresh;
	uint32_t number = intern_put(&f->shapes, (const char *)shape, sizeof shape, &fresh);

	if (fresh)
		*vec_push(&f->nodes) = node;
	return number;
}

static bool put_atom(struct form *f, const struct spec_expr *e, uint32_t *node, struct err *err)
{
	char *text = form_text(e);
	bool fresh;
	uint32_t atom = intern_put(&f->texts, text, strlen(text), &fresh);

	free(text);
	if (fresh)
		*vec_push(&f->atoms) = e;
	if (f->atoms.count > FORM_ATOMS)
		return err_set(err, "the formula has more than %u different events and conditions",
			       FORM_ATOMS);
	*node = add_node(f, (struct form_node){ .operator= SPEC_EVENT,
						.atom = atom,
						.part = { FORM_NONE, FORM_NONE, FORM_NONE },
						.expr = e });
	return true;
}

static bool read_expr(struct form *f, const struct spec_expr *e, uint32_t *node, struct err *err);

static bool read_parts(struct form *f, const struct spec_expr *e, uint32_t *node, struct err *err)
{
	const struct spec_expr *below[] = { e->left, e->right, e->third };
	struct form_node made = { .operator= e->operator,
				  .atom = FORM_NONE,
				  .part = { FORM_NONE, FORM_NONE, FORM_NONE },
				  .expr = e };

	for (unsigned i = 0; i < 3; i++)
		if (below[i] && !read_expr(f, below[i], &made.part[i], err))
			return false;
	*node = add_node(f, made);
	return true;
}

static bool read_expr(struct form *f, const struct spec_expr *e, uint32_t *node, struct err *err)
{
	const struct spec_expr *moment;

	if (is_logic(e->operator) || is_of_time(e->operator))
		return read_parts(f, e, node, err);
	if (e->operator== SPEC_EVENT)
		return put_atom(f, e, node, err);
	moment = find_moment(e);
	if (moment && e->operator== SPEC_CONDITIONAL)
		return read_parts(f, e, node, err);
	if (moment)
		return err_set(
			err,
			"line %u, column %u: an event or temporal operator is true or false; "
			"it cannot be part of a calculation",
			moment->place.line, moment->place.column);
	if (!names_something(e)) {
		struct spec_value value = spec_evaluate(e, &(struct spec_scope){ 0 });

		if (value.type != SPEC_VALUE_UNKNOWN) {
			bool holds = value.type == SPEC_VALUE_INT    ? value.number != 0
				     : value.type == SPEC_VALUE_REAL ? value.real != 0
								     : true;

			*node = add_node(
				f, (struct form_node){ .operator= SPEC_NUMBER,
						       .holds = holds,
						       .atom = FORM_NONE,
						       .part = { FORM_NONE, FORM_NONE, FORM_NONE },
						       .expr = e });
			return true;
		}
	}
	return put_atom(f, e, node, err);
}

bool form_read(struct form *f, const struct spec_formula *formula, struct err *err)
{
	*f = (struct form){ .root = FORM_NONE };
	if (!read_expr(f, formula->expr, &f->root, err)) {
		form_free(f);
		return false;
	}
	if (formula->formalism == SPEC_TEMPORAL && formula->never)
		f->root = add_node(f,
				   (struct form_node){ .operator= SPEC_NOT,
						       .atom = FORM_NONE,
						       .part = { f->root, FORM_NONE, FORM_NONE } });
	return true;
}

void form_free(struct form *f)
{
	vec_free(&f->nodes);
	vec_free(&f->atoms);
	intern_free(&f->texts);
	intern_free(&f->shapes);
}
