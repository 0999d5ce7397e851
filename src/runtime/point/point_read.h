/*
 * Reading memory that a pointer of the program leads to: it may lead anywhere, and another thread may
 * unmap it meanwhile. Read as it is: what lies in the images of the program and its first libraries,
 * in the heap that the program's break bounds, in those that the C library makes for threads, and on the
 * calling thread's own stack, between its pointer and its end. All else is read by the kernel, which
 * says no where we would crash, for the price of a system call. General registers only.
 */
#ifndef RUNTIME_POINT_POINT_READ_H
#define RUNTIME_POINT_POINT_READ_H

#include "runtime/buffer/thread_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool point_read(uint8_t *to, uint64_t from, size_t bytes);

/*
 * A text, at most so many bytes, and not what ends it. Returns its length, with POINT_STRING_CUT if
 * there is more, or POINT_STRING_UNREADABLE. Room for eight bytes more is needed.
 */
unsigned point_read_text(uint8_t *to, uint64_t from, unsigned most);

/* Before the first use, and in a fork child. */
void point_read_prepare(void);

/* Where the calling thread's stack is. That of the main thread is known. */
void point_read_stack(uint64_t low, uint64_t high);

/* ---- for point_text.S ---- */

struct point_range {
	uint64_t from, to;
};
extern uint64_t point_break_start;

/* What the calling thread found last. Each is one word, since a signal handler may look, too. */
struct point_near {
	struct point_range stack;	 /* its own */
	const struct point_range *image; /* NULL: none yet */
	uint64_t arena; /* where one of the heaps for threads starts; 0: none yet */
};
extern SOOTH_TLS struct point_near point_near;

/*
 * Heaps of glibc for threads lie at multiples of this. At their start is a struct heap_info, with the
 * bytes of it that can be used at 24. (malloc/arena.c; the same in all versions since 2.10.)
 */
#define POINT_ARENA (64ull << 20)
#define POINT_ARENA_BYTES 24

/* The short way of the code of points: as many bytes of a text. */
#define POINT_CODE_TEXT 128u
void point_text(void); /* none is called as C does */
void point_pointee_text_code(void);
void point_text_looked(void);

#endif
