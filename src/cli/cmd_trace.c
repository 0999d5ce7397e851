/* sooth trace: looking at a recording, and turning it into text and back. */
#include "base/err.h"
#include "cli/cli.h"
#include "report/locks.h"
#include "trace/check.h"
#include "trace/dump.h"
#include "trace/export.h"
#include "trace/import.h"
#include "trace/stat.h"
#include "trace/trace.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cmd_trace_arguments {
	const char *input, *output, *to, *thread;
	bool json;
	struct dump_range range;
};

static int complain(const char *text)
{
	fprintf(stderr, "sooth: %s\n", text);
	return STATUS_BAD_USE;
}

static bool open_trace(const char *path, struct trace **trace)
{
	struct err err = { 0 };

	if (trace_open(path, trace, &err))
		return true;
	complain(err.text);
	return false;
}

/* Damage that does not keep the rest from being read. */
static void show_problems(const struct trace *trace)
{
	for (size_t i = 0; i < trace_problem_count(trace); i++)
		fprintf(stderr, "sooth: %s\n", trace_problem(trace, i));
}

static bool read_index(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* ---- dump, check, export, import ---------------------------------------------------------- */

/* A thread by the name it has in a text, by its number, or as T and its number. */
static uint32_t find_thread(const struct trace *trace, const char *name)
{
	const char *digits = *name == 'T' ? name + 1 : name;
	uint64_t number;

	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		uint32_t stream = trace_stream(trace, i)->number;
		const char *known = trace_thread_name(trace, stream);

		if (known && !strcmp(known, name))
			return stream;
	}
	return read_index(digits, &number) && number < TRACE_NONE ? (uint32_t)number : TRACE_NONE;
}

static int trace_dump(const struct cmd_trace_arguments *a)
{
	struct dump_range range = a->range;
	struct err err = { 0 };
	struct trace *trace;
	int status;

	if (!open_trace(a->input, &trace))
		return STATUS_BAD_USE;
	show_problems(trace);
	if (a->thread) {
		range.stream = find_thread(trace, a->thread);
		if (range.stream == TRACE_NONE)
			err_set(&err, "the trace has no thread '%s'", a->thread);
	}
	if (!err.text[0])
		dump_events(trace, &range, stdout, &err);
	status = err.text[0] ? complain(err.text) : STATUS_OK;
	trace_close(trace);
	return status;
}

static int trace_check_command(const struct cmd_trace_arguments *a)
{
	struct check_report report;
	struct trace *trace;

	if (!open_trace(a->input, &trace))
		return STATUS_BAD_USE;
	trace_check(trace, &report);
	for (size_t i = 0; i < report.violations.count; i++)
		printf("bad: %s\n", report.violations.items[i]);
	for (size_t i = 0; i < report.notes.count; i++)
		printf("note: %s\n", report.notes.items[i]);
	if (report.note_count > report.notes.count)
		printf("note: and %" PRIu64 " more\n", report.note_count - report.notes.count);
	if (trace_is_cut(trace))
		printf("note: the trace is cut: the process was killed or had not ended\n");
	printf("%s: %" PRIu64 " events in %" PRIu32 " streams",
	       report.violation_count ? "bad" : "good", report.events, trace_stream_count(trace));
	if (report.violation_count)
		printf(", %" PRIu64 " violations", report.violation_count);
	putchar('\n');
	trace_close(trace);
	check_report_free(&report);
	return report.violation_count ? STATUS_BAD_USE : STATUS_OK;
}

static int trace_locks(const struct cmd_trace_arguments *a)
{
	struct err err = { 0 };
	struct trace *trace;
	int status;

	if (!open_trace(a->input, &trace))
		return STATUS_BAD_USE;
	show_problems(trace);
	status = locks_print(trace, a->input, stdout, &err) ? STATUS_OK : complain(err.text);
	trace_close(trace);
	return status;
}

static int trace_export(const struct cmd_trace_arguments *a)
{
	struct err err = { 0 };
	struct trace *trace;
	FILE *out = stdout;
	int status = STATUS_OK;

	if (!a->to || strcmp(a->to, "std")) {
		fprintf(stderr, "sooth: export --to %s is not available yet; there is: --to std\n",
			a->to ? a->to : "?");
		return STATUS_BAD_USE;
	}
	if (!open_trace(a->input, &trace))
		return STATUS_BAD_USE;
	show_problems(trace);
	if (a->output && !(out = fopen(a->output, "w"))) {
		fprintf(stderr, "sooth: %s: %s\n", a->output, strerror(errno));
		trace_close(trace);
		return STATUS_BAD_USE;
	}
	if (!export_text(trace, out, &err))
		status = complain(err.text);
	if ((out == stdout ? fflush(out) : fclose(out)) != 0) {
		fprintf(stderr, "sooth: %s: %s\n", a->output ? a->output : "standard output",
			strerror(errno));
		status = STATUS_BAD_USE;
	}
	trace_close(trace);
	return status;
}

