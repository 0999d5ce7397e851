/*
 * Checks the use of something after its lifetime (doc/prediction.md, "Use after the end of a
 * lifetime"): of freed or unmapped memory, of the stack of a thread that ended, and, as misuse, of
 * a destroyed object or a closed descriptor.
 *
 * Of the two events, the end f comes early in the schedule. The rules for lifetimes would put f
 * after the uses that precede it in the base run, so they are not applied to f (play.c: `early`).
 * They are applied to all other events of the schedule as usual. The rules here keep the schedule
 * meaningful: between f and the use u, no event uses what f ends, and no new lifetime begins at the
 * bytes of u.
 */
#include "check/claim.h"
#include "check/touch.h"

struct end_and_use {
	const struct checker_play *play;
	const struct event_id *end_event, *use_event;
	uint32_t end, use; /* numbers in the window */
	struct checker_touch ended, used;
};

static bool is_end_and_use(const struct checker_witness *witness)
{
	return witness->event_count == 2 &&
	       (witness->claim == CHECKER_FREED ||
		(witness->claim == CHECKER_MISUSE && (witness->misuse == EVENT_MISUSE_DESTROYED ||
						      witness->misuse == EVENT_MISUSE_CLOSED)));
}

void checker_play_expect(struct checker_play *play, const struct checker_witness *witness)
{
	struct err err;

	if (is_end_and_use(witness))
		play->early = checker_claim_number(play, &witness->events[0], &err);
}

/* ---- valid ends and uses --------------------------------------------------------------------- */

static uint8_t kind_of(const struct end_and_use *p, uint32_t number)
{
	return checker_base_record(p->play->base, number)->kind;
}

/* Is it the end of the main thread, which has no CREATE? Its stack remains after that. */
static bool is_main(const struct end_and_use *p)
{
	const struct checker_record *end = checker_base_record(p->play->base, p->end);
	const struct trace *trace = p->play->world->trace;

	return end->kind == EV_END && !trace_is_text(trace) &&
	       !checker_survey_creates(p->play->world->survey,
				       trace_stream(trace, end->thread)->number);
}

static bool is_valid_end(const struct end_and_use *p, const struct checker_witness *witness,
			 struct err *err)
{
	uint8_t kind = kind_of(p, p->end);
	bool right;

	if (witness->claim == CHECKER_FREED)
		right = kind == EV_FREE || kind == EV_UNMAP || kind == EV_END;
	else if (witness->misuse == EVENT_MISUSE_CLOSED)
		right = kind == EV_FD_CLOSE;
	else
		right = p->ended.object == CHECKER_ENDS;
	if (!right)
		return err_set(err, "%s does not end the lifetime that the claim names",
			       checker_claim_words(p->play, p->end_event).text);
	if (!p->ended.range_count || is_main(p))
		return err_set(err, "%s does not end a lifetime",
			       checker_claim_words(p->play, p->end_event).text);
	return true;
}

/*
 * Removes the condition or barrier from the use if the event only returns from it. POSIX allows
 * destroying a condition once all waiters have been woken, and a barrier once one thread has
 * passed.
 */
static void drop_returns(struct end_and_use *p)
{
	switch (kind_of(p, p->use)) {
	/* the first operand is the condition, the second the mutex, which remains a use */
	case EV_WOKEN:
		p->used.operands[0] = p->used.operands[1];
		p->used.ranges[0] = p->used.ranges[1];
		p->used.operand_count = p->used.range_count = 1;
		break;
	case EV_PASS: p->used.operand_count = p->used.range_count = 0; break;
	}
}

/*
 * A release does not count as use of a destroyed lock: a lock that is released is held, and
 * destroying a held lock is another misuse, which the library refuses.
 */
static bool releases_lock(uint8_t kind)
{
	return kind == EV_RELEASE || kind == EV_READ_RELEASE;
}

static bool is_use_of_memory(const struct end_and_use *p)
{
	const struct checker_record *use = checker_base_record(p->play->base, p->use);
	struct checker_range common;

	if (use->kind == EV_FREE)
		return kind_of(p, p->end) == EV_FREE &&
		       use->address == checker_base_record(p->play->base, p->end)->address;
	if (p->used.memory != CHECKER_USES || use->flags & EF_LOOK)
		return false;
	for (unsigned i = 0; i < p->used.range_count; i++) {
		if (checker_range_meet(&p->ended.ranges[0], &p->used.ranges[i], &common))
			return true;
	}
	return false;
}

/*
 * Is the object overwritten between the end and the use in the base run? Then the use is of another
 * object.
 */
static bool is_written_over(const struct end_and_use *p)
{
	uint64_t object = checker_base_record(p->play->base, p->end)->address;

	for (uint32_t i = p->end + 1; i < p->use; i++) {
		const struct checker_record *record = checker_base_record(p->play->base, i);

		if (record->kind == EV_WRITE && record->address <= object &&
		    object - record->address < record->size)
			return true;
	}
	return false;
}

static bool is_valid_use(const struct end_and_use *p, const struct checker_witness *witness,
			 struct err *err)
{
	uint8_t kind = kind_of(p, p->use);
	bool right;

