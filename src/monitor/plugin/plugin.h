/*
 * Monitors that users wrote (`monitor "FILE";`): a machine around states that somebody else owns. The
 * drivers for C and Lua give the states; here they get numbers.
 */
#ifndef MONITOR_PLUGIN_PLUGIN_H
#define MONITOR_PLUGIN_PLUGIN_H

#include "monitor/formula/machine.h"

#include <sooth/monitor.h>

struct machine *plugin_open(const struct property_set *set, uint32_t property,
			    const struct spec_formula *formula, const struct labels *labels,
			    const char *directory, struct err *err);

typedef VEC(void *) plugin_states;

/* False: `err` says what went wrong in the user's code. States that it gives out are ours to free. */
struct plugin_driver {
	void *self;
	bool (*first)(void *self, const struct sooth_about *about, void **state, struct err *err);
	/* Appends the next states; `state` stays as it is. */
	bool (*step)(void *self, const void *state, const struct sooth_event *event,
		     plugin_states *next, struct err *err);
	bool (*judge)(void *self, const void *state, bool *bad, bool *bad_at_end, struct err *err);
	uint64_t (*hash)(void *self, const void *state);
	bool (*equal)(void *self, const void *a, const void *b);
	void (*free_state)(void *self, void *state);
	void (*close)(void *self);
};

bool plugin_open_c(const char *path, struct plugin_driver *driver, struct err *err);
bool plugin_open_lua(const char *path, struct plugin_driver *driver, struct err *err);

#endif
