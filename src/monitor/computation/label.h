/*
 * What a step means to monitors: variables that get values, property events that happen. Equal
 * meanings have one number, so that a monitor decides each only once. Label 0 is silence: no monitor
 * sees the step; label 1 is a step in which nothing happens (under `all`).
 */
#ifndef MONITOR_COMPUTATION_LABEL_H
#define MONITOR_COMPUTATION_LABEL_H

#include "base/map.h"
#include "base/vec.h"
#include "property/property.h"

#define LABEL_SILENT 0u
#define LABEL_NOTHING 1u

/* Bytes written into a variable of the property: `variable` is its place in `variables`. */
struct label_write {
	uint32_t variable;
	uint8_t offset, size; /* in the variable */
	bool unknown;	      /* what was written was not recorded */
	uint8_t bytes[8];
};
/* A property event; its locals and parameters are kept for plug-ins. */
struct label_event {
	uint32_t property; /* its number in the property set */
	uint32_t event;	   /* of the property */
	uint32_t thread;
	uint32_t bindings; /* as in property_events; for plug-ins */
	uint32_t number;   /* of the event in property_events; for grammars, otherwise 0 */
};
struct label {
	const struct label_write *writes;
	uint32_t write_count;
	const struct label_event *events;
	uint32_t event_count;
};

/* A variable of a property: what an expression over globals names. */
struct label_variable {
	const char *name; /* "config.limits.most", as the file has it */
	uint64_t address;
	uint8_t size, form;   /* enum raw_form */
	bool known;	      /* false: the trace has no such variable */
	bool initial_unknown; /* nobody knows what it starts with */
	const char *why;      /* what is wrong with it, in words; NULL nothing */
	uint8_t initial[8];
};

struct labels {
	VEC(struct label) list;
	VEC(struct label_variable) variables;
	struct map index;
	/* for plug-ins and grammars: their events differ by bindings and threads; otherwise these are left out */
	bool rich;
	/* by parameter: numbers of values in the set, of the instance; NULL: there are none */
	const uint32_t *binding;
	VEC(void *) owned;
};

void labels_init(struct labels *labels, bool rich);
void labels_free(struct labels *labels);
uint32_t labels_put(struct labels *labels, const struct label *label);

#endif
