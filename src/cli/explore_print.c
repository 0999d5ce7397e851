/* Prints the failures that a search found, whether the search was complete, and statistics. */
#include "cli/explore_print.h"

#include "base/mem.h"
#include "cli/report_output.h"
#include "report/incomplete.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

static const struct explore_result *result_of(const struct explore_program *x)
{
	return explore_result(x->explore);
}

/* Returns the mode in which the search ended. */
static const char *mode_name(const struct explore_program *x)
{
	return explore_program_modes[x->session ? runner_mode(x->session) : RUNNER_ONCE];
}

/* Returns why the search ended in another mode than the requested one; NULL: it did not. */
static const char *fallback_reason(const struct explore_program *x)
{
	const char *why = x->session ? runner_fallback(x->session) : NULL;

	if (!why && x->fell_back)
		return "fibers showed a failure that kernel threads did not repeat";
	return why;
}

/* Counts different schedules. A run that a sleep set ended is equivalent to another run. */
static uint64_t count_schedules(const struct explore_result *r)
{
	return r->systematic.runs - r->systematic.asleep;
}

/*
 * Was the search complete? A failure that was not repeated may hide another one. A first run that
 * exits with an error or starts no thread may lack an argument, and then no run does the work.
 */
static bool is_complete(const struct explore_program *x)
{
	const struct explore_result *r = result_of(x);

	return r->complete && !x->unrepeated.count && !r->first_status && !r->first_alone;
}

