/* Looks up the functions of event/calls.def by their linker name. */
#include "compiler/common/known_calls.h"

#include <map>

static const known_call known_calls[] = {
#define CALL(name, how, argument, group) { #name, CALL_##how, argument, EG_##group },
#include "event/calls.def"
#undef CALL
};

const known_call *known_call_find(const std::string &linker_name)
{
	static std::map<std::string, const known_call *> by_name;

	if (by_name.empty())
		for (const known_call &k : known_calls)
			by_name[k.name] = &k;
	auto found = by_name.find(linker_name);
	return found == by_name.end() ? nullptr : found->second;
}

bool known_call_runs_program(const known_call *known)
{
	return known &&
	       (known->how == CALL_SITE_ONLY || std::string(known->name) == "pthread_once");
}
