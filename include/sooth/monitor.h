/*
 * A monitor of your own for `monitor "./mine.so";` in a property file: states, a first one, and what an
 * event makes of a state. sooth runs it on every order of events that the recorded run stands for,
 * many at once, so nothing but states may be remembered between two calls.
 *
 *	cc -shared -fPIC -o mine.so mine.c
 *
 * The library defines one symbol:
 *
 *	const struct sooth_monitor sooth_monitor = { .version = SOOTH_MONITOR_VERSION, .init = … };
 *
 * A name that does not begin with a slash is looked for beside the property file.
 */
#ifndef SOOTH_MONITOR_H
#define SOOTH_MONITOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOOTH_MONITOR_VERSION 1

enum sooth_value_type {
	SOOTH_UNBOUND, /* the event does not bind this parameter */
	SOOTH_NUMBER,  /* number: integers, addresses, locks, threads */
	SOOTH_REAL,    /* real */
	SOOTH_STRING   /* text, length; there may be NULs in it */
};
struct sooth_value {
	unsigned type;
	int64_t number;
	double real;
	const char *text;
	size_t length;
	/* Equal for the same object; an address that was freed and used again is another one. */
	uint32_t identity;
};

/* An event of the property. What it points at is sooth's and good during the call. */
struct sooth_event {
	uint32_t number; /* of the event in the property, from 0 */
	const char *name;
	uint32_t thread;
	uint32_t value_count; /* the property's parameters, in their order */
	const struct sooth_value *values;
};

struct sooth_about {
	const char *property;
	const char *const *events, *const *parameters; /* names */
	uint32_t event_count, parameter_count;
};

/* Further states behind an event, for a monitor that is not deterministic: more->add(more, state). */
struct sooth_more {
	void (*add)(struct sooth_more *more, void *state);
};

struct sooth_monitor {
	uint32_t version; /* SOOTH_MONITOR_VERSION */
	/* The first state; NULL: it cannot work, and the property is not judged. */
	void *(*init)(const struct sooth_about *about);
	/*
	 * What the event makes of a state. `state` is a copy and may be changed: returning 1 it is a
	 * next state. 0: it is none; those given to `more` are. Negative: it failed, and the property
	 * is not judged any further.
	 */
	int (*step)(void *state, const struct sooth_event *event, struct sooth_more *more);
	void *(*clone)(const void *state);
	void (*free)(void *state);
	/* Equal states must have equal hashes. The coarser, the faster. */
	uint64_t (*hash)(const void *state);
	int (*equal)(const void *a, const void *b);
	/* The property is violated, whatever comes. */
	int (*is_bad)(const void *state);
	/* It is violated if the program ends here; NULL: it is not. */
	int (*is_bad_at_end)(const void *state);
};

#ifdef __cplusplus
}
#endif

#endif
