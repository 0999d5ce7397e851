/* Memory allocation. If no memory is left, the tool stops with a message: callers do not check. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void *mem_alloc(size_t size);
void *mem_zalloc(size_t count, size_t size);
void *mem_resize(void *old, size_t count, size_t size);
char *mem_copy_text(const char *text, size_t length);

/* Is the text in the list? */
bool mem_has_text(char *const *list, size_t count, const char *text);

/* As asprintf(): the caller frees the text. */
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A stream that writes to memory. After mem_stream_close(), `*text` is the NUL-terminated text,
 * which the caller frees, and `*length` its length without the NUL.
 */
FILE *mem_stream(char **text, size_t *length);
void mem_stream_close(FILE *stream);

/* Stops the tool as the functions above do: for libraries that report their own failures. */
_Noreturn void mem_exhausted(void);

#endif
