/*
 * The functions of event/calls.def, by name. This file is separate from both plugins because gcc's
 * headers forbid the use of some of the names.
 */
#ifndef COMPILER_KNOWN_CALLS_H
#define COMPILER_KNOWN_CALLS_H

#include "event/event.h"

#include <string>

enum known_how { CALL_REDIRECT, CALL_OBJECT, CALL_SITE_ONLY };

struct known_call {
	const char *name;
	enum known_how how;
	unsigned argument;	/* number of the argument that points at the object */
	enum event_group group; /* what its records concern */
};

/* Returns the known function with this linker name, or NULL. */
const known_call *known_call_find(const std::string &linker_name);

/*
 * Returns whether the program's own code may run during the call: pthread_once calls it; malloc and
 * operator new may be replaced by the program. Then nothing is known after the call.
 */
bool known_call_runs_program(const known_call *known);

#endif
