/* sooth explore: runs a program again and again, in other orders, until one fails. */
#include "cli/cli.h"
#include "cli/confirming.h"
#include "cli/explore_told.h"
#include "cli/judging.h"
#include "cli/recording.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "explore/hints.h"
#include "explore/minimise.h"
#include "explore/schedule.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: sooth explore [OPTIONS] [--] PROG ARGS...\n"
	"\n"
	"Runs PROG, built with `sooth cc`, many times, one thread at a time, each time in another\n"
	"order: first the orders that the first run suggests, then systematically all that "
	"differ.\n"
	"A failed assertion, a crash, a deadlock, a lost wake-up, a use of freed memory, an exit\n"
	"status that the first run had not ends the search; it is then repeated with as few "
	"switches\n"
	"as possible, and recorded. What the program writes goes nowhere.\n"
	"\n"
	"  -p FILE.prop     a run that violates these properties fails as well; each run is then\n"
	"                   recorded, which is slower (again for more; -p NAME: sooth's own)\n"
	"  --budget N       at most so many executions (default 100000)\n"
	"  --seconds S      … or so long (default 60; 0: no limit)\n"
	"  --seed N         another first run, other random choices (default 0)\n"
	"  --all            go on after the first failure; each place is told once\n"
	"  --mode WHICH     persistent (default), fork-fibers, fork or once: how it is run; slower "
	"ones\n"
	"                   are taken by themselves where the program needs them\n"
	"  -o TRACE         keep the recording of the failure there\n"
	"  --save FILE      where the schedule of the failure goes, for `sooth replay` (default: "
	"the\n"
	"                   program's name with .schedule behind it)\n"
	"  --json           the report as JSON\n"
	"  -v               say what each execution was for and how it ended\n"
	"\n"
	"Exit status: 0 nothing found, 1 it fails, 2 bad use or it cannot be run.\n";

#define EVENTS_MOST (1u << 23) /* of a run; memory only as far as it is used */
#define LONG_RUN 200000	       /* operations: executing anew costs less than repeating a failure */
#define HINT_SECONDS 2.0

static const char *const mode_names[] = { "once", "fork", "fork-fibers", "persistent" };

struct exploring {
	/* in */
	char **program;
	uint64_t budget, seed;
	double seconds;
	bool all, json, verbose;
	enum session_mode mode;
	const char *keep; /* -o */
	const char *save; /* --save */
	/* how it goes */
	char directory[PATH_MAX];
	const volatile int *stop;
	struct control_thread *threads;
	uint32_t thread_count;
	struct hints hints;
	struct explore *explore;
	struct session *session;
	double run_seconds; /* for one execution */
	char *traced;	    /* the session's executions are recorded there; NULL: they are not */
	uint64_t extra;	    /* runs to minimise and to confirm */
	VEC(struct explored) found;
	bool terminal;
	struct properties properties; /* -p: each execution is recorded and judged by them */
	struct judging judging;
};

static bool __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("sooth explore: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	return false;
}

/* ---- the command line --------------------------------------------------------------------- */

static bool read_number(const char *name, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return complain("%s %s: not a number", name, text);
	return true;
}

static bool read_seconds(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !(*out >= 0))
		return complain("--seconds %s: not a time", text);
	return true;
}

static bool read_mode(const char *text, enum session_mode *out)
{
	for (int i = 0; i < 4; i++)
		if (!strcmp(text, mode_names[i])) {
			*out = (enum session_mode)i;
			return true;
		}
	return complain("--mode %s: one of persistent, fork-fibers, fork, once", text);
}

static bool read_option(struct exploring *x, char **argv, int *i)
{
	const char *value;
	int taken;

	if (!strcmp(argv[*i], "--all"))
		return x->all = true;
	if (!strcmp(argv[*i], "--json"))
		return x->json = true;
	if (!strcmp(argv[*i], "-v"))
		return x->verbose = true;
	if ((taken = properties_read_option(&x->properties, argv, i)))
		return taken > 0;
	if ((value = recording_value("--budget", argv, i)))
		return read_number("--budget", value, &x->budget);
	if ((value = recording_value("--seed", argv, i)))
		return read_number("--seed", value, &x->seed);
	if ((value = recording_value("--seconds", argv, i)))
		return read_seconds(value, &x->seconds);
	if ((value = recording_value("--mode", argv, i)))
		return read_mode(value, &x->mode);
	if ((value = recording_value("--save", argv, i))) {
		x->save = value;
		return true;
	}
	if ((value = recording_value("-o", argv, i))) {
		x->keep = value;
		return true;
	}
	return complain("%s: no such option, or its value is missing (sooth explore --help)",
			argv[*i]);
}

