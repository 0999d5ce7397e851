/*
 * The values of one property's parameters. Each value is stored once: strings by content, objects
 * by address and lifetime (doc/properties.md, "Objects").
 *
 * At most one value per address is alive. Its lifetime ends when its memory is allocated again, or
 * at an event with `new` or `end`. Cost: one hash lookup for each binding; for each ALLOC, a lookup
 * of the block's words in a sparse array, which has pages only where objects were.
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
	bool lives;
};

struct values {
	bool keeps; /* indices are never reused */
	VEC(struct values_entry) entries;
	uint32_t *buckets; /* by hash: 1 + index of the first live entry */
	size_t mask, living;
	/* key: address / 8; value: 1 + index of the first object in this word */
	struct pages words;
	struct map lives; /* key: hash of an object; value: number of its earlier lifetimes */
	VEC(uint32_t) vacant;
	VEC(uint32_t) gone; /* lifetimes that ended and are not reported yet */
	/*
	 * In the second walk: entries are created in the same order and get the same indices as in
	 * the first walk (values_rewind()).
	 */
	bool again;
	uint32_t made;
};

/* Why a parameter cannot have a value. All results except FITS and NULL are reported. */
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

/* Returns the index of the live value that equals `raw`; creates the value if there is none. */
uint32_t values_put(struct values *values, uint8_t type, const struct property_raw *raw);
/*
 * Starts a new lifetime of the value at event `at`, unless this event has started its current
 * lifetime. Returns its index.
 */
uint32_t values_begin(struct values *values, uint8_t type, const struct property_raw *raw,
		      struct event_id at);
/* Ends the lifetime of value `number` at event `at`. */
void values_end(struct values *values, uint32_t number, struct event_id at);
/*
 * A block was allocated: ends the lifetimes of all objects in it. `name` is the block's name in a
 * text trace, or NULL.
 */
void values_end_memory(struct values *values, uint64_t low, uint64_t size, const char *name);

/* To be called when the end of the lifetime has been reported: the index becomes free. */
void values_end_reported(struct values *values, uint32_t number);

#endif
