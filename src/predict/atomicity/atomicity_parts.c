#include "predict/atomicity/atomicity_parts.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "predict/race/race_candidates.h"

/* Of a lock: the section that a thread was in last, and the one before. */
struct two_sections {
	struct event_id last, before;
	bool two;
};

struct atomicity_parts_maker {
	struct parts *parts;
	const struct window *window;
	struct parts_wanted wanted;
	struct map numbers; /* of parts: by region, or lock and what took it, and `waits` */
	struct map takers;  /* hash of an id to the node that takes a lock there, + 1 */
	VEC(struct part_access) pairs; /* without cells */
	/* of the present thread */
	uint32_t thread;
	uint64_t waits; /* so often has it waited */
	const struct region *next, *end;
	VEC(const struct region *) open;
	struct map lasts; /* address of a lock: in sections */
	VEC(struct two_sections) sections;
};

static uint64_t hash_id(struct event_id id)
{
	return hash_mix(hash_mix(0, id.stream), id.index);
}

/* What lets others in: doc/prediction.md, "waiting". */
static bool waits(uint8_t kind)
{
	switch (kind) {
	case EV_WOKEN:
	case EV_JOIN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE:
	case EV_RECEIVE:
	case EV_SYNC: return true;
	default: return false;
	}
}

static void list_takers(struct atomicity_parts_maker *m)
{
	for (size_t i = 0; i < m->window->nodes.count; i++) {
		const struct window_node *node = &m->window->nodes.items[i];

		if (!node->moment && (node->kind == EV_ACQUIRE || node->kind == EV_WOKEN))
			*map_put(&m->takers, hash_id(node->id), NULL) = i + 1;
	}
}

static void add(struct atomicity_parts_maker *m, uint64_t key, const struct part *made,
		uint32_t node)
{
	bool fresh;
	uint64_t *number = map_put(&m->numbers, hash_mix(key, m->waits), &fresh);

	if (fresh) {
		*number = m->parts->items.count;
		*vec_push(&m->parts->items) = *made;
		m->parts->items.items[*number].first = node;
	}
	m->parts->items.items[*number].last = node;
	m->parts->items.items[*number].count++;
	*vec_push(&m->pairs) = (struct part_access){ 0, (uint32_t)*number, node };
}

static void add_to_regions(struct atomicity_parts_maker *m, uint32_t node, uint64_t index)
{
	size_t kept = 0;

	for (; m->next < m->end && m->next->begin < index; m->next++)
		*vec_push(&m->open) = m->next;
	for (size_t i = 0; i < m->open.count; i++) {
		const struct region *r = m->open.items[i];

		if (r->end < index)
			continue;
		m->open.items[kept++] = r;
		add(m, hash_mix(1, (uint64_t)(r - m->wanted.regions->items.items)),
		    &(struct part){ .thread = m->thread,
				    .annotated = true,
				    .name = r->name,
				    .begin = { r->stream, r->begin },
				    .place = hash_mix(hash_mix(1, r->site), r->name) },
		    node);
	}
	m->open.count = kept;
}

/* Of a section that was entered before the window the lock has to stand for the place. */
static uint64_t place_of(const struct atomicity_parts_maker *m, const struct window_held *held)
{
	const uint64_t *taker = map_get(&m->takers, hash_id(held->taken));
	uint64_t site = taker ? m->window->nodes.items[*taker - 1].site : 0;

	return site ? hash_mix(hash_mix(2, site), 0) : hash_mix(hash_mix(3, held->address), 0);
}

/* The section of the lock that the thread was in before this one, if it was in one. */
static const struct event_id *section_before(struct atomicity_parts_maker *m,
					     const struct window_held *held)
{
	bool fresh;
	uint64_t *number = map_put(&m->lasts, held->address, &fresh);
	struct two_sections *last;

	if (fresh) {
		*number = m->sections.count;
		*vec_push(&m->sections) = (struct two_sections){ .last = held->taken };
	}
	last = &m->sections.items[*number];
	if (last->last.stream != held->taken.stream || last->last.index != held->taken.index) {
		last->before = last->last;
		last->last = held->taken;
		last->two = true;
	}
	return last->two ? &last->before : NULL;
}

