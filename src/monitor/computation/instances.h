/* Finds the instances that a property with parameters has in a run. */
#ifndef MONITOR_COMPUTATION_INSTANCES_H
#define MONITOR_COMPUTATION_INSTANCES_H

#include "monitor/computation/run_op.h"

struct instances {
	uint32_t parameters;
	/* for each instance, `parameters` of them: a value or PROPERTY_NONE */
	VEC(uint32_t) values;
	size_t count;
	bool cut; /* there were more than INSTANCES_MOST */
};

/* Limit for the instances that are judged. If there are more, a note says so. */
#define INSTANCES_MOST 100000u

void instances_find(const struct property_events *events, struct instances *instances);
void instances_free(struct instances *instances);

#endif
