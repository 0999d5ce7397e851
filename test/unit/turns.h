/* Runs of the programs in test/turns, for the tests of the scheduler. */
#ifndef TEST_UNIT_TURNS_H
#define TEST_UNIT_TURNS_H

#include "event/event.h"
#include "explore/control/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TURNS_SECONDS 60

static inline void turns_build(const char *name)
{
	char command[8192];
	const char *test = getenv("SOOTH_TEST");

	assert_non_null(test);
	snprintf(command, sizeof(command),
		 "sooth-cc -O1 -g -D_GNU_SOURCE -pthread -o ./%s %s/turns/%s.c", name, test, name);
	assert_int_equal(system(command), 0);
}

/* Opens a session. `words` must live as long as the session. */
static inline struct runner *turns_open(char **words, enum runner_mode mode)
{
	struct runner_options options = {
		.program = words, .mode = mode, .quiet = true, .seconds = TURNS_SECONDS
	};
	struct err err;
	struct runner *session = runner_open(&options, &err);

	if (!session)
		fail_msg("%s", err.text);
	return session;
}

static inline struct outcome turns_run(struct runner *session, const struct plan *plan)
{
	struct executor *executor = runner_executor(session);
	struct outcome outcome;
	struct err err;

	if (!executor->run(executor, plan, &outcome, &err))
		fail_msg("%s", err.text);
	return outcome;
}

/* Makes a plan of the order of a run. */
static inline void turns_follow(struct plan *plan, const struct control_event *events,
				uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i + 1 < count && events[i + 1].thread == events[i].thread)
			continue;
		*vec_push(&plan->slices) =
			(struct control_slice){ events[i].thread, events[i].step + 1 };
	}
}

static inline struct control_event *turns_keep(const struct outcome *outcome)
{
	size_t bytes = outcome->event_count * sizeof(*outcome->events);
	struct control_event *kept = malloc(bytes + 1);

	memcpy(kept, outcome->events, bytes);
	return kept;
}

static inline void turns_compare(const struct control_event *a, uint32_t a_count,
				 const struct outcome *b, const char *where)
{
	for (uint32_t i = 0; i < a_count && i < b->event_count; i++)
		if (memcmp(&a[i], &b->events[i], sizeof(a[i])) != 0)
			fail_msg("%s: event %u: T%u.%u %s value %#lx, then T%u.%u %s value %#lx",
				 where, i, a[i].thread, a[i].step,
				 event_name((enum event_kind)a[i].kind), a[i].other,
				 b->events[i].thread, b->events[i].step,
				 event_name((enum event_kind)b->events[i].kind),
				 b->events[i].other);
	if (a_count != b->event_count)
		fail_msg("%s: %u events, then %u", where, a_count, b->event_count);
}

#endif
