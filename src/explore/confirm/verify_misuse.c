/*
 * The runtime itself reports a misuse (MISUSE): under control it knows which threads hold an
 * object, which wait for it, and which threads are detached. What remains is to check in the
 * recording, in the order in which it happened, that the other event of the finding is part of it.
 */
#include "explore/confirm/verify_misuse.h"

#include "base/map.h"
#include "base/vec.h"
#include "explore/confirm/verify.h"
#include "order/base_run/share_survey.h"
#include "trace/sites.h"

/* A thread that has acquired an object, or waits there, since the finding's site. */
struct verify_misuse {
	uint64_t address;
	uint32_t owner, depth;
};

struct verify_misuse_walk {
	const struct finding *finding;
	const uint64_t *keys;
	VEC(struct verify_misuse) uses;
	struct map begun; /* addresses that were initialised */
	bool shown;
};

static struct verify_misuse *find(struct verify_misuse_walk *w, uint64_t address, uint32_t owner)
{
	for (size_t i = 0; i < w->uses.count; i++) {
		if (w->uses.items[i].address == address && w->uses.items[i].owner == owner)
			return &w->uses.items[i];
	}
	return NULL;
}

static bool is_used_by_another(const struct verify_misuse_walk *w, uint64_t address, uint32_t owner)
{
	for (size_t i = 0; i < w->uses.count; i++) {
		if (w->uses.items[i].address == address && w->uses.items[i].owner != owner)
			return true;
	}
	return false;
}

static void take(struct verify_misuse_walk *w, uint64_t address, uint32_t owner, bool counts)
{
	struct verify_misuse *use = find(w, address, owner);

	if (use)
		use->depth++;
	else if (counts)
		*vec_push(&w->uses) = (struct verify_misuse){ address, owner, 1 };
}

static void give_up(struct verify_misuse_walk *w, uint64_t address, uint32_t owner, bool wholly)
{
	struct verify_misuse *use = find(w, address, owner);

	if (use && (wholly || !--use->depth))
		*use = w->uses.items[--w->uses.count];
}

static bool is_misuse(const struct verify_misuse_walk *w, const struct base_run_event *ev)
{
	return ev->kind == EV_MISUSE && ev->mode == w->finding->misuse;
}

/* ---- destroyed while in use ------------------------------------------------------------------ */

static void see_use(struct verify_misuse_walk *w, const struct base_run_event *ev, uint64_t key)
{
	bool counts = key == w->keys[1];

	switch (ev->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE: take(w, ev->address, ev->owner, counts); break;
	case EV_RELEASE:
	case EV_READ_RELEASE: give_up(w, ev->address, ev->owner, false); break;
	case EV_WAIT:
		give_up(w, ev->other, ev->owner, true);
		take(w, ev->address, ev->owner, counts);
		break;
	case EV_WOKEN:
		give_up(w, ev->address, ev->owner, true);
		take(w, ev->other, ev->owner, counts);
		break;
	case EV_ARRIVE: take(w, ev->address, ev->owner, counts); break;
	case EV_PASS: give_up(w, ev->address, ev->owner, true); break;
	case EV_MISUSE:
		w->shown |= is_misuse(w, ev) && key == w->keys[0] &&
			    is_used_by_another(w, ev->address, ev->owner);
		break;
	}
}

/* ---- used before it is initialised ----------------------------------------------------------- */

static void see_begin(struct verify_misuse_walk *w, const struct base_run_event *ev, uint64_t key)
{
	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_COND_INIT:
	case EV_SEM_INIT:
	case EV_BARRIER_INIT:
		w->shown |= key == w->keys[0] && is_used_by_another(w, ev->address, ev->owner);
		map_put(&w->begun, ev->address, NULL);
		return;
	}
	if (key == w->keys[1] && (is_misuse(w, ev) || event_group(ev->kind) >= EG_LOCK) &&
	    !map_get(&w->begun, ev->address))
		take(w, ev->address, ev->owner, true);
}

/* ---- condition not checked again after a wait ------------------------------------------------ */

/* Did the wait wake up without a signal? */
static bool woke_early(const struct outcome *outcome)
{
	for (uint32_t i = 0; i < outcome->event_count; i++) {
		if (outcome->events[i].flags & CONTROL_EVENT_SPURIOUS)
			return true;
	}
	return false;
}

/* ---- all kinds of misuse --------------------------------------------------------------------- */

static void see(struct verify_misuse_walk *w, const struct base_run_event *ev, uint64_t key)
{
	switch (w->finding->misuse) {
	case EVENT_MISUSE_DESTROY_IN_USE: see_use(w, ev, key); break;
	case EVENT_MISUSE_NOT_INIT: see_begin(w, ev, key); break;
	default: /* JOIN_DETACHED: the runtime reports it at whichever event is the later one */
		w->shown |= is_misuse(w, ev) && (key == w->keys[0] || key == w->keys[1]);
	}
}

bool verify_misuse(const struct finding *f, const uint64_t *keys, const struct outcome *outcome,
		   const struct trace *recording)
{
	struct verify_misuse_walk w = { .finding = f, .keys = keys };
	struct share_survey survey;
	struct base_run_event ev;
	struct base_run *feed;

	if (f->misuse == EVENT_MISUSE_NO_RECHECK)
		return control_is_failure(outcome->result) && woke_early(outcome);
	if (f->events.count != 2)
		return false;
	share_survey_make(&survey, recording);
	feed = base_run_open(recording, &survey);
	while (!w.shown && base_run_next(feed, &ev)) {
		if (event_group(ev.kind) >= EG_THREAD)
			see(&w, &ev, verify_event_key(recording, &ev));
	}
	base_run_close(feed);
	share_survey_free(&survey);
	vec_free(&w.uses);
	map_free(&w.begun);
	return w.shown;
}
