/*
 * Lists the names that a piece of Lua uses, and marks those that it assigns. See
 * script_find_names() in script.h. Text that is not Lua yields some names and no error.
 */
#include "script/script_internal.h"
#include "script/lexeme.h"
#include "base/mem.h"

#include <stdlib.h>

/*
 * Is the name a helper function that condition_lua.c writes into conditions? These are not the
 * user's names.
 */
static bool is_condition_helper(const char *name, size_t length)
{
	return length > 4 && !memcmp(name, "__c_", 4);
}

static struct script_name *find_name(script_names *out, size_t first, const char *name,
				     size_t length)
{
	for (size_t i = first; i < out->count; i++)
		if (strlen(out->items[i].name) == length &&
		    !memcmp(out->items[i].name, name, length))
			return &out->items[i];
	return NULL;
}

static void mark_assigned(const char *text, const struct script_lexeme *lexeme, script_names *out,
			  size_t first)
{
	struct script_name *name = find_name(out, first, text + lexeme->at, lexeme->length);

	if (name)
		name->assigned = true;
}

/*
 * Marks the names that an assignment changes. `i` is its =. Only bare names before the = count, not
 * fields.
 */
static void mark_variables(const char *text, const script_lexemes *lexemes, size_t i,
			   script_names *out, size_t first)
{
	while (i) {
		size_t start = script_operand_start(lexemes, i - 1);

		if (start == i - 1 && lexemes->items[start].kind == SCRIPT_NAME)
			mark_assigned(text, &lexemes->items[start], out, first);
		if (!start || !script_is_sign(lexemes, start - 1, ','))
			return;
		i = start - 1;
	}
}

/*
 * See script.h. In `local x <const> = 1` the lexeme before the = is not a name, so nothing is
 * marked.
 */
void script_find_names(const char *text, script_names *out)
{
	script_lexemes lexemes = { 0 };
	size_t first = out->count;

	script_read_lexemes(text, &lexemes);
	for (size_t i = 0; i < lexemes.count; i++) {
		const struct script_lexeme *t = &lexemes.items[i];

		if (script_is_free(&lexemes, i) && !is_condition_helper(text + t->at, t->length) &&
		    !find_name(out, first, text + t->at, t->length))
			*vec_push(out) = (struct script_name){
				.name = mem_copy_text(text + t->at, t->length), .at = t->at
			};
	}
	for (size_t i = 0; i < lexemes.count; i++) {
		if (script_is_sign(&lexemes, i, '=') && !lexemes.items[i].in_table)
			mark_variables(text, &lexemes, i, out, first);
		else if (i && lexemes.items[i].kind == SCRIPT_NAME &&
			 script_is_sign(&lexemes, i + 1, '(') &&
			 script_lexeme_is_keyword(text, &lexemes.items[i - 1], "function"))
			mark_assigned(text, &lexemes.items[i], out, first);
	}
	vec_free(&lexemes);
}

void script_names_free(script_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i].name);
	vec_free(names);
}
