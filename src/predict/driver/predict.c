#include "predict/driver/predict.h"

#include "base/mem.h"
#include "base/seconds.h"
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
 * Windows are read in batches. While one batch is solved, the caller's thread checks the claims of
 * the batch before, reads the next one, and then helps to solve. What analyses know of earlier
 * windows only changes between batches, and batches do not depend on the number of threads: nor
 * does any result, as long as the time suffices.
 */
#define BATCH 16
/* Each lead is a run of the program, and most of these regions were never meant to be one. */
#define INFERRED_MOST 8

struct batch {
	size_t count;
	struct window *windows[BATCH];
	struct past_view pasts[BATCH]; /* for patterns */
	struct window_result outcomes[BATCH];
	uint64_t end;	 /* how much of the trace had been read behind it */
	double deadline; /* 0: none */
	const struct predictor *predictor;
};

struct predictor {
	const struct trace *trace;
	const struct predict_options *options;
	struct predict_result *result;
	struct window_reader *reader;
	struct worker_pool *jobs;
	struct analysis_known known;
	struct regions regions;	      /* annotated ones */
	struct calls calls;	      /* for inferred ones */
	struct pattern_set *patterns; /* NULL: none */
	struct pattern_past *past;    /* of the windows read so far; NULL without patterns */
	double start, deadline;	      /* 0: none */
	/* checking */
	struct checker *checker;
	struct base_position baserun;
	uint64_t entered;	 /* the run at which the checker's window starts */
	struct map found;	 /* key: position in findings */
	VEC(uint64_t) lead_keys; /* of the result's leads */
	unsigned inferred;	 /* leads of inferred regions */
	enum { NOT_JUDGED, SOUND, CONTRADICTORY } judged;
};

/* ---- solving ----------------------------------------------------------------------------- */

/* In a thread of its own. A window's share is what the windows before it left, divided. */
static void solve_window(void *context, size_t i)
{
	struct batch *batch = context;
	const struct predictor *p = batch->predictor;
	struct window_result *outcome = &batch->outcomes[i];
	double seconds = 0;

	outcome->first_run = batch->windows[i]->first_run;
	outcome->last_run = batch->windows[i]->last_run;
	if (batch->deadline != 0) {
		seconds = (batch->deadline - seconds_now()) * p->options->jobs /
			  (double)(batch->count - i);
		if (seconds > batch->deadline - seconds_now())
			seconds = batch->deadline - seconds_now();
	}
	if (batch->deadline != 0 && seconds <= 0)
		outcome->stats.windows_left = 1;
	else
		window_result_make(outcome, batch->windows[i], p->options, p->patterns,
				   p->past ? &batch->pasts[i] : NULL, &p->known, seconds);
	window_free(batch->windows[i]);
	past_view_free(&batch->pasts[i]);
	batch->windows[i] = NULL;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* False when there is nothing more, or no time to look at it. */
static bool read_batch(struct predictor *p, struct batch *batch)
{
	uint64_t all;
	size_t count;

	*batch = (struct batch){ .predictor = p };
	if (p->deadline != 0 && seconds_now() >= p->deadline)
		return false;
	while (batch->count < BATCH) {
		batch->windows[batch->count] = window_reader_next(p->reader);
		if (!batch->windows[batch->count])
			break;
		if (p->past)
			batch->pasts[batch->count] =
				pattern_past_read(p->past, batch->windows[batch->count],
						  window_reader_runs(p->reader, &count));
		batch->count++;
	}
	window_reader_progress(p->reader, &batch->end, &all);
	return batch->count > 0;
}

/* Its share of what is left of the time, by its share of what is left of the trace. */
static void give_time(const struct predictor *p, struct batch *batch, uint64_t begin)
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

/* Of windows that were never read only an estimate is possible. */
static void count_left(struct predictor *p)
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

/* ---- checking ---------------------------------------------------------------------------- */

static struct checker_run *copy_runs(const struct window_run *runs, uint64_t first, uint64_t last)
{
	struct checker_run *out = mem_alloc((last - first) * sizeof *out + 1);

	for (uint64_t i = first; i < last; i++)
		out[i - first] = (struct checker_run){ runs[i].stream, runs[i].end };
	return out;
}

static bool enter_window(struct predictor *p, const struct window_result *outcome, struct err *err)
{
	size_t count;
	const struct window_run *runs = window_reader_runs(p->reader, &count);
	struct checker_run *before, *within;
	bool ok;

	assert(outcome->last_run <= count && outcome->first_run >= p->entered);
	if (!p->checker)
		p->checker = checker_open(p->trace);
	base_position_enter(&p->baserun, runs, outcome->first_run, outcome->last_run);
	before = copy_runs(runs, p->entered, outcome->first_run);
	within = copy_runs(runs, outcome->first_run, outcome->last_run);
	ok = checker_enter(p->checker, before, outcome->first_run - p->entered, within,
			   outcome->last_run - outcome->first_run, err);
	p->entered = outcome->first_run;
	free(before);
	free(within);
	return ok;
}

static struct event_id *copy_ids(const struct event_id *ids, size_t count)
{
	struct event_id *out = mem_alloc(count * sizeof *out + 1);

	for (size_t i = 0; i < count; i++)
		out[i] = (struct event_id){ ids[i].stream, ids[i].index };
	return out;
}

static bool check_claim(struct predictor *p, const struct window_result_claim *claim,
			struct err *err)
{
	const struct finding *finding = &claim->finding;
	struct event_id *steps = copy_ids(finding->steps.items, finding->steps.count);
	struct event_id *events = mem_alloc(finding->events.count * sizeof(struct event_id) + 1);
	struct checker_match match = { 0 };
	struct checker_witness witness = {
		.claim = claim->claim,
		.events = events,
		.steps = steps,
		.event_count = finding->events.count,
		.step_count = finding->steps.count,
		.misuse = finding->misuse,
		.match = claim->pattern ? &match : NULL,
	};
	bool ok;

	if (claim->pattern)
		match = (struct checker_match){
			.property = &p->patterns->judged[claim->pattern->property],
			.pattern = claim->pattern->formula->pattern,
			.choices = claim->choices.items,
			.count = claim->choices.count,
		};

	for (size_t i = 0; i < finding->events.count; i++)
		events[i] = (struct event_id){ finding->events.items[i].id.stream,
					       finding->events.items[i].id.index };
	ok = checker_accepts(p->checker, &witness, err);
	free(steps);
	free(events);
	return ok;
}

static void add_problem(struct predict_result *result, const char *text)
{
	*vec_push(&result->problems) = mem_copy_text(text, strlen(text));
}

/*
 * Can what the trace says have happened? If not, engine and checker may disagree about what
 * follows from it. That is asked for texts, which people write, and when there is reason to
 * doubt: it takes about as long as reading the trace.
 */
static bool judge_trace(struct predictor *p)
{
	struct check_report report;
	struct err err;

	if (p->judged != NOT_JUDGED)
		return p->judged == SOUND;
	trace_check(p->trace, &report);
	p->judged = report.violation_count ? CONTRADICTORY : SOUND;
	if (report.violation_count) {
		err_set(&err,
			"the trace contradicts itself: %s (`sooth trace check` says all, %" PRIu64
			" in number)",
			report.violations.items[0], report.violation_count);
		add_problem(p->result, err.text);
	}
	check_report_free(&report);
	return p->judged == SOUND;
}

static void reject(struct predictor *p, const struct finding *finding, const struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!judge_trace(p))
		return;
	p->result->stats.rejected++;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	fputs(finding_kind_name(finding->kind), out);
	for (size_t i = 0; i < finding->events.count; i++)
		fprintf(out, "%s thread %" PRIu32 " event %" PRIu64, i ? "," : " at",
			finding->events.items[i].id.stream, finding->events.items[i].id.index);
	fprintf(out, ": %s", err->text);
	fclose(out);
	*vec_push(&p->result->faults) = text;
}

