/*
 * Exhaustive parsing. For each production and each position of the session, finds where a word of
 * the production that starts there may end. Goes through the positions from the last to the first,
 * and repeats the search at each position until nothing changes. From these sets follows whether
 * the session is in the language, whether it is a prefix of a word, and its parse tree, which must
 * be unique if there is Lua code to run.
 */
#include "check/grammar_check.h"

#include "base/mem.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

struct chart {
	struct grammar_check *s;
	/* positions are 0 … count; `words` is the size of a set of positions */
	size_t positions, words;
	uint64_t *ends; /* [production][position]: a set */
	/*
	 * [production][position]: can a word of the production begin with the rest of the session?
	 */
	uint8_t *begins;
	bool runs; /* also run the code; otherwise only check that the tree is unique */
	struct err *err;
};

static bool has_position(const uint64_t *set, size_t position)
{
	return set[position / 64] >> position % 64 & 1;
}

static void add_position(uint64_t *set, size_t position)
{
	set[position / 64] |= 1ull << position % 64;
}

static uint64_t *ends_of(const struct chart *c, uint32_t production, size_t position)
{
	return c->ends + ((size_t)production * c->positions + position) * c->words;
}

static bool is_symbol(const struct grammar_check_part *part)
{
	return part->kind == SPEC_ITEM_EVENT || part->kind == SPEC_ITEM_PRODUCTION;
}

/*
 * Sets `to`, which is empty before, to the positions where a symbol may end if it starts at a
 * position in `from`.
 */
static void find_ends(const struct chart *c, const struct grammar_check_part *part,
		      const uint64_t *from, uint64_t *to)
{
	for (size_t position = 0; position < c->positions; position++) {
		if (!has_position(from, position))
			continue;
		if (part->kind == SPEC_ITEM_PRODUCTION) {
			const uint64_t *ends = ends_of(c, part->number, position);

			for (size_t i = 0; i < c->words; i++)
				to[i] |= ends[i];
		} else if (position < c->s->count && c->s->tokens[position].event == part->number) {
			add_position(to, position + 1);
		}
	}
}

/*
 * Is there a position in the set from which the rest of the session is a prefix of a word of the
 * symbol?
 */
static bool may_continue(const struct chart *c, const struct grammar_check_part *part,
			 const uint64_t *from)
{
	for (size_t position = 0; position < c->positions; position++) {
		if (!has_position(from, position))
			continue;
		if (part->kind == SPEC_ITEM_EVENT
			    ? position == c->s->count
			    : c->begins[part->number * c->positions + position])
			return true;
	}
	return false;
}

/* Tries one alternative at one position. Returns true if something is new. */
static bool try_choice(struct chart *c, const struct grammar_check_choice *choice, size_t position)
{
	uint64_t *from = mem_zalloc(c->words, sizeof *from), *to, *swap;
	uint64_t *ends = ends_of(c, choice->production, position);
	uint8_t *begins = &c->begins[choice->production * c->positions + position];
	bool grew = false;

	to = mem_zalloc(c->words, sizeof *to);
	add_position(from, position);
	for (size_t i = 0; i < choice->parts.count; i++) {
		const struct grammar_check_part *part = &choice->parts.items[i];

		if (!is_symbol(part))
			continue;
		if (!*begins && may_continue(c, part, from)) {
			*begins = 1;
			grew = true;
		}
		memset(to, 0, c->words * sizeof *to);
		find_ends(c, part, from, to);
		swap = from;
		from = to;
		to = swap;
	}
	if (!*begins && has_position(from, c->s->count)) {
		*begins = 1;
		grew = true;
	}
	for (size_t i = 0; i < c->words; i++) {
		grew |= (from[i] & ~ends[i]) != 0;
		ends[i] |= from[i];
	}
	free(from);
	free(to);
	return grew;
}

static void fill_chart(struct chart *c)
{
	const struct grammar_check *s = c->s;

	for (size_t position = c->positions; position--;) {
		for (bool more = true; more;) {
			more = false;
			for (size_t i = 0; i < s->choices.count; i++) {
				if (s->choices.items[i].production != GRAMMAR_CHECK_NONE)
					more |= try_choice(c, &s->choices.items[i], position);
			}
		}
	}
}

/* ---- the parse tree -------------------------------------------------------------------------- */

/* A node: a production, its range of positions, and the attribute table of its symbol. */
struct grammar_check_chart_node {
	uint32_t production;
	size_t from, to;
	int left;
};

/*
 * Returns parts + 1 sets of positions. Set i: from which positions can the parts from i on reach
 * the end of the node?
 */
static uint64_t *find_reaching_positions(const struct chart *c,
					 const struct grammar_check_choice *choice, size_t to)
{
	uint64_t *sets = mem_zalloc((choice->parts.count + 1) * c->words, sizeof *sets);

	add_position(sets + choice->parts.count * c->words, to);
	for (size_t i = choice->parts.count; i--;) {
		const struct grammar_check_part *part = &choice->parts.items[i];
		uint64_t *here = sets + i * c->words, *after = here + c->words;

		if (!is_symbol(part)) {
			memcpy(here, after, c->words * sizeof *here);
			continue;
		}
		for (size_t position = 0; position <= to; position++) {
			bool ok = false;

			if (part->kind == SPEC_ITEM_EVENT) {
				ok = position < to &&
				     c->s->tokens[position].event == part->number &&
				     has_position(after, position + 1);
			} else {
				const uint64_t *ends = ends_of(c, part->number, position);

				for (size_t k = 0; k < c->words && !ok; k++)
					ok = (ends[k] & after[k]) != 0;
			}
			if (ok)
				add_position(here, position);
		}
	}
	return sets;
}

