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

/* A lane without room: the first segment of a thread comes to thread_buffer_refill. */
static struct wire_block nowhere = { .cursor = 1, .limit = 0 };

SOOTH_TLS struct wire_block *__sooth_lane = &nowhere;
SOOTH_TLS struct thread_buffer_self thread_buffer_self;

PER_RUN static _Atomic uint32_t streams; /* that were numbered, but for main's, which is 0 */

/* ---- lanes whose contents nobody wants --------------------------------------------------- */

/*
 * For processes that are not recorded, threads that have ended and streams that had to stop.
 * Threads share them: the cursor they race on can never leave the sink, since each store of it is
 * a position checked against the limit plus at most one segment. Several, so that threads of an
 * unrecorded program rarely share a cache line.
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

static bool is_sink(const struct wire_block *lane)
{
	return (uintptr_t)lane - (uintptr_t)sinks < sizeof(sinks);
}

/* ---- making, flushing and ending lanes --------------------------------------------------- */

static void rewind_lane(struct wire_block *lane)
{
	lane->cursor = THREAD_BUFFER_FIRST(lane);
	lane->time = process_discards() ? 0 : __rdtsc();
	thread_buffer_self.codec = (struct codec){ .time = lane->time };
	lane->limit = lane->cursor + WIRE_PAGE;
	access_decoder_after_flush(lane);
}

/* Makes a chunk, all zero but for its base, a lane. */
static void open_lane(struct wire_block *lane, uint32_t stream, uint32_t flags)
{
	lane->stream = stream;
	lane->flags = flags;
	rewind_lane(lane);
	lane->magic = WIRE_BLOCK_MAGIC;
	atomic_signal_fence(memory_order_seq_cst);
	lane->flags = flags | WIRE_BLOCK_LIVE;
}

/*
 * While the runtime is at work for the calling thread: nothing of it is recorded, it is not cancelled
 * at a call of ours or, asynchronously, anywhere, and no handler cuts in, which might jump away and
 * leave things half done. That is two system calls; where nothing is written it is not done, and
 * with log=global, which writes each record, the log itself sees to it (thread_buffer_jumped).
 */
struct at_work {
	struct signal_mask mask;
	struct cancel_before cancel;
	bool quiet;
};

/*
 * A stack that is full has its fault here, where a handler can have it, and not with all signals
 * blocked. What is done behind this (flush, log_append, file_io_use, process_say) takes less.
 */
#define WORK_STACK 2048
static inline void touch_stack(void)
{
	*((volatile char *)__builtin_frame_address(0) - WORK_STACK) = 0;
}

static struct at_work start_work(void)
{
	struct at_work work = { 0 };

	if (!process_discards()) {
		touch_stack();
		work.cancel = cancel_forbid();
		work.mask = signal_mask_all();
	}
	work.quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	return work;
}

static void end_work(const struct at_work *work)
{
	thread_buffer_self.quiet = work->quiet;
	signal_mask_restore(work->mask);
	if (!process_discards())
		cancel_allow(work->cancel);
}

static struct wire_block *new_lane(uint32_t stream, uint32_t flags)
{
	struct at_work work = start_work();
	struct wire_block *lane = thread_buffer_given_up ? NULL : ring_take();

	if (lane)
		open_lane(lane, stream, flags);
	end_work(&work);
	return lane;
}

/*
 * The stream ends here: what the lane holds stays in the ring, with a note why, and the thread
 * goes on without being recorded.
 */
static void stop(struct wire_block *lane, enum event_stop why)
{
	uint8_t *start = (uint8_t *)lane->cursor;
	struct codec_fields fields = { .t = thread_buffer_self.codec.time, .m = why };
	uint8_t *end = codec_put_fields(&thread_buffer_self.codec, start + CODEC_SHORT_HEADER,
					event_fields(EV_STOP), &fields);

	lane->bytes = 0;
	codec_put_header(start, EV_STOP, CODEC_SHORT_HEADER,
			 (size_t)(end - start) - CODEC_SHORT_HEADER);
	atomic_signal_fence(memory_order_seq_cst);
	lane->cursor = (uint64_t)end;
	thread_buffer_self.ended = true;
	thread_buffer_self.stopped = true;
	thread_buffer_self.why = (uint8_t)why;
	process_stopped(why);
	use_sink();
}

_Atomic int thread_buffer_given_up;

static bool is_open(const struct wire_block *lane)
{
	return (lane->flags & WIRE_BLOCK_LIVE) && !is_sink(lane);
}

void thread_buffer_hurry(struct wire_block *lane)
{
	if (is_open(lane))
		__atomic_store_n(&lane->limit, 0, __ATOMIC_SEQ_CST);
}

void thread_buffer_give_up(int why)
{
	int none = 0;

	atomic_compare_exchange_strong(&thread_buffer_given_up, &none, why);
	if (is_open(__sooth_lane))
		stop(__sooth_lane, why);
	process_stopped(why);
}

void thread_buffer_stop_late(void)
{
	if (is_open(__sooth_lane) && thread_buffer_self.stopped)
		stop(__sooth_lane, thread_buffer_self.why);
}

