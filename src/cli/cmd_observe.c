/* sooth observe: properties judged on all runs that a recorded one stands for. */
#include "cli/cli.h"
#include "pipeline/predict_trace.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: sooth observe [-p FILE.prop] [OPTIONS] TRACE\n"
	"\n"
	"Judges always, never, ltl, ere, grammar and monitor on every run that the recorded one "
	"stands for,\n"
	"level by level through the lattice of their cuts. Each violation comes with a run that a\n"
	"checker of its own has accepted, shown beside the observed one.\n"
	"\n";

static const char statuses[] =
	"  --json           the report as JSON\n"
	"\n"
	"Exit status: 0 nothing found, 1 findings, 2 bad use or bad input, 4 a fault of sooth.\n"
	"TRACE is a directory NAME.sooth or a text trace (.std).\n";

static int bad(const char *word, const char *why)
{
	fprintf(stderr, "sooth observe: %s: %s (sooth observe --help)\n", word, why);
	return STATUS_BAD_USE;
}

/* 1: taken; 0: none of ours; -1: a message was printed. */
static int read_option(struct predict_trace *p, char **argv, int *i)
{
	int taken = property_files_read_option(&p->properties, argv, i);

	if (!taken)
		taken = observe_trace_read_option(&p->observing, "observe", argv, i);
	if (!taken && !strcmp(argv[*i], "--json"))
		taken = p->json = true;
	return taken;
}

int cmd_observe(int argc, char **argv)
{
	struct predict_trace p;
	const char *trace = NULL;

	predict_trace_init(&p, "observe");
	p.observe_only = true;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		int taken;

		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			printf("%s%s%s%s", usage, property_files_option_help,
			       observe_trace_options_help, statuses);
			return STATUS_OK;
		}
		if (!strcmp(word, "--live") || !strncmp(word, "--listen", 8))
			return bad(word, "a running program cannot be observed yet; record it, "
					 "then observe the recording");
		taken = read_option(&p, argv, &i);
		if (taken < 0)
			return STATUS_BAD_USE;
		if (taken)
			continue;
		if (word[0] == '-' && word[1])
			return bad(word, "no such option");
		if (trace)
			return bad(word, "one trace at a time");
		trace = word;
	}
	if (!trace)
		return bad("TRACE", "which trace?");
	if (!predict_trace_open_properties(&p) || !property_files_open_kept(&p.properties, trace))
		return STATUS_BAD_USE;
	if (!p.properties.files.count)
		return bad("-p", "by which properties? None was recorded with the trace");
	predict_trace_add(&p, trace, NULL, NULL);
	return predict_trace_finish(&p);
}
