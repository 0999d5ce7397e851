/*
 * The life of a thread buffer: opened when a thread is first seen, flushed to the log when it is
 * full, closed when the thread ends; and one more buffer for each level of signal handlers. See
 * thread_buffer.h for the contract and doc/recording.md, "The buffer", for the design.
 */
#include "runtime/buffer/thread_buffer.h"

#include "event/event.h"
#include "runtime/server/per_run.h"
#include "runtime/sched/access_decoder.h"
#include "runtime/log/log.h"
#include "runtime/host/signal_mask.h"
#include "runtime/point/point_hit.h"
#include "runtime/host/process.h"
#include "runtime/buffer/record.h"
#include "runtime/buffer/refill.h"
#include "runtime/log/ring.h"
#include "runtime/server/snapshot.h"
#include "runtime/sync/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>
#include <x86intrin.h>

/* A buffer without room: the first segment of a thread enters thread_buffer_refill(). */
static struct wire_block nowhere = { .cursor = 1, .limit = 0 };

SOOTH_TLS struct wire_block *__sooth_lane = &nowhere;
SOOTH_TLS struct thread_buffer_self thread_buffer_self;

/* number of streams assigned, without main's, which is 0 */
PER_RUN static _Atomic uint32_t streams;

/* ---- sinks: buffers that are never read ------------------------------------------------------ */

/*
 * For processes that are not recorded, threads that have ended, and streams that had to stop.
 * Threads share sinks. The cursor on which they race can never leave the sink, because each value
 * stored to it is a position that was checked against the limit, plus at most one segment. There
 * are several sinks, so that threads of an unrecorded program rarely share a cache line.
 */
#define SINKS 64u
#define SINK_BYTES 4096u
static struct {
	struct wire_block block;
	uint8_t room[SINK_BYTES - sizeof(struct wire_block)];
} sinks[SINKS] __attribute__((aligned(SINK_BYTES)));

static void use_sink(void)
{
	unsigned number = (unsigned)((uintptr_t)&thread_buffer_self >> 12) % SINKS;
	struct wire_block *sink = &sinks[number].block;

	sink->base = (uint64_t)sink;
	sink->cursor = THREAD_BUFFER_FIRST(sink);
	sink->limit = sink->base + SINK_BYTES - WIRE_SEGMENT_MAX - 16;
	__sooth_lane = sink;
}

static bool is_sink(const struct wire_block *buffer)
{
	return (uintptr_t)buffer - (uintptr_t)sinks < sizeof(sinks);
}

/* ---- opening, flushing and closing buffers --------------------------------------------------- */

static void rewind_buffer(struct wire_block *buffer)
{
	buffer->cursor = THREAD_BUFFER_FIRST(buffer);
	buffer->time = process_discards() ? 0 : __rdtsc();
	thread_buffer_self.codec = (struct codec){ .time = buffer->time };
	buffer->limit = buffer->cursor + WIRE_PAGE;
	access_decoder_after_flush(buffer);
}

/* Turns a chunk into a buffer. The chunk is all zero except for its base. */
static void open_buffer(struct wire_block *buffer, uint32_t stream, uint32_t flags)
{
	buffer->stream = stream;
	buffer->flags = flags;
	rewind_buffer(buffer);
	buffer->magic = WIRE_BLOCK_MAGIC;
	atomic_signal_fence(memory_order_seq_cst);
	buffer->flags = flags | WIRE_BLOCK_LIVE;
}

/*
 * What start_work() changes and end_work() restores. While the runtime works for the calling
 * thread, nothing is recorded. The thread cannot be cancelled, neither at a call in the runtime nor
 * asynchronously. No signal handler runs, because it might jump away and leave the work half done.
 * The latter two take two system calls, and are left out if nothing is written.
 */
struct runtime_work {
	struct signal_mask mask;
	struct cancel_before cancel;
	bool quiet;
};

