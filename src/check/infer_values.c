/*
 * Plays the base run of a window once, to infer facts from it. If an event breaks a rule, the
 * recording is incomplete: code that was not recorded took part. Then the byte or object is frozen:
 * in this window it is not judged, but keeps its recorded order. The pass also finds the values of
 * unknown bytes, the writes from which reads without a recorded value took their values, and
 * lifetimes.
 */
#include "base/sort.h"
#include "check/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct learning {
	struct checker_base *base;
	struct checker_world *world;
	uint32_t number;
	struct checker_record *record;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static void mark_byte(struct map *bytes, uint64_t address)
{
	*map_put(bytes, address / CHECKER_LINE, NULL) |= 1ull << address % CHECKER_LINE;
}

/* A read found a value that no recorded write left there. */
static void handle_unexplained_value(struct learning *l, uint64_t address, uint8_t byte)
{
	checker_memory_learn(l->world, address, byte);
	if (!checker_survey_shares(l->world->survey, address)) {
		mark_byte(&l->base->own_bytes, address);
		return;
	}
	mark_byte(&l->base->frozen_bytes, address);
	l->record->bits |= CHECKER_UNEXPLAINED;
}

/* A byte of unknown value was read, so this value was in it. */
static void learn_byte(struct learning *l, uint64_t address, uint8_t value, uint32_t writer)
{
	checker_memory_learn(l->world, address, value);
	if (!writer)
		checker_memory_learn(l->base->start, address, value);
	else if (checker_is_blank(checker_base_record(l->base, writer)))
		*vec_push(&l->base->found) = (struct checker_found){ writer, value, address };
}

/* Did an event of the window write the byte with an unknown value? Such a value equals no other. */
static bool wrote_unknown(const struct checker_base *base, uint32_t writer)
{
	const struct checker_record *record;

	if (!writer)
		return false;
	record = checker_base_record(base, writer);
	return !checker_is_blank(record) &&
	       (!checker_written_value(record) || record->size > CHECKER_ACCESS_MAX);
}

/*
 * Handles one byte of a read. Returns the writer to which the byte is bound, or CHECKER_BY_VALUE.
 */
static uint32_t learn_read(struct learning *l, uint64_t i, const struct checker_line *bytes,
			   const struct checker_writers *writers, unsigned at)
{
	const uint8_t *value = checker_read_value(l->record);
	uint8_t byte;

	if (!value)
		return writers->of[at];
	byte = value[i % l->record->unit];
	if (!(bytes->known >> at & 1)) {
		learn_byte(l, l->record->address + i, byte, writers->of[at]);
	} else if (bytes->value[at] != byte) {
		handle_unexplained_value(l, l->record->address + i, byte);
	}
	return wrote_unknown(l->base, writers->of[at]) ? writers->of[at] : CHECKER_BY_VALUE;
}

static void learn_reads(struct learning *l)
{
	struct checker_base *base = l->base;
	struct checker_record *record = l->record;
	struct checker_piece piece = { 0 };
	size_t start = base->writers.count;
	bool bound = false;

	while (checker_piece_next(&piece, record->address, record->size)) {
		struct checker_writers writers;
		struct checker_line bytes;

		checker_memory_see(l->world, piece.line, &bytes, &writers);
		for (unsigned at = piece.from; at < piece.to; at++) {
			uint32_t writer =
				learn_read(l, piece.offset + at - piece.from, &bytes, &writers, at);

			*vec_push(&base->writers) = writer;
			bound |= writer != CHECKER_BY_VALUE;
		}
	}
	if (!bound) {
		base->writers.count = start;
		return;
	}
	record->bits |= CHECKER_KEEPS_WRITER;
	*vec_push(&base->bound) = (struct checker_bound){ l->number, start };
}

static void learn_access(struct learning *l)
{
	struct checker_record *record = l->record;
	struct checker_piece piece = { 0 };

	if (record->size > CHECKER_ACCESS_MAX)
		return; /* such a write is never checked, and such a read is refused */
	if (checker_reads(record))
		learn_reads(l);
	if (!(record->flags & EF_ENVIRONMENT))
		return;
	while (checker_piece_next(&piece, record->address, record->size)) {
		for (unsigned at = piece.from; at < piece.to; at++)
			mark_byte(&l->base->frozen_bytes, piece.line * CHECKER_LINE + at);
	}
}

/* ---- objects --------------------------------------------------------------------------------- */

/*
 * Is a condition or barrier initialised or destroyed while threads wait there? The recording does
 * not say what they wait for afterwards.
 */
static bool begins_or_ends_in_use(const struct checker_world *world,
				  const struct checker_record *record)
{
	switch (record->kind) {
	case EV_COND_INIT:
	case EV_COND_DESTROY: return checker_condition_is_used(world, record->address);
	case EV_BARRIER_INIT:
	case EV_BARRIER_DESTROY: return checker_barrier_is_used(world, record->address);
	}
	return false;
}

/*
 * Does unrecorded code operate on the lock? Then the lock guards unrecorded data and is not judged.
 */
static bool uses_foreign_lock(const struct checker_record *record, enum checker_class class)
{
	if (class != CHECKER_LOCK || !record->foreign)
		return false;
	switch (record->kind) {
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_ACQUIRE:
	case EV_READ_RELEASE:
	case EV_READ_FAIL:
	case EV_WAIT:
	case EV_WOKEN: return true;
	}
	return false;
}

