/*
 * A lane is the buffer in which a thread's stream is made: one chunk of the file `ring`, mapped
 * shared, headed by a struct wire_block. Instrumented code writes into it directly through
 * `__sooth_lane`; the runtime writes through record.h.
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

/* Where the calling thread writes. Never NULL: before a thread is known it is a lane without room. */
extern SOOTH_API SOOTH_TLS struct wire_block *__sooth_lane;

#define THREAD_BUFFER_DEPTHS 4 /* the thread itself, and signal handlers nested so deep */

/* What the runtime knows of the calling thread. Zero until thread_buffer_begin. */
struct thread_buffer_self {
	uint32_t stream;    /* number of the thread's own stream */
	bool known;	    /* thread_buffer_begin was called */
	bool quiet;	    /* the runtime is at work: record nothing */
	bool stripe_held;   /* see record_stripe_lock */
	bool turns;	    /* takes turns (sched.h) */
	bool ended;	    /* its stream is over: whatever still runs here is not recorded */
	unsigned depth;	    /* of signal handlers */
	uint64_t numbered;  /* when the number of the next record was taken; 0: it has none yet */
	struct codec codec; /* what the next record's differences are taken from */
	struct codec next;  /* the same behind the record that is being written and will … */
	uint64_t next_at;   /* … end here; 0: none is (thread_buffer_settle) */
	struct codec codecs
		[THREAD_BUFFER_DEPTHS]; /* the same for handlers of each depth, while none runs */
	struct wire_block *lanes[THREAD_BUFFER_DEPTHS];
	struct write_batch batch; /* of lanes[0] */
	bool stopped; /* it has `ended` because it had to; `why` is an enum event_stop */
	uint8_t why;
	uint16_t stripe; /* the one that is held, and how deep in handlers it was taken */
	uint16_t stripe_depth;
	bool asynchronous; /* it may be cancelled anywhere (cancel.c) */
	bool held_off; /* … but for now, until its next record; `cancel` is what to go back to */
	struct cancel_before cancel;
	bool cancelled; /* somebody has called pthread_cancel for it, and that orders nothing yet */
	bool uncancellable;	   /* the program forbids it for now */
	struct deferred_event due; /* before its next record */
	bool early; /* that is being written: it has the time of the next record's number */
};
extern SOOTH_TLS struct thread_buffer_self thread_buffer_self;

/* Is there anything to be done before the next record? deferred_event_record does it. */
static inline bool thread_buffer_is_due(void)
{
	return __builtin_expect(thread_buffer_self.due.kind || thread_buffer_self.cancelled, 0);
}

/* The calling thread, which has just found out whether anything is recorded, looks anew. */
void thread_buffer_start(void);

/* A number for a thread about to be created. The main thread has 0. */
uint32_t thread_buffer_new_stream(void);

/* The numbers below it are given otherwise: in a controlled run a thread's is that of its path. */
void thread_buffer_number_streams_from(uint32_t first);

/*
 * In a new thread: thread_buffer_hold while the runtime sets it up, which may run the program's allocator;
 * none of that is recorded. Then thread_buffer_begin, with a number from thread_buffer_new_stream, and BEGIN is the
 * first record. thread_buffer_end comes last.
 */
void thread_buffer_hold(void);
void thread_buffer_begin(uint32_t stream);
void thread_buffer_end(void);

/*
 * A signal handler starts or ends in this thread: its records go to a stream of their own, since
 * it may have cut into a segment half written. What it interrupted is kept on its stack.
 */
struct thread_buffer_interrupted {
	struct wire_block *lane;
	struct codec codec, next;
	uint64_t next_at, numbered;
	bool quiet;
	struct deferred_event due;
};
void thread_buffer_enter_handler(int signal, struct thread_buffer_interrupted *interrupted);
void thread_buffer_leave_handler(const struct thread_buffer_interrupted *interrupted);

/* Handlers were left by a jump: what the runtime was doing when they cut in is never done. */
void thread_buffer_jumped(void);

/*
 * The recording ends here, that of all threads: what they do from now on could not be read. The
 * calling thread stops at once, others where they come to the runtime next, which is before they
 * could have learned of anything that this one does from now on. Says so.
 */
void thread_buffer_give_up(int why); /* enum event_stop */

/*
 * At the end of the process, or before exec: writes what the calling thread's lanes hold and
 * gives them back. What other threads hold stays in the ring for the reader.
 */
void thread_buffer_close(void);

/*
 * Where a server begins: the main thread is known from now on, so that no run has to find out who it
 * is, and what nobody reads is not restored.
 */
void thread_buffer_serve(void);

/* The calling thread's lane is emptied: a run starts here once more. */
void thread_buffer_restart(void);

/* In a fork child: forget every lane; the calling thread starts anew as stream 0, `quiet` yet. */
void thread_buffer_after_fork(void);

/* The next segment that is written to a lane, whosever it is, comes to the runtime before. */
void thread_buffer_hurry(struct wire_block *lane);

/* ---- for record.c and buffer_page.c ---- */

#define THREAD_BUFFER_FIRST(lane) ((lane)->base + sizeof(struct wire_block))
/* Where the last segment may start: it and the overhang of its last 8-byte store must fit. */
#define THREAD_BUFFER_LAST(lane) ((lane)->base + WIRE_CHUNK - WIRE_SEGMENT_MAX - 16)

extern _Atomic int
	thread_buffer_given_up; /* enum event_stop, but never LIMIT, which is 0: nobody has */

/*
 * The calling thread may have been torn out of writing a record, by a signal or by its cancellation:
 * if the record is there, the next one's differences are taken from it.
 */
void thread_buffer_settle(void);

/* The calling thread's stream is over, but its lane is still open: closes it. */
void thread_buffer_stop_late(void);

static inline bool thread_buffer_has_room(const struct wire_block *lane, size_t bytes)
{
	return lane->cursor + bytes + 16 <= lane->base + WIRE_CHUNK;
}

/* Room for `bytes` more in the calling thread's lane: returns it, or NULL when there is none. */
struct wire_block *thread_buffer_make_room(size_t bytes);
static inline struct wire_block *thread_buffer_room(size_t bytes)
{
	struct wire_block *lane = __sooth_lane;

	if (__builtin_expect(lane->flags & WIRE_BLOCK_LIVE && thread_buffer_has_room(lane, bytes) &&
				     !thread_buffer_given_up,
			     1))
		return lane;
	return thread_buffer_make_room(bytes);
}

#endif
