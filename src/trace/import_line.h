/* Reading the lines of a text trace, one after the other: the inside of import.c. */
#ifndef TRACE_IMPORT_LINE_H
#define TRACE_IMPORT_LINE_H

#include "base/intern.h"
#include "base/vec.h"
#include "trace/names.h"
#include "trace/parse.h"
#include "trace/write.h"

struct importer {
	struct parse_line line;
	struct trace_writer *writer;
	struct names names;
	struct intern threads; /* number: the stream */
	struct intern objects; /* class letter and name; number: index in addresses */
	VEC(uint64_t) addresses;
	struct intern given; /* names of `at` lines; number: index in given_addresses */
	VEC(uint64_t) given_addresses;
	struct intern places;	/* place, tab, call; number + 1: the place */
	VEC(uint32_t) creators; /* by stream, + 1 */
	uint64_t next_address;
	bool has_points; /* what is a point stands in `point` lines */
	char *word;	 /* the last name, unescaped */
	size_t word_room;
};

/*
 * Names get addresses that no process has, so that those a text gives itself (0x…, at) never
 * meet them, 64 KiB apart so that accesses of two names never overlap.
 */
#define IMPORT_FIRST_ADDRESS (1ull << 47)

/* The line in im->line, which has its number and `whole`. */
bool import_line(struct importer *im, struct err *err);

#endif
