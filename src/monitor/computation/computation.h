/*
 * From a trace to the messages of computations: one for each property and instance, or one for all
 * events. doc/lattice.md, "Lattice events" to "Weak causality".
 */
#ifndef MONITOR_COMPUTATION_COMPUTATION_H
#define MONITOR_COMPUTATION_COMPUTATION_H

#include "base/err.h"
#include "monitor/computation/label.h"
#include "monitor/computation/message.h"

enum computation_causality { COMPUTATION_WEAK, COMPUTATION_STRONG };
enum computation_events { COMPUTATION_RELEVANT, COMPUTATION_ALL };

struct computation_word {
	uint32_t property; /* in the set */
	uint32_t object;   /* a value; PROPERTY_NONE: a thread's or everybody's */
};

struct computation_options {
	uint8_t causality, events;
	/*
	 * Nothing but the views of these words. Otherwise views of threads and of objects that one
	 * thread uses are left out: their words are the same in every run, and only a violation of the
	 * recorded one needs a computation for its witness.
	 */
	const struct computation_word *words;
	size_t word_count;
};

/*
 * One lattice: of a property, of an instance of it, or under `all` of all properties without
 * parameters together.
 */
struct computation {
	VEC(uint32_t) properties; /* numbers in the set */
	VEC(uint32_t) binding; /* by parameter: a value, PROPERTY_NONE; empty without parameters */
	/*
	 * Of a view, for the grammars of its one property. `binding` has then only the view's object,
	 * or is empty: everything.
	 */
	bool is_view;
	struct labels labels;
	VEC(struct message) messages; /* in the recorded order, which is one of its runs */
	uint32_t columns;
	uint64_t silent; /* messages that no monitor sees */
	void *owned;
};

struct computations {
	VEC(struct computation) list;
	VEC(char *) problems; /* what of the trace could not be used, in words */
	bool ended; /* the program ended by itself and nothing of the recording is missing */
	void *owned;
};

/*
 * The computations of all properties of the set that have a formula for the lattice, and behind them
 * those of views. Instances that cannot violate anything
 * (no event that a formula needs) may be left out. False: nothing can be done with the trace.
 */
bool computations_read(const struct trace *trace, const struct property_set *set,
		       const struct computation_options *options, struct computations *out,
		       struct err *err);
void computations_free(struct computations *computations);

/*
 * The schedule of a run: `columns` of its steps, `count` of them, as the checker wants it: each step
 * lets a stream run up to and including an event; what the run needs beside its lattice events stands
 * between them. With `all` what is left of the trace in the recorded order where it can follow is not
 * added: the schedule ends with the last step.
 */
struct computation_step {
	struct event_id id;
	uint32_t message; /* the message that it belongs to, or UINT32_MAX: only needed */
	/*
	 * The message is a request: its moment is here, before the event, and this is no step for
	 * the checker. What must have happened before stands in front of it.
	 */
	bool before;
};
typedef VEC(struct computation_step) computation_schedule;
/*
 * As the checker plays them: up to and including an event. In front of a request its thread runs on up to
 * the event before: there it stands when it makes the request.
 */
typedef VEC(struct event_id) computation_steps;
void computation_schedule_run(const struct computation *computation, const uint32_t *columns,
			      size_t count, computation_schedule *out);

#endif
