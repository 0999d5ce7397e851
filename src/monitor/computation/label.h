/*
 * What a step means to monitors: which variables get values, and which property events happen.
 * Equal meanings have one number, so that a monitor evaluates each only once. Label 0 is silent: no
 * monitor sees the step. Label 1 is a step in which nothing happens (under `all`).
 */
#ifndef MONITOR_COMPUTATION_LABEL_H
#define MONITOR_COMPUTATION_LABEL_H

#include "base/map.h"
#include "base/vec.h"
#include "property/property.h"

#define LABEL_SILENT 0u
#define LABEL_NOTHING 1u

/* Bytes written to a variable, given by its index in `variables`. */
struct label_write {
	uint32_t variable;
	uint8_t offset, size; /* which bytes of the variable are written */
	bool unknown;	      /* the value was not recorded */
	uint8_t bytes[8];
};
/* A property event. Plug-ins need its locals and parameters. */
struct label_event {
	uint32_t property; /* index in the property set */
	uint32_t event;	   /* index in the property */
	uint32_t thread;
	uint32_t bindings; /* as in property_events; for plug-ins */
	uint32_t number;   /* index in property_events; for grammars, otherwise 0 */
};
struct label {
	const struct label_write *writes;
	uint32_t write_count;
	const struct label_event *events;
	uint32_t event_count;
};

/* A variable of a property: an expression over globals. */
struct label_variable {
	const char *name; /* "config.limits.most", as in the property file */
	uint64_t address;
	uint8_t size, form; /* enum raw_value_form */
	bool known;	    /* false: the trace has no such variable */
	bool initial_unknown;
	const char *why; /* text: what is wrong with the variable; NULL: nothing */
	uint8_t initial[8];
};

struct labels {
	VEC(struct label) list;
	VEC(struct label_variable) variables;
	struct map index;
	/*
	 * Labels distinguish events by bindings and threads, as plug-ins and grammars need. If
	 * false, bindings and threads are left out.
	 */
	bool rich;
	/* by parameter: index of the instance's value; NULL: no parameters */
	const uint32_t *binding;
	VEC(void *) owned;
};

void labels_init(struct labels *labels, bool rich);
void labels_free(struct labels *labels);
uint32_t labels_put(struct labels *labels, const struct label *label);

#endif
