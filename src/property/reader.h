/*
 * Data that the files of this folder share while they walk a trace: prepared points, the current
 * event, and the resulting steps.
 *
 * reader.c walks the trace. For each event it asks points.c, accesses.c and locks.c which points
 * the event may match. These files use indices, so that points about other functions or addresses
 * cost nothing. match.c then tries these candidates one by one: slots, held locks, filters. Each
 * binding that matches becomes a property event.
 */
#ifndef PROPERTY_READER_H
#define PROPERTY_READER_H

#include "base/intern.h"
#include "base/map.h"
#include "property/program.h"
#include "property/property.h"
#include "property/raw_value.h"
#include "property/values.h"
#include "trace/order.h"
#include "trace/point.h"

/*
 * Reasons why it could not be decided whether a point matches. Each reason is reported once per
 * point, with the number of events.
 */
enum reader_doubt {
	DOUBT_UNKNOWN, /* a value was not recorded */
	DOUBT_CUT,     /* only the start of a string was recorded */
	DOUBT_NO_TEXT, /* the value should be a string, but is not one or could not be read */
	/* the value does not fit the type: for example a floating-point value for an integer */
	DOUBT_TYPE,
	DOUBT_FILTER,  /* the filter depends on an unknown value */
	DOUBT_ELEMENT, /* the object of an array element is not known */
	DOUBT_ARITY,   /* the call has more or fewer arguments than the point */
	DOUBTS
};

/*
 * A slice of a vector, mostly of `lists`: for example the points that one function, site or address
 * may match.
 */
struct reader_list {
	uint32_t start, count;
};

/* A point of a property, prepared for matching. */
struct reader_point {
	const struct spec_point *spec;
	const struct spec_event *event;
	uint32_t prop, number; /* index of the property; index of the event in it */
	bool starts;	       /* the point's event has a `new` clause */
	uint32_t tid, atomic;  /* locals `tid` and `atomic` if no point binds them, or SPEC_NONE */
	/* parameters that the filter mentions but the point does not bind */
	struct reader_list guesses;
	/* target o->f: the name of o's struct in access sites; otherwise NULL */
	const char *tag;
	struct reader_list ranges; /* target is a global: its addresses, a slice of `ranges` */
	const char *holding_tag;   /* like `tag`, for the lock in the `holding` clause */
	struct reader_list holding_ranges;
	/*
	 * The field's position in its struct, if the sites do not say which object the field
	 * belongs to; otherwise size 0.
	 */
	struct field_range {
		uint64_t offset, size;
	} field_range, holding_field_range;
	bool visible; /* something in the recording can match it: see not_recorded.c */
	uint64_t doubts[DOUBTS];
};

/* The values that the events of the whole run bind to a parameter, collected by the first walk. */
struct reader_known {
	struct map seen;
	VEC(uint32_t) numbers;
	/* the addresses of these values, sorted; computed after the first walk */
	VEC(uint64_t) addresses;
};

struct reader_property {
	const struct spec_property *property;
	uint32_t parameters; /* including the implicit ones that `o->*` adds */
	uint8_t *types;	     /* by parameter: enum spec_type */
	/* by parameter `o`: the implicit parameter that `o->*` adds, or SPEC_NONE */
	uint32_t *hidden;
	struct values values;
	/* by parameter; NULL unless some point needs the values that other events bind */
	struct reader_known *known;
	bool captures; /* the property has a grammar, which can read locals and function names */
};

/* The recorded event that is being matched, with data that depends on its kind. */
struct reader_happening {
	const struct trace_event *event;
	uint32_t thread; /* index of the thread's stream */
	uint64_t order;
	const struct trace_point *point; /* set for function points */
	uint64_t lock;			 /* set for lock operations */
	bool before;
};

/* A lock that a thread holds. */
struct reader_held {
	uint64_t address;
	uint32_t depth;
	bool shared;
	const struct wire_element *site; /* the site that acquired the lock */
};
struct reader_stream {
	VEC(struct reader_held) held;
	/* recursion depth of the mutex that the thread released to wait on a condition; else 0 */
	uint32_t waited;
	/* 1 + index of the stream's last event if that is a lock request, otherwise 0 */
	uint64_t last_request;
	uint64_t next_of_exit; /* 1 + index of the stream's last EXIT; 0 if there was none */
};

