/* sooth explore: runs a program again and again, in other orders, until one fails. */
#include "cli/cli.h"
#include "pipeline/complain.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/explore_print.h"
#include "pipeline/record_program.h"

#include "base/mem.h"
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: sooth explore [OPTIONS] [--] PROG ARGS...\n"
	"\n"
	"Runs PROG, built with `sooth cc`, many times, one thread at a time, each time in another\n"
	"order: first the orders that the first run suggests, then systematically all that "
	"differ.\n"
	"A failed assertion, a crash, a deadlock, a lost wake-up, a use of freed memory, an exit\n"
	"status that the first run had not ends the search; it is then repeated with as few "
	"switches\n"
	"as possible, and recorded. What the program writes goes nowhere.\n"
	"\n"
	"  -p FILE.prop     a run that violates these properties fails as well; each run is then\n"
	"                   recorded, which is slower (again for more; -p NAME: sooth's own)\n"
	"  --property NAMES only these of their properties (A,B); --no-property NAMES: all but "
	"these\n"
	"  --budget N       at most so many executions (default 100000)\n"
	"  --seconds S      … or so long (default 60; 0: no limit)\n"
	"  --seed N         another first run, other random choices (default 0)\n"
	"  --all            go on after the first failure; each place is told once\n"
	"  --mode WHICH     persistent (default), fork-fibers, fork or once: how it is run; slower "
	"ones\n"
	"                   are taken by themselves where the program needs them\n"
	"  -o TRACE         keep the recording of the failure there\n"
	"  --save FILE      where the schedule of the failure goes, for `sooth replay` (default: "
	"the\n"
	"                   program's name with .schedule behind it)\n"
	"  --json           the report as JSON\n"
	"  -v               say what each execution was for and how it ended\n"
	"\n"
	"Exit status: 0 nothing found, 1 it fails, 2 bad use, it cannot be run, or a property "
	"could "
	"not\n"
	"be judged.\n";

/* ---- the command line --------------------------------------------------------------------- */

static bool read_number(const char *name, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return cli_complain("explore", "%s %s: not a number", name, text);
	return true;
}

static bool read_seconds(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !(*out >= 0))
		return cli_complain("explore", "--seconds %s: not a time", text);
	return true;
}

static bool read_mode(const char *text, enum session_mode *out)
{
	for (int i = 0; i < EXPLORE_PROGRAM_MODES; i++)
		if (!strcmp(text, explore_program_modes[i])) {
			*out = (enum session_mode)i;
			return true;
		}
	return cli_complain("explore", "--mode %s: one of persistent, fork-fibers, fork, once",
			    text);
}

static bool read_option(struct explore_program *x, char **argv, int *i)
{
	const char *value;
	int taken;

	if (!strcmp(argv[*i], "--all"))
		return x->all = true;
	if (!strcmp(argv[*i], "--json"))
		return x->json = true;
	if (!strcmp(argv[*i], "-v"))
		return x->verbose = true;
	if ((taken = property_files_read_option(&x->properties, argv, i)))
		return taken > 0;
	if ((value = record_program_value("--budget", argv, i)))
		return read_number("--budget", value, &x->budget);
	if ((value = record_program_value("--seed", argv, i)))
		return read_number("--seed", value, &x->seed);
	if ((value = record_program_value("--seconds", argv, i)))
		return read_seconds(value, &x->seconds);
	if ((value = record_program_value("--mode", argv, i)))
		return read_mode(value, &x->mode);
	if ((value = record_program_value("--save", argv, i))) {
		x->save = value;
		return true;
	}
	if ((value = record_program_value("-o", argv, i))) {
		x->keep = value;
		return true;
	}
	return cli_complain("explore",
			    "%s: no such option, or its value is missing (sooth explore --help)",
			    argv[*i]);
}

static bool read_words(struct explore_program *x, char **argv)
{
	int i = 1;

	for (; argv[i] && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!read_option(x, argv, &i))
			return false;
	}
	if (!argv[i])
		return cli_complain("explore",
				    "which program? (sooth explore [OPTIONS] PROG ARGS...)");
	x->program = argv + i;
	return true;
}

/* ---- recordings ------------------------------------------------------------------------- */

static bool make_directory(struct explore_program *x)
{
	const char *above = getenv("TMPDIR");

	snprintf(x->directory, sizeof x->directory, "%s/sooth-explore-XXXXXX",
		 above && *above ? above : "/tmp");
	if (!mkdtemp(x->directory))
		return cli_complain("explore", "%s: %s", x->directory, strerror(errno));
	return true;
}

/* ---- the report --------------------------------------------------------------------------- */