static int trace_import(const struct cmd_trace_arguments *a)
{
	struct import_image image;
	struct err err = { 0 };
	bool ok;

	if (!a->output)
		return complain("trace import: say where to with -o TRACE");
	if (!import_text(a->input, &image, &err))
		return complain(err.text);
	ok = import_save(&image, a->output, &err);
	import_free(&image);
	return ok ? STATUS_OK : complain(err.text);
}

/* ---- stat --------------------------------------------------------------------------------- */

static const char *const size_names[STAT_SIZES] = { "1", "2", "4", "8", "16", "other" };
static const char *const stop_names[] = { "limit", "no space", "write error" };

static const char *ending(const struct trace *trace)
{
	return trace_is_cut(trace) ? "cut" : trace_meta(trace, "end");
}

static double per_event(const struct trace_stat *s)
{
	return s->events ? (double)s->bytes / (double)s->events : 0;
}

static void print_stat(const struct trace *trace, const struct trace_stat *s)
{
	printf("threads %" PRIu32 "\n", s->threads);
	if (s->handlers)
		printf("signal-handler streams %" PRIu32 "\n", s->handlers);
	printf("events %" PRIu64 "\n", s->events);
	for (unsigned k = 0; k < EV_COUNT; k++) {
		if (s->kinds[k])
			printf("  %-15s %" PRIu64 "\n", event_name(k), s->kinds[k]);
	}
	printf("accesses by size\n");
	for (unsigned i = 0; i < STAT_SIZES; i++) {
		if (s->accesses[i])
			printf("  %-15s %" PRIu64 "\n", size_names[i], s->accesses[i]);
	}
	printf("bytes %" PRIu64 "\n", s->bytes);
	printf("bytes/event %.2f\n", per_event(s));
	printf("table bytes %" PRIu64 "\n", s->table_bytes);
	printf("sites %" PRIu64 "\n", s->sites);
	printf("sites without exact value %" PRIu64 "\n", s->sites_without_value);
	printf("accesses without value %" PRIu64 ", inexact %" PRIu64 "\n", s->without_value,
	       s->inexact);
	printf("end %s\n", ending(trace));
	if (trace_has_schedule(trace))
		printf("serial, %" PRIu64 " switches\n", trace_switch_count(trace));
	for (unsigned i = 0; i < 3; i++) {
		if (s->stopped[i])
			printf("streams stopped (%s) %" PRIu64 "\n", stop_names[i], s->stopped[i]);
	}
	for (size_t i = 0; i < s->unmodelled_counts.count; i++)
		printf("unmodelled %s %" PRIu64 "\n", intern_text(&s->unmodelled, (uint32_t)i),
		       s->unmodelled_counts.items[i]);
}

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* A name from the trace; bytes that are no text are left out. */
static json_t *string(const char *text)
{
	json_t *value = json_string(text);

	return value ? value : json_string("");
}

static json_t *stat_json(const struct trace *trace, const struct trace_stat *s)
{
	json_t *kinds = json_object(), *sizes = json_object(), *stopped = json_object();
	json_t *unmodelled = json_object(), *all = json_object(), *about = json_object();

	for (unsigned k = 0; k < EV_COUNT; k++) {
		if (s->kinds[k])
			json_object_set_new(kinds, event_name(k), number(s->kinds[k]));
	}
	for (unsigned i = 0; i < STAT_SIZES; i++)
		json_object_set_new(sizes, size_names[i], number(s->accesses[i]));
	for (unsigned i = 0; i < 3; i++)
		json_object_set_new(stopped, stop_names[i], number(s->stopped[i]));
	for (size_t i = 0; i < s->unmodelled_counts.count; i++)
		json_object_set_new(unmodelled, intern_text(&s->unmodelled, (uint32_t)i),
				    number(s->unmodelled_counts.items[i]));
	json_object_set_new(about, "threads", number(s->threads));
	json_object_set_new(about, "events", number(s->events));
	json_object_set_new(all, "version", json_integer(1));
	json_object_set_new(all, "trace", about);
	json_object_set_new(all, "handler_streams", number(s->handlers));
	json_object_set_new(all, "kinds", kinds);
	json_object_set_new(all, "accesses_by_size", sizes);
	json_object_set_new(all, "accesses_without_value", number(s->without_value));
	json_object_set_new(all, "accesses_inexact", number(s->inexact));
	json_object_set_new(all, "sites", number(s->sites));
	json_object_set_new(all, "sites_without_exact_value", number(s->sites_without_value));
	json_object_set_new(all, "bytes", number(s->bytes));
	json_object_set_new(all, "bytes_per_event", json_real(per_event(s)));
	json_object_set_new(all, "table_bytes", number(s->table_bytes));
	json_object_set_new(all, "end", string(ending(trace)));
	json_object_set_new(all, "cut", json_boolean(trace_is_cut(trace)));
	if (trace_has_schedule(trace))
		json_object_set_new(all, "switches", number(trace_switch_count(trace)));
	json_object_set_new(all, "streams_stopped", stopped);
	json_object_set_new(all, "unmodelled", unmodelled);
	return all;
}

