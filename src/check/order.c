/*
 * Which events must keep their base order: of two such events, the later one cannot happen unless
 * the earlier one has happened.
 *
 * Pairs that follow from other pairs are left out: pairs in program order, and those that follow by
 * way of an event in between.
 */
#include "check/touch.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

struct order_use {
	uint32_t thread, number;
};
typedef VEC(struct order_use) use_list;

/*
 * An object or stretch of memory: the event that last began or ended a lifetime, and each thread's
 * last use since then.
 */
struct order_span {
	uint32_t life;
	use_list uses;
};

struct last_access {
	uint32_t of[CHECKER_LINE];
};

/*
 * A channel: the last receive, and each thread's last send. A send of bytes replaces the sends
 * before it.
 */
struct order_channel {
	uint32_t received;
	use_list sent;
	VEC(uint32_t) looks; /* receives that found nothing, since the last SEND of bytes */
	VEC(uint32_t) heard; /* SENDs of bytes since the last deaf one, and that deaf one */
};

struct order_state {
	struct checker_base *base;
	/*
	 * Memory is divided into stretches at the borders: the bytes of a stretch have the same
	 * lifetimes.
	 */
	VEC(uint64_t) borders;
	struct order_span *stretches;
	/* Synchronisation objects, by address */
	struct map index[CHECKER_CLASSES];
	VEC(struct order_span) objects;
	/* The last operation on each frozen object, and the last access to each frozen byte */
	struct map last_operation[CHECKER_CLASSES];
	struct map last_index;
	VEC(struct last_access) last;
	/*
	 * By thread: a join of this thread that returned too early, if no event of the thread has
	 * followed; the thread's last event.
	 */
	uint32_t *joined, *latest;
	size_t life; /* position in base->lifetimes of the next one to handle */
	struct map channel_index;
	VEC(struct order_channel) channels;
};

static void add_need(struct order_state *o, uint32_t later, uint32_t earlier, enum checker_why why)
{
	struct checker_base *base = o->base;
	struct checker_record *record = checker_base_record(base, later);

	if (!earlier || record->thread == checker_base_record(base, earlier)->thread)
		return;
	for (size_t i = base->needs.count; i-- && base->needs.items[i].later == later;) {
		if (base->needs.items[i].earlier == earlier && base->needs.items[i].why == why)
			return;
	}
	record->bits |= CHECKER_KEEPS_ORDER;
	*vec_push(&base->needs) = (struct checker_need){ later, earlier, (uint8_t)why };
}

/* ---- lifetimes of memory --------------------------------------------------------------------- */

static void set_last_use(const struct order_state *o, use_list *uses, uint32_t number)
{
	uint32_t thread = checker_base_record(o->base, number)->thread;

	for (size_t i = 0; i < uses->count; i++) {
		if (uses->items[i].thread == thread) {
			uses->items[i].number = number;
			return;
		}
	}
	*vec_push(uses) = (struct order_use){ thread, number };
}

static void use_span(struct order_state *o, struct order_span *span, uint32_t number,
		     enum checker_why why)
{
	add_need(o, number, span->life, why);
	set_last_use(o, &span->uses, number);
}

static void begin_or_end_span(struct order_state *o, struct order_span *span, uint32_t number,
			      enum checker_why why)
{
	add_need(o, number, span->life, why);
	for (size_t i = 0; i < span->uses.count; i++)
		add_need(o, number, span->uses.items[i].number, why);
	span->uses.count = 0;
	span->life = number;
}

static void find_borders(struct order_state *o)
{
	const struct checker_base *base = o->base;
	size_t kept = 0;

	for (size_t i = 0; i < base->lifetimes.count; i++) {
		*vec_push(&o->borders) = base->lifetimes.items[i].first;
		if (base->lifetimes.items[i].last < UINT64_MAX)
			*vec_push(&o->borders) = base->lifetimes.items[i].last + 1;
	}
	if (!o->borders.count)
		return;
	vec_sort(&o->borders, sort_u64);
	for (size_t i = 0; i < o->borders.count; i++) {
		if (!kept || o->borders.items[kept - 1] != o->borders.items[i])
			o->borders.items[kept++] = o->borders.items[i];
	}
	o->borders.count = kept;
	o->stretches = mem_zalloc(kept, sizeof *o->stretches);
}

/*
 * Returns the first stretch that contains the address or lies after it. Stretch i starts at border
 * i.
 */
static size_t find_stretch(const struct order_state *o, uint64_t address)
{
	size_t after;

	SEARCH_FIRST(after, o->borders.count, o->borders.items[after] > address);
	return after ? after - 1 : 0;
}

