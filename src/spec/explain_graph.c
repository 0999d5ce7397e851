/*
 * Prints properties as a Graphviz graph: for a pattern the order of its events; for a formula its
 * automaton, or its syntax tree if the automaton cannot be drawn; for a grammar the references
 * between its productions.
 */
#include "spec/explain.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

#define MOST_LEAVES 1000u /* a limit, because a? b? c? ... has an edge for each pair of leaves */

struct explain_graph {
	FILE *out;
	const struct spec_file *file;
	const struct spec_formula *formula;
	unsigned next, leaf;
};

struct explain_graph_nodes { /* the layout that vec_push() needs */
	unsigned *items;
	size_t count, room;
};

void spec_print_quoted(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
}

static unsigned print_node(struct explain_graph *g, const char *label, const char *shape)
{
	fprintf(g->out, "    n%u [label=\"", ++g->next);
	spec_print_quoted(g->out, label);
	fprintf(g->out, "\", shape=%s];\n", shape);
	return g->next;
}

static void print_edge(struct explain_graph *g, unsigned from, unsigned to, const char *attributes)
{
	fprintf(g->out, "    n%u -> n%u%s;\n", from, to, attributes);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* The leaves with which a part of the pattern can start and end. */
struct ends {
	struct explain_graph_nodes first, last;
	bool optional; /* the part may match nothing */
};

static void append_nodes(struct explain_graph_nodes *to, const struct explain_graph_nodes *from)
{
	for (size_t i = 0; i < from->count; i++)
		*vec_push(to) = from->items[i];
}

static void ends_free(struct ends *e)
{
	vec_free(&e->first);
	vec_free(&e->last);
}

static const char *const solid = "", *const negated = " [color=red, style=dashed]";

/*
 * Draws edges from all nodes in `from` to all nodes in `to`. If both have several nodes, draws the
 * edges through an additional node in the middle, which needs fewer edges.
 */
static void connect_nodes(struct explain_graph *g, const struct explain_graph_nodes *from,
			  const struct explain_graph_nodes *to, const char *style)
{
	if (from->count == 1 || to->count == 1) {
		for (size_t i = 0; i < from->count; i++)
			for (size_t j = 0; j < to->count; j++)
				print_edge(g, from->items[i], to->items[j], style);
		return;
	}
	unsigned middle = print_node(g, "", "point");
	for (size_t i = 0; i < from->count; i++)
		print_edge(g, from->items[i], middle, style);
	for (size_t j = 0; j < to->count; j++)
		print_edge(g, middle, to->items[j], style);
}

static struct ends draw_part(struct explain_graph *g, const struct spec_pattern *p,
			     const char *style);

static struct ends draw_leaf(struct explain_graph *g, const struct spec_pattern *p)
{
	const struct spec_formula *f = g->formula;
	struct ends e = { .optional = false };

	fprintf(g->out, "    n%u [label=\"%u: ", ++g->next, ++g->leaf);
	spec_print_quoted(g->out, p->name);
	if (p->thread != SPEC_NONE)
		fprintf(g->out, "\\n%s", f->threads[p->thread]);
	if (p->begins != SPEC_NONE)
		fprintf(g->out, " <%s", f->regions[p->begins]);
	if (p->ends != SPEC_NONE)
		fprintf(g->out, " >%s", f->regions[p->ends]);
	fprintf(g->out, "\", shape=box];\n");
	*vec_push(&e.first) = g->next;
	*vec_push(&e.last) = g->next;
	return e;
}

static struct ends draw_sequence(struct explain_graph *g, const struct spec_pattern *p,
				 const char *style)
{
	struct ends all = { .optional = true };

	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		struct ends one = draw_part(g, part, style);

		if (one.first.count && all.last.count)
			connect_nodes(g, &all.last, &one.first, style);
		if (all.optional)
			append_nodes(&all.first, &one.first);
		if (!one.optional)
			all.last.count = 0;
		append_nodes(&all.last, &one.last);
		all.optional &= one.optional;
		ends_free(&one);
	}
	return all;
}

static struct ends draw_side_by_side(struct explain_graph *g, const struct spec_pattern *p,
				     const char *style)
{
	struct ends all = { .optional = p->kind != SPEC_EITHER };
	unsigned before = 0;

	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		struct ends one = draw_part(g, part, style);

		if (p->kind == SPEC_PARALLEL && before && one.first.count)
			print_edge(g, before, one.first.items[0],
				   " [dir=none, style=bold, constraint=false, label=\"||\"]");
		if (one.first.count)
			before = one.first.items[0];
		append_nodes(&all.first, &one.first);
		append_nodes(&all.last, &one.last);
		all.optional = p->kind == SPEC_EITHER ? all.optional | one.optional
						      : all.optional & one.optional;
		ends_free(&one);
	}
	return all;
}

static struct ends draw_part(struct explain_graph *g, const struct spec_pattern *p,
			     const char *style)
{
	struct ends e = { .optional = true };

	if (explain_is_left_out(p))
		return e;
	switch (p->kind) {
	case SPEC_LEAF: return draw_leaf(g, p);
	case SPEC_SEQUENCE: return draw_sequence(g, p, style);
	case SPEC_MAYBE:
		e = draw_part(g, p->parts, style);
		e.optional = true;
		return e;
	case SPEC_PLUS: return draw_part(g, p->parts, style);
	case SPEC_INVERTED: return draw_part(g, p->parts, style == solid ? negated : solid);
	default: return draw_side_by_side(g, p, style);
	}
}

