/*
 * Reads and writes of ranges by the functions that stand in for memcpy, strlen and the like. The
 * bytes recorded are those that the function's result was made of, also when other threads change
 * them meanwhile: each byte is read from memory once, and all else is done on that copy.
 */
#ifndef RUNTIME_MEMORY_RANGE_H
#define RUNTIME_MEMORY_RANGE_H

#include "runtime/buffer/thread_buffer.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* The checking variants, which only fortified headers declare. */
void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t size, size_t room);

/* __sooth_memcpy and so on: what the plugin calls instead. */
#define CALL(name, how, argument, group) CALL_##how(name)
#define CALL_REDIRECT(name) extern SOOTH_API __typeof__(name) __sooth_##name;
#define CALL_OBJECT(name)
#define CALL_PLACE(name)
#include "event/calls.def"
#undef CALL
#undef CALL_REDIRECT
#undef CALL_OBJECT
#undef CALL_PLACE

/* Bytes looked at in one go, on the stack of whoever called. */
#define RANGE_PIECE 512

/*
 * As many of `want` bytes as lie on the same page as the first. When the first may be read so may
 * they, whatever comes behind the object.
 */
static inline size_t range_on_page(const char *at, size_t want)
{
	size_t room = 4096 - ((uintptr_t)at & 4095);

	return want < room ? want : room;
}

/* A READ of at most RECORD_BYTES_MAX bytes that were copied to `bytes`. */
void range_read(uintptr_t pc, const void *at, const void *bytes, size_t size, unsigned flags);

/* The length of a string, at most `most`, with the reads it takes. */
size_t range_string_length(uintptr_t pc, const char *string, size_t most);

#endif
