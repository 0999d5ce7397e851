/*
 * Shared by the files that implement observe.h: observe.c walks, observe_found.c makes findings
 * from violations.
 */
#ifndef MONITOR_OBSERVE_OBSERVE_STATE_H
#define MONITOR_OBSERVE_OBSERVE_STATE_H

#include "monitor/observe/judge.h"
#include "monitor/observe/observe.h"
#include "monitor/grammar/grammar_formulas.h"

/*
 * For each formula, at most this many violating events of a lattice get a run, which is checked. If
 * there are more, a note says so. Events without a checked run are neither reported nor counted.
 */
#define OBSERVE_RUNS_CHECKED 64u

/* A formula of one of the properties of a computation. */
struct observe_judged {
	uint32_t property; /* index in the set */
	uint32_t number;   /* number of the formula in the property, from 1 */
	const struct spec_formula *formula;
	struct machine *machine;
};
typedef VEC(struct observe_judged) observe_judged_list;

/* A violation whose run was accepted, until all are grouped by site. */
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
	struct grammar_formulas grammars;
	VEC(struct observe_accepted) accepted;
	const char *at; /* the property whose lattice is walked, for progress */
	bool ended;
};

const struct spec_property *observe_property(const struct observe_state *o, uint32_t number);
/* Adds a note, once. */
void observe_note(struct observe_state *o, const struct spec_property *property, const char *text);

/* ---- observe_found.c and observe_linear.c ---------------------------------------------------- */

/* Has the violations of a walk checked, and keeps those that are accepted. */
void observe_check_violations(struct observe_state *o, const struct computation *computation,
			      const observe_judged_list *judged,
			      const struct lattice_result *walked);
/*
 * Has the violations of grammars in the recorded run checked, and keeps those that are accepted.
 * `more`: computations of words that are not in `computations`.
 */
void observe_check_recorded(struct observe_state *o, const struct computations *computations,
			    const struct computations *more);
/* Is the word in one of the computations? */
bool observe_has_word(const struct computations *computations, const struct grammar_found *found);
/* Has the violations of grammars on the schedules of the options checked (observe_linear.c). */
void observe_check_schedules(struct observe_state *o);
/* Keeps a finding whose witness was accepted, or records what the checker said. */
void observe_add_finding(struct observe_state *o, struct observe_accepted *found, bool accepted,
			 const struct err *err);
/* Puts one finding for each formula and site into the result. */
void observe_group_by_site(struct observe_state *o);
void observe_finding_free(struct observe_finding *finding);

#endif