/*
 * ---- syntax trees, grammars -------------------------------------------------------------------
 */

static unsigned draw_expr(struct explain_graph *g, const struct spec_expr *e)
{
	const char *sign = e->operator== SPEC_CALL	    ? e->text
			   : e->operator== SPEC_INTERVAL    ? "[ , )"
			   : e->operator== SPEC_CONDITIONAL ? "? :"
							    : explain_operator(e->operator);
	/* an operand of temporal and logical operators is drawn as one node */
	bool leaf = e->operator<SPEC_AND && e->operator!= SPEC_NOT;

	if (leaf || e->operator== SPEC_EVENT) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = mem_stream(&text, &size);
		unsigned made;

		explain_whole(out, e);
		mem_stream_close(out);
		made = print_node(g, text, "box");
		free(text);
		return made;
	}
	unsigned made = print_node(g, sign ? sign : "?", "ellipse");
	const struct spec_expr *below[] = { e->left, e->right, e->third };
	for (unsigned i = 0; i < 3; i++)
		if (below[i])
			print_edge(g, made, draw_expr(g, below[i]), "");
	return made;
}

static unsigned draw_ere(struct explain_graph *g, const struct spec_ere *e)
{
	static const char *const signs[] = { "",  ".", "epsilon", "empty", "then", "|",
					     "&", "*", "+",	  "?",	   "~" };
	bool leaf = e->kind == SPEC_ERE_EVENT;
	unsigned made = print_node(g, leaf ? e->name : signs[e->kind], leaf ? "box" : "ellipse");

	for (const struct spec_ere *part = e->parts; part; part = part->next)
		print_edge(g, made, draw_ere(g, part), "");
	return made;
}

static void draw_grammar(struct explain_graph *g, const struct spec_grammar *grammar)
{
	unsigned first = g->next + 1;

	for (uint32_t i = 0; i < grammar->production_count; i++)
		print_node(g, grammar->productions[i].name, "ellipse");
	for (uint32_t i = 0; i < grammar->production_count; i++)
		for (const struct spec_alternative *a = grammar->productions[i].alternatives; a;
		     a = a->next)
			for (const struct spec_item *item = a->items; item; item = item->next) {
				if (!item->name)
					continue;
				unsigned to = item->kind == SPEC_ITEM_PRODUCTION
						      ? first + item->number
						      : print_node(g, item->name, "box");
				print_edge(g, first + i, to, "");
			}
}

static unsigned count_leaves(const struct spec_pattern *p)
{
	unsigned count = p->kind == SPEC_LEAF;

	for (const struct spec_pattern *part = p->parts; part; part = part->next)
		count += count_leaves(part);
	return count;
}

static void draw_pattern(struct explain_graph *g, const struct spec_pattern *p)
{
	struct ends e;

	if (count_leaves(p) > MOST_LEAVES) {
		print_node(g, "too large to draw", "note");
		return;
	}
	e = draw_part(g, p, solid);
	ends_free(&e);
}

/*
 * Draws the automaton of a formula. Returns false if the syntax tree must be drawn instead: there
 * is no automaton, or the formula is a past-time formula, whose monitor computes the values of the
 * tree's nodes.
 */
static bool draw_automaton(struct explain_graph *g, const struct spec_property *p,
			   const struct spec_formula *f, spec_drawing *drawing)
{
	unsigned before = g->next;

	if (drawing && f->formalism != SPEC_PATTERN && f->formalism != SPEC_MONITOR)
		g->next = drawing(g->out, g->file, p, f, true, g->next);
	return g->next > before && f->formalism != SPEC_TEMPORAL;
}

static void draw_formula(struct explain_graph *g, const struct spec_property *p,
			 const struct spec_formula *f, spec_drawing *drawing)
{
	if (draw_automaton(g, p, f, drawing))
		return;
	switch (f->formalism) {
	case SPEC_PATTERN: draw_pattern(g, f->pattern); break;
	case SPEC_TEMPORAL:
	case SPEC_LTL: draw_expr(g, f->expr); break;
	case SPEC_ERE: draw_ere(g, f->ere); break;
	case SPEC_GRAMMAR: draw_grammar(g, f->grammar); break;
	default: print_node(g, f->text, "note");
	}
}

void explain_graph(FILE *out, const struct spec_file *file, spec_drawing *drawing)
{
	struct explain_graph g = { .out = out, .file = file };
	unsigned cluster = 0;

	fprintf(out, "digraph properties {\n  rankdir=LR;\n");
	for (const struct spec_property *p = file->properties; p; p = p->next)
		for (const struct spec_formula *f = p->formulas; f; f = f->next) {
			fprintf(out, "  subgraph cluster_%u {\n    label=\"", ++cluster);
			spec_print_quoted(out, p->name);
			putc(':', out);
			if (f->formalism != SPEC_TEMPORAL)
				fprintf(out, " %s", explain_formalism(f));
			if (f->formalism != SPEC_GRAMMAR && f->formalism != SPEC_MONITOR) {
				putc(' ', out);
				spec_print_quoted(out, f->text);
			}
			fprintf(out, "\";\n");
			g.formula = f;
			g.leaf = 0;
			draw_formula(&g, p, f, drawing);
			fprintf(out, "  }\n");
		}
	fprintf(out, "}\n");
}