/*
 * Touches the stack that the runtime needs, so that a stack overflow faults here, where a handler
 * can still run, and not while all signals are blocked. The functions called afterwards (flush,
 * log_append, file_io_use, process_say) need less.
 */
#define WORK_STACK 2048
static inline void touch_stack(void)
{
	*((volatile char *)__builtin_frame_address(0) - WORK_STACK) = 0;
}

static struct runtime_work start_work(void)
{
	struct runtime_work work = { 0 };

	if (!process_discards()) {
		touch_stack();
		work.cancel = cancel_forbid();
		work.mask = signal_mask_all();
	}
	work.quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	return work;
}

static void end_work(const struct runtime_work *work)
{
	thread_buffer_self.quiet = work->quiet;
	signal_mask_restore(work->mask);
	if (!process_discards())
		cancel_allow(work->cancel);
}

static struct wire_block *new_buffer(uint32_t stream, uint32_t flags)
{
	struct runtime_work work = start_work();
	struct wire_block *buffer = thread_buffer_given_up ? NULL : ring_take();

	if (buffer)
		open_buffer(buffer, stream, flags);
	end_work(&work);
	return buffer;
}

/*
 * Ends the stream: the contents of the buffer stay in the ring, with a STOP record that says why.
 * The thread continues without being recorded.
 */
static void stop_stream(struct wire_block *buffer, enum event_stop why)
{
	uint8_t *start = (uint8_t *)buffer->cursor;
	struct codec_fields fields = { .t = thread_buffer_self.codec.time, .m = why };
	uint8_t *end = codec_put_fields(&thread_buffer_self.codec, start + CODEC_SHORT_HEADER,
					event_fields(EV_STOP), &fields);

	buffer->bytes = 0;
	codec_put_header(start, EV_STOP, CODEC_SHORT_HEADER,
			 (size_t)(end - start) - CODEC_SHORT_HEADER);
	atomic_signal_fence(memory_order_seq_cst);
	buffer->cursor = (uint64_t)end;
	thread_buffer_self.ended = true;
	thread_buffer_self.stopped = true;
	thread_buffer_self.why = (uint8_t)why;
	process_stopped(why);
	use_sink();
}

_Atomic int thread_buffer_given_up;

static bool is_open(const struct wire_block *buffer)
{
	return (buffer->flags & WIRE_BLOCK_LIVE) && !is_sink(buffer);
}

void thread_buffer_hurry(struct wire_block *buffer)
{
	if (is_open(buffer))
		__atomic_store_n(&buffer->limit, 0, __ATOMIC_SEQ_CST);
}

void thread_buffer_give_up(int why)
{
	int none = 0;

	atomic_compare_exchange_strong(&thread_buffer_given_up, &none, why);
	if (is_open(__sooth_lane))
		stop_stream(__sooth_lane, why);
	process_stopped(why);
}

void thread_buffer_stop_late(void)
{
	if (is_open(__sooth_lane) && thread_buffer_self.stopped)
		stop_stream(__sooth_lane, thread_buffer_self.why);
}

/* Only a thread's own buffer has a batch, because signal handlers write little. */
static enum log_result append_block(const struct wire_block *buffer)
{
	if (buffer->flags & WIRE_BLOCK_HANDLER)
		return log_append(buffer);
	if (buffer->flags & WIRE_BLOCK_LAST)
		return write_batch_end(&thread_buffer_self.batch, buffer);
	return write_batch_append(&thread_buffer_self.batch, buffer);
}

