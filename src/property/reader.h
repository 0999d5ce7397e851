/*
 * What the files of this folder share while they walk a trace: points made ready, what is happening,
 * what came of it.
 *
 * reader.c walks and asks points.c, accesses.c and locks.c which points an event may fit: each has
 * an index, so that the others cost nothing. match.c then tries these points one by one: slots, held
 * locks, filters, and a property event for each binding.
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

/* What kept a point from being decided; each is said once, with how often. */
enum reader_doubt {
	DOUBT_UNKNOWN, /* a value was not recorded */
	DOUBT_CUT,     /* a string is longer than what is kept */
	DOUBT_NO_TEXT, /* memory that could not be read, or is no string */
	DOUBT_TYPE,    /* a floating number for an integer, or so */
	DOUBT_FILTER,  /* depends on something that is not known */
	DOUBT_ELEMENT, /* an element of an array does not say whose it is */
	DOUBT_ARITY,   /* another number of arguments than the point names */
	DOUBTS
};

/* A list of numbers in `lists`: of points that one function, site or address may fit, … */
struct reader_list {
	uint32_t start, count;
};

/* A point of a property, ready to be matched. */
struct reader_point {
	const struct spec_point *spec;
	const struct spec_event *event;
	uint32_t slice, number;	    /* property; event in it */
	bool starts;		    /* its event has a `new` */
	uint32_t tid, atomic;	    /* locals that no slot binds, or SPEC_NONE */
	struct reader_list guesses; /* parameters that its filter names and it does not bind */
	const char *tag;	    /* o->f: the struct, as access sites call it; NULL: nobody's */
	struct reader_list ranges;  /* of a global, in `ranges` */
	const char *holding_tag;    /* the same for the lock held */
	struct reader_list holding_ranges;
	/* Where sites do not say whose field it is, its place in the struct; size 0: they do. */
	struct reader_place {
		uint64_t offset, size;
	} place, holding_place;
	bool visible; /* something in the recording can fit it: not_recorded.c */
	uint64_t doubts[DOUBTS];
};

/* Values that events bind to a parameter. */
struct reader_known {
	struct map seen;
	VEC(uint32_t) numbers;
	VEC(uint64_t) addresses; /* the same, sorted, once they are all known */
};

/* A property. */
struct reader_slice {
	const struct spec_property *property;
	uint32_t parameters; /* with those that `o->*` adds */
	uint8_t *types;	     /* enum spec_type of each */
	uint32_t *hidden;    /* by parameter: the one that its `o->*` adds, or SPEC_NONE */
	struct values values;
	struct reader_known *known; /* by parameter; NULL: no filter guesses */
	bool captures;		    /* it has a grammar, which sees locals and functions */
};

/* What happens: the recorded event and what its kind adds. */
struct reader_happening {
	const struct trace_event *event;
	uint32_t lane; /* position of the thread's stream */
	uint64_t order;
	const struct trace_point *point; /* functions */
	uint64_t lock;			 /* lock operations */
	bool before;
};

/* A lock that a thread has. */
struct reader_held {
	uint64_t address;
	uint32_t depth;
	bool shared;
	const struct wire_element *site; /* where it was taken */
};
struct reader_lane {
	VEC(struct reader_held) held;
	uint32_t waited; /* how deep it was in the mutex that it gave up to wait */
	uint64_t
		last_request; /* of the stream: 1 + index of its last event, if that asks for a lock */
	uint64_t next_of_exit; /* of the stream: the index behind the last EXIT; 0 none */
};

struct reader_step {
	struct property_step step;
	size_t bindings; /* in `bindings` */
	size_t captured; /* in `captured` */
};
struct reader_ending {
	uint32_t slice, value;
};

/* A stretch of addresses and the points about globals there. */
struct reader_stretch {
	uint64_t low, high;
	struct reader_list points;
};
struct property_reader {
	const struct trace *trace;
	const struct trace *text; /* the same if it is a text, else NULL */
	struct trace_order *order;
	struct program *program; /* NULL for a text */
	uint64_t at;		 /* events so far */
	bool first_walk, over;
	bool keeps;   /* for property_read: values stay, nobody asks which are gone */
	bool objects; /* allocations matter */
	VEC(struct reader_slice) slices;
	VEC(struct reader_point) points;
	VEC(uint32_t) lists;
	uint32_t *lane_of;
	struct reader_lane *lanes;

	/* points.c */
	VEC(uint32_t) functions;
	struct map rows;     /* a point's number, or a text's place: list + 1 in function_lists */
	struct intern words; /* texts: kind and function of probes and points */
	VEC(uint32_t) word_lists;
	VEC(struct reader_list) function_lists;
	struct intern names; /* texts: variables */
	struct map memory;   /* texts: what threads know of them, for *name: names to value */
	bool has_pointed;    /* some point has *name */

	/* accesses.c */
	VEC(uint32_t) fields, globals, everywhere;
	struct map bases; /* site and point: where the base class is in the struct, + 1 */
	struct map sites; /* site, or a text's address: list + 1 in site_lists */
	VEC(struct reader_list) site_lists;
	struct map forms; /* site: enum raw_value_form of its field */
	VEC(struct program_part) ranges;
	VEC(struct reader_stretch) stretches;

