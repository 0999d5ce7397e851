/*
 * pattern_judge [--window N] [--z3] [--sites] TRACE PROPERTY ...
 *
 * The tool's side of the comparison with pattern_brute.c, for many cases in one process: the
 * property file through the real parser, the events through the real reader. Prints a line of JSON
 * for each pair, with every match; with --sites only one for each set of sites.
 */
#include "order/z3/z3.h"
#include "predict/driver/predict.h"
#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(const char *key, const char *text)
{
	printf(",\"%s\":\"", key);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar((unsigned char)*text < ' ' ? ' ' : *text);
	}
	putchar('"');
}

static void print_finding(const struct finding *finding)
{
	printf("{\"status\":\"%s\",\"events\":[", finding_status_name(finding->status));
	for (size_t i = 0; i < finding->events.count; i++) {
		const struct finding_event *e = &finding->events.items[i];

		printf("%s[%u,%u,%llu,%d]", i ? "," : "", e->named, e->id.stream,
		       (unsigned long long)e->id.index, e->before);
	}
	printf("],\"steps\":[");
	for (size_t i = 0; i < finding->steps.count; i++)
		printf("%s[%u,%llu]", i ? "," : "", finding->steps.items[i].stream,
		       (unsigned long long)finding->steps.items[i].index);
	printf("]}");
}

static void print_result(const struct predict_result *result)
{
	const struct predict_stats *stats = &result->stats;

	printf(",\"findings\":[");
	for (size_t i = 0; i < result->findings.count; i++) {
		if (i)
			putchar(',');
		print_finding(&result->findings.items[i]);
	}
	printf("],\"unknown\":%llu,\"rejected\":%llu",
	       (unsigned long long)(stats->unknown + stats->not_asked + stats->windows_left +
				    stats->far_choices),
	       (unsigned long long)stats->rejected);
	for (size_t i = 0; i < result->faults.count && i < 1; i++)
		print_text("fault", result->faults.items[i]);
}

static void predict(const struct trace *trace, struct spec_file *file,
		    struct predict_options options)
{
	struct predict_result result = { 0 };
	struct property_set set = { 0 };
	struct err err = { "" };

	if (!property_read(trace, &file, 1, &set, &err)) {
		print_text("error", err.text);
		return;
	}
	options.properties = &set;
	if (predict_run(trace, &options, &result, &err))
		print_result(&result);
	else
		print_text("error", err.text);
	predict_result_free(&result);
	property_set_free(&set);
}

static void judge(const char *path, const char *property, const struct predict_options *options)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = NULL;
	struct trace *trace = NULL;
	struct err err = { "" };

	printf("{\"trace\":\"%s\"", path);
	if (!trace_open(path, &trace, &err))
		print_text("error", err.text);
	else if (!(file = spec_read(property, &messages, &err)))
		print_text("error", messages.list.count ? messages.list.items[0].shown : err.text);
	else
		predict(trace, file, *options);
	printf("}\n");
	fflush(stdout);
	if (file)
		spec_free(file);
	spec_messages_free(&messages);
	if (trace)
		trace_close(trace);
}

int main(int argc, char **argv)
{
	struct predict_options options = {
		.every = true, .window = PREDICT_WINDOW, .jobs = 1, .steps = PREDICT_STEPS
	};
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--window") && i + 1 < argc)
			options.window = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--z3"))
			options.z3 = order_solve_z3;
		else if (!strcmp(argv[i], "--sites"))
			options.every = false;
	}
	for (; i + 1 < argc; i += 2)
		judge(argv[i], argv[i + 1], &options);
	return 0;
}
