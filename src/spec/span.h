/* Where a token or a rule of the grammar stands: what bison calls a location. */
#ifndef SPEC_SPAN_H
#define SPEC_SPAN_H

#include "spec/tree.h"

struct span {
	struct spec_place place;
	uint32_t from, to; /* offsets in the text */
};

/* From the start of one to the end of another; what goes over a line's end is told by its start. */
static inline struct span span_join(const struct span *first, const struct span *last)
{
	struct span all = *first;

	all.to = last->to;
	if (last->place.line == first->place.line && last->to >= first->from)
		all.place.length = last->to - first->from;
	return all;
}

#endif