/* Only a thread's own lane has a batch: its handlers write little. */
static enum log_result append(const struct wire_block *lane)
{
	if (lane->flags & WIRE_BLOCK_HANDLER)
		return log_append(lane);
	if (lane->flags & WIRE_BLOCK_LAST)
		return write_batch_end(&thread_buffer_self.batch, lane);
	return write_batch_append(&thread_buffer_self.batch, lane);
}

static bool flush_block(struct wire_block *lane, uint32_t flags)
{
	if (process_discards()) {
		lane->number++;
		rewind_lane(lane);
		return true;
	}
	if (thread_buffer_given_up || process_over_limit()) {
		stop(lane, thread_buffer_given_up ? (enum event_stop)thread_buffer_given_up
						  : EVENT_STOP_LIMIT);
		return false;
	}
	lane->bytes = (uint32_t)(lane->cursor - THREAD_BUFFER_FIRST(lane));
	lane->flags |= flags;
	enum log_result result = append(lane);
	if (result != LOG_WRITTEN) {
		stop(lane, result == LOG_NO_SPACE ? EVENT_STOP_NO_SPACE : EVENT_STOP_IO);
		return false;
	}
	/* Killed between these lines, the block stands in the log and here: the reader knows. */
	lane->cursor = THREAD_BUFFER_FIRST(lane);
	atomic_signal_fence(memory_order_seq_cst);
	lane->number++;
	lane->bytes = 0;
	rewind_lane(lane);
	return true;
}

/* Moves what the lane holds to the log. False: the stream had to stop. */
static bool flush(struct wire_block *lane, uint32_t flags)
{
	struct at_work work = start_work();

	access_decoder_before_flush(lane);
	bool ok = flush_block(lane, flags);
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
	struct wire_block *lane = new_lane(stream, 0);
	self->lanes[0] = lane;
	if (lane) {
		__sooth_lane = lane;
	} else {
		self->ended = true;
		self->stopped = true;
		self->why =
			(uint8_t)(thread_buffer_given_up ? thread_buffer_given_up : EVENT_STOP_IO);
		if (stream == 0)
			thread_buffer_give_up(
				self->why); /* nothing would tell that main is missing */
		process_stopped(self->why);
		use_sink();
	}
}

static void close_lanes(uint32_t flags)
{
	for (unsigned i = THREAD_BUFFER_DEPTHS; i-- > 0;) {
		struct wire_block *lane = thread_buffer_self.lanes[i];
		if (!lane)
			continue;
		thread_buffer_self.lanes[i] = NULL;
		if (thread_buffer_self.ended || (!process_discards() && !flush(lane, flags)))
			return; /* what is there stays in the ring */
		ring_give(lane);
	}
}

void thread_buffer_end(void)
{
	bool quiet = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	record_stripe_abandon(); /* cancelled asynchronously, in an atomic operation */
	point_end_thread();
	close_lanes(WIRE_BLOCK_LAST);
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

/* The run before may have given the chunk back, and another thread may have used it. */
void thread_buffer_restart(void)
{
	struct wire_block *lane = thread_buffer_self.lanes[0];

	if (!lane)
		return;
	*lane = (struct wire_block){ .base = (uint64_t)lane };
	open_lane(lane, thread_buffer_self.stream, 0);
}

void thread_buffer_close(void)
{
	thread_buffer_end();
}

void thread_buffer_after_fork(void)
{
	__sooth_lane = &nowhere; /* first: the one there was goes with its parent's pool */
	thread_buffer_self = (struct thread_buffer_self){ .quiet = true };
	thread_buffer_given_up = 0;
	ring_forget();
	atomic_store(&streams, 0);
}

/* ---- threads we were not told of ---------------------------------------------------------- */

extern void *__libc_stack_end __attribute__((weak));

/* The main thread, or one made behind our back: its first event is here. */
static void begin_unknown(void)
{
	bool is_main = getpid() == gettid();
	struct record_fields fields = { 0 };
	struct rlimit stack;

	if (!is_main)
		thread_expect_end(); /* or its lane is kept for ever */
	thread_buffer_begin(is_main ? 0 : thread_buffer_new_stream());
	if (is_main && &__libc_stack_end && getrlimit(RLIMIT_STACK, &stack) == 0) {
		fields.b = ((uint64_t)__libc_stack_end + 4095) & ~4095ul;
		if (stack.rlim_cur != RLIM_INFINITY)
			fields.a = fields.b - stack.rlim_cur;
	}
	thread_buffer_self.quiet = false;
	if (record_on()) {
		record(EV_BEGIN, 0, fields);
		if (!is_main) /* whatever made it may have waited for anything */
			record(EV_SYNC, 0, (struct record_fields){ 0 });
	}
	thread_buffer_self.quiet = true;
}

/* A handler has ended the stream. */
static void end_late(void)
{
	thread_buffer_stop_late();
	use_sink();
}

/* The program may be cancelled here at any moment if it wants to; but not with `quiet` set. */
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
		begin_unknown();
	else if (is_sink(__sooth_lane))
		use_sink();
	else if (thread_buffer_self.ended)
		end_late();
	else
		flush(__sooth_lane, 0);
	thread_buffer_self.quiet = quiet;
	errno = error;
	cancel_allow(before);
}

