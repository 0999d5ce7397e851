#include "lattice_play.h"

#include "base/mem.h"
#include "lattice_case.h"
#include "spec/spec.h"
#include "trace/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run ----------------------------------------------------------------------------------- */

struct set_state {
	uint32_t object, members, in;
	bool lock, shared, closed;
};
struct runner {
	const struct computation *computation;
	uint32_t *at;	     /* by column: position of the next message */
	uint32_t **messages; /* by column and position */
	uint32_t *counts;    /* by column: number of messages */
	struct map sets;     /* key: set; value: 1 + its number */
	VEC(struct set_state) states;
};

static struct set_state *state_of(const struct runner *r, const struct message_member *m)
{
	return &r->states.items[*map_get(&r->sets, m->set) - 1];
}

static bool is_open(const struct set_state *s)
{
	return s->in && !(s->lock ? s->closed : s->in == s->members);
}

static bool is_own(const struct message *m, const struct set_state *s, const struct runner *r)
{
	for (uint32_t i = 0; i < m->member_count; i++) {
		if (state_of(r, &m->members[i]) == s)
			return true;
	}
	return false;
}

static bool is_enabled(const struct runner *r, const struct message *m)
{
	for (uint32_t i = 0; i < m->need_count; i++) {
		if (r->at[m->needs[i].column] < m->needs[i].count)
			return false;
	}
	for (uint32_t i = 0; i < m->member_count; i++) {
		for (size_t k = 0; k < r->states.count; k++) {
			const struct set_state *s = &r->states.items[k];

			if (s->object == m->members[i].object && is_open(s) &&
			    !(s->shared && m->members[i].shared) && !is_own(m, s, r))
				return false;
		}
	}
	return true;
}

static void happen(struct runner *r, const struct message *m)
{
	r->at[m->column]++;
	for (uint32_t i = 0; i < m->member_count; i++) {
		struct set_state *s = state_of(r, &m->members[i]);

		s->in++;
		s->closed |= m->members[i].role == MESSAGE_CLOSES ||
			     m->members[i].role == MESSAGE_PASSES;
	}
}

static void start(struct runner *r, const struct computation *computation)
{
	*r = (struct runner){ .computation = computation };
	r->at = mem_zalloc(computation->columns + 1, sizeof *r->at);
	r->counts = mem_zalloc(computation->columns + 1, sizeof *r->counts);
	r->messages = mem_zalloc(computation->columns + 1, sizeof *r->messages);
	for (uint32_t c = 0; c < computation->columns; c++)
		r->messages[c] = mem_zalloc(computation->messages.count + 1, sizeof **r->messages);
	for (uint32_t i = 0; i < computation->messages.count; i++) {
		const struct message *m = &computation->messages.items[i];

		r->messages[m->column][m->position] = i;
		r->counts[m->column]++;
		for (uint32_t k = 0; k < m->member_count; k++) {
			const struct message_member *member = &m->members[k];
			bool fresh;
			uint64_t *number = map_put(&r->sets, member->set, &fresh);

			if (fresh) {
				*vec_push(&r->states) =
					(struct set_state){ .object = member->object,
							    .lock = member->lock,
							    .shared = member->shared };
				*number = r->states.count;
			}
			r->states.items[*number - 1].members++;
		}
	}
}

static void stop(struct runner *r)
{
	for (uint32_t c = 0; c < r->computation->columns; c++)
		free(r->messages[c]);
	free(r->messages);
	free(r->counts);
	free(r->at);
	map_free(&r->sets);
	vec_free(&r->states);
}

/*
 * Makes a random run. A column may continue for several steps, because runs that switch at every
 * step are all similar.
 */
static size_t run(struct runner *r, uint64_t *random, uint32_t *columns)
{
	uint32_t column = 0, width = r->computation->columns;
	size_t length = 0;

	for (uint32_t tries = 0; width && tries < 2 * width + 4;) {
		const struct message *m;

		if (tries || !case_random(random, 3))
			column = (column + (uint32_t)case_random(random, width)) % width;
		if (tries > width)
			column = tries % width;
		m = r->at[column] < r->counts[column]
			    ? &r->computation->messages.items[r->messages[column][r->at[column]]]
			    : NULL;
		if (!m || !is_enabled(r, m)) {
			tries++;
			continue;
		}
		happen(r, m);
		columns[length++] = column;
		tries = 0;
	}
	return length;
}

