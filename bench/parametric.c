/*
 * bench/parametric: measures a property with a parameter on a run with very many objects, read in
 * one pass (property_reader): time per event, and memory as the run gets longer.
 *
 * The input is a text trace of N events. A fixed number of objects live at a time. Each object is
 * allocated, used and freed, and its memory is reused. Next to the reader, the bench keeps the data
 * of a monitor: a state for each value, dropped when the value is gone.
 *
 * Then the same run goes through prediction: all windows, all queries, the checker. In the first
 * variant each object is used by one thread, so that nothing can go wrong. In the second, threads
 * use each other's objects. Prediction keeps all events of the property, because windows visit them
 * in the order of the base run. So its memory grows with the events, by the bytes in the last
 * column; the memory for one window is constant.
 */
#include "base/vec.h"
#include "predict/driver/predict.h"
#include "property/property.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char property[] = "property UseAfterClose(struct conn *c) {\n"
			       "  event open = return conn_open() = c;\n"
			       "  event use = call conn_use(c, _);\n"
			       "  event close = call conn_close(c);\n"
			       "  pattern: open use close use;\n"
			       "}\n";

/* ---- the run --------------------------------------------------------------------------------- */

struct shape {
	size_t events, objects;
	size_t slots; /* objects that live at a time */
	bool shared;  /* threads use each other's objects */
};

/* Writes a trace: in each slot of memory one object after the other, each with `uses` calls. */
static size_t write_run(FILE *out, const struct shape *shape)
{
	size_t events = shape->events, objects = shape->objects, slots = shape->slots;
	size_t each = events / objects, uses = each > 2 ? each - 2 : 1, wrote = 0;

	for (size_t first = 0; first < objects; first += slots) {
		size_t some = objects - first < slots ? objects - first : slots;

		for (size_t s = 0; s < some; s++)
			fprintf(out,
				"T%zu|alloc(c%zu,64)|\nT%zu|call conn_open()|open\n"
				"T%zu|ret conn_open=c%zu|open\n",
				s % 8, s, s % 8, s % 8, s);
		for (size_t u = 0; u < uses; u++) {
			for (size_t s = 0; s < some; s++) {
				size_t thread = (shape->shared ? s + u : s) % 8;

				fprintf(out, "T%zu|call conn_use(c%zu,%zu)|use\n", thread, s,
					u % 4);
				fprintf(out, "T%zu|ret conn_use=0|use\n", thread);
			}
		}
		for (size_t s = 0; s < some; s++)
			fprintf(out,
				"T%zu|call conn_close(c%zu)|close\nT%zu|ret conn_close=0|close\n"
				"T%zu|free(c%zu)|\n",
				s % 8, s, s % 8, s % 8, s);
		wrote += some * (uses + 2);
	}
	return wrote;
}

static struct trace *make_run(const struct shape *shape)
{
	char path[] = "/tmp/sooth-bench-XXXXXX";
	FILE *out = fdopen(mkstemp(path), "w");
	struct trace *trace = NULL;
	struct err err;

