/*
 * The first attempt follows the witness step by step. It can diverge because a controlled run
 * differs from a free run: in time, in addresses, in the caches of libraries. The diverged run was
 * recorded, so the next attempts predict again: from that recording, and from recordings of other
 * controlled runs. If one of these recordings yields the same finding, its witness is followed.
 * Controlled runs repeat exactly, so the later attempts rarely diverge.
 */
#include "explore/confirm/confirm.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "explore/confirm/attribute.h"
#include "explore/confirm/divergence.h"
#include "explore/confirm/plan_finding.h"
#include "explore/confirm/verify.h"
#include "trace/sites.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Number of recordings from which findings are predicted again: the diverged run's, that of a run
 * without a plan, and those of runs with random priorities.
 */
#define BASES 4

struct confirm_base {
	bool made;
	struct trace *trace; /* the recording; NULL: it could not be made */
	struct property_set properties;
	struct predict_result result;
};

struct confirmer {
	struct confirm_options options;
	const struct trace *trace;
	struct trace_symbols *symbols;
	int status; /* the recorded run's exit status, or -1 */
	struct rerun rerun;
	struct plan plan;
	/*
	 * [0]: from the diverged run of the current finding; the others are made once for all
	 * findings
	 */
	struct confirm_base bases[BASES];
	run_outcome_reads reads[2];
	bool stopped;
};

/* ---- opening and closing --------------------------------------------------------------------- */

static int recorded_status(const struct trace *trace)
{
	const char *end = trace_meta(trace, "end");
	int status;

	return end && sscanf(end, "exit %d", &status) == 1 ? status & 255 : -1;
}

static bool enter_threads(struct confirmer *c, const struct trace *trace, struct err *err)
{
	struct control_thread *threads;
	uint32_t count;

	if (!trace_threads_by_path(trace, &threads, &count, err))
		return false;
	runner_know_threads(c->rerun.session, threads, count);
	free(threads);
	return true;
}

struct confirmer *confirm_open(const struct confirm_options *options, const struct trace *trace,
			       struct err *err)
{
	struct confirmer *c = mem_zalloc(1, sizeof *c);

	c->options = *options;
	c->trace = trace;
	c->status = recorded_status(trace);
	if (!rerun_open(&c->rerun, &options->run, err)) {
		free(c);
		return NULL;
	}
	if (!enter_threads(c, trace, err)) {
		confirm_close(c);
		return NULL;
	}
	c->symbols = trace_symbols_open(trace);
	return c;
}

static void free_base(struct confirm_base *base)
{
	if (base->trace) {
		predict_result_free(&base->result);
		property_set_free(&base->properties);
		trace_close(base->trace);
	}
	*base = (struct confirm_base){ 0 };
}

void confirm_close(struct confirmer *c)
{
	for (size_t i = 0; i < BASES; i++)
		free_base(&c->bases[i]);
	for (size_t i = 0; i < 2; i++)
		vec_free(&c->reads[i]);
	plan_free(&c->plan);
	rerun_close(&c->rerun);
	trace_symbols_close(c->symbols);
	free(c);
}

void confirmation_free(struct confirmation *confirmation)
{
	free(confirmation->why);
	confirmation->why = NULL;
}

/* ---- one attempt ----------------------------------------------------------------------------- */

static void set_verdict(struct confirmation *out, enum confirm_verdict verdict, const char *why)
{
	free(out->why);
	out->why = why ? mem_copy_text(why, strlen(why)) : NULL;
	out->verdict = verdict;
}

static struct run_outcome_source source_of(const struct confirmer *c)
{
	return (struct run_outcome_source){ c->trace, c->symbols };
}

/* Runs c->plan and opens the recording of that run. */
static bool run_plan(struct confirmer *c, struct confirmation *out)
{
	struct err err = { 0 };
	const char *changed;

	out->runs++;
	if (c->options.events)
		c->plan.most_steps = 4 * c->options.events + 1000000;
	if (!rerun_run(&c->rerun, &c->plan, &err)) {
		c->stopped = rerun_is_stopped(&c->rerun);
		set_verdict(out, CONFIRM_CANNOT, err.text);
		return false;
	}
	if (!trace_same_builds(c->trace, c->rerun.trace, &changed)) {
		err_set(&err, "%s was rebuilt after the recording: record it again", changed);
		set_verdict(out, CONFIRM_CANNOT, err.text);
		return false;
	}
	return true;
}

