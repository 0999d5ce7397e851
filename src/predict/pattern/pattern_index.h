/*
 * An index of a property's events. For each event that the property names (a *type*), it has a list
 * of the occurrences in order, and for each parameter a list sorted by the parameter's value.
 */
#ifndef PREDICT_PATTERN_PATTERN_INDEX_H
#define PREDICT_PATTERN_PATTERN_INDEX_H

#include "property/property.h"

/* A list of items of an index. */
struct pattern_list {
	const uint32_t *items;
	uint32_t count;
};

struct pattern_index {
	const struct property_events *property;
	uint32_t *numbers; /* by item: number in the property's events */
	uint32_t *count;   /* by type: number of items */
	/*
	 * [type * (parameters + 1) + p]: the items of the type, sorted by the value of parameter p,
	 * then in order. The list for p == parameters is in order only.
	 */
	uint32_t **by_value;
};

/*
 * The items are 0 … count - 1; numbers[i] is UINT32_MAX for an item that is left out. Takes over
 * `numbers`, which mem_alloc() allocated.
 */
void pattern_index_make(struct pattern_index *index, const struct property_events *property,
			uint32_t *numbers, uint32_t count);
void pattern_index_free(struct pattern_index *index);

/*
 * Returns the occurrences in which the parameter has the value; with value PROPERTY_NONE, those in
 * which it is unbound; with parameter PROPERTY_NONE, all occurrences.
 */
struct pattern_list pattern_index_list(const struct pattern_index *index, uint32_t type,
				       uint32_t parameter, uint32_t value);

/* Do two bindings have no parameter with different values? */
static inline bool pattern_bindings_agree(const uint32_t *a, const uint32_t *b, uint32_t parameters)
{
	for (uint32_t p = 0; p < parameters; p++) {
		if (a[p] != PROPERTY_NONE && b[p] != PROPERTY_NONE && a[p] != b[p])
			return false;
	}
	return true;
}

#endif