	if (witness->claim == CHECKER_FREED)
		right = kind != EV_FD_USE && is_use_of_memory(p);
	else if (witness->misuse == EVENT_MISUSE_CLOSED)
		right = (kind == EV_FD_USE || kind == EV_FD_CLOSE) &&
			checker_base_record(p->play->base, p->use)->address ==
				checker_base_record(p->play->base, p->end)->address;
	else
		right = p->used.object != CHECKER_BEGINS && !releases_lock(kind) &&
			checker_touch_same(&p->ended, &p->used) && !is_written_over(p);
	return right ? true
		     : err_set(err, "%s does not use what %s ends",
			       checker_claim_words(p->play, p->use_event).text,
			       checker_claim_words(p->play, p->end_event).text);
}

/* ---- events that may not come between them --------------------------------------------------- */

/*
 * Does the event begin a new lifetime of the object that ended, or of bytes that ended and are
 * used?
 */
static bool begins_new_lifetime(const struct end_and_use *p, const struct checker_touch *touch)
{
	if (p->ended.object == CHECKER_ENDS)
		return touch->object == CHECKER_BEGINS && checker_touch_same(touch, &p->ended);
	for (unsigned i = 0; touch->memory == CHECKER_BEGINS && i < p->used.range_count; i++) {
		struct checker_range common;

		if (touch->range_count &&
		    checker_range_meet(&p->ended.ranges[0], &p->used.ranges[i], &common) &&
		    checker_range_meet(&common, &touch->ranges[0], &common))
			return true;
	}
	return false;
}

/*
 * In the base run, has each of these bytes begun a new lifetime after the end, at event `number` at
 * the latest?
 */
static bool is_new_lifetime(const struct end_and_use *p, uint32_t number, struct checker_range left)
{
	bool grows = true;

	while (grows && left.first <= left.last) {
		grows = false;
		for (uint32_t i = p->end + 1; i <= number && !grows; i++) {
			struct checker_touch touch = checker_touch_of(p->play->base, i);

			if (touch.memory != CHECKER_BEGINS || !touch.range_count ||
			    touch.ranges[0].first > left.first || touch.ranges[0].last < left.first)
				continue;
			if (touch.ranges[0].last >= left.last)
				return true;
			left.first = touch.ranges[0].last + 1;
			grows = true;
		}
	}
	return false;
}

static bool is_new_object(const struct end_and_use *p, uint32_t number)
{
	for (uint32_t i = p->end + 1; i <= number; i++) {
		struct checker_touch touch = checker_touch_of(p->play->base, i);

		if (touch.object == CHECKER_BEGINS && checker_touch_same(&touch, &p->ended))
			return true;
	}
	return false;
}

/* Does the event itself use what has ended? Then that use should be reported instead. */
static bool uses_ended(const struct end_and_use *p, uint32_t number,
		       const struct checker_touch *touch)
{
	struct checker_range common;

	if (p->ended.object == CHECKER_ENDS)
		return checker_touch_same(touch, &p->ended) && !is_new_object(p, number);
	for (unsigned i = 0; i < touch->range_count; i++) {
		if (checker_range_meet(&p->ended.ranges[0], &touch->ranges[i], &common) &&
		    !is_new_lifetime(p, number, common))
			return true;
	}
	return false;
}

static bool check_nothing_between(const struct end_and_use *p, struct err *err)
{
	size_t place = checker_claim_position(p->play, p->end);

	for (size_t i = place; i < p->play->order.count; i++) {
		uint32_t number = p->play->order.items[i];
		const struct checker_record *record = checker_base_record(p->play->base, number);
		struct checker_touch touch = checker_touch_of(p->play->base, number);
		const char *what = begins_new_lifetime(p, &touch)  ? "begins another lifetime there"
				   : uses_ended(p, number, &touch) ? "also uses what has ended"
								   : NULL;

		if (what)
			return err_set(err, "%s, after %s, %s",
				       checker_event_words(p->play->world->trace, record->stream,
							   record->index)
					       .text,
				       checker_claim_words(p->play, p->end_event).text, what);
	}
	return true;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

bool checker_play_uses_after_end(const struct checker_play *play,
				 const struct checker_witness *witness, struct err *err)
{
	struct end_and_use p = { .play = play };

	if (!is_end_and_use(witness))
		return err_set(err, "an end of a lifetime and a use are two events, not %zu",
			       witness->event_count);
	p.end_event = &witness->events[0];
	p.use_event = &witness->events[1];
	p.end = checker_claim_number(play, p.end_event, err);
	p.use = p.end ? checker_claim_number(play, p.use_event, err) : 0;
	if (!p.use)
		return false;
	if (checker_base_record(play->base, p.end)->thread ==
	    checker_base_record(play->base, p.use)->thread)
		return err_set(err, "the end and the use are in the same thread");
	p.ended = checker_touch_of(play->base, p.end);
	p.used = checker_touch_of(play->base, p.use);
	drop_returns(&p);
	if (!is_valid_end(&p, witness, err) || !is_valid_use(&p, witness, err) ||
	    !checker_claim_is_next(play, p.use_event, CHECKER_NO_LIFETIMES, err))
		return false;
	if (!checker_play_happened(play, p.end))
		return checker_claim_is_next(play, p.end_event, 0, err);
	return check_nothing_between(&p, err);
}
