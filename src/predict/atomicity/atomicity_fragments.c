/*
 * Assigns each thread's accesses to fragments, in one pass along the thread that keeps a list of
 * the open regions. Whenever the thread waits for another one, its current fragments end and new
 * ones begin.
 */
#include "predict/atomicity/atomicity_fragments.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "predict/race/race_candidates.h"

/*
 * The present thread's last two sections of a lock, as the events that took the lock. `before` is
 * valid if `two` is set.
 */
struct last_sections {
	struct event_id last, before;
	bool two;
};

struct fragment_builder {
	struct fragments *fragments;
	const struct window *window;
	struct fragments_wanted wanted;
	/*
	 * key of a fragment to its number; the key is a hash of the region (or of the lock and the
	 * event that took it) and of `waits`
	 */
	struct map numbers;
	struct map takers; /* calls_hash_event() of an event that takes a lock, to its node + 1 */
	/* a fragment and an access in it; `cell` is not set yet */
	VEC(struct fragment_access) pairs;
	/* state of the pass along the present thread */
	uint32_t thread;
	uint64_t waits; /* how often the thread has waited so far */
	const struct region *next, *end;
	VEC(const struct region *) open;
	struct map lasts; /* address of a lock to position in sections */
	VEC(struct last_sections) sections;
};

/* Does a thread wait for other threads at an event of this kind? (doc/prediction.md, "waiting") */
static bool lets_others_in(uint8_t kind)
{
	switch (kind) {
	case EV_WOKEN:
	case EV_JOIN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE:
	case EV_RECEIVE:
	case EV_SYNC:
	case EV_OPAQUE: return true;
	default: return false;
	}
}

static void list_acquisitions(struct fragment_builder *m)
{
	for (size_t i = 0; i < m->window->nodes.count; i++) {
		const struct window_node *node = &m->window->nodes.items[i];

		if (!node->moment && (node->kind == EV_ACQUIRE || node->kind == EV_WOKEN))
			*map_put(&m->takers, calls_hash_event(node->id), NULL) = i + 1;
	}
}

static void add_access(struct fragment_builder *m, uint64_t key, const struct region_fragment *made,
		       uint32_t node)
{
	bool fresh;
	uint64_t *number = map_put(&m->numbers, hash_mix(key, m->waits), &fresh);

	if (fresh) {
		*number = m->fragments->items.count;
		*vec_push(&m->fragments->items) = *made;
		m->fragments->items.items[*number].first = node;
	}
	m->fragments->items.items[*number].last = node;
	m->fragments->items.items[*number].count++;
	*vec_push(&m->pairs) = (struct fragment_access){ 0, (uint32_t)*number, node };
}

static void add_to_regions(struct fragment_builder *m, uint32_t node, uint64_t index)
{
	size_t kept = 0;

	for (; m->next < m->end && m->next->begin < index; m->next++)
		*vec_push(&m->open) = m->next;
	for (size_t i = 0; i < m->open.count; i++) {
		const struct region *r = m->open.items[i];

		if (r->end < index)
			continue;
		m->open.items[kept++] = r;
		add_access(m, hash_mix(1, (uint64_t)(r - m->wanted.regions->items.items)),
			   &(struct region_fragment){
				   .thread = m->thread,
				   .annotated = true,
				   .name = r->name,
				   .begin = { r->stream, r->begin },
				   .site_key = hash_mix(hash_mix(1, r->site), r->name) },
			   node);
	}
	m->open.count = kept;
}

/*
 * The key of the site where a section begins. If the section began before the window, its lock's
 * address replaces the site.
 */
static uint64_t site_key_of(const struct fragment_builder *m, const struct window_held *held)
{
	const uint64_t *taker = map_get(&m->takers, calls_hash_event(held->taken));
	uint64_t site = taker ? m->window->nodes.items[*taker - 1].site : 0;

	return site ? hash_mix(hash_mix(2, site), 0) : hash_mix(hash_mix(3, held->address), 0);
}

/* Returns the event that took the lock for the thread's previous section of it, or NULL. */
static const struct event_id *previous_section(struct fragment_builder *m,
					       const struct window_held *held)
{
	bool fresh;
	uint64_t *number = map_put(&m->lasts, held->address, &fresh);
	struct last_sections *last;

	if (fresh) {
		*number = m->sections.count;
		*vec_push(&m->sections) = (struct last_sections){ .last = held->taken };
	}
	last = &m->sections.items[*number];
	if (last->last.stream != held->taken.stream || last->last.index != held->taken.index) {
		last->before = last->last;
		last->last = held->taken;
		last->two = true;
	}
	return last->two ? &last->before : NULL;
}

static void add_to_inferred(struct fragment_builder *m, const struct window_held *held,
			    struct event_id taken, uint32_t node)
{
	add_access(m, hash_mix(hash_mix(4, held->address), calls_hash_event(taken)),
		   &(struct region_fragment){ .thread = m->thread,
					      .inferred = true,
					      .lock = held->address,
					      .begin = taken,
					      .site_key = hash_mix(site_key_of(m, held), 4) },
		   node);
}

