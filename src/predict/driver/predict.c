/*
 * The prediction driver. It reads windows, lets workers run the analyses on them (window_result.h),
 * passes every claim through the checker, and collects findings, leads and statistics.
 */
#include "predict/driver/predict.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "base/sort.h"
#include "check/checker.h"
#include "predict/atomicity/atomicity_calls.h"
#include "predict/atomicity/atomicity_regions.h"
#include "predict/driver/base_position.h"
#include "predict/driver/worker_pool.h"
#include "predict/driver/seen_sites.h"
#include "predict/driver/window_result.h"
#include "predict/pattern/pattern_past.h"
#include "predict/warnings/warnings.h"
#include "trace/check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Windows are read in batches. While the workers analyse one batch, the caller's thread checks the
 * claims of the batch before, reads the next one, and then helps to analyse. What analyses know
 * about earlier windows only changes between batches, and batches do not depend on the number of
 * threads. Therefore no result depends on it either, as long as the time suffices.
 */
#define BATCH_SIZE 16
/*
 * The largest number of leads for inferred regions: each lead costs a run of the program, and most
 * inferred regions were never meant to be atomic.
 */
#define INFERRED_MOST 8

struct batch {
	size_t count;
	struct window *windows[BATCH_SIZE];
	struct past_view pasts[BATCH_SIZE]; /* for patterns */
	struct window_result results[BATCH_SIZE];
	uint64_t end;	 /* how much of the trace had been read after this batch */
	double deadline; /* 0: none */
	const struct predictor *predictor;
};

struct predictor {
	const struct trace *trace;
	const struct predict_options *options;
	struct predict_result *result;
	struct window_reader *reader;
	struct worker_pool *jobs;
	struct seen_sites seen;
	struct regions regions;	      /* annotated atomic regions */
	struct calls calls;	      /* to infer further regions */
	struct pattern_set *patterns; /* NULL: none */
	/* kept events of the windows read so far; NULL without patterns */
	struct pattern_past *past;
	double start, deadline; /* deadline: 0 if there is none */
	/* checking */
	struct checker *checker;
	struct base_position base_run;
	/* the slice of the base run at which the checker's window starts */
	uint64_t entered;
	struct map found;	 /* key to position in the result's findings */
	VEC(uint64_t) lead_keys; /* keys of the result's leads */
	unsigned inferred;	 /* number of leads for inferred regions */
	enum { NOT_TESTED, CONSISTENT, CONTRADICTORY } consistency;
};

/* ---- analysing ------------------------------------------------------------------------------- */

