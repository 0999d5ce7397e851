/* Random runs of a trace's computations, of any size, played by the checker. */
#ifndef MODEL_LATTICE_PLAY_H
#define MODEL_LATTICE_PLAY_H

#include <stdbool.h>
#include <stdint.h>

/* A text or a recording; says what is wrong. */
bool play_trace(const char *path, const char *property, uint64_t *random, int runs);

#endif
