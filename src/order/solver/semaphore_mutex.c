#include "order/solver/semaphore_mutex.h"
#include "base/mem.h"

#include <string.h>

/* An event of one semaphore. */
struct turn {
	uint32_t node;
	enum { POST, DOWN, ZERO } kind;
};

typedef VEC(struct turn) turn_list;

static void gather(turn_list *turns, const uint32_t *nodes, uint32_t count, int kind)
{
	for (uint32_t i = 0; i < count; i++) {
		struct turn *turn = vec_push(turns);

		turn->node = nodes[i];
		turn->kind = kind;
	}
}

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

/*
 * Who gives the token back before taking it has had it since before the window: its section comes
 * first. False unless there is one token in all, here or there.
 */
static bool add_carried(struct order_model *view, const turn_list *turns, uint32_t initial,
			uint32_t *seen)
{
	uint64_t tokens = initial;

	memset(seen, 0, view->thread_count * sizeof *seen);
	for (size_t i = 0; i < turns->count; i++) {
		const struct turn *turn = &turns->items[i];
		uint32_t thread = view->thread.items[turn->node];

		if (i && turns->items[i - 1].node == turn->node)
			return false;
		if (turn->kind == ZERO || seen[thread]++)
			continue;
		if (turn->kind == POST) {
			*vec_push(&view->sections) =
				(struct order_section){ ORDER_NONE, ORDER_NONE, thread, false };
			tokens++;
		}
	}
	return tokens == 1;
}

/* Fills in the sections, in recorded order; false when some thread does not take turns. */
static bool play(struct order_model *view, const turn_list *turns, uint32_t first, uint32_t *open)
{
	for (uint32_t t = 0; t < view->thread_count; t++)
		open[t] = ORDER_NONE;
	for (size_t i = first; i < view->sections.count; i++)
		open[view->sections.items[i].thread] = (uint32_t)i;
	for (size_t i = 0; i < turns->count; i++) {
		uint32_t node = turns->items[i].node, thread = view->thread.items[node];

		if (turns->items[i].kind == DOWN) {
			if (open[thread] != ORDER_NONE)
				return false;
			open[thread] = (uint32_t)view->sections.count;
			*vec_push(&view->sections) =
				(struct order_section){ node, ORDER_NONE, thread, false };
		} else if (turns->items[i].kind == POST) {
			if (open[thread] == ORDER_NONE)
				return false;
			view->sections.items[open[thread]].release = node;
			open[thread] = ORDER_NONE;
		} else if (open[thread] == ORDER_NONE) {
			/* while it has the token itself a thread's try fails anyway */
			*vec_push(&view->fails) = (struct order_fail){ node, false };
		}
	}
	return true;
}

static bool convert(struct order_model *view, struct order_semaphore *s, uint32_t *open)
{
	uint32_t first = (uint32_t)view->sections.count, fail = (uint32_t)view->fails.count;
	turn_list turns = { 0 };
	bool good;

	gather(&turns, view->posts.items + s->post_start, s->post_count, POST);
	gather(&turns, view->downs.items + s->down_start, s->down_count, DOWN);
	gather(&turns, view->zeros.items + s->zero_start, s->zero_count, ZERO);
	if (turns.count)
		qsort(turns.items, turns.count, sizeof *turns.items, compare_turns);
	good = add_carried(view, &turns, s->initial, open) && play(view, &turns, first, open);
	vec_free(&turns);
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

#define COPY(to, from)                                                                             \
	do {                                                                                       \
		memset(&(to), 0, sizeof(to));                                                      \
		if ((from).count)                                                                  \
			memcpy(vec_reserve(&(to), (from).count), (from).items,                     \
			       (from).count * sizeof *(from).items);                               \
		(to).count = (from).count;                                                         \
	} while (0)

void semaphore_mutex_view_make(struct order_model *view, const struct order_model *model,
			       bool **is_mutex)
{
	uint32_t *open = mem_zalloc((size_t)model->thread_count + 1, sizeof *open);

	*view = *model;
	*is_mutex = mem_zalloc(model->semaphores.count + 1, sizeof **is_mutex);
	COPY(view->locks, model->locks);
	COPY(view->sections, model->sections);
	COPY(view->fails, model->fails);
	COPY(view->semaphores, model->semaphores);
	for (size_t i = 0; i < view->semaphores.count; i++)
		(*is_mutex)[i] = convert(view, &view->semaphores.items[i], open);
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
