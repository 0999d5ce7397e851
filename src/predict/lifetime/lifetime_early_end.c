#include "predict/lifetime/lifetime_early_end.h"

#include "base/mem.h"

#include <string.h>

/* ---- touches ----------------------------------------------------------------------------- */

const struct window_touch *lifetime_touches(const struct lifetime_early_end *early, uint32_t place,
					    uint32_t *count)
{
	const struct window_place *p = &early->window->places.items[place];

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

uint32_t lifetime_begin_behind(const struct window_touch *touches, uint32_t count, uint32_t at)
{
	while (++at < count) {
		if (touches[at].how == WINDOW_BEGINS)
			return at;
	}
	return count;
}

/* ---- lists ------------------------------------------------------------------------------- */

static void list_places(struct lifetime_early_end *early)
{
	const struct window *w = early->window;
	uint32_t *start = mem_zalloc(w->model.node_count + (size_t)2, sizeof *start);

	for (size_t i = 0; i < w->touches.count; i++) {
		if (w->touches.items[i].how == WINDOW_ENDS)
			start[w->touches.items[i].node + 2]++;
	}
	for (size_t n = 2; n < w->model.node_count + (size_t)2; n++)
		start[n] += start[n - 1];
	early->places = mem_alloc(start[w->model.node_count + 1] * sizeof *early->places + 1);
	for (uint32_t p = 0; p < w->places.count; p++) {
		const struct window_place *place = &w->places.items[p];

		for (uint32_t i = 0; i < place->touch_count; i++) {
			const struct window_touch *t = &w->touches.items[place->touch_start + i];

			if (t->how == WINDOW_ENDS)
				early->places[start[t->node + 1]++] =
					(struct lifetime_place){ p, i };
		}
	}
	early->start = start;
}

static void list_edges(struct lifetime_early_end *early)
{
	const struct order_model *m = &early->loose.window.model;

	order_sources_make(&early->sources, m);
	early->leads = mem_zalloc(m->node_count + (size_t)1, sizeof *early->leads);
	for (size_t i = 0; i < m->edges.count; i++)
		early->leads[m->edges.items[i].from] = true;
}

/* ---- other edges ------------------------------------------------------------------------- */

static void open_window(struct lifetime_window *out, const struct window *window)
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

/* The window's edges; of those of lives only such as do not go into `end`; none for ORDER_NONE. */
static void copy_edges(struct lifetime_window *out, const struct window *window, uint32_t end)
{
	const struct order_edge *edges = window->model.edges.items;
	size_t life = 0;

	for (uint32_t i = 0; i < window->model.edges.count; i++) {
		bool of_life =
			life < window->life_edges.count && window->life_edges.items[life] == i;

		life += of_life;
		if (!of_life || (end != ORDER_NONE && edges[i].to != end))
			*vec_push(&out->window.model.edges) = edges[i];
	}
}

/*
 * What went through the end goes past it now. The begin of its life stays before it; what the next
 * turn of the place (an ALLOC of the same bytes, say) had before it by way of the end it has still.
 */
static void bridge(struct lifetime_window *out, const struct window_touch *t, uint32_t count,
		   uint32_t at)
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
	/* Ended before: whatever is behind this end is behind that one. */
	for (uint32_t i = at + 1; i < count && i <= next; i++)
		add_edge(out, t[low - 1].node, t[i].node);
}

void lifetime_window_make(struct lifetime_window *out, const struct lifetime_early_end *early,
			  uint32_t end)
{
	open_window(out, early->window);
	copy_edges(out, early->window, end);
	for (uint32_t i = early->start[end]; i < early->start[end + 1]; i++) {
		uint32_t count;
		const struct window_touch *t =
			lifetime_touches(early, early->places[i].place, &count);

		bridge(out, t, count, early->places[i].at);
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

/* ---- all of it --------------------------------------------------------------------------- */

void lifetime_early_end_make(struct lifetime_early_end *early, const struct window *window)
{
	early->window = window;
	open_window(&early->loose, window);
	copy_edges(&early->loose, window, ORDER_NONE);
	order_clock_make(&early->loose.clock, &early->loose.window.model);
	list_places(early);
	list_edges(early);
}

void lifetime_early_end_free(struct lifetime_early_end *early)
{
	lifetime_window_free(&early->loose);
	free(early->start);
	free(early->places);
	order_sources_free(&early->sources);
	free(early->leads);
}