/*
 * An inferred region consists of two consecutive sections of a lock, with reads in the first and
 * writes in the second. So a read belongs to the region that begins with its own section, and a
 * write to the region that begins with the previous section, if one call entered both sections.
 */
static void add_to_inferred_regions(struct fragment_builder *m, uint32_t node,
				    const struct window_held *held)
{
	const struct event_id *before = previous_section(m, held);
	uint8_t kind = m->window->nodes.items[node].kind;

	if (race_is_write(kind)) {
		if (before && calls_share(m->wanted.calls, *before, held->taken))
			add_to_inferred(m, held, *before, node);
	} else {
		add_to_inferred(m, held, held->taken, node);
	}
}

static void add_to_sections(struct fragment_builder *m, uint32_t node)
{
	const struct window_held *held = m->window->held.items;

	for (uint32_t i = m->window->nodes.items[node].held; i != ORDER_NONE; i = held[i].outer) {
		if (held[i].shared || held[i].lock == ORDER_NONE)
			continue;
		if (m->wanted.calls)
			add_to_inferred_regions(m, node, &held[i]);
		if (!m->wanted.sections)
			continue;
		add_access(m,
			   hash_mix(hash_mix(2, held[i].address), calls_hash_event(held[i].taken)),
			   &(struct region_fragment){ .thread = m->thread,
						      .lock = held[i].address,
						      .begin = held[i].taken,
						      .site_key = site_key_of(m, &held[i]) },
			   node);
	}
}

static void cut_thread(struct fragment_builder *m, uint32_t thread)
{
	const struct order_model *model = &m->window->model;
	uint32_t stream = m->window->threads.items[thread].stream;
	size_t count;

	m->thread = thread;
	m->waits = 0;
	m->open.count = 0;
	m->sections.count = 0;
	map_free(&m->lasts);
	m->next = regions_of(m->wanted.regions, stream, &count);
	m->end = m->next ? m->next + count : NULL;
	for (uint32_t i = model->thread_start.items[thread];
	     i < model->thread_start.items[thread + 1]; i++) {
		uint32_t n = model->thread_nodes.items[i];
		const struct window_node *node = &m->window->nodes.items[n];

		m->waits += lets_others_in(node->kind);
		/* Events of a signal handler belong to no region of the thread. */
		if (!race_is_access(node) || !node->cell_count || node->id.stream != stream)
			continue;
		add_to_regions(m, n, node->id.index);
		add_to_sections(m, n);
	}
}

SORT_COMPARISON(by_cell, struct fragment_access, a, b,
		sort_order(a->cell, b->cell) ?: sort_order(a->fragment, b->fragment)
			?: sort_order(a->node, b->node))

static void list_accesses(struct fragment_builder *m)
{
	for (size_t i = 0; i < m->pairs.count; i++) {
		const struct fragment_access *pair = &m->pairs.items[i];
		const struct window_node *node = &m->window->nodes.items[pair->node];

		for (uint32_t k = 0;
		     m->fragments->items.items[pair->fragment].count > 1 && k < node->cell_count;
		     k++)
			*vec_push(&m->fragments->accesses) = (struct fragment_access){
				m->window->cells.items[node->cell_start + k], pair->fragment,
				pair->node
			};
	}
	vec_sort(&m->fragments->accesses, by_cell);
}

void fragments_make(struct fragments *fragments, const struct window *window,
		    const struct fragments_wanted *wanted)
{
	static const struct regions none;
	struct fragment_builder m = { .fragments = fragments, .window = window, .wanted = *wanted };

	if (!m.wanted.regions)
		m.wanted.regions = &none;
	*fragments = (struct fragments){ 0 };
	list_acquisitions(&m);
	for (uint32_t t = 0; t < window->model.thread_count; t++)
		cut_thread(&m, t);
	list_accesses(&m);
	map_free(&m.numbers);
	map_free(&m.takers);
	vec_free(&m.pairs);
	vec_free(&m.open);
	vec_free(&m.sections);
	map_free(&m.lasts);
}

void fragments_free(struct fragments *fragments)
{
	vec_free(&fragments->items);
	vec_free(&fragments->accesses);
}

const struct fragment_access *fragments_find(const struct fragments *fragments, uint32_t cell,
					     uint32_t fragment, size_t *count)
{
	const struct fragment_access *all = fragments->accesses.items;
	struct fragment_access first_possible = { cell, fragment, 0 };
	size_t first, end;

	SEARCH_FIRST(first, fragments->accesses.count, by_cell(&all[first], &first_possible) >= 0);
	for (end = first; end < fragments->accesses.count && all[end].cell == cell &&
			  all[end].fragment == fragment;)
		end++;
	*count = end - first;
	return &all[first];
}
