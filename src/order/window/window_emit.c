/*
 * The end of building: what was collected goes into the model, grouped by object. What is frozen
 * stays out and keeps its order by a chain of edges; the lives of the others are edges, too.
 */
#include "order/window/window_build.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------ */

/* What each life is called in the model: ORDER_NONE when its object is frozen. */
struct window_emit_names {
	uint32_t *lock, *condition, *semaphore, *wait;
};

static uint32_t *name_lives(const struct window_builder *b, const struct build_life *lives,
			    size_t count, uint32_t *named)
{
	uint32_t *names = mem_alloc((count + 1) * sizeof *names);

	*named = 0;
	for (size_t i = 0; i < count; i++)
		names[i] = b->objects.items[lives[i].object].frozen ? ORDER_NONE : (*named)++;
	return names;
}

/* All lives of an object have a name, or none has. */
static struct window_span name_span(const struct build_life *life, const uint32_t *names)
{
	struct window_span span = life->span;

	if (span.earlier != ORDER_NONE)
		span.earlier = names[span.earlier];
	return span;
}

/*
 * A stable sort by group: where[i] is the place of the i-th of `count` things, start[g] that of
 * the first of group g. key(i) is ORDER_NONE for what is left out.
 */
static uint32_t *sort_groups(const uint32_t *key, size_t count, uint32_t groups, uint32_t **start)
{
	uint32_t *where = mem_alloc((count + 1) * sizeof *where);
	uint32_t *next = mem_zalloc((size_t)groups + 2, sizeof *next);

	*start = mem_zalloc((size_t)groups + 2, sizeof **start);
	for (size_t i = 0; i < count; i++) {
		if (key[i] != ORDER_NONE)
			(*start)[key[i] + 1]++;
	}
	for (uint32_t g = 0; g < groups; g++)
		(*start)[g + 1] += (*start)[g];
	memcpy(next, *start, (groups + 1) * sizeof *next);
	for (size_t i = 0; i < count; i++)
		where[i] = key[i] == ORDER_NONE ? ORDER_NONE : next[key[i]]++;
	free(next);
	return where;
}

/*
 * Fills `out` with the field `part` of `in`, grouped by names[field `by`]; start[] as above, to be
 * freed. All arrays of things in a model are made this way.
 */
#define GROUP(out, in, part, by, names, groups, start)                                             \
	do {                                                                                       \
		uint32_t *key_ = mem_alloc(((in)->count + 1) * sizeof *key_);                      \
		uint32_t *where_;                                                                  \
                                                                                                   \
		for (size_t i_ = 0; i_ < (in)->count; i_++)                                        \
			key_[i_] = (names)[(in)->items[i_].by];                                    \
		where_ = sort_groups(key_, (in)->count, groups, &(start));                         \
		(out)->count = (start)[groups];                                                    \
		(out)->items = mem_alloc(((out)->count + 1) * sizeof *(out)->items);               \
		(out)->room = (out)->count + 1;                                                    \
		for (size_t i_ = 0; i_ < (in)->count; i_++) {                                      \
			if (where_[i_] != ORDER_NONE)                                              \
				(out)->items[where_[i_]] = (in)->items[i_].part;                   \
		}                                                                                  \
		free(key_);                                                                        \
		free(where_);                                                                      \
	} while (0)

/* ---- kinds of objects --------------------------------------------------------------------- */

static void emit_locks(struct window_builder *b, struct window_emit_names *names)
{
	struct order_model *m = &b->window->model;
	uint32_t count, *sections, *fails;

	names->lock = name_lives(b, b->locks.items, b->locks.count, &count);
	GROUP(&m->sections, &b->sections, section, lock, names->lock, count, sections);
	GROUP(&m->fails, &b->fails, fail, lock, names->lock, count, fails);
	for (uint32_t i = 0; i < count; i++)
		*vec_push(&m->locks) =
			(struct order_lock){ sections[i], sections[i + 1] - sections[i], fails[i],
					     fails[i + 1] - fails[i] };
	for (size_t i = 0; i < b->locks.count; i++) {
		if (names->lock[i] != ORDER_NONE)
			*vec_push(&b->window->lock_spans) =
				name_span(&b->locks.items[i], names->lock);
	}
	free(sections);
	free(fails);
}

