/* The instrumented modules (program and libraries) of this process and their tables of sites. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include <stdint.h>

struct module {
	const char *seg, *str; /* its sections sooth_seg and sooth_str */
	uint32_t seg_bytes, str_bytes;
	uint64_t base, end; /* of its image */
	uint64_t shift;	    /* from addresses in the file to those in memory */
	uint8_t build_id[64];
	uint32_t build_id_bytes;
	char path[512];
};

/* Called by each module before its constructors: where its sections sooth_seg and sooth_str are. */
void __sooth_module_add(const char *seg, const char *seg_end, const char *str, const char *str_end);

/* Writes all modules known so far to the trace: in a fork child. */
void module_write_all(void);

/* The i-th module, in the order they were loaded; NULL when there are not so many. */
const struct module *module_get(uint32_t i);

#endif