/* An accepted claim is a finding, or one more instance of one. Takes it over. */
static void accept(struct predictor *p, struct window_result_claim *claim)
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
	/* What the recorded run shows needs no other: two alternatives of a pattern, say. */
	if (claim->finding.status == FINDING_OBSERVED && finding->status == FINDING_PREDICTED) {
		struct finding predicted = *finding;

		*finding = claim->finding;
		finding->count = predicted.count;
		claim->finding = predicted;
	}
}

/* Its steps, and where they start; the window was entered. */
static void write_steps(struct predictor *p, struct window_result_claim *claim)
{
	struct finding *finding = &claim->finding;
	base_position_ids ids = { 0 };

	base_position_expand(&p->baserun, claim->goals.items, claim->goals.count, &ids);
	finding->steps.items = ids.items;
	finding->steps.count = ids.count;
	finding->steps.room = ids.room;
	ids = (base_position_ids){ 0 };
	base_position_start(&p->baserun, &ids);
	finding->start.items = ids.items;
	finding->start.count = ids.count;
	finding->start.room = ids.room;
}

static void keep_lead(struct predictor *p, struct window_result_claim *lead)
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

/* Sites that have a finding after all need no lead. */
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

		if (lead->misuse != EVENT_MISUSE_NO_RECHECK && !lead->inferred) {
			result->leads.items[kept++] = *lead;
			continue;
		}
		lead->lead = 0;
		*vec_push(&result->findings) = *lead;
	}
	result->leads.count = kept;
}

