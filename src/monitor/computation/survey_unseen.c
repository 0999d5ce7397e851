/*
 * Conditions, semaphores and onces that somebody unseen operates on (doc/prediction.md, Unexplained):
 * who learns of that stays behind all that came before. Locks are survey_locks.c's. What is noted here
 * may be more than the law asks for: a semaphore of unknown value is taken to begin at 0.
 */
#include "monitor/computation/survey.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define SENT_MOST 4096 /* signals that are remembered; a wait that an older one woke is noted */

struct sent {
	uint64_t condition, at;
	bool broadcast, used;
};

struct survey_unseen {
	uint64_t now;
	uint32_t lanes;
	uint64_t *waits;	    /* by lane: when its wait began */
	uint64_t *waits_on;	    /* … the condition that it waits on, + 1 */
	struct map counts, running; /* semaphores; onces whose runner has not ended: 1 */
	VEC(struct sent) sent;
};

struct survey_unseen *survey_unseen_open(uint32_t lanes)
{
	struct survey_unseen *unseen = mem_zalloc(1, sizeof *unseen);

	unseen->lanes = lanes;
	unseen->waits = mem_zalloc(lanes + 1, sizeof *unseen->waits);
	unseen->waits_on = mem_zalloc(lanes + 1, sizeof *unseen->waits_on);
	return unseen;
}

void survey_unseen_close(struct survey_unseen *unseen)
{
	free(unseen->waits);
	free(unseen->waits_on);
	map_free(&unseen->counts);
	map_free(&unseen->running);
	vec_free(&unseen->sent);
	free(unseen);
}

/* The first broadcast or unused signal behind the wait wakes it. */
static bool wakes(struct survey_unseen *unseen, uint64_t condition, uint32_t lane)
{
	for (size_t i = 0; i < unseen->sent.count; i++) {
		struct sent *sent = &unseen->sent.items[i];

		if (sent->condition != condition || sent->at < unseen->waits[lane] || sent->used)
			continue;
		sent->used = !sent->broadcast;
		return true;
	}
	return false;
}

/* A condition begins or ends while somebody waits there. */
static bool turns_in_use(const struct survey_unseen *unseen, uint64_t condition)
{
	for (uint32_t i = 0; i < unseen->lanes; i++) {
		if (unseen->waits_on[i] == condition + 1)
			return true;
	}
	return false;
}

static void send(struct survey_unseen *unseen, const struct trace_event *ev)
{
	if (unseen->sent.count == SENT_MOST) {
		unseen->sent.count /= 2;
		memmove(unseen->sent.items, unseen->sent.items + unseen->sent.count,
			unseen->sent.count * sizeof *unseen->sent.items);
	}
	*vec_push(&unseen->sent) =
		(struct sent){ ev->address, unseen->now, ev->kind == EV_BROADCAST, false };
}

void survey_unseen_see(struct survey_unseen *unseen, struct survey *survey,
		       const struct trace_event *ev, uint32_t lane)
{
	uint64_t *state;
	bool strange = false;

	unseen->now++;
	switch (ev->kind) {
	case EV_WAIT:
		unseen->waits[lane] = unseen->now;
		unseen->waits_on[lane] = ev->address + 1;
		break;
	case EV_COND_INIT:
	case EV_COND_DESTROY:
		if (turns_in_use(unseen, ev->address))
			survey_object(survey, SURVEY_CONDITION, ev->address)->unexplained = true;
		break;
	case EV_SIGNAL:
	case EV_BROADCAST: send(unseen, ev); break;
	case EV_WOKEN:
		if (!ev->mode && !wakes(unseen, ev->address, lane))
			survey_object(survey, SURVEY_CONDITION, ev->address)->unexplained = true;
		unseen->waits_on[lane] = 0;
		break;
	case EV_SEM_INIT: *map_put(&unseen->counts, ev->address, NULL) = ev->number + 1; break;
	case EV_SEM_DESTROY: *map_put(&unseen->counts, ev->address, NULL) = 1; break;
	case EV_POST:
	case EV_DOWN:
	case EV_DOWN_FAIL:
		state = map_put(&unseen->counts, ev->address, NULL);
		*state += !*state;
		strange = ev->kind == EV_DOWN
				  ? *state == 1
				  : ev->kind == EV_DOWN_FAIL && ev->mode == EVENT_TRY && *state > 1;
		*state += ev->kind == EV_POST;
		*state -= ev->kind == EV_DOWN && *state > 1;
		if (strange)
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

bool survey_learns_of_unseen(struct survey *survey, const struct trace_event *ev)
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
