/*
 * States in which nothing happens, put in between two steps of a run where a thread must be created,
 * begin or be joined. Whether one is due depends on the step before and on this one. Of the step
 * before only that matters: its column, and how many of the counts that fences have for this column
 * are above its position. So states do not grow with the messages, but with the threads that come and
 * go.
 */
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "monitor/formula/machine.h"

struct big_count {
	uint32_t column, count;
};

typedef VEC(struct big_count) counts;

struct thread_fences_state {
	uint32_t inner;
	uint32_t
		last; /* class of the step before: 1 + a place in `counts`; 0: no fence is behind it */
};

struct thread_fences {
	struct machine machine, *inner;
	const struct message *messages;
	uint32_t *classes; /* by message */
	counts counts;	   /* of fences, all that there are */
	VEC(struct thread_fences_state) states;
	struct intern numbers;
};

static uint32_t number_of(struct thread_fences *f, struct thread_fences_state state)
{
	bool fresh;
	uint32_t number = intern_put(&f->numbers, (const char *)&state, sizeof state, &fresh);

	if (fresh)
		*vec_push(&f->states) = state;
	return number;
}

/* ---- which fences are due ------------------------------------------------------------------------- */

static int by_column(const void *a, const void *b)
{
	const struct big_count *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return (x->count > y->count) - (x->count < y->count);
}

/* All different counts of fences, by column and count. */
static void collect(counts *all, const struct message *messages, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < messages[i].fence_count; k++)
			*vec_push(all) = (struct big_count){ messages[i].fences[k].column,
							     messages[i].fences[k].count };
	if (all->count)
		qsort(all->items, all->count, sizeof *all->items, by_column);
	for (size_t i = 0; i < all->count; i++)
		if (!kept || by_column(&all->items[kept - 1], &all->items[i]))
			all->items[kept++] = all->items[i];
	all->count = kept;
}

/*
 * The class of a step: 1 + the first of the counts of its column that is above its position. A fence
 * with that count or a higher one is behind it. 0: none is.
 */
static uint32_t class_of(const counts *all, uint32_t column, uint32_t position)
{
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct big_count *c = &all->items[middle];

		if (c->column < column || (c->column == column && c->count <= position))
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->count && all->items[low].column == column ? (uint32_t)low + 1 : 0;
}

/* ---- the machine ------------------------------------------------------------------------------- */

static bool is_due(const struct thread_fences *f, uint32_t last, const struct message *message)
{
	const struct big_count *before = last ? &f->counts.items[last - 1] : NULL;

	for (uint32_t i = 0; before && i < message->fence_count; i++)
		if (message->fences[i].column == before->column)
			return message->fences[i].count >= before->count;
	return false;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct thread_fences *f = self;
	struct thread_fences_state from = f->states.items[state];
	const struct message *message = &f->messages[label - 1];
	machine_states between = { 0 }, behind = { 0 };
	bool good = true;

	if (!is_due(f, from.last, message))
		*vec_push(&between) = from.inner;
	else
		good = f->inner->step(f->inner->self, from.inner, LABEL_NOTHING, &between, err);
	for (size_t i = 0; i < between.count && good; i++) {
		if (f->inner->is_bad(f->inner->self, between.items[i]))
			*vec_push(&behind) = between.items[i];
		else
			good = f->inner->step(f->inner->self, between.items[i], message->label,
					      &behind, err);
	}
	for (size_t i = 0; i < behind.count && good; i++) {
		struct thread_fences_state to = { behind.items[i], f->classes[label - 1] };

		if (f->inner->is_bad(f->inner->self, to.inner))
			to.last = 0;
		*vec_push(next) = number_of(f, to);
	}
	vec_free(&between);
	vec_free(&behind);
	return good;
}

static uint32_t inner_of(const struct thread_fences *f, uint32_t state)
{
	return f->states.items[state].inner;
}

static uint32_t initial(void *self)
{
	struct thread_fences *f = self;

	return number_of(f, (struct thread_fences_state){ f->inner->initial(f->inner->self), 0 });
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
	collect(&f->counts, messages, count);
	for (size_t i = 0; i < count; i++)
		f->classes[i] = class_of(&f->counts, messages[i].column, messages[i].position);
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
