/*
 * Plays the steps of a witness: each event must be next in its thread, everything that must come
 * before it must have happened, and the rules of doc/prediction.md must allow it with its recorded
 * result.
 */
#include "check/play.h"

#include "base/mem.h"
#include "check/touch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void checker_play_open(struct checker_play *play, const struct checker_base *base)
{
	*play = (struct checker_play){ .base = base };
	play->world = checker_world_on(base->start);
	play->next = mem_alloc(base->streams * sizeof *play->next);
	memcpy(play->next, base->first, base->streams * sizeof *play->next);
}

void checker_play_close(struct checker_play *play)
{
	checker_world_close(play->world);
	free(play->next);
	vec_free(&play->order);
}

/* The events of a thread have increasing numbers. */
bool checker_play_happened(const struct checker_play *play, uint32_t number)
{
	return number < play->next[checker_base_record(play->base, number)->thread];
}

bool checker_play_is_finished(const struct checker_play *play, uint32_t thread)
{
	return play->next[thread] == CHECKER_END && !checker_base_goes_on(play->base, thread);
}

bool checker_play_hangs(const struct checker_play *play, uint32_t thread)
{
	const struct checker_record *last = &play->world->threads[thread].hangs;

	return last->kind != EV_NONE && checker_play_is_finished(play, thread) &&
	       !checker_source_is_cut(play->base->source, thread) &&
	       !checker_source_is_cut(play->base->source, last->stream);
}

/* ---- what must happen before an event -------------------------------------------------------- */

static bool report_missing_event(const struct checker_play *play, uint32_t earlier,
				 const char *reason, struct err *why)
{
	const struct checker_record *record = checker_base_record(play->base, earlier);

	return err_set(why, "must come after %s: %s",
		       checker_event_words(play->world->trace, record->stream, record->index).text,
		       reason);
}

static bool check_needs(const struct checker_play *play, uint32_t number, unsigned without,
			struct err *why)
{
	static const char *const words[] = {
		[CHECKER_WHY_LIFETIME] = "the lifetime of what it uses begins or ends there",
		[CHECKER_WHY_OBJECT] = "the lifetime of what it uses begins or ends there",
		[CHECKER_WHY_FROZEN] = "unrecorded code affects their order",
		[CHECKER_WHY_JOIN] = "there is a join between them",
		[CHECKER_WHY_CHANNEL] = "it may have received what was sent there",
	};
	size_t count;
	const struct checker_need *needs = checker_base_needs(play->base, number, &count);

	for (size_t i = 0; i < count; i++) {
		if (!(without >> needs[i].why & 1) &&
		    !checker_play_happened(play, needs[i].earlier))
			return report_missing_event(play, needs[i].earlier, words[needs[i].why],
						    why);
	}
	return true;
}

bool checker_play_has_begun(const struct checker_play *play, uint32_t end, struct err *why)
{
	struct checker_touch ends = checker_touch_of(play->base, end);

	for (uint32_t number = 1; number < end; number++) {
		struct checker_touch touch;

		if (checker_play_happened(play, number))
			continue;
		touch = checker_touch_of(play->base, number);
		/* the lifetime must be of the same kind: memory or object */
		if (ends.memory == CHECKER_ENDS ? touch.memory != CHECKER_BEGINS
						: touch.object != CHECKER_BEGINS)
			continue;
		if (ends.memory == CHECKER_ENDS ? checker_lifetimes_bind(&ends, &touch)
						: checker_touch_same(&ends, &touch))
			return report_missing_event(play, number,
						    "the lifetime that it ends begins there", why);
	}
	return true;
}

/*
 * Checks what an event needs that comes after the early end in the base run. Needs lead only from
 * one begin or end to the next. Here the early end is missing from that chain, so the event also
 * needs what the end would have needed.
 */
