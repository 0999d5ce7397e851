/* Shared, reduced decision diagrams with a work limit: see decision.h. */
#include "logic/decision.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/*
 * These limits allow about a second of work and 50 MB. Formulas written by hand need thousands of
 * steps and nodes, not millions.
 */
#define MOST_WORK 8000000u
#define MOST_NODES 1000000u
#define ANSWERS (1u << 16)

struct decision_answer {
	uint32_t f, g, h, result;
};

void decisions_open(struct decisions *d)
{
	*d = (struct decisions){ .mask = 1023 };
	d->table = mem_zalloc(d->mask + 1, sizeof *d->table);
	d->answers = mem_zalloc(ANSWERS, sizeof *d->answers);
	decision_leaf(d, 0);
	decision_leaf(d, 1);
}

void decisions_close(struct decisions *d)
{
	vec_free(&d->nodes);
	free(d->table);
	free(d->answers);
	*d = (struct decisions){ 0 };
}

static uint64_t hash_of(const struct decision_node *n)
{
	return hash_mix(hash_mix(hash_mix(0, n->variable), n->low), n->high);
}

static void grow(struct decisions *d)
{
	free(d->table);
	d->mask = 2 * d->mask + 1;
	d->table = mem_zalloc(d->mask + 1, sizeof *d->table);
	for (size_t i = 0; i < d->nodes.count; i++) {
		size_t at = hash_of(&d->nodes.items[i]) & d->mask;

		while (d->table[at])
			at = (at + 1) & d->mask;
		d->table[at] = (uint32_t)i + 1;
	}
}

static uint32_t add_node(struct decisions *d, struct decision_node node)
{
	size_t at = hash_of(&node) & d->mask;

	for (; d->table[at]; at = (at + 1) & d->mask)
		if (!memcmp(&d->nodes.items[d->table[at] - 1], &node, sizeof node))
			return d->table[at] - 1;
	if (d->nodes.count == MOST_NODES)
		d->spent = true;
	if (d->spent)
		return DECISION_FALSE;
	*vec_push(&d->nodes) = node;
	d->table[at] = (uint32_t)d->nodes.count;
	if (2 * d->nodes.count > d->mask)
		grow(d);
	return (uint32_t)d->nodes.count - 1;
}

uint32_t decision_leaf(struct decisions *d, uint32_t number)
{
	return add_node(d, (struct decision_node){ .variable = DECISION_LEAF, .low = number });
}

uint32_t decision_node(struct decisions *d, uint32_t variable, uint32_t low, uint32_t high)
{
	if (low == high)
		return low;
	assert(d->spent || (variable < d->nodes.items[low].variable &&
			    variable < d->nodes.items[high].variable));
	return add_node(d, (struct decision_node){ variable, low, high });
}

static uint32_t side(const struct decisions *d, uint32_t node, uint32_t variable, bool high)
{
	const struct decision_node *n = &d->nodes.items[node];

	return n->variable != variable ? node : high ? n->high : n->low;
}

static uint32_t first(const struct decisions *d, uint32_t f, uint32_t g, uint32_t h)
{
	uint32_t a = d->nodes.items[f].variable, b = d->nodes.items[g].variable;
	uint32_t c = d->nodes.items[h].variable;

	a = a < b ? a : b;
	return a < c ? a : c;
}

uint32_t decision_choose(struct decisions *d, uint32_t f, uint32_t g, uint32_t h)
{
	struct decision_answer *answer;
	uint32_t variable, low, high, result;

	if (f <= DECISION_TRUE)
		return f == DECISION_TRUE ? g : h;
	if (g == h)
		return g;
	if (g == DECISION_TRUE && h == DECISION_FALSE)
		return f;
	answer = &d->answers[hash_mix(hash_mix(hash_mix(0, f), g), h) & (ANSWERS - 1)];
	if (answer->f == f && answer->g == g && answer->h == h)
		return answer->result;
	if (++d->work > MOST_WORK)
		d->spent = true;
	if (d->spent)
		return DECISION_FALSE;
	variable = first(d, f, g, h);
	low = decision_choose(d, side(d, f, variable, false), side(d, g, variable, false),
			      side(d, h, variable, false));
	high = decision_choose(d, side(d, f, variable, true), side(d, g, variable, true),
			       side(d, h, variable, true));
	result = decision_node(d, variable, low, high);
	if (!d->spent)
		*answer = (struct decision_answer){ f, g, h, result };
	return result;
}

uint32_t decision_not(struct decisions *d, uint32_t f)
{
	return decision_choose(d, f, DECISION_FALSE, DECISION_TRUE);
}

uint32_t decision_and(struct decisions *d, uint32_t f, uint32_t g)
{
	return decision_choose(d, f, g, DECISION_FALSE);
}

uint32_t decision_or(struct decisions *d, uint32_t f, uint32_t g)
{
	return decision_choose(d, f, DECISION_TRUE, g);
}

uint32_t decision_walk(const struct decisions *d, uint32_t node, uint32_t border, uint64_t symbol)
{
	while (d->nodes.items[node].variable < border)
		node = symbol >> d->nodes.items[node].variable & 1 ? d->nodes.items[node].high
								   : d->nodes.items[node].low;
	return node;
}

uint32_t decision_exchange(struct decisions *d, struct decision_change *c, uint32_t node)
{
	struct decision_node n = d->nodes.items[node];
	const uint64_t *known = map_get(&c->known, node);
	uint32_t made;

	if (known)
		return (uint32_t)*known;
	if (++d->work > MOST_WORK)
		d->spent = true;
	if (d->spent)
		return DECISION_FALSE;
	if (n.variable >= c->border) {
		made = c->change(c->context, node);
	} else {
		uint32_t low = decision_exchange(d, c, n.low);

		made = decision_node(d, n.variable, low, decision_exchange(d, c, n.high));
	}
	if (!d->spent)
		*map_put(&c->known, node, NULL) = made;
	return made;
}
