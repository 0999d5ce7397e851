/*
 * The functions of event/calls.def, by name. Their table is not in a file of a plugin, because
 * gcc's headers forbid the use of some of the names.
 */
#ifndef COMPILER_KNOWN_CALLS_H
#define COMPILER_KNOWN_CALLS_H

#include "event/event.h"

#include <string>

enum known_how { CALL_REDIRECT, CALL_OBJECT, CALL_SITE_ONLY, CALL_WRAPPER };

struct known_call {
	const char *name;
	enum known_how how;
	unsigned argument;	/* number of the argument that points to the object */
	enum event_group group; /* the kind of objects that its records concern */
};

/* Returns the known function with this linker name, or NULL. */
const known_call *known_call_find(const std::string &linker_name);

/* Returns the field `size` of the SITE of a call; `known` may be NULL. */
uint16_t known_call_site_size(const known_call *known);

/*
 * May the program's own code run during the call? pthread_once calls a function of the program, and
 * the program may define its own malloc and operator new. After such a call, no slot is known.
 */
bool known_call_runs_program(const known_call *known);

#endif