/* ---- the checker ----------------------------------------------------------------------------- */

bool play_enter(struct checker *checker, const struct trace *trace, struct err *err)
{
	struct trace_order *order = trace_order_open(trace);
	VEC(struct checker_slice) runs = { 0 };
	struct trace_event event;
	bool ok;

	while (trace_order_next(order, &event)) {
		if (event.index == TRACE_NO_INDEX)
			continue;
		if (!runs.count || runs.items[runs.count - 1].stream != event.stream)
			*vec_push(&runs) = (struct checker_slice){ event.stream, 0 };
		runs.items[runs.count - 1].end = event.index + 1;
	}
	trace_order_close(order);
	ok = checker_enter(checker, NULL, 0, runs.items, runs.count, err);
	vec_free(&runs);
	return ok;
}

bool play_accepts(struct checker *checker, const computation_schedule *schedule, struct err *err)
{
	struct checker_witness witness = { .claim = CHECKER_PREFIX };
	VEC(struct event_id) steps = { 0 };
	bool ok;

	for (size_t i = 0; i < schedule->count; i++) {
		if (!schedule->items[i].before)
			*vec_push(&steps) = (struct event_id){ schedule->items[i].id.stream,
							       schedule->items[i].id.index };
	}
	witness.steps = steps.items;
	witness.step_count = steps.count;
	ok = checker_accepts(checker, &witness, err);
	vec_free(&steps);
	return ok;
}

static bool play(struct checker *checker, const struct computation *computation, uint64_t *random,
		 struct err *err)
{
	uint32_t *columns = mem_zalloc(computation->messages.count + 1, sizeof *columns);
	computation_schedule schedule = { 0 };
	struct runner r;
	bool ok;

	start(&r, computation);
	computation_schedule_run(computation, columns, run(&r, random, columns), &schedule);
	ok = play_accepts(checker, &schedule, err);
	stop(&r);
	vec_free(&schedule);
	free(columns);
	return ok;
}

/* ------------------------------------------------------------------------------------------------ */

static bool play_modes(const char *path, const struct trace *trace, const struct property_set *set,
		       uint64_t *random, int runs)
{
	static const char *const names[] = { "weak, all", "weak, relevant", "strong, all",
					     "strong, relevant" };
	struct checker *checker = checker_open(trace);
	struct err err = { "" };
	bool ok = play_enter(checker, trace, &err);

	if (!ok)
		printf("%s: %s\n", path, err.text);
	for (int mode = 0; ok && mode < 4; mode++) {
		struct computation_options options = {
			.causality = mode >> 1 ? COMPUTATION_STRONG : COMPUTATION_WEAK,
			.events = mode & 1 ? COMPUTATION_RELEVANT : COMPUTATION_ALL,
		};
		struct computations computations;

		if (!computations_read(trace, set, &options, &computations, &err)) {
			printf("%s: %s\n", path, err.text);
			ok = false;
			break;
		}
		for (size_t i = 0; ok && i < computations.list.count; i++) {
			for (int k = 0; ok && k < runs; k++) {
				ok = play(checker, &computations.list.items[i], random, &err);
				if (!ok)
					printf("%s (%s): %s\n", path, names[mode], err.text);
			}
		}
		computations_free(&computations);
	}
	checker_close(checker);
	return ok;
}

bool play_trace(const char *path, const char *property, uint64_t *random, int runs)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("play.prop", property, &messages);
	struct property_set set = { 0 };
	struct trace *trace = NULL;
	struct err err = { "" };
	bool ok = file && trace_open(path, &trace, &err) &&
		  property_read(trace, &file, 1, &set, &err);

	if (!file)
		printf("%s\n", messages.list.items[0].shown);
	else if (!ok)
		printf("%s: %s\n", path, err.text);
	else
		ok = play_modes(path, trace, &set, random, runs);
	spec_messages_free(&messages);
	property_set_free(&set);
	trace_close(trace);
	spec_free(file);
	return ok;
}
