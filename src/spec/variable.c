/*
 * Finds out which variable of the program an expression denotes. See spec_variable_name() in
 * spec.h.
 */
#include "spec/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool append_to_name(char *name, size_t size, const char *before, const char *text)
{
	size_t length = strlen(name);

	return (size_t)snprintf(name + length, size - length, "%s%s", before, text) < size - length;
}

bool spec_variable_name(const struct spec_expr *expr, char *name, size_t size)
{
	char index[24];

	switch (expr->operator) {
	case SPEC_NAME:
		name[0] = 0;
		return expr->parameter == SPEC_NONE && expr->local == SPEC_NONE &&
		       append_to_name(name, size, "", expr->text);
	case SPEC_MEMBER:
		return !expr->arrow && spec_variable_name(expr->left, name, size) &&
		       append_to_name(name, size, ".", expr->text);
	case SPEC_INDEX:
		if (expr->right->operator!= SPEC_NUMBER)
			return false;
		snprintf(index, sizeof index, "%" PRId64 "]", expr->right->number);
		return spec_variable_name(expr->left, name, size) &&
		       append_to_name(name, size, "[", index);
	default: return false;
	}
}
