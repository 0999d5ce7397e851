/* What the files of observe.h share: observe.c walks, observe_found.c makes findings of violations. */
#ifndef MONITOR_OBSERVE_OBSERVE_STATE_H
#define MONITOR_OBSERVE_OBSERVE_STATE_H

#include "monitor/observe/judge.h"
#include "monitor/observe/observe.h"
#include "monitor/grammar/grammar_claims.h"

/*
 * Events of a lattice at which runs violate a formula and for which a run is made and checked. That
 * there are more is said; without a checked run they are nothing that could be reported or counted.
 */
#define OBSERVE_RUNS_CHECKED 64u

/* A formula of one of the properties of a computation. */
struct observe_judged {
	uint32_t property; /* in the set */
	uint32_t number;   /* of the formula, from 1 */
	const struct spec_formula *formula;
	struct machine *machine;
};
typedef VEC(struct observe_judged) observe_judged_list;

/* A violation whose run was accepted, until all are grouped by their sites. */
struct observe_accepted {
	struct observe_finding finding;
	uint64_t site;
};

struct observe_state {
	const struct trace *trace;
	const struct property_set *set;
	const struct observe_options *options;
	struct observe_result *result;
	struct judge *judge;
	struct grammar_claims sentences;
	VEC(struct observe_accepted) accepted;
	const char *at; /* the property that is walked, for progress */
	bool ended;
};

const struct spec_property *observe_property(const struct observe_state *o, uint32_t number);
/* Says something once. */
void observe_note(struct observe_state *o, const struct spec_property *property, const char *text);
/* Says once of a formula why it is not judged. */
void observe_leave(struct observe_state *o, uint32_t property, uint32_t formula, const char *why);

/* ---- observe_found.c ------------------------------------------------------------------------- */

/* Has the violations of a walk checked; what is accepted is kept. */
void observe_take(struct observe_state *o, const struct computation *computation,
		  const observe_judged_list *judged, const struct lattice_result *walked);
/* The same for what grammars say of the recorded run; `more`: further computations of its words. */
void observe_take_recorded(struct observe_state *o, const struct computations *computations,
			   const struct computations *more);
/* Is one of the computations about the word? */
bool observe_has_word(const struct computations *computations, const struct grammar_found *found);
/* … and for grammars on the schedules of the options (observe_linear.c). */
void observe_take_schedules(struct observe_state *o);
/* Keeps a finding whose witness was accepted, or says what the checker said. */
void observe_settle(struct observe_state *o, struct observe_accepted *found, bool accepted,
		    const struct err *err);
/* One finding for each formula and site, into the result. */
void observe_group(struct observe_state *o);
void observe_finding_free(struct observe_finding *finding);

#endif
