/* Names of the whole session that nothing sets: they are nil, and most likely slips of the fingers. */
#include "grammar/reading.h"
#include "spec/near.h"

void wide_tell(struct make *make)
{
	for (uint32_t i = 0; i < make->wide.count; i++) {
		const struct make_name *name = &make->wide.items[i];
		const char *text = intern_text(&make->names, i);
		struct near near;

		if (name->is_set || name->is_local || !name->used.line || script_has_name(text))
			continue;
		near_start(&near, text);
		for (uint32_t k = 0; k < make->wide.count; k++)
			if (make->wide.items[k].is_set)
				near_try(&near, intern_text(&make->names, k));
		make_complain(make, SPEC_NOTE, name->used, "nothing sets '%s': it is nil%s%s%s",
			      text, near.best ? "; did you mean '" : "", near.best ? near.best : "",
			      near.best ? "'?" : "");
	}
}
