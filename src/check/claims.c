/*
 * Checks what a witness claims to show, after its schedule has been played: races, deadlocks by a
 * cycle, and deadlocks where no thread can continue. The other claims have their own files.
 */
#include "check/blocked_request.h"

#include "base/mem.h"
#include "check/claim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- races --------------------------------------------------------------------------------- */

static const struct checker_record *next_access(const struct checker_play *play,
						const struct event_id *event, struct err *err)
{
	const struct checker_record *record;

	if (!checker_claim_is_next(play, event, 0, err))
		return NULL;
	record = checker_base_record(play->base, play->next[checker_claim_thread(play, event)]);
	if (!checker_is_access(record) || record->flags & EVENT_NO_RACE) {
		err_set(err, "%s is no access of memory by the program",
			checker_claim_words(play, event).text);
		return NULL;
	}
	return record;
}

static bool shows_race(const struct checker_play *play, const struct checker_witness *witness,
		       struct err *err)
{
	const struct checker_record *a, *b;

	if (witness->event_count != 2)
		return err_set(err, "a race has two events, not %zu", witness->event_count);
	if (!(a = next_access(play, &witness->events[0], err)) ||
	    !(b = next_access(play, &witness->events[1], err)))
		return false;
	if (a->thread == b->thread)
		return err_set(err, "both accesses are of one thread");
	if (!checker_writes(a) && !checker_writes(b))
		return err_set(err, "neither access writes");
	if (checker_is_atomic(a) && checker_is_atomic(b))
		return err_set(err, "both accesses are atomic");
	if (a->address <= b->address ? b->address - a->address >= a->size || !b->size
				     : a->address - b->address >= b->size || !a->size)
		return err_set(err, "the accesses have no byte in common");
	return true;
}

/* ---- deadlock by a cycle ------------------------------------------------------------------- */

static bool blocks(const struct checker_play *play, const struct checker_want *want,
		   uint32_t thread)
{
	uint32_t blocker;

	for (size_t i = 0; (blocker = checker_want_blocker(play, want, i)) != CHECKER_END; i++) {
		if (blocker == thread)
			return true;
	}
	return false;
}

/*
 * Is there a cycle through all requests that continues the first `fixed` ones? A lock with several
 * readers gives several ways to continue; cycles are short, so all are tried.
 */
static bool closes(const struct checker_play *play, struct checker_want *ring, size_t fixed,
		   size_t count)
{
	if (fixed == count)
		return blocks(play, &ring[count - 1], ring[0].thread);
	for (size_t i = fixed; i < count; i++) {
		struct checker_want tried = ring[i];

		if (!blocks(play, &ring[fixed - 1], tried.thread))
			continue;
		ring[i] = ring[fixed];
		ring[fixed] = tried;
		if (closes(play, ring, fixed + 1, count))
			return true;
		ring[fixed] = ring[i];
		ring[i] = tried;
	}
	return false;
}

/*
 * Finds the requests of the events' threads. Each event must be of another thread, and must be
 * where its thread stands.
 */
static bool find_wants(const struct checker_play *play, const struct checker_witness *witness,
		       struct checker_want *wants, struct err *err)
{
	for (size_t i = 0; i < witness->event_count; i++) {
		const struct event_id *event = &witness->events[i];
		uint32_t thread = checker_claim_thread(play, event);

		if (thread == CHECKER_END)
			return checker_claim_not_next(play, event, err);
		wants[i] = checker_want_of(play, thread);
		if (!checker_claim_names(play, event, wants[i].event))
			return checker_claim_not_next(play, event, err);
		for (size_t k = 0; k < i; k++) {
			if (wants[k].thread == thread)
				return err_set(err, "two events of one thread: %s",
					       checker_claim_words(play, event).text);
		}
	}
	return true;
}

