#include "predict/warnings/dependency.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/pages.h"
#include "order/base_run/base_run.h"
#include "order/base_run/share_survey.h"

#define CELL SURVEY_GRANULE
#define NOTHING UINT32_MAX
#define SIZE_MOST (1u << 24) /* no access is larger: it would be forged */

/* What a thread did with a cell, or with a sync object, whose mask is 1. */
struct touch {
	uint32_t lane;
	uint32_t next;	     /* of the same cell, or NOTHING */
	uint8_t read, write; /* masks of bytes */
	uint64_t first_read; /* index in the thread */
	uint64_t last_write;
};

/* A thread's first read of a cell: from there on it leans on who writes that. */
struct dependency_lean {
	uint32_t lane;
	uint32_t cell; /* in `cells` */
	uint32_t touch;
};

struct creation {
	uint32_t lane; /* creator, or NOTHING */
	uint64_t index;
};

struct dependency {
	const struct trace *trace;
	uint32_t *lane_of; /* by position of a stream */
	uint32_t lane_count;
	struct creation *created; /* by lane */
	VEC(struct touch) touches;
	VEC(uint32_t) cells; /* first touch of each: cells of memory in all their lives, objects */
	struct dependency_lean *leans; /* by lane, then by first read */
	uint32_t *lean_start;	       /* by lane; one more at the end */
};

/* ---- gathering ---------------------------------------------------------------------------- */

struct dependency_pass {
	struct dependency *d;
	struct share_survey survey;
	struct pages memory; /* address / CELL: its present life in `cells`, + 1; 32 bits */
	struct map objects;  /* address: in `cells`, + 1 */
	struct map ends;     /* lane that ends: in `cells`, + 1 */
	uint64_t *at; /* by lane: index of its last event; handlers have that of their host */
};

static void touch(struct dependency_pass *p, uint32_t cell, uint32_t lane, uint8_t read,
		  uint8_t write)
{
	struct dependency *d = p->d;
	uint32_t *link = &d->cells.items[cell], found = *link;
	struct touch *t;

	while (found != NOTHING && d->touches.items[found].lane != lane) {
		link = &d->touches.items[found].next;
		found = *link;
	}
	if (found == NOTHING) {
		found = (uint32_t)d->touches.count;
		*vec_push(&d->touches) =
			(struct touch){ .lane = lane, .next = d->cells.items[cell] };
	} else {
		/* To the front: the same thread comes again soon. */
		*link = d->touches.items[found].next;
		d->touches.items[found].next = d->cells.items[cell];
	}
	d->cells.items[cell] = found;
	t = &d->touches.items[found];
	if (read && !t->read)
		t->first_read = p->at[lane];
	if (write)
		t->last_write = p->at[lane];
	t->read |= read;
	t->write |= write;
}

static uint32_t new_cell(struct dependency_pass *p)
{
	*vec_push(&p->d->cells) = NOTHING;
	return (uint32_t)p->d->cells.count;
}

static void touch_bytes(struct dependency_pass *p, uint64_t low, uint64_t high, uint32_t lane,
			bool read, bool write)
{
	while (low < high) {
		uint64_t end = (low / CELL + 1) * CELL < high ? (low / CELL + 1) * CELL : high;
		uint8_t mask = (uint8_t)(((1u << (end - low)) - 1) << low % CELL);
		uint32_t *cell = pages_put(&p->memory, low / CELL, NULL);

		if (!*cell)
			*cell = new_cell(p);
		touch(p, *cell - 1, lane, read ? mask : 0, write ? mask : 0);
		low = end;
	}
}

/* Bytes that only one thread touches need not be kept. */
static void touch_memory(struct dependency_pass *p, const struct base_run_event *ev, bool read,
			 bool write)
{
	uint64_t low = ev->address, high = ev->address + ev->size, end;

	if (high < low || ev->size > SIZE_MOST)
		return;
	if (p->survey.text) {
		touch_bytes(p, low, high, ev->lane, read, write);
		return;
	}
	for (; (end = share_survey_stretch(&p->survey, &low, high)); low = end)
		touch_bytes(p, low, end, ev->lane, read, write);
}

static void touch_object(struct dependency_pass *p, struct map *map, uint64_t key, uint32_t lane,
			 bool read, bool write)
{
	uint64_t *cell = map_put(map, key, NULL);

	if (!*cell)
		*cell = new_cell(p);
	touch(p, (uint32_t)*cell - 1, lane, read, write);
}

static void forget_cell(void *context, uint64_t number, void *item)
{
	(void)context, (void)number;
	*(uint32_t *)item = 0;
}