	write_run(out, shape);
	fclose(out);
	if (!trace_open(path, &trace, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	unlink(path);
	return trace;
}

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct state { /* what a monitor keeps for each object */
	uint64_t events;
};

struct result {
	uint64_t events, gone, most_values;
	double seconds;
	size_t memory[4]; /* heap in use after each quarter of the run, minus that before the run */
};

static size_t heap_now(void)
{
	struct mallinfo2 heap = mallinfo2();

	return heap.uordblks + heap.hblkhd;
}

static void quarter(struct result *result, unsigned q, size_t before)
{
	size_t now = heap_now();

	result->memory[q] = now > before ? now - before : 0;
}

static struct result walk(const struct trace *trace, struct spec_file *file, uint64_t expected)
{
	struct property_reader *reader = property_reader_open(trace, &file, 1);
	VEC(struct state) states = { 0 };
	struct result result = { 0 };
	struct property_step step;
	double start = cpu_seconds();
	unsigned quarters = 0;
	bool more = property_reader_next(reader, &step);
	size_t before = heap_now();

	for (; more; more = property_reader_next(reader, &step)) {
		uint32_t value = step.kind == PROPERTY_GONE ? step.value : step.bindings[0];

		while (states.count <= value)
			*vec_push(&states) = (struct state){ 0 };
		if (step.kind == PROPERTY_GONE) {
			states.items[value] = (struct state){ 0 };
			result.gone++;
			continue;
		}
		states.items[value].events++;
		if (++result.events * 4 >= expected * (quarters + 1) && quarters < 3)
			quarter(&result, quarters++, before);
	}
	quarter(&result, 3, before);
	result.most_values = states.count;
	result.seconds = cpu_seconds() - start;
	vec_free(&states);
	property_reader_close(reader);
	return result;
}

static void measure(struct spec_file *file, struct shape shape)
{
	struct trace *trace = make_run(&shape);
	struct result r = walk(trace, file, shape.events);

	printf("%9" PRIu64 " %9zu %7zu %9.3f %9.0f %9" PRIu64, r.events, shape.objects, shape.slots,
	       r.seconds, r.seconds / (double)r.events * 1e9, r.most_values);
	for (unsigned q = 0; q < 4; q++)
		printf(" %8zu", r.memory[q] / 1024);
	printf("\n");
	trace_close(trace);
}

/* ---- prediction ------------------------------------------------------------------------------ */

static void predict(struct spec_file *file, struct shape shape)
{
	const struct predict_options base = { .window = PREDICT_WINDOW,
					      .jobs = 1,
					      .steps = PREDICT_STEPS };
	struct predict_options options = base;
	struct trace *trace = make_run(&shape);
	struct predict_result result = { 0 };
	struct property_set set = { 0 };
	size_t before = heap_now(), kept;
	double start = cpu_seconds(), seconds;
	struct err err = { "" };

	if (!property_read(trace, &file, 1, &set, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	kept = heap_now() - before;
	options.properties = &set;
	if (!predict_run(trace, &options, &result, &err) || result.stats.rejected) {
		fprintf(stderr, "%s\n", err.text[0] ? err.text : "a witness was refused");
		exit(1);
	}
	seconds = cpu_seconds() - start;
	printf("%9zu %9zu %7zu %9.3f %9.0f %9s %9zu %9" PRIu64 " %9" PRIu64 " %7zu\n",
	       set.properties.items[0].events.count, shape.objects, shape.slots, seconds,
	       seconds / (double)set.properties.items[0].events.count * 1e9,
	       shape.shared ? "yes" : "no", result.findings.count, result.stats.queries,
	       result.stats.unknown + result.stats.not_asked + result.stats.far_choices,
	       kept / set.properties.items[0].events.count);
	fflush(stdout);
	predict_result_free(&result);
	property_set_free(&set);
	trace_close(trace);
}

int main(void)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("bench", property, &messages);

	if (!file)
		return 1;
	printf("%9s %9s %7s %9s %9s %9s   memory (KiB) after each quarter\n", "events", "objects",
	       "living", "CPU s", "ns/event", "values");
	measure(file, (struct shape){ 250000, 10000, 1000, true });
	measure(file, (struct shape){ 500000, 10000, 1000, true });
	measure(file, (struct shape){ 1000000, 10000, 1000, true });
	measure(file, (struct shape){ 2000000, 10000, 1000, true });
	measure(file, (struct shape){ 1000000, 10000, 10000, true });
	measure(file, (struct shape){ 1000000, 100000, 1000, true });
	printf("\nprediction\n%9s %9s %7s %9s %9s %9s %9s %9s %9s %7s\n", "events", "objects",
	       "living", "CPU s", "ns/event", "shared", "findings", "queries", "unknown",
	       "B/event");
	for (int shared = 0; shared < 2; shared++) {
		predict(file, (struct shape){ 250000, 10000, 100, shared });
		predict(file, (struct shape){ 500000, 10000, 100, shared });
		predict(file, (struct shape){ 1000000, 10000, 100, shared });
		predict(file, (struct shape){ 1000000, 10000, 1000, shared });
	}
	spec_free(file);
	spec_messages_free(&messages);
	return 0;
}
