/* sooth replay: runs a recorded program again along the witness of a finding. */
#include "cli/cli.h"
#include "cli/gdb.h"
#include "cli/option_groups.h"
#include "cli/replay_schedule.h"
#include "cli/report_output.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/predict_trace.h"

#include "base/mem.h"
#include "explore/control/command_line.h"
#include "report/confirmed.h"
#include "report/message.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay {
	struct predict_trace predicting;
	const char *save, *keep;
	char **program; /* NULL: run the program as it was recorded */
	unsigned times;
	bool use_gdb, verbose;
	struct gdb gdb;
};

#define REPLAY_FIELD(name) offsetof(struct replay, name)
static const struct cli_option replay_options[] = {
	{ "--save", "FILE", "write the schedule that shows the finding, as text (NAME.schedule)",
	  .set = option_set_text, .field = REPLAY_FIELD(save) },
	{ "-o", "TRACE", "keep the recording of the run that shows the finding",
	  .set = option_set_text, .field = REPLAY_FIELD(keep) },
	{ "--gdb", NULL, "stop in gdb at the end of the schedule", .set = option_set_flag,
	  .field = REPLAY_FIELD(use_gdb) },
	{ "--times", "N", "with a schedule: run it N times and verify that all runs are identical",
	  .set = option_set_u32, .field = REPLAY_FIELD(times), .least = 1 },
	{ "--time", "SECONDS", "time limit of a run (default 60)", .set = option_set_seconds,
	  .field = REPLAY_FIELD(predicting.options.seconds) },
	{ "-v", NULL, "show the program's output, on standard error", .set = option_set_flag,
	  .field = REPLAY_FIELD(verbose) },
	{ 0 },
};

static int refuse(const struct err *err)
{
	complain("replay", "%s", err->text);
	return STATUS_BAD_USE;
}

/* ---- the result ------------------------------------------------------------------------------ */

static void print_text(const struct report *report, const struct report_item *item)
{
	const struct confirmation *c = item->confirmation;
	const char *line;

	printf("%s: %s\n", item->id, message_make(report->describe, item->finding));
	for (unsigned i = 0; (line = confirmed_line(report->describe, item->finding, c, i)); i++)
		printf("%s%s\n", i ? "    " : "  ", line);
	if (c->verdict == CONFIRM_DONE)
		printf("confirmed, in %u run%s\n", c->runs, c->runs == 1 ? "" : "s");
	else if (c->verdict == CONFIRM_DIVERGED)
		printf("diverged, in %u run%s\n", c->runs, c->runs == 1 ? "" : "s");
	else if (c->verdict == CONFIRM_NOT_ATTRIBUTED)
		printf("not attributed, in %u runs\n", c->runs);
}

static void print_json(const struct report *report, const struct report_item *item)
{
	const struct finding *f = item->finding;

	print_json_value(json_pack("{s:i, s:s, s:s, s:s, s:o, s:o}", "version", 1, "id", item->id,
				   "kind", finding_kind_name(f->kind), "status",
				   finding_status_name(f->status), "message",
				   report_json_text(message_make(report->describe, f)),
				   "confirmation", confirmed_json(item->confirmation)));
}

static int exit_status(const struct confirmation *c)
{
	switch (c->verdict) {
	case CONFIRM_DONE: return STATUS_FINDINGS;
	case CONFIRM_DIVERGED:
	case CONFIRM_NOT_ATTRIBUTED: return STATUS_DIVERGED;
	default: return STATUS_BAD_USE;
	}
}

/* ---- replaying ------------------------------------------------------------------------------- */

static bool replay_and_confirm(struct replay *r, const struct trace *trace,
			       const struct finding *finding, struct confirmation *out,
			       struct schedule *schedule, struct err *err)
{
	struct command_line again = { 0 };
	struct confirm_options options = {
		.run = {
			.program = r->program,
			.seconds = r->use_gdb ? 1e9 : r->predicting.options.seconds,
			.quiet = !r->verbose,
			.keep = r->keep,
			.stop = r->use_gdb ? NULL : confirm_findings_catch(),
		},
		.predict_seconds = r->use_gdb ? 0 : 10,
		.events = r->use_gdb ? 0 : r->predicting.reports.items[0].result->stats.events,
		.one_order = r->use_gdb,
		.schedule = r->save ? schedule : NULL,
		.files = r->predicting.properties.files.items,
		.file_count = r->predicting.properties.files.count,
	};
	struct confirmer *confirmer;

	if (!r->program) {
		if (!command_line_read(&again, trace, err))
			return false;
		options.run.program = again.words;
		options.run.directory = again.directory;
	}
	if (r->use_gdb) {
		signal(SIGINT, SIG_IGN); /* gdb handles Ctrl-C */
		options.run.on_held = gdb_attach;
		options.run.context = &r->gdb;
	}
	confirmer = confirm_open(&options, trace, err);
	if (confirmer) {
		if (!confirm_finding(confirmer, finding, out))
			err_set(err, "interrupted");
		gdb_wait(&r->gdb);
		confirm_close(confirmer);
	}
	command_line_free(&again);
	return confirmer != NULL && !err->text[0];
}

