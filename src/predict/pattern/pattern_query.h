/* A choice of events as a question to the solver, and what becomes of the answer. */
#ifndef PREDICT_PATTERN_PATTERN_QUERY_H
#define PREDICT_PATTERN_PATTERN_QUERY_H

#include "predict/pattern/pattern_join.h"

typedef VEC(uint32_t) node_list;

struct pattern_asker {
	struct analysis *analysis;
	const struct scene *scene;
	const struct pattern_formula *formula;
	struct order_query query;
	uint32_t *required;	/* by thread */
	node_list fixed, whole; /* nodes whose order is kept; room for the recorded order */
	/* of the present choice */
	const struct pattern_form *form;
	const uint32_t *events;
	int32_t inside[FORM_LEAVES]; /* literals, 0: not made */
	bool born;		     /* a life begins in the window */
};

void pattern_asker_open(struct pattern_asker *asker, struct analysis *analysis,
			const struct scene *scene, const struct pattern_formula *formula);
void pattern_asker_close(struct pattern_asker *asker);

/* Is the recorded order a match? */
bool pattern_is_observed(struct pattern_asker *asker, const struct join_choice *choice);
/* Then it is claimed as observed. */
void pattern_claim_observed(struct pattern_asker *asker, const struct join_choice *choice,
			    uint64_t key);
/* Asks whether some feasible prefix is one, and claims it. */
enum order_answer pattern_query(struct pattern_asker *asker, const struct join_choice *choice,
				uint64_t key);

#endif
