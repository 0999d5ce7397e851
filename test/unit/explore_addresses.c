/*
 * Tests what must be the same in each controlled run: addresses of blocks, stacks and thread-local
 * variables, clocks, and random numbers. Also tests that an access to a freed block can end the
 * run.
 */
#include "event/event.h"
#include "explore/control/runner.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

/* ---- the program, which does what its argument says ----------------------------------------- */

static const char program_text[] =
	"#include <pthread.h>\n"
	"#include <stdint.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#include <sys/random.h>\n"
	"#include <time.h>\n"
	"static __thread int local;\n"
	"static int *volatile shared;\n"
	"static struct { pthread_mutex_t mutex; int value; } *locked;\n"
	"static uint64_t numbers[3];\n"
	"static void touch(int *volatile at) { *at += 1; }\n"
	"static void *place(void *argument)\n"
	"{\n"
	"	int mine = 0, number = (int)(intptr_t)argument;\n"
	"	for (int i = 1; i < 12; i++) {\n"
	"		char *block = malloc(40 * number + i), *more;\n"
	"		block[3] = 'x';\n"
	"		more = realloc(block, 100 * i);\n"
	"		touch(&local);\n"
	"		touch(&mine);\n"
	"		printf(\"%c\\n\", more[3]); /* the first to print makes the buffer */\n"
	"		if (i % 3)\n"
	"			free(more);\n"
	"	}\n"
	"	getrandom(&numbers[number], sizeof(numbers[number]), 0);\n"
	"	touch((int *)&numbers[number]);\n"
	"	return NULL;\n"
	"}\n"
	"static void *use(void *unused)\n"
	"{\n"
	"	*shared = 5;\n"
	"	return unused;\n"
	"}\n"
	"static void *end(void *unused)\n"
	"{\n"
	"	free(shared);\n"
	"	return unused;\n"
	"}\n"
	"static void run(void *(*one)(void *), void *(*two)(void *))\n"
	"{\n"
	"	pthread_t threads[2];\n"
	"	pthread_create(&threads[0], NULL, one, (void *)1);\n"
	"	pthread_create(&threads[1], NULL, two, (void *)2);\n"
	"	pthread_join(threads[0], NULL);\n"
	"	pthread_join(threads[1], NULL);\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	char buffer[8], *block = malloc(64);\n"
	"	struct timespec time;\n"
	"	shared = malloc(sizeof(*shared));\n"
	"	locked = malloc(sizeof(*locked));\n"
	"	pthread_mutex_init(&locked->mutex, NULL);\n"
	"	clock_gettime(CLOCK_REALTIME, &time);\n"
	"	touch((int *)&time.tv_nsec);\n"
	"	switch (argc > 1 ? argv[1][0] : 0) {\n"
	"	case 'p': run(place, place); break;\n"
	"	case 'g': touch(shared); free(shared); break; /* good */\n"
	"	case 'r': run(use, end); break; /* the free may come first */\n"
	"	case 'l': free(locked); pthread_mutex_lock(&locked->mutex); break;\n"
	"	case 'c': free(block); memcpy(buffer, block, sizeof(buffer)); break;\n"
	"	case 'm': free(block); memset(block + 40, 1, 4); break;\n"
	"	case 's': free(block); printf(\"%zu\\n\", strlen(block)); break;\n"
	"	case 'a': free(shared); __atomic_fetch_add(shared, 1, __ATOMIC_SEQ_CST); break;\n"
	"	case '2': free(block); free(block); break;\n"
	"	case 'i': free(block + 16); break;\n"
	"	case 'o': block = realloc(block, 4000); block = realloc(block - 16, 1); break;\n"
	"	}\n"
	"	return 0;\n"
	"}\n";

static void build(void)
{
	FILE *file = fopen("places.c", "w");

	assert_non_null(file);
	fputs(program_text, file);
	fclose(file);
	assert_int_equal(system("sooth-cc -O1 -g -w -fno-builtin -pthread -o places places.c"), 0);
}

static struct runner *open_session(char *what, enum runner_mode mode)
{
	/* static, because the session keeps using them */
	static char *words[] = { "./places", NULL, NULL };
	struct err err;
	struct runner_options options = {
		.program = words, .mode = mode, .quiet = true, .seconds = 20
	};
	words[1] = what;
	struct runner *session = runner_open(&options, &err);
	if (!session)
		fail_msg("%s", err.text);
	return session;
}

static struct outcome run(struct runner *session, uint64_t seed, uint32_t more)
{
	struct executor *executor = runner_executor(session);
	struct plan plan = { .policy = seed ? CONTROL_PRIORITIES : CONTROL_STAY,
			     .seed = seed,
			     .options = CONTROL_END_STUCK | more };
	struct outcome outcome;
	struct err err;

	if (!executor->run(executor, &plan, &outcome, &err))
		fail_msg("%s", err.text);
	return outcome;
}

/* ---- where and when ------------------------------------------------------------------------- */

#define STEPS 1024
#define THREADS 8