static void add_pair(struct atomicity_parts_maker *m, const struct window_held *held,
		     struct event_id taken, uint32_t node)
{
	add(m, hash_mix(hash_mix(4, held->address), hash_id(taken)),
	    &(struct part){ .thread = m->thread,
			    .inferred = true,
			    .lock = held->address,
			    .begin = taken,
			    .place = hash_mix(place_of(m, held), 4) },
	    node);
}

/* What it reads may be written in the next section; what it writes was read in the one before. */
static void add_to_pairs(struct atomicity_parts_maker *m, uint32_t node,
			 const struct window_held *held)
{
	const struct event_id *before = section_before(m, held);
	uint8_t kind = m->window->nodes.items[node].kind;

	if (race_candidates_is_write(kind)) {
		if (before && calls_share(m->wanted.calls, *before, held->taken))
			add_pair(m, held, *before, node);
	} else {
		add_pair(m, held, held->taken, node);
	}
}

static void add_to_sections(struct atomicity_parts_maker *m, uint32_t node)
{
	const struct window_held *held = m->window->held.items;

	for (uint32_t i = m->window->nodes.items[node].held; i != ORDER_NONE; i = held[i].outer) {
		if (held[i].shared || held[i].lock == ORDER_NONE)
			continue;
		if (m->wanted.calls)
			add_to_pairs(m, node, &held[i]);
		if (!m->wanted.sections)
			continue;
		add(m, hash_mix(hash_mix(2, held[i].address), hash_id(held[i].taken)),
		    &(struct part){ .thread = m->thread,
				    .lock = held[i].address,
				    .begin = held[i].taken,
				    .place = place_of(m, &held[i]) },
		    node);
	}
}

static void walk_thread(struct atomicity_parts_maker *m, uint32_t thread)
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

		m->waits += waits(node->kind);
		/* A handler's events are in no region of the thread. */
		if (!race_candidates_is_access(node) || !node->cell_count ||
		    node->id.stream != stream)
			continue;
		add_to_regions(m, n, node->id.index);
		add_to_sections(m, n);
	}
}

static int compare_accesses(const void *left, const void *right)
{
	const struct part_access *a = left, *b = right;

	if (a->cell != b->cell)
		return a->cell < b->cell ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void list_accesses(struct atomicity_parts_maker *m)
{
	for (size_t i = 0; i < m->pairs.count; i++) {
		const struct part_access *pair = &m->pairs.items[i];
		const struct window_node *node = &m->window->nodes.items[pair->node];

		for (uint32_t k = 0;
		     m->parts->items.items[pair->part].count > 1 && k < node->cell_count; k++)
			*vec_push(&m->parts->accesses) =
				(struct part_access){ m->window->cells.items[node->cell_start + k],
						      pair->part, pair->node };
	}
	if (m->parts->accesses.count)
		qsort(m->parts->accesses.items, m->parts->accesses.count,
		      sizeof *m->parts->accesses.items, compare_accesses);
}

void parts_make(struct parts *parts, const struct window *window, const struct parts_wanted *wanted)
{
	static const struct regions none;
	struct atomicity_parts_maker m = { .parts = parts, .window = window, .wanted = *wanted };

	if (!m.wanted.regions)
		m.wanted.regions = &none;
	*parts = (struct parts){ 0 };
	list_takers(&m);
	for (uint32_t t = 0; t < window->model.thread_count; t++)
		walk_thread(&m, t);
	list_accesses(&m);
	map_free(&m.numbers);
	map_free(&m.takers);
	vec_free(&m.pairs);
	vec_free(&m.open);
	vec_free(&m.sections);
	map_free(&m.lasts);
}

void parts_free(struct parts *parts)
{
	vec_free(&parts->items);
	vec_free(&parts->accesses);
}

const struct part_access *parts_find(const struct parts *parts, uint32_t cell, uint32_t part,
				     size_t *count)
{
	const struct part_access *all = parts->accesses.items;
	size_t low = 0, high = parts->accesses.count, first;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_accesses(&all[middle], &(struct part_access){ cell, part, 0 }) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (first = low;
	     low < parts->accesses.count && all[low].cell == cell && all[low].part == part;)
		low++;
	*count = low - first;
	return &all[first];
}
