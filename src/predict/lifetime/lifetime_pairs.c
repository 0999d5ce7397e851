/*
 * Lists the pairs of an end and a use.
 *
 * A lifetime has few ends, usually one, so there are about as many pairs as touches, and all of
 * them are examined. The exception is uses in lifetimes that began after the end: in memory that is
 * reused over and over, there could be many. Unless all pairs are wanted, only uses in the next
 * lifetime are examined, and only if one thread ended the first lifetime and began the next: such a
 * thread renews an object that other threads find by its address. Blocks that go from thread to
 * thread through a queue come back at old addresses all the time. For these it is hard to rule out
 * that a use in one lifetime could be one in another, and in practice it never is.
 */
#include "predict/lifetime/lifetime_pairs.h"

#include "base/hash.h"
#include "base/mem.h"

struct pair_lister {
	struct lifetime_pairs *pairs;
	const struct lifetime_early_end *early;
	void (*take)(void *context, const struct lifetime_pair *pair);
	void *context;
	bool all; /* examine all later lifetimes, not only the next */
};

static const struct window_node *node_at(const struct pair_lister *l, uint32_t node)
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

/* ---- which events use what ends -------------------------------------------------------------- */

static bool is_in_ended_bytes(const struct window_node *end, uint64_t address)
{
	return address - end->address < end->size;
}

/*
 * Does the event use a synchronisation object in memory, rather than merely leave it? POSIX allows
 * destroying a condition as soon as its waiters are awakened, and a barrier as soon as one thread
 * has passed.
 */
