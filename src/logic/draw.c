/* Prints the automaton of a formula as text or as Graphviz: see draw.h. */
#include "logic/draw.h"

#include "base/mem.h"
#include "logic/ere.h"
#include "logic/form.h"
#include "logic/future.h"
#include "logic/past.h"

#include <string.h>

#define MOST_CONDITIONS 24u /* limit between two states; "..." stands for the rest */
#define MOST_VISITS 20000u

struct drawing {
	FILE *out;
	struct automaton automaton;
	VEC(char *) names; /* names of the atoms */
	VEC(char *) remembered;
	bool only_bad;	 /* past-time formulas: do not show in which states a run may end */
	bool one_by_one; /* regular expressions: only symbols with one event are shown */
	bool shown[DRAW_STATES];
	size_t shown_count;
};

/* ---- building -------------------------------------------------------------------------------- */

static bool build_temporal(struct drawing *d, const struct spec_formula *f, struct err *err)
{
	struct form form;
	struct past past;
	bool built = false;

	if (!form_read(&form, f, err))
		return false;
	for (size_t i = 0; i < form.atoms.count; i++)
		*vec_push(&d->names) = form_text(form.atoms.items[i]);
	d->only_bad = f->formalism == SPEC_TEMPORAL;
	if (!d->only_bad) {
		built = future_automaton(&form, &d->automaton, err);
	} else if (past_open(&past, &form, err)) {
		for (size_t i = 0; i < past.remembered.count; i++)
			*vec_push(&d->remembered) =
				form_text(form.nodes.items[past.remembered.items[i]].expr);
		built = past_automaton(&past, &d->automaton, err);
		past_close(&past);
	}
	form_free(&form);
	return built;
}

static bool build_ere(struct drawing *d, const struct spec_property *p,
		      const struct spec_formula *f, struct err *err)
{
	d->one_by_one = true;
	for (uint32_t i = 0; i < p->event_count; i++)
		*vec_push(&d->names) = mem_copy_text(p->events[i].name, strlen(p->events[i].name));
	return ere_automaton(f->ere, p->event_count, &d->automaton, err);
}

/* ---- conditions ------------------------------------------------------------------------------ */

struct path {
	uint64_t asked, answer;
};
struct paths {
	struct path items[MOST_CONDITIONS];
	unsigned count, visits;
	bool more; /* some paths are not in `items`: too many, or too long a search */
};

/* Finds the paths through a diagram from `node` to the state `to`. */
static void find_paths(const struct automaton *a, uint32_t node, uint32_t to, struct path so_far,
		       struct paths *found)
{
	const struct decision_node *n = &a->decisions.nodes.items[node];
	struct path low = so_far, high = so_far;

	if (found->more || ++found->visits > MOST_VISITS) {
		found->more = true;
		return;
	}
	if (n->variable == DECISION_LEAF) {
		found->more = n->low == to && found->count == MOST_CONDITIONS;
		if (n->low == to && !found->more)
			found->items[found->count++] = so_far;
		return;
	}
	low.asked = high.asked = so_far.asked | 1ull << n->variable;
	high.answer |= 1ull << n->variable;
	find_paths(a, n->high, to, high, found);
	find_paths(a, n->low, to, low, found);
}

static bool is_word(const char *text)
{
	return !strpbrk(text, " &|=<>!");
}

static void print_path(FILE *out, const struct drawing *d, struct path path, bool alone)
{
	bool several = path.asked & (path.asked - 1);
	const char *between = "";

	if (several && !alone)
		putc('(', out);
	for (uint32_t i = 0; i < d->names.count; i++) {
		const char *name = d->names.items[i];
		bool yes = path.answer >> i & 1, bare = is_word(name) || (yes && !several);

		if (!(path.asked >> i & 1))
			continue;
		fprintf(out, "%s%s%s%s%s", between, yes ? "" : "!", bare ? "" : "(", name,
			bare ? "" : ")");
		between = " && ";
	}
	if (several && !alone)
		putc(')', out);
}

