/*
 * Reports session-wide names that no code sets. They are always nil, so they are most likely typing
 * errors.
 */
#include "grammar/code_names.h"
#include "spec/spelling.h"

void undeclared_names_tell(struct builder *make)
{
	for (uint32_t i = 0; i < make->wide.count; i++) {
		const struct builder_name *name = &make->wide.items[i];
		const char *text = intern_text(&make->names, i);
		struct spelling near;

		if (name->is_set || name->is_local || !name->used.line || script_has_name(text))
			continue;
		spelling_start(&near, text);
		for (uint32_t k = 0; k < make->wide.count; k++)
			if (make->wide.items[k].is_set)
				spelling_try(&near, intern_text(&make->names, k));
		builder_complain(make, SPEC_NOTE, name->used,
				 "'%s' is never set, so it is nil%s%s%s", text,
				 near.best ? "; did you mean '" : "", near.best ? near.best : "",
				 near.best ? "'?" : "");
	}
}
