/*
 * Tests a session with a program that plays the part of the runtime: this test program, executed
 * again. The plan's seed selects the deed, so that each test can request one way of ending.
 */
#include "explore/control/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the program --------------------------------------------------------------------------- */

enum deed {
	DEED_END = 1,
	DEED_CRASH,
	DEED_HANG,
	DEED_UNFIT_PERSISTENT, /* ends normally in any other mode */
	DEED_UNFIT_SERVED,
	DEED_HOLD,
	DEED_DEADLOCK,
	DEED_KILL_SERVER,
	DEED_READ, /* logs what it reads from standard input */
};

static struct control *map_control(void)
{
	const char *at = strstr(getenv("SOOTH_OPTIONS"), "control=\"");
	char path[128] = "";
	struct control *c;
	int fd;

	if (!at || sscanf(at, "control=\"%127[^\"]", path) != 1)
		_exit(90);
	fd = open(path, O_RDWR);
	if (fd < 0)
		_exit(91);
	c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	c = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (c == MAP_FAILED || c->magic != CONTROL_MAGIC)
		_exit(92);
	return c;
}

static void log_run(struct control *c, uint64_t value)
{
	struct control_event *events = (void *)((char *)c + c->events_at);
	const struct control_slice *runs = (const void *)((char *)c + c->slices_at);

	events[0] = (struct control_event){ .thread = 7, .step = c->run_count, .other = value };
	if (c->run_count)
		events[0].address = runs[c->run_count - 1].until;
	c->event_count = 1;
}

static void hold(struct control *c)
{
	c->stops_met = 1;
	__atomic_store_n(&c->held, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&c->held, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &c->held, FUTEX_WAIT, 1, NULL, NULL, 0);
	c->result = CONTROL_ENDED;
}

static void play(struct control *c)
{
	char byte = 0;

	log_run(c, 0);
	switch ((enum deed)c->seed) {
	case DEED_END: c->result = CONTROL_ENDED; break;
	case DEED_CRASH:
		signal(SIGSEGV, SIG_DFL); /* otherwise a sanitizer's handler would exit */
		raise(SIGSEGV);
		break;
	case DEED_HANG: pause(); break;
	case DEED_UNFIT_PERSISTENT:
		c->result = c->options & CONTROL_PERSISTENT ? CONTROL_UNFIT : CONTROL_ENDED;
		strcpy(c->text, "it opens files");
		break;
	case DEED_UNFIT_SERVED:
		c->result = c->options & CONTROL_SERVER ? CONTROL_UNFIT : CONTROL_ENDED;
		break;
	case DEED_HOLD: hold(c); break;
	case DEED_DEADLOCK:
		c->result = CONTROL_DEADLOCK;
		c->blocked_count = UINT32_MAX; /* as if a wild store had overwritten it */
		break;
	case DEED_KILL_SERVER: kill((pid_t)c->owner, SIGKILL); break;
	case DEED_READ:
		if (read(0, &byte, 1) < 0)
			_exit(93);
		log_run(c, (uint64_t)byte);
		c->result = CONTROL_ENDED;
		break;
	}
}