/* Finds the value that a thread read at a step of a recording. */
static bool recorded_value(const struct trace *trace, const struct run_outcome_read *read,
			   uint64_t *value)
{
	uint32_t stream = trace_find_stream(trace, read->thread);
	struct trace_cursor *cursor;
	struct trace_event ev;
	bool found = false;
	struct err err;

	if (stream == TRACE_NONE)
		return false;
	cursor = trace_cursor_open(trace, stream);
	while (!found && trace_next(cursor, &ev, &err) && ev.step <= read->step) {
		if (ev.index == TRACE_NO_INDEX || ev.step != read->step || !ev.value ||
		    ev.size != read->size || ev.unit != ev.size ||
		    trace_event_site(trace, &ev) != read->site)
			continue;
		*value = 0;
		memcpy(value, ev.value, ev.size);
		found = true;
	}
	trace_cursor_close(cursor);
	return found;
}

/*
 * Finds the first read whose value differs between the two orders of a race. Makes it the effect of
 * each order that has no other effect, unless the recorded run read the same value there.
 */
static void compare_orders(struct confirmer *c, const struct trace *base, struct confirmation *out)
{
	struct run_outcome_source source = source_of(c);
	size_t at[2];

	if (!run_outcome_find_difference(&c->reads[0], &c->reads[1], &at[0], &at[1]))
		return;
	for (unsigned i = 0; i < 2; i++) {
		const struct run_outcome_read *read = &c->reads[i].items[at[i]];
		uint64_t usual = c->reads[1 - i].items[at[1 - i]].value;

		if (out->orders[i].effect.kind != RUN_OUTCOME_NONE)
			continue;
		recorded_value(base, read, &usual);
		if (usual != read->value)
			run_outcome_of_read(&out->orders[i].effect, read, usual, &source);
	}
}

static void describe_end(struct confirmer *c, struct run_outcome *effect)
{
	struct run_outcome_source source = source_of(c);

	run_outcome_of_end(effect, &c->rerun.outcome, &source, c->status);
}

static void keep_order(struct confirmer *c, struct confirmation *out, unsigned i, bool race)
{
	struct confirm_order *order = &out->orders[i];

	describe_end(c, &order->effect);
	order->first = race ? c->plan.stops.items[0].thread : CONTROL_NONE;
	order->second = race ? c->plan.stops.items[1].thread : CONTROL_NONE;
	run_outcome_copy_reads(&c->reads[i], &c->rerun.outcome);
	out->order_count = i + 1;
}

static void keep_meeting(struct confirmer *c, const uint64_t *keys, struct confirmation *out)
{
	const struct control_stop *stops = c->rerun.outcome.control->stops;
	bool crossed = trace_site_key(c->rerun.trace, stops[0].site) != keys[0];

	out->met[0] = stops[crossed];
	out->met[1] = stops[!crossed];
}

/* Stores that the other order of a race was not reached, and why. */
static void keep_missing_order(struct confirmation *out, const char *why)
{
	struct confirm_order *order = &out->orders[1];

	order->first = out->orders[0].second;
	order->second = out->orders[0].first;
	order->effect.kind = RUN_OUTCOME_NOT_SHOWN;
	run_outcome_print(order->effect.text, "%s", why);
	out->order_count = 2;
}

/*
 * Runs a race again with its two accesses in the other order, to report the effect. Verifies
 * nothing more: the first order has already shown that both accesses can be next.
 */
static void run_other_order(struct confirmer *c, const struct trace *base,
			    const struct finding *finding, struct confirmation *out)
{
	struct err err = { 0 };

	if (!plan_finding(&c->plan, base, finding, true, &err)) {
		keep_missing_order(out, err.text);
		return;
	}
	if (!run_plan(c, out)) {
		keep_missing_order(out, out->why);
		set_verdict(out, CONFIRM_DONE, NULL);
		return;
	}
	if (!c->rerun.outcome.control->stops_met) {
		keep_missing_order(
			out, "the run diverged before both threads stood before their accesses");
		return;
	}
	keep_order(c, out, 1, true);
	compare_orders(c, base, out);
}

