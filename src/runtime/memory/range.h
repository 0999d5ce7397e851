/*
 * Reads and writes of memory ranges by the functions that replace memcpy, strlen and so on. The
 * recorded bytes are those from which the function computed its result, even if other threads
 * change them at the same time: each byte is read from memory once, and both the record and the
 * result use that copy.
 */
#ifndef RUNTIME_MEMORY_RANGE_H
#define RUNTIME_MEMORY_RANGE_H

#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/interposer.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/*
 * Variants that check the size of the destination. Only headers with _FORTIFY_SOURCE declare them.
 */
void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t size, size_t room);

/* Declares __sooth_memcpy and so on, which instrumented code calls instead of memcpy. */
#define CALL(name, how, argument, group) CALL_##how(name)
#define CALL_REDIRECT(name) extern SOOTH_API __typeof__(name) __sooth_##name;
#define CALL_OBJECT(name)
#define CALL_SITE_ONLY(name)
#define CALL_WRAPPER(name)
#include "event/calls.def"
#undef CALL
#undef CALL_REDIRECT
#undef CALL_OBJECT
#undef CALL_SITE_ONLY
#undef CALL_WRAPPER

/*
 * Defines the function __sooth_NAME. If the thread is recorded now and `valid` is true, the
 * expression `recorded` does the work for the caller at `pc`; otherwise the function of the C
 * library does.
 */
#define RANGE_FUNCTION(type, name, parameters, valid, pc, recorded)                                \
	type __sooth_##name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		if (!record_on() || !(valid))                                                      \
			return name(ARGUMENTS parameters);                                         \
		uintptr_t pc = RECORD_CALLER;                                                      \
		return recorded;                                                                   \
	}

/* Number of bytes that are copied to the stack and examined at once. */
#define RANGE_PIECE 512

/*
 * Returns how many of `want` bytes are on the same page as the first one. If the first byte can be
 * read, so can these, even if they lie beyond the end of the object.
 */
static inline size_t range_on_page(const char *at, size_t want)
{
	size_t room = 4096 - ((uintptr_t)at & 4095);

	return want < room ? want : room;
}

/* Records a READ of at most RECORD_BYTES_MAX bytes that were copied to `bytes`. */
void range_read(uintptr_t pc, const void *at, const void *bytes, size_t size, unsigned flags);

/* Returns the length of a string, or `most` if it is longer, and records the reads. */
size_t range_string_length(uintptr_t pc, const char *string, size_t most);

#endif
