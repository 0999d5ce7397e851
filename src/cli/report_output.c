/* The last part of `sooth predict`, `check` and `observe`: output and exit status. */
#include "cli/report_output.h"

#include "cli/cli.h"
#include "pipeline/complain.h"
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

int report_output(struct predict_trace *p)
{
	int status = STATUS_OK;

	predict_trace_add_unjudged(p);
	if (p->json)
		print_json_value(report_json(p->reports.items, p->reports.count, p->problems.items,
					     p->problems.count));
	else
		print_text(p);
	for (size_t i = 0; i < p->reports.count; i++) {
		if (p->reports.items[i].observed.count || report_has_findings(&p->reports.items[i]))
			status = STATUS_FINDINGS;
	}
	if (p->problems.count)
		status = STATUS_BAD_USE;
	if (fflush(stdout) || ferror(stdout)) {
		complain(p->command, "cannot write to standard output");
		status = STATUS_BAD_USE;
	}
	return p->fault ? STATUS_OUR_FAULT : status;
}