static void emit_conditions(struct window_builder *b, struct window_emit_names *names)
{
	struct order_model *m = &b->window->model;
	uint32_t count, *waits, *signals, *next;

	names->condition = name_lives(b, b->conditions.items, b->conditions.count, &count);
	GROUP(&m->waits, &b->waits, wait, condition, names->condition, count, waits);
	GROUP(&m->signals, &b->signals, signal, condition, names->condition, count, signals);
	for (uint32_t i = 0; i < count; i++)
		*vec_push(&m->conditions) =
			(struct order_condition){ waits[i], waits[i + 1] - waits[i], signals[i],
						  signals[i + 1] - signals[i] };
	/* The same sort once more, for where each went. */
	names->wait = mem_alloc((b->waits.count + 1) * sizeof *names->wait);
	next = waits;
	for (size_t i = 0; i < b->waits.count; i++) {
		uint32_t condition = names->condition[b->waits.items[i].condition];

		names->wait[i] = condition == ORDER_NONE ? ORDER_NONE : next[condition]++;
	}
	free(waits);
	free(signals);
}

static void name_semaphores(struct window_builder *b, const struct window_emit_names *names)
{
	for (size_t i = 0; i < b->semaphores.count; i++) {
		const struct build_life *life = &b->semaphores.items[i];

		if (names->semaphore[i] == ORDER_NONE)
			continue;
		*vec_push(&b->window->semaphore_spans) = name_span(life, names->semaphore);
		*vec_push(&b->window->model.semaphores) = (struct order_semaphore){
			.initial = life->initial < INT32_MAX ? (uint32_t)life->initial : INT32_MAX,
			.exact = life->exact,
		};
	}
}

static void emit_counts(struct order_model *m, struct order_semaphore *s,
			const struct build_counted *counted, uint32_t count)
{
	s->post_start = (uint32_t)m->posts.count;
	s->down_start = (uint32_t)m->downs.count;
	s->zero_start = (uint32_t)m->zeros.count;
	for (uint32_t i = 0; i < count; i++) {
		switch (counted[i].step) {
		case STEP_POST: *vec_push(&m->posts) = counted[i].node; break;
		case STEP_DOWN: *vec_push(&m->downs) = counted[i].node; break;
		case STEP_ZERO: *vec_push(&m->zeros) = counted[i].node; break;
		}
	}
	s->post_count = (uint32_t)m->posts.count - s->post_start;
	s->down_count = (uint32_t)m->downs.count - s->down_start;
	s->zero_count = (uint32_t)m->zeros.count - s->zero_start;
}

static void emit_semaphores(struct window_builder *b, struct window_emit_names *names)
{
	struct order_model *m = &b->window->model;
	VEC(struct build_counted) sorted = { 0 };
	uint32_t count, *start;

	names->semaphore = name_lives(b, b->semaphores.items, b->semaphores.count, &count);
	name_semaphores(b, names);
	GROUP(&sorted, &b->counts, counted, semaphore, names->semaphore, count, start);
	for (uint32_t i = 0; i < count; i++)
		emit_counts(m, &m->semaphores.items[i], sorted.items + start[i],
			    start[i + 1] - start[i]);
	free(start);
	vec_free(&sorted);
}

/* Who came to each meeting, oldest first; what is missing is what did not come at all. */
static void emit_meetings(struct window_builder *b)
{
	struct window *w = b->window;

	for (size_t i = 0; i < b->meetings.count; i++) {
		const struct build_meeting *m = &b->meetings.items[i];
		uint32_t start = (uint32_t)w->arrivals.count, at = start + m->count;
		uint64_t came = m->before + m->count;

		*vec_push(&w->meetings) =
			(struct window_meeting){ start, m->count,
						 m->size > came ? (uint32_t)(m->size - came) : 0 };
		vec_reserve(&w->arrivals, m->count + 1)[0] = 0;
		w->arrivals.count += m->count;
		for (uint32_t k = m->last; k != ORDER_NONE; k = b->arrivals.items[k].previous)
			w->arrivals.items[--at] = b->arrivals.items[k].node;
		assert(at == start);
	}
}

/* ---- order of what is done to an object --------------------------------------------------- */

static void chain_uses(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		b->window->nodes.items[uses[i].node].environment = true;
		if (i)
			build_edge(b, uses[i - 1].node, uses[i].node);
	}
}

/* INIT and DESTROY come behind all uses before them, and before all uses behind them. */
static void edge_lives(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	uint32_t turn = ORDER_NONE, threads = b->window->model.thread_count;
	bool *behind = mem_zalloc(threads + 1, sizeof *behind);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = uses[i].node, thread = b->window->model.thread.items[node];

		if (uses[i].life) {
			if (turn != ORDER_NONE)
				build_note_last(b, turn);
			build_join_lives(b, node);
			memset(behind, 0, threads * sizeof *behind);
			turn = node;
			continue;
		}
		if (turn != ORDER_NONE && !behind[thread])
			build_life_edge(b, turn, node);
		behind[thread] = true;
		build_note_last(b, node);
	}
	for (uint32_t t = 0; t < threads; t++)
		b->last_of[t] = ORDER_NONE;
	free(behind);
}

