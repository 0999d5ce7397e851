/* The steps from one trace to its report: read, predict, check formulas, describe. */
#include "pipeline/predict_trace.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/paths.h"
#include "report/incomplete.h"
#include "report/last.h"
#include "trace/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void predict_trace_init(struct predict_trace *p, const char *command)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	*p = (struct predict_trace){
		.command = command,
		.properties = { .command = command },
		.options = {
			.only = PREDICT_ALL,
			.window = PREDICT_WINDOW,
			.jobs = processors > 0 ? (unsigned)processors : 1,
			.seconds = PREDICT_SECONDS,
			.steps = PREDICT_STEPS,
		},
	};
	observe_trace_init(&p->observing);
}

static void add_problem(struct predict_trace *p, const char *text)
{
	if (mem_has_text(p->problems.items, p->problems.count, text))
		return;
	*vec_push(&p->problems) = mem_copy_text(text, strlen(text));
	fprintf(stderr, "sooth: %s\n", text);
}

static void show_progress(void *context, uint64_t done, uint64_t all, size_t findings)
{
	const char *trace = context;

	fprintf(stderr, "\r%.40s: %3.0f %%, %zu finding%s\033[K", trace,
		all ? 100.0 * (double)done / (double)all : 100.0, findings,
		findings == 1 ? "" : "s");
}

static void print_faults(struct predict_trace *p, const struct predict_result *result)
{
	if (!result->stats.rejected)
		return;
	p->fault = true;
	complain(p->command,
		 "the checker rejected %" PRIu64
		 " witness%s; this is a bug in sooth, and they are not reported",
		 result->stats.rejected, result->stats.rejected == 1 ? "" : "es");
	for (size_t i = 0; i < result->faults.count; i++)
		complain(p->command, "%s", result->faults.items[i]);
}

/*
 * Returns the time that is left. --time applies to all processes together. Never returns 0 if there
 * is a limit, because 0 means "no limit".
 */
static double time_left(const struct predict_trace *p)
{
	double left = p->options.seconds;

	for (size_t i = 0; i < p->reports.count; i++)
		left -= p->reports.items[i].result->stats.seconds;
	return !p->options.seconds ? 0 : left > 0.001 ? left : 0.001;
}

/* Returns the analyses that property files ask for: `use eraser`, `use goodlock`. */
static unsigned used_analyses(const struct property_files *p)
{
	unsigned only = 0;

	for (size_t i = 0; i < p->files.count; i++) {
		for (const struct spec_use *use = p->files.items[i]->uses; use; use = use->next) {
			if (!strcmp(use->name, "eraser"))
				only |= PREDICT_ERASER;
			else if (!strcmp(use->name, "goodlock"))
				only |= PREDICT_GOODLOCK;
		}
	}
	return only;
}

/*
 * Reads the events of the properties. Returns NULL if there are no properties, or if the events
 * cannot be read.
 */
static struct property_set *read_properties(struct predict_trace *p, const struct trace *trace,
					    const char *path)
{
	struct property_set *set;
	struct err err = { 0 };

	if (!trace_is_text(trace) && !property_files_open_stored(&p->properties, path))
		add_problem(p, "the properties that the trace was recorded with cannot be read");
	if (!p->properties.files.count)
		return NULL;
	set = mem_zalloc(1, sizeof *set);
	if (property_read(trace, p->properties.files.items, p->properties.files.count, set, &err))
		return set;
	add_problem(p, err.text);
	free(set);
	return NULL;
}

static bool predict_one(struct predict_trace *p, const struct trace *trace, const char *path,
			const struct property_set *properties, struct predict_result *result)
{
	bool terminal = isatty(STDERR_FILENO);
	struct predict_options options = p->options;
	struct err err = { 0 };
	bool done;

	if ((p->warnings || options.leads) && options.only & PREDICT_ATOMICITY &&
	    !trace_is_cut(trace))
		options.only |= PREDICT_INFERRED;
	if (p->warnings)
		options.only |= PREDICT_WARNINGS;
	options.skip_benign = !p->benign;
	options.only |= used_analyses(&p->properties);
	options.properties = properties;
	options.leads &= properties || options.only & (PREDICT_ATOMICITY | PREDICT_MISUSE);
	options.seconds = time_left(p);
	options.progress = terminal ? show_progress : NULL;
	options.context = (void *)path;
	done = predict_run(trace, &options, result, &err);
	if (terminal)
		fputs("\r\033[K", stderr);
	for (size_t i = 0; i < trace_problem_count(trace); i++)
		add_problem(p, trace_problem(trace, i));
	for (size_t i = 0; i < result->problems.count; i++)
		add_problem(p, result->problems.items[i]);
	if (!done)
		add_problem(p, err.text);
	return done;
}

