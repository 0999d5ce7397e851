/*
 * Reports patterns that are meaningless or cannot match: operators that are not allowed under `!`
 * or `||`, and regions that do not begin and end together. These are errors rather than warnings: a
 * pattern that can never match by mistake would make every program look correct.
 */
#include "spec/check.h"
#include "spec/spelling.h"

#define MOST_NAMES 64u /* threads or regions in one pattern; the checks loop over all of them */

struct check_pattern_checker {
	const struct spec_file *file;
	const struct spec_formula *formula;
	struct spec_messages *messages;
	uint32_t region_thread[MOST_NAMES];
};

#define COMPLAIN(c, place, ...)                                                                    \
	spec_report((c)->file, (c)->messages, SPEC_ERROR, (place), __VA_ARGS__)

/*
 * ---- parts under ! ----------------------------------------------------------------------------
 */

/* Does the pattern require one event to come before another? */
static bool has_order(const struct spec_pattern *p)
{
	if (p->kind == SPEC_SEQUENCE)
		return true; /* a sequence has at least two parts */
	for (const struct spec_pattern *part = p->parts; part; part = part->next)
		if (has_order(part))
			return true;
	return false;
}

static const char *operator_sign(uint8_t kind)
{
	switch (kind) {
	case SPEC_STAR: return "*";
	case SPEC_PLUS: return "+";
	case SPEC_MAYBE: return "?";
	case SPEC_EITHER: return "|";
	case SPEC_PARALLEL: return "||";
	default: return NULL;
	}
}

static void check_inverted(struct check_pattern_checker *c, const struct spec_pattern *p)
{
	for (; p; p = p->next) {
		if (operator_sign(p->kind))
			COMPLAIN(c, p->place,
				 "'%s' is not allowed under '!', which negates the order of single "
				 "events",
				 operator_sign(p->kind));
		else
			check_inverted(c, p->parts);
	}
}

/* ---- members of || --------------------------------------------------------------------------- */

/*
 * Records the threads of a member's leaves in `taken`, and reports a thread that another member
 * uses, too.
 */
static void check_member(struct check_pattern_checker *c, const struct spec_pattern *p,
			 uint32_t *taken, uint32_t member)
{
	if (p->kind == SPEC_EITHER) {
		for (const struct spec_pattern *part = p->parts; part; part = part->next)
			check_member(c, part, taken, member);
		return;
	}
	if (p->kind != SPEC_LEAF) {
		COMPLAIN(c, p->place,
			 "a member of '||' must be one event or a choice of events: (a(t1) | "
			 "b(t1)) || c(t2)");
		return;
	}
	if (p->thread == SPEC_NONE)
		return;
	if (taken[p->thread] && taken[p->thread] != member)
		COMPLAIN(c, p->place,
			 "the members of '||' must be in different threads, but two are in '%s'",
			 c->formula->threads[p->thread]);
	taken[p->thread] = member;
}

static void check_parallel(struct check_pattern_checker *c, const struct spec_pattern *p)
{
	uint32_t taken[MOST_NAMES] = { 0 }, member = 0;

	for (const struct spec_pattern *part = p->parts; part; part = part->next)
		check_member(c, part, taken, ++member);
}

static void check_shape(struct check_pattern_checker *c, const struct spec_pattern *p)
{
	for (; p; p = p->next) {
		if (p->kind == SPEC_PARALLEL) {
			check_parallel(c, p);
			continue;
		}
		if (p->kind == SPEC_INVERTED) {
			unsigned before = c->messages->errors;

			check_inverted(c, p->parts);
			if (before == c->messages->errors && !has_order(p->parts))
				COMPLAIN(c, p->place,
					 "'!' needs a sequence of at least two events to negate");
			continue;
		}
		check_shape(c, p->parts);
	}
}

/* ---- regions --------------------------------------------------------------------------------- */

/*
 * How many times a part of the pattern begins and ends a region. The numbers must not depend on
 * which alternatives are chosen: `differ` is set if they do. Alternatives that begin and end the
 * region equally often count as zero when alternatives are compared.
 */
