/*
 * The search itself: variables and their hash table, assignments, watched literals, propagation and
 * restarts. cdcl_learn.c analyses conflicts, cdcl_state.c chooses decisions.
 */
#include "order/solver/cdcl.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

static int value_of(const struct cdcl *c, int32_t literal)
{
	int value = cdcl_variable_of(c, literal)->value;

	return literal > 0 ? value : -value;
}

/* Ignores assigned literals: those assigned without a decision may not hold in the order yet. */
bool cdcl_is_new(const struct cdcl *c, const int32_t *literals, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (literals[i] == CDCL_TRUE ||
		    (literals[i] != CDCL_FALSE && !cdcl_variable_of(c, literals[i])->value &&
		     cdcl_holds(c, literals[i])))
			return false;
	return true;
}

/* ---- variables ------------------------------------------------------------------------------- */

static int32_t add_variable(struct cdcl *c, uint32_t before, uint32_t after)
{
	uint32_t number = (uint32_t)c->variables.count;

	*vec_push(&c->variables) = (struct cdcl_variable){
		.before = before, .after = after, .reason = ORDER_NONE, .phase = -1
	};
	if (number >= c->watch_room) {
		size_t old = 2 * (size_t)c->watch_room, new = 4 * (size_t)number;

		c->watches = mem_resize(c->watches, new, sizeof *c->watches);
		c->supported = mem_resize(c->supported, new, sizeof *c->supported);
		memset(c->watches + old, 0, (new - old) * sizeof *c->watches);
		memset(c->supported + old, 0, (new - old) * sizeof *c->supported);
		c->watch_room = number * 2;
	}
	c->watches[2 * number].count = c->watches[2 * number + 1].count = 0;
	c->supported[2 * number].count = c->supported[2 * number + 1].count = 0;
	return (int32_t)number;
}

static uint32_t slot_of(const struct cdcl *c, uint64_t nodes)
{
	return (uint32_t)(nodes * HASH_GOLDEN >> 32) & c->slot_mask;
}

static void grow_slots(struct cdcl *c)
{
	struct cdcl_slot *old = c->slots;
	uint32_t room = old ? c->slot_mask + 1 : 0;

	c->slot_mask = room ? room * 2 - 1 : 1023;
	c->slots = mem_zalloc((size_t)c->slot_mask + 1, sizeof *c->slots);
	for (uint32_t i = 0; i < room; i++) {
		uint32_t h = slot_of(c, old[i].nodes);

		if (old[i].epoch != c->epoch)
			continue;
		while (c->slots[h].epoch == c->epoch)
			h = (h + 1) & c->slot_mask;
		c->slots[h] = old[i];
	}
	free(old);
}

int32_t cdcl_before(struct cdcl *c, uint32_t a, uint32_t b)
{
	uint64_t nodes = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	uint32_t h;

	assert(a != b);
	if (c->slot_count * 2 > c->slot_mask)
		grow_slots(c);
	h = slot_of(c, nodes);
	while (c->slots[h].epoch == c->epoch && c->slots[h].nodes != nodes)
		h = (h + 1) & c->slot_mask;
	if (c->slots[h].epoch != c->epoch) {
		int32_t v = add_variable(c, a < b ? a : b, a < b ? b : a);

		c->variables.items[v].is_order = true;
		c->variables.items[v].state =
			topo_order_before(c->total, a < b ? a : b, a < b ? b : a);
		*vec_push(&c->atoms_of[a]) = (uint32_t)v;
		*vec_push(&c->atoms_of[b]) = (uint32_t)v;
		c->slots[h] = (struct cdcl_slot){ nodes, c->epoch, (uint32_t)v };
		c->slot_count++;
	}
	return a < b ? (int32_t)c->slots[h].variable : -(int32_t)c->slots[h].variable;
}

int32_t cdcl_boolean(struct cdcl *c, uint32_t a, uint32_t b, bool preferred)
{
	int32_t v = add_variable(c, a, b);

	c->variables.items[v].preferred = preferred;
	return v;
}

/* ---- assignments ----------------------------------------------------------------------------- */

static void assign(struct cdcl *c, int32_t literal, uint32_t reason)
{
	struct cdcl_variable *v = cdcl_variable_of(c, literal);

	v->value = literal > 0 ? 1 : -1;
	v->level = (uint32_t)c->levels.count;
	v->reason = reason;
	*vec_push(&c->trail) = literal;
	if (!v->is_order)
		*vec_push(&c->changed) = (uint32_t)(v - c->variables.items);
}

static void backtrack(struct cdcl *c, uint32_t level)
{
	size_t start;

	if (c->levels.count <= level)
		return;
	start = c->levels.items[level];
	while (c->trail.count > start) {
		struct cdcl_variable *v = cdcl_variable_of(c, c->trail.items[--c->trail.count]);

		if (v->is_order && c->trail.count < c->ordered)
			topo_order_remove_last(c->total);
		v->phase = v->value;
		v->value = 0;
	}
	c->levels.count = level;
	c->propagated = start;
	if (c->ordered > start)
		c->ordered = start;
}

