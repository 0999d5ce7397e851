/*
 * Creates, shares and frees Earley sets. If the grammar has no code, equal sets are one object. A
 * set is freed when no session and no item refers to it and the cache of transitions has dropped
 * it. The cache saves steps of the algorithm: a word that repeatedly enters and leaves a construct
 * finds the same sets again.
 */
#include "grammar/earley_build.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

#define CACHE_SIZE 1024u

struct earley_set_move {
	uint64_t from; /* number of a set */
	struct earley_set *to;
	uint32_t terminal;
};

struct earley_sets {
	struct earley_tables *tables;
	struct earley_build build, side;
	lua_State *lua;
	bool share;
	uint64_t last_number;
	size_t count;
	struct earley_set **table; /* hash table, if sets are shared */
	size_t mask;
	struct earley_set_move *cache;
};

struct earley_sets *earley_sets_open(const struct grammar *grammar, lua_State *lua)
{
	struct earley_sets *sets = mem_zalloc(1, sizeof *sets);
	sets->tables = earley_tables_make(grammar);
	sets->lua = lua;
	sets->share = !grammar->has_code;
	earley_build_open(&sets->build, sets->tables, lua, grammar->has_code);
	if (sets->share) {
		earley_build_open(&sets->side, sets->tables, lua, false);
		sets->build.side = &sets->side;
		sets->mask = 255;
		sets->table = mem_zalloc(sets->mask + 1, sizeof *sets->table);
		sets->cache = mem_zalloc(CACHE_SIZE, sizeof *sets->cache);
	}
	return sets;
}

const struct earley_tables *earley_sets_tables(const struct earley_sets *sets)
{
	return sets->tables;
}

size_t earley_sets_count(const struct earley_sets *sets)
{
	return sets->count;
}

/* ---- freeing sets ---------------------------------------------------------------------------- */

static void release_reference(struct earley_sets *sets, struct earley_set *set,
			      struct earley_set **gone)
{
	if (--set->refs)
		return;
	if (sets->share) {
		struct earley_set **at = &sets->table[set->hash & sets->mask];
		while (*at != set)
			at = &(*at)->next;
		*at = set->next;
	}
	set->next = *gone;
	*gone = set;
}

void earley_set_hold(struct earley_set *set)
{
	set->refs++;
}

/*
 * Also frees the sets that only this one refers to. In a deep session that is a long chain, so this
 * must not recurse.
 */
void earley_set_drop(struct earley_sets *sets, struct earley_set *set)
{
	struct earley_set *gone = NULL;
	release_reference(sets, set, &gone);
	while (gone) {
		set = gone;
		gone = set->next;
		for (uint32_t i = 0; i < set->count; i++) {
			tree_drop(sets->lua, set->items[i].tree);
			if (set->items[i].back)
				release_reference(sets, set->items[i].back, &gone);
		}
		tree_drop(sets->lua, set->root);
		free(set);
		sets->count--;
	}
}

void earley_sets_close(struct earley_sets *sets)
{
	for (uint32_t i = 0; sets->share && i < CACHE_SIZE; i++)
		if (sets->cache[i].to)
			earley_set_drop(sets, sets->cache[i].to);
	assert(sets->count == 0);
	earley_build_close(&sets->build);
	earley_build_close(&sets->side);
	earley_tables_free(sets->tables);
	free(sets->table);
	free(sets->cache);
	free(sets);
}

/* ---- new sets -------------------------------------------------------------------------------- */

static uint64_t hash_built(const struct earley_build *build)
{
	uint64_t hash = build->complete;
	for (size_t i = 0; i < build->items.count; i++) {
		const struct earley_item *item = &build->items.items[i];
		hash = hash_mix(hash_mix(hash, item->core), item->goal);
		hash = hash_mix(hash, item->back ? item->back->number : 0);
	}
	return hash ^ hash >> 32;
}

static bool equals_built(const struct earley_set *set, const struct earley_build *build,
			 uint64_t hash)
{
	if (set->hash != hash || set->count != build->items.count ||
	    set->complete != build->complete)
		return false;
	for (uint32_t i = 0; i < set->count; i++) {
		const struct earley_item *a = &set->items[i], *b = &build->items.items[i];
		if (a->core != b->core || a->goal != b->goal || a->back != b->back)
			return false;
	}
	return true;
}