/* Runs in a worker. The time that is left is divided among the windows that are left. */
static void analyse_window(void *context, size_t i)
{
	struct batch *batch = context;
	const struct predictor *p = batch->predictor;
	struct window_result *result = &batch->results[i];
	double seconds = 0;

	result->first_slice = batch->windows[i]->first_slice;
	result->last_slice = batch->windows[i]->last_slice;
	if (batch->deadline != 0) {
		seconds = (batch->deadline - seconds_now()) * p->options->jobs /
			  (double)(batch->count - i);
		if (seconds > batch->deadline - seconds_now())
			seconds = batch->deadline - seconds_now();
	}
	if (batch->deadline != 0 && seconds <= 0)
		result->stats.windows_left = 1;
	else
		window_result_make(result, batch->windows[i], p->options, p->patterns,
				   p->past ? &batch->pasts[i] : NULL, &p->seen, seconds);
	window_free(batch->windows[i]);
	past_view_free(&batch->pasts[i]);
	batch->windows[i] = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns false when there are no more windows, or no time to analyse them. */
static bool read_batch(struct predictor *p, struct batch *batch)
{
	uint64_t all;
	size_t count;

	*batch = (struct batch){ .predictor = p };
	if (p->deadline != 0 && seconds_now() >= p->deadline)
		return false;
	while (batch->count < BATCH_SIZE) {
		batch->windows[batch->count] = window_reader_next(p->reader);
		if (!batch->windows[batch->count])
			break;
		if (p->past)
			batch->pasts[batch->count] =
				pattern_past_read(p->past, batch->windows[batch->count],
						  window_reader_slices(p->reader, &count));
		batch->count++;
	}
	window_reader_progress(p->reader, &batch->end, &all);
	return batch->count > 0;
}

/* Gives the batch the same share of the remaining time that it has of the remaining trace. */
static void set_batch_deadline(const struct predictor *p, struct batch *batch, uint64_t begin)
{
	double now = seconds_now(), share = 1;
	uint64_t done, all;

	if (p->deadline == 0)
		return;
	window_reader_progress(p->reader, &done, &all);
	if (all > begin && batch->end < all)
		share = (double)(batch->end - begin) / (double)(all - begin);
	batch->deadline = now + (p->deadline - now) * share;
}

/* Adds an estimate of the windows that were never read. */
static void estimate_windows_left(struct predictor *p)
{
	struct predict_stats *stats = &p->result->stats;
	uint64_t windows = stats->windows + stats->windows_left;
	uint64_t done, all;

	window_reader_progress(p->reader, &done, &all);
	if (done >= all)
		return;
	stats->windows_left++;
	if (done)
		stats->windows_left +=
			(uint64_t)((double)windows * (double)(all - done) / (double)done);
}

/* ---- checking -------------------------------------------------------------------------------- */

static struct checker_slice *copy_runs(const struct window_slice *runs, uint64_t first,
				       uint64_t last)
{
	struct checker_slice *out = mem_alloc((last - first) * sizeof *out + 1);

	for (uint64_t i = first; i < last; i++)
		out[i - first] = (struct checker_slice){ runs[i].stream, runs[i].end };
	return out;
}

static bool enter_window(struct predictor *p, const struct window_result *result, struct err *err)
{
	size_t count;
	const struct window_slice *runs = window_reader_slices(p->reader, &count);
	struct checker_slice *before, *within;
	bool ok;

	assert(result->last_slice <= count && result->first_slice >= p->entered);
	if (!p->checker)
		p->checker = checker_open(p->trace);
	base_position_enter(&p->base_run, runs, result->first_slice, result->last_slice);
	before = copy_runs(runs, p->entered, result->first_slice);
	within = copy_runs(runs, result->first_slice, result->last_slice);
	ok = checker_enter(p->checker, before, result->first_slice - p->entered, within,
			   result->last_slice - result->first_slice, err);
	p->entered = result->first_slice;
	free(before);
	free(within);
	return ok;
}

static bool check_claim(struct predictor *p, const struct window_result_claim *claim,
			struct err *err)
{
	const struct finding *finding = &claim->finding;
	struct event_id *events = mem_alloc(finding->events.count * sizeof(struct event_id) + 1);
	struct checker_pattern_claim match = { 0 };
	struct checker_witness witness = {
		.claim = claim->claim,
		.events = events,
		.steps = finding->steps.items,
		.event_count = finding->events.count,
		.step_count = finding->steps.count,
		.misuse = finding->misuse,
		.match = claim->pattern ? &match : NULL,
	};
	bool ok;

	if (claim->pattern)
		match = (struct checker_pattern_claim){
			.property = &p->patterns->checker_properties[claim->pattern->property],
			.pattern = claim->pattern->formula->pattern,
			.choices = claim->choices.items,
			.count = claim->choices.count,
		};

	for (size_t i = 0; i < finding->events.count; i++)
		events[i] = finding->events.items[i].id;
	ok = checker_accepts(p->checker, &witness, err);
	free(events);
	return ok;
}

static void add_problem(struct predict_result *result, const char *text)
{
	*vec_push(&result->problems) = mem_copy_text(text, strlen(text));
}

/*
 * Can the recorded events have happened at all? If not, engine and checker may disagree about what
 * follows from them. The test takes about as long as reading the trace, so it is made only for text
 * traces, which people write, and after a rejected witness.
 */
static bool is_trace_consistent(struct predictor *p)
{
	struct check_report report;
	struct err err;

	if (p->consistency != NOT_TESTED)
		return p->consistency == CONSISTENT;
	trace_check(p->trace, &report);
	p->consistency = report.violation_count ? CONTRADICTORY : CONSISTENT;
	if (report.violation_count) {
		err_set(&err,
			"the trace contradicts itself: %s (`sooth trace check` lists all %" PRIu64
			" contradictions)",
			report.violations.items[0], report.violation_count);
		add_problem(p->result, err.text);
	}
	check_report_free(&report);
	return p->consistency == CONSISTENT;
}

static void report_rejected_claim(struct predictor *p, const struct finding *finding,
				  const struct err *err)
{
	char *text;
	size_t size;
	FILE *out;

	if (!is_trace_consistent(p))
		return;
	p->result->stats.rejected++;
	out = mem_stream(&text, &size);
	fputs(finding_kind_name(finding->kind), out);
	for (size_t i = 0; i < finding->events.count; i++)
		fprintf(out, "%s thread %" PRIu32 " event %" PRIu64, i ? "," : " at",
			finding->events.items[i].id.stream, finding->events.items[i].id.index);
	fprintf(out, ": %s", err->text);
	mem_stream_close(out);
	*vec_push(&p->result->faults) = text;
}

/* An accepted claim becomes a finding, or one more instance of a finding. Takes over its memory. */
static void accept_claim(struct predictor *p, struct window_result_claim *claim)
{
	struct finding *finding;
	uint64_t *position;
	bool fresh;

	position = map_put(&p->found, claim->key, &fresh);
	if (fresh) {
		*position = p->result->findings.count;
		*vec_push(&p->result->findings) = claim->finding;
		claim->finding = (struct finding){ 0 };
		return;
	}
	finding = &p->result->findings.items[*position];
	if (!p->options->every)
		finding->count++;
	/*
	 * An observed claim is better evidence than a predicted one. Both can have the same key,
	 * for example through two alternatives of a pattern.
	 */
	if (claim->finding.status == FINDING_OBSERVED && finding->status == FINDING_PREDICTED) {
		struct finding predicted = *finding;

		*finding = claim->finding;
		finding->count = predicted.count;
		claim->finding = predicted;
	}
}

/* Sets the steps of a claim and where they start. Its window must have been entered. */
static void write_steps(struct predictor *p, struct window_result_claim *claim)
{
	struct finding *finding = &claim->finding;

	base_position_expand(&p->base_run, claim->goals.items, claim->goals.count, &finding->steps);
	base_position_start(&p->base_run, &finding->start);
}

static void add_lead(struct predictor *p, struct window_result_claim *lead)
{
	if (lead->finding.inferred && p->options->leads && p->inferred == INFERRED_MOST)
		return;
	for (size_t i = 0; i < p->lead_keys.count; i++) {
		if (p->lead_keys.items[i] == lead->key)
			return;
	}
	p->inferred += lead->finding.inferred;
	write_steps(p, lead);
	*vec_push(&p->lead_keys) = lead->key;
	*vec_push(&p->result->leads) = lead->finding;
	lead->finding = (struct finding){ 0 };
}

/* Removes leads at sites that have a finding after all. */
static void drop_leads(struct predictor *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->result->leads.count; i++) {
		if (map_get(&p->found, p->lead_keys.items[i]))
			finding_free(&p->result->leads.items[i]);
		else
			p->result->leads.items[kept++] = p->result->leads.items[i];
	}
	for (size_t i = 0; i < kept; i++)
		p->result->leads.items[i].lead = (uint32_t)i + 1;
	p->result->leads.count = kept;
}

