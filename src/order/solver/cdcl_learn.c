/* What a conflict teaches, and which lessons are kept. */
#include "order/solver/cdcl.h"

#include <assert.h>

static void bump(struct cdcl *c, struct cdcl_variable *v)
{
	v->activity += c->bump;
	if (v->activity < 1e100)
		return;
	for (size_t i = 1; i < c->variables.count; i++)
		c->variables.items[i].activity *= 1e-100;
	c->bump *= 1e-100;
}

/* Takes the literals of a clause into the lesson; returns how many are of the current level. */
static size_t digest(struct cdcl *c, const int32_t *literals, size_t count, int32_t implied)
{
	size_t here = 0;

	for (size_t i = 0; i < count; i++) {
		struct cdcl_variable *v = cdcl_variable_of(c, literals[i]);

		if (literals[i] == implied || v->seen || v->level == 0)
			continue;
		v->seen = true;
		*vec_push(&c->seen) = (uint32_t)(v - c->variables.items);
		bump(c, v);
		if (v->level == c->levels.count)
			here++;
		else
			*vec_push(&c->lesson) = literals[i];
	}
	return here;
}

/* A literal is superfluous if all that implied it is in the lesson, too. */
static bool is_superfluous(const struct cdcl *c, int32_t literal)
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

/* In how many levels the lesson's literals are (Audemard & Simon): few is good. */
static int32_t glue_of(struct cdcl *c)
{
	int32_t glue = 0;

	c->scratch.count = 0;
	for (size_t i = 0; i < c->lesson.count; i++) {
		int32_t level = (int32_t)cdcl_variable_of(c, c->lesson.items[i])->level;
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
 * From `conflict` to the lesson at the first unique implication point: lesson[0] is the literal
 * that follows once the others are false, lesson[1] one of the level to go back to.
 */
uint32_t cdcl_analyse(struct cdcl *c, int32_t *glue)
{
	size_t at = c->trail.count, open, kept = 1, deepest = 1;
	int32_t literal = 0;

	c->lesson.count = c->seen.count = 0;
	*vec_push(&c->lesson) = 0;
	open = digest(c, c->conflict.items, c->conflict.count, 0);
	assert(open > 0);
	for (;;) {
		const int32_t *clause;

		do
			literal = c->trail.items[--at];
		while (!cdcl_variable_of(c, literal)->seen);
		if (--open == 0)
			break;
		clause = c->arena.items + cdcl_variable_of(c, literal)->reason;
		open += digest(c, clause + CDCL_LITERALS, (size_t)clause[CDCL_SIZE], literal);
	}
	c->lesson.items[0] = -literal;
	for (size_t i = 1; i < c->lesson.count; i++)
		if (!is_superfluous(c, c->lesson.items[i]))
			c->lesson.items[kept++] = c->lesson.items[i];
	c->lesson.count = kept;
	for (size_t i = 0; i < c->seen.count; i++)
		c->variables.items[c->seen.items[i]].seen = false;
	*glue = glue_of(c);
	for (size_t i = 2; i < kept; i++)
		if (cdcl_variable_of(c, c->lesson.items[i])->level >
		    cdcl_variable_of(c, c->lesson.items[deepest])->level)
			deepest = i;
	if (kept == 1)
		return 0;
	literal = c->lesson.items[1];
	c->lesson.items[1] = c->lesson.items[deepest];
	c->lesson.items[deepest] = literal;
	return cdcl_variable_of(c, c->lesson.items[1])->level;
}

/* Forgets half of what was learned, the weakest first. Only without decisions: nothing is a reason. */
void cdcl_forget(struct cdcl *c)
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

		/* of the middling ones the younger half stays */
		if (clause[CDCL_GLUE] < bar ||
		    (clause[CDCL_GLUE] == bar && i * 2 > c->learned.count))
			c->learned.items[kept++] = c->learned.items[i];
		else
			clause[CDCL_SIZE] = 0;
	}
	c->learned.count = kept;
	c->learned_limit += c->learned_limit / 8;
}
