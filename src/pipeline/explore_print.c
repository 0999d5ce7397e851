#include "pipeline/explore_print.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- text --------------------------------------------------------------------------------- */

/* Runs that differ: those that sleep sets ended are equal to others. */
static uint64_t schedules(const struct explore_result *r)
{
	return r->systematic.runs - r->systematic.asleep;
}

/* What may have been our doing could have hidden something. */
static bool is_complete(const struct explore_print *told)
{
	return told->result->complete && !told->doubt_count;
}

/* The first that was more than a doubt, or NULL. */
static const struct failure *first_failure(const struct explore_print *told)
{
	const struct explore_result *r = told->result;

	for (size_t i = 0; i < r->failures.count; i++)
		if (!r->failures.items[i].doubtful)
			return &r->failures.items[i];
	return NULL;
}

static void print_failures(const struct explore_print *told)
{
	const struct explore_result *r = told->result;
	const struct failure *first = first_failure(told);
	size_t switches = first->plan.slices.count ? first->plan.slices.count - 1 : 0;

	printf("%zu failure%s; the first in execution %" PRIu64 " of the program (%s), "
	       "with %zu switch%s\n",
	       told->found_count, told->found_count == 1 ? "" : "s", first->execution, first->how,
	       switches, switches == 1 ? "" : "es");
	if (is_complete(told))
		printf("complete: there are %" PRIu64 " schedules that differ\n", schedules(r));
}

/* What keeps "no failure" from being "there is none". */
static const char *why_incomplete(const struct explore_print *told)
{
	const struct explore_result *r = told->result;

	if (r->interrupted)
		return "interrupted";
	if (!r->at_its_end)
		return "the budget is used up";
	if (r->systematic.world)
		return "the program waits for something outside, whose order is not known";
	if (r->systematic.unordered)
		return "signals or cancellations came, and not everywhere they could";
	if (r->systematic.diverged)
		return "the program does not do the same in the same order";
	if (r->systematic.lost && !r->limits)
		return "executions are too large to be compared";
	return r->limits ? "some executions did not end" : "what is unknown may hide something";
}

static void print_end(const struct explore_print *told)
{
	const struct explore_result *r = told->result;

	for (size_t i = 0; i < told->doubt_count; i++)
		printf("unknown: %s\n", told->doubts[i].text);
	if (told->found_count)
		print_failures(told);
	else if (is_complete(told))
		printf("complete: no failure in all %" PRIu64 " schedules that differ\n",
		       schedules(r));
	else
		printf("no failure found; not all schedules were run: %s\n", why_incomplete(told));
	if (r->limits)
		printf("%" PRIu64 " execution%s did not end within the steps or the time of one\n",
		       r->limits, r->limits == 1 ? "" : "s");
	printf("%" PRIu64 " executions in %.1f s (%s%s%s): %" PRIu64 " by leads (%" PRIu64
	       " left), %" PRIu64 " systematic, %" PRIu64 " by random priorities\n",
	       r->executions, r->seconds, told->mode, told->fallback ? ", because " : "",
	       told->fallback ? told->fallback : "", r->by_leads, r->leads_left, r->by_systematic,
	       r->by_priorities);
}

void explore_print_text(const struct explore_print *told)
{
	struct report_numbers numbers = { 0 };

	for (size_t i = 0; i < told->found_count; i++)
		report_print_findings(&told->found[i].report, &numbers, stdout);
	report_print_properties(told->judged, told->judged_count, stdout);
	print_end(told);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void put(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *window_json(const struct hints *hints)
{
	json_t *window = json_array();

	for (uint32_t i = 0; i < hints->thread_count; i++)
		if (hints->threads[i])
			json_array_append_new(window, json_integer(i));
	return window;
}

static json_t *doubts_json(const struct explore_print *told)
{
	json_t *list = json_array();

	for (size_t i = 0; i < told->doubt_count; i++)
		json_array_append_new(list, json_string(told->doubts[i].text));
	return list;
}

static void add_stats(json_t *stats, const struct explore_print *told)
{
	const struct explore_result *r = told->result;
	const struct failure *first = first_failure(told);

	put(stats, "executions", first ? first->execution : r->executions);
	put(stats, "executions_all", r->executions + told->extra);
	json_object_set_new(stats, "complete", json_boolean(is_complete(told)));
	put(stats, "schedules", schedules(r));
	put(stats, "asleep", r->systematic.asleep);
	put(stats, "by_leads", r->by_leads);
	put(stats, "by_systematic", r->by_systematic);
	put(stats, "by_priorities", r->by_priorities);
	put(stats, "leads", r->leads_made);
	put(stats, "leads_left", r->leads_left);
	put(stats, "limits", r->limits);
	put(stats, "warnings", told->hints->warnings);
	put(stats, "predictions", told->hints->predictions);
	if (first) {
		json_object_set_new(stats, "found_by", json_string(first->how));
		put(stats, "switches", first->plan.slices.count);
	}
	json_object_set_new(stats, "not_repeated", doubts_json(told));
	json_object_set_new(stats, "mode", json_string(told->mode));
	json_object_set_new(stats, "fallback", report_json_text(told->fallback));
	json_object_set_new(stats, "window", window_json(told->hints));
	json_object_set_new(stats, "exploring_seconds", json_real(r->seconds));
}

void explore_print_json(const struct explore_print *told)
{
	VEC(struct report) reports = { 0 };
	json_t *all;

	for (size_t i = 0; i < told->found_count; i++)
		*vec_push(&reports) = told->found[i].report;
	all = report_json(reports.items, reports.count, NULL, 0);
	add_stats(json_object_get(all, "stats"), told);
	put(all, "unknown", told->doubt_count);
	json_object_set_new(all, "properties",
			    report_json_properties(told->judged, told->judged_count));
	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(all);
	vec_free(&reports);
}