void predict_warn_of_leads(struct predict_result *result)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->leads.count; i++) {
		struct finding *lead = &result->leads.items[i];

		if (lead->misuse != EVENT_MISUSE_NO_RECHECK && !lead->inferred &&
		    !lead->unrecorded) {
			result->leads.items[kept++] = *lead;
			continue;
		}
		lead->lead = 0;
		*vec_push(&result->findings) = *lead;
	}
	result->leads.count = kept;
}

static void check_window_result(struct predictor *p, struct window_result *result)
{
	struct err err = { 0 };
	bool entered;

	if (!result->claims.count && !result->leads.count)
		return;
	entered = enter_window(p, result, &err);
	for (size_t i = 0; i < result->leads.count; i++)
		add_lead(p, &result->leads.items[i]);
	for (size_t i = 0; i < result->claims.count; i++) {
		struct window_result_claim *claim = &result->claims.items[i];

		write_steps(p, claim);
		if (entered && check_claim(p, claim, &err))
			accept_claim(p, claim);
		else
			report_rejected_claim(p, &claim->finding, &err);
	}
}

static void check_batch(struct predictor *p, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		check_window_result(p, &batch->results[i]);
		window_result_free(&batch->results[i]);
	}
	batch->count = 0;
}

/* ---- the whole prediction -------------------------------------------------------------------- */

