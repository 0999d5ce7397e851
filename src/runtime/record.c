#include "runtime/record.h"

#include "runtime/lane.h"
#include "runtime/process.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <x86intrin.h>

/* ---- records ------------------------------------------------------------------------------ */

#define HEADER_MAX (4 + 7 * 10) /* the word and the most a record's LEB128 fields can take */

bool record_on(void)
{
	if (__builtin_expect(lane_self.quiet || lane_self.ended, 0))
		return false;
	if (__builtin_expect(!lane_self.known, 0)) {
		process_start();
		return process_recording();
	}
	return (__sooth_lane->flags & WIRE_BLOCK_LIVE) != 0;
}

static uint8_t *put(uint8_t *p, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*p++ = (uint8_t)(value | 128);
	*p++ = (uint8_t)value;
	return p;
}

/* The fields of a record, as event.def lists them. Returns where its raw bytes start. */
static uint8_t *put_fields(uint8_t *p, enum event_kind kind, uintptr_t pc,
			   const struct record_fields *fields)
{
	uint64_t now;

	for (const char *f = event_fields(kind); *f; f++) {
		switch (*f) {
		case 'p': p = put(p, pc); break;
		case 'q': p = put(p, fields->q); break;
		case 'a': p = put(p, fields->a); break;
		case 'b': p = put(p, fields->b); break;
		case 'n': p = put(p, fields->n); break;
		case 'm': p = put(p, fields->m); break;
		case 't':
			now = __rdtsc();
			p = put(p, now - lane_self.time);
			lane_self.time = now;
			break;
		}
	}
	return p;
}

/* The record is there when the cursor has passed it; a SIGKILL before that leaves none. */
static void commit(struct wire_block *lane, enum event_kind kind, const uint8_t *end)
{
	uint8_t *start = (uint8_t *)lane->cursor;
	uint32_t h = WIRE_RECORD(kind, end - start - 4);

	memcpy(start, &h, sizeof(h));
	atomic_signal_fence(memory_order_seq_cst);
	lane->cursor = (uint64_t)end;
}

void record(enum event_kind kind, uintptr_t pc, struct record_fields fields)
{
	struct wire_block *lane = lane_room(HEADER_MAX);

	if (lane)
		commit(lane, kind, put_fields((uint8_t *)lane->cursor + 4, kind, pc, &fields));
}

/* One record can be open in a thread, and one more in each signal handler that cuts in. */
static SOOTH_TLS struct {
	struct wire_block *lane;
	uint8_t *end;
	enum event_kind kind;
} open_record[LANE_DEPTHS];

void *record_open(enum event_kind kind, uintptr_t pc, struct record_fields fields, size_t size)
{
	struct wire_block *lane = lane_room(HEADER_MAX + size);
	unsigned depth = lane_self.depth;

	if (!lane || depth >= LANE_DEPTHS)
		return NULL;
	uint8_t *bytes = put_fields((uint8_t *)lane->cursor + 4, kind, pc, &fields);
	open_record[depth].lane = lane;
	open_record[depth].end = bytes + size;
	open_record[depth].kind = kind;
	return bytes;
}

void record_close(void)
{
	unsigned depth = lane_self.depth;

	commit(open_record[depth].lane, open_record[depth].kind, open_record[depth].end);
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

/* ---- the order of what happens to one object ----------------------------------------------- */

/*
 * Objects share counters by a hash of their address: the numbers of one object still rise, which
 * is all that is asked of them, and nothing has to be allocated or looked up.
 */
#define STRIPES 1024u
static struct {
	_Atomic uint32_t locked;
	_Atomic uint64_t sequence;
} __attribute__((aligned(64))) stripes[STRIPES];

static unsigned stripe_of(const volatile void *object)
{
	return (unsigned)(((uintptr_t)object >> 3) * 0x9e3779b97f4a7c15ull >> 54);
}

uint64_t record_sequence(const volatile void *object)
{
	return atomic_fetch_add(&stripes[stripe_of(object)].sequence, 1) + 1;
}

bool record_stripe_lock(const volatile void *object)
{
	_Atomic uint32_t *locked = &stripes[stripe_of(object)].locked;

	if (lane_self.stripe_held)
		return false;
	lane_self.stripe_held = true;
	atomic_signal_fence(memory_order_seq_cst);
	for (unsigned spins = 0; atomic_exchange_explicit(locked, 1, memory_order_acquire);) {
		while (atomic_load_explicit(locked, memory_order_relaxed)) {
			_mm_pause();
			if (++spins % 64 == 0) /* its holder is not running: let it */
				sched_yield();
		}
	}
	return true;
}

void record_stripe_unlock(const volatile void *object)
{
	atomic_store_explicit(&stripes[stripe_of(object)].locked, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	lane_self.stripe_held = false;
}
