/*
 * Runs a program under control in one of four modes. In RUNNER_ONCE, the runner executes the
 * program for each run and waits for its end. The other modes use a server inside the program
 * (src/runtime/server/server.c): it waits just before main and continues into main at each command,
 * in a new process or, in RUNNER_PERSISTENT, in the server process itself.
 *
 * A program that cannot run in a mode reports CONTROL_UNFIT. The runner then falls back to the next
 * slower mode for this and all later runs. The caller sees that only in runner_mode() and
 * runner_fallback().
 */
#include "explore/control/runner.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "explore/control/control_file.h"
#include "explore/control/target_process.h"
#include "trace/remove.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MOST (1u << 20)
#define PLAN_BYTES (64u << 20)
#define SECONDS 60.0
#define SPIN_USUAL 20e-6 /* seconds to poll for the answer before sleeping */
#define SPIN_MOST 2e-3	 /* the most seconds to poll, where recent runs took less than half of it */
#define POLL_MS 50	 /* interval of the checks whether the server lives and we must stop */
#define HELD_POLL_MS 2	 /* the same interval with CONTROL_HOLD */
#define DEATHS_MOST 3	 /* deaths of a server before its first answer */

struct runner {
	struct executor executor; /* must be first: run_plan() casts its address to a runner */
	struct runner_options options;
	struct target_process program;
	char *runtime_options; /* added to SOOTH_OPTIONS */
	struct control_file file;
	enum runner_mode mode;
	char *fallback;
	bool spins;
	bool lends;	      /* FORK, FORK_FIBERS: a run's process shares the server's memory */
	double usual_seconds; /* moving average of the seconds of a run */
	/* process of the program, or of the server if there is one; `fd` as in target_process.h */
	pid_t pid;
	int fd;
	bool running;
	unsigned deaths;
};

/* ---- waiting --------------------------------------------------------------------------------- */

static bool must_stop(const struct runner *s)
{
	return s->options.stop && *s->options.stop;
}

