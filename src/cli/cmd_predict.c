/* sooth predict: what other schedules of a recorded run would show. */
#include "cli/cli.h"
#include "cli/predicting.h"

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
	struct predicting p;
	const char *trace = NULL;
	bool options = true;

	predicting_init(&p, "predict");
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		enum predicting_option taken = PREDICTING_OTHER;

		if (options && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
			printf("%s%s%s%s", usage, properties_option_help, predicting_options_help,
			       statuses);
			return CLI_OK;
		}
		if (options && !strcmp(word, "--")) {
			options = false;
			continue;
		}
		if (options && word[0] == '-' && word[1])
			taken = predicting_read_option(&p, argv, &i);
		if (taken == PREDICTING_TAKEN)
			continue;
		if (taken == PREDICTING_BAD)
			return CLI_BAD_USE;
		if (trace || (options && word[0] == '-')) {
			fprintf(stderr, "sooth predict: %s: %s (sooth predict --help)\n", word,
				word[0] == '-' ? "no such option" : "one trace at a time");
			return CLI_BAD_USE;
		}
		trace = word;
	}
	if (!trace) {
		fputs("sooth predict: which trace? (sooth predict [OPTIONS] TRACE)\n", stderr);
		return CLI_BAD_USE;
	}
	if (!predicting_open_properties(&p))
		return CLI_BAD_USE;
	predicting_add(&p, trace, NULL, NULL);
	return predicting_finish(&p);
}