/* Memory begins anew: what was known of it stays known, and is met no more. */
static void forget(struct dependency_pass *p, uint64_t low, uint64_t high)
{
	if (low < high)
		pages_each(&p->memory, low / CELL, (high - 1) / CELL + 1, forget_cell, NULL);
}

static uint32_t lane_of_thread(const struct dependency *d, uint64_t number)
{
	uint32_t position =
		number < TRACE_NONE ? trace_find_stream(d->trace, (uint32_t)number) : TRACE_NONE;

	return position == TRACE_NONE ? NOTHING : d->lane_of[position];
}

static void see_thread(struct dependency_pass *p, const struct base_run_event *ev)
{
	struct dependency *d = p->d;
	uint32_t other;

	switch (ev->kind) {
	case EV_CREATE:
		other = lane_of_thread(d, ev->number);
		if (other != NOTHING && other != ev->lane && d->created[other].lane == NOTHING)
			d->created[other] = (struct creation){ ev->lane, p->at[ev->lane] };
		break;
	case EV_BEGIN: forget(p, ev->address, ev->other); break;
	case EV_END: touch_object(p, &p->ends, ev->lane, ev->lane, false, true); break;
	case EV_JOIN:
		other = lane_of_thread(d, ev->number);
		if (other != NOTHING && other != ev->lane)
			touch_object(p, &p->ends, other, ev->lane, true, false);
		break;
	}
}

static void see_event(struct dependency_pass *p, const struct base_run_event *ev)
{
	if (trace_stream(p->d->trace, ev->lane)->number == ev->stream)
		p->at[ev->lane] = ev->index;
	switch (ev->kind) {
	case EV_READ:
	case EV_ATOMIC_READ: touch_memory(p, ev, true, false); break;
	case EV_WRITE:
	case EV_ATOMIC_WRITE: touch_memory(p, ev, false, true); break;
	case EV_ATOMIC_UPDATE: touch_memory(p, ev, true, true); break;
	case EV_ALLOC:
	case EV_MAP: forget(p, ev->address, ev->address + ev->size); break;
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_POST:
	case EV_ARRIVE:
	case EV_SEND:
	case EV_ONCE_END: touch_object(p, &p->objects, ev->address, ev->lane, false, true); break;
	case EV_WOKEN:
	case EV_DOWN:
	case EV_DOWN_FAIL:
	case EV_PASS:
	case EV_RECEIVE:
	case EV_ONCE: touch_object(p, &p->objects, ev->address, ev->lane, true, false); break;
	default:
		if (event_group(ev->kind) == EG_THREAD)
			see_thread(p, ev);
	}
}

/* ---- who leans on whom -------------------------------------------------------------------- */

static int compare_leans(const void *left, const void *right, void *context)
{
	const struct dependency *d = context;
	const struct dependency_lean *a = left, *b = right;
	const struct touch *s = &d->touches.items[a->touch], *t = &d->touches.items[b->touch];

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (s->first_read != t->first_read)
		return s->first_read < t->first_read ? -1 : 1;
	return (a->touch > b->touch) - (a->touch < b->touch);
}

/* Does anybody else write what this reads? */
static bool leans(const struct dependency *d, uint32_t cell, const struct touch *reader)
{
	for (uint32_t t = d->cells.items[cell]; t != NOTHING; t = d->touches.items[t].next) {
		if (d->touches.items[t].lane != reader->lane &&
		    (d->touches.items[t].write & reader->read))
			return true;
	}
	return false;
}

static void sort_leans(struct dependency *d)
{
	VEC(struct dependency_lean) all = { 0 };

	for (size_t i = 0; i < d->cells.count; i++) {
		for (uint32_t t = d->cells.items[i]; t != NOTHING; t = d->touches.items[t].next) {
			if (d->touches.items[t].read && leans(d, (uint32_t)i, &d->touches.items[t]))
				*vec_push(&all) =
					(struct dependency_lean){ d->touches.items[t].lane,
								  (uint32_t)i, t };
		}
	}
	if (all.count)
		qsort_r(all.items, all.count, sizeof *all.items, compare_leans, d);
	d->lean_start = mem_zalloc((size_t)d->lane_count + 2, sizeof *d->lean_start);
	for (size_t i = 0; i < all.count; i++)
		d->lean_start[all.items[i].lane + 1]++;
	for (uint32_t i = 0; i < d->lane_count; i++)
		d->lean_start[i + 1] += d->lean_start[i];
	d->leans = all.items;
}

