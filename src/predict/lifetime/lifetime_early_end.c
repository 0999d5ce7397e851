/*
 * Makes windows whose model lacks lifetime edges: one that lacks all of them, and, for an end that
 * comes early, one that lacks those into that end. All other edges of the window are kept,
 * including those that lifetime edges implied.
 */
#include "predict/lifetime/lifetime_early_end.h"

#include "base/mem.h"

#include <string.h>

/* ---- touches --------------------------------------------------------------------------------- */

const struct window_touch *lifetime_touches(const struct lifetime_early_end *early, uint32_t place,
					    uint32_t *count)
{
	const struct window_entity *p = &early->window->entities.items[place];

	*count = p->touch_count;
	return &early->window->touches.items[p->touch_start];
}

uint32_t lifetime_begin_before(const struct window_touch *touches, uint32_t at)
{
	while (at-- > 0) {
		if (touches[at].how == WINDOW_BEGINS)
			return at;
	}
	return ORDER_NONE;
}

uint32_t lifetime_begin_after(const struct window_touch *touches, uint32_t count, uint32_t at)
{
	while (++at < count) {
		if (touches[at].how == WINDOW_BEGINS)
			return at;
	}
	return count;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void list_ends(struct lifetime_early_end *early)
{
	const struct window *w = early->window;
	uint32_t *start = mem_zalloc(w->model.node_count + (size_t)2, sizeof *start);

	for (size_t i = 0; i < w->touches.count; i++) {
		if (w->touches.items[i].how == WINDOW_ENDS)
			start[w->touches.items[i].node + 2]++;
	}
	for (size_t n = 2; n < w->model.node_count + (size_t)2; n++)
		start[n] += start[n - 1];
	early->ends = mem_alloc(start[w->model.node_count + 1] * sizeof *early->ends + 1);
	for (uint32_t p = 0; p < w->entities.count; p++) {
		const struct window_entity *place = &w->entities.items[p];

		for (uint32_t i = 0; i < place->touch_count; i++) {
			const struct window_touch *t = &w->touches.items[place->touch_start + i];

			if (t->how == WINDOW_ENDS)
				early->ends[start[t->node + 1]++] = (struct lifetime_end){ p, i };
		}
	}
	early->start = start;
}

static void list_outgoing(struct lifetime_early_end *early)
{
	const struct order_model *m = &early->loose.window.model;

	order_sources_make(&early->sources, m);
	early->has_outgoing = mem_zalloc(m->node_count + (size_t)1, sizeof *early->has_outgoing);
	for (size_t i = 0; i < m->edges.count; i++)
		early->has_outgoing[m->edges.items[i].from] = true;
}

/* ---- windows with other edges ---------------------------------------------------------------- */

static void copy_without_edges(struct lifetime_window *out, const struct window *window)
{
	out->window = *window;
	memset(&out->window.model.edges, 0, sizeof out->window.model.edges);
}

static void add_edge(struct lifetime_window *out, uint32_t from, uint32_t to)
{
	struct order_model *m = &out->window.model;

	if (m->thread.items[from] != m->thread.items[to])
		*vec_push(&m->edges) = (struct order_edge){ from, to };
}

/* Copies the window's edges except lifetime edges into `end` (ORDER_NONE: into any node). */
static void copy_edges(struct lifetime_window *out, const struct window *window, uint32_t end)
{
	const struct order_edge *edges = window->model.edges.items;
	size_t next = 0;

	for (uint32_t i = 0; i < window->model.edges.count; i++) {
		bool of_lifetime = next < window->lifetime_edges.count &&
				   window->lifetime_edges.items[next] == i;

		next += of_lifetime;
		if (!of_lifetime || (end != ORDER_NONE && edges[i].to != end))
			*vec_push(&out->window.model.edges) = edges[i];
	}
}

/*
 * In one place, edges into the end and out of it implied other edges. Adds those, because the edges
 * into the end were dropped: the uses before the end still come before the next begin or end in
 * that place (an ALLOC of the same bytes, for example). Also, the begin of the lifetime still comes
 * before its end.
 */
static void add_implied_edges(struct lifetime_window *out, const struct window_touch *t,
			      uint32_t count, uint32_t at)
{
	uint32_t begin = lifetime_begin_before(t, at), low = at, next = at + 1;

	while (low > 0 && t[low - 1].how == WINDOW_USES)
		low--;
	while (next < count && t[next].how == WINDOW_USES)
		next++;
	if (begin != ORDER_NONE)
		add_edge(out, t[begin].node, t[at].node);
	for (uint32_t i = low; i < at && next < count; i++)
		add_edge(out, t[i].node, t[next].node);
	if (!low || t[low - 1].how != WINDOW_ENDS)
		return;
	/*
	 * The lifetime had ended before: touches after this end also come after that earlier end.
	 */
	for (uint32_t i = at + 1; i < count && i <= next; i++)
		add_edge(out, t[low - 1].node, t[i].node);
}

void lifetime_window_make(struct lifetime_window *out, const struct lifetime_early_end *early,
			  uint32_t end)
{
	copy_without_edges(out, early->window);
	copy_edges(out, early->window, end);
	for (uint32_t i = early->start[end]; i < early->start[end + 1]; i++) {
		uint32_t count;
		const struct window_touch *t =
			lifetime_touches(early, early->ends[i].place, &count);

		add_implied_edges(out, t, count, early->ends[i].at);
	}
	order_clock_make(&out->clock, &out->window.model);
}

void lifetime_window_free(struct lifetime_window *window)
{
	vec_free(&window->window.model.edges);
	order_clock_free(&window->clock);
}

bool lifetime_window_accepts(const struct lifetime_window *window, const uint32_t *inside,
			     uint32_t count)
{
	const struct order_model *m = &window->window.model;
	uint32_t *moment = mem_alloc((m->node_count + (size_t)1) * sizeof *moment);
	bool fits = true;

	memset(moment, 0xff, m->node_count * sizeof *moment);
	for (uint32_t i = 0; i < count; i++)
		moment[inside[i]] = i;
	for (size_t i = 0; i < m->edges.count && fits; i++) {
		struct order_edge e = m->edges.items[i];

		fits = moment[e.to] == ORDER_NONE || moment[e.from] < moment[e.to];
	}
	free(moment);
	return fits;
}

/* ---- the module ------------------------------------------------------------------------------ */

void lifetime_early_end_make(struct lifetime_early_end *early, const struct window *window)
{
	early->window = window;
	copy_without_edges(&early->loose, window);
	copy_edges(&early->loose, window, ORDER_NONE);
	order_clock_make(&early->loose.clock, &early->loose.window.model);
	list_ends(early);
	list_outgoing(early);
}

void lifetime_early_end_free(struct lifetime_early_end *early)
{
	lifetime_window_free(&early->loose);
	free(early->start);
	free(early->ends);
	order_sources_free(&early->sources);
	free(early->has_outgoing);
}
