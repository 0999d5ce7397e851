/*
 * Runtime records: everything that is not a plain access of instrumented code. A record is written
 * after the buffer's cursor and becomes visible when the cursor moves. The second half of this file
 * numbers the operations on each object, so that the reader can put them in order.
 */
#include "runtime/buffer/record.h"

#include "runtime/host/backoff.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/sync/lock_pattern.h"
#include "runtime/opaque/opaque.h"
#include "runtime/host/process.h"
#include "runtime/host/shared_mapping.h"
#include "runtime/sched/sched.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <x86intrin.h>

/* ---- records --------------------------------------------------------------------------------- */

#define HEADER_MAX (CODEC_LONG_HEADER + CODEC_FIELDS_MAX)

bool record_on(void)
{
	if (__builtin_expect(thread_buffer_self.quiet || thread_buffer_self.ended, 0)) {
		if (!thread_buffer_self.quiet)
			thread_buffer_stop_late();
		return sched_on(); /* its stream may have ended, but the thread still takes turns */
	}
	if (__builtin_expect(!thread_buffer_self.known, 0)) {
		process_start();
		return process_recording();
	}
	return (__sooth_lane->flags & WIRE_BLOCK_LIVE) != 0;
}

/*
 * The time of a record: when its sequence number was taken, if it has one, otherwise now. Times in
 * a stream never decrease. (Reading the clock costs as much as everything else: 28 ns on a virtual
 * machine.)
 */
static inline uint64_t time_of_record(unsigned set)
{
	uint64_t time = thread_buffer_self.numbered;

	if ((!(set & EVENT_FIELD_Q) && !thread_buffer_self.early) || !time)
		time = __rdtsc();
	return time > thread_buffer_self.codec.time ? time : thread_buffer_self.codec.time;
}

/*
 * Writes the fields of a record. The following record's differences will be taken from `next`, but
 * only once this record is committed: a signal handler may jump away before, and then this record
 * never existed.
 */
static inline __attribute__((always_inline)) uint8_t *put_fields(struct codec *next, uint8_t *p,
								 enum event_kind kind, unsigned set,
								 uintptr_t pc,
								 const struct record_fields *fields)
{
	struct codec_fields f = {
		.p = pc,
		.t = set & EVENT_FIELD_T || !set ? time_of_record(set) : 0,
		.q = fields->q,
		.a = fields->a,
		.b = fields->b,
		.n = fields->n,
		.m = fields->m,
	};
	*next = thread_buffer_self.codec;
	if (__builtin_expect(!set, 0))
		return codec_put_fields(next, p, event_fields(kind), &f);
	return codec_put_set(next, p, set, &f);
}

/*
 * Completes a record. It exists from the moment at which the cursor passes it; if the process is
 * killed before, there is no record.
 */
static void commit(struct wire_block *buffer, enum event_kind kind, size_t header,
		   const uint8_t *end, const struct codec *next)
{
	uint8_t *start = (uint8_t *)buffer->cursor;

	codec_put_header(start, kind, header, (size_t)(end - start) - header);
	thread_buffer_self.next = *next;
	thread_buffer_self.next_at = (uint64_t)end;
	atomic_signal_fence(memory_order_seq_cst);
	buffer->cursor = (uint64_t)end;
	atomic_signal_fence(memory_order_seq_cst);
	thread_buffer_self.codec = *next;
	if (event_field_set[kind] & EVENT_FIELD_Q)
		/* not earlier: see thread_buffer_enter_handler() */
		thread_buffer_self.numbered = 0;
	atomic_signal_fence(memory_order_seq_cst);
	thread_buffer_self.next_at = 0;
}

/*
 * A thread with asynchronous cancellation must not be cancelled between an operation and its
 * record.
 */
static void forbid_cancel(void)
{
	if (thread_buffer_self.held_off)
		return;
	thread_buffer_self.cancel = cancel_forbid();
	thread_buffer_self.held_off = true;
}

