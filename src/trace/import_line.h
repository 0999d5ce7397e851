/* Reads the lines of a text trace one by one, for import.c. */
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
	struct intern threads; /* thread name to stream number */
	struct intern objects; /* class letter and name, to index in addresses */
	VEC(uint64_t) addresses;
	struct intern given; /* names in `at` lines, to index in given_addresses */
	VEC(uint64_t) given_addresses;
	struct intern places;	/* "place TAB call"; the index here + 1 is the place's number */
	VEC(uint32_t) creators; /* by stream: creator + 1 */
	uint64_t next_address;
	bool has_points; /* only `point` lines give points; `call` and `ret` lines do not */
	char *word;	 /* the last name, unescaped */
	size_t word_room;
};

/*
 * Names get addresses from here on. No process has such addresses, so they differ from all
 * addresses in the text itself (0x…, at). They are at least 64 KiB apart, so that accesses to two
 * names never overlap.
 */
#define IMPORT_FIRST_ADDRESS (1ull << 47)

/* Reads the line im->line.whole, which has the number im->line.number in the file. */
bool import_line(struct importer *im, struct err *err);

#endif