static bool read_words(struct exploring *x, char **argv)
{
	int i = 1;

	for (; argv[i] && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!read_option(x, argv, &i))
			return false;
	}
	if (!argv[i])
		return complain("which program? (sooth explore [OPTIONS] PROG ARGS...)");
	x->program = argv + i;
	return true;
}

/* ---- runs --------------------------------------------------------------------------------- */

static bool make_directory(struct exploring *x)
{
	const char *above = getenv("TMPDIR");

	snprintf(x->directory, sizeof x->directory, "%s/sooth-explore-XXXXXX",
		 above && *above ? above : "/tmp");
	if (!mkdtemp(x->directory))
		return complain("%s: %s", x->directory, strerror(errno));
	return true;
}

static char *trace_name(const struct exploring *x, const char *name, size_t number)
{
	char *text;

	if (asprintf(&text, "%s/%s-%zu.sooth", x->directory, name, number) < 0)
		abort();
	return text;
}

static struct session *open_session(const struct exploring *x, enum session_mode mode,
				    const char *trace, struct err *err)
{
	struct session_options options = {
		.program = x->program,
		.mode = mode,
		.trace = trace,
		.quiet = true,
		.seconds = x->run_seconds,
		.event_most = EVENTS_MOST,
		.stop = x->stop,
	};
	struct session *session = session_open(&options, err);

	if (session && x->thread_count)
		session_know_threads(session, x->threads, x->thread_count);
	return session;
}

static void keep_threads(struct exploring *x, const struct outcome *outcome)
{
	size_t bytes = outcome->thread_count * sizeof *x->threads;

	free(x->threads);
	x->threads = mem_alloc(bytes ? bytes : 1);
	memcpy(x->threads, outcome->threads, bytes);
	x->thread_count = outcome->thread_count;
}

static void take_hints(struct exploring *x, const char *path)
{
	struct trace *trace;
	struct err err;

	if (!trace_open(path, &trace, &err))
		return;
	hints_make(&x->hints, trace, HINT_SECONDS);
	explore_hint(x->explore, &x->hints);
	trace_close(trace);
}

/* What runs a session's program, and with -p judges what it recorded. */
static struct executor *executor_of(struct exploring *x, struct session *session, const char *trace)
{
	struct executor *executor = session_executor(session);

	if (!x->properties.files.count)
		return executor;
	judging_open(&x->judging, executor, &x->properties, trace);
	return &x->judging.executor;
}

/* The run that everything starts from: with kernel threads, and recorded. */
static bool run_first(struct exploring *x, struct err *err)
{
	char *trace = trace_name(x, "first", 0);
	struct session *session = open_session(x, SESSION_ONCE, trace, err);
	struct plan plan = { .policy = x->seed ? CONTROL_PRIORITIES : CONTROL_STAY,
			     .seed = x->seed,
			     .options = CONTROL_END_STUCK | CONTROL_CHECK_HEAP };
	struct executor *executor = session ? executor_of(x, session, trace) : NULL;
	struct outcome outcome;
	double start = seconds_now();
	bool ran = executor && executor->run(executor, &plan, &outcome, err);

	x->run_seconds = 5 + 10 * (seconds_now() - start);
	if (ran) {
		keep_threads(x, &outcome);
		take_hints(x, trace);
		explore_first(x->explore, &outcome);
		if (outcome.event_count > LONG_RUN && !x->all)
			x->mode = SESSION_ONCE;
	}
	if (session)
		session_close(session);
	free(trace);
	return ran;
}

static void show_progress(void *context, const struct explore_progress *p)
{
	(void)context;
	fprintf(stderr,
		"\r%" PRIu64 " executions (%.0f/s), %s, %" PRIu64
		" lead%s left, %zu failure%s\033[K",
		p->executions, p->seconds > 0 ? (double)p->executions / p->seconds : 0, p->phase,
		p->leads_left, p->leads_left == 1 ? "" : "s", p->failures,
		p->failures == 1 ? "" : "s");
}

