#include "pipeline/predict_trace.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "pipeline/status.h"
#include "pipeline/z3_module.h"
#include "pipeline/confirm_findings.h"
#include "report/last.h"
#include "report/lattices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char predict_trace_options_help[] =
	"  --only LIST      of race, deadlock, lost-signal, atomicity, use-after-free, misuse\n"
	"                   (default: all); eraser, goodlock; property: nothing but the "
	"properties\n"
	"  --every          each pair of events, not one for each pair of places in the code\n"
	"  --window N       how many events are looked at together (default 10000)\n"
	"  --time SECONDS   for everything; 0: no limit (default 60)\n"
	"  --solver WHICH   native (default) or z3: slow, for comparison\n"
	"  -j N             how many processors to use (default: all)\n"
	"  --json           the report as JSON\n"
	"  --warnings       eraser, goodlock and more: leads, nothing of which is proved; they do\n"
	"                   not change the exit status\n";

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

bool predict_trace_open_properties(struct predict_trace *p)
{
	return property_files_open(&p->properties);
}

/* ---- options ------------------------------------------------------------------------------ */

static enum predict_trace_option __attribute__((format(printf, 2, 3)))
bad(const struct predict_trace *p, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fprintf(stderr, "sooth %s: ", p->command);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	return PREDICT_TRACE_BAD;
}

static enum predict_trace_option read_only(struct predict_trace *p, const char *list)
{
	static const struct {
		const char *name;
		unsigned analysis; /* 0: properties, which are always judged */
	} known[] = {
		{ "race", PREDICT_RACE },
		{ "deadlock", PREDICT_DEADLOCK },
		{ "lost-signal", PREDICT_LOST_SIGNAL },
		{ "atomicity", PREDICT_ATOMICITY },
		{ "use-after-free", PREDICT_USE_AFTER_FREE },
		{ "misuse", PREDICT_MISUSE },
		{ "eraser", PREDICT_ERASER },
		{ "goodlock", PREDICT_GOODLOCK },
		{ "property", 0 },
	};

	p->options.only = 0;
	do {
		size_t length = strcspn(list, ","), i = 0;

		while (i < sizeof known / sizeof known[0] &&
		       (strlen(known[i].name) != length || memcmp(known[i].name, list, length)))
			i++;
		if (i == sizeof known / sizeof known[0])
			return bad(p, "--only: there is no analysis '%.*s'", (int)length, list);
		p->options.only |= known[i].analysis;
		list += length;
	} while (*list++ == ',');
	return PREDICT_TRACE_TAKEN;
}

static bool read_count(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*out = strtoull(text, &end, 10);
	return !*end && *out >= least && *out <= most;
}

static enum predict_trace_option read_value(struct predict_trace *p, const char *name,
					    const char *value)
{
	uint64_t count = 0;
	char *end;

	if (!strcmp(name, "--only"))
		return read_only(p, value);
	if (!strcmp(name, "--solver")) {
		p->options.z3 = NULL;
		if (!strcmp(value, "native"))
			return PREDICT_TRACE_TAKEN;
		if (!strcmp(value, "z3")) {
			p->options.z3 = z3_module_load();
			if (p->options.z3)
				return PREDICT_TRACE_TAKEN;
			return bad(p, "--solver z3: this installation has no Z3 module; install "
				      "libz3-dev and build sooth again");
		}
	} else if (!strcmp(name, "--window")) {
		if (read_count(value, 2, 1u << 30, &count)) {
			p->options.window = (uint32_t)count;
			return PREDICT_TRACE_TAKEN;
		}
	} else if (!strcmp(name, "-j")) {
		if (read_count(value, 1, 1024, &count)) {
			p->options.jobs = (unsigned)count;
			return PREDICT_TRACE_TAKEN;
		}
	} else { /* --time */
		p->options.seconds = strtod(value, &end);
		if (*value >= '0' && *value <= '9' && !*end)
			return PREDICT_TRACE_TAKEN;
	}
	return bad(p, "%s %s: not a value for it", name, value);
}

enum predict_trace_option predict_trace_read_option(struct predict_trace *p, char **argv, int *i)
{
	static const char *const with_value[] = { "--only", "--window", "--solver", "-j",
						  "--time" };
	const char *word = argv[*i];
	int taken = property_files_read_option(&p->properties, argv, i);