static bool is_operation(const struct window_node *end, const struct window_node *use)
{
	switch (event_group(use->kind)) {
	case EG_LOCK:
	case EG_SEMAPHORE:
	case EG_ONCE: return true;
	case EG_BARRIER: return use->kind != EV_PASS;
	case EG_CONDITION: return use->kind != EV_WOKEN || is_in_ended_bytes(end, use->other);
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

/*
 * Excludes operations that end a hold or a wait: destroying an object that a thread holds or waits
 * on is a different bug, which misuse.c finds.
 */
static bool is_use_of_object(const struct window_node *end, const struct window_node *use)
{
	if (use->kind == EV_PASS || use->kind == EV_RELEASE || use->kind == EV_READ_RELEASE)
		return false;
	return use->kind != EV_WOKEN || end->kind != EV_COND_DESTROY;
}

/*
 * Is it the main thread? Its stack remains when it ends by pthread_exit, as long as the process
 * exists.
 */
static bool is_main(const struct pair_lister *l, uint32_t node)
{
	const struct window *w = l->pairs->window;

	return w->threads.items[w->model.thread.items[node]].stream == 0;
}

static bool is_use_of_end(const struct pair_lister *l, uint32_t end,
			  const struct window_touch *touch, struct lifetime_pair *pair)
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

/*
 * Has the object been overwritten between the end and the use? Then a static initialiser has made
 * another object.
 */
static bool is_overwritten_since(const struct pair_lister *l, const struct lifetime_pair *pair)
{
	uint64_t object = node_at(l, pair->end)->address;

	for (uint32_t i = pair->end + 1; i < pair->use; i++) {
		const struct window_node *node = node_at(l, i);

		if (node->kind == EV_WRITE && object - node->address < node->size)
			return true;
	}
	return false;
}

static bool is_kind_wanted(const struct pair_lister *l, enum event_misuse misuse)
{
	return l->pairs->analysis->options->only &
	       (misuse == EVENT_MISUSE_NONE ? PREDICT_USE_AFTER_FREE : PREDICT_MISUSE);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Must a be inside when b is next, even if lifetimes are ignored? */
static bool must_be_inside(const struct pair_lister *l, uint32_t a, uint32_t b)
{
	return must_precede_before(&l->pairs->must_precede, &l->early->loose.clock, a, b);
}

/* `begun`: the node of the first begin between the end and a later use, or ORDER_NONE. */
static void add_candidate(struct pair_lister *l, uint32_t end, const struct window_touch *touch,
			  uint32_t begun)
{
	const struct order_model *model = &l->pairs->window->model;
	uint32_t use = touch->node, fresh = l->pairs->window->fresh;
	struct lifetime_pair pair;

	if (model->thread.items[end] == model->thread.items[use] || (end < fresh && use < fresh) ||
	    l->pairs->met[use] == end + 1 || !is_use_of_end(l, end, touch, &pair) ||
	    !is_kind_wanted(l, pair.misuse))
		return;
	if (use < end && must_be_inside(l, use, end))
		return;
	if (begun != ORDER_NONE && must_be_inside(l, begun, use))
		return;
	if (pair.misuse == EVENT_MISUSE_DESTROYED && is_overwritten_since(l, &pair))
		return;
	l->pairs->met[use] = end + 1;
	pair.recorded_after = use > end && begun == ORDER_NONE;
	l->take(l->context, &pair);
}

static bool is_same_thread(const struct pair_lister *l, uint32_t end, uint32_t begin)
{
	const struct order_model *model = &l->pairs->window->model;

	return model->thread.items[end] == model->thread.items[begin];
}

/*
 * Lists the uses in one place. Uses before the begin of the lifetime that ends there are left out:
 * they must have happened before it began.
 */
static void list_uses_of_place(struct pair_lister *l, uint32_t end,
			       const struct lifetime_end *where)
{
	uint32_t count, begun = ORDER_NONE;
	const struct window_touch *t = lifetime_touches(l->early, where->place, &count);
	uint32_t low = lifetime_begin_before(t, where->at);

	for (uint32_t i = low == ORDER_NONE ? 0 : low + 1; i < where->at; i++)
		add_candidate(l, end, &t[i], ORDER_NONE);
	for (uint32_t i = where->at + 1; i < count; i++) {
		if (t[i].how == WINDOW_BEGINS) {
			if (!l->all && (begun != ORDER_NONE || !is_same_thread(l, end, t[i].node)))
				return;
			if (begun == ORDER_NONE)
				begun = t[i].node;
			continue;
		}
		add_candidate(l, end, &t[i], begun);
	}
}

static void list_uses_of_end(struct pair_lister *l, uint32_t end)
{
	for (uint32_t i = l->early->start[end]; i < l->early->start[end + 1]; i++)
		list_uses_of_place(l, end, &l->early->ends[i]);
}

static void list_all_uses(struct pair_lister *l)
{
	for (uint32_t n = 0; n < l->pairs->window->model.node_count; n++) {
		if (l->early->start[n] < l->early->start[n + 1])
			list_uses_of_end(l, n);
	}
}

void lifetime_pairs_each(struct lifetime_pairs *pairs, const struct lifetime_early_end *early,
			 void (*take)(void *context, const struct lifetime_pair *pair),
			 void *context)
{
	struct pair_lister l = { pairs, early, take, context, true };

	list_all_uses(&l);
}

/* ---- groups of pairs with the same sites ----------------------------------------------------- */

/*
 * The code site, combined with the kind. All ends of threads count as one site. Without a site, all
 * other events of one kind at one address count as one.
 */
static uint64_t site_of(const struct window_node *node)
{
	return node->kind == EV_END ? EV_END : analysis_site(node);
}

static uint32_t distance(const struct lifetime_pair *pair)
{
	return pair->end < pair->use ? pair->use - pair->end : pair->end - pair->use;
}

/* Pairs that the recorded run shows come first, then the nearest: they change the order least. */
static bool is_better(const void *left, const void *right)
{
	const struct lifetime_pair *a = left, *b = right;

	return a->recorded_after != b->recorded_after ? a->recorded_after
						      : distance(a) < distance(b);
}

static void keep_pair(void *context, const struct lifetime_pair *pair)
{
	struct lifetime_pairs *p = context;
	enum finding_kind kind =
		pair->misuse == EVENT_MISUSE_NONE ? FINDING_USE_AFTER_FREE : FINDING_MISUSE;
	uint64_t sites[] = { site_of(&p->window->nodes.items[pair->end]),
			     site_of(&p->window->nodes.items[pair->use]), pair->misuse };
	struct site_group *group =
		site_groups_find(&p->by_sites, p->analysis, analysis_key(kind, sites, 3));

	group->total++;
	if (!group->found)
		site_group_keep(&p->by_sites, group, pair);
}

void lifetime_pairs_collect(struct lifetime_pairs *pairs, const struct lifetime_early_end *early)
{
	struct pair_lister l = { pairs, early, keep_pair, pairs, false };

	list_all_uses(&l);
}

void lifetime_pairs_open(struct lifetime_pairs *p, struct analysis *analysis,
			 const struct lifetime_early_end *early)
{
	*p = (struct lifetime_pairs){
		.analysis = analysis,
		.window = analysis->window,
		.by_sites = { .size = sizeof(struct lifetime_pair), .is_better = is_better },
	};
	must_precede_make(&p->must_precede, &early->loose.window, &early->loose.clock);
	p->met = mem_zalloc(p->window->model.node_count + (size_t)1, sizeof *p->met);
}

void lifetime_pairs_close(struct lifetime_pairs *p)
{
	site_groups_free(&p->by_sites);
	must_precede_free(&p->must_precede);
	free(p->met);
}