/* Returns the only position where the symbol can end; SIZE_MAX if there is none or several. */
static size_t find_only_end(const struct chart *c, const struct grammar_check_part *part,
			    size_t position, const uint64_t *after)
{
	const uint64_t *ends;
	size_t found = SIZE_MAX;

	if (part->kind == SPEC_ITEM_EVENT)
		return position + 1;
	ends = ends_of(c, part->number, position);
	for (size_t i = 0; i < c->positions; i++) {
		if (!has_position(ends, i) || !has_position(after, i))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

static enum grammar_check_verdict walk_node(struct chart *c,
					    const struct grammar_check_chart_node *node);

static enum grammar_check_verdict report_two_trees(struct chart *c,
						   const struct grammar_check_chart_node *node)
{
	err_set(c->err, "'%s' has two parse trees for one word",
		c->s->grammar->productions[node->production].name);
	return GRAMMAR_CHECK_BROKEN;
}

/* Walks the parts of the only alternative, from left to right. */
static enum grammar_check_verdict walk_parts(struct chart *c,
					     const struct grammar_check_chart_node *node,
					     const struct grammar_check_choice *choice,
					     const uint64_t *sets)
{
	struct grammar_check *s = c->s;
	int frame = c->runs ? grammar_check_frame(s, choice, node->left) : LUA_NOREF;
	enum grammar_check_verdict verdict = GRAMMAR_CHECK_GOOD;
	size_t position = node->from;

	for (size_t i = 0; i < choice->parts.count && verdict == GRAMMAR_CHECK_GOOD; i++) {
		const struct grammar_check_part *part = &choice->parts.items[i];
		struct grammar_check_chart_node child = { part->number, position, 0, LUA_NOREF };

		if (!is_symbol(part)) {
			if (c->runs)
				verdict = grammar_check_run(s, choice, part, frame, c->err);
			continue;
		}
		child.to = find_only_end(c, part, position, sets + (i + 1) * c->words);
		if (child.to == SIZE_MAX) {
			verdict = report_two_trees(c, node);
			break;
		}
		if (part->kind == SPEC_ITEM_PRODUCTION) {
			if (c->runs)
				child.left = grammar_check_take_slot(s, frame, part->slot);
			verdict = walk_node(c, &child);
			grammar_check_frame_free(s, child.left);
		} else if (c->runs) {
			grammar_check_put_token(s, frame, part->slot, &s->tokens[position]);
		}
		position = child.to;
	}
	grammar_check_frame_free(s, frame);
	return verdict;
}

static enum grammar_check_verdict walk_node(struct chart *c,
					    const struct grammar_check_chart_node *node)
{
	const struct grammar_check *s = c->s;
	const struct grammar_check_choice *chosen = NULL;
	uint64_t *sets = NULL;
	enum grammar_check_verdict verdict;

	for (uint32_t i = s->first[node->production]; i < s->first[node->production + 1]; i++) {
		uint64_t *tried;

		if (s->choices.items[i].production == GRAMMAR_CHECK_NONE)
			continue;
		tried = find_reaching_positions(c, &s->choices.items[i], node->to);
		if (!has_position(tried, node->from)) {
			free(tried);
			continue;
		}
		if (chosen) {
			free(tried);
			free(sets);
			return report_two_trees(c, node);
		}
		chosen = &s->choices.items[i];
		sets = tried;
	}
	verdict = walk_parts(c, node, chosen, sets);
	free(sets);
	return verdict;
}

/*
 * Walks the tree twice, the first time without running code: a word with two trees has no verdict,
 * not even that of one of its trees.
 */
static enum grammar_check_verdict walk_twice(struct chart *c)
{
	struct grammar_check_chart_node root = { 0, 0, c->s->count, c->s->root };
	enum grammar_check_verdict verdict = walk_node(c, &root);

	c->runs = true;
	return verdict == GRAMMAR_CHECK_GOOD ? walk_node(c, &root) : verdict;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

struct grammar_check_result grammar_check_chart(struct grammar_check *s, bool complete,
						struct err *err)
{
	struct chart c = { .s = s, .positions = s->count + 1, .err = err };
	struct grammar_check_result result = { GRAMMAR_CHECK_GOOD, s->count ? s->count - 1 : 0 };

	if (s->count > GRAMMAR_CHECK_CHART) {
		err_set(err, "a session of %zu events is too long for exhaustive parsing",
			s->count);
		return (struct grammar_check_result){ GRAMMAR_CHECK_BROKEN, 0 };
	}
	c.words = (c.positions + 63) / 64;
	c.ends = mem_zalloc(s->grammar->production_count * c.positions * c.words + 1,
			    sizeof *c.ends);
	c.begins = mem_zalloc(s->grammar->production_count * c.positions + 1, 1);
	fill_chart(&c);
	if (!c.begins[0] || (complete && !has_position(ends_of(&c, 0, 0), s->count)))
		result.verdict = GRAMMAR_CHECK_WRONG;
	else if (complete && s->has_code)
		result.verdict = walk_twice(&c);
	free(c.ends);
	free(c.begins);
	return result;
}
