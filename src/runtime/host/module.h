/* The instrumented modules (program and libraries) of this process and their tables of sites. */
#ifndef RUNTIME_HOST_MODULE_H
#define RUNTIME_HOST_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
	const char *seg, *str; /* its sections sooth_seg and sooth_str */
	uint32_t seg_bytes, str_bytes;
	uint64_t base, end; /* of its image in memory */
	uint64_t shift;	    /* from addresses in the file to addresses in memory */
	uint8_t build_id[64];
	uint32_t build_id_bytes;
	char path[512];
	bool gone;  /* unloaded: nothing of it is left except, in a controlled run, its rows */
	void *rows; /* a copy of its rows, while a library is being unloaded */
};

/* Each module calls this before its constructors, to pass its sections sooth_seg and sooth_str. */
void __sooth_module_add(const char *seg, const char *seg_end, const char *str, const char *str_end);

/* Writes all known modules to the trace: in the child of a fork. */
void module_write_all(void);

/*
 * To be called before libraries are unloaded. In a controlled run the runtime decodes threads'
 * records with the help of these rows (access_decoder.h), possibly later: so the rows stay where
 * they are.
 */
void module_keep_rows(void);

/*
 * To be called after libraries may have been unloaded. Rows are identified by their addresses, so
 * no other module may be loaded where an instrumented one was: the address range is reserved,
 * without using memory.
 */
void module_unloaded(void);

/* Calls `put` with a line as in /proc/self/maps for each module that was unloaded. */
void module_each_gone(void (*put)(const char *line, size_t length, void *data), void *data);

/* The i-th module, in the order of loading; NULL if there are fewer. */
const struct module *module_get(uint32_t i);

#endif
