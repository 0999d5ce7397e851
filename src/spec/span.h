/* The location of a token or of the text of a grammar rule: what bison calls a location. */
#ifndef SPEC_SPAN_H
#define SPEC_SPAN_H

#include "spec/tree.h"

struct span {
	struct spec_location place;
	uint32_t from, to; /* offsets in the text */
};

/*
 * Returns the span from the start of `first` to the end of `last`. If they are on different lines,
 * `place.length` remains that of `first`.
 */
static inline struct span span_join(const struct span *first, const struct span *last)
{
	struct span all = *first;

	all.to = last->to;
	if (last->place.line == first->place.line && last->to >= first->from)
		all.place.length = last->to - first->from;
	return all;
}

#endif
