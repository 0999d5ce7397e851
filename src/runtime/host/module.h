/* The instrumented modules (program and libraries) of this process and their tables of sites. */
#ifndef RUNTIME_HOST_MODULE_H
#define RUNTIME_HOST_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
	const char *seg, *str; /* the module's sections sooth_seg and sooth_str */
	uint32_t seg_bytes, str_bytes;
	uint64_t base, end; /* the address range of its image in memory */
	uint64_t shift;	    /* address in memory minus address in the file */
	uint8_t build_id[64];
	uint32_t build_id_bytes;
	char path[512];
	bool gone;   /* unloaded; in a controlled run its rows stay in memory */
	void *rows;  /* a copy of its rows, while a library is being unloaded */
	void *stubs; /* through which it calls opaque functions (opaque/opaque.h) */
	size_t stub_bytes;
	void *entries; /* code of its functions that opaque code may call */
	size_t entry_bytes;
};

/* Each module calls this before its constructors, to pass its sections sooth_seg and sooth_str. */
void __sooth_module_add(const char *seg, const char *seg_end, const char *str, const char *str_end);

/* Writes all known modules to the trace of a fork's child. */
void module_write_all(void);

/*
 * To be called before libraries are unloaded: copies the rows of all modules. In a controlled run
 * the runtime needs these rows to decode the records of threads (access_decoder.h), possibly after
 * the unloading. module_unloaded() writes them back to their addresses.
 */
void module_keep_rows(void);

/*
 * To be called after libraries may have been unloaded. Rows are identified by their addresses, so
 * no other module may be loaded at the address of an instrumented one: its address range is
 * reserved, without using memory.
 */
void module_unloaded(void);

/*
 * Calls `put` with one line, in the format of /proc/self/maps, for each module that was unloaded.
 */
void module_each_gone(void (*put)(const char *line, size_t length, void *data), void *data);

/* The i-th module, in the order of loading; NULL if there are fewer. */
const struct module *module_get(uint32_t i);

#endif