struct region_marks {
	unsigned begins, ends;
	bool differ;
	const struct spec_pattern *first; /* the first leaf that begins or ends the region */
};

static struct region_marks count_marks(const struct spec_pattern *p, uint32_t region);

static bool is_balanced(const struct region_marks *count)
{
	return count->begins == count->ends;
}

static struct region_marks count_marks_in_parts(const struct spec_pattern *p, uint32_t region)
{
	struct region_marks all = { 0 };

	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		struct region_marks one = count_marks(part, region);

		all.begins += one.begins;
		all.ends += one.ends;
		all.differ |= one.differ;
		all.first = all.first ? all.first : one.first;
	}
	return all;
}

static struct region_marks count_marks_in_alternatives(const struct spec_pattern *p,
						       uint32_t region)
{
	struct region_marks all = count_marks(p->parts, region);

	for (const struct spec_pattern *part = p->parts->next; part; part = part->next) {
		struct region_marks one = count_marks(part, region);

		all.differ |=
			one.differ || is_balanced(&one) != is_balanced(&all) ||
			(!is_balanced(&one) && (one.begins != all.begins || one.ends != all.ends));
		all.first = all.first ? all.first : one.first;
	}
	if (is_balanced(&all))
		all.begins = all.ends = 0;
	return all;
}

static struct region_marks count_marks(const struct spec_pattern *p, uint32_t region)
{
	struct region_marks count = { 0 };

	switch (p->kind) {
	case SPEC_LEAF:
		count.begins = p->begins == region;
		count.ends = p->ends == region;
		count.first = count.begins || count.ends ? p : NULL;
		return count;
	case SPEC_EITHER: return count_marks_in_alternatives(p, region);
	case SPEC_STAR:
	/* the part may match nothing, so it must not contain only one end of the region */
	case SPEC_MAYBE:
		count = count_marks_in_parts(p, region);
		count.differ |= !is_balanced(&count);
		count.begins = count.ends = 0;
		return count;
	default: return count_marks_in_parts(p, region);
	}
}

static bool marks_region(const struct spec_pattern *p, uint32_t region, bool ends)
{
	if (p->kind == SPEC_LEAF)
		return (ends ? p->ends : p->begins) == region;
	for (const struct spec_pattern *part = p->parts; part; part = part->next)
		if (marks_region(part, region, ends))
			return true;
	return false;
}

static const struct spec_pattern *find_end_before_begin(const struct spec_pattern *p,
							uint32_t region);

/*
 * If every alternative ends the region before it begins it, returns the part of the last
 * alternative that does so; otherwise NULL. One alternative in the right order is enough, because
 * an alternative that never matches may be there only to mark the region.
 */
static const struct spec_pattern *find_in_all_alternatives(const struct spec_pattern *p,
							   uint32_t region)
{
	const struct spec_pattern *found = NULL;

	for (const struct spec_pattern *part = p->parts; part; part = part->next)
		if (!(found = find_end_before_begin(part, region)))
			return NULL;
	return found;
}

/* Returns the part that must end the region before another part begins it, or NULL. */
static const struct spec_pattern *find_end_before_begin(const struct spec_pattern *p,
							uint32_t region)
{
	const struct spec_pattern *ended = NULL;

	if (p->kind == SPEC_INVERTED)
		return NULL;
	if (p->kind == SPEC_EITHER)
		return find_in_all_alternatives(p, region);
	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		if (ended && marks_region(part, region, false))
			return ended;
		if (p->kind == SPEC_SEQUENCE && !ended && marks_region(part, region, true))
			ended = part;
		const struct spec_pattern *below = find_end_before_begin(part, region);
		if (below)
			return below;
	}
	return NULL;
}

static void suggest_region(struct check_pattern_checker *c, uint32_t region, struct spelling *near)
{
	spelling_start(near, c->formula->regions[region]);
	for (uint32_t i = 0; i < c->formula->region_count; i++)
		if (i != region)
			spelling_try(near, c->formula->regions[i]);
}