struct dependency *dependency_open(const struct trace *trace)
{
	struct dependency *d = mem_zalloc(1, sizeof *d);
	struct dependency_pass p = { .d = d, .memory = { .size = sizeof(uint32_t) } };
	struct base_run_event ev;
	struct base_run *feed;

	d->trace = trace;
	d->lane_count = trace_stream_count(trace);
	d->lane_of = base_run_map_lanes(trace);
	d->created = mem_alloc((size_t)d->lane_count * sizeof *d->created + 1);
	for (uint32_t i = 0; i < d->lane_count; i++)
		d->created[i] = (struct creation){ .lane = NOTHING };
	p.at = mem_zalloc((size_t)d->lane_count + 1, sizeof *p.at);
	share_survey_make(&p.survey, trace);
	feed = base_run_open(trace, NULL);
	while (base_run_next(feed, &ev))
		see_event(&p, &ev);
	base_run_close(feed);
	share_survey_free(&p.survey);
	pages_free(&p.memory);
	map_free(&p.objects);
	map_free(&p.ends);
	free(p.at);
	sort_leans(d);
	return d;
}

void dependency_close(struct dependency *d)
{
	if (!d)
		return;
	vec_free(&d->touches);
	vec_free(&d->cells);
	free(d->leans);
	free(d->lean_start);
	free(d->created);
	free(d->lane_of);
	free(d);
}

/* ---- the window --------------------------------------------------------------------------- */

/* `waiting` and `passed` of the paper's extendWindow; a lane is in again when its end moves. */
struct extension {
	const struct dependency *d;
	uint64_t *end;	/* by lane: how far it matters; 0: it does not */
	uint32_t *used; /* by lane: leans followed so far */
	bool *in;
	VEC(uint32_t) waiting;
};

static void reach(struct extension *x, uint32_t lane, uint64_t end)
{
	if (x->end[lane] >= end)
		return;
	x->end[lane] = end;
	if (x->in[lane])
		return;
	x->in[lane] = true;
	*vec_push(&x->waiting) = lane;
}

static void follow(struct extension *x, uint32_t lane)
{
	const struct dependency *d = x->d;
	const struct creation *created = &d->created[lane];
	uint32_t count = d->lean_start[lane + 1] - d->lean_start[lane];

	if (created->lane != NOTHING)
		reach(x, created->lane, created->index + 1);
	for (; x->used[lane] < count; x->used[lane]++) {
		const struct dependency_lean *lean = &d->leans[d->lean_start[lane] + x->used[lane]];
		const struct touch *reader = &d->touches.items[lean->touch];
		uint32_t t = d->cells.items[lean->cell];

		if (reader->first_read >= x->end[lane])
			break;
		for (; t != NOTHING; t = d->touches.items[t].next) {
			const struct touch *writer = &d->touches.items[t];

			if (writer->lane != lane && (writer->write & reader->read))
				reach(x, writer->lane, writer->last_write + 1);
		}
	}
}

void dependency_window(const struct dependency *d, const struct dependency_thread *seeds,
		       size_t count, dependency_threads *out)
{
	struct extension x = {
		.d = d,
		.end = mem_zalloc((size_t)d->lane_count + 1, sizeof *x.end),
		.used = mem_zalloc((size_t)d->lane_count + 1, sizeof *x.used),
		.in = mem_zalloc((size_t)d->lane_count + 1, sizeof *x.in),
	};

	for (size_t i = 0; i < count; i++) {
		uint32_t lane = lane_of_thread(d, seeds[i].thread);

		if (lane == NOTHING)
			continue;
		if (trace_stream(d->trace, lane)->number == seeds[i].thread)
			reach(&x, lane, seeds[i].end);
		else
			reach(&x, lane, DEPENDENCY_ALL);
	}
	while (x.waiting.count) {
		uint32_t lane = x.waiting.items[--x.waiting.count];

		x.in[lane] = false;
		follow(&x, lane);
	}
	out->count = 0;
	for (uint32_t i = 0; i < d->lane_count; i++) {
		if (x.end[i])
			*vec_push(out) =
				(struct dependency_thread){ trace_stream(d->trace, i)->number,
							    x.end[i] };
	}
	free(x.end);
	free(x.used);
	free(x.in);
	vec_free(&x.waiting);
}

uint32_t dependency_creator(const struct dependency *d, uint32_t thread)
{
	uint32_t lane = lane_of_thread(d, thread);

	if (lane == NOTHING || d->created[lane].lane == NOTHING)
		return TRACE_NONE;
	return trace_stream(d->trace, d->created[lane].lane)->number;
}