static void check_outcome(struct predictor *p, struct window_result *outcome)
{
	struct err err = { 0 };
	bool entered;

	if (!outcome->claims.count && !outcome->leads.count)
		return;
	entered = enter_window(p, outcome, &err);
	for (size_t i = 0; i < outcome->leads.count; i++)
		keep_lead(p, &outcome->leads.items[i]);
	for (size_t i = 0; i < outcome->claims.count; i++) {
		struct window_result_claim *claim = &outcome->claims.items[i];

		write_steps(p, claim);
		if (entered && check_claim(p, claim, &err))
			accept(p, claim);
		else
			reject(p, &claim->finding, &err);
	}
}

static void check_batch(struct predictor *p, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		check_outcome(p, &batch->outcomes[i]);
		window_result_free(&batch->outcomes[i]);
	}
	batch->count = 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

static void add_stats(struct predict_stats *sum, const struct predict_stats *one)
{
	sum->windows += one->windows;
	sum->candidates += one->candidates;
	sum->queries += one->queries;
	sum->impossible += one->impossible;
	sum->possible += one->possible;
	sum->unknown += one->unknown;
	sum->not_asked += one->not_asked;
	sum->windows_left += one->windows_left;
	sum->same_sites += one->same_sites;
	sum->unexplained += one->unexplained;
	sum->choices += one->choices;
	sum->far_choices += one->far_choices;
	sum->apart += one->apart;
	sum->solver.queries += one->solver.queries;
	sum->solver.by_projection += one->solver.by_projection;
	sum->solver.by_saturation += one->solver.by_saturation;
	sum->solver.by_greedy += one->solver.by_greedy;
	sum->solver.by_search += one->solver.by_search;
	sum->solver.unknown += one->solver.unknown;
	sum->solver.conflicts += one->solver.conflicts;
	sum->solver.decisions += one->solver.decisions;
	sum->solver.lemmas += one->solver.lemmas;
	sum->solver.moves += one->solver.moves;
}

/* Before the claims are checked: one that the checker refuses is our fault, and is said. */
static void learn(struct predictor *p, const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct window_result *outcome = &batch->outcomes[i];

		add_stats(&p->result->stats, &outcome->stats);
		for (size_t j = 0; j < outcome->claims.count && !p->options->every; j++)
			*map_put(&p->known.keys, outcome->claims.items[j].key, NULL) |=
				SEEN_SITES_FOUND;
		for (size_t j = 0; j < outcome->tries.count; j++)
			*map_put(&p->known.keys, outcome->tries.items[j].key, NULL) +=
				outcome->tries.items[j].count;
	}
}

static void tell_progress(const struct predictor *p, uint64_t done)
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

	tell_progress(p, 0);
	if (!read_batch(p, &present))
		return;
	do {
		give_time(p, &present, begin);
		begin = present.end;
		worker_pool_start(p->jobs, solve_window, &present, present.count);
		check_batch(p, &past);
		read_batch(p, &next);
		worker_pool_finish(p->jobs);
		learn(p, &present);
		tell_progress(p, begin);
		past = present;
		present = next;
	} while (present.count);
	check_batch(p, &past);
}

static void finish(struct predictor *p)
{
	struct predict_stats *stats = &p->result->stats;
	size_t count;
	const struct window_run *runs = window_reader_runs(p->reader, &count);

	count_left(p);
	/* Each stream stands where its last run left it. */
	base_position_enter(&p->baserun, runs, count, count);
	for (uint32_t i = 0; i < trace_stream_count(p->trace); i++)
		stats->events += p->baserun.start[i];
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
	p->known.regions = &p->regions;
	if (p->options->only & PREDICT_INFERRED) {
		calls_read(&p->calls, p->trace);
		p->known.calls = &p->calls;
	}
	p->jobs = worker_pool_open(p->options->jobs - 1);
	base_position_open(&p->baserun, p->trace);
	run_batches(p);
	finish(p);
	drop_leads(p);
	if (!p->options->leads)
		predict_warn_of_leads(p->result);
	base_position_close(&p->baserun);
	worker_pool_close(p->jobs);
	window_reader_close(p->reader);
	if (p->checker)
		checker_close(p->checker);
	pattern_past_close(p->past);
	pattern_set_close(p->patterns);
	map_free(&p->known.keys);
	regions_free(&p->regions);
	calls_free(&p->calls);
	map_free(&p->found);
	vec_free(&p->lead_keys);
}

/* They walk along the whole trace, whatever the windows did. */
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
		return err_set(err, "a window has at least 2 events, not %" PRIu32,
			       options->window);
	assert(options->jobs >= 1);
	if (options->seconds > 0)
		p.deadline = p.start + options->seconds;
	if (trace_is_text(trace))
		judge_trace(&p);
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
	for (size_t i = 0; i < result->problems.count; i++)
		free(result->problems.items[i]);
	for (size_t i = 0; i < result->faults.count; i++)
		free(result->faults.items[i]);
	for (size_t i = 0; i < result->leads.count; i++)
		finding_free(&result->leads.items[i]);
	vec_free(&result->leads);
	vec_free(&result->findings);
	vec_free(&result->problems);
	vec_free(&result->faults);
}