/*
 * A RECEIVE comes behind all SENDs and RECEIVEs before it; a SEND of bytes behind all SENDs, one
 * that the program told of behind nothing. Each send is in two lists and taken out of each once.
 */
struct window_emit_channel {
	VEC(uint32_t) unreceived; /* sends since the last RECEIVE */
	VEC(uint32_t) unordered;  /* since the last SEND of bytes, with that one */
	uint32_t receive;	  /* the last one, or ORDER_NONE */
};

static void edge_channel(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	struct window_emit_channel c = { .receive = ORDER_NONE };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = uses[i].node;

		if (b->window->nodes.items[node].kind == EV_RECEIVE) {
			for (size_t k = 0; k < c.unreceived.count; k++)
				build_note_last(b, c.unreceived.items[k]);
			if (c.receive != ORDER_NONE)
				build_note_last(b, c.receive);
			build_join_lasts(b, node);
			c.unreceived.count = 0;
			c.receive = node;
			continue;
		}
		if (b->window->nodes.items[node].mode == EVENT_CHANNEL_BYTES) {
			for (size_t k = 0; k < c.unordered.count; k++)
				build_note_last(b, c.unordered.items[k]);
			build_join_lasts(b, node);
			c.unordered.count = c.unreceived.count = 0;
			/* what was not received before it is behind it now, for whoever receives */
		}
		*vec_push(&c.unordered) = node;
		*vec_push(&c.unreceived) = node;
	}
	vec_free(&c.unreceived);
	vec_free(&c.unordered);
}

static bool is_bytes(const struct window_node *n)
{
	return n->kind == EV_SEND && n->mode == EVENT_CHANNEL_BYTES;
}

static bool found_nothing(const struct window_node *n)
{
	return n->kind == EV_RECEIVE && n->mode == EVENT_CHANNEL_NOTHING;
}

static bool is_deaf(const struct window_node *n)
{
	return n->kind == EV_SEND && n->mode == EVENT_CHANNEL_DEAF;
}

/*
 * Who looks found it as the last that changes had left it: a cell that these write, each another value, and that
 * is read. No node has it among its cells: it is no memory.
 */
static void look_at_channel(struct window_builder *b, const struct build_use *uses, uint32_t count,
			    bool (*looks)(const struct window_node *n),
			    bool (*changes)(const struct window_node *n))
{
	struct order_model *model = &b->window->model;
	struct order_cell cell = { .initial = ORDER_NONE,
				   .write_start = (uint32_t)model->writes.count,
				   .read_start = (uint32_t)model->reads.count };
	uint32_t last = ORDER_NONE;

	for (uint32_t i = 0; i < count; i++) {
		const struct window_node *n = &b->window->nodes.items[uses[i].node];

		if (looks(n)) {
			*vec_push(&model->reads) =
				(struct order_read){ uses[i].node, ORDER_NONE, last };
		} else if (changes(n)) {
			last = uses[i].node;
			*vec_push(&model->writes) =
				(struct order_write){ last, build_value_alone(b) };
		}
	}
	cell.write_count = (uint32_t)model->writes.count - cell.write_start;
	cell.read_count = (uint32_t)model->reads.count - cell.read_start;
	if (cell.read_count && cell.write_count) {
		*vec_push(&model->cells) = cell;
		return;
	}
	model->writes.count = cell.write_start;
	model->reads.count = cell.read_start;
}

static void emit_channel(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	edge_channel(b, uses, count);
	/* nothing had been sent yet */
	look_at_channel(b, uses, count, found_nothing, is_bytes);
	/* somebody could still take it */
	look_at_channel(b, uses, count, is_bytes, is_deaf);
}

static void emit_uses(struct window_builder *b)
{
	VEC(struct build_use) sorted = { 0 };
	uint32_t count = (uint32_t)b->objects.count, *start;
	uint32_t *same = mem_alloc(((size_t)count + 1) * sizeof *same);

	for (uint32_t i = 0; i < count; i++)
		same[i] = i;
	GROUP(&sorted, &b->operations, use, object, same, count, start);
	for (uint32_t i = 0; i < count; i++) {
		const struct build_object *o = &b->objects.items[i];

		if (o->turned)
			build_emit_object(b, sorted.items + start[i], start[i + 1] - start[i]);
		if (o->now.group == EG_CHANNEL)
			emit_channel(b, sorted.items + start[i], start[i + 1] - start[i]);
		else if (o->frozen)
			chain_uses(b, sorted.items + start[i], start[i + 1] - start[i]);
		else if (o->turned)
			edge_lives(b, sorted.items + start[i], start[i + 1] - start[i]);
	}
	free(same);
	free(start);
	vec_free(&sorted);
}