	if (taken)
		return taken > 0 ? PREDICT_TRACE_TAKEN : PREDICT_TRACE_BAD;
	if (!strcmp(word, "--every"))
		p->options.every = true;
	else if (!strcmp(word, "--json"))
		p->json = true;
	else if (!strcmp(word, "--warnings"))
		p->warnings = true;
	else
		goto value;
	return PREDICT_TRACE_TAKEN;
value:
	for (size_t k = 0; k < sizeof with_value / sizeof with_value[0]; k++) {
		const char *name = with_value[k];
		size_t length = strlen(name);

		if (strncmp(word, name, length))
			continue;
		if (word[length] == '=' && length > 2)
			return read_value(p, name, word + length + 1);
		if (word[length] && length == 2)
			return read_value(p, name, word + length);
		if (word[length])
			continue;
		if (!argv[*i + 1])
			return bad(p, "%s: its value is missing", name);
		return read_value(p, name, argv[++*i]);
	}
	return PREDICT_TRACE_OTHER;
}

/* ---- the work ----------------------------------------------------------------------------- */

static void add_problem(struct predict_trace *p, const char *text)
{
	for (size_t i = 0; i < p->problems.count; i++) {
		if (!strcmp(p->problems.items[i], text))
			return;
	}
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

static void say_faults(struct predict_trace *p, const struct predict_result *result)
{
	if (!result->stats.rejected)
		return;
	p->fault = true;
	fprintf(stderr,
		"sooth %s: the checker refused %" PRIu64
		" witness%s; this is a fault of sooth, and they are not reported\n",
		p->command, result->stats.rejected, result->stats.rejected == 1 ? "" : "es");
	for (size_t i = 0; i < result->faults.count; i++)
		fprintf(stderr, "sooth %s: %s\n", p->command, result->faults.items[i]);
}

/* The time is for all processes together; what is over is never "no limit". */
static double time_left(const struct predict_trace *p)
{
	double left = p->options.seconds;

	for (size_t i = 0; i < p->reports.count; i++)
		left -= p->reports.items[i].result->stats.seconds;
	return !p->options.seconds ? 0 : left > 0.001 ? left : 0.001;
}

/* `use eraser` in a property file asks for its warnings. */
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

/* The events of the properties. NULL: there are none, or the trace cannot be read. */
static struct property_set *read_properties(struct predict_trace *p, const struct trace *trace,
					    const char *path)
{
	struct property_set *set;
	struct err err = { 0 };

	if (!trace_is_text(trace) && !property_files_open_kept(&p->properties, path))
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

static bool predict(struct predict_trace *p, const struct trace *trace, const char *path,
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

static void count_events(const struct trace *trace, struct predict_stats *stats)
{
	stats->threads = 0;
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);
		struct trace_event event;
		struct err err;

		stats->threads += trace_stream(trace, i)->host == TRACE_NONE;
		while (trace_next(cursor, &event, &err))
			stats->events += event.index != TRACE_NO_INDEX;
		trace_cursor_close(cursor);
	}
}

/* Formulas on all runs; their findings come behind those of the prediction. */
static void observe(struct predict_trace *p, const struct trace *trace, struct report *report,
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
	struct last_events events = { 0 };

	*o = (struct report_observed){ .kind = kind,
				       .message = mem_copy_text(message, strlen(message)) };
	if (last || aborted)
		last_find(trace, aborted, &events);
	for (size_t i = 0; i < events.items.count; i++)
		*vec_push(&o->events) = events.items.items[i];
	vec_free(&events.items);
}

/* What hung is a finding of the prediction, if it could make out who waits for whom. */
static bool explains_hanging(const struct predict_result *result)
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
	if (end->hung && !explains_hanging(report->result))
		add_observed(report, trace, "deadlock",
			     "all threads stayed blocked for a second; the program was ended",
			     false, true);
}

static struct describe *describe(const struct predict_trace *p, const struct trace *trace,
				 const struct report *report)
{
	observe_trace_places also = { 0 };
	struct describe *made;

	for (size_t i = 0; i < report->observed.count; i++) {
		for (size_t k = 0; k < report->observed.items[i].events.count; k++)
			*vec_push(&also) = report->observed.items[i].events.items[k];
	}
	observe_trace_add_places(report->result, report->observation, &also);
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

/* Files that are not in the trace must be named again; `check` puts them there. */
static char *files_words(const struct property_files *p, const char *trace)
{
	char *text, kept[PATH_MAX];
	bool is_kept;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	snprintf(kept, sizeof kept, "%s/properties.prop", trace);
	is_kept = !strcmp(p->command, "check") || !access(kept, F_OK);
	for (size_t i = 0; !is_kept && i < p->given.count; i++)
		fprintf(out, "-p '%s' ", p->given.items[i]);
	fclose(out);
	return text;
}

char *predict_trace_replay_command(const struct predict_trace *p, const char *trace)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "._/+-";
	const char *quote = trace[strspn(trace, plain)] ? "'" : "";
	char window[32] = "", *text, *files = files_words(&p->properties, trace);

	if (p->options.window != PREDICT_WINDOW)
		snprintf(window, sizeof window, "--window %" PRIu32 " ", p->options.window);
	if (asprintf(&text, "sooth replay %s%s%s%s%s%s", files, window,
		     p->options.every ? "--every " : "", quote, trace, quote) < 0)
		abort();
	free(files);
	return text;
}