static bool check_early_end(const struct checker_play *play, uint32_t number, struct err *why)
{
	struct checker_touch touch, early, touched;

	if (!play->early || number <= play->early || !checker_play_happened(play, play->early))
		return true;
	touch = checker_touch_of(play->base, number);
	early = checker_touch_of(play->base, play->early);
	if (!checker_lifetimes_bind(&touch, &early))
		return true;
	for (uint32_t i = 1; i < play->early; i++) {
		if (checker_play_happened(play, i))
			continue;
		touched = checker_touch_of(play->base, i);
		if (checker_lifetimes_bind(&touch, &touched))
			return report_missing_event(
				play, i, "what it begins, ends or uses is used there", why);
	}
	return true;
}

/*
 * For an event that unrecorded code affected: the unrecorded writer, or whatever let the thread
 * continue, may have come after any event before it. So all events before it in the base run must
 * have happened.
 */
static bool check_after_all(const struct checker_play *play, uint32_t number, struct err *why)
{
	bool reads = checker_reads(checker_base_record(play->base, number));

	for (uint32_t i = 0; i < play->base->streams; i++) {
		if (play->next[i] < number)
			return report_missing_event(play, play->next[i],
						    reads ? "no recorded write explains its value"
							  : "it may have waited for anything",
						    why);
	}
	return true;
}

bool checker_play_is_ready(const struct checker_play *play, uint32_t number, struct err *why)
{
	if (number == play->early)
		return checker_play_has_begun(play, number, why) &&
		       checker_play_is_free(play, number, CHECKER_NO_LIFETIMES, why);
	return checker_play_is_free(play, number, 0, why) && check_early_end(play, number, why);
}

/*
 * Does the event operate on an object that unrecorded code uses? Then its thread may have waited
 * for that code.
 */
static bool uses_unexplained_object(const struct checker_play *play,
				    const struct checker_record *record)
{
	struct checker_operand operands[2];
	unsigned count = 0;

	switch (record->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_ACQUIRE:
	case EV_READ_FAIL:
	case EV_WOKEN:
	case EV_DOWN:
	case EV_DOWN_FAIL:
	case EV_ONCE: count = checker_operands(record, operands); break;
	}
	for (unsigned i = 0; i < count; i++) {
		if (checker_base_is_unexplained(play->base, operands[i].class, operands[i].address))
			return true;
	}
	return false;
}

bool checker_play_is_after_all(const struct checker_play *play, const struct checker_record *record)
{
	return ((record->bits & CHECKER_UNEXPLAINED) && record->kind != EV_JOIN) ||
	       uses_unexplained_object(play, record);
}

bool checker_play_is_free(const struct checker_play *play, uint32_t number, unsigned without,
			  struct err *why)
{
	const struct checker_record *record = checker_base_record(play->base, number);

	if ((record->bits & CHECKER_CREATED) && !play->world->threads[record->thread].created)
		return err_set(why, "its thread has not been created");
	if ((record->bits & CHECKER_KEEPS_ORDER) && !check_needs(play, number, without, why))
		return false;
	return !checker_play_is_after_all(play, record) || check_after_all(play, number, why);
}