/*
 * Did the program read standard input that was not available? Input from a pipe is gone after the
 * recording, and a program that finds its input empty behaves differently.
 */
static bool misses_input(const struct confirmer *c)
{
	return c->rerun.outcome.control->input_ended && !runner_has_input(c->rerun.session);
}

static void explain_divergence(struct confirmer *c, const struct trace *base,
			       struct confirmation *out)
{
	struct run_outcome_source source = source_of(c);
	struct divergence divergence;
	struct run_outcome effect;
	char text[RUN_OUTCOME_TEXT];

	describe_end(c, &effect);
	if (!divergence_explain(&divergence, &c->plan, &c->rerun.outcome, base, &source))
		snprintf(divergence.text, sizeof divergence.text,
			 "every thread did its planned steps, but the run does not show the "
			 "finding");
	run_outcome_print(text, "%s%s%s%s%s%s%s", divergence.text,
			  effect.kind ? "; the run ended with: " : "",
			  effect.kind ? run_outcome_name(effect.kind) : "", effect.kind ? " (" : "",
			  effect.kind ? effect.text : "", effect.kind ? ")" : "",
			  misses_input(c)
				  ? "; the program read standard input, which is not recorded and "
				    "is empty here: pass it again with < FILE"
				  : "");
	out->diverged.thread = divergence.thread;
	out->diverged.step = divergence.step;
	out->outside |= divergence_is_outside(&c->plan, &c->rerun.outcome);
	set_verdict(out, CONFIRM_DIVERGED, text);
}

/*
 * Does the recording of the last run show the finding? An inferred region is confirmed only by a
 * failure, because the programmer may not have meant it to be atomic.
 */
static bool run_shows_finding(struct confirmer *c, const struct finding *finding,
			      const uint64_t *keys)
{
	if (finding->inferred && !control_is_failure(c->rerun.outcome.result))
		return false;
	if (finding->property)
		return verify_violation(finding, keys, c->options.files, c->options.file_count,
					c->rerun.trace);
	return verify_finding(finding, keys, &c->rerun.outcome, c->rerun.trace);
}

/* Runs c->plan, and finds out whether the run shows the finding. */
static bool run_and_verify(struct confirmer *c, const struct trace *base,
			   const struct finding *finding, const uint64_t *keys,
			   struct confirmation *out)
{
	if (!run_plan(c, out))
		return false;
	if (run_shows_finding(c, finding, keys))
		return true;
	explain_divergence(c, base, out);
	return false;
}

/*
 * Is the failure of the last run due to the finding? The recorded run did not fail, the control run
 * does not fail, and the run of the finding fails again after it.
 */
static bool is_due_to_finding(struct confirmer *c, const struct trace *base,
			      const struct finding *finding, const uint64_t *keys,
			      struct confirmation *out)
{
	struct plan plan = { 0 };
	struct err err = { 0 };
	bool due = false;

	if (c->status < 0) {
		set_verdict(out, CONFIRM_NOT_ATTRIBUTED,
			    "the run fails, but the recorded run failed as well");
		return false;
	}
	plan_copy(&plan, &c->plan);
	if (!attribute_plan(&c->plan, base, finding, &err)) {
		set_verdict(out, CONFIRM_CANNOT, err.text);
	} else if (run_plan(c, out)) {
		due = attribute_is_clean(&c->rerun.outcome, c->status);
		if (!due)
			set_verdict(out, CONFIRM_NOT_ATTRIBUTED,
				    "the run fails, but with these events in their recorded order "
				    "it does not succeed either");
	}
	plan_copy(&c->plan, &plan);
	plan_free(&plan);
	return due && run_and_verify(c, base, finding, keys, out);
}

/*
 * Follows the witness of `finding`, which was predicted from the recording `base`. `keys`: the
 * sites at which the run must show the finding.
 */
static bool follow_witness(struct confirmer *c, const struct trace *base,
			   const struct finding *finding, const uint64_t *keys,
			   struct confirmation *out)
{
	struct err err = { 0 };