static int replay_finding(struct replay *r, struct report *report, struct report_item *item)
{
	struct finding *finding = (struct finding *)item->finding;
	struct confirmation confirmation = { 0 };
	struct schedule schedule = { 0 };
	struct err err = { 0 };
	int status;

	r->gdb.id = item->id;
	if (!replay_and_confirm(r, describe_trace(report->describe), finding, &confirmation,
				&schedule, &err))
		return refuse(&err);
	if (confirmation.verdict == CONFIRM_DONE && finding->status != FINDING_OBSERVED)
		finding->status = FINDING_CONFIRMED;
	item->confirmation = &confirmation;
	(r->predicting.json ? print_json : print_text)(report, item);
	status = exit_status(&confirmation);
	if (r->save && confirmation.verdict == CONFIRM_DONE) {
		const char *about = message_make(report->describe, finding);

		schedule.about = mem_copy_text(about, strlen(about));
		if (finding->property)
			schedule_expect_property(&schedule, finding->property->name,
						 finding->formula);
		if (!schedule_write(&schedule, r->save, &err))
			status = refuse(&err);
	}
	schedule_free(&schedule);
	confirmation_free(&confirmation);
	return status;
}

/*
 * Adds leads to the findings, because an id lead-N of `sooth check` names a lead of the prediction.
 */
static void add_leads(struct predict_result *result)
{
	for (size_t i = 0; i < result->leads.count; i++)
		*vec_push(&result->findings) = result->leads.items[i];
	result->leads.count = 0;
}

static int find_and_replay(struct replay *r, const char *trace, const char *id)
{
	struct report *report = &r->predicting.reports.items[0];
	struct report_numbers numbers = { 0 };
	report_items items = { 0 };
	struct report_item *found = NULL;
	int status = STATUS_BAD_USE;

	add_leads((struct predict_result *)report->result);
	report_list(report, &numbers, &items);
	for (size_t i = 0; i < items.count; i++) {
		if (!strcmp(items.items[i].id, id))
			found = &items.items[i];
	}
	if (found)
		status = replay_finding(r, report, found);
	else
		complain("replay", "%s has no finding %s; `sooth predict %s` lists the findings",
			 trace, id, trace);
	vec_free(&items);
	return status;
}

static int replay_trace(struct replay *r, const char *trace, const char *id)
{
	int status;

	if (!property_files_open(&r->predicting.properties) ||
	    !property_files_select_stored("replay", trace))
		return STATUS_BAD_USE;
	r->predicting.options.leads = !strncmp(id, "lead-", 5);
	predict_trace_add(&r->predicting, trace, NULL, NULL);
	if (!r->predicting.reports.count)
		return STATUS_BAD_USE;
	status = find_and_replay(r, trace, id);
	predict_trace_free(&r->predicting);
	return status;
}

int cmd_replay(char **argv)
{
	struct replay r = { 0 };
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "replay",
		.usage = "[OPTIONS] TRACE FINDING [-- PROG ARGS...]\n"
			 "[OPTIONS] FILE.schedule -- PROG ARGS...",
		.about =
			"Runs the recorded program again, one thread at a time, along the schedule "
			"that leads to FINDING, and records that run: its recording must show the "
			"finding at the same code sites. FINDING is a name in the report of `sooth "
			"predict` or `sooth check`, such as race-1; give the same options -p, "
			"--window, --every and --only as for that report. A saved schedule works "
			"with any build of the same source.\n"
			"-- PROG ARGS... starts the program differently than it was recorded.",
		.groups = { { replay_options, &r },
			    { json_options, &r.predicting.json },
			    { property_options, &r.predicting.properties },
			    { prediction_options, &r.predicting } },
		.notes =
			"Exit status: 1 confirmed, 3 diverged, 2 bad use, or the program cannot be "
			"run.",
		.operands = { "TRACE", "FINDING" },
		.required = 1,
		.program = true,
	};
	const char *trace, *finding;
	int status;

	predict_trace_init(&r.predicting, "replay");
	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	trace = arguments.operands[0];
	finding = arguments.operands[1];
	r.program = arguments.program;
	if (finding)
		return replay_trace(&r, trace, finding);
	if (!replay_is_schedule(trace))
		return options_refuse(&syntax, "no FINDING is given");
	if (!r.program)
		return options_refuse(&syntax, "no program is given");
	return replay_schedule(&(struct replay_schedule){
		.path = trace,
		.program = r.program,
		.seconds = r.predicting.options.seconds,
		.use_gdb = r.use_gdb,
		.verbose = r.verbose,
		.keep = r.keep,
		.times = r.times,
		.json = r.predicting.json,
		.properties = &r.predicting.properties,
	});
}
