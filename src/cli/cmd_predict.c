/* sooth predict: finds the bugs that other schedules of a recorded run can show. */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/report_output.h"

int cmd_predict(char **argv)
{
	struct predict_trace p;
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "predict",
		.usage = "[OPTIONS] TRACE",
		.about =
			"Finds data races, deadlocks, lost wake-ups, atomicity violations, uses of "
			"freed memory and misuse of locks, threads and file descriptors that other "
			"schedules of the recorded run show. Each finding comes with a schedule "
			"that an independent checker has accepted.",
		.groups = { { property_options, &p.properties },
			    { prediction_options, &p },
			    { strict_options, &p.strict },
			    { json_options, &p.json } },
		.notes = STATUS_NOTES "\n" TRACE_NOTES,
		.operands = { "TRACE" },
		.required = 1,
	};
	int status;

	predict_trace_init(&p, "predict");
	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	if (!property_files_open(&p.properties))
		return STATUS_BAD_USE;
	predict_trace_add(&p, arguments.operands[0], NULL, NULL);
	status = report_output(&p);
	predict_trace_free(&p);
	return status;
}
