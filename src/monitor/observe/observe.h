/*
 * Judges properties on all runs of a trace: makes computations, walks their lattices, has the
 * violations checked.
 */
#ifndef MONITOR_OBSERVE_OBSERVE_H
#define MONITOR_OBSERVE_OBSERVE_H

#include "grammar/word.h"
#include "monitor/computation/computation.h"
#include "monitor/lattice/lattice.h"
#include "monitor/formula/subformulas.h"

/*
 * A schedule that starts in the middle of a trace: `start` says how far each stream has run before.
 * A stream that is not in `start` has not begun.
 */
struct observe_schedule {
	const struct event_id *start; /* a stream and the index of its next event */
	size_t start_count;
	const struct event_id *steps; /* each lets a stream run up to and including the event */
	size_t step_count;
};

struct observe_options {
	struct computation_options computation;
	uint64_t breadth; /* 0: all */
	uint64_t effort;  /* about how many successors to compute in a lattice; 0: no limit */
	bool count;	  /* count all runs and the violating ones */
	unsigned jobs;
	uint64_t memory; /* bytes for the levels of a lattice; 0: no limit */
	/* the files of the set's properties, for grammars */
	struct spec_file *const *files;
	size_t file_count;
	/* schedules of predicted findings: grammars are judged on them too */
	const struct observe_schedule *schedules;
	size_t schedule_count;
	/* by property of the set: the directory of its file, where plug-ins are searched */
	char *const *directories;
	void (*progress)(void *context, const char *property, uint64_t level, uint64_t levels,
			 uint64_t cuts);
	void *context;
};
/*
 * Default limits, with which even a wide lattice takes only a few seconds (`make bench-lattice`).
 */
#define OBSERVE_BREADTH 1000000u
#define OBSERVE_EFFORT 1000000000u

/*
 * A run as its monitor sees it, and what is true in each of its states, for the report. Empty if it
 * is too long to be shown, or for a plug-in.
 */
struct observe_states {
	VEC(struct event_id) steps;
	struct subformulas values;
};
#define OBSERVE_SHOWN 200u /* limit for the steps shown */

/* A word of a view, and what is wrong with it. */
struct observe_word {
	/*
	 * view thread: the thread; UINT32_MAX: the word of an object (`binding`) or the global word
	 */
	uint32_t stream;
	/* its `assertion` is NULL, because the tables are freed */
	struct grammar_violation violation;
	char *assertion; /* text of the failed assertion; NULL: something else is wrong */
	uint32_t line;	 /* line of the assertion in the property file */
	/* The last OBSERVE_SHOWN events of the session that is wrong. */
	VEC(struct event_id) session;
	uint64_t session_length;
};

struct observe_finding {
	const struct spec_property *property;
	uint32_t formula; /* number of the formula in the property, from 1 */
	bool observed;	  /* the recorded run violates it */
	bool at_end;	  /* violated by the end of the run */
	bool at_start;	  /* violated before anything happens: has no event */
	uint64_t count;
	VEC(struct property_value) binding; /* type OBSERVE_UNBOUND: not bound */
	computation_steps steps;	    /* the witness, from the start of the trace */
	VEC(struct event_id) run;	    /* its lattice events; the last one violates */
	struct event_id event;		    /* the violating event, mostly the last of `run` */
	bool before;	      /* the violation is at a request: the moment before `event` */
	VEC(uint32_t) events; /* the property events that happen at `event` */
	struct observe_states violating, recorded;
	struct observe_word *sentence; /* for a grammar; otherwise NULL */
};
#define OBSERVE_UNBOUND 0xff

/*
 * The lattices of a property, one for each instance, added up. If `property` is NULL: one lattice
 * of several properties.
 */
struct observe_lattice {
	const struct spec_property *property;
	uint32_t instances;
	uint64_t cuts, levels, widest, dropped, events, silent;
	bool counted;
	struct lattice_count runs, violating; /* violating: at least one of the formulas */
};

/* A formula that could not be judged, in some instance of its property. */
struct observe_unjudged {
	const struct spec_property *property;
	uint32_t formula; /* number of the formula in the property, from 1 */
	char *why;
};

struct observe_result {
	VEC(struct observe_finding) findings;
	VEC(struct observe_lattice) lattices;
	VEC(struct observe_unjudged) unjudged;
	/* which parts of the trace could not be used, which limits were reached */
	VEC(char *) notes;
	/* errors in sooth itself: why the checker rejected witnesses */
	VEC(char *) faults;
	bool forked; /* the trace is of a forked child: nothing is judged there */
	double seconds;
};

/* Is the formula judged here? Patterns are not. */
bool observe_judges(const struct spec_formula *formula);

bool observe_run(const struct trace *trace, const struct property_set *set,
		 const struct observe_options *options, struct observe_result *result,
		 struct err *err);
void observe_result_free(struct observe_result *result);

#endif
