/* The instrumented modules (program and libraries) of this process and their tables of sites. */
#ifndef RUNTIME_HOST_MODULE_H
#define RUNTIME_HOST_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
	const char *seg, *str; /* its sections sooth_seg and sooth_str */
	uint32_t seg_bytes, str_bytes;
	uint64_t base, end; /* of its image */
	uint64_t shift;	    /* from addresses in the file to those in memory */
	uint8_t build_id[64];
	uint32_t build_id_bytes;
	char path[512];
	bool gone; /* unloaded: nothing of it is there any more, but its rows in a controlled run */
	void *rows; /* a copy of them, while something is unloaded */
};

/* Called by each module before its constructors: where its sections sooth_seg and sooth_str are. */
void __sooth_module_add(const char *seg, const char *seg_end, const char *str, const char *str_end);

/* Writes all modules known so far to the trace: in a fork child. */
void module_write_all(void);

/*
 * Some libraries are about to be unloaded. In a controlled run threads are followed by the rows of what
 * they did (access_decoder.h), and may be behind: rows stay where they were.
 */
void module_keep_rows(void);

/*
 * Some libraries may have been unloaded. Rows are named by their addresses, so no other module may
 * come where one of ours was: its place is taken, and none of it costs memory.
 */
void module_unloaded(void);

/* Lines as in /proc/self/maps of those that are gone: calls `put` with each. */
void module_each_gone(void (*put)(const char *line, size_t length, void *data), void *data);

/* The i-th module, in the order they were loaded; NULL when there are not so many. */
const struct module *module_get(uint32_t i);

#endif
