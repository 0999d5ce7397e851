/*
 * An atomicity violation consists of accesses l1 and l2 of a region, and of remote accesses r1 and
 * (sometimes) r2 between them. Reads the recording of a run in the order in which it happened. It
 * must contain an access at the site of l1, an access of another thread to the same bytes at the
 * site of r1, then r2, then l2 by the first thread, and no new start of the region in between.
 */
#include "explore/confirm/verify_atomicity.h"

#include "base/vec.h"
#include "explore/confirm/verify.h"
#include "order/base_run/share_survey.h"
#include "trace/sites.h"

#define TRIES_MOST 64 /* at the same time; the oldest is dropped first */

struct atomicity_bytes {
	uint64_t address, size;
};

/* An occurrence of l1, and how much of the violation has followed it. */
struct atomicity_try {
	uint32_t local, remote;		    /* the thread of l1; the thread of r1 */
	size_t seen;			    /* number of the finding's events that have been seen */
	struct atomicity_bytes first, last; /* accessed by l1; by the last event seen */
};

struct atomicity_verifier {
	const struct finding *finding;
	const uint64_t *keys;
	VEC(struct atomicity_try) tries; /* oldest first */
	bool shown;
};

static bool overlap(struct atomicity_bytes a, struct atomicity_bytes b)
{
	return a.address < b.address + b.size && b.address < a.address + a.size;
}

static void drop_try(struct atomicity_verifier *w, size_t i)
{
	for (w->tries.count--; i < w->tries.count; i++)
		w->tries.items[i] = w->tries.items[i + 1];
}

/* The region starts again: drops the tries of its previous execution by this thread. */
static void begin_region(struct atomicity_verifier *w, uint32_t owner)
{
	for (size_t i = w->tries.count; i-- > 0;) {
		if (w->tries.items[i].local == owner)
			drop_try(w, i);
	}
}

/* Does the event continue the try? The caller has compared the site. */
static bool is_next_event(const struct atomicity_verifier *w, const struct atomicity_try *t,
			  const struct base_run_event *ev)
{
	size_t count = w->finding->events.count;
	struct atomicity_bytes bytes = { ev->address, ev->size };

	if (t->seen + 1 == count)
		return ev->owner == t->local && overlap(bytes, t->last);
	if (t->seen == 1)
		return ev->owner != t->local && overlap(bytes, t->first);
	return ev->owner == t->remote;
}

static void process_access(struct atomicity_verifier *w, const struct base_run_event *ev,
			   uint64_t key)
{
	/*
	 * In an inferred region, the failure of the run may have come before l2: do not require l2.
	 */
	size_t count = w->finding->events.count - w->finding->inferred;

	for (size_t i = 0; i < w->tries.count; i++) {
		struct atomicity_try *t = &w->tries.items[i];

		if (key != w->keys[t->seen] || !is_next_event(w, t, ev))
			continue;
		t->remote = t->seen == 1 ? ev->owner : t->remote;
		t->last = (struct atomicity_bytes){ ev->address, ev->size };
		w->shown |= ++t->seen == count;
	}
	if (key != w->keys[0])
		return;
	if (w->tries.count == TRIES_MOST)
		drop_try(w, 0);
	*vec_push(&w->tries) = (struct atomicity_try){ .local = ev->owner,
						       .seen = 1,
						       .first = { ev->address, ev->size } };
}

bool verify_atomicity(const struct finding *f, const uint64_t *keys, const struct trace *recording)
{
	struct atomicity_verifier w = { .finding = f, .keys = keys };
	struct share_survey survey;
	struct base_run_event ev;
	struct base_run *run;

	share_survey_make(&survey, recording);
	run = base_run_open(recording, &survey);
	while (!w.shown && base_run_next(run, &ev)) {
		uint64_t key = verify_event_key(recording, &ev);

		if (key == keys[f->events.count])
			begin_region(&w, ev.owner);
		else if (event_group(ev.kind) == EG_ACCESS || event_group(ev.kind) == EG_ATOMIC)
			process_access(&w, &ev, key);
	}
	base_run_close(run);
	share_survey_free(&survey);
	vec_free(&w.tries);
	return w.shown;
}
