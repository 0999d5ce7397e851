/*
 * The file `names` of an imported text trace: the names of its threads, objects and places in the
 * text. One line for each; words are separated by tabs and percent-escaped:
 *
 *	thread NUMBER NAME		the stream's name
 *	object ADDRESS NAME		a name, and the address that sooth chose for it
 *	at ADDRESS NAME			a name whose address the text itself gives
 *	place NUMBER TEXT [CALL]	a place; field p of a record is its number, from 1
 *	init ADDRESS SIZE HEXBYTES	an initial value, bytes in memory order
 */
#ifndef TRACE_NAMES_H
#define TRACE_NAMES_H

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>
#include <stdio.h>

struct names_thread {
	uint32_t stream;
	char *name;
};

struct names_place {
	char *text, *call; /* call is NULL except for `call` and `ret` */
};

struct names_object {
	uint64_t address;
	char *name;
	bool given; /* from an `at` line */
};

struct names_initial {
	uint64_t address;
	uint32_t size;
	uint8_t *value;
};

struct names {
	struct map threads; /* stream number to index + 1 in thread_names */
	VEC(struct names_thread) thread_names;
	struct map by_address; /* address to index + 1 in objects */
	VEC(struct names_object) objects;
	VEC(struct names_place) places; /* place 1 is items[0] */
	VEC(struct names_initial) initials;
};

bool names_read(struct names *names, const char *file, const char *text, size_t size,
		struct err *err);
void names_print(const struct names *names, FILE *out);
void names_free(struct names *names);

/* Each function copies its texts. names_add_place() returns the number of the new place. */
void names_add_thread(struct names *names, uint32_t stream, const char *name);
void names_add_object(struct names *names, uint64_t address, const char *name, bool given);
uint64_t names_add_place(struct names *names, const char *text, const char *call);
void names_add_initial(struct names *names, uint64_t address, uint32_t size, const uint8_t *value);

/* Prints text with percent escapes for control characters, '%' and the characters in `also`. */
void names_escape(FILE *out, const char *text, size_t length, const char *also);
/* Undoes escapes in place; returns the new length. A '%' without two hex digits after it stays. */
size_t names_unescape(char *text, size_t length);

#endif
