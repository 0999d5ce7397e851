/* Looks up the functions of event/calls.def by their linker name. */
#include "compiler/common/known_calls.h"

#include "event/wire.h"

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

uint16_t known_call_site_size(const known_call *known)
{
	if (!known)
		return EG_NOTE;
	return (uint16_t)(known->group | (known->how == CALL_WRAPPER ? WIRE_SITE_WRAPPER : 0));
}

bool known_call_runs_program(const known_call *known)
{
	return known && (known->how == CALL_SITE_ONLY || known->how == CALL_WRAPPER ||
			 std::string(known->name) == "pthread_once");
}
