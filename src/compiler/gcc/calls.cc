#include "compiler/gcc/calls.h"

#include <map>
#include <string>

static const known_call known[] = {
#define CALL(name, how, argument, group) { #name, CALL_##how, argument, EG_##group },
#include "event/calls.def"
#undef CALL
};

const known_call *calls_find(const char *assembler_name)
{
	static std::map<std::string, const known_call *> by_name;

	if (by_name.empty())
		for (const known_call &k : known)
			by_name[k.name] = &k;
	auto found = by_name.find(assembler_name);
	return found == by_name.end() ? nullptr : found->second;
}
