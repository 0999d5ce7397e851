/* sooth trace: inspects a recording, and converts it to text and back. */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/report_output.h"
#include "report/locks.h"
#include "trace/check.h"
#include "trace/dump.h"
#include "trace/export.h"
#include "trace/import.h"
#include "trace/stat.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments that the actions of `sooth trace` have in common. */
struct trace_request {
	const char *input, *output, *format, *thread;
	bool json;
	struct dump_range range;
};

static int refuse(const char *text)
{
	fprintf(stderr, "sooth: %s\n", text);
	return STATUS_BAD_USE;
}

/* ---- dump, check, export, import ------------------------------------------------------------- */

/* Finds a thread by its name in a text trace, by its number, or by T and its number. */
static uint32_t find_thread(const struct trace *trace, const char *name)
{
	const char *digits = *name == 'T' ? name + 1 : name;
	struct err err;
	uint64_t number;

	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		uint32_t stream = trace_stream(trace, i)->number;
		const char *known = trace_thread_name(trace, stream);

		if (known && !strcmp(known, name))
			return stream;
	}
	return option_number(digits, 0, TRACE_NONE - 1, &number, &err) ? (uint32_t)number
								       : TRACE_NONE;
}

static int trace_dump(const struct trace_request *a, const struct trace *trace)
{
	struct dump_range range = a->range;
	struct err err = { 0 };

	if (a->thread) {
		range.stream = find_thread(trace, a->thread);
		if (range.stream == TRACE_NONE)
			err_set(&err, "the trace has no thread '%s'", a->thread);
	}
	if (!err.text[0])
		dump_events(trace, &range, stdout, &err);
	return err.text[0] ? refuse(err.text) : STATUS_OK;
}

static int trace_check_command(const struct trace_request *a, const struct trace *trace)
{
	struct check_report report;

	(void)a;
	trace_check(trace, &report);
	for (size_t i = 0; i < report.violations.count; i++)
		printf("bad: %s\n", report.violations.items[i]);
	for (size_t i = 0; i < report.notes.count; i++)
		printf("note: %s\n", report.notes.items[i]);
	if (report.note_count > report.notes.count)
		printf("note: and %" PRIu64 " more\n", report.note_count - report.notes.count);
	if (trace_is_cut(trace))
		printf("note: the trace is cut: the process was killed or is still "
		       "running\n");
	printf("%s: %" PRIu64 " events in %" PRIu32 " streams",
	       report.violation_count ? "bad" : "good", report.events, trace_stream_count(trace));
	if (report.violation_count)
		printf(", %" PRIu64 " violations", report.violation_count);
	putchar('\n');
	check_report_free(&report);
	return report.violation_count ? STATUS_BAD_USE : STATUS_OK;
}

static int trace_locks(const struct trace_request *a, const struct trace *trace)
{
	struct err err = { 0 };

	return locks_print(trace, a->input, stdout, &err) ? STATUS_OK : refuse(err.text);
}

static int trace_export(const struct trace_request *a, const struct trace *trace)
{
	struct err err = { 0 };
	FILE *out = stdout;
	int status = STATUS_OK;

	if (!a->format || strcmp(a->format, "std")) {
		fprintf(stderr, "sooth trace export: --to %s is not available; use --to std\n",
			a->format ? a->format : "?");
		return STATUS_BAD_USE;
	}
	if (a->output && !(out = fopen(a->output, "w"))) {
		fprintf(stderr, "sooth: %s: %s\n", a->output, strerror(errno));
		return STATUS_BAD_USE;
	}
	if (!export_text(trace, out, &err))
		status = refuse(err.text);
	if ((out == stdout ? fflush(out) : fclose(out)) != 0) {
		fprintf(stderr, "sooth: %s: %s\n", a->output ? a->output : "standard output",
			strerror(errno));
		status = STATUS_BAD_USE;
	}
	return status;
}

static int trace_import(const struct trace_request *a, const struct trace *none)
{
	struct import_image image;
	struct err err = { 0 };
	bool ok;

	(void)none;
	if (!a->output)
		return refuse("trace import: no output directory; give one with -o TRACE");
	if (!import_text(a->input, &image, &err))
		return refuse(err.text);
	ok = import_save(&image, a->output, &err);
	import_free(&image);
	return ok ? STATUS_OK : refuse(err.text);
}

