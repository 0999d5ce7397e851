/* sooth explore: runs a program again and again, in different schedules, until a run fails. */
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/explore_print.h"
#include "cli/option_groups.h"
#include "pipeline/complain.h"

static bool set_mode(const struct cli_option *option, void *target, const char *value,
		     struct err *err)
{
	int choice = option_choice(option, value, err);

	((struct explore_program *)target)->mode = (enum runner_mode)choice;
	return choice >= 0;
}

#define EXPLORE_FIELD(name) offsetof(struct explore_program, name)
static const struct cli_option explore_options[] = {
	{ "--budget", "N", "at most N executions (default 100000)", .set = option_set_number,
	  .field = EXPLORE_FIELD(budget) },
	{ "--seconds", "S", "time limit (default 60; 0: none)", .set = option_set_seconds,
	  .field = EXPLORE_FIELD(seconds) },
	{ "--seed", "N", "seed of the first schedule and of random choices (default 0)",
	  .set = option_set_number, .field = EXPLORE_FIELD(seed) },
	{ "--all", NULL, "go on after the first failure; report each code site once",
	  .set = option_set_flag, .field = EXPLORE_FIELD(all) },
	{ "--mode", "NAME",
	  "how to run the program: persistent (default), fork-fibers, fork or once; slower modes "
	  "are chosen automatically if the program needs them",
	  .set = set_mode, .choices = explore_program_modes },
	{ "-o", "TRACE", "keep the recording of the first failure in TRACE", .set = option_set_text,
	  .field = EXPLORE_FIELD(keep) },
	{ "--save", "FILE",
	  "save the schedule of the failure in FILE, for `sooth replay` (default: PROG.schedule)",
	  .set = option_set_text, .field = EXPLORE_FIELD(save) },
	{ "-v", NULL, "print the reason and the result of each execution", .set = option_set_flag,
	  .field = EXPLORE_FIELD(verbose) },
	{ 0 },
};

/*
 * Returns the reports from which verdicts on properties are made; the caller frees the array. The
 * first one has no findings: it says which events of the properties the first run could show. The
 * others are the reports of failures.
 */
static struct report *list_judged(const struct explore_program *x, size_t *count)
{
	static const struct predict_result nothing;
	struct report *judged = mem_zalloc(x->found.count + 1, sizeof *judged);

	*count = x->judging.has_first ? 1 + x->found.count : 0;
	judged[0] = (struct report){
		.result = &nothing,
		.properties = &x->judging.first,
		.observation = &x->judging.first_observation,
		.files = x->properties.files.items,
		.file_count = x->properties.files.count,
	};
	for (size_t i = 0; i < x->found.count; i++)
		judged[1 + i] = x->found.items[i].report;
	return judged;
}

/*
 * Prints a message for each property that should have been checked but was not, and for each file
 * that does not fit. Returns false if that is an error: the latter is one only if nothing is found.
 */
static bool check_all_judged(const struct explore_program *x, const struct report *judged,
			     size_t count)
{
	struct report_sentences sentences = { 0 };
	size_t unjudged;
	bool all;

	report_unjudged(judged, count, &sentences);
	unjudged = sentences.list.count;
	report_unfit(judged, count, &sentences);
	for (size_t i = 0; i < sentences.list.count; i++)
		complain("explore", "%s", sentences.list.items[i]);
	all = x->found.count && !x->strict ? !unjudged : !sentences.list.count;
	report_sentences_free(&sentences);
	return all;
}

static bool print_results(const struct explore_program *x)
{
	size_t count;
	struct report *judged = list_judged(x, &count);
	bool all_judged = check_all_judged(x, judged, count);

	(x->json ? explore_print_json : explore_print_text)(x, judged, count);
	free(judged);
	return all_judged;
}

static int explore_and_print(struct explore_program *x)
{
	struct err err = { 0 };
	bool done = explore_program_run(x, &err);

	if (!done)
		complain("explore", "%s", err.text);
	if (done || x->json)
		done &= print_results(x);
	/* A search that ends at its first failure has done what it was asked for. */
	if (!done || (x->strict && (x->all || !x->found.count) && explore_incomplete(x)))
		return STATUS_BAD_USE;
	return x->found.count ? STATUS_FINDINGS : STATUS_OK;
}

int cmd_explore(char **argv)
{
	struct explore_program x;
	struct command_arguments arguments;
	const struct command_syntax syntax = {
		.command = "explore",
		.usage = "[OPTIONS] [--] PROG ARGS...",
		.about =
			"Runs PROG, built with `sooth cc`, many times, one thread at a time, in "
			"different schedules: first those that the first run suggests, then all "
			"different ones systematically. The search ends with a failed assertion, a "
			"crash, a deadlock, a lost wake-up, a use of freed memory, or an exit "
			"status other than that of the first run. The failing run is then repeated "
			"with as few context switches as possible, and recorded. The program's "
			"output is discarded.\n"
			"With -p, a run that violates a property fails as well. Each run is "
			"recorded then, which is slower.",
		.groups = { { explore_options, &x },
			    { property_options, &x.properties },
			    { strict_options, &x.strict },
			    { json_options, &x.json } },
		.notes = "Exit status: 0 nothing found, 1 a run fails, 2 bad use, the program "
			 "cannot be run, or a property could not be checked.",
		.program = true,
	};
	int status;

	explore_program_init(&x);
	if (!options_read(&syntax, argv, &arguments, &status))
		return status;
	x.program = arguments.program;
	if (!explore_program_open(&x))
		return STATUS_BAD_USE;
	status = explore_and_print(&x);
	explore_program_close(&x);
	return status;
}
