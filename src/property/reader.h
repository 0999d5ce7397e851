/*
 * Data that the files of this folder share while they walk a trace: prepared points, the current
 * event, and the resulting steps.
 *
 * reader.c walks the trace and asks points.c, accesses.c and locks.c which points an event may
 * match. Each has an index, so that points about other functions or addresses cost nothing. match.c
 * then tries these candidates one by one: slots, held locks, filters; each binding that matches
 * becomes a property event.
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
 * Why it could not be decided whether a point matches. Each reason is reported once per point, with
 * a count.
 */
enum reader_doubt {
	DOUBT_UNKNOWN, /* a value was not recorded */
	DOUBT_CUT,     /* a string is longer than what is kept */
	DOUBT_NO_TEXT, /* memory could not be read, or is not a string */
	DOUBT_TYPE,    /* for example a floating-point value for an integer */
	DOUBT_FILTER,  /* the filter depends on an unknown value */
	DOUBT_ELEMENT, /* the object of an array element is not known */
	DOUBT_ARITY,   /* the number of arguments differs from the point's */
	DOUBTS
};

/* A slice of `lists`: for example the points that one function, site or address may match. */
struct reader_list {
	uint32_t start, count;
};

/* A point of a property, prepared for matching. */
struct reader_point {
	const struct spec_point *spec;
	const struct spec_event *event;
	uint32_t prop, number; /* index of the property; index of the event in it */
	bool starts;	       /* its event has a `new` clause */
	uint32_t tid, atomic;  /* implicit locals that no slot binds, or SPEC_NONE */
	/* parameters that its filter mentions and the point does not bind */
	struct reader_list guesses;
	/* o->f: the name of the struct in access sites; NULL if there is none */
	const char *tag;
	struct reader_list ranges; /* of a global, in `ranges` */
	const char *holding_tag;   /* the same for the lock of `holding` */
	struct reader_list holding_ranges;
	/*
	 * Set if sites do not tell which object the field belongs to: the field's position in its
	 * struct. Size 0 if they do.
	 */
	struct field_range {
		uint64_t offset, size;
	} field_range, holding_field_range;
	bool visible; /* something in the recording can match it: see not_recorded.c */
	uint64_t doubts[DOUBTS];
};

/* The values that events bind to a parameter. */
struct reader_known {
	struct map seen;
	VEC(uint32_t) numbers;
	/* the same values' addresses, sorted, computed after the first walk */
	VEC(uint64_t) addresses;
};

/* A property. */
struct reader_property {
	const struct spec_property *property;
	uint32_t parameters; /* including those that `o->*` adds */
	uint8_t *types;	     /* enum spec_type of each */
	uint32_t *hidden;    /* by parameter: the parameter that its `o->*` adds, or SPEC_NONE */
	struct values values;
	/* by parameter; NULL unless some point needs the values that other events bind */
	struct reader_known *known;
	bool captures; /* it has a grammar, which can read locals and function names */
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
	const struct wire_element *site; /* where it was acquired */
};
struct reader_stream {
	VEC(struct reader_held) held;
	/* recursion depth of the mutex that the thread released to wait on a condition */
	uint32_t waited;
	uint64_t
		/* by stream: 1 + index of its last event if that is a lock request, otherwise 0 */
		last_request;
	uint64_t next_of_exit; /* by stream: 1 + index of the last EXIT; 0 if there was none */
};

struct reader_step {
	struct property_step step;
	size_t bindings; /* in `bindings` */
	size_t captured; /* in `captured` */
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
	/* for property_read(): all values are kept, PROPERTY_GONE steps are not needed */
	bool keeps;
	bool objects; /* some parameter is an object, so allocations matter */
	VEC(struct reader_property) props;
	VEC(struct reader_point) points;
	VEC(uint32_t) lists;
	uint32_t *thread_of;
	struct reader_stream *streams;

	/* points.c */
	VEC(uint32_t) functions;
	/* point number, or position of a call in a text trace: 1 + index in function_lists */
	struct map rows;
	struct intern words; /* text traces: kind and name of probes and points */
	VEC(uint32_t) word_lists;
	VEC(struct reader_list) function_lists;
	struct intern names; /* text traces: variables */
	/* text traces: the last value a thread read or wrote, for *name; key: index in `names` */
	struct map memory;
	bool has_pointed; /* some point uses *name */

	/* accesses.c */
	VEC(uint32_t) fields, globals, everywhere;
	struct map bases; /* site and point: 1 + offset of the base class in the struct */
	struct map sites; /* site, or address in a text trace: 1 + index in site_lists */
	VEC(struct reader_list) site_lists;
	struct map forms; /* site: enum raw_value_form of its field */
	VEC(struct program_part) ranges;
	VEC(struct reader_stretch) stretches;

