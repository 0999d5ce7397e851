/*
 * Converts a semaphore to a lock if each thread alternates between down and post, and if there is
 * exactly one token: at the start of the window a thread holds it, or it is free.
 */
#include "order/solver/semaphore_mutex.h"
#include "base/mem.h"
#include "base/sort.h"

#include <string.h>

enum semaphore_event_kind { POST, DOWN, ZERO };
struct semaphore_event {
	uint32_t node;
	enum semaphore_event_kind kind;
};

typedef VEC(struct semaphore_event) event_list;

static void append_events(event_list *events, const uint32_t *nodes, uint32_t count,
			  enum semaphore_event_kind kind)
{
	for (uint32_t i = 0; i < count; i++)
		*vec_push(events) = (struct semaphore_event){ nodes[i], kind };
}

SORT_COMPARISON(by_node, struct semaphore_event, a, b, sort_order(a->node, b->node))

/*
 * A thread whose first operation is a post has held the token since before the window: adds a
 * section for it. Returns false unless there is exactly one token, held or free.
 */
static bool add_carried(struct order_model *view, const event_list *events, uint32_t initial,
			uint32_t *seen)
{
	uint64_t tokens = initial;

	memset(seen, 0, view->thread_count * sizeof *seen);
	for (size_t i = 0; i < events->count; i++) {
		const struct semaphore_event *event = &events->items[i];
		uint32_t thread = view->thread.items[event->node];

		if (i && events->items[i - 1].node == event->node)
			return false;
		if (event->kind == ZERO || seen[thread]++)
			continue;
		if (event->kind == POST) {
			*vec_push(&view->sections) =
				(struct order_section){ ORDER_NONE, ORDER_NONE, thread, false };
			tokens++;
		}
	}
	return tokens == 1;
}

/* Adds the sections in recorded order. Returns false if a thread does not alternate. */
static bool add_sections(struct order_model *view, const event_list *events, uint32_t first,
			 uint32_t *open)
{
	for (uint32_t t = 0; t < view->thread_count; t++)
		open[t] = ORDER_NONE;
	for (size_t i = first; i < view->sections.count; i++)
		open[view->sections.items[i].thread] = (uint32_t)i;
	for (size_t i = 0; i < events->count; i++) {
		uint32_t node = events->items[i].node, thread = view->thread.items[node];

		if (events->items[i].kind == DOWN) {
			if (open[thread] != ORDER_NONE)
				return false;
			open[thread] = (uint32_t)view->sections.count;
			*vec_push(&view->sections) =
				(struct order_section){ node, ORDER_NONE, thread, false };
		} else if (events->items[i].kind == POST) {
			if (open[thread] == ORDER_NONE)
				return false;
			view->sections.items[open[thread]].release = node;
			open[thread] = ORDER_NONE;
		} else if (open[thread] == ORDER_NONE) {
			/* (If the thread held the token itself, its try would always fail.) */
			*vec_push(&view->fails) = (struct order_fail){ node, false };
		}
	}
	return true;
}

static bool convert_to_lock(struct order_model *view, struct order_semaphore *s, uint32_t *open)
{
	uint32_t first = (uint32_t)view->sections.count, fail = (uint32_t)view->fails.count;
	event_list events = { 0 };
	bool good;

	append_events(&events, view->posts.items + s->post_start, s->post_count, POST);
	append_events(&events, view->downs.items + s->down_start, s->down_count, DOWN);
	append_events(&events, view->zeros.items + s->zero_start, s->zero_count, ZERO);
	vec_sort(&events, by_node);
	good = add_carried(view, &events, s->initial, open) &&
	       add_sections(view, &events, first, open);
	vec_free(&events);
	if (!good) {
		view->sections.count = first;
		view->fails.count = fail;
		return false;
	}
	*vec_push(&view->locks) = (struct order_lock){
		first,
		(uint32_t)view->sections.count - first,
		fail,
		(uint32_t)view->fails.count - fail,
	};
	s->zero_count = 0;
	return true;
}

void semaphore_mutex_view_make(struct order_model *view, const struct order_model *model,
			       bool **is_mutex)
{
	uint32_t *open = mem_zalloc((size_t)model->thread_count + 1, sizeof *open);

	*view = *model;
	*is_mutex = mem_zalloc(model->semaphores.count + 1, sizeof **is_mutex);
	memset(&view->locks, 0, sizeof view->locks);
	vec_copy(&view->locks, &model->locks);
	memset(&view->sections, 0, sizeof view->sections);
	vec_copy(&view->sections, &model->sections);
	memset(&view->fails, 0, sizeof view->fails);
	vec_copy(&view->fails, &model->fails);
	memset(&view->semaphores, 0, sizeof view->semaphores);
	vec_copy(&view->semaphores, &model->semaphores);
	for (size_t i = 0; i < view->semaphores.count; i++)
		(*is_mutex)[i] = convert_to_lock(view, &view->semaphores.items[i], open);
	free(open);
}

void semaphore_mutex_view_free(struct order_model *view, bool *is_mutex)
{
	vec_free(&view->locks);
	vec_free(&view->sections);
	vec_free(&view->fails);
	vec_free(&view->semaphores);
	free(is_mutex);
}
