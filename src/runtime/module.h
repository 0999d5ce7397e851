/* The instrumented modules (program and libraries) of this process and their tables of sites. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

/* Called by each module before its constructors: where its sections sooth_seg and sooth_str are. */
void __sooth_module_add(const char *seg, const char *seg_end, const char *str, const char *str_end);

/* Writes all modules known so far to the trace: in a fork child. */
void module_write_all(void);

#endif
