/*
 * From a trace to the messages of computations: one computation for each property and instance, or
 * one for all events. doc/lattice.md, "Lattice events" to "Weak causality", is the specification.
 */
#ifndef MONITOR_COMPUTATION_COMPUTATION_H
#define MONITOR_COMPUTATION_COMPUTATION_H

#include "base/err.h"
#include "monitor/computation/label.h"
#include "monitor/computation/message.h"

enum computation_causality { COMPUTATION_WEAK, COMPUTATION_STRONG };
enum computation_events { COMPUTATION_RELEVANT, COMPUTATION_ALL };

struct computation_word {
	uint32_t property; /* index in the set */
	uint32_t object; /* the object's value; PROPERTY_NONE: a thread's word or the global word */
};

struct computation_options {
	uint8_t causality, events;
	/*
	 * If not NULL, only the views of these words are made. Otherwise no views are made of
	 * threads and of objects that only one thread uses: their words are the same in every run.
	 * Such a word needs a computation only for the witness of a violation in the recorded run.
	 */
	const struct computation_word *words;
	size_t word_count;
};

/*
 * One lattice: of a property, of an instance of a property, or, under `all`, of all properties
 * without parameters together.
 */
struct computation {
	VEC(uint32_t) properties; /* indices in the set */
	/* by parameter: a value or PROPERTY_NONE; empty without parameters */
	VEC(uint32_t) binding;
	/*
	 * The computation of a view, for the grammars of its one property. `binding` then holds
	 * only the view's object, or is empty for the global view.
	 */
	bool is_view;
	struct labels labels;
	VEC(struct message) messages; /* in the recorded order, which is one of the runs */
	uint32_t columns;
	uint64_t silent; /* number of messages that no monitor sees */
	void *owned;
};

struct computations {
	VEC(struct computation) list;
	VEC(char *) problems; /* texts: which parts of the trace could not be used */
	bool ended;	      /* the program exited normally and the recording is complete */
	void *owned;
};

/*
 * Makes the computations of all properties of the set that have a formula for the lattice, then
 * those of views. Instances in which nothing can be violated, because no event occurs that a
 * formula needs, may be left out. Returns false if the trace cannot be used.
 */
bool computations_read(const struct trace *trace, const struct property_set *set,
		       const struct computation_options *options, struct computations *out,
		       struct err *err);
void computations_free(struct computations *computations);

/*
 * A step of a schedule: lets a stream run up to and including the event `id`.
 * computation_schedule_run() makes the schedule of a run, given as the columns of its `count`
 * steps. Events that the run needs besides its lattice events come in between. The schedule ends
 * with the run's last step: under `all`, the rest of the trace is not added.
 */
struct computation_step {
	struct event_id id;
	/* index of the event's message; UINT32_MAX: only other events need this event */
	uint32_t message;
	/*
	 * The message is a request. It happens right before the event, and after everything that
	 * must come before it. The checker does not get it as a step.
	 */
	bool before;
};
typedef VEC(struct computation_step) computation_schedule;
/*
 * Steps as the checker plays them: each lets a stream run up to and including an event. A request
 * is not a step: its thread has made the request when it has run up to the previous event.
 */
typedef VEC(struct event_id) computation_steps;
/* Returns the index of the message at a position of a column. */
uint32_t computation_message(const struct computation *computation, uint32_t column,
			     uint32_t position);
/* Appends the indices of the messages of a run, given as the columns of its `count` steps. */
typedef VEC(uint32_t) computation_messages;
void computation_find_messages(const struct computation *computation, const uint32_t *columns,
			       size_t count, computation_messages *out);

void computation_schedule_run(const struct computation *computation, const uint32_t *columns,
			      size_t count, computation_schedule *out);

#endif