	if (!plan_finding(&c->plan, base, finding, false, &err)) {
		set_verdict(out, CONFIRM_CANNOT, err.text);
		return false;
	}
	if (c->options.run.on_held)
		c->plan.options |= CONTROL_HOLD;
	if (!run_and_verify(c, base, finding, keys, out))
		return false;
	if (attribute_is_needed(finding) && !is_due_to_finding(c, base, finding, keys, out))
		return false;
	if (!rerun_save(&c->rerun, &err)) {
		set_verdict(out, CONFIRM_CANNOT, err.text);
		return false;
	}
	if (c->options.schedule)
		schedule_make(c->options.schedule, c->rerun.trace, &c->plan, &c->rerun.outcome,
			      finding_kind_name(finding->kind), NULL);
	set_verdict(out, CONFIRM_DONE, NULL);
	keep_order(c, out, 0, finding->kind == FINDING_RACE);
	if (finding->kind == FINDING_RACE) {
		keep_meeting(c, keys, out);
		if (!c->options.one_order)
			run_other_order(c, base, finding, out);
	}
	return true;
}

/* ---- other recordings ------------------------------------------------------------------------ */

/*
 * Is another attempt worthwhile? A run that hangs uses up its time limit, and the next attempt
 * would hang as well.
 */
static bool may_retry(const struct confirmer *c)
{
	return !c->stopped && c->rerun.outcome.result != CONTROL_HUNG &&
	       (c->options.deadline <= 0 || seconds_now() < c->options.deadline);
}

static void predict_base(struct confirmer *c, struct confirm_base *base)
{
	struct predict_options options = {
		.only = PREDICT_ALL,
		.window = PREDICT_WINDOW,
		.jobs = 1,
		.seconds = c->options.predict_seconds,
		.steps = PREDICT_STEPS,
	};
	struct err err;

	if (c->options.file_count && property_read(base->trace, c->options.files,
						   c->options.file_count, &base->properties, &err))
		options.properties = &base->properties;
	predict_run(base->trace, &options, &base->result, &err);
}

static void make_base(struct confirmer *c, unsigned i, struct confirmation *out)
{
	struct confirm_base *base = &c->bases[i];

	if (base->made)
		return;
	base->made = true;
	if (i > 0) {
		plan_clear(&c->plan);
		c->plan.options = CONTROL_END_STUCK;
		c->plan.policy = i > 1 ? CONTROL_PRIORITIES : CONTROL_STAY;
		c->plan.seed = i;
		if (!run_plan(c, out))
			return;
	}
	base->trace = rerun_keep(&c->rerun, i);
	if (base->trace)
		predict_base(c, base);
}

static bool follow_other_witnesses(struct confirmer *c, const struct confirm_base *base,
				   const struct finding *finding, const uint64_t *keys,
				   struct confirmation *out)
{
	bool done = false;

	for (size_t i = 0; base->trace && !done && may_retry(c) && i < base->result.findings.count;
	     i++) {
		const struct finding *other = &base->result.findings.items[i];
		uint64_t *other_keys = verify_keys(base->trace, other);

		if (verify_same(finding, keys, other, other_keys))
			done = follow_witness(c, base->trace, other, other_keys, out);
		free(other_keys);
	}
	return done;
}

bool confirm_finding(struct confirmer *c, const struct finding *finding, struct confirmation *out)
{
	uint64_t *keys = verify_keys(c->trace, finding);
	struct confirmation first;
	bool done;

	*out = (struct confirmation){ 0 };
	done = follow_witness(c, c->trace, finding, keys, out);
	if (!done && !c->stopped && out->verdict == CONFIRM_DIVERGED && !finding->inferred &&
	    c->options.predict_seconds > 0) {
		first = *out;
		out->why = NULL;
		free_base(&c->bases[0]);
		for (unsigned i = 0; i < BASES && !done && may_retry(c); i++) {
			make_base(c, i, out);
			done = follow_other_witnesses(c, &c->bases[i], finding, keys, out);
		}
		if (!done) { /* the first divergence is the most informative */
			first.runs = out->runs;
			first.outside |= out->outside;
			confirmation_free(out);
			*out = first;
		} else {
			free(first.why);
		}
	}
	free(keys);
	return !c->stopped;
}