	/* locks.c */
	VEC(uint32_t) kinds[SPEC_POINT_JOIN + 1]; /* points by kind: lock and thread operations */
	/* some point is about locks or threads, or has `holding` */
	bool follows_locks;
	size_t held_count;

	/* match.c */
	VEC(uint32_t) candidates;
	struct property_raw *parameters, *locals; /* of the current match; `known`: bound */
	struct spec_value *parameter_values, *local_values;
	size_t most_locals; /* the maximum per event */
	uint32_t *chosen;   /* the values of its binding */

	/* functions.c */
	struct functions *functions_known; /* NULL unless a property has a grammar */

	VEC(struct reader_step) queue;
	VEC(uint32_t) bindings;
	VEC(struct spec_value) captured;
	size_t queue_at;
	size_t anchor; /* the first step in the queue that belongs to the current event */
	VEC(struct reader_ending) ending; /* lifetimes that end after it */
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

/* `keeps` is set by property_read(). */
struct property_reader *reader_open(const struct trace *trace, struct spec_file *const *files,
				    size_t count, bool keeps);

/* Each adds the points that the event may match to `candidates`. */
bool points_find_candidates(struct property_reader *reader, const struct trace_event *event,
			    struct trace_point *point);
/* Text traces: remembers the value that an access leaves in memory. */
void points_remember(struct property_reader *reader, const struct trace_event *event);
void accesses_find_candidates(struct property_reader *reader, const struct trace_event *event);
/* Tracks which locks are held and matches the points about locks and threads. */
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
/* Is the address in the global that the point's target, or its held lock, names? */
bool accesses_in_target(const struct property_reader *reader, uint32_t point,
			const struct spec_target *target, uint64_t address);
/*
 * Returns the field in a site's path, "refs" of "table.refs", if it belongs to the struct `tag` and
 * matches `wanted`; otherwise NULL.
 */
const char *accesses_field(const char *path, const char *tag, const char *wanted);
/*
 * Text traces: is this the name of the global? How long is the object's name in the name of a
 * field, "o->f"? 0 if it is not the field.
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
 * Bind a slot or a parameter. They return false if the value does not fit, and count a doubt if
 * that could not be decided.
 */
bool match_slot(const struct match *m, const struct spec_argument *slot,
		const struct property_raw *raw);
bool match_parameter(const struct match *m, uint32_t parameter, uint32_t local,
		     const struct property_raw *raw);
bool match_doubt(const struct match *m, enum reader_doubt doubt);
uint8_t match_type(const struct match *m, uint32_t parameter);

/* The part of matching that depends on the kind of the point. */
bool points_match(const struct match *m);
bool accesses_match(const struct match *m);
bool locks_match(const struct match *m);
/* `holding`: binds a lock that is held. */
bool locks_match_held(const struct match *m, const struct reader_held *held);

/* ---- functions.c: callee and caller of an event, for grammars -------------------------------- */

struct functions *functions_open(const struct trace *trace);
void functions_close(struct functions *functions);
/* UNKNOWN if the trace does not say. The strings are valid until the next event. */
struct spec_value functions_callee(const struct match *m);
struct spec_value functions_caller(const struct match *m);

/* Does the property have a grammar? A grammar can read locals that no filter uses. */
bool selection_captures(const struct spec_property *property);

/* The line in a selection that asks for a point about a function; the caller frees it. */
char *selection_line(const struct spec_property *property, const struct spec_point *point);

/* Call it after the last event: reports what was not recorded. The caller frees the strings. */
void not_recorded_report(struct property_reader *reader, uint32_t prop,
			 struct property_events *out);

/* ---- field_owners.c: objects of fields ------------------------------------------------------- */

/* Prepares a point about a field: the struct's name in sites, and the field's position in it. */
void field_owners_open_point(struct property_reader *reader, struct reader_point *point);

/*
 * For fields whose site does not tell the object: binds the object that has `address` in `place`,
 * among the objects that other events bind. Returns false if there is none, or during the first
 * walk, which collects these objects.
 */
bool field_owners_match(const struct match *m, const struct spec_target *target,
			struct field_range field_range, uint64_t address);

/*
 * Is the site an access to a field of the point's class through a class derived from it?
 * "Derived..refs" is also `refs` of Base. Sets the field and the offset of the base class.
 */
bool field_owners_find_base(struct property_reader *reader, const struct reader_point *point,
			    const struct wire_element *site, const char **field, uint64_t *shift);

bool field_owners_is_element(const struct property_reader *reader, const struct wire_element *site);

/* The field's path without the index in brackets; the caller frees it. */
char *field_owners_without_index(const char *path);

/* Is `path`, from a site, the field or a part of it? */
bool accesses_path_fits(const char *field, const char *path);

#endif
