/* sooth observe: checks properties on all schedules that a recorded run allows. */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/report_output.h"

static bool refuse_running_program(const struct cli_option *option, void *target, const char *value,
				   struct err *err)
{
	(void)option, (void)target, (void)value;
	return err_set(err, "a running program cannot be observed yet; record it, then observe the "
			    "recording");
}

/* Reserved for observing a running program, which is not implemented yet. */
static const struct cli_option future_options[] = {
	{ "--live", NULL, NULL, .set = refuse_running_program },
	{ "--listen", "ADDRESS", NULL, .set = refuse_running_program },
	{ 0 },
};

int cmd_observe(char **argv)
{
	struct predict_trace p;
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "observe",
		.usage = "[-p FILE.prop] [OPTIONS] TRACE",
		.about = "Checks always, never, ltl, ere, grammar and monitor on every schedule "
			 "that the recorded run allows, level by level through the lattice of its "
			 "cuts. Each violation comes with a violating run, which an independent "
			 "checker has accepted, next to the recorded one.",
		.groups = { { property_options, &p.properties },
			    { lattice_options, &p.observing },
			    { strict_options, &p.strict },
			    { json_options, &p.json },
			    { future_options } },
		.notes = STATUS_NOTES "\n" TRACE_NOTES,
		.operands = { "TRACE" },
		.required = 1,
	};
	const char *trace;
	int status;

	predict_trace_init(&p, "observe");
	p.observe_only = true;
	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	trace = arguments.operands[0];
	if (!property_files_open(&p.properties) ||
	    !property_files_open_stored(&p.properties, trace))
		return STATUS_BAD_USE;
	if (!p.properties.files.count)
		return options_refuse(&syntax,
				      "no properties: the trace was recorded without -p, and no "
				      "-p FILE.prop is given");
	predict_trace_add(&p, trace, NULL, NULL);
	status = report_output(&p);
	predict_trace_free(&p);
	return status;
}
