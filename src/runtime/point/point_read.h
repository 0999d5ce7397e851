/*
 * Reads memory through a pointer of the program. The pointer may be invalid, and another thread may
 * unmap the memory at any time. Only the following memory is read directly: the images of the
 * program and its first libraries, the heap below the program's break, the C library's heaps for
 * threads, and the calling thread's stack from its stack pointer upwards. All other memory is read
 * by the kernel, which returns an error where a direct read would crash; that costs a system call.
 * All code here uses general registers only.
 */
#ifndef RUNTIME_POINT_POINT_READ_H
#define RUNTIME_POINT_POINT_READ_H

#include "runtime/buffer/thread_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool point_read(uint8_t *to, uint64_t from, size_t bytes);

/*
 * Reads a text of at most `most` bytes, without its NUL. Returns the length; with POINT_STRING_CUT
 * if the text is longer; or POINT_STRING_UNREADABLE. `to` needs room for eight more bytes.
 */
unsigned point_read_text(uint8_t *to, uint64_t from, unsigned most);

/* To be called before the first use, and in the child of a fork. */
void point_read_prepare(void);

/* Sets the range of the calling thread's stack. The main thread need not call this. */
void point_read_stack(uint64_t low, uint64_t high);

/* ---- for point_text.S ------------------------------------------------------------------------ */

struct point_range {
	uint64_t from, to;
};
extern uint64_t point_break_start;

/*
 * What the calling thread knows and has found last. Each field that changes is one word, because a
 * signal handler may read it at any time.
 */
struct point_near {
	struct point_range stack;	 /* the thread's own stack */
	const struct point_range *image; /* the image that was read last; NULL: none yet */
	uint64_t arena;			 /* start of the thread heap read last; 0: none yet */
};
extern SOOTH_TLS struct point_near point_near;

/*
 * glibc's heaps for threads are at multiples of POINT_ARENA. They start with a struct heap_info,
 * which has the number of usable bytes at offset 24. (malloc/arena.c; the same in all versions
 * since 2.10.)
 */
#define POINT_ARENA (64ull << 20)
#define POINT_ARENA_BYTES 24

/* The longest text that the generated code of points reads itself. */
#define POINT_CODE_TEXT 128u
void point_text(void); /* not a C function: see point_text.S */
void point_pointee_text_code(void);
void point_text_looked(void);

#endif
