/*
 * Reads memory through a pointer of the program. The pointer may be invalid, and another thread may
 * unmap the memory at any time. These are read directly: the images of the program and its first
 * libraries, the heap below the program's break, the C library's heaps for threads, and the calling
 * thread's own stack between its stack pointer and its end. All other memory is read by the kernel,
 * which reports an error where we would crash, at the cost of a system call. General registers
 * only.
 */
#ifndef RUNTIME_POINT_POINT_READ_H
#define RUNTIME_POINT_POINT_READ_H

#include "runtime/buffer/thread_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool point_read(uint8_t *to, uint64_t from, size_t bytes);

/*
 * Reads a text of at most `most` bytes, without its NUL. Returns its length, with POINT_STRING_CUT
 * if it is longer, or POINT_STRING_UNREADABLE. `to` needs room for eight more bytes.
 */
unsigned point_read_text(uint8_t *to, uint64_t from, unsigned most);

/* Call before the first use, and in a forked child. */
void point_read_prepare(void);

/* Sets the range of the calling thread's stack. That of the main thread is known. */
void point_read_stack(uint64_t low, uint64_t high);

/* ---- for point_text.S ------------------------------------------------------------------------ */

struct point_range {
	uint64_t from, to;
};
extern uint64_t point_break_start;

/* What the calling thread found last. Each is one word, since a signal handler may read it, too. */
struct point_near {
	struct point_range stack;	 /* its own */
	const struct point_range *image; /* NULL: none yet */
	uint64_t arena;			 /* start of one of the heaps for threads; 0: none yet */
};
extern SOOTH_TLS struct point_near point_near;

/*
 * glibc's heaps for threads are at multiples of this. They start with a struct heap_info, which has
 * the number of usable bytes at offset 24. (malloc/arena.c; the same in all versions since 2.10.)
 */
#define POINT_ARENA (64ull << 20)
#define POINT_ARENA_BYTES 24

/* The fast way in the code of points: texts of up to this many bytes. */
#define POINT_CODE_TEXT 128u
void point_text(void); /* not called like C functions */
void point_pointee_text_code(void);
void point_text_looked(void);

#endif
