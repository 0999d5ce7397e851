/*
 * `sooth explore -p`: what a run violates is found in the orders that its recording allows, so the run
 * itself need not show it. The order that does is run, along the witness; it is what is saved.
 */
#include "pipeline/complain.h"
#include "pipeline/explore_program.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "explore/confirm/confirm.h"
#include "report/message.h"

#include <string.h>

#define CONFIRM_SECONDS 30.0 /* for all of one run */

/* The name of the file, to be freed; NULL: it could not be written, which was said. */
static char *save(struct explore_program *x, const struct explore_report *explored,
		  const struct finding *finding, struct schedule *schedule)
{
	const char *about = message_make(explored->report.describe, finding);
	char *name = explore_program_schedule_name(x);
	struct err err;

	schedule->about = mem_copy_text(about, strlen(about));
	schedule_expect_property(schedule, finding->property->name, finding->formula);
	if (schedule_write(schedule, name, &err)) {
		x->saved++;
		return name;
	}
	cli_complain("explore", "the schedule is not saved: %s", err.text);
	free(name);
	return NULL;
}

static void confirm(struct explore_program *x, struct explore_report *explored, size_t i,
		    const struct confirm_options *wanted, struct confirmation *out)
{
	struct finding *finding =
		&((struct predict_result *)explored->report.result)->findings.items[i];
	struct schedule schedule = { 0 };
	struct confirm_options options = *wanted;
	struct confirmer *confirmer;
	struct err err = { 0 };
	char *name;

	options.schedule = &schedule;
	confirmer = confirm_open(&options, describe_trace(explored->report.describe), &err);
	if (!confirmer)
		return;
	if (confirm_finding(confirmer, finding, out) && out->verdict == CONFIRM_DONE) {
		finding->status = FINDING_CONFIRMED;
		name = save(x, explored, finding, &schedule);
		if (name)
			explored->replays[i] =
				explore_report_replay(name, &x->properties, x->program);
		free(name);
	}
	x->extra += out->runs;
	confirm_close(confirmer);
	schedule_free(&schedule);
}

void explore_program_confirm_violations(struct explore_program *x, struct explore_report *explored)
{
	const struct predict_result *result = explored->report.result;
	struct confirmation *confirmations =
		mem_zalloc(result->findings.count + 1, sizeof *confirmations);
	struct confirm_options options = {
		.run = {
			.program = x->program,
			.seconds = x->run_seconds,
			.quiet = true,
			.stop = x->stop,
		},
		.predict_seconds = CONFIRM_SECONDS / 4,
		.deadline = seconds_now() + CONFIRM_SECONDS,
		.events = result->stats.events,
		.files = x->properties.files.items,
		.file_count = x->properties.files.count,
	};

	for (size_t i = 0; i < result->findings.count; i++) {
		if (result->findings.items[i].property)
			confirm(x, explored, i, &options, &confirmations[i]);
	}
	explored->report.confirmations = confirmations;
}