static void compute_predicted(const struct earley_tables *tables, struct earley_set *set)
{
	uint32_t terminals = tables->grammar->terminal_count, last = GRAMMAR_NONE;
	for (uint32_t i = 0; i < set->count; i++) {
		uint32_t symbol = tables->cores[set->items[i].core].symbol;
		if (symbol < terminals || symbol == last)
			continue;
		last = symbol;
		const uint64_t *closure = &tables->closure[(symbol - terminals) * tables->words];
		for (uint32_t w = 0; w < tables->words; w++)
			set->predicted[w] |= closure[w];
	}
}

static uint32_t find_edge_nonterminal(const struct earley_tables *tables,
				      const struct earley_set *set)
{
	const struct earley_item *only = NULL;
	for (uint32_t i = 0; i < set->count; i++) {
		if (tables->cores[set->items[i].core].symbol < tables->grammar->terminal_count)
			continue;
		if (only)
			return GRAMMAR_NONE;
		only = &set->items[i];
	}
	if (!only)
		return GRAMMAR_NONE;
	const struct earley_core *core = &tables->cores[only->core];
	bool edge = only->core == tables->start || (only->tree && only->tree->edge);
	bool last = tables->cores[core->next].symbol == GRAMMAR_NONE;
	return edge && last && tables->ends_clean[core->rule] ? core->symbol : GRAMMAR_NONE;
}

static struct earley_set *make_set(struct earley_sets *sets)
{
	const struct earley_build *build = &sets->build;
	size_t items = build->items.count * sizeof *build->items.items;
	uint32_t words = sets->tables->words;
	struct earley_set *set = mem_alloc(sizeof *set + items + words * 3 * sizeof(uint64_t));
	*set = (struct earley_set){
		.number = ++sets->last_number,
		.refs = 1,
		.count = build->items.count,
		.complete = build->complete,
		.root = build->root,
	};
	if (items)
		memcpy(set->items, build->items.items, items);
	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].back)
			earley_set_hold(set->items[i].back);
	set->predicted = (uint64_t *)&set->items[set->count];
	set->same_goals = set->predicted + words;
	set->asked = set->same_goals + words;
	memset(set->predicted, 0, words * 3 * sizeof *set->predicted);
	compute_predicted(sets->tables, set);
	set->place = sets->share ? GRAMMAR_NONE : find_edge_nonterminal(sets->tables, set);
	sets->count++;
	return set;
}

static void grow_table(struct earley_sets *sets)
{
	size_t mask = sets->mask * 2 + 1;
	struct earley_set **table = mem_zalloc(mask + 1, sizeof *table);
	for (size_t i = 0; i <= sets->mask; i++)
		for (struct earley_set *set = sets->table[i], *next; set; set = next) {
			next = set->next;
			set->next = table[set->hash & mask];
			table[set->hash & mask] = set;
		}
	free(sets->table);
	sets->table = table;
	sets->mask = mask;
}

static struct earley_set *find_or_make_set(struct earley_sets *sets)
{
	if (!sets->share)
		return make_set(sets);
	uint64_t hash = hash_built(&sets->build);
	struct earley_set *set = sets->table[hash & sets->mask];
	while (set && !equals_built(set, &sets->build, hash))
		set = set->next;
	if (set) {
		earley_set_hold(set);
		return set;
	}
	set = make_set(sets);
	set->hash = hash;
	set->next = sets->table[hash & sets->mask];
	sets->table[hash & sets->mask] = set;
	if (sets->count > sets->mask)
		grow_table(sets);
	return set;
}

struct earley_set *earley_set_first(struct earley_sets *sets)
{
	earley_build_items(&sets->build, NULL, 0, NULL);
	return find_or_make_set(sets);
}

struct earley_set *earley_set_next(struct earley_sets *sets, struct earley_set *set,
				   uint32_t terminal, struct tree *leaf)
{
	struct earley_set_move *move = NULL;
	if (sets->share) {
		move = &sets->cache[hash_mix(set->number, terminal) >> 32 & (CACHE_SIZE - 1)];
		if (move->from == set->number && move->terminal == terminal) {
			earley_set_hold(move->to);
			return move->to;
		}
	}
	earley_build_items(&sets->build, set, terminal, leaf);
	if (!sets->build.items.count && !sets->build.complete)
		return NULL;
	struct earley_set *next = find_or_make_set(sets);
	if (move) {
		earley_set_hold(next);
		if (move->to)
			earley_set_drop(sets, move->to);
		*move = (struct earley_set_move){ set->number, next, terminal };
	}
	return next;
}
