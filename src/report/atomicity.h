/* Texts about atomicity violations: another thread interleaves a region of one thread. */
#ifndef REPORT_ATOMICITY_H
#define REPORT_ATOMICITY_H

#include "report/describe.h"

/*
 * Prints "atomicity violation: region transfer in T1 can be interleaved by T2's write of balance".
 */
void atomicity_print_message(struct describe *describe, const struct finding *finding, FILE *out);

/* Prints how the result differs from a run without the interleaving, and what to do. */
void atomicity_print_why(struct describe *describe, const struct finding *finding, FILE *out);

#endif