void record_let_cancel(void)
{
	if (__builtin_expect(!thread_buffer_self.held_off, 1))
		return;
	thread_buffer_self.held_off = false;
	cancel_allow(thread_buffer_self.cancel);
}

static void record_deferred_before(enum event_kind kind)
{
	switch (kind) {
	case EV_BEGIN:
	case EV_HANDLER: break; /* the first record of a stream */
	case EV_SYNC: deferred_event_is_done(); break;
	default: deferred_event_record();
	}
}

static inline void notice_interruption(void)
{
	if (__builtin_expect(thread_buffer_self.asynchronous, 0) && sched_on())
		sched_check_torn_segment();
}

/*
 * Objects of memory that is mapped more than once are recorded under one address. Plain accesses
 * and atomics are not: the order around values that come from another address is frozen.
 */
static bool names_object(enum event_kind kind)
{
	switch (event_group(kind)) {
	case EG_LOCK:
	case EG_CONDITION:
	case EG_SEMAPHORE:
	case EG_BARRIER:
	case EG_ONCE: return true;
	default: return kind == EV_MISUSE;
	}
}

static __attribute__((noinline)) void identify(enum event_kind kind, struct record_fields *fields)
{
	if (!names_object(kind))
		return;
	fields->a = shared_mapping_find(fields->a);
	if (kind == EV_WAIT || kind == EV_WOKEN)
		fields->b = shared_mapping_find(fields->b);
}

void record_event(enum event_kind kind, uintptr_t pc, const struct record_fields *fields)
{
	bool opaque = opaque_goes_on(kind, pc);
	struct record_fields identified;

	if (__builtin_expect(shared_mapping_any, 0)) {
		identified = *fields;
		identify(kind, &identified);
		fields = &identified;
	}
	notice_interruption();
	if (thread_buffer_is_due())
		record_deferred_before(kind);
	if (sched_on() && process_discards() && thread_buffer_self.known) {
		sched_recorded(kind, pc, fields, NULL, 0);
		if (opaque)
			opaque_go_on(kind, pc);
		return;
	}
	struct wire_block *buffer =
		thread_buffer_room(HEADER_MAX); /* may record the thread's BEGIN */
	struct codec next;

	if (sched_on())
		sched_recorded(kind, pc, fields, NULL, 0);

	if (__builtin_expect(lock_pattern_on, 0))
		lock_pattern_update(kind, pc, fields);
	if (buffer) {
		uint8_t *start = (uint8_t *)buffer->cursor + CODEC_SHORT_HEADER;
		commit(buffer, kind, CODEC_SHORT_HEADER,
		       put_fields(&next, start, kind, event_field_set[kind], pc, fields), &next);
	}
	if (opaque)
		opaque_go_on(kind, pc);
	record_let_cancel();
}

/* One record can be open in a thread, and one more in each signal handler that interrupts it. */
static SOOTH_TLS struct {
	struct wire_block *buffer;
	uint8_t *end;
	enum event_kind kind;
	size_t header;
	struct codec next;
	bool opaque;	/* opaque_goes_on() */
	uint8_t *bytes; /* this field and the next two are for the scheduler */
	uintptr_t pc;
	struct record_fields fields;
} open_record[THREAD_BUFFER_DEPTHS];

void *record_scratch(size_t *bytes)
{
	*bytes = sizeof(open_record);
	return open_record;
}

static size_t header_for(size_t raw_bytes)
{
	return raw_bytes + CODEC_FIELDS_MAX < 255 ? CODEC_SHORT_HEADER : CODEC_LONG_HEADER;
}

