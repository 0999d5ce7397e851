/* Properties judged on all runs of a trace: computations, their lattices, checked findings. */
#ifndef MONITOR_OBSERVE_H
#define MONITOR_OBSERVE_H

#include "monitor/computation.h"
#include "monitor/lattice.h"

struct observe_options {
	struct computation_options computation;
	uint64_t breadth; /* 0: all */
	bool count;
	unsigned jobs;
	double seconds;	       /* 0: no limit */
	const char *directory; /* where plug-ins are looked for, of a file given with -p */
	void (*progress)(void *context, const char *property, uint64_t level, uint64_t levels,
			 uint64_t cuts);
	void *context;
};

/* A state of a run as it is shown: the value of each subformula there. */
struct observe_finding {
	const struct spec_property *property;
	uint32_t formula; /* of the property, from 1 */
	bool observed, at_end;
	uint64_t count;
	VEC(struct property_value) binding; /* as in struct finding */
	VEC(struct property_id) steps;	    /* the witness, from the start of the trace */
	VEC(struct property_id) run;	    /* its lattice events: the last one violates */
	struct property_id event;	    /* of the violation; at_end: of the last event */
	VEC(uint32_t) events;		    /* property events that happen there */
};
struct observe_lattice {
	const struct spec_property *property;
	uint32_t instances; /* lattices of it */
	uint64_t cuts, levels, widest, dropped, events, silent;
	bool counted;
	struct lattice_count runs, violating; /* of all its instances; of any of its formulas */
};
struct observe_result {
	VEC(struct observe_finding) findings;
	VEC(struct observe_lattice) lattices;
	VEC(char *) notes;    /* limits that were met, formulas that could not be judged */
	VEC(char *) problems; /* of the trace */
	VEC(char *) faults;   /* of ours: what the checker said of refused witnesses */
	double seconds;
};

bool observe_run(const struct trace *trace, const struct property_set *set,
		 const struct observe_options *options, struct observe_result *result,
		 struct err *err);
void observe_result_free(struct observe_result *result);

#endif
