/*
 * The interface for monitors that users write in C, for `monitor "./mine.so";` in a property file.
 * A monitor consists of an initial state and a function that computes the next states from a state
 * and an event. sooth runs the monitor on every order of events that is possible for the recorded
 * run, on many orders at once. So a monitor must keep no information between two calls except in
 * its states.
 *
 *	cc -shared -fPIC -o mine.so mine.c
 *
 * The library defines one symbol:
 *
 *	const struct sooth_monitor sooth_monitor = { .version = SOOTH_MONITOR_VERSION, .init = … };
 *
 * A file name that does not begin with a slash is relative to the directory of the property file.
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
	SOOTH_NUMBER,  /* `number` is set: integers, addresses, locks, threads */
	SOOTH_REAL,    /* `real` is set */
	SOOTH_STRING   /* `text` and `length` are set; the text may contain NULs */
};
struct sooth_value {
	unsigned type;
	int64_t number;
	double real;
	const char *text;
	size_t length;
	/*
	 * Equal for the same object. If an address was freed and reused, it stands for another
	 * object.
	 */
	uint32_t identity;
};

/*
 * An event of the property. All memory that it points to belongs to sooth and is valid during the
 * call only.
 */
struct sooth_event {
	uint32_t number; /* index into `events` of struct sooth_about */
	const char *name;
	uint32_t thread;
	uint32_t value_count; /* one for each parameter of the property, in order */
	const struct sooth_value *values;
};

struct sooth_about {
	const char *property;
	const char *const *events, *const *parameters; /* names of all events and parameters */
	uint32_t event_count, parameter_count;
};

/* To be used in `step` by a nondeterministic monitor: more->add(more, state) adds a next state. */
struct sooth_more {
	void (*add)(struct sooth_more *more, void *state);
};

struct sooth_monitor {
	uint32_t version; /* SOOTH_MONITOR_VERSION */
	/* Returns the initial state, or NULL on failure; then the property is not judged. */
	void *(*init)(const struct sooth_about *about);
	/*
	 * Computes the states after an event. `state` is a copy and may be changed. Returns 1 if
	 * the changed `state` is a next state, 0 if only the states passed to `more` are next
	 * states, or a negative number on failure; then the property is not judged any further.
	 */
	int (*step)(void *state, const struct sooth_event *event, struct sooth_more *more);
	void *(*clone)(const void *state);
	void (*free)(void *state);
	/* Equal states must have equal hashes. The more states are equal, the faster sooth is. */
	uint64_t (*hash)(const void *state);
	int (*equal)(const void *a, const void *b);
	/* Returns true if the property is violated, whatever happens later. */
	int (*is_bad)(const void *state);
	/* Returns true if the property is violated when the program ends here. May be NULL. */
	int (*is_bad_at_end)(const void *state);
};

#ifdef __cplusplus
}
#endif

#endif