/* -v: a line for each execution. */
static void tell_run(void *context, uint64_t execution, const char *how, const struct lead *lead,
		     const struct outcome *outcome)
{
	static const char *const results[] = {
		"died",	    "ended",	"assertion failed", "aborted",
		"deadlock", "stuck",	"use after free",   "bad free",
		"crashed",  "too long", "equal to another", "hung",
		"unfit"
	};

	(void)context;
	fprintf(stderr, "%" PRIu64 ": %s", execution, how);
	for (size_t i = 0; lead && i < lead->rules.count && i < 4; i++) {
		const struct control_rule *rule = &lead->rules.items[i];
		fprintf(stderr, "%s T%u.", i ? "," : "", rule->before_thread);
		if (rule->before_step == CONTROL_NONE)
			fputs("all", stderr);
		else
			fprintf(stderr, "%u", rule->before_step);
		fprintf(stderr, " before T%u.%u", rule->after_thread, rule->after_step);
	}
	if (lead)
		fprintf(stderr, "%s (rank %d, depth %u)", lead->rules.count > 4 ? " …" : "",
			lead->rank, lead->log->depth);
	fprintf(stderr, ": %s, %u operations%s\n", results[outcome->result], outcome->event_count,
		outcome->control && outcome->control->rules_broken ? ", not as planned" : "");
}

static bool search(struct exploring *x, struct err *err)
{
	if (!run_first(x, err))
		return false;
	if (explore_result(x->explore)->failures.count && !x->all)
		return true;
	if (x->properties.files.count)
		x->mode = SESSION_ONCE;
	if (x->mode == SESSION_ONCE)
		x->traced = trace_name(x, "run", 0);
	x->session = open_session(x, x->mode, x->traced, err);
	return x->session && explore_search(x->explore, executor_of(x, x->session, x->traced), err);
}

/* ---- failures ----------------------------------------------------------------------------- */

#define MINIMISE_MOST 300

/* bank.schedule, bank-2.schedule …, or as --save says */
static char *schedule_name(const struct exploring *x, size_t number)
{
	const char *slash = strrchr(x->program[0], '/');
	const char *name = slash ? slash + 1 : x->program[0];
	char *text;
	int length;

	if (number == 0)
		length = asprintf(&text, x->save ? "%s" : "%s.schedule", x->save ? x->save : name);
	else
		length = asprintf(&text, x->save ? "%s-%zu" : "%s-%zu.schedule",
				  x->save ? x->save : name, number + 1);
	if (length < 0)
		abort();
	return text;
}

/* Saves what a run did. NULL: it could not be, which was said. */
static char *save_schedule(const struct exploring *x, const struct failure *failure,
			   const struct outcome *outcome, const char *path, size_t number)
{
	char *name = schedule_name(x, number);
	struct schedule schedule = { 0 };
	struct trace *trace;
	struct err err;
	bool saved = false;

	if (trace_open(path, &trace, &err)) {
		schedule_make(&schedule, trace, &failure->plan, outcome, explored_kind(outcome),
			      "found by sooth explore");
		saved = schedule_write(&schedule, name, &err);
		schedule_free(&schedule);
		trace_close(trace);
	}
	if (saved)
		return name;
	complain("the schedule is not saved: %s", err.text);
	free(name);
	return NULL;
}

/* Adds a report of a failure that was repeated by a recorded run, or was to be. */
static bool report_failure(struct exploring *x, const struct failure *failure,
			   const struct outcome *outcome, const char *trace, size_t number,
			   struct err *err)
{
	int usual = explore_usual_status(x->explore);
	bool same = failure_seen(outcome, usual) && failure_key(outcome) == failure->key;
	char *schedule = same && !outcome->violated
				 ? save_schedule(x, failure, outcome, trace, number)
				 : NULL;
	struct explored explored;
	bool told = explored_open(
		&explored,
		&(struct explored_source){
			.failure = failure,
			.outcome = outcome,
			.trace = trace,
			.usual = usual,
			.schedule = schedule,
			.properties = &x->properties,
			.program = x->program,
			.why = same ? NULL : "the run that was to repeat it went another way",
		},
		err);

	if (told)
		*vec_push(&x->found) = explored;
	free(schedule);
	return told;
}

/* Repeats a failure with kernel threads, recorded, and reports what that run shows. */
static bool confirm(struct exploring *x, struct failure *failure, size_t number, struct err *err)
{
	char *trace = trace_name(x, "failure", number);
	struct session *session = open_session(x, SESSION_ONCE, trace, err);
	struct executor *executor = session ? executor_of(x, session, trace) : NULL;
	struct outcome outcome;
	bool told = executor && executor->run(executor, &failure->plan, &outcome, err);

	if (told) {
		x->extra++;
		told = report_failure(x, failure, &outcome, trace, number, err);
	}
	if (session)
		session_close(session);
	free(trace);
	return told;
}

