/*
 * The names in the library, for code that analyses Lua without running it. A unit test compares
 * this table with the library.
 */
#include "script/lexeme.h"

#include <string.h>

static const struct {
	const char *name;
	bool pure;
} known[] = {
	{ "assert", true },
	{ "bump", false },
	{ "count", true },
	{ "error", true },
	{ "graph", true },
	{ "ipairs", true },
	{ "math", true },
	{ "math.abs", true },
	{ "math.ceil", true },
	{ "math.exp", true },
	{ "math.floor", true },
	{ "math.fmod", true },
	{ "math.huge", true },
	{ "math.log", true },
	{ "math.max", true },
	{ "math.maxinteger", true },
	{ "math.min", true },
	{ "math.mininteger", true },
	{ "math.modf", true },
	{ "math.pi", true },
	{ "math.sqrt", true },
	{ "math.tointeger", true },
	{ "math.type", true },
	{ "math.ult", true },
	{ "next", true },
	{ "pairs", true },
	{ "report", false },
	{ "select", true },
	{ "startswith", true },
	{ "strcmp", true },
	{ "string", true },
	{ "string.byte", true },
	{ "string.char", true },
	{ "string.find", true },
	{ "string.format", true },
	{ "string.len", true },
	{ "string.lower", true },
	{ "string.rep", true },
	{ "string.reverse", true },
	{ "string.sub", true },
	{ "string.upper", true },
	{ "strlen", true },
	{ "strncmp", true },
	{ "strstr", true },
	{ "table", true },
	{ "table.concat", true },
	{ "table.copy", true },
	{ "table.equal", true },
	{ "table.insert", false },
	{ "table.keys", true },
	{ "table.pack", true },
	{ "table.remove", false },
	{ "table.sort", false },
	{ "table.unpack", true },
	{ "tonumber", true },
	{ "tostring", true },
	{ "type", true },
	/* used by translated conditions */
	{ "__c_divide", true },
	{ "__c_equal", true },
	{ "__c_left", true },
	{ "__c_remainder", true },
	{ "__c_right", true },
};

bool script_has_name(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return true;
	return false;
}

bool script_is_pure(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return known[i].pure;
	return false;
}