static void use_memory(struct order_state *o, uint64_t first, uint64_t size, uint32_t number)
{
	uint64_t last;

	if (!size || !o->borders.count)
		return;
	last = checker_last_address(first, size);
	for (size_t i = find_stretch(o, first); i < o->borders.count && o->borders.items[i] <= last;
	     i++)
		use_span(o, &o->stretches[i], number, CHECKER_WHY_LIFETIME);
}

static void begin_or_end_memory(struct order_state *o, uint32_t number)
{
	const struct checker_base *base = o->base;

	for (; o->life < base->lifetimes.count && base->lifetimes.items[o->life].number == number;
	     o->life++) {
		const struct checker_range *range = &base->lifetimes.items[o->life];

		for (size_t i = find_stretch(o, range->first);
		     i < o->borders.count && o->borders.items[i] <= range->last; i++)
			begin_or_end_span(o, &o->stretches[i], number, CHECKER_WHY_LIFETIME);
	}
}

/* ---- sync objects ---------------------------------------------------------------------------- */

static struct order_span *object_at(struct order_state *o, const struct checker_operand *operand)
{
	bool fresh;
	uint64_t *position = map_put(&o->index[operand->class], operand->address, &fresh);

	if (fresh) {
		*vec_push(&o->objects) = (struct order_span){ 0 };
		*position = o->objects.count;
	}
	return &o->objects.items[*position - 1];
}

static void order_objects(struct order_state *o, uint32_t number)
{
	const struct checker_record *record = checker_base_record(o->base, number);
	struct checker_operand operands[2];
	unsigned count = checker_operands(record, operands);

	for (unsigned i = 0; i < count; i++) {
		use_memory(o, operands[i].address, 1, number);
		if (checker_object_role(record) != CHECKER_USES)
			begin_or_end_span(o, object_at(o, &operands[i]), number,
					  CHECKER_WHY_OBJECT);
		else
			use_span(o, object_at(o, &operands[i]), number, CHECKER_WHY_OBJECT);
		if (checker_base_is_frozen(o->base, operands[i].class, operands[i].address)) {
			uint64_t *last = map_put(&o->last_operation[operands[i].class],
						 operands[i].address, NULL);

			add_need(o, number, (uint32_t)*last, CHECKER_WHY_FROZEN);
			*last = number;
		}
	}
}

/* ---- channels -------------------------------------------------------------------------------- */

static struct order_channel *channel_at(struct order_state *o, uint64_t address)
{
	bool fresh;
	uint64_t *position = map_put(&o->channel_index, address, &fresh);

	if (fresh) {
		*vec_push(&o->channels) = (struct order_channel){ 0 };
		*position = o->channels.count;
	}
	return &o->channels.items[*position - 1];
}

static void set_notes(struct order_state *o, const uint32_t *numbers, size_t count, uint32_t note)
{
	for (size_t i = 0; i < count; i++)
		checker_base_record(o->base, numbers[i])->note = note;
}

/*
 * Orders the events of a channel. A receive got something that was sent before it, but it is
 * unknown which. Sends that the program only declares (`told`) are not ordered among themselves.
 */