static void check_region(struct check_pattern_checker *c, uint32_t region)
{
	struct region_marks count = count_marks(c->formula->pattern, region);
	const char *name = c->formula->regions[region];
	struct spec_location place;
	struct spelling near;

	/*
	 * The region has no leaf if a part of the pattern was cut off because it was nested too
	 * deeply. That has been reported.
	 */
	if (!count.first)
		return;
	place = count.first->place;
	suggest_region(c, region, &near);
	struct spelling_hint hint = spelling_hint(near.best);
	if (count.differ)
		COMPLAIN(c, place,
			 "the region '%s' begins or ends in some alternatives but not in others",
			 name);
	else if (count.begins && !count.ends)
		COMPLAIN(c, place, "the region '%s' begins but never ends%s", name, hint.text);
	else if (count.ends && !count.begins)
		COMPLAIN(c, place, "the region '%s' ends but never begins%s", name, hint.text);
	else if (count.begins > 1 || count.ends > 1)
		COMPLAIN(c, place,
			 "the region '%s' begins or ends more than once; give different regions "
			 "different names",
			 name);
	else if (find_end_before_begin(c->formula->pattern, region))
		COMPLAIN(c, find_end_before_begin(c->formula->pattern, region)->place,
			 "the region '%s' ends here, before it begins", name);
}

/* Reports a region whose beginning and end are in different threads. */
static void check_region_thread(struct check_pattern_checker *c, const struct spec_pattern *leaf,
				uint32_t region)
{
	if (region == SPEC_NONE || leaf->thread == SPEC_NONE)
		return;
	uint32_t *thread = &c->region_thread[region];
	if (*thread == SPEC_NONE)
		*thread = leaf->thread;
	else if (*thread != leaf->thread)
		COMPLAIN(c, leaf->place,
			 "the region '%s' must be in one thread, but it is in '%s' and '%s'",
			 c->formula->regions[region], c->formula->threads[*thread],
			 c->formula->threads[leaf->thread]);
}

static void check_leaves(struct check_pattern_checker *c, const struct spec_pattern *p)
{
	for (; p; p = p->next) {
		check_leaves(c, p->parts);
		if (p->kind != SPEC_LEAF)
			continue;
		check_region_thread(c, p, p->begins);
		check_region_thread(c, p, p->ends);
		if (p->begins != SPEC_NONE && p->begins == p->ends)
			COMPLAIN(c, p->place, "one event cannot both begin and end a region");
	}
}

/* Can the pattern match no events at all? */
static bool may_be_empty(const struct spec_pattern *p)
{
	bool any = false, all = true;

	if (p->kind == SPEC_LEAF || p->kind == SPEC_INVERTED)
		return false;
	if (p->kind == SPEC_STAR || p->kind == SPEC_MAYBE)
		return true;
	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		bool empty = may_be_empty(part);

		any |= empty;
		all &= empty;
	}
	return p->kind == SPEC_EITHER ? any : all;
}

void check_pattern(const struct spec_file *file, const struct spec_formula *formula,
		   struct spec_messages *messages)
{
	struct check_pattern_checker c = { .file = file, .formula = formula, .messages = messages };

	if (formula->thread_count > MOST_NAMES || formula->region_count > MOST_NAMES) {
		COMPLAIN(&c, formula->place, "a pattern can have at most %u threads and %u regions",
			 MOST_NAMES, MOST_NAMES);
		return;
	}
	check_shape(&c, formula->pattern);
	if (may_be_empty(formula->pattern))
		COMPLAIN(&c, formula->pattern->place, "this pattern matches without any event");
	for (uint32_t i = 0; i < formula->region_count; i++)
		c.region_thread[i] = SPEC_NONE;
	check_leaves(&c, formula->pattern);
	for (uint32_t i = 0; i < formula->region_count; i++)
		check_region(&c, i);
}
