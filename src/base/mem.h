/* Memory that is there: when none is left the tool stops with one message, so nobody checks. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);
void *mem_zalloc(size_t count, size_t size);
void *mem_resize(void *old, size_t count, size_t size);
char *mem_copy_text(const char *text, size_t length);

#endif