static void futex_wait(uint32_t *word, uint32_t value, int milliseconds)
{
	struct timespec most = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static uint32_t load_word(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* ---- the process ----------------------------------------------------------------------------- */

static bool start_program(struct runner *s, struct err *err)
{
	if (s->options.trace && trace_exists(s->options.trace) && !trace_remove(s->options.trace))
		return err_set_system(err, errno, "%s: cannot replace the recording",
				      s->options.trace);
	s->file.control->owner = 0;
	if (!target_process_start(&s->program, &s->pid, &s->fd, err))
		return false;
	s->running = true;
	return true;
}

static void release_program(struct runner *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->running = false;
}

static void end_program(struct runner *s)
{
	int status;

	if (!s->running)
		return;
	target_process_kill(s->pid, &status);
	release_program(s);
}

/* Did the runtime take control of the process? The owner, a result, events or steps show it. */
static bool has_taken_control(const struct control *c)
{
	return load_word(&c->owner) || c->result != CONTROL_UNFINISHED || c->event_count ||
	       c->steps;
}

/*
 * Reads the outcome of a run. If the runtime did not report a result, derives it from the wait
 * status.
 */
static void read_outcome(const struct runner *s, struct outcome *outcome, int status)
{
	control_file_read(&s->file, outcome);
	outcome->status = status;
	if (outcome->result != CONTROL_UNFINISHED)
		return;
	if (!WIFSIGNALED(status))
		outcome->result = CONTROL_ENDED;
	else
		outcome->result = WTERMSIG(status) == SIGABRT ? CONTROL_ABORTED : CONTROL_CRASHED;
}

/*
 * If all stops are reached or the run has failed, calls on_held() and then lets the threads
 * continue.
 */
static void call_on_held(struct runner *s)
{
	struct control *c = s->file.control;

	if (!load_word(&c->held))
		return;
	if (s->options.on_held)
		s->options.on_held(s->options.context, (int)load_word(&c->child), c);
	__atomic_store_n(&c->held, 0, __ATOMIC_RELEASE);
	futex_wake(&c->held);
}

static int poll_interval(const struct plan *plan)
{
	return plan->options & CONTROL_HOLD ? HELD_POLL_MS : POLL_MS;
}

/* ---- runs that execute the program ----------------------------------------------------------- */

static bool run_once(struct runner *s, const struct plan *plan, struct outcome *outcome,
		     struct err *err)
{
	double deadline;
	int status;

	if (!start_program(s, err))
		return false;
	deadline = seconds_now() + s->options.seconds;
	while (!target_process_ended(s->pid, s->fd, poll_interval(plan), &status)) {
		double before = seconds_now();

		call_on_held(s);
		/* do not count the time that on_held() takes */
		deadline += seconds_now() - before;
		if (must_stop(s)) {
			end_program(s);
			return err_set(err, "interrupted");
		}
		if (seconds_now() < deadline)
			continue;
		end_program(s);
		control_file_read(&s->file, outcome);
		outcome->result = CONTROL_HUNG;
		return true;
	}
	release_program(s);
	if (!has_taken_control(s->file.control))
		return err_set(err,
			       "%s cannot be run under control: it was built without sooth, or "
			       "with a version that is too old (rebuild it with sooth cc)",
			       s->options.program[0]);
	read_outcome(s, outcome, status);
	return true;
}

/* ---- runs by a server ------------------------------------------------------------------------ */

static void give_command(struct runner *s)
{
	struct control *c = s->file.control;

	__atomic_store_n(&c->command, s->running ? c->command + 1 : 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->command_awaited, __ATOMIC_SEQ_CST))
		futex_wake(&c->command);
}

static bool is_done(const struct control *c)
{
	return load_word(&c->done) == load_word(&c->command);
}

/*
 * Waits for the answer by polling. Returns false if the caller has to sleep. A wake-up from another
 * processor takes 30 to 100 µs, which is longer than many runs, so polling pays off where runs are
 * short. The loop does not poll on the run's own processor, where both are if all others are busy:
 * polling would only keep the run from running, and sleeping costs just a switch there. Even 64
 * polls took 1.5 of the 22 µs of a short run there.
 */
#define POLLS 64
static bool wait_briefly(const struct runner *s)
{
	const struct control *c = s->file.control;
	double most = 2 * s->usual_seconds < SPIN_MOST ? 2 * s->usual_seconds : SPIN_USUAL;
	double until = seconds_now() + (most > SPIN_USUAL ? most : SPIN_USUAL);
	unsigned own;

	for (__builtin_ia32_rdtscp(&own); own != c->processor; __builtin_ia32_rdtscp(&own)) {
		for (unsigned i = 0; i < POLLS; i++) {
			if (is_done(c))
				return true;
			__builtin_ia32_pause();
		}
		if (!s->spins || seconds_now() >= until)
			break;
	}
	return is_done(c);
}

static void sleep_until_done(struct control *c, const struct plan *plan)
{
	uint32_t done = load_word(&c->done);

	__atomic_store_n(&c->done_awaited, 1, __ATOMIC_SEQ_CST);
	if (!is_done(c))
		futex_wait(&c->done, done, poll_interval(plan));
	__atomic_store_n(&c->done_awaited, 0, __ATOMIC_RELAXED);
}

/*
 * Ends a run that takes too long. If the run has a process of its own, only that process is killed
 * and the server continues.
 */
static void end_late_run(struct runner *s)
{
	pid_t child = (pid_t)load_word(&s->file.control->child);

	if (s->mode != RUNNER_PERSISTENT && child > 0 && child != s->pid)
		kill(child, SIGKILL);
	else
		end_program(s);
}

enum wait { WAIT_DONE, WAIT_DIED, WAIT_LATE, WAIT_STOPPED };

static enum wait wait_for_server(struct runner *s, const struct plan *plan, int *status)
{
	struct control *c = s->file.control;
	double deadline = seconds_now() + s->options.seconds, grace = 2;
	bool late = false;

	while (!wait_briefly(s)) {
		double before = seconds_now();

		sleep_until_done(c, plan);
		if (is_done(c))
			break;
		if (target_process_ended(s->pid, s->fd, 0, status)) {
			release_program(s);
			return is_done(c) ? WAIT_DONE : WAIT_DIED;
		}
		if (load_word(&c->held)) {
			call_on_held(s);
			deadline += seconds_now() - before;
		}
		if (must_stop(s))
			return WAIT_STOPPED;
		if (seconds_now() < deadline)
			continue;
		if (late) { /* the server has not answered after the run was killed */
			end_program(s);
			return WAIT_LATE;
		}
		late = true;
		end_late_run(s);
		if (!s->running)
			return WAIT_LATE;
		deadline = seconds_now() + grace;
	}
	return late ? WAIT_LATE : WAIT_DONE;
}

static void update_usual_seconds(struct runner *s, double seconds)
{
	s->usual_seconds +=
		((seconds < 2 * SPIN_MOST ? seconds : 2 * SPIN_MOST) - s->usual_seconds) / 4;
}

static uint32_t mode_options(const struct runner *s)
{
	uint32_t forks = CONTROL_SERVER | (s->lends ? CONTROL_SHARED_MEMORY : 0);

	switch (s->mode) {
	case RUNNER_ONCE: return 0;
	case RUNNER_FORK: return forks;
	case RUNNER_FORK_FIBERS: return forks | CONTROL_FIBERS;
	case RUNNER_PERSISTENT: return CONTROL_SERVER | CONTROL_FIBERS | CONTROL_PERSISTENT;
	}
	assert(!"a session's mode");
	return 0;
}

/* Handles the death of the server, which ended the run too. The next run starts a new server. */
static bool handle_server_death(struct runner *s, struct outcome *outcome, int status,
				struct err *err)
{
	if (has_taken_control(s->file.control)) {
		read_outcome(s, outcome, status);
		s->deaths = 0;
		return true;
	}
	if (++s->deaths < DEATHS_MOST && WIFSIGNALED(status)) {
		control_file_read(&s->file, outcome);
		outcome->result = CONTROL_UNFIT;
		s->file.control->unfit_shared_memory =
			mode_options(s) & CONTROL_SHARED_MEMORY ? 1 : 0;
		return true;
	}
	return err_set(err,
		       "%s cannot be run under control: it ended before its first operation "
		       "(was it built with sooth cc?)",
		       s->options.program[0]);
}

static bool run_served(struct runner *s, const struct plan *plan, struct outcome *outcome,
		       struct err *err)
{
	double began = seconds_now();
	int status = 0;

	if (!s->running) {
		s->file.control->done = 0;
		give_command(s);
		if (!start_program(s, err))
			return false;
	} else {
		give_command(s);
	}
	switch (wait_for_server(s, plan, &status)) {
	case WAIT_DONE:
		s->deaths = 0;
		update_usual_seconds(s, seconds_now() - began);
		read_outcome(s, outcome, s->file.control->status);
		return true;
	case WAIT_DIED: return handle_server_death(s, outcome, status, err);
	case WAIT_LATE:
		control_file_read(&s->file, outcome);
		outcome->result = CONTROL_HUNG;
		return true;
	case WAIT_STOPPED: break;
	}
	end_program(s);
	return err_set(err, "interrupted");
}

/* ---- choice of the mode ---------------------------------------------------------------------- */

static void fall_back(struct runner *s)
{
	static const char *const ways[] = {
		[RUNNER_ONCE] = "executing the program for each run",
		[RUNNER_FORK] = "a process with kernel threads for each run",
		[RUNNER_FORK_FIBERS] = "a process with fibers for each run",
		[RUNNER_PERSISTENT] = "all runs in one process",
	};
	const char *why = s->file.control->text;

	end_program(s);
	if (s->file.control->unfit_shared_memory && s->lends) { /* the same mode again, with fork */
		s->lends = false;
		return;
	}
	free(s->fallback);
	s->fallback = mem_format("not possible: %s (%.*s)", ways[s->mode], (int)CONTROL_TEXT - 1,
				 *why ? why : "the program ended too early");
	s->mode--;
	s->deaths = 0;
}

static bool run_plan(struct executor *executor, const struct plan *plan, struct outcome *outcome,
		     struct err *err)
{
	struct runner *s = (struct runner *)executor;

	if (control_file_plan_bytes(plan) > s->file.plan_bytes)
		return err_set(err, "the plan is too large: %zu slices, %zu rules",
			       plan->slices.count, plan->rules.count);
	for (;;) {
		bool ok;

		control_file_set_plan(&s->file, plan,
				      plan->options | CONTROL_LOG | mode_options(s));
		ok = s->mode == RUNNER_ONCE ? run_once(s, plan, outcome, err)
					    : run_served(s, plan, outcome, err);
		if (!ok || outcome->result != CONTROL_UNFIT)
			return ok;
		if (s->mode == RUNNER_ONCE)
			return err_set(err, "%s cannot be run under control: %.*s",
				       s->options.program[0], (int)CONTROL_TEXT - 1,
				       s->file.control->text);
		fall_back(s);
	}
}

/* ---- opening and closing --------------------------------------------------------------------- */

static char *make_runtime_options(const struct runner *s)
{
	const char *trace = s->options.trace ? s->options.trace : "";
	char quote = strchr(trace, '"') ? '\'' : '"';

	return mem_format("dir=%c%s%c:control=\"%s\"", quote, trace, quote, s->file.path);
}

static bool has_several_processors(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1;
}

struct runner *runner_open(const struct runner_options *options, struct err *err)
{
	struct runner *s = mem_zalloc(1, sizeof *s);

	s->executor.run = run_plan;
	s->options = *options;
	if (!s->options.seconds)
		s->options.seconds = SECONDS;
	if (!control_file_open(&s->file, options->event_most ? options->event_most : EVENTS_MOST,
			       options->plan_bytes ? options->plan_bytes : PLAN_BYTES, err)) {
		free(s);
		return NULL;
	}
	s->mode = options->mode;
	s->lends = !options->really_fork;
	s->spins = has_several_processors();
	s->runtime_options = make_runtime_options(s);
	s->program = (struct target_process){
		.words = options->program,
		.options = s->runtime_options,
		.directory = options->directory,
		.quiet = options->quiet,
		.output_to_stderr = options->output_to_stderr,
	};
	s->program.input = target_process_input(&s->program.input_at);
	return s;
}

void runner_close(struct runner *s)
{
	end_program(s);
	control_file_close(&s->file);
	if (s->program.input >= 0)
		close(s->program.input);
	free(s->fallback);
	free(s->runtime_options);
	free(s);
}

struct executor *runner_executor(struct runner *session)
{
	return &session->executor;
}

enum runner_mode runner_mode(const struct runner *session)
{
	return session->mode;
}

const char *runner_fallback(const struct runner *session)
{
	return session->fallback;
}

bool runner_has_input(const struct runner *session)
{
	return session->program.input >= 0;
}

void runner_know_threads(struct runner *session, const struct control_thread *threads,
			 uint32_t count)
{
	control_file_know_threads(&session->file, threads, count);
}
