#include "spec/check.h"

void check_file(const struct spec_file *file, struct spec_messages *messages)
{
	for (const struct spec_property *p = file->properties; p; p = p->next)
		if (!p->formulas)
			spec_complain(file, messages, SPEC_ERROR, p->place, "'%s' has no formula",
				      p->name);
}
