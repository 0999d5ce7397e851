/* Words of grammars: what is wrong with one, and the session in which it goes wrong. */
#ifndef REPORT_GRAMMAR_H
#define REPORT_GRAMMAR_H

#include "report/report.h"

/* What a grammar's finding is about; NULL: it is no grammar's. */
const struct observe_sentence *grammar_find(const struct report *report,
					    const struct finding *finding);

/* "assert(g.acyclic) fails with g = {…}", "no word goes on like this; expected: get"; to be freed. */
char *grammar_fault(const struct observe_sentence *sentence);
/* "of T2", "of f = fork[1]", "of all threads"; to be freed. */
char *grammar_owner(struct describe *describe, const struct finding *finding,
		    const struct observe_sentence *sentence);

/* Nothing for other findings. */
void grammar_print(const struct report *report, const struct finding *finding, FILE *out);
/* Sets "view", "word", "fault" and what belongs to it; nothing for other findings. */
void grammar_json(const struct report *report, const struct finding *finding, json_t *object);

#endif
