#include "lattice_messages.h"

#include "lattice_play.h"

#include <stdlib.h>
#include <string.h>

/* ---- as a system ----------------------------------------------------------------------------- */

int messages_line(const struct trace *trace, const struct lattice_case *c, struct event_id id)
{
	const char *name = trace_thread_name(trace, id.stream);
	uint64_t index = 0;

	for (int i = 0; i < c->count; i++) {
		if (c->events[i].thread == atoi(name + 1) && index++ == id.index)
			return i;
	}
	return -1;
}

static int number_at(const struct computation *computation, uint32_t column, uint32_t position)
{
	for (size_t i = 0; i < computation->messages.count; i++) {
		const struct message *m = &computation->messages.items[i];

		if (m->column == column && m->position == position)
			return (int)i;
	}
	return -1;
}

static uint64_t prefix(const struct computation *computation, uint32_t column, uint32_t count)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < count; i++)
		mask |= 1ull << number_at(computation, column, i);
	return mask;
}

bool messages_system(const struct trace *trace, const struct lattice_case *c,
		     const struct computation *computation, struct system *s)
{
	uint32_t ids[SYSTEM_SETS];

	*s = (struct system){ .count = (int)computation->messages.count };
	if (s->count > SYSTEM_EVENTS - 1)
		return false;
	for (int i = 0; i < s->count; i++) {
		const struct message *m = &computation->messages.items[i];
		int line = messages_line(trace, c, m->parts[m->anchor]);

		s->seen[i] = m->label == LABEL_SILENT ? -1 : 2 * line + !m->before;
		s->before[i] = prefix(computation, m->column, m->position);
		for (uint32_t k = 0; k < m->need_count; k++)
			s->before[i] |= prefix(computation, m->needs[k].column, m->needs[k].count);
		for (uint32_t k = 0; k < m->fence_count; k++)
			s->fenced[i] |=
				prefix(computation, m->fences[k].column, m->fences[k].count);
		for (uint32_t k = 0; k < m->member_count; k++) {
			const struct message_member *member = &m->members[k];
			int n = 0;

			while (n < s->set_count && ids[n] != member->set)
				n++;
			if (n == SYSTEM_SETS)
				return false;
			if (n == s->set_count) {
				ids[s->set_count++] = member->set;
				s->sets[n] = (struct system_set){ .object = (int)member->object,
								  .lock = member->lock,
								  .shared = member->shared };
			}
			s->sets[n].members |= 1ull << i;
			if (member->role == MESSAGE_CLOSES || member->role == MESSAGE_PASSES)
				s->sets[n].closers |= 1ull << i;
		}
	}
	return true;
}

/* ---- schedules ------------------------------------------------------------------------------- */

static size_t random_run(const struct computation *computation, const struct system *s,
			 uint64_t *random, uint32_t *columns)
{
	uint64_t cut = 0;
	size_t length = 0;

	for (;;) {
		int enabled[SYSTEM_EVENTS], count = 0, chosen;

		for (int e = 0; e < s->count; e++) {
			if (brute_enabled(s, cut, e))
				enabled[count++] = e;
		}
		if (!count || !case_random(random, 40))
			return length;
		chosen = enabled[case_random(random, (uint64_t)count)];
		cut |= 1ull << chosen;
		columns[length++] = computation->messages.items[chosen].column;
	}
}

const char *messages_play(const struct trace *trace, const struct computation *computation,
			  const struct system *s, uint64_t *random, int count)
{
	static struct err err;
	struct checker *checker = checker_open(trace);
	bool ok = play_enter(checker, trace, &err);

	for (int i = 0; ok && i < count; i++) {
		computation_schedule schedule = { 0 };
		uint32_t columns[SYSTEM_EVENTS];
		size_t length = random_run(computation, s, random, columns);

		computation_schedule_run(computation, columns, length, &schedule);
		ok = play_accepts(checker, &schedule, &err);
		vec_free(&schedule);
	}
	checker_close(checker);
	return ok ? NULL : err.text;
}