struct reader_step {
	struct property_step step;
	size_t bindings; /* start in `bindings` of the reader */
	size_t captured; /* start in `captured` of the reader */
};
struct reader_ending {
	uint32_t prop, value;
};

/* A range of addresses and the points about globals in it. */
struct reader_stretch {
	uint64_t low, high;
	struct reader_list points;
};
struct property_reader {
	const struct trace *trace;
	const struct trace *text; /* `trace` if it is a text trace, else NULL */
	struct trace_order *order;
	struct program *program; /* NULL for a text trace */
	uint64_t at;		 /* events read so far */
	bool first_walk, over;
	/* set by property_read(): keep all values, and produce no PROPERTY_GONE steps */
	bool keeps;
	bool objects; /* some parameter is an object, so allocations matter */
	VEC(struct reader_property) props;
	VEC(struct reader_point) points;
	VEC(uint32_t) lists;
	uint32_t *thread_of;
	struct reader_stream *streams;

	/* points.c */
	VEC(uint32_t) functions;
	/*
	 * key: the point's number, or the position of a call in a text trace; value: 1 + index in
	 * function_lists
	 */
	struct map rows;
	struct intern words; /* text traces: kind and name of each probe and point */
	VEC(uint32_t) word_lists;
	VEC(struct reader_list) function_lists;
	struct intern names; /* text traces: stream and variable, the keys of `memory` */
	/*
	 * text traces, for *name: the value that a thread last read or wrote; key: index in `names`
	 */
	struct map memory;
	bool has_pointed; /* some point has an argument *name */

	/* accesses.c */
	VEC(uint32_t) fields, globals, everywhere;
	/* key: site and point; value: 1 + offset of the base class in the derived struct */
	struct map bases;
	/* key: site, or address in a text trace; value: 1 + index in site_lists */
	struct map sites;
	VEC(struct reader_list) site_lists;
	struct map forms; /* key: site; value: enum raw_value_form of the accessed field */
	VEC(struct program_part) ranges;
	VEC(struct reader_stretch) stretches;

	/* locks.c */
	VEC(uint32_t) kinds[SPEC_POINT_JOIN + 1]; /* lock and thread points, by kind of point */
	/* some point is about locks or threads, or has `holding` */
	bool follows_locks;
	size_t held_count;

	/* match.c */
	VEC(uint32_t) candidates;
	struct property_raw *parameters, *locals; /* bound by the current match, if `known` */
	struct spec_value *parameter_values, *local_values;
	size_t most_locals; /* size of `locals`: the most locals of one event */
	uint32_t *chosen;   /* by parameter: index of the value that the current match binds */

	/* functions.c */
	struct functions *functions_known; /* NULL unless a property has a grammar */

	VEC(struct reader_step) queue;
	VEC(uint32_t) bindings;
	VEC(struct spec_value) captured;
	size_t queue_at;
	size_t anchor; /* the first step in the queue that belongs to the current event */
	VEC(struct reader_ending) ending; /* lifetimes that end after the current event */
	bool has_last;			  /* the last step was PROPERTY_GONE */
	struct property_step last;
};

static inline bool reader_is_access(const struct spec_point *p)
{
	return p->kind == SPEC_POINT_READ || p->kind == SPEC_POINT_WRITE;
}
static inline bool reader_is_function(const struct spec_point *p)
{
	return p->kind <= SPEC_POINT_PROBE;
}
static inline bool reader_is_lock(const struct spec_point *p)
{
	return p->kind >= SPEC_POINT_REQUEST && p->kind <= SPEC_POINT_RELEASE;
}

/* Opens a reader. `keeps`: see property_reader; only property_read() sets it. */
struct property_reader *reader_open(const struct trace *trace, struct spec_file *const *files,
				    size_t count, bool keeps);

/* Both *_find_candidates() functions add the points that the event may match to `candidates`. */
bool points_find_candidates(struct property_reader *reader, const struct trace_event *event,
			    struct trace_point *point);
/* Text traces: remembers the value that an access has read or written. */
void points_remember(struct property_reader *reader, const struct trace_event *event);
void accesses_find_candidates(struct property_reader *reader, const struct trace_event *event);
/* Updates the held locks and matches the points about locks and threads. */
void locks_match_event(struct property_reader *reader, struct reader_happening *happening);

/* Build and free the indices. */
void points_free(struct property_reader *reader);
void locks_prepare(struct property_reader *reader);
void accesses_prepare(struct property_reader *reader);
void accesses_free(struct property_reader *reader);

