/* Passes over the whole trace. Each is made when its result is first needed. */
#include "check/survey.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"

#include <stdlib.h>

struct survey_move {
	uint64_t semaphore, sequence;
	uint8_t kind;
};
struct survey_range {
	uint64_t first, last;
};
struct checker_survey {
	const struct trace *trace;
	bool surveyed;
	struct map created;
	struct map least; /* semaphores whose least initial value is above 0, to that value */
	struct map reinitialised; /* semaphores that are initialised or destroyed */
	bool words_surveyed;
	struct map words; /* address / WORD to thread + 1, with SHARED set if there are several */
	struct map pages; /* address / PAGE: the same, for pages that an access covers completely */
	VEC(struct survey_range) mapped;
	struct map guards;	 /* lock to position + 1 in guarded */
	VEC(struct map) guarded; /* by lock: address to stream position + 1, or SHARED */
};

#define WORD 8u
#define PAGE 4096u
#define SHARED (1ull << 32)
/* No program accesses more at once, but a damaged trace can contain any size. */
#define ACCESS_MAX (1ull << 32)
#define ATOMIC_MAX 16u /* no atomic operation is larger, so it touches at most three words */

struct checker_survey *checker_survey_open(const struct trace *trace)
{
	struct checker_survey *survey = mem_zalloc(1, sizeof *survey);

	survey->trace = trace;
	return survey;
}

void checker_survey_close(struct checker_survey *survey)
{
	if (!survey)
		return;
	map_free(&survey->created);
	map_free(&survey->least);
	map_free(&survey->reinitialised);
	map_free(&survey->words);
	map_free(&survey->pages);
	vec_free(&survey->mapped);
	map_free(&survey->guards);
	for (size_t i = 0; i < survey->guarded.count; i++)
		map_free(&survey->guarded.items[i]);
	vec_free(&survey->guarded);
	free(survey);
}

SORT_COMPARISON(by_semaphore, struct survey_move, a, b,
		sort_order(a->semaphore, b->semaphore) ?: sort_order(a->sequence, b->sequence))

/*
 * Computes the least initial value of each semaphore. `moves` contains the operations on all
 * semaphores, sorted by semaphore and then by their order.
 */
static void count_moves(struct checker_survey *survey, const struct survey_move *moves,
			size_t count)
{
	uint64_t value = 0;
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		if (!i || moves[i].semaphore != moves[i - 1].semaphore) {
			value = 0;
			known = false;
		}
		if (moves[i].kind == EV_SEM_INIT || moves[i].kind == EV_SEM_DESTROY) {
			map_put(&survey->reinitialised, moves[i].semaphore, NULL);
			known = true;
		}
		if (known)
			continue;
		if (moves[i].kind == EV_POST)
			value++;
		else if (moves[i].kind == EV_DOWN && value)
			value--;
		else if (moves[i].kind == EV_DOWN)
			++*map_put(&survey->least, moves[i].semaphore, NULL);
	}
}

