/*
 * Finds the assignments and local declarations in a piece of Lua; see code_assignments.h. An
 * assignment is recognised by its `=` outside of table constructors, a declaration by the words
 * `local`, `for` and `function`.
 */
#include "grammar/code_assignments.h"

static bool is_lexeme(const char *text, const script_lexemes *l, size_t i, const char *word)
{
	return i < l->count && script_lexeme_is_keyword(text, &l->items[i], word);
}

static bool is_name(const script_lexemes *l, size_t i)
{
	return i < l->count && l->items[i].kind == SCRIPT_NAME;
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* Adds the targets to the left of an `=`, back to the start of the statement. */
static void add_targets_before(const char *text, const script_lexemes *l, size_t equals,
			       assignment_targets *out)
{
	size_t first = out->count, next = equals;
	bool more = true, local;

	while (more && next) {
		size_t last = next - 1, root = script_operand_start(l, last);

		*vec_push(out) =
			(struct assignment_target){ .root = root,
						    .last = last,
						    .is_name = root == last && is_name(l, root),
						    .equals = equals };
		more = root && script_is_sign(l, root - 1, ',');
		next = more ? root - 1 : root;
	}
	local = next &&
		(is_lexeme(text, l, next - 1, "local") || is_lexeme(text, l, next - 1, "for"));
	for (size_t i = first; i < out->count; i++) {
		out->items[i].is_local = local;
		out->items[i].is_only = out->count == first + 1;
	}
}

/* Adds the target of `function x()` or `function x.y:z()`. With `local` before it, x is a local. */
static void add_function_target(const char *text, const script_lexemes *l, size_t word,
				assignment_targets *out)
{
	size_t root = word + 1, last = root;

	if (!is_name(l, root))
		return;
	while (is_name(l, last + 2) &&
	       (script_is_sign(l, last + 1, '.') || script_is_sign(l, last + 1, ':')))
		last += 2;
	*vec_push(out) =
		(struct assignment_target){ .root = root,
					    .last = last,
					    .is_name = root == last,
					    .is_local =
						    word && is_lexeme(text, l, word - 1, "local"),
					    .is_only = true,
					    .equals = last };
}

void code_assignments_find_targets(const char *text, const script_lexemes *l,
				   assignment_targets *out)
{
	for (size_t i = 0; i < l->count; i++)
		if (script_is_sign(l, i, '=') && !l->items[i].in_table)
			add_targets_before(text, l, i, out);
		else if (is_lexeme(text, l, i, "function"))
			add_function_target(text, l, i, out);
}

/* ---- locals ---------------------------------------------------------------------------------- */

/* Adds the names in a list `a, b <const>, c`. Returns the lexeme after the list. */
static size_t add_name_list(const char *text, const script_lexemes *l, size_t i, struct intern *out)
{
	while (is_name(l, i)) {
		intern_put(out, text + l->items[i].at, l->items[i].length, NULL);
		i++;
		if (script_is_sign(l, i, '<') && is_name(l, i + 1) && script_is_sign(l, i + 2, '>'))
			i += 3;
		if (!script_is_sign(l, i, ','))
			break;
		i++;
	}
	return i;
}

void code_assignments_find_locals(const char *text, const script_lexemes *l, struct intern *out)
{
	for (size_t i = 0; i < l->count; i++) {
		if (is_lexeme(text, l, i, "local") && is_lexeme(text, l, i + 1, "function"))
			add_name_list(text, l, i + 2, out);
		else if (is_lexeme(text, l, i, "local") || is_lexeme(text, l, i, "for"))
			add_name_list(text, l, i + 1, out);
		else if (is_lexeme(text, l, i, "function")) {
			size_t open = i + 1;

			while (open < l->count && !script_is_sign(l, open, '('))
				open++;
			add_name_list(text, l, open + 1, out);
		}
	}
}