static bool shows_cycle(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err)
{
	size_t count = witness->event_count;
	struct checker_want *wants;
	bool ok;

	if (!count)
		return err_set(err, "a cycle of no events");
	wants = mem_zalloc(count, sizeof *wants);
	ok = find_wants(play, witness, wants, err);
	for (size_t i = 0; ok && i < count; i++) {
		if (checker_want_blocker(play, &wants[i], 0) == CHECKER_END)
			ok = err_set(err, "nobody blocks %s",
				     checker_claim_words(play, &witness->events[i]).text);
	}
	if (ok && !closes(play, wants, 1, count))
		ok = err_set(err, "the threads do not block each other in a ring");
	free(wants);
	return ok;
}

/* ---- deadlock where no thread can continue ------------------------------------------------- */

struct stuck {
	const struct checker_play *play;
	VEC(struct checker_want) wants; /* of the blocked threads */
};

/* Has nothing of the thread happened because it has not been created yet? */
static bool is_uncreated(const struct checker_play *play, uint32_t thread)
{
	const struct checker_thread *self = &play->world->threads[thread];
	uint32_t next = play->next[thread];

	if (self->done || self->created)
		return false;
	if (next != CHECKER_END)
		return checker_base_record(play->base, next)->bits & CHECKER_CREATED;
	return checker_survey_creates(play->world->survey,
				      trace_stream(play->world->trace, thread)->number);
}

static bool is_over(const struct checker_play *play, uint32_t thread)
{
	const struct checker_thread *self = &play->world->threads[thread];

	return checker_play_is_through(play, thread) &&
	       (trace_is_text(play->world->trace) ? self->hangs.kind == EV_NONE : self->ended);
}

/*
 * Collects the request of each thread. Returns false if one can continue, or if it is unknown what
 * it does.
 */
static bool all_stand(struct stuck *stuck, struct err *err)
{
	const struct checker_play *play = stuck->play;
	const struct trace *trace = play->world->trace;

	if (play->world->unseen && !trace_is_text(trace))
		return err_set(err, "a thread was created whose events are not in the trace");
	for (uint32_t i = 0; i < play->base->streams; i++) {
		struct checker_want want;

		if (checker_source_thread(play->base->source, i) != i || is_over(play, i) ||
		    is_uncreated(play, i))
			continue;
		want = checker_want_of(play, i);
		if (!checker_want_is_blocked(play, &want) && !checker_want_is_wait(play, &want))
			return err_set(err, "%s is neither over nor blocked",
				       checker_thread_words(trace, i).text);
		*vec_push(&stuck->wants) = want;
	}
	return stuck->wants.count || err_set(err, "all threads are over");
}

/*
 * Can it be that no signal has woken the threads that wait on this condition, namely `also` and all
 * that nothing else blocks?
 */
static bool unwoken(const struct stuck *stuck, uint64_t condition, uint32_t also)
{
	VEC(uint32_t) threads = { 0 };
	bool ok;

	for (size_t i = 0; i < stuck->wants.count; i++) {
		const struct checker_want *want = &stuck->wants.items[i];

		if (want->kind == EV_WOKEN && want->address == condition &&
		    (want->thread == also || !checker_want_is_blocked(stuck->play, want)))
			*vec_push(&threads) = want->thread;
	}
	ok = checker_condition_unwoken(stuck->play->world, condition, threads.items, threads.count);
	vec_free(&threads);
	return ok;
}

static bool none_woken(const struct stuck *stuck, struct err *err)
{
	const struct trace *trace = stuck->play->world->trace;

	for (size_t i = 0; i < stuck->wants.count; i++) {
		const struct checker_want *want = &stuck->wants.items[i];

		if (!checker_want_is_blocked(stuck->play, want) &&
		    !unwoken(stuck, want->address, want->thread))
			return err_set(err, "%s has been woken on condition %s, or another has",
				       checker_thread_words(trace, want->thread).text,
				       checker_object_words(trace, want->address).text);
	}
	return true;
}