static void survey_threads_and_semaphores(struct checker_survey *survey)
{
	VEC(struct survey_move) moves = { 0 };
	struct trace_event event;
	struct err err;

	survey->surveyed = true;
	for (uint32_t i = 0; i < trace_stream_count(survey->trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(survey->trace, i);

		while (trace_next(cursor, &event, &err)) {
			if (event.kind == EV_CREATE)
				map_put(&survey->created, event.number, NULL);
			else if (event_group(event.kind) == EG_SEMAPHORE)
				*vec_push(&moves) =
					(struct survey_move){ event.address, event.sequence,
							      event.kind };
		}
		trace_cursor_close(cursor);
	}
	vec_sort(&moves, by_semaphore);
	count_moves(survey, moves.items, moves.count);
	vec_free(&moves);
}

bool checker_survey_creates(struct checker_survey *survey, uint32_t number)
{
	if (!survey->surveyed)
		survey_threads_and_semaphores(survey);
	return map_get(&survey->created, number);
}

uint64_t checker_survey_semaphore(struct checker_survey *survey, uint64_t address)
{
	const uint64_t *least;

	if (!survey->surveyed)
		survey_threads_and_semaphores(survey);
	least = map_get(&survey->least, address);
	return least ? *least : 0;
}

bool checker_survey_reinitialises(struct checker_survey *survey, uint64_t address)
{
	if (!survey->surveyed)
		survey_threads_and_semaphores(survey);
	return map_get(&survey->reinitialised, address);
}

/* Marks the units of a map from `first` up to, but not including, `end`. */
static void mark_units(struct map *map, uint64_t first, uint64_t end, uint32_t thread)
{
	for (uint64_t unit = first; unit < end; unit++) {
		uint64_t *state = map_put(map, unit, NULL);

		if (!*state)
			*state = thread + 1;
		else if ((uint32_t)*state != thread + 1)
			*state |= SHARED;
	}
}

static void mark_access(struct checker_survey *survey, const struct trace_event *event,
			uint32_t thread)
{
	uint64_t start = event->address, last, first_page, end_page;

	if (!event->size || event->size > ACCESS_MAX || event->size - 1 > UINT64_MAX - start)
		return;
	last = start + event->size - 1;
	first_page = start / PAGE + (start % PAGE != 0);
	end_page = last / PAGE + (last % PAGE == PAGE - 1);
	if (first_page >= end_page) {
		mark_units(&survey->words, start / WORD, last / WORD + 1, thread);
		return;
	}
	mark_units(&survey->pages, first_page, end_page, thread);
	mark_units(&survey->words, start / WORD, first_page * (PAGE / WORD), thread);
	mark_units(&survey->words, end_page * (PAGE / WORD), last / WORD + 1, thread);
}

/*
 * Marks the words of an atomic operation as shared: such memory is meant for other threads,
 * recorded or not.
 */
static void mark_atomic(struct checker_survey *survey, const struct trace_event *event)
{
	uint64_t first = event->address / WORD, last;

	if (!event->size || event->size > ATOMIC_MAX)
		return;
	last = (event->address + event->size - 1) / WORD;
	*map_put(&survey->words, first, NULL) |= SHARED;
	*map_put(&survey->words, first + 1 < last ? first + 1 : last, NULL) |= SHARED;
	*map_put(&survey->words, last, NULL) |= SHARED;
}

static void survey_words(struct checker_survey *survey)
{
	struct trace_event event;
	struct err err;

	survey->words_surveyed = true;
	for (uint32_t i = 0; i < trace_stream_count(survey->trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(survey->trace, i);
		uint32_t thread = trace_stream_owner(survey->trace, i);

		while (trace_next(cursor, &event, &err)) {
			enum event_group group = event_group(event.kind);

			if (group == EG_ACCESS || (group == EG_ATOMIC && event.kind != EV_FENCE))
				mark_access(survey, &event, thread);
			if (group == EG_ATOMIC && event.kind != EV_FENCE)
				mark_atomic(survey, &event);
			if (event.kind == EV_MAP && event.size)
				*vec_push(&survey->mapped) =
					(struct survey_range){ event.address,
							       event.address + event.size - 1 };
		}
		trace_cursor_close(cursor);
	}
}

/* May code other than the thread's own write to the word? True for static memory and mappings. */
static bool is_written_by_others(const struct checker_survey *survey, uint64_t address)
{
	uint64_t first = address / WORD * WORD;

	for (size_t i = 0; i < survey->mapped.count; i++) {
		if (survey->mapped.items[i].first < first + WORD &&
		    survey->mapped.items[i].last >= first)
			return true;
	}
	return trace_is_static(survey->trace, first);
}

bool checker_survey_shares(struct checker_survey *survey, uint64_t address)
{
	const uint64_t *word, *page;
	uint64_t state;

	if (trace_is_text(survey->trace))
		return true;
	if (!survey->words_surveyed)
		survey_words(survey);
	word = map_get(&survey->words, address / WORD);
	page = map_get(&survey->pages, address / PAGE);
	state = (word ? *word : 0) | (page ? *page : 0);
	if (word && page && (uint32_t)*word != (uint32_t)*page)
		state |= SHARED;
	return (state & SHARED) || is_written_by_others(survey, address);
}

/* ---- what a lock guards ---------------------------------------------------------------------- */

/* Larger accesses, such as a memset of many pages, do not show what a lock guards. */
#define GUARDED_MOST (1u << 16)

void checker_lock_depth_follow(struct checker_lock_depth *depth, uint8_t kind)
{
	switch (kind) {
	case EV_ACQUIRE: depth->writes++; break;
	case EV_READ_ACQUIRE: depth->reads++; break;
	case EV_RELEASE:
	case EV_READ_RELEASE:
		if (depth->writes && (kind == EV_RELEASE || !depth->reads))
			depth->writes--;
		else
			depth->reads -= depth->reads > 0;
		break;
	case EV_WAIT:
		depth->saved = depth->writes ? depth->writes : 1;
		depth->writes = 0;
		break;
	case EV_WOKEN: depth->writes = depth->saved; break;
	}
}

/* Is the event, which is on a lock or a condition, an operation on this lock? */
static bool uses_lock(const struct trace_event *event, uint64_t lock)
{
	bool on_condition = event->kind == EV_WAIT || event->kind == EV_WOKEN;

	return (on_condition ? event->other : event->address) == lock;
}

static void mark_guarded(struct map *bytes, const struct trace_event *event, uint32_t stream)
{
	if (event->size > GUARDED_MOST)
		return;
	for (uint64_t i = 0; i < event->size; i++) {
		uint64_t *state = map_put(bytes, event->address + i, NULL);

		if (!*state)
			*state = stream + 1;
		else if (*state != stream + 1)
			*state = SHARED;
	}
}

/*
 * Finds the bytes that are accessed while `lock` is held, and the threads that access them. A
 * signal handler holds only the locks that it took itself: it is not in a critical section of the
 * thread that it interrupts.
 */
static void survey_guarded(struct checker_survey *survey, uint64_t lock, struct map *bytes)
{
	struct trace_event event;
	struct err err;

	for (uint32_t i = 0; i < trace_stream_count(survey->trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(survey->trace, i);
		struct checker_lock_depth depth = { 0 };

		while (trace_next(cursor, &event, &err)) {
			enum event_group group = event_group(event.kind);

			if ((group == EG_LOCK || group == EG_CONDITION) && uses_lock(&event, lock))
				checker_lock_depth_follow(&depth, event.kind);
			else if ((depth.writes || depth.reads) && event.kind != EV_FENCE &&
				 (group == EG_ACCESS || group == EG_ATOMIC))
				mark_guarded(bytes, &event, trace_stream_owner(survey->trace, i));
		}
		trace_cursor_close(cursor);
	}
}

bool checker_survey_guards(struct checker_survey *survey, uint64_t lock, uint64_t address)
{
	bool fresh;
	uint64_t *position = map_put(&survey->guards, lock, &fresh);
	const uint64_t *state;

	if (fresh) {
		*vec_push(&survey->guarded) = (struct map){ 0 };
		*position = survey->guarded.count;
		survey_guarded(survey, lock, &survey->guarded.items[survey->guarded.count - 1]);
	}
	state = map_get(&survey->guarded.items[*position - 1], address);
	return state && *state == SHARED;
}
