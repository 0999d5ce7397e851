/* Learns a clause from a conflict, and decides which learned clauses are kept. */
#include "order/solver/cdcl.h"

#include <assert.h>

static void bump_activity(struct cdcl *c, struct cdcl_variable *v)
{
	v->activity += c->bump;
	if (v->activity < 1e100)
		return;
	for (size_t i = 1; i < c->variables.count; i++)
		c->variables.items[i].activity *= 1e-100;
	c->bump *= 1e-100;
}

/* Adds a clause's literals to the learned clause. Returns how many are of the current level. */
static size_t add_to_derived(struct cdcl *c, const int32_t *literals, size_t count, int32_t implied)
{
	size_t here = 0;

	for (size_t i = 0; i < count; i++) {
		struct cdcl_variable *v = cdcl_variable_of(c, literals[i]);

		if (literals[i] == implied || v->seen || v->level == 0)
			continue;
		v->seen = true;
		*vec_push(&c->seen) = (uint32_t)(v - c->variables.items);
		bump_activity(c, v);
		if (v->level == c->levels.count)
			here++;
		else
			*vec_push(&c->derived) = literals[i];
	}
	return here;
}

/* A literal is redundant if all literals that implied it are in the learned clause, too. */
static bool is_redundant(const struct cdcl *c, int32_t literal)
{
	uint32_t reason = cdcl_variable_of(c, literal)->reason;
	const int32_t *clause;

	if (reason == ORDER_NONE)
		return false;
	clause = c->arena.items + reason;
	for (int32_t i = 0; i < clause[CDCL_SIZE]; i++) {
		const struct cdcl_variable *v = cdcl_variable_of(c, clause[CDCL_LITERALS + i]);

		if (clause[CDCL_LITERALS + i] != -literal && !v->seen && v->level > 0)
			return false;
	}
	return true;
}

/*
 * Returns the number of levels that the learned clause's literals come from (Audemard & Simon's
 * glue, at most 64). Clauses with small glue are the useful ones.
 */
static int32_t glue_of(struct cdcl *c)
{
	int32_t glue = 0;

	c->scratch.count = 0;
	for (size_t i = 0; i < c->derived.count; i++) {
		int32_t level = (int32_t)cdcl_variable_of(c, c->derived.items[i])->level;
		size_t k = 0;

		while (k < c->scratch.count && c->scratch.items[k] != level)
			k++;
		if (k < c->scratch.count)
			continue;
		*vec_push(&c->scratch) = level;
		if (++glue == 64)
			break;
	}
	return glue;
}

/*
 * Derives the learned clause at the first unique implication point of `conflict`. Its first literal
 * must be true if the others are false. Its second literal is of the level to go back to.
 */
uint32_t cdcl_analyse_conflict(struct cdcl *c, int32_t *glue)
{
	size_t at = c->trail.count, open, kept = 1, deepest = 1;
	int32_t literal = 0;

	c->derived.count = c->seen.count = 0;
	*vec_push(&c->derived) = 0;
	open = add_to_derived(c, c->conflict.items, c->conflict.count, 0);
	assert(open > 0);
	for (;;) {
		const int32_t *clause;

		do
			literal = c->trail.items[--at];
		while (!cdcl_variable_of(c, literal)->seen);
		if (--open == 0)
			break;
		clause = c->arena.items + cdcl_variable_of(c, literal)->reason;
		open += add_to_derived(c, clause + CDCL_LITERALS, (size_t)clause[CDCL_SIZE],
				       literal);
	}
	c->derived.items[0] = -literal;
	for (size_t i = 1; i < c->derived.count; i++)
		if (!is_redundant(c, c->derived.items[i]))
			c->derived.items[kept++] = c->derived.items[i];
	c->derived.count = kept;
	for (size_t i = 0; i < c->seen.count; i++)
		c->variables.items[c->seen.items[i]].seen = false;
	*glue = glue_of(c);
	for (size_t i = 2; i < kept; i++)
		if (cdcl_variable_of(c, c->derived.items[i])->level >
		    cdcl_variable_of(c, c->derived.items[deepest])->level)
			deepest = i;
	if (kept == 1)
		return 0;
	literal = c->derived.items[1];
	c->derived.items[1] = c->derived.items[deepest];
	c->derived.items[deepest] = literal;
	return cdcl_variable_of(c, c->derived.items[1])->level;
}

/*
 * Forgets half of the learned clauses, those with the largest glue first. Call it only when there
 * are no decisions, because then no clause is needed as a reason.
 */
void cdcl_forget_learned(struct cdcl *c)
{
	size_t kept = 0;
	int32_t bar = 3;
	size_t good[66] = { 0 }, sum = 0;

	for (size_t i = 0; i < c->learned.count; i++)
		good[c->arena.items[c->learned.items[i] + CDCL_GLUE]]++;
	for (bar = 1; bar < 65 && sum + good[bar] <= c->learned.count / 2; bar++)
		sum += good[bar];
	if (bar < 3)
		bar = 3;
	for (size_t i = 0; i < c->learned.count; i++) {
		int32_t *clause = c->arena.items + c->learned.items[i];

		/* Of the clauses with the limit's glue, those in the younger half of all stay. */
		if (clause[CDCL_GLUE] < bar ||
		    (clause[CDCL_GLUE] == bar && i * 2 > c->learned.count))
			c->learned.items[kept++] = c->learned.items[i];
		else
			clause[CDCL_SIZE] = 0;
	}
	c->learned.count = kept;
	c->learned_limit += c->learned_limit / 8;
}
