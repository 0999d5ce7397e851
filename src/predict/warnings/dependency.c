/*
 * One pass over the base run records, for each cell and thread, the first read and the last write.
 * A work list then follows the dependencies from the threads of a warning.
 */
#include "predict/warnings/dependency.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/pages.h"
#include "base/sort.h"
#include "order/base_run/base_run.h"
#include "order/base_run/share_survey.h"

#define CELL SURVEY_GRANULE
#define NOTHING UINT32_MAX
#define SIZE_MOST (1u << 24) /* no real access is larger: it would be in a corrupt trace */

/* What a thread did with a cell. For a synchronisation object the masks are 0 or 1. */
struct cell_touch {
	uint32_t thread;
	uint32_t next;	     /* next touch of the same cell, or NOTHING */
	uint8_t read, write; /* masks of bytes */
	uint64_t first_read; /* index of the event in the thread's stream */
	uint64_t last_write;
};

/* A thread's first read of a cell: from there on it depends on the threads that write the cell. */
struct thread_dependency {
	uint32_t thread;
	uint32_t cell; /* in `cells` */
	uint32_t touch;
};

struct thread_creation {
	uint32_t thread; /* creator, or NOTHING */
	uint64_t index;
};

struct dependency {
	const struct trace *trace;
	uint32_t *thread_of; /* by position of a stream: the thread that owns it */
	uint32_t thread_count;
	struct thread_creation *created; /* by thread */
	VEC(struct cell_touch) touches;
	/* by cell: its first touch. A cell is 8 bytes of memory in one lifetime, or an object. */
	VEC(uint32_t) cells;
	struct thread_dependency *dependencies; /* sorted by thread, then by first read */
	uint32_t *dependency_start; /* by thread: its first dependency; one more at the end */
};

/* ---- collecting accesses --------------------------------------------------------------------- */

struct dependency_pass {
	struct dependency *d;
	struct share_survey survey;
	/* address / CELL to the cell of the present lifetime: its position in `cells`, + 1 */
	struct pages memory;
	struct map objects; /* address to position in `cells`, + 1 */
	struct map ends;    /* thread that ends to position in `cells`, + 1 */
	/* by thread: index of its last event so far, not counting those of signal handlers */
	uint64_t *at;
};

static void record_touch(struct dependency_pass *p, uint32_t cell, uint32_t thread, uint8_t read,
			 uint8_t write)
{
	struct dependency *d = p->d;
	uint32_t *link = &d->cells.items[cell], found = *link;
	struct cell_touch *t;

	while (found != NOTHING && d->touches.items[found].thread != thread) {
		link = &d->touches.items[found].next;
		found = *link;
	}
	if (found == NOTHING) {
		found = (uint32_t)d->touches.count;
		*vec_push(&d->touches) =
			(struct cell_touch){ .thread = thread, .next = d->cells.items[cell] };
	} else {
		/* Move it to the front: the same thread often accesses the cell again soon. */
		*link = d->touches.items[found].next;
		d->touches.items[found].next = d->cells.items[cell];
	}
	d->cells.items[cell] = found;
	t = &d->touches.items[found];
	if (read && !t->read)
		t->first_read = p->at[thread];
	if (write)
		t->last_write = p->at[thread];
	t->read |= read;
	t->write |= write;
}

static uint32_t new_cell(struct dependency_pass *p)
{
	*vec_push(&p->d->cells) = NOTHING;
	return (uint32_t)p->d->cells.count;
}

static void touch_bytes(struct dependency_pass *p, uint64_t low, uint64_t high, uint32_t thread,
			bool read, bool write)
{
	while (low < high) {
		uint64_t end = (low / CELL + 1) * CELL < high ? (low / CELL + 1) * CELL : high;
		uint8_t mask = (uint8_t)(((1u << (end - low)) - 1) << low % CELL);
		uint32_t *cell = pages_put(&p->memory, low / CELL, NULL);

		if (!*cell)
			*cell = new_cell(p);
		record_touch(p, *cell - 1, thread, read ? mask : 0, write ? mask : 0);
		low = end;
	}
}

/* Bytes that only one thread accesses need not be kept. */
static void touch_memory(struct dependency_pass *p, const struct base_run_event *ev, bool read,
			 bool write)
{
	uint64_t low = ev->address, high = ev->address + ev->size, end;

	if (high < low || ev->size > SIZE_MOST)
		return;
	if (p->survey.text) {
		touch_bytes(p, low, high, ev->owner, read, write);
		return;
	}
	for (; (end = share_survey_next_part(&p->survey, &low, high)); low = end)
		touch_bytes(p, low, end, ev->owner, read, write);
}