/* ---- objects that somebody else operates on, too ------------------------------------------- */

/* Does it tell its thread that somebody did something to the object? */
static bool learns(uint8_t kind)
{
	switch (kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_WOKEN:
	case EV_DOWN:
	case EV_DOWN_FAIL:
	case EV_ONCE: return true;
	default: return false;
	}
}

/*
 * Where an operation was not explained, somebody unseen operates on the object, behind anything that
 * came before: whoever learns of it stays behind all that did.
 */
static void put_learners_behind_all(struct window_builder *b)
{
	struct window *w = b->window;
	bool *learner = NULL;

	for (size_t i = 0; i < b->operations.count; i++) {
		const struct build_operation *o = &b->operations.items[i];

		if (!b->objects.items[o->object].unexplained ||
		    !learns(w->nodes.items[o->use.node].kind))
			continue;
		if (!learner)
			learner = mem_zalloc(w->nodes.count, sizeof *learner);
		learner[o->use.node] = true;
	}
	if (!learner)
		return;
	uint32_t *last = mem_alloc(w->model.thread_count * sizeof *last);

	for (uint32_t i = 0; i < w->model.thread_count; i++)
		last[i] = ORDER_NONE;
	for (uint32_t n = 0; n < w->nodes.count; n++) {
		uint32_t own = w->model.thread.items[n];

		w->nodes.items[n].behind_all |= learner[n];
		for (uint32_t i = 0; learner[n] && i < w->model.thread_count; i++) {
			if (i != own && last[i] != ORDER_NONE) {
				build_edge(b, last[i], n);
				w->nodes.items[n].environment = true;
			}
		}
		last[own] = n;
	}
	free(last);
	free(learner);
}

/* ---- what nodes and threads say of objects ------------------------------------------------ */

static uint32_t rename_object(const struct window_builder *b, const struct window_emit_names *names,
			      uint8_t kind, uint32_t object)
{
	if (object == ORDER_NONE)
		return ORDER_NONE;
	switch (event_group(kind)) {
	case EG_LOCK:
	case EG_CONDITION: return names->lock[object];
	case EG_SEMAPHORE: return names->semaphore[object];
	case EG_BARRIER:
		return b->objects.items[b->meetings.items[object].object].frozen ? ORDER_NONE
										 : object;
	default: return object;
	}
}

static void rename_nodes(struct window_builder *b, const struct window_emit_names *names)
{
	struct window *w = b->window;

	for (size_t i = 0; i < w->nodes.count; i++) {
		struct window_node *n = &w->nodes.items[i];

		n->object = rename_object(b, names, n->kind, n->object);
		if (n->wait != ORDER_NONE)
			n->wait = names->wait[n->wait];
	}
	for (size_t i = 0; i < w->held.count; i++)
		w->held.items[i].lock = names->lock[w->held.items[i].lock];
}

/* A thread that hangs at something frozen hangs at nothing we can judge. */
static void rename_pending(struct window_builder *b, const struct window_emit_names *names)
{
	for (size_t i = 0; i < b->window->threads.count; i++) {
		struct window_thread *t = &b->window->threads.items[i];

		if (t->end != WINDOW_PENDING)
			continue;
		t->pending_object = rename_object(b, names, t->pending_kind, t->pending_object);
		if (t->pending_wait != ORDER_NONE)
			t->pending_wait = names->wait[t->pending_wait];
		/* One that may have been signalled before the window is not known to be deaf. */
		if (t->pending_wait != ORDER_NONE &&
		    b->window->model.waits.items[t->pending_wait].wake == ORDER_WAKE_FREE)
			t->pending_wait = ORDER_NONE;
		if (t->pending_object == ORDER_NONE && t->pending_wait == ORDER_NONE)
			t->end = WINDOW_GOES_ON;
	}
}

static void drop_frozen_onces(struct window_builder *b)
{
	for (size_t i = 0; i < b->window->nodes.count; i++) {
		struct window_node *n = &b->window->nodes.items[i];

		if (event_group(n->kind) == EG_ONCE && n->environment)
			n->object = ORDER_NONE;
	}
}

void build_emit(struct window_builder *b)
{
	struct window_emit_names names;

	put_learners_behind_all(b);
	emit_locks(b, &names);
	emit_conditions(b, &names);
	emit_semaphores(b, &names);
	emit_meetings(b);
	emit_uses(b);
	rename_nodes(b, &names);
	rename_pending(b, &names);
	drop_frozen_onces(b);
	free(names.lock);
	free(names.condition);
	free(names.semaphore);
	free(names.wait);
}
