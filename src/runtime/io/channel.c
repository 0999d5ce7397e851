/* The table of channels, and counters of the bytes that were put in and taken out. */
#include "runtime/io/channel.h"

#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"

#include <stdatomic.h>

/*
 * A channel number is not reused, so a channel's name in the trace stands for one channel only.
 * When all numbers are in use, calls on new pipes and sockets are recorded with SYNC.
 */
#define CHANNELS_MOST (1u << 15)
#define NAME_STEP 8u /* names are small addresses, where no memory is mapped */

static struct {
	_Atomic bool known, uneven; /* uneven: bytes may never come out (truncated datagrams) */
	_Atomic bool crowded;	    /* a call found no room */
	_Atomic uint32_t putting;   /* calls that are putting something in */
	_Atomic uint32_t taking;    /* calls that are taking something out */
	_Atomic uint32_t takers;    /* number of descriptors that take from it */
	_Atomic uint64_t sent, received;
	_Atomic uint64_t spent;	  /* of the capacity, if nothing had been taken out */
	_Atomic uint64_t content; /* bytes that have been in it at once, or surely fit */
	struct channel_capacity capacity;
} channels[CHANNELS_MOST];
static _Atomic uint32_t last;

static void *name_of(uint32_t channel)
{
	return (void *)(uintptr_t)(channel * NAME_STEP);
}

uint32_t channel_make(uint64_t holds, struct channel_capacity capacity)
{
	if (atomic_load_explicit(&last, memory_order_relaxed) >= CHANNELS_MOST - 1)
		return CHANNEL_NONE;
	uint32_t channel = atomic_fetch_add(&last, 1) + 1;
	if (channel >= CHANNELS_MOST)
		return CHANNEL_NONE;
	channels[channel].capacity = capacity;
	atomic_store(&channels[channel].content, capacity.bytes);
	atomic_store(&channels[channel].sent, holds);
	atomic_store(&channels[channel].known, true);
	return channel;
}

bool channel_is_known(uint32_t channel)
{
	return channel && atomic_load_explicit(&channels[channel].known, memory_order_acquire);
}

void channel_lose(uint32_t channel)
{
	if (channel)
		atomic_store(&channels[channel].known, false);
}

static _Atomic bool company;

bool channel_has_other_process(void)
{
	return atomic_load_explicit(&company, memory_order_relaxed);
}

void channel_lose_all(void)
{
	uint32_t count = atomic_load(&last);

	atomic_store_explicit(&company, true, memory_order_relaxed);
	for (uint32_t i = 1; i <= count && i < CHANNELS_MOST; i++) {
		if (channel_is_known(i)) /* writing to unused entries would touch pages */
			channel_lose(i);
	}
}

/*
 * Number of calls that began to put bytes in (`begun`) and of calls that took bytes out (`taken`),
 * indexed by the channel number modulo CHANNEL_COUNTERS.
 */
static struct {
	_Atomic uint32_t begun, taken;
} counts[CHANNEL_COUNTERS];

/*
 * Records an event of a channel. The caller changed the counters and took the sequence number
 * `number` together, under the stripe's lock. So if another thread takes a sequence number under
 * that lock and finds that a counter has not changed since the thread's snapshot, all later calls
 * have higher sequence numbers.
 */
static void record_channel(enum event_kind kind, enum event_channel mode, uint64_t number,
			   uint32_t channel, uintptr_t pc)
{
	record(kind, pc,
	       (struct record_fields){ .q = number, .a = (uintptr_t)name_of(channel), .m = mode });
}

void channel_send(uint32_t channel, uint64_t bytes, uintptr_t pc)
{
	if (!channel_is_known(channel))
		return;
	if (!record_on()) {
		channel_lose(channel); /* the bytes put in will not be recorded */
		return;
	}
	bool alone = record_stripe_lock(name_of(channel));
	atomic_fetch_add(&channels[channel].putting, 1);
	atomic_fetch_add(&counts[channel % CHANNEL_COUNTERS].begun, 1);
	atomic_fetch_add(&channels[channel].sent, bytes);
	if (channels[channel].capacity.bytes != UINT64_MAX)
		atomic_fetch_add(&channels[channel].spent, bytes + channels[channel].capacity.each);
	uint64_t number = record_sequence(name_of(channel));
	if (alone)
		record_stripe_unlock(name_of(channel));
	record_channel(EV_SEND, EVENT_CHANNEL_BYTES, number, channel, pc);
}

void channel_sent(uint32_t channel, uint64_t less)
{
	if (!channel_is_known(channel))
		return;
	if (less)
		atomic_fetch_sub(&channels[channel].sent, less);
	atomic_fetch_sub(&channels[channel].putting, 1);
}

static uint64_t content_of(uint32_t channel)
{
	return atomic_load(&channels[channel].sent) - atomic_load(&channels[channel].received);
}

void channel_was_full(uint32_t channel)
{
	if (!channel_is_known(channel))
		return;
	uint64_t content = content_of(channel);
	if (content > atomic_load(&channels[channel].content))
		atomic_store(&channels[channel].content, content);
	atomic_store(&channels[channel].crowded, true);
}

bool channel_fits_all(uint32_t channel)
{
	return channel_is_known(channel) && !atomic_load(&channels[channel].crowded) &&
	       atomic_load(&channels[channel].spent) <= channels[channel].capacity.bytes;
}

