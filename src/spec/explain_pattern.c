/*
 * Prints a pattern as constraints on the order of its events (GPredict, section II.C;
 * doc/properties.md describes our variant). Leaves are numbered in source order.
 */
#include "spec/explain.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

struct leaf {
	const struct spec_pattern *pattern;
	/*
	 * The pattern requires no event after this one. False inside ||, where each member is the
	 * next event of its thread anyway.
	 */
	bool is_last;
};

struct listing {
	FILE *out;
	const struct spec_property *property;
	const struct spec_formula *formula;
	VEC(struct leaf) leaves;
	bool has_star, has_plus, has_parallel, has_maybe;
};

static void collect_leaves(struct listing *l, const struct spec_pattern *p, bool is_last)
{
	if (p->kind == SPEC_LEAF) {
		*vec_push(&l->leaves) = (struct leaf){ p, is_last };
		return;
	}
	l->has_star |= p->kind == SPEC_STAR;
	l->has_plus |= p->kind == SPEC_PLUS;
	l->has_parallel |= p->kind == SPEC_PARALLEL;
	l->has_maybe |= p->kind == SPEC_MAYBE;
	if (explain_is_left_out(p))
		return;
	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		bool followed = p->kind == SPEC_SEQUENCE && part->next;

		collect_leaves(l, part,
			       is_last && !followed && p->kind != SPEC_INVERTED &&
				       p->kind != SPEC_PARALLEL);
	}
}

/*
 * ---- order ------------------------------------------------------------------------------------
 */

/*
 * Prints the constraints of a pattern whose first leaf has the number `next`. Returns the number of
 * the leaf that follows the pattern. Leaves are visited in the order in which collect_leaves()
 * stored them.
 */
static unsigned print_constraint(struct listing *l, const struct spec_pattern *p, unsigned next);

static unsigned print_parts(struct listing *l, const struct spec_pattern *p, unsigned next,
			    const char *between)
{
	bool first = true;

	putc('(', l->out);
	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		if (explain_is_left_out(part))
			continue;
		fputs(first ? "" : between, l->out);
		first = false;
		next = print_constraint(l, part, next);
	}
	if (first)
		fputs("nothing", l->out);
	putc(')', l->out);
	return next;
}

static unsigned print_constraint(struct listing *l, const struct spec_pattern *p, unsigned next)
{
	switch (p->kind) {
	case SPEC_LEAF: fprintf(l->out, "%u", next); return next + 1;
	case SPEC_SEQUENCE: return print_parts(l, p, next, " < ");
	case SPEC_EITHER: return print_parts(l, p, next, " or ");
	case SPEC_BOTH: return print_parts(l, p, next, " and ");
	case SPEC_PARALLEL: return print_parts(l, p, next, " || ");
	case SPEC_MAYBE:
		putc('[', l->out);
		next = print_constraint(l, p->parts, next);
		putc(']', l->out);
		return next;
	case SPEC_INVERTED: fputs("not ", l->out); return print_constraint(l, p->parts, next);
	case SPEC_STAR: fputs("nothing", l->out); return next;
	default: return print_constraint(l, p->parts, next);
	}
}

/*
 * Explains "not (1 < 2 < 3)" if all parts are single events: at least one neighbouring pair is in
 * reverse order.
 */
static void print_backward(struct listing *l)
{
	const struct spec_pattern *p = l->formula->pattern;

	if (p->kind != SPEC_INVERTED || p->parts->kind != SPEC_SEQUENCE)
		return;
	for (const struct spec_pattern *part = p->parts->parts; part; part = part->next)
		if (part->kind != SPEC_LEAF)
			return;
	fprintf(l->out, "       all of them happen, and ");
	for (unsigned i = 1; i < l->leaves.count; i++)
		fprintf(l->out, "%s%u < %u", i > 1 ? " or " : "", i + 1, i);
	putc('\n', l->out);
}

static void print_order(struct listing *l)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = l->out;

	l->out = mem_stream(&text, &size);
	print_constraint(l, l->formula->pattern, 1);
	mem_stream_close(l->out);
	l->out = out;
	bool bare = l->formula->pattern->kind != SPEC_INVERTED && text[0] == '(';
	fprintf(out, "     order: %.*s\n", (int)(size - (bare ? 2 : 0)), text + bare);
	free(text);
	print_backward(l);
}

/*
 * ---- threads, regions, hints ------------------------------------------------------------------
 */

static void print_threads(const struct listing *l)
{
	const struct spec_formula *f = l->formula;

	for (uint32_t t = 0; t < f->thread_count; t++) {
		fprintf(l->out, "%s%s does", t ? "; " : "     threads: ", f->threads[t]);
		for (size_t i = 0, first = 1; i < l->leaves.count; i++)
			if (l->leaves.items[i].pattern->thread == t) {
				fprintf(l->out, "%s %zu", first ? "" : ",", i + 1);
				first = 0;
			}
	}
	if (f->thread_count)
		fprintf(l->out, f->thread_count > 1 ? "; the threads are different\n" : "\n");
}

static void print_marked(const struct listing *l, uint32_t region, bool ends)
{
	for (size_t i = 0, first = 1; i < l->leaves.count; i++) {
		const struct spec_pattern *p = l->leaves.items[i].pattern;

		if ((ends ? p->ends : p->begins) != region)
			continue;
		fprintf(l->out, "%s%zu", first ? "" : " or ", i + 1);
		first = 0;
	}
}

static void print_regions(const struct listing *l)
{
	for (uint32_t r = 0; r < l->formula->region_count; r++) {
		fprintf(l->out, "     region %s: begun by ", l->formula->regions[r]);
		print_marked(l, r, false);
		fprintf(l->out, ", ended by ");
		print_marked(l, r, true);
		fprintf(l->out, ", which is the end that belongs to that beginning\n");
	}
}

/* May the event be a read whose value does not matter? See "The last read" in doc/properties.md. */
static bool may_be_next(const struct spec_event *e)
{
	for (const struct spec_point *p = e->points; p; p = p->next)
		if (p->kind == SPEC_POINT_READ && !p->result && !p->filter)
			return true;
	return false;
}

static void print_hints(const struct listing *l)
{
	if (l->has_star)
		fprintf(l->out,
			"     parts under '*' are left out: the rest matches without them\n");
	if (l->has_plus)
		fprintf(l->out, "     one occurrence of a part under '+' is enough\n");
	if (l->has_maybe)
		fprintf(l->out, "     parts in [ ] are optional\n");
	if (l->has_parallel)
		fprintf(l->out, "     members of '||' are the next events of different threads at "
				"the same moment\n");
	for (size_t i = 0; i < l->leaves.count; i++) {
		const struct leaf *leaf = &l->leaves.items[i];

		if (leaf->is_last && may_be_next(&l->property->events[leaf->pattern->event]))
			fprintf(l->out,
				"     %zu may be the thread's next event: the read is certain, its "
				"value is not\n",
				i + 1);
	}
}

void explain_pattern(FILE *out, const struct spec_property *property,
		     const struct spec_formula *formula)
{
	struct listing l = { .out = out, .property = property, .formula = formula };

	collect_leaves(&l, formula->pattern, true);
	for (size_t i = 0; i < l.leaves.count; i++) {
		const struct spec_pattern *p = l.leaves.items[i].pattern;

		fprintf(out, "     %3zu %s", i + 1, p->name);
		if (p->thread != SPEC_NONE)
			fprintf(out, " of %s", formula->threads[p->thread]);
		putc('\n', out);
	}
	print_order(&l);
	print_threads(&l);
	print_regions(&l);
	print_hints(&l);
	vec_free(&l.leaves);
}
