/* Texts about violated grammars: what is wrong with the word, and the session it happens in. */
#ifndef REPORT_GRAMMAR_H
#define REPORT_GRAMMAR_H

#include "report/report.h"

/* The word that a finding is about; NULL: the finding is not a grammar's. */
const struct observe_word *grammar_find(const struct report *report, const struct finding *finding);

/* "assert(g.acyclic), line 3, fails: g = {...}", "no word of the grammar ..."; to be freed. */
char *grammar_fault(const struct observe_word *sentence);
/* Whose word it is: "of T2", "of f = fork[1]", "of all threads"; to be freed. */
char *grammar_owner(struct describe *describe, const struct finding *finding,
		    const struct observe_word *sentence);

/* Prints the last events of the session; nothing for other findings. */
void grammar_print(const struct report *report, const struct finding *finding, FILE *out);
/* Sets "word" of a finding; nothing for other findings. */
void grammar_json(const struct report *report, const struct finding *finding, json_t *object);

#endif
