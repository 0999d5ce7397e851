/*
 * Reports session-wide names that no code sets. They are always nil, so they are most likely typing
 * errors.
 */
#include "grammar/code_names.h"
#include "spec/spelling.h"

void undeclared_names_report(struct builder *builder)
{
	for (uint32_t i = 0; i < builder->wide.count; i++) {
		const struct builder_name *name = &builder->wide.items[i];
		const char *text = intern_text(&builder->names, i);
		struct spelling near;

		if (name->is_set || name->is_local || !name->used.line || script_has_name(text))
			continue;
		spelling_start(&near, text);
		for (uint32_t k = 0; k < builder->wide.count; k++)
			if (builder->wide.items[k].is_set)
				spelling_try(&near, intern_text(&builder->names, k));
		builder_complain(builder, SPEC_NOTE, name->used,
				 "'%s' is never set, so it is nil%s%s%s", text,
				 near.best ? "; did you mean '" : "", near.best ? near.best : "",
				 near.best ? "'?" : "");
	}
}
