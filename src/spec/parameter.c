/* Finds out which parameters of its property a point binds, or an expression mentions. */
#include "spec/spec.h"

bool spec_point_binds(const struct spec_point *p, uint32_t parameter)
{
	for (uint32_t i = 0; i < p->argument_count; i++)
		if (p->arguments[i].parameter == parameter)
			return true;
	return (p->result && p->result->parameter == parameter) ||
	       (p->target && p->target->parameter == parameter) ||
	       (p->holding && p->holding->parameter == parameter);
}

bool spec_names_parameter(const struct spec_expr *e, uint32_t parameter)
{
	for (; e; e = e->next)
		if ((e->operator== SPEC_NAME && e->parameter == parameter) ||
		    spec_names_parameter(e->left, parameter) ||
		    spec_names_parameter(e->right, parameter) ||
		    spec_names_parameter(e->third, parameter))
			return true;
	return false;
}