static void touch_object(struct dependency_pass *p, struct map *map, uint64_t key, uint32_t thread,
			 bool read, bool write)
{
	uint64_t *cell = map_put(map, key, NULL);

	if (!*cell)
		*cell = new_cell(p);
	record_touch(p, (uint32_t)*cell - 1, thread, read, write);
}

static void forget_cell(void *context, uint64_t number, void *item)
{
	(void)context, (void)number;
	*(uint32_t *)item = 0;
}

/* A new lifetime of memory begins: the old cells remain, but no later access reaches them. */
static void begin_lifetime(struct dependency_pass *p, uint64_t low, uint64_t high)
{
	if (low < high)
		pages_each(&p->memory, low / CELL, (high - 1) / CELL + 1, forget_cell, NULL);
}

static uint32_t thread_position(const struct dependency *d, uint64_t number)
{
	uint32_t position =
		number < TRACE_NONE ? trace_find_stream(d->trace, (uint32_t)number) : TRACE_NONE;

	return position == TRACE_NONE ? NOTHING : d->thread_of[position];
}

static void follow_thread_event(struct dependency_pass *p, const struct base_run_event *ev)
{
	struct dependency *d = p->d;
	uint32_t other;

	switch (ev->kind) {
	case EV_CREATE:
		other = thread_position(d, ev->number);
		if (other != NOTHING && other != ev->owner && d->created[other].thread == NOTHING)
			d->created[other] = (struct thread_creation){ ev->owner, p->at[ev->owner] };
		break;
	case EV_BEGIN: begin_lifetime(p, ev->address, ev->other); break;
	case EV_END: touch_object(p, &p->ends, ev->owner, ev->owner, false, true); break;
	case EV_JOIN:
		other = thread_position(d, ev->number);
		if (other != NOTHING && other != ev->owner)
			touch_object(p, &p->ends, other, ev->owner, true, false);
		break;
	}
}

static void follow_event(struct dependency_pass *p, const struct base_run_event *ev)
{
	if (trace_stream(p->d->trace, ev->owner)->number == ev->stream)
		p->at[ev->owner] = ev->index;
	switch (ev->kind) {
	case EV_READ:
	case EV_ATOMIC_READ: touch_memory(p, ev, true, false); break;
	case EV_WRITE:
	case EV_ATOMIC_WRITE: touch_memory(p, ev, false, true); break;
	case EV_ATOMIC_UPDATE: touch_memory(p, ev, true, true); break;
	case EV_ALLOC:
	case EV_MAP: begin_lifetime(p, ev->address, ev->address + ev->size); break;
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_POST:
	case EV_ARRIVE:
	case EV_SEND:
	case EV_ONCE_END: touch_object(p, &p->objects, ev->address, ev->owner, false, true); break;
	case EV_WOKEN:
	case EV_DOWN:
	case EV_DOWN_FAIL:
	case EV_PASS:
	case EV_RECEIVE:
	case EV_ONCE: touch_object(p, &p->objects, ev->address, ev->owner, true, false); break;
	default:
		if (event_group(ev->kind) == EG_THREAD)
			follow_thread_event(p, ev);
	}
}

/* ---- which thread depends on which ----------------------------------------------------------- */

static int compare_dependencies(const void *left, const void *right, void *context)
{
	const struct cell_touch *touches = context;
	const struct thread_dependency *a = left, *b = right;

	return sort_order(a->thread, b->thread)
		       ?: sort_order(touches[a->touch].first_read, touches[b->touch].first_read)
		       ?: sort_order(a->touch, b->touch);
}

/* Does another thread write bytes of the cell that `reader` reads? */
static bool dependencies(const struct dependency *d, uint32_t cell, const struct cell_touch *reader)
{
	for (uint32_t t = d->cells.items[cell]; t != NOTHING; t = d->touches.items[t].next) {
		if (d->touches.items[t].thread != reader->thread &&
		    (d->touches.items[t].write & reader->read))
			return true;
	}
	return false;
}

static void sort_dependencies(struct dependency *d)
{
	VEC(struct thread_dependency) all = { 0 };

	for (size_t i = 0; i < d->cells.count; i++) {
		for (uint32_t t = d->cells.items[i]; t != NOTHING; t = d->touches.items[t].next) {
			if (d->touches.items[t].read &&
			    dependencies(d, (uint32_t)i, &d->touches.items[t]))
				*vec_push(&all) =
					(struct thread_dependency){ d->touches.items[t].thread,
								    (uint32_t)i, t };
		}
	}
	if (all.count)
		qsort_r(all.items, all.count, sizeof *all.items, compare_dependencies,
			d->touches.items);
	d->dependency_start = mem_zalloc((size_t)d->thread_count + 2, sizeof *d->dependency_start);
	for (size_t i = 0; i < all.count; i++)
		d->dependency_start[all.items[i].thread + 1]++;
	for (uint32_t i = 0; i < d->thread_count; i++)
		d->dependency_start[i + 1] += d->dependency_start[i];
	d->dependencies = all.items;
}

