/* What a struct trace is made of: shared by the files that load it and the cursor. */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/control.h"
#include "trace/names.h"
#include "trace/trace.h"

/* ---- blocks ------------------------------------------------------------------------------- */

struct store_block {
	const uint8_t *data; /* records */
	uint32_t bytes;
	uint32_t stream;
	uint32_t flags;
	bool cut; /* the file ends inside: whole records count, then the stream ends */
	bool from_ring;
	bool continues; /* a piece of the global log: time goes on from the piece before */
	uint64_t number;
	uint64_t time;
	uint64_t spare;
	uint64_t order;	 /* global pieces: where in the log */
	uint32_t file;	 /* index of the file, for messages */
	uint64_t offset; /* of the records in it */
};

struct store_stream {
	struct trace_stream about;
	uint32_t owner; /* trace_stream_owner() */
	const struct store_block *blocks;
	size_t count;
	char *gap; /* reading stops after the last block, and this says why; NULL: it ends there */
};

/* ---- the tables of a module, prepared ----------------------------------------------------- */

/* One element, its references resolved. */
struct store_step {
	uint8_t kind, flags, address_form, value_form;
	uint16_t size, address_slot, value_slot, address_at, value_at;
	uint64_t address; /* CONST: the address; SLOT: what to add */
	uint64_t value;
	const struct wire_element *site;
};

struct store_plan {
	uint32_t first; /* step */
	uint16_t count;
	uint16_t bytes; /* of payload */
	const char *function;
};

struct store_module {
	char *path;
	uint8_t *build_id;
	uint32_t build_id_bytes;
	uint64_t base, end;
	uint64_t seg_address, str_address;
	uint32_t seg_bytes, str_bytes;
	uint8_t *seg;	/* our copy, aligned */
	char *str;	/* our copy, with a NUL behind it */
	uint32_t *rows; /* seg_bytes / 4: plan + 1 of the row that starts there */
};

/* A point that was on: a line of points_on. */
struct store_point {
	struct wire_element site; /* stands for it in events */
	uint64_t pc;
	uint8_t kind, flags; /* of its row */
	uint16_t pointed;
	const char *types, *library, *name, *plain; /* library, plain: or NULL */
	const char *place;			    /* as a site's: "function TAB file" */
};

/* Memory where the program says that races are meant. */
struct store_range {
	uint64_t low, high;
};

struct store_meta {
	const char *key, *value;
};

struct trace {
	char *path;
	VEC(struct file_view) views; /* everything mapped */
	VEC(char *) files;	     /* their names, same order */
	VEC(struct store_block) blocks;
	VEC(struct store_stream) streams;
	VEC(struct store_module) modules;
	VEC(struct store_plan) plans;
	VEC(struct store_step) steps;
	VEC(char *) problems;
	char *meta; /* the file, cut into the strings of meta_lines */
	VEC(struct store_meta) meta_lines;
	uint8_t *memory;   /* the blocks of a text trace that was opened as it is */
	char *points_text; /* the file points_on, cut into the texts of points */
	VEC(struct store_point) points;
	struct names names;
	struct map globals; /* address to index + 1 in global_names, 0 ambiguous */
	VEC(const char *) global_names;
	VEC(struct store_range) benign; /* by address; they do not overlap */
	bool has_schedule;
	const struct control_run *runs; /* mapped */
	size_t run_count;
};

void store_problem(struct trace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* blocks.c: finds the blocks of a file of the log, or of the ring, and adds them. */
void store_scan_log(struct trace *trace, uint32_t file);
void store_scan_ring(struct trace *trace, uint32_t file);
/* Sorts all blocks into streams. */
void store_index_streams(struct trace *trace);

/*
 * cursor.c, for point.c. Is it a text, and are its `call` and `ret` lines points? The `call` that the
 * last event, a `ret`, ended, or NULL. Room for so many bytes, good until the next event.
 */
bool store_cursor_is_text(const struct trace_cursor *cursor, bool *calls_are_points);
const char *store_cursor_ended(const struct trace_cursor *cursor);
char *store_cursor_room(const struct trace_cursor *cursor, size_t bytes);
const struct trace *store_cursor_trace(const struct trace_cursor *cursor);

/* point_table.c: the point with a number, which a site stands for, which has a pc; or NULL. */
void store_load_points(struct trace *trace, const struct file_view *view);
void store_free_points(struct trace *trace);
const struct store_point *store_point(const struct trace *trace, uint64_t number);
const struct store_point *store_point_of_site(const struct trace *trace,
					      const struct wire_element *site);
const struct store_point *store_point_at(const struct trace *trace, uint64_t pc);

/* ---- benign.c: accesses that the program asks to leave alone ---- */

/* Where a stream stands. */
struct store_ignoring {
	bool any;		/* else there is nothing to look for */
	unsigned reads, writes; /* how often the program asked, and did not yet take it back */
};

void store_load_benign(struct trace *trace, const struct file_view *view);
/* A probe may begin or end it. */
void store_listen(const struct trace *trace, struct store_ignoring *ignoring,
		  const struct trace_event *probe);
/* Sets EF_IGNORED where it is so. */
void store_ignore(const struct trace *trace, const struct store_ignoring *ignoring,
		  struct trace_event *event);

/* schedule.c */
void store_load_schedule(struct trace *trace, const struct file_view *view);

/* modules.c */
void store_load_modules(struct trace *trace, const struct file_view *view);
void store_name_globals(struct trace *trace);
void store_free_modules(struct trace *trace);

/*
 * The plan of a segment's header word, or NULL. `*last` is the module that had the last one, and
 * is asked first: streams stay in a module for long.
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
