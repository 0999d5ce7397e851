/* Follows a saved schedule with any build of the program, and prints the result. */
#include "cli/replay_schedule.h"

#include "cli/cli.h"
#include "cli/gdb.h"
#include "cli/report_output.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "explore/confirm/schedule_follow.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

bool replay_is_schedule(const char *path)
{
	size_t length = strlen(path);

	return length > 9 && !strcmp(path + length - 9, ".schedule");
}

static void print_text(const struct schedule *s, const struct schedule_result *r)
{
	bool shown = r->verdict == SCHEDULE_SHOWN;

	printf("%s: ", s->expect);
	if (shown && s->property)
		printf("%s is violated; the run ended with: ", s->property);
	else if (shown && !strcmp(s->expect, "race"))
		printf("T%u and T%u were about to access the same memory at the same time; then: ",
		       r->met[0].thread, r->met[1].thread);
	if (shown)
		printf("%s%s%s\n", run_outcome_name(r->effect.kind), r->effect.text[0] ? ": " : "",
		       r->effect.text);
	else
		printf("%s\n", r->why);
	printf("%s, in %u run%s\n", shown ? "confirmed" : "diverged", r->runs,
	       r->runs == 1 ? "" : "s");
}

static void print_json(const struct schedule *s, const struct schedule_result *r)
{
	print_json_value(json_pack(
		"{s:i, s:o, s:o, s:s, s:o, s:i, s:s, s:o}", "version", 1, "kind",
		report_json_text(s->expect), "property", report_json_text(s->property), "verdict",
		r->verdict == SCHEDULE_SHOWN ? "confirmed" : "diverged", "why",
		report_json_text(r->why), "runs", (int)r->runs, "effect",
		run_outcome_name(r->effect.kind), "text", report_json_text(r->effect.text)));
}

static int follow_schedule(const struct replay_schedule *replay, const struct schedule *schedule)
{
	struct gdb gdb = { .id = schedule->expect };
	struct rerun_options options = {
		.program = replay->program,
		.seconds = replay->use_gdb ? 1e9 : replay->seconds,
		.quiet = !replay->verbose,
		.keep = replay->keep,
		.stop = replay->use_gdb ? NULL : confirm_findings_catch(),
	};
	struct schedule_result result;
	int status;

	if (replay->use_gdb) {
		signal(SIGINT, SIG_IGN); /* gdb handles Ctrl-C */
		options.on_held = gdb_attach;
		options.context = &gdb;
	}
	schedule_follow(schedule, &options, replay->times, replay->properties->files.items,
			replay->properties->files.count, &result);
	gdb_wait(&gdb);
	if (result.verdict == SCHEDULE_CANNOT) {
		complain("replay", "%s", result.why);
		status = STATUS_BAD_USE;
	} else {
		(replay->json ? print_json : print_text)(schedule, &result);
		status = result.verdict == SCHEDULE_SHOWN ? STATUS_FINDINGS : STATUS_DIVERGED;
	}
	schedule_result_free(&result);
	return status;
}

static bool has_property(const struct property_files *p, const char *name)
{
	for (size_t i = 0; i < p->files.count; i++) {
		const struct spec_property *one = p->files.items[i]->properties;

		for (; one; one = one->next) {
			if (!strcmp(one->name, name))
				return true;
		}
	}
	return false;
}

/*
 * Reads the property files and selects the points that were recorded when the schedule was made,
 * because these points are steps of the schedule.
 */
static bool open_properties(const struct replay_schedule *replay, const struct schedule *schedule)
{
	if (!property_files_open(replay->properties) || !property_files_select(replay->properties))
		return false;
	if (!schedule->property || has_property(replay->properties, schedule->property))
		return true;
	return complain("replay", "%s violates property %s; give its file with -p FILE.prop",
			replay->path, schedule->property);
}

int replay_schedule(const struct replay_schedule *replay)
{
	struct schedule schedule;
	struct err err = { 0 };
	int status;

	if (!schedule_read(&schedule, replay->path, &err)) {
		complain("replay", "%s", err.text);
		return STATUS_BAD_USE;
	}
	status = open_properties(replay, &schedule) ? follow_schedule(replay, &schedule)
						    : STATUS_BAD_USE;
	property_files_close(replay->properties);
	schedule_free(&schedule);
	return status;
}
