/*
 * judge predict [--window N] [--z3] [--jobs N] TRACE...
 * judge check <CASES
 *
 * The tool's side of the comparison with brute.c, for many traces in one process: starting a
 * process for each of 20,000 traces would cost more than the predictions. `predict` prints a line
 * of JSON for each trace, with every finding. `check` passes cases, in the form that brute.c
 * describes, to src/check alone.
 */
#include "base/mem.h"
#include "check/checker.h"
#include "order/z3/z3.h"
#include "predict/driver/predict.h"
#include "trace/order.h"
#include "trace/text.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- predict ------------------------------------------------------------------------------ */

static void print_ids(const char *key, const struct event_id *ids, size_t count)
{
	printf(",\"%s\":[", key);
	for (size_t i = 0; i < count; i++)
		printf("%s[%u,%llu]", i ? "," : "", ids[i].stream,
		       (unsigned long long)ids[i].index);
	printf("]");
}

static void print_finding(const struct finding *finding)
{
	struct event_id events[64];
	size_t count = finding->events.count < 64 ? finding->events.count : 64;

	for (size_t i = 0; i < count; i++)
		events[i] = finding->events.items[i].id;
	printf("{\"kind\":\"%s\",\"status\":\"%s\",\"misuse\":\"%s\"",
	       finding_kind_name(finding->kind), finding_status_name(finding->status),
	       finding->kind == FINDING_MISUSE ? text_misuse_name(finding->misuse) : "");
	print_ids("events", events, count);
	print_ids("steps", finding->steps.items, finding->steps.count);
	print_ids("start", finding->start.items, finding->start.count);
	printf("}");
}

static void print_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar((unsigned char)*text < ' ' ? ' ' : *text);
	}
	putchar('"');
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
	printf("],\"unknown\":%llu,\"rejected\":%llu,\"faults\":[",
	       (unsigned long long)(stats->unknown + stats->not_asked + stats->windows_left),
	       (unsigned long long)stats->rejected);
	for (size_t i = 0; i < result->faults.count; i++) {
		if (i)
			putchar(',');
		print_text(result->faults.items[i]);
	}
	printf("],\"problems\":%zu", result->problems.count);
}

static void predict(const char *path, const struct predict_options *options)
{
	struct predict_result result = { 0 };
	struct trace *trace;
	struct err err;

	printf("{\"trace\":");
	print_text(path);
	if (!trace_open(path, &trace, &err)) {
		printf(",\"error\":");
		print_text(err.text);
		printf("}\n");
		return;
	}
	if (predict_run(trace, options, &result, &err)) {
		print_result(&result);
	} else {
		printf(",\"error\":");
		print_text(err.text);
	}
	printf("}\n");
	fflush(stdout);
	predict_result_free(&result);
	trace_close(trace);
}

static int predict_all(int argc, char **argv)
{
	struct predict_options options = { .only = PREDICT_ALL,
					   .every = true,
					   .window = PREDICT_WINDOW,
					   .jobs = 1,
					   .steps = PREDICT_STEPS };

	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--window") && i + 1 < argc)
			options.window = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--jobs") && i + 1 < argc)
			options.jobs = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--z3"))
			options.z3 = order_solve_z3;
		else
			predict(argv[i], &options);
	}
	return 0;
}

/* ---- check -------------------------------------------------------------------------------- */

/* A trace, and a checker at its start, with the whole trace as its window. */
struct bench {
	char *path;
	struct trace *trace;
	struct checker *checker;
};

static void bench_close(struct bench *bench)
{
	if (bench->checker)
		checker_close(bench->checker);
	if (bench->trace)
		trace_close(bench->trace);
	free(bench->path);
	*bench = (struct bench){ 0 };
}

static bool bench_open(struct bench *bench, const char *path, struct err *err)
{
	VEC(struct checker_slice) runs = { 0 };
	struct trace_order *order;
	struct trace_event event;
	bool ok;

	bench->path = mem_copy_text(path, strlen(path));
	if (!trace_open(path, &bench->trace, err))
		return false;
	order = trace_order_open(bench->trace);
	while (trace_order_next(order, &event)) {
		if (event.index == TRACE_NO_INDEX)
			continue;
		if (!runs.count || runs.items[runs.count - 1].stream != event.stream)
			vec_push(&runs)->stream = event.stream;
		runs.items[runs.count - 1].end = event.index + 1;
	}
	trace_order_close(order);
	bench->checker = checker_open(bench->trace);
	ok = checker_enter(bench->checker, NULL, 0, runs.items, runs.count, err);
	vec_free(&runs);
	return ok;
}

typedef VEC(struct event_id) event_list;

static void read_list(const char *word, event_list *list)
{
	char *end;

	for (; *word && *word != '-'; word = *end == ',' ? end + 1 : end) {
		struct event_id *event = vec_push(list);

		event->stream = (uint32_t)strtoul(word, &end, 10);
		event->index = strtoull(end + (*end == '.'), &end, 10);
	}
}

static struct checker_witness claim_of(const char *word)
{
	static const char *const names[] = { "race",	  "cycle",	    "stuck", "lost",
					     "atomicity", "use-after-free", "",	     "prefix" };

	if (!strncmp(word, "misuse:", 7)) {
		int misuse = text_misuse(word + 7, strlen(word + 7));

		if (misuse > 0)
			return (struct checker_witness){ .claim = CHECKER_MISUSE,
							 .misuse = (enum event_misuse)misuse };
	}
	for (int i = 0; i <= CHECKER_PREFIX; i++) {
		if (*word && !strcmp(word, names[i]))
			return (struct checker_witness){ .claim = (enum checker_claim)i };
	}
	fprintf(stderr, "judge: there is no claim '%s'\n", word);
	exit(2);
}

static bool judge(struct bench *bench, char **words, struct err *err)
{
	event_list events = { 0 }, steps = { 0 };
	struct checker_witness witness = claim_of(words[1]);
	bool ok;

	read_list(words[2], &events);
	read_list(words[3], &steps);
	witness.events = events.items;
	witness.event_count = events.count;
	witness.steps = steps.items;
	witness.step_count = steps.count;
	ok = checker_accepts(bench->checker, &witness, err);
	vec_free(&events);
	vec_free(&steps);
	return ok;
}

static int check_cases(void)
{
	struct bench bench = { 0 };
	struct err err = { "" };
	bool open = false;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		char *rest = line, *words[4];

		line[strcspn(line, "\n")] = 0;
		for (int i = 0; i < 4; i++) {
			words[i] = strsep(&rest, "\t");
			if (!words[i])
				return fprintf(stderr, "judge: a case has four words\n"), 2;
		}
		if (!bench.path || strcmp(bench.path, words[0])) {
			bench_close(&bench);
			open = bench_open(&bench, words[0], &err);
		}
		if (open && judge(&bench, words, &err))
			printf("yes\n");
		else
			printf("no: %s\n", err.text);
		fflush(stdout);
	}
	bench_close(&bench);
	free(line);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "predict"))
		return predict_all(argc, argv);
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check_cases();
	fprintf(stderr, "usage: judge predict [--window N] [--z3] [--jobs N] TRACE... | check\n");
	return 2;
}
