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

/* ---- races ----------------------------------------------------------------------------------- */

static const struct checker_record *next_access(const struct checker_play *play,
						const struct event_id *event, struct err *err)
{
	const struct checker_record *record;

	if (!checker_claim_is_next(play, event, 0, err))
		return NULL;
	record = checker_base_record(play->base, play->next[checker_claim_thread(play, event)]);
	if (!checker_is_access(record) || record->flags & EVENT_NO_RACE) {
		err_set(err, "%s is not a memory access of the program",
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
		return err_set(err, "both accesses are in the same thread");
	if (!checker_writes(a) && !checker_writes(b))
		return err_set(err, "neither access writes");
	if (checker_is_atomic(a) && checker_is_atomic(b))
		return err_set(err, "both accesses are atomic");
	if (a->address <= b->address ? b->address - a->address >= a->size || !b->size
				     : a->address - b->address >= b->size || !a->size)
		return err_set(err, "the accesses have no byte in common");
	return true;
}

/* ---- deadlock by a cycle --------------------------------------------------------------------- */

static bool is_blocked_by(const struct checker_play *play, const struct checker_request *request,
			  uint32_t thread)
{
	uint32_t blocker;

	for (size_t i = 0; (blocker = checker_request_blocker(play, request, i)) != CHECKER_END;
	     i++) {
		if (blocker == thread)
			return true;
	}
	return false;
}

/*
 * The first `fixed` requests are a chain: each is blocked by the thread of the next one. Can the
 * other requests be ordered so that the chain becomes a cycle through all `count` requests? Several
 * readers of a lock may all block a request, so all orders are tried; cycles are short.
 */
static bool closes_cycle(const struct checker_play *play, struct checker_request *cycle,
			 size_t fixed, size_t count)
{
	if (fixed == count)
		return is_blocked_by(play, &cycle[count - 1], cycle[0].thread);
	for (size_t i = fixed; i < count; i++) {
		struct checker_request tried = cycle[i];

		if (!is_blocked_by(play, &cycle[fixed - 1], tried.thread))
			continue;
		cycle[i] = cycle[fixed];
		cycle[fixed] = tried;
		if (closes_cycle(play, cycle, fixed + 1, count))
			return true;
		cycle[fixed] = cycle[i];
		cycle[i] = tried;
	}
	return false;
}

/*
 * Finds the requests of the events' threads. The events must be of different threads, and each must
 * be the next event of its thread.
 */
static bool find_requests(const struct checker_play *play, const struct checker_witness *witness,
			  struct checker_request *requests, struct err *err)
{
	for (size_t i = 0; i < witness->event_count; i++) {
		const struct event_id *event = &witness->events[i];
		uint32_t thread = checker_claim_thread(play, event);

		if (thread == CHECKER_END)
			return checker_claim_not_next(play, event, err);
		requests[i] = checker_next_request(play, thread);
		if (!checker_claim_names(play, event, requests[i].event))
			return checker_claim_not_next(play, event, err);
		for (size_t k = 0; k < i; k++) {
			if (requests[k].thread == thread)
				return err_set(err, "two events in the same thread: %s",
					       checker_claim_words(play, event).text);
		}
	}
	return true;
}

static bool shows_cycle(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err)
{
	size_t count = witness->event_count;
	struct checker_request *requests;
	bool ok;

	if (!count)
		return err_set(err, "a cycle without events");
	requests = mem_zalloc(count, sizeof *requests);
	ok = find_requests(play, witness, requests, err);
	for (size_t i = 0; ok && i < count; i++) {
		if (checker_request_blocker(play, &requests[i], 0) == CHECKER_END)
			ok = err_set(err, "no thread blocks %s",
				     checker_claim_words(play, &witness->events[i]).text);
	}
	if (ok && !closes_cycle(play, requests, 1, count))
		ok = err_set(err, "the threads do not block each other in a cycle");
	free(requests);
	return ok;
}

/* ---- deadlock where no thread can continue --------------------------------------------------- */

struct stuck {
	const struct checker_play *play;
	VEC(struct checker_request) requests; /* of the blocked threads */
};

/* Has the thread not been created yet? (Then none of its events has happened.) */
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

static bool has_ended(const struct checker_play *play, uint32_t thread)
{
	const struct checker_thread *self = &play->world->threads[thread];

	return checker_play_is_finished(play, thread) &&
	       (trace_is_text(play->world->trace) ? self->hangs.kind == EV_NONE : self->ended);
}

/*
 * Collects the requests of the threads. Returns false if a thread can continue, or its request is
 * unknown.
 */
static bool collect_requests(struct stuck *stuck, struct err *err)
{
	const struct checker_play *play = stuck->play;
	const struct trace *trace = play->world->trace;

	if (play->world->unseen && !trace_is_text(trace))
		return err_set(err, "a thread was created whose events are not in the trace");
	for (uint32_t i = 0; i < play->base->streams; i++) {
		struct checker_request request;

		if (checker_source_thread(play->base->source, i) != i || has_ended(play, i) ||
		    is_uncreated(play, i))
			continue;
		request = checker_next_request(play, i);
		if (!checker_request_is_blocked(play, &request) &&
		    !checker_request_is_wait(play, &request))
			return err_set(err, "%s has neither ended nor is it blocked",
				       checker_thread_words(trace, i).text);
		*vec_push(&stuck->requests) = request;
	}
	return stuck->requests.count || err_set(err, "all threads have ended");
}

/*
 * Is it possible that no signal has woken these threads, which wait on the condition: `also`, and
 * all that nothing else blocks?
 */
static bool is_unwoken(const struct stuck *stuck, uint64_t condition, uint32_t also)
{
	VEC(uint32_t) threads = { 0 };
	bool ok;

	for (size_t i = 0; i < stuck->requests.count; i++) {
		const struct checker_request *request = &stuck->requests.items[i];

		if (request->kind == EV_WOKEN && request->address == condition &&
		    (request->thread == also || !checker_request_is_blocked(stuck->play, request)))
			*vec_push(&threads) = request->thread;
	}
	ok = checker_condition_unwoken(stuck->play->world, condition, threads.items, threads.count);
	vec_free(&threads);
	return ok;
}

static bool check_none_woken(const struct stuck *stuck, struct err *err)
{
	const struct trace *trace = stuck->play->world->trace;

	for (size_t i = 0; i < stuck->requests.count; i++) {
		const struct checker_request *request = &stuck->requests.items[i];

		if (!checker_request_is_blocked(stuck->play, request) &&
		    !is_unwoken(stuck, request->address, request->thread))
			return err_set(err, "%s or another thread has been woken on condition %s",
				       checker_thread_words(trace, request->thread).text,
				       checker_object_words(trace, request->address).text);
	}
	return true;
}

static bool check_same_events(const struct stuck *stuck, const struct checker_witness *witness,
			      struct err *err)
{
	for (size_t i = 0; i < witness->event_count; i++) {
		bool found = false;

		for (size_t k = 0; k < stuck->requests.count; k++)
			found |= checker_claim_names(stuck->play, &witness->events[i],
						     stuck->requests.items[k].event);
		for (size_t k = 0; k < i; k++)
			found &= witness->events[i].stream != witness->events[k].stream ||
				 witness->events[i].index != witness->events[k].index;
		if (!found)
			return err_set(err, "no thread is blocked at %s, or it is named twice",
				       checker_claim_words(stuck->play, &witness->events[i]).text);
	}
	return witness->event_count == stuck->requests.count ||
	       err_set(err, "%zu threads are blocked, but %zu are named", stuck->requests.count,
		       witness->event_count);
}

/*
 * Do the blockers of a request, their blockers, and so on lead back to a request on the current
 * path?
 */
static bool leads_into_cycle(const struct stuck *stuck, uint8_t *state, size_t i)
{
	const struct checker_request *request = &stuck->requests.items[i];
	uint32_t blocker;

	state[i] = 1; /* on the current path */
	for (size_t k = 0;
	     (blocker = checker_request_blocker(stuck->play, request, k)) != CHECKER_END; k++) {
		for (size_t next = 0; next < stuck->requests.count; next++) {
			if (stuck->requests.items[next].thread == blocker &&
			    (state[next] == 1 ||
			     (!state[next] && leads_into_cycle(stuck, state, next))))
				return true;
		}
	}
	state[i] = 2; /* no cycle can be reached from here */
	return false;
}

static bool check_no_cycle(const struct stuck *stuck, struct err *err)
{
	uint8_t *state = mem_zalloc(stuck->requests.count, 1);
	bool cycle = false;

	for (size_t i = 0; !cycle && i < stuck->requests.count; i++)
		cycle = !state[i] && leads_into_cycle(stuck, state, i);
	free(state);
	return cycle ? err_set(err, "some of the threads block each other in a cycle") : true;
}

static bool check_late_wait(const struct stuck *stuck, struct err *err)
{
	for (size_t i = 0; i < stuck->requests.count; i++) {
		const struct checker_request *request = &stuck->requests.items[i];

		if (checker_request_is_wait(stuck->play, request) &&
		    stuck->play->world->threads[request->thread].late &&
		    is_unwoken(stuck, request->address, request->thread))
			return true;
	}
	return err_set(err, "no wait began after what woke it in the base run");
}

static bool shows_stuck(const struct checker_play *play, const struct checker_witness *witness,
			bool lost, struct err *err)
{
	struct stuck stuck = { .play = play };
	bool ok = collect_requests(&stuck, err) && check_none_woken(&stuck, err) &&
		  check_same_events(&stuck, witness, err) && check_no_cycle(&stuck, err) &&
		  (!lost || check_late_wait(&stuck, err));

	vec_free(&stuck.requests);
	return ok;
}

/* ---- all claims ------------------------------------------------------------------------------ */

bool checker_play_shows(const struct checker_play *play, const struct checker_witness *witness,
			struct err *err)
{
	switch (witness->claim) {
	case CHECKER_RACE: return shows_race(play, witness, err);
	case CHECKER_CYCLE: return shows_cycle(play, witness, err);
	case CHECKER_STUCK: return shows_stuck(play, witness, false, err);
	case CHECKER_LOST: return shows_stuck(play, witness, true, err);
	case CHECKER_FREED: return checker_play_uses_after_end(play, witness, err);
	case CHECKER_MISUSE: return checker_play_misuses(play, witness, err);
	case CHECKER_ATOMICITY: return checker_play_breaks_region(play, witness, err);
	case CHECKER_PREFIX: return true;
	case CHECKER_PATTERN: return checker_play_matches(play, witness->match, err);
	case CHECKER_FORMULA: return checker_play_violates(play, witness->word, err);
	case CHECKER_GRAMMAR: return checker_play_rejects_word(play, witness->sentence, err);
	}
	return err_set(err, "unknown kind of claim");
}