/* ---- stat ------------------------------------------------------------------------------------ */

static const char *const size_names[STAT_SIZES] = { "1", "2", "4", "8", "16", "other" };
static const char *const stop_names[] = { "limit", "no space", "write error" };

static const char *end_name(const struct trace *trace)
{
	return trace_is_cut(trace) ? "cut" : trace_meta(trace, "end");
}

static double bytes_per_event(const struct trace_stat *s)
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
	printf("bytes/event %.2f\n", bytes_per_event(s));
	printf("table bytes %" PRIu64 "\n", s->table_bytes);
	printf("sites %" PRIu64 "\n", s->sites);
	printf("sites without exact value %" PRIu64 "\n", s->sites_without_value);
	printf("accesses without value %" PRIu64 ", inexact %" PRIu64 "\n", s->without_value,
	       s->inexact);
	printf("end %s\n", end_name(trace));
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

static json_t *stat_json(const struct trace *trace, const struct trace_stat *s)
{
	json_t *kinds = json_object(), *sizes = json_object(), *stopped = json_object();
	json_t *unmodelled = json_object(), *all;

	for (unsigned k = 0; k < EV_COUNT; k++) {
		if (s->kinds[k])
			json_set_number(kinds, event_name(k), s->kinds[k]);
	}
	for (unsigned i = 0; i < STAT_SIZES; i++)
		json_set_number(sizes, size_names[i], s->accesses[i]);
	for (unsigned i = 0; i < 3; i++)
		json_set_number(stopped, stop_names[i], s->stopped[i]);
	for (size_t i = 0; i < s->unmodelled_counts.count; i++)
		json_set_number(unmodelled, intern_text(&s->unmodelled, (uint32_t)i),
				s->unmodelled_counts.items[i]);
	all = json_pack("{s:i, s:{s:I, s:I}, s:I, s:o, s:o}", "version", 1, "trace", "threads",
			(json_int_t)s->threads, "events", (json_int_t)s->events, "handler_streams",
			(json_int_t)s->handlers, "kinds", kinds, "accesses_by_size", sizes);
	json_set_number(all, "accesses_without_value", s->without_value);
	json_set_number(all, "accesses_inexact", s->inexact);
	json_set_number(all, "sites", s->sites);
	json_set_number(all, "sites_without_exact_value", s->sites_without_value);
	json_set_number(all, "bytes", s->bytes);
	json_object_set_new(all, "bytes_per_event", json_real(bytes_per_event(s)));
	json_set_number(all, "table_bytes", s->table_bytes);
	json_object_set_new(all, "end", report_json_text(end_name(trace)));
	json_object_set_new(all, "cut", json_boolean(trace_is_cut(trace)));
	if (trace_has_schedule(trace))
		json_set_number(all, "switches", trace_switch_count(trace));
	json_object_set_new(all, "streams_stopped", stopped);
	json_object_set_new(all, "unmodelled", unmodelled);
	return all;
}

static int trace_stat_command(const struct trace_request *a, const struct trace *trace)
{
	struct trace_stat stat;
	int status = STATUS_OK;

	trace_count(trace, &stat);
	if (a->json) {
		print_json_value(stat_json(trace, &stat));
	} else {
		print_stat(trace, &stat);
	}
	for (size_t i = 0; i < stat.failures.count; i++)
		status = refuse(stat.failures.items[i]);
	trace_stat_free(&stat);
	return status;
}

/* ---- actions --------------------------------------------------------------------------------- */

#define TRACE_FIELD(name) offsetof(struct trace_request, name)
static const struct cli_option dump_options[] = {
	{ "--thread", "N", "only events of this thread: a number, or its name in a text trace",
	  .set = option_set_text, .field = TRACE_FIELD(thread) },
	{ "--from", "I", "only events from index I of each thread on", .set = option_set_number,
	  .field = TRACE_FIELD(range.from) },
	{ "--to", "I", "only events up to index I of each thread", .set = option_set_number,
	  .field = TRACE_FIELD(range.to) },
	{ 0 },
};

static const struct cli_option stat_options[] = {
	{ "--json", NULL, "print JSON", .set = option_set_flag, .field = TRACE_FIELD(json) },
	{ 0 },
};