/*
 * Called before the claims are checked, so later windows treat the sites of a rejected claim like
 * those of a finding. (A rejected claim is a bug in sooth, and is reported.)
 */
static void remember_batch_results(struct predictor *p, const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct window_result *result = &batch->results[i];

		predict_stats_add(&p->result->stats, &result->stats);
		for (size_t j = 0; j < result->claims.count && !p->options->every; j++)
			*map_put(&p->seen.keys, result->claims.items[j].key, NULL) |=
				SEEN_SITES_FOUND;
		for (size_t j = 0; j < result->failures.count; j++)
			*map_put(&p->seen.keys, result->failures.items[j].key, NULL) +=
				result->failures.items[j].count;
	}
}

static void report_progress(const struct predictor *p, uint64_t done)
{
	uint64_t read, all;

	window_reader_progress(p->reader, &read, &all);
	if (p->options->progress)
		p->options->progress(p->options->context, done, all, p->result->findings.count);
}

static void run_batches(struct predictor *p)
{
	struct batch past = { 0 }, present, next;
	uint64_t begin = 0;

	report_progress(p, 0);
	if (!read_batch(p, &present))
		return;
	do {
		set_batch_deadline(p, &present, begin);
		begin = present.end;
		worker_pool_start(p->jobs, analyse_window, &present, present.count);
		check_batch(p, &past);
		read_batch(p, &next);
		worker_pool_finish(p->jobs);
		remember_batch_results(p, &present);
		report_progress(p, begin);
		past = present;
		present = next;
	} while (present.count);
	check_batch(p, &past);
}

SORT_COMPARISON(by_address, struct predict_opaque, a, b, sort_order(a->address, b->address))

static void collect_opaque(struct predictor *p)
{
	const struct map *opaque = window_reader_opaque(p->reader);

	for (size_t i = 0; opaque->slots && i <= opaque->mask; i++) {
		if (opaque->slots[i].key)
			*vec_push(&p->result->opaque) =
				(struct predict_opaque){ opaque->slots[i].key,
							 opaque->slots[i].value };
	}
	if (opaque->has_zero)
		*vec_push(&p->result->opaque) = (struct predict_opaque){ 0, opaque->zero };
	vec_sort(&p->result->opaque, by_address);
}

