/*
 * The events of properties in a trace, as doc/properties.md defines them.
 *
 * property_read() walks all streams once and keeps, for each property, the events that its points
 * match, in the trace's order (trace/order.h), with their bindings and lifetimes. Patterns,
 * monitors and grammars work on this list and never search the trace for their events.
 */
#ifndef PROPERTY_PROPERTY_H
#define PROPERTY_PROPERTY_H

#include "base/vec.h"
#include "spec/spec.h"
#include "trace/trace.h"

#define PROPERTY_NONE UINT32_MAX

/* A value of a parameter in the run. Two lifetimes of one address are two values. */
struct property_value {
	uint8_t type; /* enum spec_type */
	uint64_t bits;
	/*
	 * STRING: the content. Other types: the object's name in a text trace, NULL in a recording
	 */
	const char *text;
	uint32_t length;
	uint32_t life; /* number of earlier lifetimes at this address */
	/*
	 * Set if the lifetime starts at an event with `new` (`born`) or ends at one with `end` or
	 * `new` (`dead`). Events that bind the value must stay between the two (doc/properties.md).
	 */
	bool has_born, has_dead;
	struct event_id born, dead;
};

/* Indices of the captured values that follow the locals. */
enum property_captured { PROPERTY_CALLEE, PROPERTY_CALLER, PROPERTY_TID, PROPERTY_CAPTURED_MORE };

/* A property event. */
struct property_event {
	struct event_id id; /* the anchor: the recorded event that matched */
	/* the property event is a lock request, which happens just before the anchor */
	bool before;
	/* a read whose value does not matter: see "The last read" in doc/properties.md */
	bool may_be_next;
	uint8_t kind;	/* enum event_kind of the anchor */
	uint32_t event; /* number of the spec_event in its property */
	/*
	 * Start of the binding in `bindings` of property_events. A binding has `parameters`
	 * entries; each is the index of a value, or PROPERTY_NONE.
	 */
	uint32_t bindings;
	uint32_t captured; /* start in `captured`; only for properties with a grammar */
	uint64_t site;	   /* trace_event_site(): events at equal sites give one finding */
	uint64_t order;	   /* position in the recorded order, for sorting only */
};

struct property_events {
	const struct spec_property *property;
	/*
	 * Number of entries in each binding: one for each parameter of the property, followed by
	 * one for each parameter that is used as `o->*`. The additional entry is the accessed
	 * field, so that all events of one match are about the same field.
	 */
	uint32_t parameters;
	VEC(struct property_event) events; /* sorted by `order` */
	VEC(uint32_t) bindings;
	VEC(struct property_value) values;
	/*
	 * Only for properties with a grammar: the values that an event has in addition to its
	 * parameters. First the value of each local of its spec_event. Then PROPERTY_CALLEE and
	 * PROPERTY_CALLER (names of functions), and PROPERTY_TID (the thread; for a signal handler,
	 * the interrupted thread). A value that is UNKNOWN was bound by none of the points that
	 * matched. A value that is UNKNOWN with `cut` set was bound, but not recorded, so nothing
	 * may be concluded from it. If TEXT has `cut` set, only its start was recorded.
	 */
	VEC(struct spec_value) captured;
	/* messages about what was not recorded; if there is any, "no finding" proves nothing */
	VEC(char *) unseen;
	VEC(uint32_t) blind;	/* events none of whose points was recorded */
	VEC(uint32_t) withheld; /* subset of `blind`: the program may have executed the event */
	/*
	 * Events of which an occurrence may be missing: all events that a message in `unseen`
	 * mentions. If an occurrence is missing, a pattern can only fail to match, but a formula
	 * may look violated although it holds.
	 */
	VEC(uint32_t) doubtful;
};

struct property_set {
	VEC(struct property_events) properties;
	VEC(char *) texts; /* owns the strings of the values */
};

/*
 * Reads the events of all properties of the files. Fails with `err` only if there are too many
 * events to count. If the trace is damaged at its end, reads the part before the damage.
 */
bool property_read(const struct trace *trace, struct spec_file *const *files, size_t count,
		   struct property_set *set, struct err *err);
void property_set_free(struct property_set *set);
void property_events_free(struct property_events *events); /* for events that are in no set */

/* ---- one event at a time --------------------------------------------------------------------- */

/*
 * Reads the events one at a time, without storing them: for monitors of long runs. Time is linear
 * in the number of events. Memory depends on the number of live values. After the PROPERTY_GONE
 * step of a value its index may be reused for another value.
 */
struct property_reader;

enum property_step_kind {
	PROPERTY_HAPPENED, /* an event */
	PROPERTY_GONE,	   /* the lifetime of a value is over: no later event binds it */
};
struct property_step {
	uint8_t kind;
	uint32_t property;	     /* index of the property, counted over all files */
	struct property_event event; /* HAPPENED; its `bindings` is not used here */
	const uint32_t *bindings;    /* HAPPENED: as in property_events */
	uint32_t value;		     /* GONE: index of the value */
	/*
	 * HAPPENED: the captured values, see property_events; NULL if the property has no grammar
	 */
	const struct spec_value *captured;
};

struct property_reader *property_reader_open(const struct trace *trace,
					     struct spec_file *const *files, size_t count);
void property_reader_close(struct property_reader *reader);

/*
 * Reads the next step, in the order of the events. Its pointers are valid until the next call.
 * Returns false at the end.
 */
bool property_reader_next(struct property_reader *reader, struct property_step *step);

const struct property_value *property_reader_value(const struct property_reader *reader,
						   uint32_t property, uint32_t value);
/*
 * Call it after the last step: sets unseen, blind, withheld and doubtful as in property_events
 * (events and values stay empty). Free the result with property_events_free().
 */
void property_reader_unseen(struct property_reader *reader, uint32_t property,
			    struct property_events *out);

/* ---- before a run ---------------------------------------------------------------------------- */

/* The selection (event/point.h) that the files' points need; "" if none. The caller frees it. */
char *property_selection(struct spec_file *const *files, size_t count);

/* The names of a program for spec_check(), from its ELF file. */
struct property_names;
struct property_names *property_names_open(const char *program, struct err *err);
void property_names_close(struct property_names *names);
struct spec_names property_names(struct property_names *names);

#endif
