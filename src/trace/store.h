/* The contents of a struct trace, shared by the files that load it and by the cursor. */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "event/control.h"
#include "trace/names.h"
#include "trace/trace.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

struct store_block {
	const uint8_t *data; /* the records */
	uint32_t bytes;
	uint32_t stream;
	uint32_t flags;
	bool cut; /* the file ends in this block: its stream ends after the last whole record */
	bool from_ring;
	uint64_t number;
	uint64_t time;
	uint64_t spare;
	uint32_t file;	 /* index of the file, for messages */
	uint64_t offset; /* offset of the records in the file */
};

struct store_stream {
	struct trace_stream about;
	uint32_t owner; /* result of trace_stream_owner() */
	const struct store_block *blocks;
	size_t count;
	char *gap; /* why reading stops after the last block, or NULL if the stream ends there */
};

/* ---- the tables of a module, prepared for the cursor ----------------------------------------- */

/* One element with its references resolved. */
struct store_step {
	uint8_t kind, flags, address_form, value_form;
	uint16_t size, address_slot, value_slot, address_at, value_at;
	uint64_t address; /* CONST: the address; SLOT, PAYLOAD: the constant to add */
	uint64_t value;
	const struct wire_element *site;
};

struct store_plan {
	uint32_t first; /* index in trace->steps */
	uint16_t count;
	uint16_t bytes; /* bytes of payload */
	const char *function;
};

struct store_module {
	char *path;
	uint8_t *build_id;
	uint32_t build_id_bytes;
	uint64_t base, end;
	uint64_t seg_address, str_address;
	uint32_t seg_bytes, str_bytes;
	uint8_t *seg; /* aligned copy of the section sooth_seg */
	char *str;    /* copy of the section sooth_str, with a NUL after it */
	/* seg_bytes / 4 entries: index + 1 of the plan of the row that starts there */
	uint32_t *rows;
};

/* A point that was switched on: one line of points_on. */
struct store_point {
	struct wire_element site; /* the site of the point's events */
	uint64_t pc;
	uint8_t kind, flags; /* as in struct point_row */
	uint16_t pointed;
	const char *types, *library, *name, *plain; /* library and plain may be NULL */
	const char *place;			    /* "function TAB file" */
};

/* A range of memory in which races are intended, as the program declared. */
struct store_range {
	uint64_t low, high;
};

struct store_meta {
	const char *key, *value;
};

struct trace {
	char *path;
	VEC(struct file_view) views; /* all mapped files */
	VEC(char *) files;	     /* their names, in the same order */
	VEC(struct store_block) blocks;
	VEC(struct store_stream) streams;
	VEC(struct store_module) modules;
	VEC(struct store_plan) plans;
	VEC(struct store_step) steps;
	VEC(char *) problems;
	char *meta; /* contents of the file, cut into the strings of meta_lines */
	VEC(struct store_meta) meta_lines;
	uint8_t *memory;   /* the blocks of a text trace that was opened directly */
	char *points_text; /* contents of points_on, cut into the texts of points */
	VEC(struct store_point) points;
	struct names names;
	struct map globals; /* address to index in global_names; 0 if ambiguous */
	VEC(const char *) global_names;
	VEC(struct store_range) benign; /* sorted by address; they do not overlap */
	bool has_schedule;
	const struct control_slice *slices; /* in the mapped file `schedule` */
	size_t slice_count;
};

/* Adds a message about damage: printf arguments, or a text that the trace takes ownership of. */
#define store_problem(trace, ...) store_add_problem(trace, mem_format(__VA_ARGS__))
void store_add_problem(struct trace *trace, char *text);

/* blocks.c: finds the blocks in a file of the log, or in the ring, and adds them. */
void store_scan_log(struct trace *trace, uint32_t file);
void store_scan_ring(struct trace *trace, uint32_t file);
/* Sorts all blocks into streams. */
void store_index_streams(struct trace *trace);

/*
 * Functions of cursor.c for point.c. store_cursor_is_text(): is the trace a text, and are its lines
 * `call` and `ret` points? store_cursor_ended(): the text of the `call` that the last event, a
 * `ret`, ended, or NULL. store_cursor_room(): a buffer that is valid until the next event.
 */
bool store_cursor_is_text(const struct trace_cursor *cursor, bool *calls_are_points);
const char *store_cursor_ended(const struct trace_cursor *cursor);
char *store_cursor_room(const struct trace_cursor *cursor, size_t bytes);
const struct trace *store_cursor_trace(const struct trace_cursor *cursor);

/* point_table.c: reads the table; finds a point by number, site or pc, or returns NULL. */
void store_load_points(struct trace *trace, const struct file_view *view);
void store_free_points(struct trace *trace);
const struct store_point *store_point(const struct trace *trace, uint64_t number);
const struct store_point *store_point_of_site(const struct trace *trace,
					      const struct wire_element *site);
const struct store_point *store_point_at(const struct trace *trace, uint64_t pc);

/* ---- ignored.c: accesses that the program asks sooth to ignore ------------------------------- */

/* The accesses of a stream that are ignored at the cursor's position. */
struct store_ignoring {
	bool any; /* false if no access can be ignored here */
	/* numbers of open "ignore reads" and "ignore writes" requests of the program */
	unsigned reads, writes;
};

void store_load_benign(struct trace *trace, const struct file_view *view);
/* Updates the state if the probe starts or stops ignoring. */
void store_update_ignoring(const struct trace *trace, struct store_ignoring *ignoring,
			   const struct trace_event *probe);
/* Sets EF_IGNORED if the access is to be ignored. */
void store_mark_ignored(const struct trace *trace, const struct store_ignoring *ignoring,
			struct trace_event *event);

/* schedule.c */
void store_load_schedule(struct trace *trace, const struct file_view *view);

/* modules.c: reads the tables; finds the module whose table contains a site, or NULL. */
void store_load_modules(struct trace *trace, const struct file_view *view);
void store_free_modules(struct trace *trace);
const struct store_module *store_module_of_site(const struct trace *trace,
						const struct wire_element *site);

/*
 * Returns the plan for a segment's header word, or NULL. `*last` is the index of the module that
 * had the previous plan. This module is tried first, because a stream stays in one module for a
 * long time.
 */
static inline const struct store_plan *store_find_plan(const struct trace *trace, uint32_t h,
						       size_t *last)
{
	size_t i = *last;

	for (size_t tried = 0; tried < trace->modules.count; tried++) {
		const struct store_module *m = &trace->modules.items[i];
		uint32_t at = h - (uint32_t)m->seg_address;

		if (at < m->seg_bytes) {
			*last = i;
			return m->rows[at / 4] ? &trace->plans.items[m->rows[at / 4] - 1] : NULL;
		}
		i = i + 1 < trace->modules.count ? i + 1 : 0;
	}
	return NULL;
}

#endif
