/*
 * `sooth explore -p`: a violation can be in any order that the events of a recorded run allow, so
 * the run itself need not show it. This file runs the program along the witness, in the order that
 * shows the violation, and saves the schedule of that run.
 */
#include "pipeline/explore_program.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "explore/confirm/confirm.h"
#include "report/message.h"

#include <string.h>

#define CONFIRM_SECONDS 30.0 /* for all violations of one run */

static void confirm_violation(struct explore_program *x, struct explore_report *explored, size_t i,
			      const struct confirm_options *wanted, struct confirmation *out)
{
	struct finding *finding =
		&((struct predict_result *)explored->report.result)->findings.items[i];
	struct schedule schedule = { 0 };
	struct confirm_options options = *wanted;
	struct confirmer *confirmer;
	struct err err = { 0 };
	const char *about;
	char *name;

	options.schedule = &schedule;
	confirmer = confirm_open(&options, describe_trace(explored->report.describe), &err);
	if (!confirmer)
		return;
	if (confirm_finding(confirmer, finding, out) && out->verdict == CONFIRM_DONE) {
		finding->status = FINDING_CONFIRMED;
		about = message_make(explored->report.describe, finding);
		schedule.about = mem_copy_text(about, strlen(about));
		schedule_expect_property(&schedule, finding->property->name, finding->formula);
		name = explore_program_save(x, &schedule);
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
			confirm_violation(x, explored, i, &options, &confirmations[i]);
	}
	explored->report.confirmations = confirmations;
}
