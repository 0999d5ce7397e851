/* sooth replay: runs a recorded program again along the witness of a finding. */
#include "cli/cli.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "cli/gdb.h"
#include "pipeline/predict_trace.h"
#include "cli/replay_schedule.h"

#include "base/mem.h"
#include "explore/control/command_line.h"
#include "report/confirmed.h"
#include "report/message.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: sooth replay [OPTIONS] TRACE FINDING [-- PROG ARGS...]\n"
	"       sooth replay [OPTIONS] FILE.schedule -- PROG ARGS...\n"
	"\n"
	"Runs the recorded program again, one thread at a time, along the schedule that leads to\n"
	"FINDING (race-1: its name in the report of `sooth predict` or `sooth check`; give the "
	"same\n"
	"options as there). That run is recorded, and its recording must show the finding at the\n"
	"same places in the code. A schedule that was saved can be followed by any build of the "
	"same\n"
	"source.\n"
	"\n"
	"  --save FILE      write the schedule that showed it, as text (NAME.schedule)\n"
	"  -o TRACE         keep the recording of the run that shows it\n"
	"  --gdb            stop in gdb when the threads stand where the schedule leads\n"
	"  --times N        a schedule: run it so often, and see that each run is as the first\n"
	"  --time SECONDS   for a run (default 60)\n"
	"  -v               show the program's output, on standard error\n"
	"  --json           what came of it as JSON\n"
	"  --window N, --every, --only LIST, -p FILE, --property NAMES, --no-property NAMES\n"
	"                   as the report was made with\n"
	"  -- PROG ARGS...  how to start the program, if not as it was\n"
	"\n"
	"Exit status: 1 confirmed, 3 diverged, 2 bad use, or it cannot be run.\n";

struct replay {
	struct predict_trace predicting;
	const char *trace, *finding, *save, *keep;
	char **program;
	unsigned times;
	bool use_gdb, verbose;
	struct gdb gdb;
};

static int refuse(const struct err *err)
{
	cli_complain("replay", "%s", err->text);
	return STATUS_BAD_USE;
}

/* ---- the command line ----------------------------------------------------------------------- */

static bool read_name(const char **name, char **argv, int *i)
{
	if (!argv[*i + 1]) {
		cli_complain("replay", "%s: its value is missing", argv[*i]);
		return false;
	}
	*name = argv[++*i];
	return true;
}

static bool read_option(struct replay *r, char **argv, int *i)
{
	enum predict_trace_option taken;

	if (!strcmp(argv[*i], "--gdb")) {
		r->use_gdb = true;
		return true;
	}
	if (!strcmp(argv[*i], "-v")) {
		r->verbose = true;
		return true;
	}
	if (!strcmp(argv[*i], "--save"))
		return read_name(&r->save, argv, i);
	if (!strcmp(argv[*i], "--times")) {
		const char *times;

		if (!read_name(&times, argv, i))
			return false;
		r->times = (unsigned)atoi(times);
		if (!r->times)
			cli_complain("replay", "--times %s: not a number", times);
		return r->times > 0;
	}
	if (!strcmp(argv[*i], "-o"))
		return read_name(&r->keep, argv, i);
	taken = predict_trace_read_option(&r->predicting, argv, i);
	if (taken == PREDICT_TRACE_OTHER)
		cli_complain("replay", "%s: no such option (sooth replay --help)", argv[*i]);
	return taken == PREDICT_TRACE_TAKEN;
}

static bool read_words(struct replay *r, char **argv)
{
	for (int i = 1; argv[i]; i++) {
		if (!strcmp(argv[i], "--")) {
			r->program = argv + i + 1;
			break;
		}
		if (argv[i][0] == '-' && argv[i][1]) {
			if (!read_option(r, argv, &i))
				return false;
		} else if (!r->trace) {
			r->trace = argv[i];
		} else if (!r->finding) {
			r->finding = argv[i];
		} else {
			cli_complain("replay",
				     "%s: one finding at a time; a program comes behind --",
				     argv[i]);
			return false;
		}
	}
	if (!r->trace || (!r->finding && !replay_is_schedule(r->trace))) {
		cli_complain("replay",
			     "which finding of which trace? (sooth replay TRACE FINDING)");
		return false;
	}
	if (r->program && !r->program[0]) {
		cli_complain("replay",
			     "which program? (sooth replay TRACE FINDING -- PROG ARGS...)");
		return false;
	}
	return true;
}