void channel_taking(uint32_t channel, bool begins)
{
	if (channel)
		atomic_fetch_add(&channels[channel].taking, begins ? 1u : -1u);
}

/*
 * A call that took something out may have no sequence number yet. Then it is still counted as
 * taking, and the channel seems to contain more than fits.
 */
bool channel_needed_room(uint32_t channel, uintptr_t pc)
{
	if (channel_fits_all(channel))
		return true;
	if (atomic_load(&channels[channel].taking) &&
	    content_of(channel) > atomic_load(&channels[channel].content))
		return false;
	return channel_receive(channel, 0, pc);
}

bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc)
{
	if (!channel_is_known(channel))
		return false;
	bool records = record_on(), alone = records && record_stripe_lock(name_of(channel));
	uint64_t received = atomic_fetch_add(&channels[channel].received, bytes) + bytes;
	bool fits = received <= atomic_load(&channels[channel].sent);
	atomic_fetch_add(&counts[channel % CHANNEL_COUNTERS].taken, 1);
	uint64_t number = fits && records ? record_sequence(name_of(channel)) : 0;
	if (alone)
		record_stripe_unlock(name_of(channel));
	if (!fits)
		channel_lose(channel);
	else if (records)
		record_channel(EV_RECEIVE, EVENT_CHANNEL_BYTES, number, channel, pc);
	record_let_cancel();
	return fits;
}

void channel_taker_opened(uint32_t channel)
{
	if (channel_is_known(channel))
		atomic_fetch_add(&channels[channel].takers, 1);
}

/*
 * The sequence number is taken after close() has returned, so every call that still succeeded in
 * putting bytes in has a lower one.
 */
void channel_taker_closed(uint32_t channel, uintptr_t pc)
{
	if (channel_is_known(channel) && atomic_fetch_sub(&channels[channel].takers, 1) == 1 &&
	    record_on())
		record_channel(EV_SEND, EVENT_CHANNEL_DEAF, record_sequence(name_of(channel)),
			       channel, pc);
}

/* ---- calls that find nothing ----------------------------------------------------------------- */

struct channel_snapshot channel_snapshot_take(void)
{
	struct channel_snapshot snapshot;

	snapshot.disturbed = false;
	snapshot.times = 0;
	for (unsigned i = 0; i < CHANNEL_COUNTERS; i++) {
		snapshot.begun[i] = atomic_load(&counts[i].begun);
		snapshot.taken[i] = atomic_load(&counts[i].taken);
	}
	return snapshot;
}

void channel_snapshot_check(struct channel_snapshot *snapshot, uint32_t channel)
{
	if (channel_is_known(channel) && atomic_load(&channels[channel].putting))
		snapshot->disturbed = true;
}

void channel_snapshot_retry(struct channel_snapshot *snapshot)
{
	unsigned times = snapshot->times + 1;

	real()->sched_yield();
	*snapshot = channel_snapshot_take();
	snapshot->times = times;
}

/* Have recorded calls taken out everything that was put in? */
static bool is_settled(uint32_t channel)
{
	return atomic_load(&channels[channel].uneven) ||
	       atomic_load(&channels[channel].sent) == atomic_load(&channels[channel].received);
}

/*
 * Is this the last retry? Then the result of the call is accepted even if the counters do not
 * match, because they may never match: a thread may never return from a call that puts bytes in,
 * and the rest of a truncated datagram never comes out.
 */
static bool is_last(const struct channel_snapshot *snapshot)
{
	return snapshot->times >= CHANNEL_RETRIES_MOST;
}

/*
 * Records that a call found nothing to take out, or no room. If `*count` is no longer `*was`, the
 * order is not known: then records nothing and returns false.
 */
static bool record_nothing(enum event_kind kind, enum event_channel mode, uint32_t channel,
			   const _Atomic uint32_t *count, const uint32_t *was, uintptr_t pc)
{
	bool alone = record_stripe_lock(name_of(channel));
	bool sure = !was || atomic_load(count) == *was;
	uint64_t number = sure ? record_sequence(name_of(channel)) : 0;

	if (alone)
		record_stripe_unlock(name_of(channel));
	if (sure)
		record_channel(kind, mode, number, channel, pc);
	record_let_cancel();
	return sure;
}

bool channel_found_nothing(const struct channel_snapshot *snapshot, uint32_t channel, bool empty,
			   uintptr_t pc)
{
	unsigned at = channel % CHANNEL_COUNTERS;
	bool settled = !empty || !channel || is_settled(channel), final = is_last(snapshot);

	if (!channel_is_known(channel) || !record_on())
		return true;
	if (!settled && final)
		atomic_store(&channels[channel].uneven, true);
	if ((snapshot->disturbed || !settled) && !final)
		return false;
	return record_nothing(EV_RECEIVE, EVENT_CHANNEL_NOTHING, channel, &counts[at].begun,
			      final ? NULL : &snapshot->begun[at], pc);
}

/*
 * Records the same event as a call that puts bytes in: a call that takes bytes out later happens
 * after it.
 */
bool channel_found_no_room(const struct channel_snapshot *snapshot, uint32_t channel, uintptr_t pc)
{
	unsigned at = channel % CHANNEL_COUNTERS;

	if (!channel_is_known(channel) || !record_on())
		return true;
	return record_nothing(EV_SEND, EVENT_CHANNEL_BYTES, channel, &counts[at].taken,
			      is_last(snapshot) ? NULL : &snapshot->taken[at], pc);
}