void cdcl_undo_all(struct cdcl *c)
{
	backtrack(c, 0);
}

static void add_watch(struct cdcl *c, int32_t literal, uint32_t clause, int32_t other)
{
	*vec_push(&c->watches[cdcl_watch_of(literal)]) = (struct cdcl_watch){ clause, other };
}

static uint32_t add_clause(struct cdcl *c, const int32_t *literals, size_t count, int32_t glue)
{
	uint32_t clause = (uint32_t)c->arena.count;
	int32_t *room = vec_reserve(&c->arena, count + CDCL_LITERALS);

	assert(count >= 2);
	room[CDCL_SIZE] = (int32_t)count;
	room[CDCL_GLUE] = glue;
	memcpy(room + CDCL_LITERALS, literals, count * sizeof *room);
	c->arena.count += count + CDCL_LITERALS;
	add_watch(c, literals[0], clause, literals[1]);
	add_watch(c, literals[1], clause, literals[0]);
	return clause;
}

/* Finds another literal to watch. Returns false if there is none. */
static bool move_watch(struct cdcl *c, uint32_t clause, int32_t *literals, size_t size)
{
	for (size_t i = 2; i < size; i++)
		if (value_of(c, literals[i]) >= 0) {
			int32_t found = literals[i];

			literals[i] = literals[1];
			literals[1] = found;
			add_watch(c, found, clause, literals[0]);
			return true;
		}
	return false;
}

/* Propagates that a literal has become false. Returns the violated clause or ORDER_NONE. */
static uint32_t propagate_false(struct cdcl *c, int32_t literal)
{
	cdcl_watches *list = &c->watches[cdcl_watch_of(literal)];
	size_t kept = 0, i = 0;
	uint32_t violated = ORDER_NONE;

	while (i < list->count) {
		struct cdcl_watch w = list->items[i++];
		int32_t *clause = c->arena.items + w.clause, *literals = clause + CDCL_LITERALS;

		c->steps++;
		if (value_of(c, w.other) > 0) {
			list->items[kept++] = w;
			continue;
		}
		if (clause[CDCL_SIZE] == 0)
			continue; /* a learned clause that was forgotten */
		if (literals[0] == literal) {
			literals[0] = literals[1];
			literals[1] = literal;
		}
		w.other = literals[0];
		if (value_of(c, w.other) <= 0 &&
		    move_watch(c, w.clause, literals, (size_t)clause[CDCL_SIZE]))
			continue;
		list->items[kept++] = w;
		if (value_of(c, w.other) < 0) {
			violated = w.clause;
			break;
		}
		if (value_of(c, w.other) == 0)
			assign(c, w.other, w.clause);
	}
	while (i < list->count)
		list->items[kept++] = list->items[i++];
	list->count = kept;
	return violated;
}

/*
 * Adds the next order literal of the trail as an edge. Returns false if the edge closes a cycle.
 * Then at least one literal of `conflict` must be true.
 */
static bool propagate_order(struct cdcl *c)
{
	int32_t literal = c->trail.items[c->ordered];
	const struct cdcl_variable *v = cdcl_variable_of(c, literal);
	uint64_t moves = c->total->moves;
	bool good = true;

	if (v->is_order)
		good = topo_order_add(c->total, literal > 0 ? v->before : v->after,
				      literal > 0 ? v->after : v->before, literal);
	c->steps += 1 + (c->total->moves - moves);
	if (good) {
		c->ordered++;
		return true;
	}
	c->conflict.count = 0;
	*vec_push(&c->conflict) = -literal;
	for (size_t i = 0; i < c->total->reasons.count; i++)
		*vec_push(&c->conflict) = -c->total->reasons.items[i];
	return false;
}

/* Returns false on a conflict: all literals of `conflict` are false, but one must be true. */
static bool propagate(struct cdcl *c)
{
	for (;;) {
		if (c->propagated < c->trail.count) {
			uint32_t v = propagate_false(c, -c->trail.items[c->propagated++]);

			if (v != ORDER_NONE) {
				const int32_t *clause = c->arena.items + v;

				c->conflict.count = 0;
				for (int32_t i = 0; i < clause[CDCL_SIZE]; i++)
					*vec_push(&c->conflict) = clause[CDCL_LITERALS + i];
				return false;
			}
		} else if (c->ordered < c->trail.count) {
			if (!propagate_order(c))
				return false;
		} else {
			return true;
		}
	}
}

/* ---- learning -------------------------------------------------------------------------------- */

