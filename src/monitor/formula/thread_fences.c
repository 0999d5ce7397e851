/*
 * Inserts a state in which nothing happens between two adjacent steps of a run if a thread must be
 * created, begin or be joined between them (machine_with_fences()). Whether this is so depends on
 * the two steps only. Of the first step only two things matter: its column, and which of the fence
 * counts for that column are above its position. So the number of states grows with the threads
 * that come and go, not with the messages.
 */
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "monitor/formula/machine.h"

typedef VEC(struct message_need) fence_counts;

struct fenced_state {
	uint32_t inner;
	/* class of the previous step: 1 + an index in `counts`; 0: no fence comes after it */
	uint32_t last;
};

struct thread_fences {
	struct machine machine, *inner;
	const struct message *messages;
	uint32_t *classes;   /* by message */
	fence_counts counts; /* the distinct counts of all fences */
	VEC(struct fenced_state) states;
	struct intern numbers;
};

static uint32_t number_state(struct thread_fences *f, struct fenced_state state)
{
	bool fresh;
	uint32_t number = intern_put(&f->numbers, (const char *)&state, sizeof state, &fresh);

	if (fresh)
		*vec_push(&f->states) = state;
	return number;
}

/* ---- finding the fences ---------------------------------------------------------------------- */

SORT_COMPARISON(by_column_and_count, struct message_need, a, b,
		sort_order(a->column, b->column) ?: sort_order(a->count, b->count))

/* Collects all distinct counts of fences, sorted by column and count. */
static void collect_fence_counts(fence_counts *all, const struct message *messages, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < messages[i].fence_count; k++)
			*vec_push(all) = messages[i].fences[k];
	vec_sort(all, by_column_and_count);
	for (size_t i = 0; i < all->count; i++)
		if (!kept || by_column_and_count(&all->items[kept - 1], &all->items[i]))
			all->items[kept++] = all->items[i];
	all->count = kept;
}

/*
 * Returns the class of a step: 1 + the index of the first count for its column that is above its
 * position. A fence with this count or a higher one comes after the step. Returns 0 if there is no
 * such count.
 */
static uint32_t class_of_step(const fence_counts *all, uint32_t column, uint32_t position)
{
	const struct message_need *items = all->items;
	size_t i;

	SEARCH_FIRST(i, all->count,
		     items[i].column > column ||
			     (items[i].column == column && items[i].count > position));
	return i < all->count && items[i].column == column ? (uint32_t)i + 1 : 0;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool fence_is_due(const struct thread_fences *f, uint32_t last,
			 const struct message *message)
{
	const struct message_need *before = last ? &f->counts.items[last - 1] : NULL;

	for (uint32_t i = 0; before && i < message->fence_count; i++)
		if (message->fences[i].column == before->column)
			return message->fences[i].count >= before->count;
	return false;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct thread_fences *f = self;
	struct fenced_state from = f->states.items[state];
	const struct message *message = &f->messages[label - 1];
	machine_states between = { 0 }, after = { 0 };
	bool good = true;

	if (!fence_is_due(f, from.last, message))
		*vec_push(&between) = from.inner;
	else
		good = f->inner->step(f->inner->self, from.inner, LABEL_NOTHING, &between, err);
	for (size_t i = 0; i < between.count && good; i++) {
		if (f->inner->is_bad(f->inner->self, between.items[i]))
			*vec_push(&after) = between.items[i];
		else
			good = f->inner->step(f->inner->self, between.items[i], message->label,
					      &after, err);
	}
	for (size_t i = 0; i < after.count && good; i++) {
		struct fenced_state to = { after.items[i], f->classes[label - 1] };

		if (f->inner->is_bad(f->inner->self, to.inner))
			to.last = 0;
		*vec_push(next) = number_state(f, to);
	}
	vec_free(&between);
	vec_free(&after);
	return good;
}

static uint32_t inner_of(const struct thread_fences *f, uint32_t state)
{
	return f->states.items[state].inner;
}

static uint32_t initial(void *self)
{
	struct thread_fences *f = self;

	return number_state(f, (struct fenced_state){ f->inner->initial(f->inner->self), 0 });
}

static bool is_bad(void *self, uint32_t state)
{
	struct thread_fences *f = self;

	return f->inner->is_bad(f->inner->self, inner_of(f, state));
}

static bool is_bad_at_end(void *self, uint32_t state)
{
	struct thread_fences *f = self;

	return f->inner->is_bad_at_end(f->inner->self, inner_of(f, state));
}

static bool is_safe(void *self, uint32_t state)
{
	struct thread_fences *f = self;

	return f->inner->is_safe && f->inner->is_safe(f->inner->self, inner_of(f, state));
}

static const char *doubt(void *self)
{
	struct thread_fences *f = self;

	return f->inner->doubt ? f->inner->doubt(f->inner->self) : NULL;
}

static void free_fences(void *self)
{
	struct thread_fences *f = self;

	machine_close(f->inner);
	free(f->classes);
	vec_free(&f->counts);
	vec_free(&f->states);
	intern_free(&f->numbers);
	free(f);
}

struct machine *machine_with_fences(struct machine *inner, const struct message *messages,
				    size_t count)
{
	struct thread_fences *f = mem_zalloc(1, sizeof *f);

	f->inner = inner;
	f->messages = messages;
	f->classes = mem_zalloc(count + 1, sizeof *f->classes);
	collect_fence_counts(&f->counts, messages, count);
	for (size_t i = 0; i < count; i++)
		f->classes[i] = class_of_step(&f->counts, messages[i].column, messages[i].position);
	f->machine = (struct machine){ .self = f,
				       .initial = initial,
				       .step = step,
				       .is_bad = is_bad,
				       .is_bad_at_end = is_bad_at_end,
				       .is_safe = is_safe,
				       .free = free_fences,
				       .doubt = doubt };
	return &f->machine;
}
