/* Texts about violated grammars: what is wrong with a word, and the session in which it happens. */
#ifndef REPORT_GRAMMAR_H
#define REPORT_GRAMMAR_H

#include "report/report.h"

/* Returns the word of a finding; NULL: the finding is not about a grammar. */
const struct observe_word *grammar_find(const struct report *report, const struct finding *finding);

/*
 * Returns what is wrong: "assert(g.acyclic), line 3, fails: g = {...}", "no word of the grammar
 * ...". The caller frees it.
 */
char *grammar_fault(const struct observe_word *sentence);

/* Prints the last events of the session; prints nothing if the finding is not about a grammar. */
void grammar_print(const struct report *report, const struct finding *finding, FILE *out);
/* Sets "word" in a finding's object, if the finding is about a grammar. */
void grammar_json(const struct report *report, const struct finding *finding, json_t *object);

#endif
