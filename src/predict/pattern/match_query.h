/* Turns a choice of events into a query, and the solver's answer into a claim. */
#ifndef PREDICT_PATTERN_MATCH_QUERY_H
#define PREDICT_PATTERN_MATCH_QUERY_H

#include "predict/driver/node_query.h"
#include "predict/pattern/pattern_join.h"

typedef VEC(uint32_t) node_list;

struct match_query {
	struct analysis *analysis;
	const struct pattern_view *view;
	const struct pattern_formula *formula;
	struct node_query query;
	/* fixed: nodes whose order the witness keeps; whole: scratch for the recorded order */
	node_list fixed, whole;
	/* the present choice */
	const struct pattern_form *form;
	const uint32_t *events;
	/* by leaf: the literal "its anchor is inside"; 0: not created */
	int32_t inside[FORM_LEAVES];
	bool born; /* a lifetime begins in the window */
};

void match_query_open(struct match_query *query, struct analysis *analysis,
		      const struct pattern_view *view, const struct pattern_formula *formula);
void match_query_close(struct match_query *query);

/* Is the recorded order a match? */
bool match_query_is_observed(struct match_query *query, const struct join_choice *choice);
/* Adds the claim that the recorded order is a match. */
void match_query_claim_observed(struct match_query *query, const struct join_choice *choice,
				uint64_t key);
/* Asks whether some feasible prefix is a match. If so, adds the claim. */
enum order_answer match_query_ask(struct match_query *query, const struct join_choice *choice,
				  uint64_t key);

#endif