static int trace_stat_command(const struct cmd_trace_arguments *a)
{
	struct trace_stat stat;
	struct trace *trace;
	int status = STATUS_OK;

	if (!open_trace(a->input, &trace))
		return STATUS_BAD_USE;
	show_problems(trace);
	trace_count(trace, &stat);
	if (a->json) {
		json_t *all = stat_json(trace, &stat);

		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(all);
	} else {
		print_stat(trace, &stat);
	}
	for (size_t i = 0; i < stat.failures.count; i++)
		status = complain(stat.failures.items[i]);
	trace_stat_free(&stat);
	trace_close(trace);
	return status;
}

/* ---- arguments ---------------------------------------------------------------------------- */

static const struct action {
	const char *name, *options, *arguments, *about;
	int (*run)(const struct cmd_trace_arguments *);
} actions[] = {
	{ "dump", "TFU", "[--thread N] [--from I] [--to I] TRACE", "one line an event",
	  trace_dump },
	{ "stat", "j", "[--json] TRACE", "what the trace holds, counted", trace_stat_command },
	{ "check", "", "TRACE", "is it well-formed? 0 yes, 2 no", trace_check_command },
	{ "locks", "", "TRACE", "which locks each thread took inside which", trace_locks },
	{ "export", "Uo", "--to std [-o FILE] TRACE", "as text", trace_export },
	{ "import", "o", "FILE.std -o TRACE", "from text to a trace directory", trace_import },
};
#define ACTIONS (sizeof actions / sizeof actions[0])

static int usage(FILE *out, int status)
{
	fprintf(out, "usage: sooth trace ACTION ...\n\n");
	for (size_t i = 0; i < ACTIONS; i++)
		fprintf(out, "  %-7s %-40s %s\n", actions[i].name, actions[i].arguments,
			actions[i].about);
	fprintf(out,
		"\nTRACE is a directory NAME.sooth or a text trace (.std). --from and --to of "
		"dump\n"
		"are indices in each thread. A line of dump is: thread, index, ticks since the\n"
		"start (in a serial recording: the step), operation, file:line, function, and "
		"what\n"
		"the source calls the object.\n");
	return status;
}

static bool take_option(struct cmd_trace_arguments *a, int option, const char *value)
{
	switch (option) {
	case 'j': a->json = true; return true;
	case 'o': a->output = value; return true;
	case 'T': a->thread = value; return true;
	case 'F': return read_index(value, &a->range.from);
	case 'U': a->to = value; return true;
	}
	return false;
}

static int run_action(const struct action *action, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "thread", required_argument, NULL, 'T' },
		{ "from", required_argument, NULL, 'F' },
		{ "to", required_argument, NULL, 'U' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct cmd_trace_arguments a = { .range = { .stream = TRACE_NONE, .to = UINT64_MAX } };
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		if (option == 'h')
			return usage(stdout, STATUS_OK);
		if (option == '?')
			return STATUS_BAD_USE; /* getopt has said why */
		if (!strchr(action->options, option) || !take_option(&a, option, optarg)) {
			fprintf(stderr,
				"sooth: trace %s: an option that it does not take, or a bad value: "
				"'%s'\n",
				action->name, optarg ? optarg : argv[optind - 1]);
			return STATUS_BAD_USE;
		}
	}
	if (action->run == trace_dump && a.to && !read_index(a.to, &a.range.to))
		return complain("trace dump: --to takes an index");
	if (argc - optind != 1) {
		fprintf(stderr, "usage: sooth trace %s %s\n", action->name, action->arguments);
		return STATUS_BAD_USE;
	}
	a.input = argv[optind];
	return action->run(&a);
}

int cmd_trace(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr, STATUS_BAD_USE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout, STATUS_OK);
	for (size_t i = 0; i < ACTIONS; i++) {
		if (!strcmp(argv[1], actions[i].name))
			return run_action(&actions[i], argc - 1, argv + 1);
	}
	if (!strcmp(argv[1], "pack"))
		return complain("trace pack is not available yet");
	fprintf(stderr, "sooth: trace has no action '%s'; `sooth trace --help` lists them\n",
		argv[1]);
	return STATUS_BAD_USE;
}