void *record_open(enum event_kind kind, uintptr_t pc, struct record_fields fields, size_t size)
{
	bool opaque = opaque_goes_on(kind, pc);

	notice_interruption();
	if (thread_buffer_is_due())
		deferred_event_record();
	struct wire_block *buffer = thread_buffer_room(HEADER_MAX + size);
	unsigned depth = thread_buffer_self.depth;

	if (!buffer || depth >= THREAD_BUFFER_DEPTHS) {
		if (sched_on())
			sched_recorded(kind, pc, &fields, NULL, 0);
		record_let_cancel();
		return NULL;
	}
	size_t header = header_for(size);
	uint8_t *bytes = put_fields(&open_record[depth].next, (uint8_t *)buffer->cursor + header,
				    kind, event_field_set[kind], pc, &fields);
	open_record[depth].buffer = buffer;
	open_record[depth].end = bytes + size;
	open_record[depth].kind = kind;
	open_record[depth].header = header;
	open_record[depth].opaque = opaque;
	open_record[depth].pc = pc;
	if (sched_on()) {
		open_record[depth].bytes = bytes;
		open_record[depth].fields = fields;
	}
	return bytes;
}

void record_close(void)
{
	unsigned depth = thread_buffer_self.depth;

	if (sched_on())
		sched_recorded(open_record[depth].kind, open_record[depth].pc,
			       &open_record[depth].fields, open_record[depth].bytes,
			       (size_t)(open_record[depth].end - open_record[depth].bytes));
	commit(open_record[depth].buffer, open_record[depth].kind, open_record[depth].header,
	       open_record[depth].end, &open_record[depth].next);
	if (open_record[depth].opaque)
		opaque_go_on(open_record[depth].kind, open_record[depth].pc);
	record_let_cancel();
}

/*
 * Writes a record whose raw bytes are available: `size` bytes from `first` and, if `second` is
 * given, `size` bytes from `second`. `set`, the event_field_set of `kind`, is a constant in each
 * call.
 */
static inline __attribute__((always_inline)) void
write_record_with_bytes(enum event_kind kind, unsigned set, uintptr_t pc,
			const struct record_fields *fields, size_t size, const void *first,
			const void *second)
{
	bool opaque = opaque_goes_on(kind, pc);

	notice_interruption();
	if (thread_buffer_is_due())
		deferred_event_record();
	size_t all = second ? 2 * size : size, header = header_for(all);
	struct wire_block *buffer = thread_buffer_room(HEADER_MAX + all);
	uint8_t *bytes = NULL;
	struct codec next;

	if (buffer) {
		bytes = put_fields(&next, (uint8_t *)buffer->cursor + header, kind, set, pc,
				   fields);
		memcpy(bytes, first, size);
		if (second)
			memcpy(bytes + size, second, size);
	}
	if (sched_on())
		sched_recorded(kind, pc, fields, bytes, bytes ? all : 0);
	if (buffer)
		commit(buffer, kind, header, bytes + all, &next);
	if (opaque)
		opaque_go_on(kind, pc);
	record_let_cancel();
}

#define ACCESS_SET (EVENT_FIELD_P | EVENT_FIELD_A | EVENT_FIELD_N | EVENT_FIELD_M)
#define ATOMIC_SET (ACCESS_SET | EVENT_FIELD_T | EVENT_FIELD_Q)

void record_access(enum event_kind kind, uintptr_t pc, const volatile void *at, const void *bytes,
		   size_t size, unsigned flags)
{
	struct record_fields fields = { .a = (uintptr_t)at, .n = size, .m = flags };

	write_record_with_bytes(kind, ACCESS_SET, pc, &fields, size, bytes, NULL);
}

void record_atomic(enum event_kind kind, uintptr_t pc, const struct record_fields *fields,
		   const void *value, const void *updated)
{
	write_record_with_bytes(kind, ATOMIC_SET, pc, fields, fields->n, value, updated);
}

void record_unmodelled(uintptr_t pc, const char *name)
{
	size_t length = strlen(name);
	void *bytes = record_open(EV_UNMODELLED, pc, (struct record_fields){ 0 }, length);

	if (!bytes)
		return;
	memcpy(bytes, name, length);
	record_close();
}

/* ---- the order of what happens to one object ------------------------------------------------- */

/*
 * Objects share counters by a hash of their address. The numbers of one object still increase,
 * which is all that is required, and nothing has to be allocated or looked up.
 */
#define STRIPES 1024u
#define STRIPE_PATIENCE (1ull << 31) /* ticks: about a second */
static struct {
	_Atomic uintptr_t holder; /* identifies the thread that has locked it; 0: free */
	_Atomic uint64_t sequence;
} __attribute__((aligned(64))) stripes[STRIPES];