static bool flush_block(struct wire_block *buffer, uint32_t flags)
{
	if (process_discards()) {
		buffer->number++;
		rewind_buffer(buffer);
		return true;
	}
	if (thread_buffer_given_up || process_over_limit()) {
		stop_stream(buffer, thread_buffer_given_up ? (enum event_stop)thread_buffer_given_up
							   : EVENT_STOP_LIMIT);
		return false;
	}
	buffer->bytes = (uint32_t)(buffer->cursor - THREAD_BUFFER_FIRST(buffer));
	buffer->flags |= flags;
	enum log_result result = append_block(buffer);
	if (result != LOG_WRITTEN) {
		stop_stream(buffer, result == LOG_NO_SPACE ? EVENT_STOP_NO_SPACE : EVENT_STOP_IO);
		return false;
	}
	/*
	 * If the process is killed right here, the block is both in the log and in the ring; the
	 * reader drops one of them.
	 */
	buffer->cursor = THREAD_BUFFER_FIRST(buffer);
	atomic_signal_fence(memory_order_seq_cst);
	buffer->number++;
	buffer->bytes = 0;
	rewind_buffer(buffer);
	return true;
}

/* Moves the contents of the buffer to the log. Returns false if the stream had to stop. */
static bool flush(struct wire_block *buffer, uint32_t flags)
{
	struct runtime_work work = start_work();

	access_decoder_before_flush(buffer);
	bool ok = flush_block(buffer, flags);
	end_work(&work);
	return ok;
}

void thread_buffer_start(void)
{
	if (!thread_buffer_self.known)
		__sooth_lane = &nowhere;
}

void thread_buffer_number_streams_from(uint32_t first)
{
	atomic_store(&streams, first - 1);
}

uint32_t thread_buffer_new_stream(void)
{
	return atomic_fetch_add(&streams, 1) + 1;
}

void thread_buffer_hold(void)
{
	thread_buffer_self.known = true;
	use_sink();
}

void thread_buffer_begin(uint32_t stream)
{
	struct thread_buffer_self *self = &thread_buffer_self;

	self->known = true;
	self->stream = stream;
	if (!process_recording()) {
		use_sink();
		return;
	}
	struct wire_block *buffer = new_buffer(stream, 0);
	self->buffers[0] = buffer;
	if (buffer) {
		__sooth_lane = buffer;
	} else {
		self->ended = true;
		self->stopped = true;
		self->why =
			(uint8_t)(thread_buffer_given_up ? thread_buffer_given_up : EVENT_STOP_IO);
		if (stream == 0)
			thread_buffer_give_up(
				self->why); /* otherwise nothing would show that main is missing */
		process_stopped(self->why);
		use_sink();
	}
}

static void close_buffers(uint32_t flags)
{
	for (unsigned i = THREAD_BUFFER_DEPTHS; i-- > 0;) {
		struct wire_block *buffer = thread_buffer_self.buffers[i];
		if (!buffer)
			continue;
		thread_buffer_self.buffers[i] = NULL;
		if (thread_buffer_self.ended || (!process_discards() && !flush(buffer, flags)))
			return; /* the contents stay in the ring */
		ring_give(buffer);
	}
}

void thread_buffer_end(void)
{
	bool quiet = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	/* the thread may have been cancelled asynchronously, in an atomic operation */
	record_stripe_abandon();
	point_end_thread();
	close_buffers(WIRE_BLOCK_LAST);
	thread_buffer_self.ended = true;
	use_sink();
	thread_buffer_self.quiet = quiet;
}

void thread_buffer_serve(void)
{
	if (!thread_buffer_self.known)
		thread_buffer_refill();
	snapshot_exclude(sinks, sizeof(sinks));
}

/*
 * Opens the buffer again: the previous run may have released the chunk, and another thread may have
 * used it.
 */
void thread_buffer_restart(void)
{
	struct wire_block *buffer = thread_buffer_self.buffers[0];

	if (!buffer)
		return;
	*buffer = (struct wire_block){ .base = (uint64_t)buffer };
	open_buffer(buffer, thread_buffer_self.stream, 0);
}

void thread_buffer_close(void)
{
	thread_buffer_end();
}

void thread_buffer_after_fork(void)
{
	__sooth_lane = &nowhere; /* first: the old buffer belongs to the parent's pool */
	thread_buffer_self = (struct thread_buffer_self){ .quiet = true };
	thread_buffer_given_up = 0;
	ring_forget();
	atomic_store(&streams, 0);
}