/* Returns the first failure that was repeated, or NULL. */
static const struct failure *first_failure(const struct explore_program *x)
{
	const struct explore_result *r = result_of(x);

	for (size_t i = 0; i < r->failures.count; i++)
		if (!r->failures.items[i].doubtful)
			return &r->failures.items[i];
	return NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_failures(const struct explore_program *x)
{
	const struct failure *first = first_failure(x);
	size_t switches = first->plan.slices.count ? first->plan.slices.count - 1 : 0;

	printf("%zu failure%s; the first in execution %" PRIu64 " of the program (%s), "
	       "with %zu context switch%s\n",
	       x->found.count, x->found.count == 1 ? "" : "s", first->execution, first->how,
	       switches, switches == 1 ? "" : "es");
	if (is_complete(x))
		printf("complete: every schedule was run (%" PRIu64 " different)\n",
		       count_schedules(result_of(x)));
}

/* Prints what is unusual about the first run: "exited with status 2 and started no thread". */
static void describe_first_run(const struct explore_result *r, char text[80])
{
	char status[40] = "";

	if (WIFSIGNALED(r->first_status))
		snprintf(status, sizeof status, "was killed by signal %d",
			 WTERMSIG(r->first_status));
	else if (r->first_status)
		snprintf(status, sizeof status, "exited with status %d",
			 WEXITSTATUS(r->first_status));
	snprintf(text, 80, "the first run %s%s%s", status, *status && r->first_alone ? " and " : "",
		 r->first_alone ? "started no thread" : "");
}

static const char *why_incomplete(const struct explore_result *r)
{
	static char first[80];

	if (r->interrupted)
		return "interrupted";
	if (!r->executions)
		return "the program could not be run";
	if (r->first_status || r->first_alone) {
		describe_first_run(r, first);
		return first;
	}
	if (!r->at_its_end)
		return "the budget is used up";
	if (r->systematic.world)
		return "the program waits for external events, whose order is unknown";
	if (r->systematic.opaque)
		return "code that was not recorded took part";
	if (r->systematic.unordered)
		return "signals or cancellations were not tried at every possible point";
	if (r->systematic.diverged)
		return "the program behaves differently in the same schedule";
	if (r->systematic.lost && !r->limits)
		return "executions are too long to be compared";
	return r->limits ? "some executions did not end" : "some results are unknown";
}

const char *explore_incomplete(const struct explore_program *x)
{
	const struct explore_result *r = result_of(x);

	if (is_complete(x))
		return NULL;
	if (x->found.count && !x->all && !r->interrupted)
		return "the search ended at the first failure";
	return r->complete && x->unrepeated.count ? "a failure could not be repeated"
						  : why_incomplete(r);
}

static void print_summary(const struct explore_program *x)
{
	const struct explore_result *r = result_of(x);
	const char *fallback = fallback_reason(x);

	for (size_t i = 0; i < x->unrepeated.count; i++)
		printf("unknown: %s\n", x->unrepeated.items[i].text);
	if (x->found.count)
		print_failures(x);
	else if (is_complete(x))
		printf("complete: no failure in any schedule (%" PRIu64 " different)\n",
		       count_schedules(r));
	else
		printf("no failure found; the search is not complete: %s\n", explore_incomplete(x));
	if (r->limits)
		printf("%" PRIu64 " execution%s did not end within the limit of steps or time\n",
		       r->limits, r->limits == 1 ? "" : "s");
	printf("%" PRIu64 " executions in %.1f s (%s%s%s): %" PRIu64 " by leads (%" PRIu64
	       " left), %" PRIu64 " systematic, %" PRIu64 " by random priorities\n",
	       r->executions, r->seconds, mode_name(x), fallback ? ", because " : "",
	       fallback ? fallback : "", r->by_leads, r->leads_left, r->by_systematic,
	       r->by_priorities);
}

void explore_print_text(const struct explore_program *x, const struct report *judged, size_t count)
{
	struct report_numbers numbers = { 0 };

	for (size_t i = 0; i < x->found.count; i++)
		report_print_findings(&x->found.items[i].report, &numbers, stdout);
	report_print_properties(judged, count, stdout);
	print_summary(x);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *window_json(const struct hints *hints)
{
	json_t *window = json_array();

	for (uint32_t i = 0; i < hints->thread_count; i++)
		if (hints->threads[i])
			json_array_append_new(window, json_integer(i));
	return window;
}

static json_t *unrepeated_json(const struct explore_program *x)
{
	json_t *list = json_array();

	for (size_t i = 0; i < x->unrepeated.count; i++)
		json_array_append_new(list, json_string(x->unrepeated.items[i].text));
	return list;
}

static void add_stats(json_t *stats, const struct explore_program *x)
{
	const struct explore_result *r = result_of(x);
	const struct failure *first = first_failure(x);

	json_set_number(stats, "executions", first ? first->execution : r->executions);
	json_set_number(stats, "executions_all", r->executions + x->extra);
	json_object_set_new(stats, "complete", json_boolean(is_complete(x)));
	json_set_number(stats, "schedules", count_schedules(r));
	json_set_number(stats, "asleep", r->systematic.asleep);
	json_set_number(stats, "by_leads", r->by_leads);
	json_set_number(stats, "by_systematic", r->by_systematic);
	json_set_number(stats, "by_priorities", r->by_priorities);
	json_set_number(stats, "leads", r->leads_made);
	json_set_number(stats, "leads_left", r->leads_left);
	json_set_number(stats, "limits", r->limits);
	json_set_number(stats, "warnings", x->hints.warnings);
	json_set_number(stats, "predictions", x->hints.predictions);
	if (first) {
		json_object_set_new(stats, "found_by", json_string(first->how));
		json_set_number(stats, "switches", first->plan.slices.count);
	}
	json_object_set_new(stats, "not_repeated", unrepeated_json(x));
	json_object_set_new(stats, "mode", json_string(mode_name(x)));
	json_object_set_new(stats, "fallback", report_json_text(fallback_reason(x)));
	json_object_set_new(stats, "window", window_json(&x->hints));
	json_object_set_new(stats, "exploring_seconds", json_real(r->seconds));
}

void explore_print_json(const struct explore_program *x, const struct report *judged, size_t count)
{
	VEC(struct report) reports = { 0 };
	struct report_sentences reasons = { 0 };
	json_t *all;

	for (size_t i = 0; i < x->found.count; i++)
		*vec_push(&reports) = x->found.items[i].report;
	all = report_json(reports.items, reports.count, NULL, 0);
	add_stats(json_object_get(all, "stats"), x);
	json_set_number(all, "unknown", x->unrepeated.count);
	json_object_set_new(all, "properties", report_json_properties(judged, count));
	report_unjudged(judged, count, &reasons);
	report_unfit(judged, count, &reasons);
	if (explore_incomplete(x))
		*vec_push(&reasons.list) = mem_format("%s", explore_incomplete(x));
	incomplete_json(&reasons, all);
	report_sentences_free(&reasons);
	print_json_value(all);
	vec_free(&reports);
}
