/*
 * Thread buffers: where the records of a thread's stream are written. A buffer is one chunk of the
 * file `ring`, mapped shared, and starts with a struct wire_block. Instrumented code writes to it
 * directly, through `__sooth_lane`; the runtime writes through record.h.
 */
#ifndef RUNTIME_BUFFER_THREAD_BUFFER_H
#define RUNTIME_BUFFER_THREAD_BUFFER_H

#include "event/codec.h"
#include "event/wire.h"
#include "runtime/log/write_batch.h"
#include "runtime/host/cancel.h"
#include "runtime/buffer/deferred_event.h"

#include <stdbool.h>
#include <stddef.h>

#define SOOTH_API __attribute__((visibility("default")))
#define SOOTH_TLS __thread __attribute__((tls_model("initial-exec")))

/*
 * The calling thread's buffer. Never NULL: before a thread is known, it is a buffer without room.
 */
extern SOOTH_API SOOTH_TLS struct wire_block *__sooth_lane;

#define THREAD_BUFFER_DEPTHS                                                                       \
	4 /* depth 0 is the thread itself, the others are levels of nested signal handlers */

/* What the runtime knows of the calling thread. All zero before thread_buffer_begin(). */
struct thread_buffer_self {
	uint32_t stream;  /* number of the thread's own stream */
	bool known;	  /* thread_buffer_begin() was called */
	bool quiet;	  /* the runtime is working: do not record */
	bool stripe_held; /* see record_stripe_lock() */
	bool turns;	  /* the scheduler controls the thread (sched.h) */
	bool ended;	  /* its stream is over: further events are not recorded */
	unsigned depth;	  /* nesting depth of signal handlers */
	/* time at which the next record's sequence number was taken; 0: not taken yet */
	uint64_t numbered;
	struct codec codec; /* the values from which the next record's differences are taken */
	struct codec next;  /* `codec` after the record that is being written */
	/* end of the record that is being written; 0: none (thread_buffer_settle) */
	uint64_t next_at;
	struct codec codecs
		/* `codec` for signal handlers of each depth, while none runs */
		[THREAD_BUFFER_DEPTHS];
	struct wire_block *buffers[THREAD_BUFFER_DEPTHS];
	struct write_batch batch; /* the batch of buffers[0] */
	bool stopped;		  /* the stream has `ended` early; `why` is an enum event_stop */
	uint8_t why;
	uint16_t stripe; /* the stripe that is held, and the handler depth at which it was locked */
	uint16_t stripe_depth;
	bool asynchronous; /* asynchronous cancellation is enabled (cancel.c) */
	/* cancellation is forbidden until the next record; `cancel` is the state to restore then */
	bool held_off;
	struct cancel_before cancel;
	bool cancelled;	    /* pthread_cancel was called for it, and no SYNC was recorded since */
	bool uncancellable; /* the program has disabled cancellation */
	struct deferred_event due;     /* recorded before the thread's next record */
	struct deferred_opaque opaque; /* the same */
	bool early; /* `due` is being written: it gets the time of the next record's number */
};
extern SOOTH_TLS struct thread_buffer_self thread_buffer_self;

/* Must an event be recorded before the next record? deferred_event_record() does so. */
static inline bool thread_buffer_is_due(void)
{
	return __builtin_expect(thread_buffer_self.due.kind || thread_buffer_self.opaque.pc ||
					thread_buffer_self.cancelled,
				0);
}

/*
 * Call when it was decided whether this process is recorded: makes the calling thread check again.
 */
void thread_buffer_start(void);

/* Returns a stream number for a thread that is about to be created. The main thread has 0. */
uint32_t thread_buffer_new_stream(void);

/*
 * Makes thread_buffer_new_stream() start at `first`. In a controlled run, the scheduler assigns the
 * smaller numbers to threads.
 */
void thread_buffer_number_streams_from(uint32_t first);