/* The segment at hand, but no other: the runtime itself is at work, and what is due must wait. */
static void put_off_due(void)
{
	if (thread_buffer_self.due.kind && is_open(__sooth_lane))
		__sooth_lane->limit = __sooth_lane->cursor;
}

void thread_buffer_refill(void)
{
	bool due = thread_buffer_is_due();

	if (due)
		deferred_event_record();
	if (!due || !thread_buffer_next_page())
		refill();
	put_off_due();
	record_let_cancel(); /* there is no operation in front of this that is to be recorded */
}

struct wire_block *thread_buffer_make_room(size_t bytes)
{
	if (__sooth_lane == &nowhere)
		refill();
	struct wire_block *lane = __sooth_lane;
	if (!(lane->flags & WIRE_BLOCK_LIVE))
		return NULL;
	if (__builtin_expect(thread_buffer_given_up, 0) && !process_discards()) {
		stop(lane, (enum event_stop)thread_buffer_given_up);
		return NULL;
	}
	if (thread_buffer_has_room(lane, bytes))
		return lane;
	int error = errno;
	bool ok = flush(lane, 0);
	errno = error;
	return ok && thread_buffer_has_room(lane, bytes) ? lane : NULL;
}

/* ---- signal handlers ---------------------------------------------------------------------- */

/* The lane of a handler at this depth; NULL when it is too deep or nothing is recorded. */
static struct wire_block *handler_lane(unsigned depth)
{
	struct thread_buffer_self *self = &thread_buffer_self;

	if (depth >= THREAD_BUFFER_DEPTHS || self->ended ||
	    !(__sooth_lane->flags & WIRE_BLOCK_LIVE))
		return NULL;
	if (!self->lanes[depth]) {
		struct wire_block *lane = new_lane(thread_buffer_new_stream(), WIRE_BLOCK_HANDLER);
		if (!lane)
			return NULL;
		lane->spare = self->stream;
		self->lanes[depth] = lane;
		self->codecs[depth] = self->codec;
	}
	return self->lanes[depth];
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
	 * Between an operation and its record another may have learned of it already, and sent the
	 * signal: then the handler is behind both.
	 */
	uint64_t place = host->cursor - THREAD_BUFFER_FIRST(host) + (self->numbered != 0);
	unsigned depth = ++self->depth;

	*interrupted = (struct thread_buffer_interrupted){
		host, self->codec, self->next, self->next_at, self->numbered, self->quiet, self->due
	};
	self->numbered = 0;
	self->due.kind = EV_NONE;
	if (!self->known) /* nothing is open yet; the handler's first event makes this a thread */
		return;
	self->quiet = true;
	struct wire_block *lane = handler_lane(depth);
	self->quiet = false;
	if (!lane) {
		if (depth < THREAD_BUFFER_DEPTHS && !self->ended && is_open(host)) {
			/* What it does would be missing from the middle of the thread's doings. */
			self->ended = self->stopped = true;
			self->why = EVENT_STOP_IO;
			process_stopped(EVENT_STOP_IO);
		}
		use_sink();
		return;
	}
	__sooth_lane = lane;
	self->codec = self->codecs[depth];
	record(EV_HANDLER, 0,
	       (struct record_fields){ .n = (uint64_t)signal, .a = host->number, .b = place });
	record(EV_SYNC, 0, (struct record_fields){ 0 }); /* somebody may have sent it */
}

void thread_buffer_leave_handler(const struct thread_buffer_interrupted *interrupted)
{
	struct thread_buffer_self *self = &thread_buffer_self;
	unsigned depth = self->depth;

	if (interrupted->lane == &nowhere) {
		/* The thread became known in its handler: its lane is the right one. */
		self->numbered = interrupted->numbered;
		self->due = interrupted->due;
		self->depth--;
		return;
	}
	if (__sooth_lane->flags & WIRE_BLOCK_HANDLER) {
		record(EV_HANDLER_END, 0, (struct record_fields){ 0 });
		self->codecs[depth] = self->codec;
	}
	__sooth_lane = interrupted->lane;
	self->codec = interrupted->codec;
	self->next = interrupted->next;
	self->next_at = interrupted->next_at;
	self->numbered = interrupted->numbered;
	self->due = interrupted->due;
	atomic_signal_fence(memory_order_seq_cst);
	self->depth--; /* last: who cuts in before writes to another lane */
	self->quiet = interrupted->quiet;
	/* What was interrupted may have a segment half written: it stops when that is done. */
	if (self->ended && is_open(__sooth_lane))
		__sooth_lane->limit = 0;
}

void thread_buffer_jumped(void)
{
	thread_buffer_self.quiet = false;
	record_stripe_abandon();
	if (thread_buffer_self
		    .numbered) { /* its record never comes: this stands for it, for thread_buffer_enter_handler */
		thread_buffer_self.numbered = 0;
		record(EV_TIME, 0, (struct record_fields){ 0 });
	}
}
