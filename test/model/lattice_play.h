/* Lets the checker play random runs of a trace's computations, of any size. */
#ifndef MODEL_LATTICE_PLAY_H
#define MODEL_LATTICE_PLAY_H

#include "check/checker.h"
#include "monitor/computation/computation.h"

/* Plays runs of a text trace or a recording; prints errors. */
bool play_trace(const char *path, const char *property, uint64_t *random, int runs);

/* Enters the whole trace as one window, for schedules from its start. */
bool play_enter(struct checker *checker, const struct trace *trace, struct err *err);
bool play_accepts(struct checker *checker, const computation_schedule *schedule, struct err *err);

#endif