/*
 * Call these in a new thread. First, thread_buffer_hold(): the runtime then sets the thread up,
 * which may run the program's allocator, and none of that is recorded. Then thread_buffer_begin()
 * with a number from thread_buffer_new_stream(); BEGIN must be the first record. Last,
 * thread_buffer_end().
 */
void thread_buffer_hold(void);
void thread_buffer_begin(uint32_t stream);
void thread_buffer_end(void);

/*
 * Call enter and leave when a signal handler starts or ends in this thread. The handler's records
 * go to a stream of their own, because the handler may have interrupted a half-written segment. The
 * state of the interrupted code is kept on the handler's stack.
 */
struct thread_buffer_interrupted {
	struct wire_block *buffer;
	struct codec codec, next;
	uint64_t next_at, numbered;
	bool quiet;
	struct deferred_event due;
	struct deferred_opaque opaque;
};
void thread_buffer_enter_handler(int signal, struct thread_buffer_interrupted *interrupted);
void thread_buffer_leave_handler(const struct thread_buffer_interrupted *interrupted);

/*
 * Call when a jump has left signal handlers: what the runtime was doing when they interrupted it is
 * never finished.
 */
void thread_buffer_jumped(void);

/*
 * Ends the recording of all threads, because later events could not be read. The calling thread
 * stops at once; the others stop when they next enter the runtime, which is before they can observe
 * anything that this thread does from now on. Prints a message.
 */
void thread_buffer_give_up(int why); /* enum event_stop */

/*
 * At the end of the process, or before exec: writes the contents of the calling thread's buffers
 * and releases them. The contents of other threads' buffers stay in the ring for the reader.
 */
void thread_buffer_close(void);

/*
 * Call when a server starts: makes the main thread known, so that no run has to do so. Excludes the
 * sinks, which are never read, from the memory that is restored.
 */
void thread_buffer_serve(void);

/* Call when a new run of a server starts: empties the calling thread's buffer. */
void thread_buffer_restart(void);

/*
 * Call in the child of a fork: forgets all buffers. The calling thread starts again as stream 0,
 * still `quiet`.
 */
void thread_buffer_after_fork(void);

/* Makes the owner of a buffer enter the runtime before it writes its next segment. */
void thread_buffer_hurry(struct wire_block *buffer);

/* ---- for record.c and buffer_page.c ---------------------------------------------------------- */

#define THREAD_BUFFER_FIRST(buffer) ((buffer)->base + sizeof(struct wire_block))
/*
 * Last address at which a segment may start: the segment and the overhang of its last 8-byte store
 * must fit.
 */
#define THREAD_BUFFER_LAST(buffer) ((buffer)->base + WIRE_CHUNK - WIRE_SEGMENT_MAX - 16)

extern _Atomic int
	thread_buffer_given_up; /* enum event_stop, but never LIMIT, which is 0: not given up */

/*
 * The calling thread may have been interrupted, by a signal or by cancellation, while it wrote a
 * record. If the record is complete, makes it the base of the next record's differences.
 */
void thread_buffer_settle(void);

/* Closes the buffer of the calling thread, whose stream is over. */
void thread_buffer_stop_late(void);

static inline bool thread_buffer_has_room(const struct wire_block *buffer, size_t bytes)
{
	return buffer->cursor + bytes + 16 <= buffer->base + WIRE_CHUNK;
}

/* The calling thread's buffer with room for `bytes` more, or NULL if there is none. */
struct wire_block *thread_buffer_make_room(size_t bytes);
static inline struct wire_block *thread_buffer_room(size_t bytes)
{
	struct wire_block *buffer = __sooth_lane;

	if (__builtin_expect(buffer->flags & WIRE_BLOCK_LIVE &&
				     thread_buffer_has_room(buffer, bytes) &&
				     !thread_buffer_given_up,
			     1))
		return buffer;
	return thread_buffer_make_room(bytes);
}

#endif