static void order_channel(struct order_state *o, uint32_t number)
{
	const struct checker_record *record = checker_base_record(o->base, number);
	struct order_channel *channel;

	if (record->kind != EV_SEND && record->kind != EV_RECEIVE)
		return;
	channel = channel_at(o, record->address);
	if (record->kind == EV_SEND && record->mode == EVENT_CHANNEL_DEAF) {
		set_notes(o, channel->heard.items, channel->heard.count, number);
		channel->heard.count = 0;
	}
	if (record->kind == EV_SEND && record->mode != EVENT_CHANNEL_TOLD)
		*vec_push(&channel->heard) = number;
	if (record->kind == EV_SEND && record->mode != EVENT_CHANNEL_BYTES) {
		set_last_use(o, &channel->sent, number);
		return;
	}
	for (size_t i = 0; i < channel->sent.count; i++)
		add_need(o, number, channel->sent.items[i].number, CHECKER_WHY_CHANNEL);
	if (record->kind == EV_SEND) {
		channel->sent.count = 0;
		set_last_use(o, &channel->sent, number);
		set_notes(o, channel->looks.items, channel->looks.count, number);
		channel->looks.count = 0;
		return;
	}
	if (record->mode == EVENT_CHANNEL_NOTHING)
		*vec_push(&channel->looks) = number;
	add_need(o, number, channel->received, CHECKER_WHY_CHANNEL);
	channel->received = number;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void order_frozen_line(struct order_state *o, const struct checker_piece *piece,
			      uint64_t bits, uint32_t number)
{
	bool fresh;
	uint64_t *position = map_put(&o->last_index, piece->line, &fresh);
	struct last_access *last;

	if (fresh) {
		*vec_push(&o->last) = (struct last_access){ 0 };
		*position = o->last.count;
	}
	last = &o->last.items[*position - 1];
	for (unsigned at = piece->from; at < piece->to; at++) {
		if (!(bits >> at & 1))
			continue;
		add_need(o, number, last->of[at], CHECKER_WHY_FROZEN);
		last->of[at] = number;
	}
}

/* Orders the part of a very large access that lies in a line with frozen bytes. */
static void order_wide_line(struct order_state *o, uint64_t line, uint64_t bits, uint32_t number)
{
	const struct checker_record *record = checker_base_record(o->base, number);
	struct checker_piece piece = { .line = line, .to = CHECKER_LINE };
	uint64_t start = line * CHECKER_LINE;

	for (unsigned at = 0; at < CHECKER_LINE; at++) {
		if (start + at - record->address >= record->size)
			bits &= ~(1ull << at);
	}
	if (bits)
		order_frozen_line(o, &piece, bits, number);
}

static void order_wide_access(struct order_state *o, uint32_t number)
{
	const struct map *frozen = &o->base->frozen_bytes;

	if (frozen->has_zero)
		order_wide_line(o, 0, frozen->zero, number);
	for (size_t i = 0; frozen->slots && i <= frozen->mask; i++) {
		if (frozen->slots[i].value)
			order_wide_line(o, frozen->slots[i].key, frozen->slots[i].value, number);
	}
}

static void order_access(struct order_state *o, uint32_t number)
{
	const struct checker_record *record = checker_base_record(o->base, number);
	struct checker_piece piece = { 0 };

	use_memory(o, record->address, record->size, number);
	if (!o->base->frozen_bytes.count && !o->base->frozen_bytes.has_zero)
		return;
	if (record->size > CHECKER_ACCESS_MAX) {
		order_wide_access(o, number);
		return;
	}
	while (checker_piece_next(&piece, record->address, record->size)) {
		uint64_t bits = checker_base_frozen_bits(o->base, piece.line);

		if (bits)
			order_frozen_line(o, &piece, bits, number);
	}
}

/* ---- threads --------------------------------------------------------------------------------- */

static void order_join(struct order_state *o, uint32_t number)
{
	const struct checker_record *record = checker_base_record(o->base, number);
	uint32_t joined;

	add_need(o, number, o->joined[record->thread], CHECKER_WHY_JOIN);
	o->joined[record->thread] = 0;
	if (record->kind == EV_JOIN && (record->bits & CHECKER_UNEXPLAINED)) {
		joined = checker_stream_of(o->base->start->trace, record->number);
		add_need(o, number, o->latest[joined], CHECKER_WHY_JOIN);
		o->joined[joined] = number;
	}
	o->latest[record->thread] = number;
}

/* ---- the pass over the window ---------------------------------------------------------------- */

static void close_ordering(struct order_state *o)
{
	for (size_t i = 0; o->stretches && i < o->borders.count; i++)
		vec_free(&o->stretches[i].uses);
	for (size_t i = 0; i < o->objects.count; i++)
		vec_free(&o->objects.items[i].uses);
	for (enum checker_class class = 0; class < CHECKER_CLASSES; class ++) {
		map_free(&o->index[class]);
		map_free(&o->last_operation[class]);
	}
	for (size_t i = 0; i < o->channels.count; i++) {
		vec_free(&o->channels.items[i].sent);
		vec_free(&o->channels.items[i].looks);
		vec_free(&o->channels.items[i].heard);
	}
	map_free(&o->channel_index);
	vec_free(&o->channels);
	map_free(&o->last_index);
	vec_free(&o->last);
	vec_free(&o->objects);
	vec_free(&o->borders);
	free(o->stretches);
	free(o->joined);
	free(o->latest);
}

void checker_base_order(struct checker_base *base)
{
	struct order_state o = {
		.base = base,
		.joined = mem_zalloc(base->streams, sizeof *o.joined),
		.latest = mem_zalloc(base->streams, sizeof *o.latest),
	};

	find_borders(&o);
	for (uint32_t number = 1; number <= base->count; number++) {
		const struct checker_record *record = checker_base_record(base, number);

		order_join(&o, number);
		begin_or_end_memory(&o, number);
		order_channel(&o, number);
		if (record->kind == EV_FD_USE)
			use_memory(&o, record->address, 1, number);
		else if (checker_is_access(record))
			order_access(&o, number);
		else
			order_objects(&o, number);
	}
	close_ordering(&o);
}

const struct checker_need *checker_base_needs(const struct checker_base *base, uint32_t later,
					      size_t *count)
{
	size_t low, end;

	SEARCH_FIRST(low, base->needs.count, base->needs.items[low].later >= later);
	for (end = low; end < base->needs.count && base->needs.items[end].later == later;)
		end++;
	*count = end - low;
	return *count ? &base->needs.items[low] : NULL;
}
