#include "runtime/io/channel.h"

#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"

#include <stdatomic.h>

/*
 * Numbers are not used twice, so that a name in the trace is one channel. Whoever makes more than so
 * many has SYNC from then on.
 */
#define CHANNELS_MOST (1u << 15)
#define NAME_STEP 8u /* names are small addresses, where no memory is */

static struct {
	_Atomic bool known,
		uneven; /* uneven: what goes in does not all come out (datagrams cut off) */
	_Atomic uint32_t putting; /* calls that are at it */
	_Atomic uint32_t takers;  /* descriptors */
	_Atomic uint64_t sent, received;
} channels[CHANNELS_MOST];
static _Atomic uint32_t last;

static void *name_of(uint32_t channel)
{
	return (void *)(uintptr_t)(channel * NAME_STEP);
}

uint32_t channel_make(uint64_t holds)
{
	if (atomic_load_explicit(&last, memory_order_relaxed) >= CHANNELS_MOST - 1)
		return CHANNEL_NONE;
	uint32_t channel = atomic_fetch_add(&last, 1) + 1;
	if (channel >= CHANNELS_MOST)
		return CHANNEL_NONE;
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

bool channel_has_company(void)
{
	return atomic_load_explicit(&company, memory_order_relaxed);
}

void channel_lose_all(void)
{
	uint32_t count = atomic_load(&last);

	atomic_store_explicit(&company, true, memory_order_relaxed);
	for (uint32_t i = 1; i <= count && i < CHANNELS_MOST; i++) {
		if (channel_is_known(i)) /* pages that were not touched stay so */
			channel_lose(i);
	}
}

/* Calls that began to put something in, that took something out: by the channel's number. */
static struct {
	_Atomic uint32_t begun, taken;
} counts[CHANNEL_LOOKS];

/*
 * What is counted and the number that its record has are taken in one, under the stripe: who finds that
 * nothing was counted since it looked has a lower number than whatever comes.
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
		channel_lose(channel); /* nothing says where it was put in */
		return;
	}
	bool alone = record_stripe_lock(name_of(channel));
	atomic_fetch_add(&channels[channel].putting, 1);
	atomic_fetch_add(&counts[channel % CHANNEL_LOOKS].begun, 1);
	atomic_fetch_add(&channels[channel].sent, bytes);
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

bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc)
{
	if (!channel_is_known(channel))
		return false;
	bool records = record_on(), alone = records && record_stripe_lock(name_of(channel));
	uint64_t received = atomic_fetch_add(&channels[channel].received, bytes) + bytes;
	bool fits = received <= atomic_load(&channels[channel].sent);
	atomic_fetch_add(&counts[channel % CHANNEL_LOOKS].taken, 1);
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

/* The number is taken behind the call: whoever got something in has a lower one. */
void channel_taker_closed(uint32_t channel, uintptr_t pc)
{
	if (channel_is_known(channel) && atomic_fetch_sub(&channels[channel].takers, 1) == 1 &&
	    record_on())
		record_channel(EV_SEND, EVENT_CHANNEL_DEAF, record_sequence(name_of(channel)),
			       channel, pc);
}

/* ---- finding nothing ------------------------------------------------------------------------------ */

struct channel_look channel_look(void)
{
	struct channel_look look;

	look.disturbed = false;
	look.times = 0;
	for (unsigned i = 0; i < CHANNEL_LOOKS; i++) {
		look.begun[i] = atomic_load(&counts[i].begun);
		look.taken[i] = atomic_load(&counts[i].taken);
	}
	return look;
}

void channel_look_at(struct channel_look *look, uint32_t channel)
{
	if (channel_is_known(channel) && atomic_load(&channels[channel].putting))
		look->disturbed = true;
}

void channel_look_again(struct channel_look *look)
{
	unsigned times = look->times + 1;

	real()->sched_yield();
	*look = channel_look();
	look->times = times;
}

/* Did all that was put in come out, each by a call that is recorded? */
static bool is_settled(uint32_t channel)
{
	return atomic_load(&channels[channel].uneven) ||
	       atomic_load(&channels[channel].sent) == atomic_load(&channels[channel].received);
}

/*
 * The last time it is taken as it is: who never comes back from a call is not at it any more, and
 * what is cut off of datagrams never comes out.
 */
static bool is_last(const struct channel_look *look)
{
	return look->times >= CHANNEL_LOOKS_MOST;
}

/* Unless the count has changed since: then it is not known what came first. */
static bool record_look(enum event_kind kind, enum event_channel mode, uint32_t channel,
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

bool channel_found_nothing(const struct channel_look *look, uint32_t channel, bool empty,
			   uintptr_t pc)
{
	unsigned at = channel % CHANNEL_LOOKS;
	bool settled = !empty || !channel || is_settled(channel), final = is_last(look);

	if (!channel_is_known(channel) || !record_on())
		return true;
	if (!settled && final)
		atomic_store(&channels[channel].uneven, true);
	if ((look->disturbed || !settled) && !final)
		return false;
	return record_look(EV_RECEIVE, EVENT_CHANNEL_NOTHING, channel, &counts[at].begun,
			   final ? NULL : &look->begun[at], pc);
}

/* As a call that puts in what does not go in: what is taken out later is behind it. */
bool channel_found_no_room(const struct channel_look *look, uint32_t channel, uintptr_t pc)
{
	unsigned at = channel % CHANNEL_LOOKS;

	if (!channel_is_known(channel) || !record_on())
		return true;
	return record_look(EV_SEND, EVENT_CHANNEL_BYTES, channel, &counts[at].taken,
			   is_last(look) ? NULL : &look->taken[at], pc);
}