bool checker_play_is_at_barrier(const struct checker_play *play, uint32_t stream)
{
	const struct checker_thread *thread = &play->world->threads[stream];

	return thread->at_barrier &&
	       !checker_base_is_frozen(play->base, CHECKER_BARRIER, thread->barrier) &&
	       !checker_barrier_complete(play->world, thread->barrier, thread->round);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static bool report_wrong_value(const struct checker_play *play, const struct checker_record *record,
			       uint64_t i, uint8_t found, bool known, struct err *why)
{
	uint8_t wanted = checker_read_value(record)[i % record->unit];
	struct checker_words name = checker_object_words(play->world->trace, record->address);

	if (!known)
		return err_set(why, "reads %s: byte %" PRIu64 " is unknown, but it read %u",
			       name.text, i, wanted);
	return err_set(why, "reads %s: byte %" PRIu64 " is %u, but it read %u", name.text, i, found,
		       wanted);
}

static bool report_wrong_writer(const struct checker_play *play,
				const struct checker_record *record, uint32_t found,
				uint32_t wanted, struct err *why)
{
	const struct trace *trace = play->world->trace;
	struct checker_words by[2] = { { "nothing in the window" }, { "nothing in the window" } };
	uint32_t numbers[2] = { found, wanted };

	for (unsigned i = 0; i < 2; i++) {
		const struct checker_record *writer =
			numbers[i] ? checker_base_record(play->base, numbers[i]) : NULL;

		if (writer)
			by[i] = checker_event_words(trace, writer->stream, writer->index);
	}
	return err_set(why, "reads %s, last written by %s, but it read what %s wrote",
		       checker_object_words(trace, record->address).text, by[0].text, by[1].text);
}

static bool check_piece(const struct checker_play *play, const struct checker_record *record,
			const struct checker_piece *piece, const uint32_t *bound, struct err *why)
{
	uint64_t unjudged = checker_base_unjudged_bits(play->base, piece->line);
	uint64_t i = piece->offset;
	const uint8_t *value = checker_read_value(record);
	struct checker_writers writers;
	struct checker_line bytes;

	checker_memory_see(play->world, piece->line, &bytes, &writers);
	for (unsigned at = piece->from; at < piece->to; at++, i++) {
		if (unjudged >> at & 1)
			continue;
		if (bound && bound[i] != CHECKER_BY_VALUE) {
			if (bound[i] != writers.of[at])
				return report_wrong_writer(play, record, writers.of[at], bound[i],
							   why);
		} else if (!(bytes.known >> at & 1) || bytes.value[at] != value[i % record->unit]) {
			return report_wrong_value(play, record, i, bytes.value[at],
						  bytes.known >> at & 1, why);
		}
	}
	return true;
}

static bool check_read(const struct checker_play *play, uint32_t number, struct err *why)
{
	const struct checker_record *record = checker_base_record(play->base, number);
	struct checker_piece piece = { 0 };
	const uint32_t *bound = NULL;

	if (record->size > CHECKER_ACCESS_MAX)
		return err_set(why, "reads more bytes at once than the checker supports");
	if (record->bits & CHECKER_KEEPS_WRITER)
		bound = checker_base_writers(play->base, number);
	while (checker_piece_next(&piece, record->address, record->size)) {
		if (!check_piece(play, record, &piece, bound, why))
			return false;
	}
	return true;
}

/* ---- one event ------------------------------------------------------------------------------- */

static bool check_objects(const struct checker_play *play, const struct checker_record *record,
			  struct err *why)
{
	struct checker_operand operands[2];
	unsigned count = checker_operands(record, operands);

	for (unsigned i = 0; i < count; i++) {
		if (!checker_base_is_frozen(play->base, operands[i].class, operands[i].address) &&
		    !checker_object_allows(play->world, operands[i].class, record, why))
			return false;
	}
	return true;
}

static bool check_join(const struct checker_play *play, const struct checker_record *record,
		       struct err *why)
{
	uint32_t joined = checker_stream_of(play->world->trace, record->number);

	if ((record->bits & CHECKER_UNEXPLAINED) || joined == TRACE_NONE ||
	    checker_play_is_finished(play, joined))
		return true;
	return err_set(why, "joins %s, which has not ended",
		       checker_thread_words(play->world->trace, joined).text);
}

/*
 * Checks a receive that found nothing: no SEND that comes after it in the base run may have
 * happened. Its note is the first such SEND. The later ones also come after that one in the
 * schedule.
 */
static bool check_found_nothing(const struct checker_play *play,
				const struct checker_record *record, struct err *why)
{
	const struct checker_record *sent;

	if (record->mode != EVENT_CHANNEL_NOTHING || !record->note ||
	    !checker_play_happened(play, record->note))
		return true;
	sent = checker_base_record(play->base, record->note);
	return err_set(why, "found nothing where %s has sent something",
		       checker_event_words(play->world->trace, sent->stream, sent->index).text);
}

/*
 * Checks that the other end of the channel was still open: no deaf SEND that comes after this one
 * in the base run may have happened. The note of each SEND is the next deaf one.
 */
static bool check_not_deaf(const struct checker_play *play, const struct checker_record *record,
			   struct err *why)
{
	const struct checker_record *deaf = record;

	if (record->mode != EVENT_CHANNEL_BYTES)
		return true;
	for (uint32_t number = record->note; number; number = deaf->note) {
		deaf = checker_base_record(play->base, number);
		if (checker_play_happened(play, number))
			return err_set(
				why, "sends where %s has closed the other end",
				checker_event_words(play->world->trace, deaf->stream, deaf->index)
					.text);
	}
	return true;
}

static bool can_happen(const struct checker_play *play, uint32_t number, struct err *why)
{
	const struct checker_record *record = checker_base_record(play->base, number);

	if (!checker_play_is_ready(play, number, why))
		return false;
	if (record->kind != EV_PASS && checker_play_is_at_barrier(play, record->stream))
		return err_set(why, "leaves a barrier before all threads have arrived");
	if (checker_reads(record) && !check_read(play, number, why))
		return false;
	if (record->kind == EV_JOIN && !check_join(play, record, why))
		return false;
	if (record->kind == EV_RECEIVE && !check_found_nothing(play, record, why))
		return false;
	if (record->kind == EV_SEND && !check_not_deaf(play, record, why))
		return false;
	return check_objects(play, record, why);
}

/* Does the wait begin after the event that woke it in the base run? Then it misses that event. */
static bool is_late(const struct checker_play *play, const struct checker_record *wait)
{
	uint32_t number = wait->next;

	while (number != CHECKER_END) {
		const struct checker_record *record = checker_base_record(play->base, number);

		/* skips events of handlers that interrupted the wait */
		if (record->stream == wait->stream)
			return record->kind == EV_WOKEN && record->note &&
			       checker_play_happened(play, record->note);
		number = record->next;
	}
	return false;
}

static void apply_event(struct checker_play *play, uint32_t number)
{
	const struct checker_record *record = checker_base_record(play->base, number);

	if (record->kind == EV_WAIT)
		play->world->threads[record->thread].late = is_late(play, record);
	checker_world_apply(play->world, record, number);
	if (checker_is_blank(record)) {
		size_t count;
		const struct checker_found *found = checker_base_found(play->base, number, &count);

		for (size_t i = 0; i < count; i++)
			checker_memory_learn(play->world, found[i].address, found[i].value);
	}
	play->next[record->thread] = record->next;
	*vec_push(&play->order) = number;
}

bool checker_play_event(struct checker_play *play, uint32_t number, struct err *why)
{
	if (play->next[checker_base_record(play->base, number)->thread] != number)
		return err_set(why, "it is not next");
	if (!can_happen(play, number, why))
		return false;
	apply_event(play, number);
	return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool refuse_step(const struct checker_play *play, size_t step,
			const struct checker_record *record, const struct err *why, struct err *err)
{
	return err_set(err, "step %zu, %s: %.*s", step + 1,
		       checker_event_words(play->world->trace, record->stream, record->index).text,
		       (int)(sizeof err->text / 2), why->text);
}

static bool play_step(struct checker_play *play, const struct event_id *step, size_t i,
		      struct err *err)
{
	uint32_t stream = checker_stream_of(play->world->trace, step->stream);
	uint32_t thread, target, number = 0;
	struct err why;

	if (stream == TRACE_NONE)
		return err_set(err, "step %zu: unknown stream %" PRIu32, i + 1, step->stream);
	thread = checker_source_thread(play->base->source, stream);
	target = checker_base_find(play->base, play->next[thread], stream, step->index);
	if (target == CHECKER_END) {
		struct checker_words name =
			checker_event_words(play->world->trace, stream, step->index);
		bool past = step->index < play->world->threads[stream].done;

		return err_set(err, "step %zu: %s %s", i + 1, name.text,
			       past ? "has already happened" : "is not in the window");
	}
	while (number != target) {
		const struct checker_record *record;

		number = play->next[thread];
		record = checker_base_record(play->base, number);
		if (!can_happen(play, number, &why))
			return refuse_step(play, i, record, &why, err);
		apply_event(play, number);
	}
	return true;
}

bool checker_play_steps(struct checker_play *play, const struct event_id *steps, size_t count,
			struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!play_step(play, &steps[i], i, err))
			return false;
	}
	return true;
}
