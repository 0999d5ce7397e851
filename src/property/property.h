/*
 * The events of properties in a trace: doc/properties.md is the law.
 *
 * property_read walks all streams once and keeps, for each property, what its points match, in the
 * trace's order (trace/order.h), with bindings and lives. Patterns, monitors and grammars work on
 * this; none of them looks at the trace for its events.
 */
#ifndef PROPERTY_PROPERTY_H
#define PROPERTY_PROPERTY_H

#include "base/vec.h"
#include "spec/spec.h"
#include "trace/trace.h"

#define PROPERTY_NONE UINT32_MAX

/* A value that a parameter has somewhere in the run. Two lives of one address are two values. */
struct property_value {
	uint8_t type; /* enum spec_type */
	uint64_t bits;
	const char *text; /* STRING: its content; what a text trace calls it; NULL otherwise */
	uint32_t length;
	uint32_t life; /* 0, or how often its address has begun to live again */
	/* Set where `new` or `end` bounds the life: events stay between (doc/properties.md). */
	bool has_born, has_dead;
	struct event_id born, dead;
};

/* Behind the locals in what is captured: their places from there. */
enum property_captured { PROPERTY_CALLEE, PROPERTY_CALLER, PROPERTY_TID, PROPERTY_CAPTURED_MORE };

/* A property event. */
struct property_event {
	struct event_id id; /* its anchor */
	bool before;	    /* the moment before the anchor: a request */
	bool may_be_next;   /* a read of which nothing was asked: see "The last read" */
	uint8_t kind;	    /* enum event_kind of the anchor */
	uint32_t event;	    /* of the property */
	uint32_t bindings;  /* start in `bindings`: `parameters` numbers of values, or NONE */
	uint32_t captured;  /* start in `captured`, of properties with a grammar */
	uint64_t site;	    /* code site, trace_event_site: equal sites are one finding */
	uint64_t order;	    /* place in the recorded order: only to sort by */
};

struct property_events {
	const struct spec_property *property;
	/*
	 * Numbers in each binding: the property's parameters, and behind them one for each parameter
	 * that is used as `o->*`: the field, so that the events of one match are about the same.
	 */
	uint32_t parameters;
	VEC(struct property_event) events; /* by `order` */
	VEC(uint32_t) bindings;
	VEC(struct property_value) values;
	/*
	 * With a grammar, for each event what it carries beside parameters: the value of each local of
	 * its spec_event, then PROPERTY_CALLEE and PROPERTY_CALLER, names of functions, and
	 * PROPERTY_TID, the thread (of a signal handler the one that it interrupts). UNKNOWN: no point
	 * that fits here binds it; with `cut` one does, and its value was not recorded, so that nothing
	 * may be concluded from it. TEXT with `cut`: only the beginning was.
	 */
	VEC(struct spec_value) captured;
	/* what could not be seen, in words: each makes the property's silence no proof */
	VEC(char *) unseen;
	VEC(uint32_t) blind;	/* events none of whose points could be seen */
	VEC(uint32_t) withheld; /* those of `blind` that the program has something for */
	/* events of which some occurrence may be missing: each that a text of `unseen` is about.
	 * A pattern only misses matches by that; a formula can be violated by it. */
	VEC(uint32_t) doubtful;
};

struct property_set {
	VEC(struct property_events) properties;
	VEC(char *) texts; /* what values point at */
};

/*
 * Reads the events of all properties of the files. `err`: the trace cannot be read at all. What is
 * damaged at its end is read as far as it goes, as everywhere.
 */
bool property_read(const struct trace *trace, struct spec_file *const *files, size_t count,
		   struct property_set *set, struct err *err);
void property_set_free(struct property_set *set);
void property_events_free(struct property_events *events); /* of one that is in no set */

/* ---- one after the other ---------------------------------------------------------------------- */

/*
 * The same without keeping anything: what monitors of a long run want. Time is linear in the
 * events; memory is that of the values that live. A value's number may be given to another one
 * after the step that says it is gone, unless somebody holds it.
 */
struct property_reader;

enum property_step_kind {
	PROPERTY_HAPPENED, /* an event */
	PROPERTY_GONE,	   /* a value's life is over: no later event binds it */
};
struct property_step {
	uint8_t kind;
	uint32_t property;	     /* which, in the order of the files */
	struct property_event event; /* HAPPENED; its `bindings` has no meaning here */
	const uint32_t *bindings; /* HAPPENED: numbers of values, or NONE, as in property_events */
	uint32_t value;		  /* GONE */
	/* HAPPENED, of properties with a grammar: as `captured` of property_events; else NULL */
	const struct spec_value *captured;
};

struct property_reader *property_reader_open(const struct trace *trace,
					     struct spec_file *const *files, size_t count);
void property_reader_close(struct property_reader *reader);

/*
 * The next step; its pointers are good until the next call. In the order of the events. False at
 * the end.
 */
bool property_reader_next(struct property_reader *reader, struct property_step *step);

size_t property_reader_count(const struct property_reader *reader); /* of properties */
/* How many numbers a binding of the property has: see property_events. */
uint32_t property_reader_parameters(const struct property_reader *reader, uint32_t property);
const struct property_value *property_reader_value(const struct property_reader *reader,
						   uint32_t property, uint32_t value);
/*
 * Behind the last step: what could not be seen, as in property_events (unseen, blind, withheld and
 * doubtful; events and values stay empty). To be freed with property_events_free.
 */
void property_reader_unseen(struct property_reader *reader, uint32_t property,
			    struct property_events *out);
/* A value that is held keeps its number beyond its life, until it is let go as often. */
void property_reader_hold(struct property_reader *reader, uint32_t property, uint32_t value);
void property_reader_let_go(struct property_reader *reader, uint32_t property, uint32_t value);

/* ---- before a run --------------------------------------------------------------------------- */

/* The selection (event/point.h) that the files' points need; to be freed. "" when none is needed. */
char *property_selection(struct spec_file *const *files, size_t count);

/* Names of a program for spec_check, from its ELF file; freed with property_names_close. */
struct property_names;
struct property_names *property_names_open(const char *program, struct err *err);
void property_names_close(struct property_names *names);
struct spec_names property_names(struct property_names *names);

#endif
