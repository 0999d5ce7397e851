/*
 * The values that the parameters of one property have: each once, strings by content, objects by
 * address and life (doc/properties.md, "Objects").
 *
 * Of one address at most one value lives. It stops living when its memory is allocated again, and
 * by `new` and `end`. Cost: a hash for each binding; for each ALLOC a look at the words of the block in a
 * sparse array, of which only pages exist where objects were.
 */
#ifndef PROPERTY_VALUES_H
#define PROPERTY_VALUES_H

#include "base/pages.h"
#include "property/property.h"
#include "property/raw_value.h"

struct values_entry {
	struct property_value value;
	uint64_t hash;
	uint32_t next;	/* of the same bucket, + 1 */
	uint32_t above; /* the next one of the same word of memory, + 1 */
	uint32_t holds;
	bool lives;
	bool over; /* told to be gone: free when nobody holds it */
};

struct values {
	bool keeps; /* numbers are never given twice */
	VEC(struct values_entry) entries;
	uint32_t *buckets; /* number + 1 of those that live */
	size_t mask, living;
	struct pages words; /* address / 8: number + 1 of the first object there */
	struct map lives;   /* hash of an object: how often it has lived before */
	VEC(uint32_t) vacant;
	VEC(uint32_t) gone; /* lives that ended and were not told yet */
	/* A second walk gives the same numbers in the same order (values_rewind). */
	bool again;
	uint32_t made;
};

/* Why a parameter cannot have a value; anything but FITS and NULL is worth saying. */
enum values_why {
	VALUES_FITS,
	VALUES_NULL,
	VALUES_UNKNOWN,
	VALUES_CUT,
	VALUES_NO_TEXT,
	VALUES_TYPE
};

void values_open(struct values *values, bool keeps);
void values_close(struct values *values);
void values_rewind(struct values *values);

/* Can a parameter of the type have it? */
enum values_why values_judge(uint8_t type, const struct property_raw *raw);
/* Two that fit: are they the same, as long as neither lives again? */
bool values_same(uint8_t type, const struct property_raw *a, const struct property_raw *b);

/* The number of the one that lives; made when there is none. */
uint32_t values_put(struct values *values, uint8_t type, const struct property_raw *raw);
/* Starts another life at an event, unless it was that event that started this one. */
uint32_t values_begin(struct values *values, uint8_t type, const struct property_raw *raw,
		      struct event_id at);
/* Ends a life at an event. */
void values_end(struct values *values, uint32_t number, struct event_id at);
/* A block was allocated: what was there before is no more. `name`: what a text calls it, or NULL. */
void values_end_memory(struct values *values, uint64_t low, uint64_t size, const char *name);

/* Its end has been told: the number is vacant once nobody holds it. */
void values_over(struct values *values, uint32_t number);
void values_hold(struct values *values, uint32_t number);
void values_let_go(struct values *values, uint32_t number);

#endif