void predict_trace_add(struct predict_trace *p, const char *path, const char *process,
		       const struct predict_trace_end *end)
{
	struct report report = { .trace = path, .process = process };
	struct predict_result *result;
	struct property_set *properties;
	struct trace *trace;
	struct err err = { 0 };
	double start = seconds_now(), reading;

	if (!trace_open(path, &trace, &err)) {
		add_problem(p, err.text);
		return;
	}
	report.result = result = mem_zalloc(1, sizeof *result);
	properties = read_properties(p, trace, path);
	reading = seconds_now() - start;
	if (p->observe_only)
		count_events(trace, &result->stats);
	else
		predict(p, trace, path, properties, result);
	if (properties)
		result->stats.seconds += reading;
	report.properties = properties;
	report.observed_only = p->observe_only;
	observe(p, trace, &report, result);
	report.files = p->properties.files.items;
	report.file_count = p->properties.files.count;
	say_faults(p, result);
	if (end)
		add_end(&report, trace, end);
	report.describe = describe(p, trace, &report);
	if (strcmp(p->command, "check") && trace_meta(trace, "program"))
		report.replay = predict_trace_replay_command(p, path);
	*vec_push(&p->reports) = report;
}

/* ---- the report --------------------------------------------------------------------------- */

static void print_text(const struct predict_trace *p)
{
	struct report_numbers numbers = { 0 };

	for (size_t i = 0; i < p->reports.count; i++)
		report_print_findings(&p->reports.items[i], &numbers, stdout);
	report_print_properties(p->reports.items, p->reports.count, stdout);
	lattices_print(p->reports.items, p->reports.count, p->observe_only, stdout);
	if (p->reports.count)
		report_print_summary(p->reports.items, p->reports.count, stdout);
}

static void print_json(const struct predict_trace *p)
{
	json_t *all = report_json(p->reports.items, p->reports.count, p->problems.items,
				  p->problems.count);

	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(all);
}

static void free_report(struct report *r)
{
	const struct trace *trace = describe_trace(r->describe);

	confirm_findings_free(r);
	describe_close(r->describe);
	trace_close((struct trace *)trace);
	predict_result_free((struct predict_result *)r->result);
	free((struct predict_result *)r->result);
	for (size_t i = 0; i < r->observed.count; i++) {
		free(r->observed.items[i].message);
		vec_free(&r->observed.items[i].events);
	}
	vec_free(&r->observed);
	free((char *)r->replay);
	if (r->observation)
		observe_result_free((struct observe_result *)r->observation);
	free((struct observe_result *)r->observation);
	if (r->properties)
		property_set_free((struct property_set *)r->properties);
	free((struct property_set *)r->properties);
}

void predict_trace_drop(struct predict_trace *p)
{
	for (size_t i = 0; i < p->reports.count; i++)
		free_report(&p->reports.items[i]);
	for (size_t i = 0; i < p->problems.count; i++)
		free(p->problems.items[i]);
	vec_free(&p->problems);
	vec_free(&p->reports);
	property_files_close(&p->properties);
}

/* Warnings alone are no finding. */
static bool has_findings(const struct report *r)
{
	for (size_t i = 0; i < r->result->findings.count; i++) {
		if (r->result->findings.items[i].status != FINDING_WARNING)
			return true;
	}
	return r->observed.count > 0;
}

/* "Not judged" is not "not violated": it is bad input, unless report.h says otherwise. */
static void add_unjudged(struct predict_trace *p)
{
	struct report_sentences sentences = { 0 };

	report_unjudged(p->reports.items, p->reports.count, &sentences);
	for (size_t i = 0; i < sentences.list.count; i++)
		add_problem(p, sentences.list.items[i]);
	report_sentences_free(&sentences);
}

int predict_trace_finish(struct predict_trace *p)
{
	int status = STATUS_OK;

	add_unjudged(p);
	if (p->json)
		print_json(p);
	else
		print_text(p);
	for (size_t i = 0; i < p->reports.count; i++) {
		if (has_findings(&p->reports.items[i]))
			status = STATUS_FINDINGS;
	}
	if (p->problems.count)
		status = STATUS_BAD_USE;
	predict_trace_drop(p);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "sooth %s: standard output: cannot be written\n", p->command);
		status = STATUS_BAD_USE;
	}
	return p->fault ? STATUS_OUR_FAULT : status;
}