static bool same_events(const struct stuck *stuck, const struct checker_witness *witness,
			struct err *err)
{
	for (size_t i = 0; i < witness->event_count; i++) {
		bool found = false;

		for (size_t k = 0; k < stuck->wants.count; k++)
			found |= checker_claim_names(stuck->play, &witness->events[i],
						     stuck->wants.items[k].event);
		for (size_t k = 0; k < i; k++)
			found &= witness->events[i].stream != witness->events[k].stream ||
				 witness->events[i].index != witness->events[k].index;
		if (!found)
			return err_set(err, "no thread is blocked at %s, or it is named twice",
				       checker_claim_words(stuck->play, &witness->events[i]).text);
	}
	return witness->event_count == stuck->wants.count ||
	       err_set(err, "%zu threads are blocked, and %zu are named", stuck->wants.count,
		       witness->event_count);
}

/* Does the request lead, through those of its blockers, back to a thread on the current path? */
static bool leads_round(const struct stuck *stuck, uint8_t *state, size_t i)
{
	const struct checker_want *want = &stuck->wants.items[i];
	uint32_t blocker;

	state[i] = 1; /* on the current path */
	for (size_t k = 0; (blocker = checker_want_blocker(stuck->play, want, k)) != CHECKER_END;
	     k++) {
		for (size_t next = 0; next < stuck->wants.count; next++) {
			if (stuck->wants.items[next].thread == blocker &&
			    (state[next] == 1 || (!state[next] && leads_round(stuck, state, next))))
				return true;
		}
	}
	state[i] = 2; /* leads nowhere */
	return false;
}

static bool no_ring(const struct stuck *stuck, struct err *err)
{
	uint8_t *state = mem_zalloc(stuck->wants.count, 1);
	bool ring = false;

	for (size_t i = 0; !ring && i < stuck->wants.count; i++)
		ring = !state[i] && leads_round(stuck, state, i);
	free(state);
	return ring ? err_set(err, "some of the threads block each other in a ring") : true;
}

static bool one_is_late(const struct stuck *stuck, struct err *err)
{
	for (size_t i = 0; i < stuck->wants.count; i++) {
		const struct checker_want *want = &stuck->wants.items[i];

		if (checker_want_is_wait(stuck->play, want) &&
		    stuck->play->world->threads[want->thread].late &&
		    unwoken(stuck, want->address, want->thread))
			return true;
	}
	return err_set(err, "no wait began after what woke it in the base run");
}

static bool shows_stuck(const struct checker_play *play, const struct checker_witness *witness,
			bool lost, struct err *err)
{
	struct stuck stuck = { .play = play };
	bool ok = all_stand(&stuck, err) && none_woken(&stuck, err) &&
		  same_events(&stuck, witness, err) && no_ring(&stuck, err) &&
		  (!lost || one_is_late(&stuck, err));

	vec_free(&stuck.wants);
	return ok;
}

/* ---- all claims ---------------------------------------------------------------------------- */

bool checker_play_shows(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err)
{
	switch (witness->claim) {
	case CHECKER_RACE: return shows_race(play, witness, err);
	case CHECKER_CYCLE: return shows_cycle(play, witness, err);
	case CHECKER_STUCK: return shows_stuck(play, witness, false, err);
	case CHECKER_LOST: return shows_stuck(play, witness, true, err);
	case CHECKER_FREED: return checker_play_frees(play, witness, err);
	case CHECKER_MISUSE: return checker_play_misuses(play, witness, err);
	case CHECKER_ATOMICITY: return checker_play_tears(play, witness, err);
	case CHECKER_PREFIX: return true;
	case CHECKER_PATTERN: return checker_play_matches(play, witness->match, err);
	case CHECKER_FORMULA: return checker_play_violates(play, witness->word, err);
	case CHECKER_GRAMMAR: return checker_play_misspells(play, witness->sentence, err);
	}
	return err_set(err, "a claim of no kind");
}
