/*
 * The runtime itself detects and records a misuse (MISUSE): in a controlled run it knows which
 * threads hold an object, which threads wait for it, and which threads are detached. This file
 * checks that the recording also contains the other event of the finding, and in the right order.
 */
#include "explore/confirm/verify_misuse.h"

#include "base/map.h"
#include "base/vec.h"
#include "explore/confirm/verify.h"
#include "order/base_run/share_survey.h"
#include "trace/sites.h"

/*
 * A thread that used an object at the finding's second site: it holds the object, waits there, or
 * (NOT_INIT) used it before its initialisation.
 */
struct object_user {
	uint64_t address;
	uint32_t owner, depth;
};

struct misuse_verifier {
	const struct finding *finding;
	const uint64_t *keys;
	VEC(struct object_user) uses;
	struct map initialised; /* set of the addresses of initialised objects */
	bool shown;
};

static struct object_user *find_user(struct misuse_verifier *w, uint64_t address, uint32_t owner)
{
	for (size_t i = 0; i < w->uses.count; i++) {
		if (w->uses.items[i].address == address && w->uses.items[i].owner == owner)
			return &w->uses.items[i];
	}
	return NULL;
}

static bool has_other_user(const struct misuse_verifier *w, uint64_t address, uint32_t owner)
{
	for (size_t i = 0; i < w->uses.count; i++) {
		if (w->uses.items[i].address == address && w->uses.items[i].owner != owner)
			return true;
	}
	return false;
}

static void add_user(struct misuse_verifier *w, uint64_t address, uint32_t owner, bool counts)
{
	struct object_user *use = find_user(w, address, owner);

	if (use)
		use->depth++;
	else if (counts)
		*vec_push(&w->uses) = (struct object_user){ address, owner, 1 };
}

static void remove_user(struct misuse_verifier *w, uint64_t address, uint32_t owner, bool wholly)
{
	struct object_user *use = find_user(w, address, owner);

	if (use && (wholly || !--use->depth))
		*use = w->uses.items[--w->uses.count];
}

static bool is_misuse(const struct misuse_verifier *w, const struct base_run_event *ev)
{
	return ev->kind == EV_MISUSE && ev->mode == w->finding->misuse;
}

/* ---- destroyed while in use ------------------------------------------------------------------ */

static void process_use(struct misuse_verifier *w, const struct base_run_event *ev, uint64_t key)
{
	bool counts = key == w->keys[1];

	switch (ev->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE: add_user(w, ev->address, ev->owner, counts); break;
	case EV_RELEASE:
	case EV_READ_RELEASE: remove_user(w, ev->address, ev->owner, false); break;
	case EV_WAIT:
		remove_user(w, ev->other, ev->owner, true);
		add_user(w, ev->address, ev->owner, counts);
		break;
	case EV_WOKEN:
		remove_user(w, ev->address, ev->owner, true);
		add_user(w, ev->other, ev->owner, counts);
		break;
	case EV_ARRIVE: add_user(w, ev->address, ev->owner, counts); break;
	case EV_PASS: remove_user(w, ev->address, ev->owner, true); break;
	case EV_MISUSE:
		w->shown |= is_misuse(w, ev) && key == w->keys[0] &&
			    has_other_user(w, ev->address, ev->owner);
		break;
	}
}

/* ---- used before it is initialised ----------------------------------------------------------- */

static void process_initialisation(struct misuse_verifier *w, const struct base_run_event *ev,
				   uint64_t key)
{
	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_COND_INIT:
	case EV_SEM_INIT:
	case EV_BARRIER_INIT:
		w->shown |= key == w->keys[0] && has_other_user(w, ev->address, ev->owner);
		map_put(&w->initialised, ev->address, NULL);
		return;
	}
	if (key == w->keys[1] && (is_misuse(w, ev) || event_group(ev->kind) >= EG_LOCK) &&
	    !map_get(&w->initialised, ev->address))
		add_user(w, ev->address, ev->owner, true);
}

/* ---- condition not checked again after a wait ------------------------------------------------ */

/* Did the wait at this site wake up without a signal? */
static bool woke_spuriously(const struct outcome *outcome, const struct trace *recording,
			    uint64_t key)
{
	for (uint32_t i = 0; i < outcome->event_count; i++) {
		if (outcome->events[i].flags & CONTROL_EVENT_SPURIOUS &&
		    trace_site_key(recording, outcome->events[i].site) == key)
			return true;
	}
	return false;
}

/* ---- all kinds of misuse --------------------------------------------------------------------- */

static void process_event(struct misuse_verifier *w, const struct base_run_event *ev, uint64_t key)
{
	switch (w->finding->misuse) {
	case EVENT_MISUSE_DESTROY_IN_USE: process_use(w, ev, key); break;
	case EVENT_MISUSE_NOT_INIT: process_initialisation(w, ev, key); break;
	default: /* JOIN_DETACHED: the runtime reports it at the later of the two events */
		w->shown |= is_misuse(w, ev) && (key == w->keys[0] || key == w->keys[1]);
	}
}

bool verify_misuse(const struct finding *f, const uint64_t *keys, const struct outcome *outcome,
		   const struct trace *recording)
{
	struct misuse_verifier w = { .finding = f, .keys = keys };
	struct share_survey survey;
	struct base_run_event ev;
	struct base_run *run;

	if (f->misuse == EVENT_MISUSE_NO_RECHECK)
		return control_is_failure(outcome->result) &&
		       woke_spuriously(outcome, recording, keys[0]);
	if (f->events.count != 2)
		return false;
	share_survey_make(&survey, recording);
	run = base_run_open(recording, &survey);
	while (!w.shown && base_run_next(run, &ev)) {
		if (event_group(ev.kind) >= EG_THREAD)
			process_event(&w, &ev, verify_event_key(recording, &ev));
	}
	base_run_close(run);
	share_survey_free(&survey);
	vec_free(&w.uses);
	map_free(&w.initialised);
	return w.shown;
}
