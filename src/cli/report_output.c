/* The last part of `sooth predict`, `check` and `observe`: output and exit status. */
#include "cli/report_output.h"

#include "cli/cli.h"
#include "pipeline/complain.h"
#include "report/incomplete.h"
#include "report/lattices.h"

#include <stdio.h>

void json_set_number(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

void print_json_value(json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(value);
}

static void print_json(const struct predict_trace *p, const struct report_sentences *incomplete)
{
	json_t *all = report_json(p->reports.items, p->reports.count, p->problems.items,
				  p->problems.count);

	incomplete_json(incomplete, all);
	print_json_value(all);
}

static void print_text(const struct predict_trace *p, const struct report_sentences *incomplete)
{
	struct report_numbers numbers = { 0 };

	for (size_t i = 0; i < p->reports.count; i++)
		report_print_findings(&p->reports.items[i], &numbers, stdout);
	report_print_properties(p->reports.items, p->reports.count, stdout);
	lattices_print(p->reports.items, p->reports.count, p->observe_only, stdout);
	if (!p->reports.count)
		return;
	report_print_summary(p->reports.items, p->reports.count, stdout);
	incomplete_print(incomplete, stdout);
}

static bool has_findings(const struct predict_trace *p)
{
	for (size_t i = 0; i < p->reports.count; i++) {
		if (p->reports.items[i].observed.count || report_has_findings(&p->reports.items[i]))
			return true;
	}
	return false;
}

/*
 * A property file that does not fit the program is an error only if nothing was found. Any other
 * problem is one in any case.
 */
static int exit_status(const struct predict_trace *p, const struct report_sentences *incomplete)
{
	if (p->fault)
		return STATUS_OUR_FAULT;
	if (p->problems.count > p->unfit || (p->strict && incomplete->list.count))
		return STATUS_BAD_USE;
	if (has_findings(p))
		return STATUS_FINDINGS;
	return p->unfit ? STATUS_BAD_USE : STATUS_OK;
}

int report_output(struct predict_trace *p)
{
	struct report_sentences incomplete = { 0 };
	int status;

	predict_trace_add_unjudged(p);
	predict_trace_incomplete(p, &incomplete);
	(p->json ? print_json : print_text)(p, &incomplete);
	status = exit_status(p, &incomplete);
	report_sentences_free(&incomplete);
	if (fflush(stdout) || ferror(stdout)) {
		complain(p->command, "cannot write to standard output");
		status = p->fault ? STATUS_OUR_FAULT : STATUS_BAD_USE;
	}
	return status;
}