/* What can be seen of the properties, from the first run, and what was found. To be freed. */
static struct report *make_judged(const struct explore_program *x, size_t *count)
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

/* Says what was not judged and must not pass for well: see report.h. */
static bool say_unjudged(const struct report *judged, size_t count)
{
	struct report_sentences sentences = { 0 };
	bool any;

	report_unjudged(judged, count, &sentences);
	any = sentences.list.count > 0;
	for (size_t i = 0; i < sentences.list.count; i++)
		cli_complain("explore", "%s", sentences.list.items[i]);
	report_sentences_free(&sentences);
	return any;
}

/* False: a property was not judged. */
static bool tell(const struct explore_program *x)
{
	enum session_mode mode = x->session ? session_mode(x->session) : SESSION_ONCE;
	const char *why = x->session ? session_fallback(x->session) : NULL;
	size_t judged_count;
	struct report *judged = make_judged(x, &judged_count);
	bool unjudged = say_unjudged(judged, judged_count);
	struct explore_print told = {
		.judged = judged,
		.judged_count = judged_count,
		.found = x->found.items,
		.found_count = x->found.count,
		.doubts = x->doubts.items,
		.doubt_count = x->doubts.count,
		.result = explore_result(x->explore),
		.hints = &x->hints,
		.mode = explore_program_modes[mode],
		.fallback = why		 ? why
			    : x->went_on ? "fibers showed a failure that kernel threads did not"
					 : NULL,
		.extra = x->extra,
	};

	if (x->json)
		explore_print_json(&told);
	else
		explore_print_text(&told);
	free(judged);
	return !unjudged;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* All recordings of ours, those of processes that the program started among them. */
static void remove_recordings(const struct explore_program *x)
{
	DIR *entries = opendir(x->directory);
	char path[2 * PATH_MAX];

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", x->directory, entry->d_name);
		trace_remove(path);
	}
	if (entries)
		closedir(entries);
	rmdir(x->directory);
}

/* As -o says. False, said: the recording stays where it is, and goes with the others. */
static bool keep_recording(const struct explore_program *x, const char *trace)
{
	if ((trace_is_there(x->keep) && !trace_remove(x->keep)) || !trace_move(trace, x->keep))
		return cli_complain("explore", "cannot keep the recording as %s: %s", x->keep,
				    strerror(errno));
	cli_complain("explore", "the recording of the failure is in %s", x->keep);
	return true;
}

static void clean_up(struct explore_program *x)
{
	for (size_t i = 0; i < x->found.count; i++) {
		struct explore_report *explored = &x->found.items[i];
		char *trace = mem_copy_text(explored->trace, strlen(explored->trace));
		explore_report_close(explored);
		if (i > 0 || !x->keep || !keep_recording(x, trace))
			trace_remove(trace);
		free(trace);
	}
	for (size_t i = 0; i < x->doubts.count; i++)
		free(x->doubts.items[i].text);
	vec_free(&x->doubts);
	free(x->traced);
	hints_free(&x->hints);
	remove_recordings(x);
	vec_free(&x->found);
	free(x->threads);
	if (x->session)
		session_close(x->session);
	explore_close(x->explore);
	property_judge_close(&x->judging);
	property_files_close(&x->properties);
}

/* Failures that were ours, and not the program's, do not end the search. */
static bool search(struct explore_program *x, struct err *err)
{
	bool well = explore_program_start(x, err);
	size_t doubts;

	do {
		doubts = x->doubts.count;
		if (well || explore_result(x->explore)->failures.count)
			well = explore_program_tell_failures(x, err);
		if (!well || x->all || x->doubts.count == doubts)
			return well;
		well = explore_program_go_on(x, err);
	} while (true);
}

static int run(struct explore_program *x)
{
	struct err err = { 0 };
	bool well = search(x, &err);

	if (!well)
		cli_complain("explore", "%s", err.text);
	if (well || x->json)
		well &= tell(x);
	return !well ? STATUS_BAD_USE : x->found.count ? STATUS_FINDINGS : STATUS_OK;
}

int cmd_explore(int argc, char **argv)
{
	struct explore_program x = { .budget = 100000,
				     .seconds = 60,
				     .mode = SESSION_PERSISTENT,
				     .properties = { .command = "explore" } };
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return STATUS_OK;
	}
	if (!read_words(&x, argv) || !property_files_open(&x.properties) ||
	    !property_files_select(&x.properties) || !make_directory(&x))
		return STATUS_BAD_USE;
	x.terminal = isatty(STDERR_FILENO);
	x.stop = confirm_findings_catch();
	status = run(&x);
	confirm_findings_release();
	clean_up(&x);
	return status;
}