static void serve(struct control *c)
{
	for (;;) {
		uint32_t command;
		int status = 0;

		__atomic_store_n(&c->command_awaited, 1, __ATOMIC_SEQ_CST);
		while ((command = __atomic_load_n(&c->command, __ATOMIC_SEQ_CST)) == c->done)
			syscall(SYS_futex, &c->command, FUTEX_WAIT, c->done, NULL, NULL, 0);
		if (c->options & CONTROL_PERSISTENT) {
			c->child = (uint32_t)getpid();
			play(c);
		} else {
			pid_t child = fork();
			if (!child) {
				play(c);
				_exit(3);
			}
			c->child = (uint32_t)child;
			waitpid(child, &status, 0);
		}
		c->status = status;
		__atomic_store_n(&c->done, command, __ATOMIC_RELEASE);
		syscall(SYS_futex, &c->done, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

static int be_program(void)
{
	struct control *c = map_control();

	c->owner = (uint32_t)getpid();
	if (c->options & CONTROL_SERVER)
		serve(c);
	c->child = (uint32_t)getpid();
	play(c);
	return 3;
}

/* ---- the tests ----------------------------------------------------------------------------- */

static char self[] = "/proc/self/exe", word[] = "--program";
static char *program[] = { self, word, NULL };

static struct runner *open_session(enum runner_mode mode, double seconds)
{
	struct err err = { 0 };
	struct runner *s = runner_open(
		&(struct runner_options){ .program = program, .mode = mode, .seconds = seconds },
		&err);

	assert_non_null(s);
	return s;
}

static void run(struct runner *s, enum deed deed, uint32_t runs, struct outcome *outcome)
{
	struct executor *e = runner_executor(s);
	struct plan plan = { .seed = deed };
	struct err err = { 0 };

	for (uint32_t i = 0; i < runs; i++)
		*vec_push(&plan.slices) = (struct control_slice){ 0, i + 100 };
	if (!e->run(e, &plan, outcome, &err))
		fail_msg("%s", err.text);
	plan_free(&plan);
}

static void each_mode_runs_plans(void **state)
{
	(void)state;
	for (enum runner_mode mode = RUNNER_ONCE; mode <= RUNNER_PERSISTENT; mode++) {
		struct runner *s = open_session(mode, 0);
		struct outcome outcome;

		for (uint32_t i = 0; i < 5; i++) {
			run(s, DEED_END, i * 1000, &outcome);
			assert_int_equal(outcome.result, CONTROL_ENDED);
			assert_int_equal(outcome.event_count, 1);
			assert_int_equal(outcome.events[0].thread, 7);
			assert_int_equal(outcome.events[0].step, i * 1000);
			assert_int_equal(outcome.events[0].address, i ? i * 1000 + 99 : 0);
			if (mode != RUNNER_PERSISTENT)
				assert_int_equal(WEXITSTATUS(outcome.status), 3);
		}
		assert_int_equal(runner_mode(s), mode);
		assert_null(runner_fallback(s));
		runner_close(s);
	}
}

static void crashes_are_told(void **state)
{
	(void)state;
	for (enum runner_mode mode = RUNNER_ONCE; mode <= RUNNER_PERSISTENT; mode++) {
		struct runner *s = open_session(mode, 0);
		struct outcome outcome;

		for (unsigned i = 0; i < 4; i++) { /* a server that crashes is replaced */
			run(s, DEED_CRASH, 0, &outcome);
			assert_int_equal(outcome.result, CONTROL_CRASHED);
			assert_int_equal(WTERMSIG(outcome.status), SIGSEGV);
			run(s, DEED_END, 3, &outcome);
			assert_int_equal(outcome.result, CONTROL_ENDED);
			assert_int_equal(outcome.events[0].step, 3);
		}
		assert_int_equal(runner_mode(s), mode);
		runner_close(s);
	}
}

static void late_runs_are_killed(void **state)
{
	(void)state;
	for (enum runner_mode mode = RUNNER_ONCE; mode <= RUNNER_PERSISTENT; mode++) {
		struct runner *s = open_session(mode, 0.05);
		struct outcome outcome;

		run(s, DEED_HANG, 0, &outcome);
		assert_int_equal(outcome.result, CONTROL_HUNG);
		runner_close(s);
	}
}

static void unfit_programs_fall_back(void **state)
{
	struct runner *s = open_session(RUNNER_PERSISTENT, 0);
	struct outcome outcome;

	(void)state;
	run(s, DEED_UNFIT_PERSISTENT, 5, &outcome);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_int_equal(outcome.events[0].step, 5);
	assert_int_equal(runner_mode(s), RUNNER_FORK_FIBERS);
	assert_non_null(strstr(runner_fallback(s), "it opens files"));
	run(s, DEED_UNFIT_SERVED, 6, &outcome);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	assert_int_equal(outcome.events[0].step, 6);
	assert_int_equal(runner_mode(s), RUNNER_ONCE);
	runner_close(s);
}

static void servers_that_die_are_replaced(void **state)
{
	struct runner *s = open_session(RUNNER_FORK, 0);
	struct outcome outcome;

	(void)state;
	run(s, DEED_KILL_SERVER, 0, &outcome);
	assert_int_equal(outcome.result, CONTROL_CRASHED);
	run(s, DEED_END, 0, &outcome);
	assert_int_equal(outcome.result, CONTROL_ENDED);
	runner_close(s);
}

static void wild_counts_are_cut(void **state)
{
	struct runner *s = open_session(RUNNER_ONCE, 0);
	struct outcome outcome;

	(void)state;
	run(s, DEED_DEADLOCK, 0, &outcome);
	assert_int_equal(outcome.result, CONTROL_DEADLOCK);
	assert_int_equal(outcome.blocked_count, CONTROL_THREADS);
	runner_close(s);
}

static unsigned looked;

static void look(void *context, int pid, const struct control *control)
{
	assert_ptr_equal(context, &looked);
	assert_int_equal(pid, control->child);
	assert_int_equal(control->stops_met, 1);
	assert_int_equal(kill(pid, 0), 0);
	looked++;
}

static void held_threads_are_shown(void **state)
{
	(void)state;
	looked = 0;
	for (enum runner_mode mode = RUNNER_ONCE; mode <= RUNNER_FORK; mode++) {
		struct err err = { 0 };
		struct runner *s = runner_open(&(struct runner_options){ .program = program,
									 .mode = mode,
									 .on_held = look,
									 .context = &looked },
					       &err);
		struct executor *e = runner_executor(s);
		struct plan plan = { .seed = DEED_HOLD, .options = CONTROL_HOLD };
		struct outcome outcome;

		assert_true(e->run(e, &plan, &outcome, &err));
		assert_int_equal(outcome.result, CONTROL_ENDED);
		runner_close(s);
	}
	assert_int_equal(looked, 2);
}

static void a_stop_ends_the_run(void **state)
{
	static const volatile int stop = 1;

	(void)state;
	for (enum runner_mode mode = RUNNER_ONCE; mode <= RUNNER_PERSISTENT; mode++) {
		struct err err = { 0 };
		struct runner *s = runner_open(
			&(struct runner_options){ .program = program, .mode = mode, .stop = &stop },
			&err);
		struct executor *e = runner_executor(s);
		struct plan plan = { .seed = DEED_HANG };
		struct outcome outcome;

		assert_false(e->run(e, &plan, &outcome, &err));
		assert_string_equal(err.text, "interrupted");
		runner_close(s);
	}
}

static void others_cannot_be_run(void **state)
{
	static char none[] = "/nonexistent/program", name_true[] = "true";
	char *words[][2] = { { none, NULL }, { name_true, NULL } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (enum runner_mode mode = RUNNER_ONCE; mode <= RUNNER_PERSISTENT; mode++) {
			struct err err = { 0 };
			struct runner *s = runner_open(
				&(struct runner_options){ .program = words[i], .mode = mode },
				&err);
			struct executor *e = runner_executor(s);
			struct plan plan = { 0 };
			struct outcome outcome;

			assert_false(e->run(e, &plan, &outcome, &err));
			assert_non_null(strstr(err.text, words[i][0]));
			runner_close(s);
		}
	}
}

static void input_is_read_again(void **state)
{
	int saved = dup(0);
	FILE *file = tmpfile();
	struct outcome outcome;
	struct runner *s;

	(void)state;
	assert_non_null(file);
	fputs("abc", file);
	fflush(file);
	assert_int_equal(dup2(fileno(file), 0), 0);
	lseek(0, 1, SEEK_SET);
	s = open_session(RUNNER_ONCE, 0);
	for (unsigned i = 0; i < 3; i++) {
		run(s, DEED_READ, 0, &outcome);
		assert_int_equal(outcome.events[0].other, 'b');
	}
	runner_close(s);
	dup2(saved, 0);
	close(saved);
	fclose(file);
}

static void known_threads_stay(void **state)
{
	const struct control_thread threads[] = { { CONTROL_NONE, 0 }, { 0, 0 }, { 1, 0 } };
	struct runner *s = open_session(RUNNER_ONCE, 0);
	struct outcome outcome;

	(void)state;
	runner_know_threads(s, threads, 3);
	run(s, DEED_END, 0, &outcome);
	assert_int_equal(outcome.thread_count, 3);
	assert_int_equal(outcome.threads[2].creator, 1);
	runner_close(s);
}

static void plans_are_copied(void **state)
{
	struct plan a = { .policy = CONTROL_RANDOM, .seed = 9 }, b = { 0 };

	(void)state;
	*vec_push(&a.slices) = (struct control_slice){ 1, 2 };
	*vec_push(&b.rules) = (struct control_rule){ 1, 2, 3, 4 };
	plan_copy(&b, &a);
	assert_int_equal(b.slices.count, 1);
	assert_int_equal(b.slices.items[0].until, 2);
	assert_int_equal(b.rules.count, 0);
	assert_int_equal(b.seed, 9);
	plan_clear(&b);
	assert_int_equal(b.slices.count, 0);
	plan_free(&a);
	plan_free(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mode_runs_plans),
		cmocka_unit_test(crashes_are_told),
		cmocka_unit_test(late_runs_are_killed),
		cmocka_unit_test(unfit_programs_fall_back),
		cmocka_unit_test(servers_that_die_are_replaced),
		cmocka_unit_test(wild_counts_are_cut),
		cmocka_unit_test(held_threads_are_shown),
		cmocka_unit_test(a_stop_ends_the_run),
		cmocka_unit_test(others_cannot_be_run),
		cmocka_unit_test(input_is_read_again),
		cmocka_unit_test(known_threads_stay),
		cmocka_unit_test(plans_are_copied),
	};

	if (argc > 1 && !strcmp(argv[1], word))
		return be_program();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