static void learn_from_conflict(struct cdcl *c)
{
	uint32_t level = 0;
	int32_t glue;

	/* The current level may have no part in the conflict, if the clause was added late. */
	for (size_t i = 0; i < c->conflict.count; i++) {
		uint32_t l = cdcl_variable_of(c, c->conflict.items[i])->level;

		level = l > level ? l : level;
	}
	if (level == 0) {
		c->contradiction = true;
		return;
	}
	backtrack(c, level);
	level = cdcl_analyse_conflict(c, &glue);
	backtrack(c, level);
	c->bump *= 1.05;
	c->steps += c->derived.count;
	if (c->derived.count == 1) {
		assign(c, c->derived.items[0], ORDER_NONE);
	} else {
		uint32_t clause = add_clause(c, c->derived.items, c->derived.count, glue);

		*vec_push(&c->learned) = clause;
		assign(c, c->derived.items[0], clause);
	}
}

/* ---- clauses of the problem ------------------------------------------------------------------ */

void cdcl_add(struct cdcl *c, int32_t *literals, size_t count)
{
	size_t kept = 0;
	bool holds = false;

	backtrack(c, 0);
	if (c->contradiction)
		return;
	for (size_t i = 0; i < count && !holds; i++) {
		int32_t l = literals[i];

		if (l == CDCL_FALSE || (l != CDCL_TRUE && value_of(c, l) < 0))
			continue;
		holds = l == CDCL_TRUE || value_of(c, l) > 0;
		if (holds || cdcl_variable_of(c, l)->seen) {
			for (size_t k = 0; k < kept; k++)
				holds |= literals[k] == -l;
			continue;
		}
		cdcl_variable_of(c, l)->seen = true;
		literals[kept++] = l;
	}
	for (size_t k = 0; k < kept; k++)
		cdcl_variable_of(c, literals[k])->seen = false;
	c->steps += count;
	if (holds)
		return;
	if (kept == 0)
		c->contradiction = true;
	else if (kept == 1)
		assign(c, literals[0], ORDER_NONE);
	else
		*vec_push(&c->violated) = add_clause(c, literals, kept, 0);
}

/* The restart sequence 1 1 2 1 1 2 4 … of Luby, Sinclair & Zuckerman. */
static uint64_t luby(uint64_t i)
{
	uint64_t size = 1;

	for (i++; size < i + 1;)
		size = size * 2 + 1;
	while (size != i) {
		size /= 2;
		if (i > size)
			i -= size;
	}
	return (size + 1) / 2;
}

enum cdcl_result cdcl_search(struct cdcl *c)
{
	while (!c->contradiction) {
		int32_t literal;

		if (c->limit && c->steps > c->limit)
			return CDCL_OUT_OF_BUDGET;
		if (c->pause && c->conflicts >= c->pause)
			return CDCL_PAUSED;
		if (!propagate(c)) {
			c->conflicts++;
			learn_from_conflict(c);
			if (c->until_restart-- == 0) {
				backtrack(c, 0);
				c->until_restart = 100 * luby(c->restarts++);
				if (c->learned.count > c->learned_limit)
					cdcl_forget_learned(c);
			}
			continue;
		}
		literal = cdcl_pick_literal(c);
		if (!literal)
			return CDCL_SETTLED;
		c->decisions++;
		*vec_push(&c->levels) = (uint32_t)c->trail.count;
		assign(c, literal, ORDER_NONE);
	}
	return CDCL_CONTRADICTION;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

void cdcl_make(struct cdcl *c, struct topo_order *total)
{
	*c = (struct cdcl){ .total = total };
	c->atoms_of = mem_zalloc((size_t)total->cut + 1, sizeof *c->atoms_of);
	grow_slots(c);
}

void cdcl_reset(struct cdcl *c)
{
	for (size_t i = 1; i < c->variables.count; i++)
		if (c->variables.items[i].is_order) {
			c->atoms_of[c->variables.items[i].before].count = 0;
			c->atoms_of[c->variables.items[i].after].count = 0;
		}
	c->epoch++;
	c->slot_count = 0;
	c->variables.count = 0;
	*vec_push(&c->variables) = (struct cdcl_variable){ 0 };
	c->arena.count = c->learned.count = 0;
	c->violated.count = c->changed.count = 0;
	c->trail.count = c->levels.count = 0;
	c->propagated = c->ordered = 0;
	c->learned_limit = 2000;
	c->bump = 1;
	c->contradiction = false;
	c->restarts = 1;
	c->until_restart = 100;
}

void cdcl_free(struct cdcl *c)
{
	for (size_t i = 0; i < 2 * (size_t)c->watch_room; i++) {
		vec_free(&c->watches[i]);
		vec_free(&c->supported[i]);
	}
	for (size_t i = 0; i <= c->total->cut; i++)
		vec_free(&c->atoms_of[i]);
	free(c->watches);
	free(c->supported);
	free(c->atoms_of);
	vec_free(&c->violated);
	vec_free(&c->changed);
	free(c->slots);
	vec_free(&c->variables);
	vec_free(&c->arena);
	vec_free(&c->learned);
	vec_free(&c->trail);
	vec_free(&c->levels);
	vec_free(&c->conflict);
	vec_free(&c->derived);
	vec_free(&c->scratch);
	vec_free(&c->seen);
}