struct dependency *dependency_open(const struct trace *trace)
{
	struct dependency *d = mem_zalloc(1, sizeof *d);
	struct dependency_pass p = { .d = d, .memory = { .size = sizeof(uint32_t) } };
	struct base_run_event ev;
	struct base_run *base_run;

	d->trace = trace;
	d->thread_count = trace_stream_count(trace);
	d->thread_of = base_run_map_owners(trace);
	d->created = mem_alloc((size_t)d->thread_count * sizeof *d->created + 1);
	for (uint32_t i = 0; i < d->thread_count; i++)
		d->created[i] = (struct thread_creation){ .thread = NOTHING };
	p.at = mem_zalloc((size_t)d->thread_count + 1, sizeof *p.at);
	share_survey_make(&p.survey, trace);
	base_run = base_run_open(trace, NULL);
	while (base_run_next(base_run, &ev))
		follow_event(&p, &ev);
	base_run_close(base_run);
	share_survey_free(&p.survey);
	pages_free(&p.memory);
	map_free(&p.objects);
	map_free(&p.ends);
	free(p.at);
	sort_dependencies(d);
	return d;
}

void dependency_close(struct dependency *d)
{
	if (!d)
		return;
	vec_free(&d->touches);
	vec_free(&d->cells);
	free(d->dependencies);
	free(d->dependency_start);
	free(d->created);
	free(d->thread_of);
	free(d);
}

/* ---- the thread set -------------------------------------------------------------------------- */

/*
 * State of the search; `waiting` as in the paper's extendWindow. A thread is put into `waiting`
 * again whenever its end moves.
 */
struct thread_set_search {
	const struct dependency *d;
	uint64_t *end;	/* by thread: how far it matters; 0: not at all */
	uint32_t *used; /* by thread: dependencies followed so far */
	bool *in;
	VEC(uint32_t) waiting;
};

static void include_thread(struct thread_set_search *x, uint32_t thread, uint64_t end)
{
	if (x->end[thread] >= end)
		return;
	x->end[thread] = end;
	if (x->in[thread])
		return;
	x->in[thread] = true;
	*vec_push(&x->waiting) = thread;
}

static void follow_dependencies(struct thread_set_search *x, uint32_t thread)
{
	const struct dependency *d = x->d;
	const struct thread_creation *created = &d->created[thread];
	uint32_t count = d->dependency_start[thread + 1] - d->dependency_start[thread];

	if (created->thread != NOTHING)
		include_thread(x, created->thread, created->index + 1);
	for (; x->used[thread] < count; x->used[thread]++) {
		const struct thread_dependency *dependency_of =
			&d->dependencies[d->dependency_start[thread] + x->used[thread]];
		const struct cell_touch *reader = &d->touches.items[dependency_of->touch];
		uint32_t t = d->cells.items[dependency_of->cell];

		if (reader->first_read >= x->end[thread])
			break;
		for (; t != NOTHING; t = d->touches.items[t].next) {
			const struct cell_touch *writer = &d->touches.items[t];

			if (writer->thread != thread && (writer->write & reader->read))
				include_thread(x, writer->thread, writer->last_write + 1);
		}
	}
}

void dependency_thread_set(const struct dependency *d, const struct dependency_thread *seeds,
			   size_t count, dependency_threads *out)
{
	struct thread_set_search x = {
		.d = d,
		.end = mem_zalloc((size_t)d->thread_count + 1, sizeof *x.end),
		.used = mem_zalloc((size_t)d->thread_count + 1, sizeof *x.used),
		.in = mem_zalloc((size_t)d->thread_count + 1, sizeof *x.in),
	};

	for (size_t i = 0; i < count; i++) {
		uint32_t thread = thread_position(d, seeds[i].thread);

		if (thread == NOTHING)
			continue;
		if (trace_stream(d->trace, thread)->number == seeds[i].thread)
			include_thread(&x, thread, seeds[i].end);
		else
			include_thread(&x, thread, DEPENDENCY_ALL);
	}
	while (x.waiting.count) {
		uint32_t thread = x.waiting.items[--x.waiting.count];

		x.in[thread] = false;
		follow_dependencies(&x, thread);
	}
	out->count = 0;
	for (uint32_t i = 0; i < d->thread_count; i++) {
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