/* Returns the condition as text, which the caller frees. It is "" if the edge is always taken. */
static char *condition(const struct drawing *d, const struct paths *paths)
{
	char *text;
	size_t size;
	FILE *out = mem_stream(&text, &size);

	for (unsigned i = 0; i < paths->count; i++) {
		if (i)
			fputs(" || ", out);
		print_path(out, d, paths->items[i], paths->count == 1);
	}
	if (paths->more)
		fputs(paths->count ? " || ..." : "...", out);
	mem_stream_close(out);
	return text;
}

/* ---- edges ----------------------------------------------------------------------------------- */

struct draw_edge {
	uint32_t to;
	char *condition; /* "": always taken; "otherwise": replaces the longest condition */
};
typedef VEC(struct draw_edge) edges;

static void add_targets(const struct automaton *a, uint32_t node, struct map *seen, bool *is_target)
{
	const struct decision_node *n = &a->decisions.nodes.items[node];
	bool fresh;

	map_put(seen, node, &fresh);
	if (!fresh)
		return;
	if (n->variable == DECISION_LEAF) {
		is_target[n->low] = true;
		return;
	}
	add_targets(a, n->low, seen, is_target);
	add_targets(a, n->high, seen, is_target);
}

static void find_edges_of_symbols(const struct drawing *d, uint32_t state, edges *list)
{
	const struct automaton *a = &d->automaton;
	uint32_t next = a->states.items[state].next;
	bool is_target[DRAW_STATES] = { false };
	struct map seen = { 0 };

	add_targets(a, next, &seen, is_target);
	map_free(&seen);
	for (uint32_t to = 0; to < a->states.count; to++) {
		struct paths paths = { .count = 0 };

		if (!is_target[to])
			continue;
		find_paths(a, next, to, (struct path){ 0 }, &paths);
		*vec_push(list) = (struct draw_edge){ to, condition(d, &paths) };
	}
}

static void find_edges_of_events(const struct drawing *d, uint32_t state, edges *list)
{
	const struct automaton *a = &d->automaton;

	for (uint32_t to = 0; to < a->states.count; to++) {
		char *text;
		size_t size;
		FILE *out = mem_stream(&text, &size);

		for (uint32_t i = 0; i < d->names.count; i++)
			if (automaton_step(a, state, 1ull << i) == to)
				fprintf(out, "%s%s", ftell(out) ? " | " : "", d->names.items[i]);
		mem_stream_close(out);
		if (size)
			*vec_push(list) = (struct draw_edge){ to, text };
		else
			free(text);
	}
}

/* Finds the edges of a state. The edge with the longest condition comes last, as "otherwise". */
static void find_edges(const struct drawing *d, uint32_t state, edges *list)
{
	struct draw_edge last;
	size_t worst = 0;

	(d->one_by_one ? find_edges_of_events : find_edges_of_symbols)(d, state, list);
	for (size_t i = 1; i < list->count; i++)
		if (strlen(list->items[i].condition) >= strlen(list->items[worst].condition))
			worst = i;
	if (list->count < 2)
		return;
	last = list->items[worst];
	memmove(&list->items[worst], &list->items[worst + 1],
		(list->count - worst - 1) * sizeof *list->items);
	free(last.condition);
	last.condition = mem_copy_text("otherwise", 9);
	list->items[list->count - 1] = last;
}

static void free_edges(edges *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].condition);
	vec_free(list);
}

/*
 * Marks the states that the shown edges reach. In the automaton of a regular expression, some
 * states are reached only if several events happen at once; these states are not shown.
 */
