/*
 * Lists the entities of a window (window.h), each with all nodes that touch it, in recorded order.
 *
 * The model has lifetimes as edges. This is enough for queries in which lifetimes are respected. A
 * query about a lifetime that ends too early (predict/lifetime/lifetime.c) needs the entities.
 */
#include "order/window/window_build.h"

#include "base/mem.h"

enum window_effect window_effect_of(uint8_t kind)
{
	switch (kind) {
	case EV_ALLOC:
	case EV_MAP:
	case EV_FD_OPEN:
	case EV_BEGIN:
	case EV_LOCK_INIT:
	case EV_COND_INIT:
	case EV_SEM_INIT:
	case EV_BARRIER_INIT: return WINDOW_BEGINS;
	case EV_FREE:
	case EV_UNMAP:
	case EV_FD_CLOSE:
	case EV_END:
	case EV_LOCK_DESTROY:
	case EV_COND_DESTROY:
	case EV_SEM_DESTROY:
	case EV_BARRIER_DESTROY: return WINDOW_ENDS;
	}
	return WINDOW_USES;
}

/* An operation on a sync object, even INIT or DESTROY, only uses the memory that contains it. */
void build_add_touch(struct window_builder *b, const struct build_segment *segment, uint32_t node)
{
	uint8_t kind = b->window->nodes.items[node].kind;

	*vec_push(&b->memory.touches) = (struct build_touch){
		(uint32_t)(segment - b->memory.segments.items),
		{ node, event_group(kind) >= EG_LOCK ? WINDOW_USES : window_effect_of(kind) }
	};
}

/* Adds the touch to the last entity. A WAIT may touch the same bytes twice. */
static void add_touch(struct window *w, struct window_touch touch)
{
	struct window_entity *place = &w->entities.items[w->entities.count - 1];

	if (place->touch_count && w->touches.items[w->touches.count - 1].node == touch.node)
		return;
	*vec_push(&w->touches) = touch;
	place->touch_count++;
}

static void open_entity(struct window *w, bool object)
{
	*vec_push(&w->entities) = (struct window_entity){ (uint32_t)w->touches.count, 0, object };
}

void build_emit_object(struct window_builder *b, const struct build_use *uses, uint32_t count)
{
	open_entity(b->window, true);
	for (uint32_t i = 0; i < count; i++) {
		uint8_t kind = b->window->nodes.items[uses[i].node].kind;

		add_touch(b->window, (struct window_touch){
					     uses[i].node, uses[i].lifetime ? window_effect_of(kind)
									    : WINDOW_USES });
	}
}

/* Returns the new entity of each segment, or ORDER_NONE if no query can be about the segment. */
static uint32_t *choose_shared_segments(const struct window_builder *b, uint32_t *chosen)
{
	const struct build_memory *m = &b->memory;
	uint32_t *count = mem_zalloc(m->segments.count + 1, sizeof *count);
	uint32_t *first = mem_zalloc(m->segments.count + 1, sizeof *first); /* thread + 1 */
	bool *wanted = mem_zalloc(3 * m->segments.count + 1, sizeof *wanted);
	bool *many = wanted + m->segments.count, *over = many + m->segments.count;

	for (size_t i = 0; i < m->touches.count; i++) {
		const struct build_touch *t = &m->touches.items[i];
		uint32_t thread = b->window->model.thread.items[t->touch.node] + 1;

		count[t->segment]++;
		if (!first[t->segment])
			first[t->segment] = thread;
		/*
		 * A use after the end prevents other uses from being reported, even if only one
		 * thread touches the segment.
		 */
		many[t->segment] |= first[t->segment] != thread ||
				    (over[t->segment] && t->touch.how != WINDOW_BEGINS);
		wanted[t->segment] |= t->touch.how == WINDOW_ENDS;
		over[t->segment] = t->touch.how == WINDOW_ENDS ||
				   (over[t->segment] && t->touch.how != WINDOW_BEGINS);
	}
	*chosen = 0;
	for (size_t i = 0; i < m->segments.count; i++) {
		uint32_t here = count[i];

		count[i] = wanted[i] && many[i] ? *chosen : ORDER_NONE;
		*chosen += wanted[i] && many[i] ? here : 0;
	}
	free(first);
	free(wanted);
	return count;
}

void build_emit_entities(struct window_builder *b)
{
	struct build_memory *m = &b->memory;
	uint32_t chosen, *start = choose_shared_segments(b, &chosen);
	struct build_touch *sorted = mem_alloc(chosen * sizeof *sorted + 1);
	uint32_t last = ORDER_NONE;

	for (size_t i = 0; i < m->touches.count; i++) {
		const struct build_touch *t = &m->touches.items[i];

		if (start[t->segment] != ORDER_NONE)
			sorted[start[t->segment]++] = *t;
	}
	for (uint32_t i = 0; i < chosen; i++) {
		if (sorted[i].segment != last)
			open_entity(b->window, false);
		last = sorted[i].segment;
		add_touch(b->window, sorted[i].touch);
	}
	free(sorted);
	free(start);
}
