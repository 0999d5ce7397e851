/* Finds the instances that a property with parameters has in a run. */
#ifndef MONITOR_COMPUTATION_INSTANCES_H
#define MONITOR_COMPUTATION_INSTANCES_H

#include "monitor/computation/run_op.h"

struct instances {
	uint32_t parameters;
	VEC(uint32_t) values; /* `parameters` for each instance: a value or PROPERTY_NONE */
	size_t count;
	bool cut; /* there were more */
};

/* Further instances are not judged, with a note. */
#define INSTANCES_MOST 100000u

void instances_find(const struct property_events *events, struct instances *instances);
void instances_free(struct instances *instances);

#endif