static void find_shown(struct drawing *d, uint32_t state)
{
	edges list = { 0 };

	d->shown[state] = true;
	d->shown_count++;
	find_edges(d, state, &list);
	for (size_t i = 0; i < list.count; i++)
		if (!d->shown[list.items[i].to])
			find_shown(d, list.items[i].to);
	free_edges(&list);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *words_of(const struct drawing *d, const struct automaton_state *s)
{
	if (s->bad)
		return ": violated";
	if (s->safe)
		return ": cannot be violated any more";
	return d->only_bad || !s->accepts ? "" : ": may end here";
}

static void print_text(const struct drawing *d)
{
	const struct automaton *a = &d->automaton;

	fprintf(d->out, "     automaton: %zu %s%s\n", d->shown_count,
		d->shown_count == 1 ? "state" : "states",
		d->one_by_one ? "; events that happen at once are not shown" : "");
	for (uint32_t i = 0; i < a->states.count; i++) {
		const struct automaton_state *s = &a->states.items[i];
		edges list = { 0 };

		if (!d->shown[i])
			continue;
		fprintf(d->out, "       %u%s%s\n", i, i ? "" : ", at the start", words_of(d, s));
		find_edges(d, i, &list);
		for (size_t k = 0; k < list.count && !s->bad && !s->safe; k++)
			fprintf(d->out, "         %s%sto %u\n", list.items[k].condition,
				list.items[k].condition[0] ? " " : "", list.items[k].to);
		free_edges(&list);
	}
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

static unsigned print_graph(const struct drawing *d, unsigned next)
{
	const struct automaton *a = &d->automaton;
	unsigned first = next + 2;

	fprintf(d->out, "    n%u [label=\"\", shape=point];\n    n%u -> n%u;\n", next + 1, next + 1,
		first);
	for (uint32_t i = 0; i < a->states.count; i++) {
		const struct automaton_state *s = &a->states.items[i];
		edges list = { 0 };

		if (!d->shown[i])
			continue;
		fprintf(d->out, "    n%u [label=\"%u\", shape=%s%s];\n", first + i, i,
			s->accepts && !d->only_bad ? "doublecircle" : "circle",
			s->bad	  ? ", style=filled, fillcolor=lightcoral"
			: s->safe ? ", style=filled, fillcolor=palegreen"
				  : "");
		find_edges(d, i, &list);
		for (size_t k = 0; k < list.count && !s->bad && !s->safe; k++) {
			fprintf(d->out, "    n%u -> n%u [label=\"", first + i,
				first + list.items[k].to);
			spec_print_quoted(d->out, list.items[k].condition);
			fprintf(d->out, "\"];\n");
		}
		free_edges(&list);
	}
	return first + (unsigned)a->states.count - 1;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void close_drawing(struct drawing *d)
{
	vec_free_all(&d->names);
	vec_free_all(&d->remembered);
	automaton_free(&d->automaton);
}

unsigned draw_formula(FILE *out, const struct spec_file *file, const struct spec_property *p,
		      const struct spec_formula *f, bool graphviz, unsigned next)
{
	struct drawing d = { .out = out };
	struct err err = { 0 };
	bool built =
		f->formalism == SPEC_ERE ? build_ere(&d, p, f, &err) : build_temporal(&d, f, &err);

	(void)file;
	if (built && d.automaton.states.count <= DRAW_STATES)
		find_shown(&d, 0);
	for (size_t i = 0; i < d.remembered.count && !graphviz; i++)
		fprintf(out, "     bit %zu: %s\n", i + 1, d.remembered.items[i]);
	if (!built && !graphviz)
		fprintf(out, "     not drawn: %s\n", err.text);
	else if (built && d.automaton.states.count > DRAW_STATES && !graphviz)
		fprintf(out, "     automaton: %zu states, too many to be drawn\n",
			d.automaton.states.count);
	else if (built && d.automaton.states.count <= DRAW_STATES && graphviz)
		next = print_graph(&d, next);
	else if (built && !graphviz)
		print_text(&d);
	close_drawing(&d);
	return next;
}