/* ---- what came of it ------------------------------------------------------------------------ */

static void print_text(const struct replay *r, const struct report *report,
		       const struct report_item *item)
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
	(void)r;
}

static void print_json(const struct report *report, const struct report_item *item)
{
	const struct finding *f = item->finding;
	json_t *all = json_object();

	json_object_set_new(all, "version", json_integer(1));
	json_object_set_new(all, "id", json_string(item->id));
	json_object_set_new(all, "kind", json_string(finding_kind_name(f->kind)));
	json_object_set_new(all, "status", json_string(finding_status_name(f->status)));
	json_object_set_new(all, "message", report_json_text(message_make(report->describe, f)));
	json_object_set_new(all, "confirmation", confirmed_json(item->confirmation));
	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(all);
}

static int status_of(const struct confirmation *c)
{
	switch (c->verdict) {
	case CONFIRM_DONE: return STATUS_FINDINGS;
	case CONFIRM_DIVERGED: return STATUS_DIVERGED;
	default: return STATUS_BAD_USE;
	}
}

/* ---- replaying ------------------------------------------------------------------------------ */

static bool confirm(struct replay *r, const struct trace *trace, const struct finding *finding,
		    struct confirmation *out, struct schedule *schedule, struct err *err)
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
		signal(SIGINT, SIG_IGN); /* for gdb alone */
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
	if (!confirm(r, describe_trace(report->describe), finding, &confirmation, &schedule, &err))
		return refuse(&err);
	if (confirmation.verdict == CONFIRM_DONE && finding->status != FINDING_OBSERVED)
		finding->status = FINDING_CONFIRMED;
	item->confirmation = &confirmation;
	if (r->predicting.json)
		print_json(report, item);
	else
		print_text(r, report, item);
	status = status_of(&confirmation);
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

/* A pattern that `sooth check` found by trying is a lead of the prediction. */
static void take_leads(struct predict_result *result)
{
	for (size_t i = 0; i < result->leads.count; i++)
		*vec_push(&result->findings) = result->leads.items[i];
	result->leads.count = 0;
}

static int find_and_replay(struct replay *r, struct report *report)
{
	struct report_numbers numbers = { 0 };
	report_items items = { 0 };
	struct report_item *found = NULL;
	int status = STATUS_BAD_USE;

	take_leads((struct predict_result *)report->result);
	report_list(report, &numbers, &items);
	for (size_t i = 0; i < items.count; i++) {
		if (!strcmp(items.items[i].id, r->finding))
			found = &items.items[i];
	}
	if (found)
		status = replay_finding(r, report, found);
	else
		cli_complain("replay", "%s has no finding %s; `sooth predict %s` lists them",
			     r->trace, r->finding, r->trace);
	vec_free(&items);
	return status;
}

int cmd_replay(int argc, char **argv)
{
	struct replay r = { 0 };
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return STATUS_OK;
	}
	predict_trace_init(&r.predicting, "replay");
	if (!read_words(&r, argv))
		return STATUS_BAD_USE;
	if (!r.finding)
		return replay_schedule(&(struct replay_schedule){
			.path = r.trace,
			.program = r.program,
			.seconds = r.predicting.options.seconds,
			.use_gdb = r.use_gdb,
			.verbose = r.verbose,
			.keep = r.keep,
			.times = r.times,
			.json = r.predicting.json,
			.properties = &r.predicting.properties,
		});
	if (!predict_trace_open_properties(&r.predicting) ||
	    !property_files_select_kept("replay", r.trace))
		return STATUS_BAD_USE;
	r.predicting.options.leads = !strncmp(r.finding, "lead-", 5);
	predict_trace_add(&r.predicting, r.trace, NULL, NULL);
	if (!r.predicting.reports.count)
		return STATUS_BAD_USE;
	status = find_and_replay(&r, &r.predicting.reports.items[0]);
	predict_trace_drop(&r.predicting);
	return status;
}
