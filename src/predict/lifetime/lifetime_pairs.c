#include "predict/lifetime/lifetime_pairs.h"

#include "base/mem.h"

/*
 * A life has few ends, one as a rule, so the pairs are about as many as the touches, and all of them
 * are looked at. Only uses of lives that began behind the end could be many: of memory that is
 * used over and over. There, unless all pairs are wanted, only the next life counts, and only if
 * the thread that ended one began the other: it renews something that others find by its address.
 * Blocks that go from thread to thread, through a queue, come back at old addresses all the time;
 * that a use in one life could be one in another is then hard to rule out, and never so.
 */

struct lister {
	struct lifetime_pairs *pairs;
	const struct lifetime_early_end *early;
	void (*take)(void *context, const struct lifetime_pair *pair);
	void *context;
	bool all; /* lives, however far behind */
};

static const struct window_node *node_at(const struct lister *l, uint32_t node)
{
	return &l->pairs->window->nodes.items[node];
}

bool lifetime_pairs_exist(const struct window *w)
{
	for (size_t i = 0; i < w->touches.count; i++) {
		if (w->touches.items[i].how == WINDOW_ENDS)
			return true;
	}
	return false;
}

/* ---- what is a use of what ------------------------------------------------------------------ */

static bool lies_in(const struct window_node *end, uint64_t address)
{
	return address - end->address < end->size;
}

/*
 * Of what is done to a sync object in memory: not what merely leaves it. POSIX lets a condition be
 * destroyed as soon as those who wait are awakened, a barrier as soon as one has passed.
 */
static bool is_operation(const struct window_node *end, const struct window_node *use)
{
	switch (event_group(use->kind)) {
	case EG_LOCK:
	case EG_SEMAPHORE:
	case EG_ONCE: return true;
	case EG_BARRIER: return use->kind != EV_PASS;
	case EG_CONDITION: return use->kind != EV_WOKEN || lies_in(end, use->other);
	default: return false;
	}
}