/* ---- threads that were created without pthread_create ---------------------------------------- */

extern void *__libc_stack_end __attribute__((weak));

/* The first event of the main thread, or of a thread whose creation the runtime did not see. */
static void begin_unannounced_thread(void)
{
	bool is_main = getpid() == gettid();
	struct record_fields fields = { 0 };
	struct rlimit stack;

	if (!is_main)
		thread_prepare_end(); /* otherwise its buffer would never be released */
	thread_buffer_begin(is_main ? 0 : thread_buffer_new_stream());
	if (is_main && &__libc_stack_end && getrlimit(RLIMIT_STACK, &stack) == 0) {
		fields.b = ((uint64_t)__libc_stack_end + 4095) & ~4095ul;
		if (stack.rlim_cur != RLIM_INFINITY)
			fields.a = fields.b - stack.rlim_cur;
	}
	thread_buffer_self.quiet = false;
	if (record_on()) {
		record(EV_BEGIN, 0, fields);
		/* its creation was not seen: the thread comes after everything before */
		if (!is_main)
			record(EV_SYNC, 0, (struct record_fields){ 0 });
	}
	thread_buffer_self.quiet = true;
}

/* Called after a signal handler has ended the stream. */
static void end_stopped_stream(void)
{
	thread_buffer_stop_late();
	use_sink();
}

/*
 * Forbids cancellation, because the thread must not be cancelled asynchronously while `quiet` is
 * set.
 */
static void refill(void)
{
	int error = errno;
	struct cancel_before before = cancel_forbid();
	bool quiet = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	process_start();
	if (!process_started())
		use_sink();
	else if (!thread_buffer_self.known)
		begin_unannounced_thread();
	else if (is_sink(__sooth_lane))
		use_sink();
	else if (thread_buffer_self.ended)
		end_stopped_stream();
	else
		flush(__sooth_lane, 0);
	thread_buffer_self.quiet = quiet;
	errno = error;
	cancel_allow(before);
}

/*
 * If the deferred event is still there, lets exactly one segment pass: the runtime itself is
 * working, so the event must wait.
 */
static void postpone_deferred_event(void)
{
	if ((thread_buffer_self.due.kind || thread_buffer_self.opaque.pc) && is_open(__sooth_lane))
		__sooth_lane->limit = __sooth_lane->cursor;
}

void thread_buffer_refill(void)
{
	bool due = thread_buffer_is_due();

	if (due)
		deferred_event_record();
	if (!due || !thread_buffer_next_page())
		refill();
	postpone_deferred_event();
	record_let_cancel(); /* no earlier operation waits for its record any more */
}

struct wire_block *thread_buffer_make_room(size_t bytes)
{
	if (__sooth_lane == &nowhere)
		refill();
	struct wire_block *buffer = __sooth_lane;
	if (!(buffer->flags & WIRE_BLOCK_LIVE))
		return NULL;
	if (__builtin_expect(thread_buffer_given_up, 0) && !process_discards()) {
		stop_stream(buffer, (enum event_stop)thread_buffer_given_up);
		return NULL;
	}
	if (thread_buffer_has_room(buffer, bytes))
		return buffer;
	int error = errno;
	bool ok = flush(buffer, 0);
	errno = error;
	return ok && thread_buffer_has_room(buffer, bytes) ? buffer : NULL;
}

/* ---- signal handlers ------------------------------------------------------------------------- */

/* The buffer of a signal handler at this depth; NULL if it is too deep or nothing is recorded. */
static struct wire_block *handler_buffer(unsigned depth)
{
	struct thread_buffer_self *self = &thread_buffer_self;

	if (depth >= THREAD_BUFFER_DEPTHS || self->ended ||
	    !(__sooth_lane->flags & WIRE_BLOCK_LIVE))
		return NULL;
	if (!self->buffers[depth]) {
		struct wire_block *buffer =
			new_buffer(thread_buffer_new_stream(), WIRE_BLOCK_HANDLER);
		if (!buffer)
			return NULL;
		buffer->spare = self->stream;
		self->buffers[depth] = buffer;
		self->codecs[depth] = self->codec;
	}
	return self->buffers[depth];
}

