/* The functions of event/calls.def, by name. (Apart, since gcc's headers forbid some of the names.) */
#ifndef GCC_CALLS_H
#define GCC_CALLS_H

#include "event/event.h"

enum known_how { CALL_REDIRECT, CALL_OBJECT, CALL_PLACE };

struct known_call {
	const char *name;
	enum known_how how;
	unsigned argument;	/* which one points at the object */
	enum event_group group; /* what its records are about */
};

const known_call *calls_find(const char *assembler_name);

#endif