static bool is_use_of_memory(const struct window_node *end, const struct window_node *use)
{
	switch (event_group(use->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC: return !(use->flags & EF_LOOK);
	case EG_MEMORY:
		return use->kind == EV_FREE && end->kind == EV_FREE && use->address == end->address;
	default: return is_operation(end, use);
	}
}

/* Who unlocks it has it: to destroy it then is another mistake (predict/lifetime/misuse.c). */
static bool is_use_of_object(const struct window_node *end, const struct window_node *use)
{
	if (use->kind == EV_PASS || use->kind == EV_RELEASE || use->kind == EV_READ_RELEASE)
		return false;
	return use->kind != EV_WOKEN || end->kind != EV_COND_DESTROY;
}

/* Its stack stays where it is when it ends by pthread_exit, as long as the process. */
static bool is_main(const struct lister *l, uint32_t node)
{
	const struct window *w = l->pairs->window;

	return w->threads.items[w->model.thread.items[node]].stream == 0;
}

static bool fits(const struct lister *l, uint32_t end, const struct window_touch *touch,
		 struct lifetime_pair *pair)
{
	const struct window_node *e = node_at(l, end), *u = node_at(l, touch->node);

	*pair = (struct lifetime_pair){ end, touch->node, EVENT_MISUSE_NONE, false };
	switch (e->kind) {
	case EV_FREE:
	case EV_UNMAP: return is_use_of_memory(e, u);
	case EV_END: return !is_main(l, end) && is_use_of_memory(e, u);
	case EV_FD_CLOSE:
		pair->misuse = EVENT_MISUSE_CLOSED;
		return u->kind == EV_FD_USE || u->kind == EV_FD_CLOSE;
	}
	pair->misuse = EVENT_MISUSE_DESTROYED;
	return is_use_of_object(e, u);
}

/* Has somebody written over the object since? Then it is another, by its initialiser. */
static bool is_another(const struct lister *l, const struct lifetime_pair *pair)
{
	uint64_t object = node_at(l, pair->end)->address;

	for (uint32_t i = pair->end + 1; i < pair->use; i++) {
		const struct window_node *node = node_at(l, i);

		if (node->kind == EV_WRITE && object - node->address < node->size)
			return true;
	}
	return false;
}

static bool is_wanted(const struct lister *l, enum event_misuse misuse)
{
	return l->pairs->analysis->options->only &
	       (misuse == EVENT_MISUSE_NONE ? PREDICT_USE_AFTER_FREE : PREDICT_MISUSE);
}

/* ---- pairs -------------------------------------------------------------------------------- */

/* Must a be inside when b is next, whatever becomes of lives? */
static bool needs(const struct lister *l, uint32_t a, uint32_t b)
{
	return must_precede_before(&l->pairs->needs, &l->early->loose.clock, a, b);
}

/* `begun`: the first begin between the end and a use behind it, or ORDER_NONE. */
static void consider(struct lister *l, uint32_t end, const struct window_touch *touch,
		     uint32_t begun)
{
	const struct order_model *model = &l->pairs->window->model;
	uint32_t use = touch->node, fresh = l->pairs->window->fresh;
	struct lifetime_pair pair;

	if (model->thread.items[end] == model->thread.items[use] || (end < fresh && use < fresh) ||
	    l->pairs->met[use] == end + 1 || !fits(l, end, touch, &pair) ||
	    !is_wanted(l, pair.misuse))
		return;
	if (use < end && needs(l, use, end))
		return;
	if (begun != ORDER_NONE && needs(l, begun, use))
		return;
	if (pair.misuse == EVENT_MISUSE_DESTROYED && is_another(l, &pair))
		return;
	l->pairs->met[use] = end + 1;
	pair.behind = use > end && begun == ORDER_NONE;
	l->take(l->context, &pair);
}

static bool is_renewed(const struct lister *l, uint32_t end, uint32_t begin)
{
	const struct order_model *model = &l->pairs->window->model;

	return model->thread.items[end] == model->thread.items[begin];
}

/* A use that is before the begin of what ends here must have happened before it ends. */
static void list_place(struct lister *l, uint32_t end, const struct lifetime_place *where)
{
	uint32_t count, begun = ORDER_NONE;
	const struct window_touch *t = lifetime_touches(l->early, where->place, &count);
	uint32_t low = lifetime_begin_before(t, where->at);

	for (uint32_t i = low == ORDER_NONE ? 0 : low + 1; i < where->at; i++)
		consider(l, end, &t[i], ORDER_NONE);
	for (uint32_t i = where->at + 1; i < count; i++) {
		if (t[i].how == WINDOW_BEGINS) {
			if (!l->all && (begun != ORDER_NONE || !is_renewed(l, end, t[i].node)))
				return;
			if (begun == ORDER_NONE)
				begun = t[i].node;
			continue;
		}
		consider(l, end, &t[i], begun);
	}
}

static void list_end(struct lister *l, uint32_t end)
{
	for (uint32_t i = l->early->start[end]; i < l->early->start[end + 1]; i++)
		list_place(l, end, &l->early->places[i]);
}

static void list_all(struct lister *l)
{
	for (uint32_t n = 0; n < l->pairs->window->model.node_count; n++) {
		if (l->early->start[n] < l->early->start[n + 1])
			list_end(l, n);
	}
}

void lifetime_pairs_each(struct lifetime_pairs *pairs, const struct lifetime_early_end *early,
			 void (*take)(void *context, const struct lifetime_pair *pair),
			 void *context)
{
	struct lister l = { pairs, early, take, context, true };

	list_all(&l);
}

/* ---- pools -------------------------------------------------------------------------------- */

/*
 * Where the code is. Without a site: a thread's end is always the same place, all else at one
 * address is.
 */
static uint64_t site_of(const struct window_node *node)
{
	uint64_t place = node->site ? node->site : ~node->address;

	if (node->kind == EV_END)
		return EV_END;
	return place * 0xff51afd7ed558ccdu + node->kind;
}

static struct lifetime_pool *pool_of(struct lifetime_pairs *p, const struct lifetime_pair *pair)
{
	enum finding_kind kind =
		pair->misuse == EVENT_MISUSE_NONE ? FINDING_USE_AFTER_FREE : FINDING_MISUSE;
	uint64_t sites[] = { site_of(&p->window->nodes.items[pair->end]),
			     site_of(&p->window->nodes.items[pair->use]), pair->misuse };
	uint64_t key = analysis_key(kind, sites, 3);
	bool fresh;
	uint64_t *number = map_put(&p->pool_numbers, key, &fresh);

	if (fresh) {
		*number = p->pools.count;
		*vec_push(&p->pools) = (struct lifetime_pool){
			.pool = { .key = key, .found = analysis_has_finding(p->analysis, key) }
		};
	}
	return &p->pools.items[*number];
}

static uint32_t distance(const struct lifetime_pair *pair)
{
	return pair->end < pair->use ? pair->use - pair->end : pair->end - pair->use;
}

/* What the recorded run shows first, then what is nearest: least has to be put elsewhere. */
static bool is_better(const struct lifetime_pair *a, const struct lifetime_pair *b)
{
	return a->behind != b->behind ? a->behind : distance(a) < distance(b);
}

/* Keeps the best; they are few. */
static void pool_pair(void *context, const struct lifetime_pair *pair)
{
	struct lifetime_pairs *p = context;
	struct lifetime_pool *pool = pool_of(p, pair);
	size_t at;

	pool->pool.total++;
	if (pool->pool.found)
		return;
	if (pool->pairs.count == SITE_GROUP_MOST) {
		if (!is_better(pair, &pool->pairs.items[SITE_GROUP_MOST - 1]))
			return;
		pool->pairs.count--;
	}
	at = pool->pairs.count;
	*vec_push(&pool->pairs) = *pair;
	for (; at > 0 && is_better(pair, &pool->pairs.items[at - 1]); at--)
		pool->pairs.items[at] = pool->pairs.items[at - 1];
	pool->pairs.items[at] = *pair;
}

void lifetime_pairs_pool(struct lifetime_pairs *pairs, const struct lifetime_early_end *early)
{
	struct lister l = { pairs, early, pool_pair, pairs, false };

	list_all(&l);
}

void lifetime_pairs_open(struct lifetime_pairs *p, struct analysis *analysis,
			 const struct lifetime_early_end *early)
{
	*p = (struct lifetime_pairs){ .analysis = analysis, .window = analysis->window };
	must_precede_make(&p->needs, &early->loose.window, &early->loose.clock);
	p->met = mem_zalloc(p->window->model.node_count + (size_t)1, sizeof *p->met);
}

void lifetime_pairs_close(struct lifetime_pairs *p)
{
	for (size_t i = 0; i < p->pools.count; i++)
		vec_free(&p->pools.items[i].pairs);
	vec_free(&p->pools);
	map_free(&p->pool_numbers);
	must_precede_free(&p->needs);
	free(p->met);
}
