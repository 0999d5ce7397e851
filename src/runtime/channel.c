#include "runtime/channel.h"

#include "runtime/record.h"

#include <stdatomic.h>

/*
 * Numbers are not used twice, so that a name in the trace is one channel. Whoever makes more than so
 * many has SYNC from then on.
 */
#define CHANNELS_MOST (1u << 15)
#define NAME_STEP 8u /* names are small addresses, where no memory is */

static struct {
	_Atomic bool known;
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

static void record_channel(enum event_kind kind, uint32_t channel, uintptr_t pc)
{
	void *name = name_of(channel);

	record(kind, pc,
	       (struct record_fields){ .q = record_sequence(name),
				       .a = (uintptr_t)name,
				       .m = EVENT_CHANNEL_BYTES });
}

void channel_send(uint32_t channel, uint64_t bytes, uintptr_t pc)
{
	if (!channel_is_known(channel))
		return;
	atomic_fetch_add(&channels[channel].sent, bytes);
	if (record_on())
		record_channel(EV_SEND, channel, pc);
	else
		channel_lose(channel); /* nothing says where it was put in */
}

void channel_sent_less(uint32_t channel, uint64_t bytes)
{
	if (bytes && channel_is_known(channel))
		atomic_fetch_sub(&channels[channel].sent, bytes);
}

bool channel_receive(uint32_t channel, uint64_t bytes, uintptr_t pc)
{
	if (!channel_is_known(channel))
		return false;
	uint64_t received = atomic_fetch_add(&channels[channel].received, bytes) + bytes;
	if (received > atomic_load(&channels[channel].sent)) {
		channel_lose(channel);
		return false;
	}
	if (record_on())
		record_channel(EV_RECEIVE, channel, pc);
	return true;
}
