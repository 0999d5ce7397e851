/*
 * Finds conditions, semaphores and onces on which unrecorded code operates too (doc/prediction.md,
 * Unexplained). An event that depends on such an operation stays after everything that came before
 * it. survey_locks.c does this for locks. This may find more than the specification asks for: a
 * semaphore of unknown value is assumed to start at 0.
 */
#include "monitor/computation/survey.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SIGNALS                                                                               \
	4096 /* signals remembered; a wait that an older signal ended counts as unexplained */

struct sent_signal {
	uint64_t condition, at;
	bool broadcast, used;
};

struct survey_unexplained {
	uint64_t now;
	uint32_t threads;
	uint64_t *waits;	    /* by thread: `now` when its wait began */
	uint64_t *waits_on;	    /* by thread: 1 + the condition on which it waits; 0: none */
	struct map counts, running; /* semaphores: value + 1; onces: 1 running, 2 done */
	VEC(struct sent_signal) sent;
};

struct survey_unexplained *survey_unexplained_open(uint32_t threads)
{
	struct survey_unexplained *unseen = mem_zalloc(1, sizeof *unseen);

	unseen->threads = threads;
	unseen->waits = mem_zalloc(threads + 1, sizeof *unseen->waits);
	unseen->waits_on = mem_zalloc(threads + 1, sizeof *unseen->waits_on);
	return unseen;
}

void survey_unexplained_close(struct survey_unexplained *unseen)
{
	free(unseen->waits);
	free(unseen->waits_on);
	map_free(&unseen->counts);
	map_free(&unseen->running);
	vec_free(&unseen->sent);
	free(unseen);
}

/*
 * Does a signal explain the end of the wait? The first broadcast or unused signal after the wait
 * began does. A signal explains only one wait.
 */
static bool uses_signal_for(struct survey_unexplained *unseen, uint64_t condition, uint32_t thread)
{
	for (size_t i = 0; i < unseen->sent.count; i++) {
		struct sent_signal *sent = &unseen->sent.items[i];

		if (sent->condition != condition || sent->at < unseen->waits[thread] || sent->used)
			continue;
		sent->used = !sent->broadcast;
		return true;
	}
	return false;
}

/* Does a thread wait on the condition? */
static bool has_waiter(const struct survey_unexplained *unseen, uint64_t condition)
{
	for (uint32_t i = 0; i < unseen->threads; i++) {
		if (unseen->waits_on[i] == condition + 1)
			return true;
	}
	return false;
}

static void remember_signal(struct survey_unexplained *unseen, const struct trace_event *ev)
{
	if (unseen->sent.count == MOST_SIGNALS) {
		unseen->sent.count /= 2;
		memmove(unseen->sent.items, unseen->sent.items + unseen->sent.count,
			unseen->sent.count * sizeof *unseen->sent.items);
	}
	*vec_push(&unseen->sent) =
		(struct sent_signal){ ev->address, unseen->now, ev->kind == EV_BROADCAST, false };
}

void survey_unexplained_see(struct survey_unexplained *unseen, struct survey *survey,
			    const struct trace_event *ev, uint32_t thread)
{
	uint64_t *state;
	bool unexplained = false;

	unseen->now++;
	switch (ev->kind) {
	case EV_WAIT:
		unseen->waits[thread] = unseen->now;
		unseen->waits_on[thread] = ev->address + 1;
		break;
	case EV_COND_INIT:
	case EV_COND_DESTROY:
		if (has_waiter(unseen, ev->address))
			survey_object(survey, SURVEY_CONDITION, ev->address)->unexplained = true;
		break;
	case EV_SIGNAL:
	case EV_BROADCAST: remember_signal(unseen, ev); break;
	case EV_WOKEN:
		if (!ev->mode && !uses_signal_for(unseen, ev->address, thread))
			survey_object(survey, SURVEY_CONDITION, ev->address)->unexplained = true;
		unseen->waits_on[thread] = 0;
		break;
	case EV_SEM_INIT: *map_put(&unseen->counts, ev->address, NULL) = ev->number + 1; break;
	case EV_SEM_DESTROY: *map_put(&unseen->counts, ev->address, NULL) = 1; break;
	case EV_POST:
	case EV_DOWN:
	case EV_DOWN_FAIL:
		state = map_put(&unseen->counts, ev->address, NULL);
		*state += !*state;
		unexplained = ev->kind == EV_DOWN ? *state == 1
						  : ev->kind == EV_DOWN_FAIL &&
							    ev->mode == EVENT_TRY && *state > 1;
		*state += ev->kind == EV_POST;
		*state -= ev->kind == EV_DOWN && *state > 1;
		if (unexplained)
			survey_object(survey, SURVEY_SEMAPHORE, ev->address)->unexplained = true;
		break;
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
	case EV_ONCE:
		state = map_put(&unseen->running, ev->address, NULL);
		if (ev->kind == EV_ONCE ? *state == 1 : (ev->kind == EV_ONCE_BEGIN && *state))
			survey_object(survey, SURVEY_ONCE, ev->address)->unexplained = true;
		if (ev->kind != EV_ONCE)
			*state = ev->kind == EV_ONCE_BEGIN ? 1 : 2;
		break;
	}
}

static bool is_unexplained(struct survey *survey, enum survey_class class, uint64_t address)
{
	return map_get(&survey->index[class], address) &&
	       survey_object(survey, class, address)->unexplained;
}

bool survey_depends_on_unexplained(struct survey *survey, const struct trace_event *ev)
{
	switch (ev->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_ACQUIRE:
	case EV_READ_FAIL: return is_unexplained(survey, SURVEY_LOCK, ev->address);
	case EV_WOKEN:
		return is_unexplained(survey, SURVEY_LOCK, ev->other) ||
		       is_unexplained(survey, SURVEY_CONDITION, ev->address);
	case EV_DOWN:
	case EV_DOWN_FAIL: return is_unexplained(survey, SURVEY_SEMAPHORE, ev->address);
	case EV_ONCE: return is_unexplained(survey, SURVEY_ONCE, ev->address);
	default: return false;
	}
}