static unsigned stripe_of(const volatile void *object)
{
	uint64_t identity = shared_mapping_identity((uintptr_t)object);

	return (unsigned)((identity >> 3) * 0x9e3779b97f4a7c15ull >> 54);
}

uint64_t record_sequence(const volatile void *object)
{
	if (sched_on() && process_discards())
		/* nothing reads the number in such a run; reading the clock alone takes 28 ns */
		return 0;
	if (!thread_buffer_self.numbered)
		thread_buffer_self.numbered = __rdtsc();
	atomic_signal_fence(memory_order_seq_cst);
	return atomic_fetch_add(&stripes[stripe_of(object)].sequence, 1) + 1;
}

static uintptr_t thread_name(void)
{
	return (uintptr_t)&thread_buffer_self;
}

/*
 * Notes the stripe before the attempt to lock it. So the stripe is known if a jump leaves it
 * locked.
 */
static void claim_stripe(const volatile void *object)
{
	thread_buffer_self.stripe = (uint16_t)stripe_of(object);
	thread_buffer_self.stripe_depth = (uint16_t)thread_buffer_self.depth;
	thread_buffer_self.stripe_held = true;
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Waits until the stripe may be free. Its holder may not be running, so the wait gives the
 * processor to other threads. But the holder may also be interrupted by a signal handler that waits
 * for this thread (garbage collectors stop all threads in this way). So after STRIPE_PATIENCE this
 * returns false, and the caller continues without the stripe.
 */
static bool wait_for_stripe(const _Atomic uintptr_t *holder, unsigned *spins, uint64_t *since)
{
	if (!*since)
		*since = __rdtsc();
	while (atomic_load_explicit(holder, memory_order_relaxed)) {
		_mm_pause();
		if (++*spins % 64)
			continue;
		backoff(*spins / 64 - 1);
		if (__rdtsc() - *since > STRIPE_PATIENCE)
			return false;
	}
	return true;
}

bool record_stripe_lock(const volatile void *object)
{
	_Atomic uintptr_t *holder = &stripes[stripe_of(object)].holder;
	unsigned spins = 0;
	uint64_t since = 0;

	if (thread_buffer_self.stripe_held)
		return false;
	if (__builtin_expect(thread_buffer_self.asynchronous, 0))
		forbid_cancel();
	for (;;) {
		uintptr_t nobody = 0;
		claim_stripe(object);
		if (atomic_compare_exchange_strong_explicit(holder, &nobody, thread_name(),
							    memory_order_acquire,
							    memory_order_relaxed))
			return true;
		thread_buffer_self.stripe_held =
			/* a thread that is interrupted while it waits has nothing to release */
			false;
		if (!wait_for_stripe(holder, &spins, &since))
			return false;
	}
}

void record_stripe_unlock(const volatile void *object)
{
	atomic_store_explicit(&stripes[stripe_of(object)].holder, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	thread_buffer_self.stripe_held = false;
}

/*
 * A thread that is interrupted in record_stripe_lock() or record_stripe_unlock() may have set
 * `stripe_held` without holding the stripe, and another thread may hold it. So the stripe is
 * released only if the calling thread is its holder. (Otherwise the order of two operations would
 * be lost: the second would find a value that the operation with the preceding number did not
 * leave.)
 */
void record_stripe_abandon(void)
{
	uintptr_t mine = thread_name();

	if (!thread_buffer_self.stripe_held ||
	    thread_buffer_self.stripe_depth < thread_buffer_self.depth)
		return;
	atomic_compare_exchange_strong_explicit(&stripes[thread_buffer_self.stripe].holder, &mine,
						0, memory_order_release, memory_order_relaxed);
	thread_buffer_self.stripe_held = false;
}

void record_after_fork(void)
{
	for (unsigned i = 0; i < STRIPES; i++)
		atomic_store_explicit(&stripes[i].holder, 0, memory_order_relaxed);
}
