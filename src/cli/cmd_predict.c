/* sooth predict: what other schedules of a recorded run would show. */
#include "cli/cli.h"
#include "pipeline/predict_trace.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: sooth predict [OPTIONS] TRACE\n"
	"\n"
	"Finds data races, deadlocks, lost signals, torn atomic regions, uses of freed memory and\n"
	"misused locks, threads and descriptors that other schedules of the recorded run show. "
	"Each\n"
	"comes with a schedule that a checker of its own has accepted.\n"
	"\n";

static const char statuses[] =
	"\n"
	"Exit status: 0 nothing found, 1 findings, 2 bad use or bad input, 4 a fault of sooth.\n"
	"TRACE is a directory NAME.sooth or a text trace (.std).\n";

int cmd_predict(int argc, char **argv)
{
	struct predict_trace p;
	const char *trace = NULL;
	bool options = true;

	predict_trace_init(&p, "predict");
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		enum predict_trace_option taken = PREDICT_TRACE_OTHER;

		if (options && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
			printf("%s%s%s%s", usage, property_files_option_help,
			       predict_trace_options_help, statuses);
			return STATUS_OK;
		}
		if (options && !strcmp(word, "--")) {
			options = false;
			continue;
		}
		if (options && word[0] == '-' && word[1])
			taken = predict_trace_read_option(&p, argv, &i);
		if (taken == PREDICT_TRACE_TAKEN)
			continue;
		if (taken == PREDICT_TRACE_BAD)
			return STATUS_BAD_USE;
		if (trace || (options && word[0] == '-')) {
			fprintf(stderr, "sooth predict: %s: %s (sooth predict --help)\n", word,
				word[0] == '-' ? "no such option" : "one trace at a time");
			return STATUS_BAD_USE;
		}
		trace = word;
	}
	if (!trace) {
		fputs("sooth predict: which trace? (sooth predict [OPTIONS] TRACE)\n", stderr);
		return STATUS_BAD_USE;
	}
	if (!predict_trace_open_properties(&p))
		return STATUS_BAD_USE;
	predict_trace_add(&p, trace, NULL, NULL);
	return predict_trace_finish(&p);
}