void thread_buffer_settle(void)
{
	if (thread_buffer_self.next_at != __sooth_lane->cursor)
		return;
	thread_buffer_self.codec = thread_buffer_self.next;
	thread_buffer_self.numbered = 0;
}

void thread_buffer_enter_handler(int signal, struct thread_buffer_interrupted *interrupted)
{
	struct thread_buffer_self *self = &thread_buffer_self;
	struct wire_block *host = __sooth_lane;

	thread_buffer_settle();
	/*
	 * If the signal has arrived between an operation and its record, another thread may have
	 * observed the operation and then sent the signal. So the handler comes after both.
	 */
	uint64_t place = host->cursor - THREAD_BUFFER_FIRST(host) + (self->numbered != 0);
	unsigned depth = ++self->depth;

	*interrupted =
		(struct thread_buffer_interrupted){ host,	   self->codec,	   self->next,
						    self->next_at, self->numbered, self->quiet,
						    self->due,	   self->opaque };
	self->numbered = 0;
	self->due.kind = EV_NONE;
	self->opaque.pc = 0;
	/* no buffer is open yet; the first event in the handler makes the thread known */
	if (!self->known)
		return;
	self->quiet = true;
	struct wire_block *buffer = handler_buffer(depth);
	self->quiet = false;
	if (!buffer) {
		if (depth < THREAD_BUFFER_DEPTHS && !self->ended && is_open(host)) {
			/*
			 * The handler's events would be missing from the middle of the thread's
			 * events.
			 */
			self->ended = self->stopped = true;
			self->why = EVENT_STOP_IO;
			process_stopped(EVENT_STOP_IO);
		}
		use_sink();
		return;
	}
	__sooth_lane = buffer;
	self->codec = self->codecs[depth];
	record(EV_HANDLER, 0,
	       (struct record_fields){ .n = (uint64_t)signal, .a = host->number, .b = place });
	/* another thread may have sent the signal */
	record(EV_SYNC, 0, (struct record_fields){ 0 });
}

void thread_buffer_leave_handler(const struct thread_buffer_interrupted *interrupted)
{
	struct thread_buffer_self *self = &thread_buffer_self;
	unsigned depth = self->depth;

	if (interrupted->buffer == &nowhere) {
		/* The thread became known in its handler: it already has the right buffer. */
		self->numbered = interrupted->numbered;
		self->due = interrupted->due;
		self->opaque = interrupted->opaque;
		self->depth--;
		return;
	}
	if (__sooth_lane->flags & WIRE_BLOCK_HANDLER) {
		record(EV_HANDLER_END, 0, (struct record_fields){ 0 });
		self->codecs[depth] = self->codec;
	}
	__sooth_lane = interrupted->buffer;
	self->codec = interrupted->codec;
	self->next = interrupted->next;
	self->next_at = interrupted->next_at;
	self->numbered = interrupted->numbered;
	self->due = interrupted->due;
	self->opaque = interrupted->opaque;
	atomic_signal_fence(memory_order_seq_cst);
	self->depth--; /* last: until here, a nested handler writes to another buffer */
	self->quiet = interrupted->quiet;
	/*
	 * The interrupted code may have a half-written segment: the stream stops when that segment
	 * is complete.
	 */
	if (self->ended && is_open(__sooth_lane))
		__sooth_lane->limit = 0;
}

void thread_buffer_jumped(void)
{
	thread_buffer_self.quiet = false;
	record_stripe_abandon();
	/* The record for this number will never come: a TIME record replaces it. */
	if (thread_buffer_self.numbered) {
		thread_buffer_self.numbered = 0;
		record(EV_TIME, 0, (struct record_fields){ 0 });
	}
}
