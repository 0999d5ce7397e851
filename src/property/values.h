/*
 * The values of one property's parameters. Each value is stored once: strings by content, objects
 * by address and lifetime (doc/properties.md, "Objects").
 *
 * At most one value per address is alive. Its lifetime ends when its memory is allocated again, and
 * by `new` and `end`. Cost: one hash lookup for each binding; for each ALLOC a lookup of the
 * block's words in a sparse array, which has pages only where objects were.
 */
#ifndef PROPERTY_VALUES_H
#define PROPERTY_VALUES_H

#include "base/pages.h"
#include "property/property.h"
#include "property/raw_value.h"

struct values_entry {
	struct property_value value;
	uint64_t hash;
	uint32_t next;	/* 1 + index of the next entry in the bucket */
	uint32_t above; /* 1 + index of the next entry in the same word of memory */
	uint32_t holds;
	bool lives;
	bool over; /* its end was reported; the index is free once it is no longer held */
};

struct values {
	bool keeps; /* indices are never reused */
	VEC(struct values_entry) entries;
	uint32_t *buckets; /* 1 + index of the first live entry */
	size_t mask, living;
	struct pages words; /* address / 8: 1 + index of the first object there */
	struct map lives;   /* hash of an object: number of its earlier lifetimes */
	VEC(uint32_t) vacant;
	VEC(uint32_t) gone; /* lifetimes that ended and are not reported yet */
	/* Second walk: gives the same indices in the same order (values_rewind()). */
	bool again;
	uint32_t made;
};

/* Why a parameter cannot have a value. Everything but FITS and NULL is reported. */
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

/* Can a parameter of this type have the value? */
enum values_why values_check_type(uint8_t type, const struct property_raw *raw);
/* Are two values that fit equal, ignoring lifetimes? */
bool values_same(uint8_t type, const struct property_raw *a, const struct property_raw *b);

/* Returns the index of the live value; creates it if there is none. */
uint32_t values_put(struct values *values, uint8_t type, const struct property_raw *raw);
/* Starts a new lifetime at an event, unless the same event started the current one. */
uint32_t values_begin(struct values *values, uint8_t type, const struct property_raw *raw,
		      struct event_id at);
/* Ends a lifetime at an event. */
void values_end(struct values *values, uint32_t number, struct event_id at);
/*
 * A block was allocated: ends the lifetimes of all objects in it. `name` is the block's name in a
 * text trace, or NULL.
 */
void values_end_memory(struct values *values, uint64_t low, uint64_t size, const char *name);

/* The end of the lifetime was reported: the index becomes free once it is no longer held. */
void values_end_reported(struct values *values, uint32_t number);
void values_hold(struct values *values, uint32_t number);
void values_release(struct values *values, uint32_t number);

#endif