/*
 * Could the events of the recording have happened in the order that it gives? If not, nothing that
 * is derived from it holds, not even what it seems to show directly. Of a damaged recording that
 * has no schedule, the readable part is ordered by itself. Takes a tenth of the time that
 * predicting takes.
 */
static bool is_consistent(struct predict_trace *p, const struct trace *trace, const char *path)
{
	struct check_report report;
	bool consistent;

	if (trace_is_text(trace) || (trace_problem_count(trace) && !trace_has_schedule(trace)))
		return true;
	trace_check(trace, &report);
	consistent = !report.violation_count;
	if (!consistent) {
		char *text = mem_format("%s cannot be used: its events do not fit together (%s); "
					"see sooth trace check",
					path, report.violations.items[0]);
		add_problem(p, text);
		free(text);
	}
	check_report_free(&report);
	return consistent;
}

static void count_events(const struct trace *trace, struct predict_stats *stats)
{
	stats->threads = 0;
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);
		struct trace_event event;
		struct err err;

		stats->threads += trace_stream(trace, i)->host == TRACE_NONE;
		while (trace_next(cursor, &event, &err)) {
			stats->events += event.index != TRACE_NO_INDEX;
			if (event.kind == EV_STOP)
				stats->stops |= 1u << (event.mode & 31);
		}
		trace_cursor_close(cursor);
	}
}

/* Checks formulas on all schedules. Their violations follow the predicted findings. */
static void observe_one(struct predict_trace *p, const struct trace *trace, struct report *report,
			struct predict_result *result)
{
	struct observe_result *found;
	struct err err = { 0 };

	if (!observe_trace_has_work(report->properties))
		return;
	report->observation = found = mem_zalloc(1, sizeof *found);
	if (!observe_trace_add(&p->observing, trace, report->properties, &p->properties, result,
			       found, &err))
		add_problem(p, err.text);
}

static void add_observed(struct report *report, const struct trace *trace, const char *kind,
			 const char *message, bool aborted, bool last)
{
	struct report_observed *o = vec_push(&report->observed);

	*o = (struct report_observed){ .kind = kind,
				       .message = mem_copy_text(message, strlen(message)) };
	if (last || aborted)
		last_add_events(trace, aborted, o);
}

/*
 * Is there an observed finding? The prediction itself reports a hang if it knows which thread waits
 * for which.
 */
static bool has_observed_finding(const struct predict_result *result)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		if (result->findings.items[i].status == FINDING_OBSERVED)
			return true;
	}
	return false;
}

static void add_end(struct report *report, const struct trace *trace,
		    const struct predict_trace_end *end)
{
	if (end->kind)
		add_observed(report, trace, end->kind, end->message, end->aborted, false);
	if (end->hung && !has_observed_finding(report->result))
		add_observed(report, trace, "deadlock",
			     "all threads stayed blocked for a second; sooth killed the program",
			     false, true);
}

static struct describe *describe_findings(const struct predict_trace *p, const struct trace *trace,
					  const struct report *report)
{
	observe_trace_events also = { 0 };
	struct describe *made;

	for (size_t i = 0; i < report->observed.count; i++) {
		for (size_t k = 0; k < report->observed.items[i].events.count; k++)
			*vec_push(&also) = report->observed.items[i].events.items[k];
	}
	observe_trace_add_shown(report->result, report->observation, &also);
	made = describe_open(&(struct describe_request){
		.trace = trace,
		.path = report->trace,
		.result = report->result,
		.also = also.items,
		.also_count = also.count,
		.rows = !p->json,
	});
	vec_free(&also);
	return made;
}

char *predict_trace_replay_command(const struct predict_trace *p, const char *trace)
{
	char stored[PATH_MAX], *text;
	size_t size;
	FILE *out = mem_stream(&text, &size);

	fputs("sooth replay ", out);
	snprintf(stored, sizeof stored, "%s/properties.prop", trace);
	/*
	 * If the trace does not store the property files, they must be named again. `check` always
	 * stores them.
	 */
	if (strcmp(p->command, "check") != 0 && access(stored, F_OK))
		property_files_print_options(&p->properties, out);
	if (p->options.window != PREDICT_WINDOW)
		fprintf(out, "--window %" PRIu32 " ", p->options.window);
	if (p->options.every)
		fputs("--every ", out);
	print_shell_word(out, trace);
	mem_stream_close(out);
	return text;
}

