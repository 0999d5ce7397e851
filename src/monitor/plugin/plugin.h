/*
 * Users' monitors (`monitor "FILE";`): a machine around states that the user's code owns. The
 * drivers for C and Lua provide the states; plugin.c numbers them.
 */
#ifndef MONITOR_PLUGIN_PLUGIN_H
#define MONITOR_PLUGIN_PLUGIN_H

#include "monitor/formula/machine.h"

#include <sooth/monitor.h>

struct machine *plugin_open(const struct property_set *set, uint32_t property,
			    const struct spec_formula *formula, const struct labels *labels,
			    const char *directory, struct err *err);

typedef VEC(void *) plugin_states;

/*
 * A function returns false with `err` set if the user's code failed. The caller frees the states
 * that a function returns.
 */
struct plugin_driver {
	void *self;
	bool (*first)(void *self, const struct sooth_about *about, void **state, struct err *err);
	/* Appends the next states; `state` is not changed. */
	bool (*step)(void *self, const void *state, const struct sooth_event *event,
		     plugin_states *next, struct err *err);
	bool (*classify)(void *self, const void *state, bool *bad, bool *bad_at_end,
			 struct err *err);
	uint64_t (*hash)(void *self, const void *state);
	bool (*equal)(void *self, const void *a, const void *b);
	void (*free_state)(void *self, void *state);
	void (*close)(void *self);
};

bool plugin_open_c(const char *path, struct plugin_driver *driver, struct err *err);
bool plugin_open_lua(const char *path, struct plugin_driver *driver, struct err *err);

#endif
