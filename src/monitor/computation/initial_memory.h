/* The contents of the program's memory when it was loaded, from its ELF files. */
#ifndef MONITOR_COMPUTATION_INITIAL_MEMORY_H
#define MONITOR_COMPUTATION_INITIAL_MEMORY_H

#include "trace/trace.h"

struct initial_memory;

struct initial_memory *initial_memory_open(const struct trace *trace);
void initial_memory_close(struct initial_memory *initial);

/*
 * Returns false if the contents are not known: a file is gone, or the loader relocates the bytes.
 */
bool initial_memory_bytes(struct initial_memory *initial, uint64_t address, uint64_t size,
			  uint8_t *bytes);

#endif