static void collect_final_counts(struct predictor *p)
{
	struct predict_stats *stats = &p->result->stats;
	size_t count;
	const struct window_slice *runs = window_reader_slices(p->reader, &count);

	estimate_windows_left(p);
	collect_opaque(p);
	stats->stops = window_reader_stops(p->reader);
	/*
	 * Enter an empty window after the last slice: `start` is then the number of events of each
	 * stream.
	 */
	base_position_enter(&p->base_run, runs, count, count);
	for (uint32_t i = 0; i < trace_stream_count(p->trace); i++)
		stats->events += p->base_run.start[i];
	for (size_t i = 0; i < window_reader_failure_count(p->reader); i++)
		add_problem(p->result, window_reader_failure(p->reader, i));
}

static void run_windows(struct predictor *p)
{
	p->reader = window_reader_open(p->trace, p->options->window);
	if (p->options->properties)
		p->patterns = pattern_set_open(p->options->properties);
	if (p->patterns)
		window_reader_keep(p->reader, p->patterns->keeps.items,
				   (uint32_t)p->patterns->keeps.count);
	if (p->patterns)
		p->past = pattern_past_open(p->patterns, p->trace);
	for (size_t i = 0; p->patterns && i < p->patterns->problems.count; i++)
		add_problem(p->result, p->patterns->problems.items[i]);
	if (p->options->only & PREDICT_ATOMICITY)
		regions_read(&p->regions, p->trace);
	p->seen.regions = &p->regions;
	if (p->options->only & PREDICT_INFERRED) {
		calls_read(&p->calls, p->trace);
		p->seen.calls = &p->calls;
	}
	p->jobs = worker_pool_open(p->options->jobs - 1);
	base_position_open(&p->base_run, p->trace);
	run_batches(p);
	collect_final_counts(p);
	drop_leads(p);
	if (!p->options->leads && p->options->only & PREDICT_WARNINGS)
		predict_warn_of_leads(p->result);
	base_position_close(&p->base_run);
	worker_pool_close(p->jobs);
	window_reader_close(p->reader);
	if (p->checker)
		checker_close(p->checker);
	pattern_past_close(p->past);
	pattern_set_close(p->patterns);
	map_free(&p->seen.keys);
	regions_free(&p->regions);
	calls_free(&p->calls);
	map_free(&p->found);
	vec_free(&p->lead_keys);
}

/* The warnings read the whole trace, independent of the windows. */
static void run_warnings(const struct predictor *p)
{
	struct predict_stats *stats = &p->result->stats;
	uint64_t events = 0;

	if (p->options->only & PREDICT_ERASER)
		events = predict_eraser(p->trace, p->options->every, p->result);
	if (p->options->only & PREDICT_GOODLOCK)
		events = predict_goodlock(p->trace, p->options->every, p->result);
	if (!(p->options->only & PREDICT_ALL) && !p->options->properties)
		stats->events = events;
}

bool predict_run(const struct trace *trace, const struct predict_options *options,
		 struct predict_result *result, struct err *err)
{
	struct predictor p = {
		.trace = trace,
		.options = options,
		.result = result,
		.start = seconds_now(),
	};

	*result = (struct predict_result){ 0 };
	if (options->window < 2)
		return err_set(err, "a window must have at least 2 events, not %" PRIu32,
			       options->window);
	assert(options->jobs >= 1);
	if (options->seconds > 0)
		p.deadline = p.start + options->seconds;
	if (trace_is_text(trace))
		is_trace_consistent(&p);
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		result->stats.threads += trace_stream(trace, i)->host == TRACE_NONE;
	if (options->only & (PREDICT_ALL | PREDICT_INFERRED) || options->properties)
		run_windows(&p);
	run_warnings(&p);
	result->stats.seconds = seconds_now() - p.start;
	return true;
}

void predict_result_free(struct predict_result *result)
{
	for (size_t i = 0; i < result->findings.count; i++)
		finding_free(&result->findings.items[i]);
	for (size_t i = 0; i < result->leads.count; i++)
		finding_free(&result->leads.items[i]);
	vec_free(&result->leads);
	vec_free(&result->opaque);
	vec_free(&result->findings);
	vec_free_all(&result->problems);
	vec_free_all(&result->faults);
}