struct steps {
	struct control_event of[THREADS][STEPS];
	uint32_t count[THREADS];
};

static void keep(struct steps *steps, const struct outcome *outcome)
{
	memset(steps, 0, sizeof(*steps));
	assert_int_equal(outcome->result, CONTROL_ENDED);
	for (uint32_t i = 0; i < outcome->event_count; i++) {
		const struct control_event *e = &outcome->events[i];
		assert_true(e->thread < THREADS && e->step < STEPS);
		assert_int_equal(e->step, steps->count[e->thread]);
		steps->of[e->thread][e->step] = *e;
		steps->count[e->thread]++;
	}
}

/*
 * Each thread must have the same steps with the same addresses and values in both runs, whatever
 * the other threads did in between.
 */
static void compare(const struct steps *a, const struct steps *b, uint64_t seed)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		assert_int_equal(a->count[t], b->count[t]);
		for (uint32_t i = 0; i < a->count[t]; i++) {
			const struct control_event *x = &a->of[t][i], *y = &b->of[t][i];
			if (x->kind != y->kind || x->address != y->address || x->size != y->size ||
			    x->site != y->site || x->other != y->other)
				fail_msg("seed %lu: thread %u, step %u: %s %#lx, not %s %#lx",
					 (unsigned long)seed, t, i,
					 event_text((enum event_kind)y->kind),
					 (unsigned long)y->address,
					 event_text((enum event_kind)x->kind),
					 (unsigned long)x->address);
		}
	}
}

static void test_same_places(void **state)
{
	static struct steps first, again;
	static const enum runner_mode modes[] = { RUNNER_ONCE, RUNNER_FORK, RUNNER_FORK_FIBERS,
						  RUNNER_PERSISTENT };
	uint32_t blocks = 0;

	(void)state;
	build();
	for (unsigned m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		struct runner *session = open_session("p", modes[m]);
		for (uint64_t seed = 0; seed < 8; seed++) {
			struct outcome outcome = run(session, seed, CONTROL_CHECK_HEAP);
			keep(m == 0 && seed == 0 ? &first : &again, &outcome);
			if (m > 0 || seed > 0)
				compare(&first, &again, seed);
		}
		runner_close(session);
	}
	for (uint32_t t = 1; t <= 2; t++)
		for (uint32_t i = 0; i < first.count[t]; i++)
			blocks += first.of[t][i].kind == EV_ALLOC;
	assert_int_equal(blocks, 2 * 22);
}

/* ---- freed blocks --------------------------------------------------------------------------- */

static void ends(char *what, uint32_t options, enum control_result result)
{
	struct runner *session = open_session(what, RUNNER_ONCE);
	struct outcome outcome = run(session, 0, options);

	if (outcome.result != result)
		fail_msg("%s: ended with %d, not %d", what, (int)outcome.result, (int)result);
	if (result == CONTROL_USE_AFTER_FREE || result == CONTROL_BAD_FREE) {
		assert_true(outcome.control->fault_address != 0);
		assert_true(outcome.control->fault_site != 0);
		assert_int_equal(outcome.control->fault_thread, 0);
	}
	runner_close(session);
}

static void test_freed(void **state)
{
	(void)state;
	build();
	ends("good", CONTROL_CHECK_HEAP, CONTROL_ENDED);
	ends("lock", CONTROL_CHECK_HEAP, CONTROL_USE_AFTER_FREE);
	ends("copy", CONTROL_CHECK_HEAP, CONTROL_USE_AFTER_FREE);
	ends("memset", CONTROL_CHECK_HEAP, CONTROL_USE_AFTER_FREE);
	ends("strlen", CONTROL_CHECK_HEAP, CONTROL_USE_AFTER_FREE);
	ends("atomic", CONTROL_CHECK_HEAP, CONTROL_USE_AFTER_FREE);
	ends("2", CONTROL_CHECK_HEAP, CONTROL_BAD_FREE);
	ends("interior", CONTROL_CHECK_HEAP, CONTROL_BAD_FREE);
	ends("outside", CONTROL_CHECK_HEAP, CONTROL_BAD_FREE);
	/* without the option, an access to a freed block does not end the run */
	ends("copy", 0, CONTROL_ENDED);
	ends("2", 0, CONTROL_ABORTED);
}

/* The result depends on which thread comes first. */
static void test_race_with_free(void **state)
{
	unsigned used = 0, ended = 0;

	(void)state;
	build();
	struct runner *session = open_session("r", RUNNER_FORK);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct outcome outcome = run(session, seed, CONTROL_CHECK_HEAP);
		ended += outcome.result == CONTROL_ENDED;
		used += outcome.result == CONTROL_USE_AFTER_FREE;
		if (outcome.result == CONTROL_USE_AFTER_FREE)
			assert_int_equal(outcome.control->fault_thread, 1);
	}
	runner_close(session);
	assert_true(used > 0 && ended > 0);
	assert_int_equal(used + ended, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_places),
		cmocka_unit_test(test_freed),
		cmocka_unit_test(test_race_with_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
