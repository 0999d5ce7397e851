#include "check/survey.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>

struct move {
	uint64_t semaphore, sequence;
	uint8_t kind;
};
struct life {
	uint64_t semaphore, least;
	uint32_t number;
};

struct checker_survey {
	const struct trace *trace;
	bool made;
	struct map created;
	VEC(struct life) lives; /* those that start with more than 0, by semaphore and number */
};

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
	vec_free(&survey->lives);
	free(survey);
}

static int compare_moves(const void *left, const void *right)
{
	const struct move *a = left, *b = right;

	if (a->semaphore != b->semaphore)
		return a->semaphore < b->semaphore ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void end_life(struct checker_survey *survey, const struct life *life)
{
	if (life->least)
		*vec_push(&survey->lives) = *life;
}

/* All moves of one semaphore, in their order. What is known by a SEM_INIT needs no guess. */
static void live(struct checker_survey *survey, const struct move *moves, size_t count)
{
	struct life life = { .semaphore = moves[0].semaphore };
	uint64_t value = 0;
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		switch (moves[i].kind) {
		case EV_SEM_INIT:
		case EV_SEM_DESTROY:
			end_life(survey, &life);
			life.number++;
			life.least = value = 0;
			known = moves[i].kind == EV_SEM_INIT;
			break;
		case EV_POST: value++; break;
		case EV_DOWN:
			if (value)
				value--;
			else if (!known)
				life.least++;
			break;
		}
	}
	end_life(survey, &life);
}

static void make(struct checker_survey *survey)
{
	VEC(struct move) moves = { 0 };
	struct trace_event event;
	struct err err;

	survey->made = true;
	for (uint32_t i = 0; i < trace_stream_count(survey->trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(survey->trace, i);

		while (trace_next(cursor, &event, &err)) {
			if (event.kind == EV_CREATE)
				map_put(&survey->created, event.number, NULL);
			else if (event_group(event.kind) == EG_SEMAPHORE)
				*vec_push(&moves) =
					(struct move){ event.address, event.sequence, event.kind };
		}
		trace_cursor_close(cursor);
	}
	if (moves.count)
		qsort(moves.items, moves.count, sizeof *moves.items, compare_moves);
	for (size_t i = 0, end; i < moves.count; i = end) {
		for (end = i; end < moves.count; end++) {
			if (moves.items[end].semaphore != moves.items[i].semaphore)
				break;
		}
		live(survey, &moves.items[i], end - i);
	}
	vec_free(&moves);
}

bool checker_survey_creates(struct checker_survey *survey, uint32_t number)
{
	if (!survey->made)
		make(survey);
	return map_get(&survey->created, number);
}

uint64_t checker_survey_semaphore(struct checker_survey *survey, uint64_t address, uint32_t life)
{
	size_t low = 0, high;

	if (!survey->made)
		make(survey);
	high = survey->lives.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct life *at = &survey->lives.items[middle];

		if (at->semaphore == address && at->number == life)
			return at->least;
		if (at->semaphore < address || (at->semaphore == address && at->number < life))
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
