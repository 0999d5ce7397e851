/* What memory of the program held when it was loaded: from its ELF files. */
#ifndef MONITOR_INITIAL_H
#define MONITOR_INITIAL_H

#include "trace/trace.h"

struct initial;

struct initial *initial_open(const struct trace *trace);
void initial_close(struct initial *initial);

/* False: the files do not say (they are gone, or the loader puts an address there). */
bool initial_bytes(struct initial *initial, uint64_t address, uint64_t size, uint8_t *bytes);

#endif