/* The execution that failed was recorded itself, with kernel threads: nothing is to be repeated. */
static bool was_recorded(const struct exploring *x)
{
	return explore_result(x->explore)->failures.count && x->traced && !x->all &&
	       session_mode(x->session) == SESSION_ONCE;
}

static bool tell_failures(struct exploring *x, struct err *err)
{
	struct explore_result *result = explore_result(x->explore);

	if (was_recorded(x))
		return report_failure(x, &result->failures.items[0], explore_last(x->explore),
				      x->traced, 0, err);

	for (size_t i = 0; i < result->failures.count; i++) {
		struct failure *failure = &result->failures.items[i];
		if (x->session)
			x->extra +=
				minimise_failure(executor_of(x, x->session, x->traced), failure,
						 MINIMISE_MOST, explore_usual_status(x->explore));
		if (!confirm(x, failure, i, err))
			return false;
	}
	return true;
}

/* ---- the report --------------------------------------------------------------------------- */

static void tell(const struct exploring *x)
{
	struct explore_told told = {
		.found = x->found.items,
		.found_count = x->found.count,
		.result = explore_result(x->explore),
		.hints = &x->hints,
		.mode = mode_names[x->session ? session_mode(x->session) : SESSION_ONCE],
		.fallback = x->session ? session_fallback(x->session) : NULL,
		.extra = x->extra,
	};

	if (x->json)
		explore_print_json(&told);
	else
		explore_print_text(&told);
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* All recordings of ours, those of processes that the program started among them. */
static void remove_recordings(const struct exploring *x)
{
	DIR *entries = opendir(x->directory);
	char path[2 * PATH_MAX];

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", x->directory, entry->d_name);
		trace_remove(path);
	}
	if (entries)
		closedir(entries);
	rmdir(x->directory);
}

/* As -o says. False, said: the recording stays where it is, and goes with the others. */
static bool keep_recording(const struct exploring *x, const char *trace)
{
	if ((trace_is_there(x->keep) && !trace_remove(x->keep)) || !trace_move(trace, x->keep))
		return complain("cannot keep the recording as %s: %s", x->keep, strerror(errno));
	complain("the recording of the failure is in %s", x->keep);
	return true;
}

static void clean_up(struct exploring *x)
{
	for (size_t i = 0; i < x->found.count; i++) {
		struct explored *explored = &x->found.items[i];
		char *trace = mem_copy_text(explored->trace, strlen(explored->trace));
		explored_close(explored);
		if (i > 0 || !x->keep || !keep_recording(x, trace))
			trace_remove(trace);
		free(trace);
	}
	free(x->traced);
	hints_free(&x->hints);
	remove_recordings(x);
	vec_free(&x->found);
	free(x->threads);
	if (x->session)
		session_close(x->session);
	explore_close(x->explore);
	properties_close(&x->properties);
}

static int run(struct exploring *x)
{
	struct explore_options options = { .budget = x->budget,
					   .seconds = x->seconds,
					   .seed = x->seed,
					   .all = x->all,
					   .stop = x->stop,
					   .progress = x->terminal && !x->verbose ? show_progress
										  : NULL,
					   .ran = x->verbose ? tell_run : NULL };
	struct err err = { 0 };
	int status;
	bool well;

	x->explore = explore_open(&options);
	well = search(x, &err);
	if (x->judging.unknown)
		explore_result(x->explore)->complete = false;
	if (x->terminal)
		fputs("\r\033[K", stderr);
	if (explore_result(x->explore)->interrupted)
		well = true;
	if (well || explore_result(x->explore)->failures.count)
		well = tell_failures(x, &err);
	if (!well)
		complain("%s", err.text);
	status = !well					      ? CLI_BAD_USE
		 : explore_result(x->explore)->failures.count ? CLI_FINDINGS
							      : CLI_OK;
	if (well || x->json)
		tell(x);
	return status;
}

int cmd_explore(int argc, char **argv)
{
	struct exploring x = { .budget = 100000,
			       .seconds = 60,
			       .mode = SESSION_PERSISTENT,
			       .properties = { .command = "explore" } };
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return CLI_OK;
	}
	if (!read_words(&x, argv) || !properties_open(&x.properties) ||
	    !properties_select(&x.properties) || !make_directory(&x))
		return CLI_BAD_USE;
	x.terminal = isatty(STDERR_FILENO);
	x.stop = confirming_catch();
	status = run(&x);
	confirming_release();
	clean_up(&x);
	return status;
}
