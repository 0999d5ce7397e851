/* Random runs of a trace's computations, of any size, played by the checker. */
#ifndef MODEL_LATTICE_PLAY_H
#define MODEL_LATTICE_PLAY_H

#include "check/checker.h"
#include "monitor/computation/computation.h"

/* A text or a recording; says what is wrong. */
bool play_trace(const char *path, const char *property, uint64_t *random, int runs);

/* The whole trace as one window; a schedule from its start. */
bool play_enter(struct checker *checker, const struct trace *trace, struct err *err);
bool play_accepts(struct checker *checker, const computation_schedule *schedule, struct err *err);

#endif