	/* locks.c */
	VEC(uint32_t) kinds[SPEC_POINT_JOIN + 1]; /* points of each kind: of locks and threads */
	bool follows_locks;			  /* there are such, or some `holding` */
	size_t held_count;

	/* match.c */
	VEC(uint32_t) candidates;
	struct property_raw *parameters, *locals; /* of the match that is tried; known: bound */
	struct spec_value *parameter_values, *local_values;
	size_t most_locals; /* of an event */
	uint32_t *chosen;   /* the values of its binding */

	/* functions.c */
	struct functions *functions_known; /* NULL: no grammar */

	VEC(struct reader_step) queue;
	VEC(uint32_t) bindings;
	VEC(struct spec_value) captured;
	size_t queue_at;
	size_t anchor; /* in the queue: the first step of the event that is looked at */
	VEC(struct reader_ending) ending; /* lives that end behind it */
	bool has_last;			  /* the last step said that a value is gone */
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

/* `keeps`: for property_read. */
struct property_reader *reader_open(const struct trace *trace, struct spec_file *const *files,
				    size_t count, bool keeps);

/* Each adds the points that the event may fit to `candidates`. */
bool points_look(struct property_reader *reader, const struct trace_event *event,
		 struct trace_point *point);
/* Texts: what an access leaves in memory. */
void points_remember(struct property_reader *reader, const struct trace_event *event);
void accesses_look(struct property_reader *reader, const struct trace_event *event);
/* Locks are followed, and their points are matched. */
void locks_see(struct property_reader *reader, struct reader_happening *happening);

/* At the start: their indices. */
void points_free(struct property_reader *reader);
void locks_prepare(struct property_reader *reader);
void accesses_prepare(struct property_reader *reader);
void accesses_free(struct property_reader *reader);

/* Does a function's name fit a glob: as the linker has it, or as C++ says it? */
bool points_name_fits(const char *glob, const char *function);
/* Is it a point that was on in the recording? */
bool points_row_fits(const struct property_reader *r, const struct spec_point *spec,
		     const struct trace_point_row *row);
/* Is an address in the global that the point's target, or its lock held, names? */
bool accesses_in_target(const struct property_reader *reader, uint32_t point,
			const struct spec_target *target, uint64_t address);
/* The field in a site's path, "table.refs", if it is one of the struct and is wanted; NULL. */
const char *accesses_field(const char *path, const char *tag, const char *wanted);
/* Texts: is that the global's name? How long is the object's name in a field's, "o->f"? 0: none. */
bool accesses_is_named(const struct spec_target *target, const char *name);
size_t accesses_split(const char *name, const char *field, const char **rest);

/* What a match is about: match.c. */
struct match {
	struct property_reader *reader;
	struct reader_point *point;
	const struct reader_happening *happening;
	uint32_t number; /* of the point */
};
void match_candidates(struct property_reader *reader, const struct reader_happening *happening);
/* Binds a slot or a parameter. False: it does not fit, and a doubt is counted where it may have. */
bool match_slot(const struct match *m, const struct spec_argument *slot,
		const struct property_raw *raw);
bool match_parameter(const struct match *m, uint32_t parameter, uint32_t local,
		     const struct property_raw *raw);
bool match_doubt(const struct match *m, enum reader_doubt doubt);
uint8_t match_type(const struct match *m, uint32_t parameter);

/* The part of a match that each kind of point does. */
bool points_match(const struct match *m);
bool accesses_match(const struct match *m);
bool locks_match(const struct match *m);
/* `holding`: binds a lock that is held. */
bool locks_match_held(const struct match *m, const struct reader_held *held);

/* ---- functions.c: who is called and who calls, for grammars ------------------------------------ */

struct functions *functions_open(const struct trace *trace);
void functions_close(struct functions *functions);
/* UNKNOWN where the trace does not tell. The texts are good until the next event. */
struct spec_value functions_callee(const struct match *m);
struct spec_value functions_caller(const struct match *m);

/* Is there a grammar among the formulas? Then locals are more than what filters ask. */
bool selection_captures(const struct spec_property *property);

/* The line of a selection that asks for a point about a function; to be freed. */
char *selection_line(const struct spec_property *property, const struct spec_point *point);

/* Behind the last event: what could not be seen. Texts are to be freed. */
void not_recorded_tell(struct property_reader *reader, uint32_t slice, struct property_events *out);

/* ---- field_owners.c --------------------------------------------------------------------------------- */

/* A point about a field is made ready: what sites call its struct, and where it is in that. */
void field_owners_open_point(struct property_reader *reader, struct reader_point *point);

/*
 * Binds the object that has the address in such a place, among those that other events bind: where
 * the site does not say whose it is. False: there is none, or this is the walk that finds them.
 */
bool field_owners_match(const struct match *m, const struct spec_target *target,
			struct reader_place place, uint64_t address);

/*
 * A field of a base class, seen as one of the class that inherits it: where the base class is in that.
 * "Derived..refs" is `refs` of a Base, too.
 */
bool field_owners_find_base(struct property_reader *reader, const struct reader_point *point,
			    const struct wire_element *site, const char **field, uint64_t *shift);

bool field_owners_is_element(const struct property_reader *reader, const struct wire_element *site);

/* The field without what stands in brackets behind it; to be freed. */
char *field_owners_whole(const char *path);

/* Is `path`, of a site, the field or a part of it? */
bool accesses_path_fits(const char *field, const char *path);

#endif