/* Does a function's linker name or demangled name match the glob? */
bool points_name_fits(const char *glob, const char *function);
/* Does this row of the recording's point table match the point? */
bool points_row_fits(const struct property_reader *r, const struct spec_point *spec,
		     const struct trace_point_row *row);
/*
 * Is the address inside the global that `target` names? `target` is the point's target or the lock
 * of its `holding` clause.
 */
bool accesses_in_target(const struct property_reader *reader, uint32_t point,
			const struct spec_target *target, uint64_t address);
/*
 * Returns the field in a site's path ("refs" of "table.refs") if the path belongs to the struct
 * `tag` and the field matches `wanted`; otherwise returns NULL.
 */
const char *accesses_field(const char *path, const char *tag, const char *wanted);
/*
 * Text traces. accesses_is_named(): is `name` the name of the global? accesses_split(): returns the
 * length of the object's name in the name of a field, "o->f", and sets `rest` to the field; 0 if
 * `name` is not the field `field`.
 */
bool accesses_is_named(const struct spec_target *target, const char *name);
size_t accesses_split(const char *name, const char *field, const char **rest);

/* An attempt to match one point with the current event: match.c. */
struct match {
	struct property_reader *reader;
	struct reader_point *point;
	const struct reader_happening *happening;
	uint32_t number; /* index of the point */
};
void match_candidates(struct property_reader *reader, const struct reader_happening *happening);
/*
 * These bind a slot or a parameter. They return false if the value does not fit. If that could not
 * be decided, they count a doubt and return false.
 */
bool match_slot(const struct match *m, const struct spec_argument *slot,
		const struct property_raw *raw);
bool match_parameter(const struct match *m, uint32_t parameter, uint32_t local,
		     const struct property_raw *raw);
bool match_doubt(const struct match *m, enum reader_doubt doubt);
uint8_t match_type(const struct match *m, uint32_t parameter);

/* Matches the part of a point that depends on its kind, and binds the values of its slots. */
bool points_match(const struct match *m);
bool accesses_match(const struct match *m);
bool locks_match(const struct match *m);
/* Matches the `holding` clause with a held lock, and binds the clause's parameter. */
bool locks_match_held(const struct match *m, const struct reader_held *held);

/* ---- functions.c: callee and caller of an event, for grammars -------------------------------- */

struct functions *functions_open(const struct trace *trace);
void functions_close(struct functions *functions);
/*
 * Both return UNKNOWN if the trace does not contain the name. The strings are valid until the next
 * event.
 */
struct spec_value functions_callee(const struct match *m);
struct spec_value functions_caller(const struct match *m);

/* Does the property have a grammar? A grammar can read locals that no filter uses. */
bool selection_captures(const struct spec_property *property);

/* Returns the line of a selection that requests a point about a function. The caller frees it. */
char *selection_line(const struct spec_property *property, const struct spec_point *point);

/* Call it after the last event: reports what was not recorded. The caller frees the strings. */
void not_recorded_report(struct property_reader *reader, uint32_t prop,
			 struct property_events *out);

/* ---- field_owners.c: objects of fields ------------------------------------------------------- */

/* Prepares a point about a field: the struct's name in sites, and the field's position in it. */
void field_owners_open_point(struct property_reader *reader, struct reader_point *point);

/*
 * For fields whose site does not say which object they belong to. Searches the objects that other
 * events bind for the one whose field, at `field_range`, contains `address`, and binds this object.
 * Returns false if there is none, and always during the first walk, which collects these objects.
 */
bool field_owners_match(const struct match *m, const struct spec_target *target,
			struct field_range field_range, uint64_t address);

/*
 * Does the site access a field of the point's class through a derived class? "Derived..refs" is
 * also `refs` of Base. Sets `field` to the field and `shift` to the offset of the base class.
 */
bool field_owners_find_base(struct property_reader *reader, const struct reader_point *point,
			    const struct wire_element *site, const char **field, uint64_t *shift);

bool field_owners_is_element(const struct property_reader *reader, const struct wire_element *site);

/* The field's path without the index in brackets; the caller frees it. */
char *field_owners_without_index(const char *path);

/* Does `path`, from a site, name the field or a part of it? */
bool accesses_path_fits(const char *field, const char *path);

#endif