static void mark_unexplained(struct learning *l, enum checker_class class, uint64_t address)
{
	map_put(&l->base->frozen[class], address, NULL);
	map_put(&l->base->unexplained[class], address, NULL);
}

static void learn_objects(struct learning *l)
{
	const struct checker_thread *self = &l->world->threads[l->record->stream];
	struct checker_operand operands[2];
	unsigned count = checker_operands(l->record, operands);
	struct err why;

	if (l->record->kind == EV_ACQUIRE &&
	    checker_lock_written_by(l->world, l->record->address, l->record->thread))
		map_put(&l->base->recursive, l->record->address, NULL);
	for (unsigned i = 0; i < count; i++) {
		if (!checker_object_allows(l->world, operands[i].class, l->record, &why) ||
		    begins_or_ends_in_use(l->world, l->record))
			mark_unexplained(l, operands[i].class, operands[i].address);
		else if (uses_foreign_lock(l->record, operands[i].class))
			map_put(&l->base->frozen[operands[i].class], operands[i].address, NULL);
	}
	/* A thread that does something else has passed the barrier, even without a PASS record. */
	if (self->at_barrier && l->record->kind != EV_PASS &&
	    !checker_barrier_complete(l->world, self->barrier, self->round))
		mark_unexplained(l, CHECKER_BARRIER, self->barrier);
}

/* Sets the note of the event's record: a fact about the base run that the rules need (record.h). */
static void set_note(struct learning *l)
{
	struct checker_record *record = l->record;

	switch (record->kind) {
	case EV_ONCE:
	case EV_ONCE_BEGIN:
		record->note =
			checker_world_see(l->world, CHECKER_ONCE, record->address)->once.ended;
		break;
	case EV_WOKEN: record->note = checker_condition_waker(l->world, record); break;
	case EV_ARRIVE: record->note = checker_barrier_next(l->world, record->address); break;
	}
}

/* ---- threads and lifetimes ------------------------------------------------------------------- */

static bool all_happened(const struct learning *l, uint32_t thread)
{
	for (uint32_t i = 0; i < l->base->streams; i++) {
		if (checker_source_thread(l->base->source, i) == thread &&
		    l->world->threads[i].done < l->base->window_end[i])
			return false;
	}
	return !checker_base_goes_on(l->base, thread);
}

static void learn_thread(struct learning *l)
{
	struct checker_record *record = l->record;
	const struct checker_thread *self = &l->world->threads[record->thread];
	uint32_t joined;

	if (!self->done && self->created)
		record->bits |= CHECKER_CREATED;
	if (record->kind == EV_SYNC || record->kind == EV_OPAQUE ||
	    (record->kind == EV_BEGIN && !self->created && !trace_is_text(l->world->trace)))
		record->bits |= CHECKER_UNEXPLAINED;
	if (record->kind != EV_JOIN)
		return;
	joined = checker_stream_of(l->world->trace, record->number);
	if (joined != TRACE_NONE && !all_happened(l, joined))
		record->bits |= CHECKER_UNEXPLAINED;
}

static void add_lifetime(struct learning *l, uint64_t first, uint64_t size)
{
	*vec_push(&l->base->lifetimes) =
		(struct checker_range){ l->number, first, checker_last_address(first, size) };
}

static void learn_lifetime(struct learning *l)
{
	const struct checker_record *record = l->record;
	const struct checker_thread *self = &l->world->threads[record->stream];
	uint64_t size;

	switch (record->kind) {
	case EV_ALLOC: add_lifetime(l, record->address, record->size ? record->size : 1); break;
	case EV_MAP:
	case EV_UNMAP:
		if (record->size)
			add_lifetime(l, record->address, record->size);
		break;
	case EV_FD_OPEN:
	case EV_FD_CLOSE: add_lifetime(l, record->address, 1); break;
	case EV_FREE:
		size = checker_world_block(l->world, record->address);
		if (record->address)
			add_lifetime(l, record->address, size ? size : 1);
		break;
	case EV_BEGIN:
		if (record->other > record->address)
			add_lifetime(l, record->address, record->other - record->address);
		break;
	case EV_END:
		if (self->stack_high > self->stack_low)
			add_lifetime(l, self->stack_low, self->stack_high - self->stack_low);
		break;
	}
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void clear_notes(struct checker_record *record)
{
	record->bits &= CHECKER_VALUE | CHECKER_OLD | CHECKER_TIMES_OUT | CHECKER_ASTRAY;
	record->note = 0;
	record->next = CHECKER_END;
}

static void link_threads(struct checker_base *base)
{
	for (uint32_t i = 0; i < base->streams; i++)
		base->first[i] = CHECKER_END;
	for (uint32_t number = base->count; number; number--) {
		struct checker_record *record = checker_base_record(base, number);

		clear_notes(record);
		record->next = base->first[record->thread];
		base->first[record->thread] = number;
	}
}

SORT_COMPARISON(by_alloc, struct checker_found, a, b, sort_order(a->alloc, b->alloc))

void checker_base_learn(struct checker_base *base)
{
	struct learning l = { .base = base, .world = checker_world_on(base->start) };

	link_threads(base);
	for (l.number = 1; l.number <= base->count; l.number++) {
		l.record = checker_base_record(base, l.number);
		if (checker_is_access(l.record))
			learn_access(&l);
		set_note(&l);
		learn_objects(&l);
		learn_thread(&l);
		learn_lifetime(&l);
		checker_world_apply(l.world, l.record, l.number);
	}
	checker_world_close(l.world);
	vec_sort(&base->found, by_alloc);
	checker_base_order(base);
}
