/*
 * sooth check: records a program, predicts from the recording, and replays the predicted findings.
 */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/report_output.h"
#include "pipeline/check_program.h"

static bool set_no_confirm(const struct cli_option *option, void *target, const char *value,
			   struct err *err)
{
	(void)option, (void)value, (void)err;
	((struct check_program *)target)->confirm_seconds = 0;
	return true;
}

#define CHECK_FIELD(name) offsetof(struct check_program, name)
static const struct cli_option check_options[] = {
	{ "-o", "TRACE", "keep the recording there (default: PROG.sooth if there are findings)",
	  .set = option_set_text, .field = CHECK_FIELD(recording.trace) },
	{ "--confirm", "SECONDS", "time limit for replaying predicted findings (default 30)",
	  .set = option_set_seconds, .field = CHECK_FIELD(confirm_seconds) },
	{ "--no-confirm", NULL, "do not run the program again", .set = set_no_confirm },
	{ "--parallel", NULL,
	  "let threads run in parallel while recording (default: one thread at a time, in the same "
	  "order each time)",
	  .set = option_clear_flag, .field = CHECK_FIELD(recording.serial) },
	{ "--serial", NULL, NULL, .set = option_set_flag, .field = CHECK_FIELD(recording.serial) },
	{ "--seed", "N", "run one thread at a time, choosing the next at random from seed N",
	  .set = option_set_number_text, .field = CHECK_FIELD(recording.seed) },
	{ 0 },
};

int cmd_check(char **argv)
{
	struct check_program c;
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "check",
		.usage = "[OPTIONS] [--] PROG ARGS...",
		.about = "Runs PROG, built with `sooth cc`, once, and finds the data races, "
			 "deadlocks, lost wake-ups, atomicity violations, uses of freed memory and "
			 "misuse of locks, threads and file descriptors that this run shows or "
			 "another schedule of it would show. If the program fails, that failure "
			 "is a finding. A program whose threads all stay blocked for a second is "
			 "killed "
			 "and reported.",
		.groups = { { check_options, &c },
			    { recording_options, &c.recording },
			    { property_options, &c.predicting.properties },
			    { prediction_options, &c.predicting },
			    { strict_options, &c.predicting.strict },
			    { json_options, &c.predicting.json } },
		.notes = "The program's output is passed through; with --json its standard output "
			 "goes to standard error.\n"
			 "Ctrl-C interrupts the program, a second Ctrl-C kills it; the report "
			 "covers what was recorded until then.\n"
			 "Processes that the program starts are recorded and analysed as "
			 "well.\n" STATUS_NOTES,
		.program = true,
	};
	int status;

	check_program_init(&c);
	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	if (c.recording.seed && !c.recording.serial)
		return options_refuse(&syntax, "--seed and --parallel exclude each other");
	c.recording.program = arguments.program;
	c.recording.output_to_stderr = c.predicting.json;
	status = check_program_run(&c) ? report_output(&c.predicting) : STATUS_BAD_USE;
	check_program_close(&c);
	return status;
}