static const struct cli_option export_options[] = {
	{ "--to", "FORMAT", "the format; so far only std (text) is available",
	  .set = option_set_text, .field = TRACE_FIELD(format) },
	{ "-o", "FILE", "write to this file (default: standard output)", .set = option_set_text,
	  .field = TRACE_FIELD(output) },
	{ "--output", "FILE", NULL, .set = option_set_text, .field = TRACE_FIELD(output) },
	{ 0 },
};

static const struct cli_option import_options[] = {
	{ "-o", "TRACE", "the directory to create", .set = option_set_text,
	  .field = TRACE_FIELD(output) },
	{ "--output", "TRACE", NULL, .set = option_set_text, .field = TRACE_FIELD(output) },
	{ 0 },
};

static const struct trace_action {
	const char *name;
	int (*run)(const struct trace_request *request, const struct trace *trace);
	struct command_syntax syntax;
} syntaxes[] = {
	{ "dump",
	  trace_dump,
	  { .command = "trace dump",
	    .usage = "[OPTIONS] TRACE",
	    .about = "Prints one line per event: thread, index, ticks since the start (in a serial "
		     "recording: the step), operation, file:line, function, and the name of the "
		     "object in the source.",
	    .groups = { { .options = dump_options } } } },
	{ "stat",
	  trace_stat_command,
	  { .command = "trace stat",
	    .usage = "[--json] TRACE",
	    .about = "Prints how many threads, events, sites and bytes a trace has.",
	    .groups = { { .options = stat_options } } } },
	{ "check",
	  trace_check_command,
	  { .command = "trace check",
	    .usage = "TRACE",
	    .about = "Checks whether a trace is well-formed. Exit status: 0 yes, 2 no." } },
	{ "locks",
	  trace_locks,
	  { .command = "trace locks",
	    .usage = "TRACE",
	    .about = "Prints which locks each thread acquired while it held which others, and "
		     "conflicting orders of locks." } },
	{ "export",
	  trace_export,
	  { .command = "trace export",
	    .usage = "--to std [-o FILE] TRACE",
	    .about = "Writes a trace as text.",
	    .groups = { { .options = export_options } } } },
	{ "import",
	  trace_import,
	  { .command = "trace import",
	    .usage = "FILE.std -o TRACE",
	    .about = "Turns a text trace into a trace directory.",
	    .groups = { { .options = import_options } } } },
};

static int run_action(char **argv)
{
	struct trace_request request = { .range = { .stream = TRACE_NONE, .to = UINT64_MAX } };
	const struct trace_action *action = syntaxes;
	struct command_arguments arguments;
	struct command_syntax syntax;
	struct err err = { 0 };
	struct trace *trace;
	int status;

	while (strcmp(action->name, argv[0]) != 0)
		action++;
	syntax = action->syntax;
	syntax.groups[0].target = &request;
	syntax.notes = TRACE_NOTES;
	syntax.operands[0] = "TRACE";
	syntax.required = 1;
	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	request.input = arguments.operands[0];
	if (action->run == trace_import)
		return trace_import(&request, NULL);
	if (!trace_open(request.input, &trace, &err))
		return refuse(err.text);
	/*
	 * Prints the problems of a trace that could be read in spite of them. `check` prints them
	 * itself.
	 */
	for (size_t i = 0; action->run != trace_check_command && i < trace_problem_count(trace);
	     i++)
		refuse(trace_problem(trace, i));
	status = action->run(&request, trace);
	trace_close(trace);
	return status;
}

static int cmd_pack(char **argv)
{
	(void)argv;
	return refuse("trace pack is not available yet");
}

static const struct command actions[] = {
	{ "dump", "[--thread N] [--from I] [--to I] TRACE", "print the events, one per line",
	  run_action },
	{ "stat", "[--json] TRACE", "print how many threads, events and bytes it has", run_action },
	{ "check", "TRACE", "check whether it is well-formed: 0 yes, 2 no", run_action },
	{ "locks", "TRACE", "print which locks each thread acquired while it held others",
	  run_action },
	{ "export", "--to std [-o FILE] TRACE", "write it as text", run_action },
	{ "import", "FILE.std -o TRACE", "turn text into a trace directory", run_action },
	{ "pack", NULL, NULL, cmd_pack },
};

int cmd_trace(char **argv)
{
	return commands_run_action("trace", actions, sizeof actions / sizeof actions[0],
				   TRACE_NOTES, argv);
}
