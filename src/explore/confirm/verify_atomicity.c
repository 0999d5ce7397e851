/*
 * Reads the run's own recording in the order in which it happened. It must contain an access at the
 * site of l1, then one of another thread at the site of r1 to the same bytes, then r2, then l2 of
 * the first thread, without the region being entered again in between.
 */
#include "explore/confirm/verify_atomicity.h"

#include "base/vec.h"
#include "explore/confirm/verify.h"
#include "order/base_run/share_survey.h"
#include "trace/sites.h"

#define TRIES_MOST 64 /* at once; older ones are dropped */

struct verify_atomicity_bytes {
	uint64_t address, size;
};

/* An occurrence of l1 and the part of the violation seen since. */
struct
try {
	uint32_t local, remote;			   /* threads */
	size_t seen;				   /* number of the finding's events */
	struct verify_atomicity_bytes first, last; /* of l1; of the last one that was seen */
};

struct verify_atomicity_walk {
	const struct finding *finding;
	const uint64_t *keys;
	VEC(struct try) tries; /* oldest first */
	bool shown;
};

static bool overlap(struct verify_atomicity_bytes a, struct verify_atomicity_bytes b)
{
	return a.address < b.address + b.size && b.address < a.address + a.size;
}

static void drop(struct verify_atomicity_walk *w, size_t i)
{
	for (w->tries.count--; i < w->tries.count; i++)
		w->tries.items[i] = w->tries.items[i + 1];
}

/* The region begins again: drops the tries of the one before. */
static void begin_region(struct verify_atomicity_walk *w, uint32_t owner)
{
	for (size_t i = w->tries.count; i-- > 0;) {
		if (w->tries.items[i].local == owner)
			drop(w, i);
	}
}

/* Is the event the next one that the try waits for? */
static bool advances(const struct verify_atomicity_walk *w, const struct try *t,
		     const struct base_run_event *ev)
{
	size_t count = w->finding->events.count;
	struct verify_atomicity_bytes bytes = { ev->address, ev->size };

	if (t->seen + 1 == count)
		return ev->owner == t->local && overlap(bytes, t->last);
	if (t->seen == 1)
		return ev->owner != t->local && overlap(bytes, t->first);
	return ev->owner == t->remote;
}

static void see_access(struct verify_atomicity_walk *w, const struct base_run_event *ev,
		       uint64_t key)
{
	/* For an inferred region, the run failed and may not have reached l2. */
	size_t count = w->finding->events.count - w->finding->inferred;

	for (size_t i = 0; i < w->tries.count; i++) {
		struct try *t = &w->tries.items[i];

		if (key != w->keys[t->seen] || !advances(w, t, ev))
			continue;
		t->remote = t->seen == 1 ? ev->owner : t->remote;
		t->last = (struct verify_atomicity_bytes){ ev->address, ev->size };
		w->shown |= ++t->seen == count;
	}
	if (key != w->keys[0])
		return;
	if (w->tries.count == TRIES_MOST)
		drop(w, 0);
	*vec_push(&w->tries) =
		(struct try){ .local = ev->owner, .seen = 1, .first = { ev->address, ev->size } };
}

bool verify_atomicity(const struct finding *f, const uint64_t *keys, const struct trace *recording)
{
	struct verify_atomicity_walk w = { .finding = f, .keys = keys };
	struct share_survey survey;
	struct base_run_event ev;
	struct base_run *feed;

	share_survey_make(&survey, recording);
	feed = base_run_open(recording, &survey);
	while (!w.shown && base_run_next(feed, &ev)) {
		uint64_t key = verify_event_key(recording, &ev);

		if (key == keys[f->events.count])
			begin_region(&w, ev.owner);
		else if (event_group(ev.kind) == EG_ACCESS || event_group(ev.kind) == EG_ATOMIC)
			see_access(&w, &ev, key);
	}
	base_run_close(feed);
	share_survey_free(&survey);
	vec_free(&w.tries);
	return w.shown;
}