/*
 * Can the trace be analysed? If the program was only linked by `sooth cc`, its synchronisation is
 * recorded, but not what it reads: then predictions would be wrong, not only incomplete.
 */
static bool check_instrumented(struct predict_trace *p, const struct trace *trace, const char *path)
{
	const char *program = trace_meta(trace, "program");
	char *text;

	if (trace_is_text(trace) || trace_has_sites(trace))
		return true;
	text = mem_format(NOT_INSTRUMENTED, program ? program : path);
	add_problem(p, text);
	free(text);
	return false;
}

/* Reads the properties and analyses the trace. */
static void analyse(struct predict_trace *p, const struct trace *trace, struct report *report,
		    struct predict_result *result)
{
	double start = seconds_now(), reading;
	struct property_set *properties = read_properties(p, trace, report->trace);

	reading = seconds_now() - start;
	if (p->observe_only)
		count_events(trace, &result->stats);
	else
		predict_one(p, trace, report->trace, properties, result);
	if (properties)
		result->stats.seconds += reading;
	report->properties = properties;
	report->observed_only = p->observe_only;
	observe_one(p, trace, report, result);
	report->files = p->properties.files.items;
	report->file_count = p->properties.files.count;
	print_faults(p, result);
}

void predict_trace_add(struct predict_trace *p, const char *path, const char *process,
		       const struct predict_trace_end *end)
{
	struct report report = { .trace = path, .process = process, .warnings = p->warnings };
	struct predict_result *result;
	struct trace *trace;
	struct err err = { 0 };

	if (!trace_open(path, &trace, &err)) {
		add_problem(p, err.text);
		return;
	}
	if (!is_consistent(p, trace, path)) {
		trace_close(trace);
		return;
	}
	report.result = result = mem_zalloc(1, sizeof *result);
	report.not_instrumented = !check_instrumented(p, trace, path);
	if (report.not_instrumented)
		count_events(trace, &result->stats);
	else
		analyse(p, trace, &report, result);
	if (end)
		add_end(&report, trace, end);
	report.describe = describe_findings(p, trace, &report);
	if (strcmp(p->command, "check") && trace_meta(trace, "program"))
		report.replay = predict_trace_replay_command(p, path);
	*vec_push(&p->reports) = report;
}

static void free_report(struct report *r)
{
	const struct trace *trace = describe_trace(r->describe);

	confirm_findings_free(r);
	describe_close(r->describe);
	trace_close((struct trace *)trace);
	predict_result_free((struct predict_result *)r->result);
	free((struct predict_result *)r->result);
	for (size_t i = 0; i < r->observed.count; i++)
		report_observed_free(&r->observed.items[i]);
	vec_free(&r->observed);
	free((char *)r->replay);
	if (r->observation)
		observe_result_free((struct observe_result *)r->observation);
	free((struct observe_result *)r->observation);
	if (r->properties)
		property_set_free((struct property_set *)r->properties);
	free((struct property_set *)r->properties);
}

void predict_trace_free(struct predict_trace *p)
{
	for (size_t i = 0; i < p->reports.count; i++)
		free_report(&p->reports.items[i]);
	vec_free_all(&p->problems);
	vec_free(&p->interruptions);
	vec_free(&p->reports);
	property_files_close(&p->properties);
}

void predict_trace_add_unjudged(struct predict_trace *p)
{
	struct report_sentences unjudged = { 0 }, unfit = { 0 };
	size_t before;

	report_unjudged(p->reports.items, p->reports.count, &unjudged);
	for (size_t i = 0; i < unjudged.list.count; i++)
		add_problem(p, unjudged.list.items[i]);
	before = p->problems.count;
	report_unfit(p->reports.items, p->reports.count, &unfit);
	for (size_t i = 0; i < unfit.list.count; i++)
		add_problem(p, unfit.list.items[i]);
	p->unfit = p->problems.count - before;
	report_sentences_free(&unjudged);
	report_sentences_free(&unfit);
}

void predict_trace_incomplete(const struct predict_trace *p, struct report_sentences *reasons)
{
	for (size_t i = 0; i < p->problems.count; i++)
		*vec_push(&reasons->list) = mem_format("%s", p->problems.items[i]);
	for (size_t i = 0; i < p->interruptions.count; i++)
		*vec_push(&reasons->list) = mem_format("%s", p->interruptions.items[i]);
	incomplete_reasons(p->reports.items, p->reports.count, reasons);
}
