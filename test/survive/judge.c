/*
 * judge TRACE PROGRESS [REACHED]
 *
 * Of a program that was killed (busy.c): the writes of each thread to its cell are in the trace
 * as 1, 2, 3, … without a gap, up to the number it is known to have reached, and at most one more.
 * Of one whose recording may have had to stop (laden.c): at least up to what it had reached then, and
 * there is nothing beyond where it has come.
 */
#include "base/err.h"
#include "trace/trace.h"

#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void walk(const struct trace *trace, uint32_t i, const struct progress *p, uint64_t *last)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, i);
	struct trace_event ev;
	struct err err = { 0 };

	while (trace_next(cursor, &ev, &err)) {
		uint64_t cell = (ev.address - p->cells) / sizeof(uint64_t), value;
		if (ev.kind != EV_WRITE || ev.address < p->cells || cell >= PROGRESS_THREADS)
			continue;
		memcpy(&value, ev.value, sizeof(value));
		if (value != last[cell] + 1) {
			printf("thread %d: %llu after %llu\n", (int)cell, (unsigned long long)value,
			       (unsigned long long)last[cell]);
			bad = 1;
		}
		last[cell] = value;
	}
	if (err.text[0]) {
		printf("stream %u: %s\n", trace_stream(trace, i)->number, err.text);
		bad = 1;
	}
	trace_cursor_close(cursor);
}

/* What a file says was reached; nothing, when it is not there or was not begun. */
static struct progress read_progress(const char *name)
{
	struct progress p = { 0 };
	FILE *in = fopen(name, "rb");

	if (in && fread(&p, sizeof(p), 1, in) != 1)
		memset(&p, 0, sizeof(p));
	if (in)
		fclose(in);
	return p;
}

int main(int argc, char **argv)
{
	uint64_t last[PROGRESS_THREADS] = { 0 }, sum = 0;
	struct trace *trace;
	struct err err = { 0 };

	if (argc < 3)
		return 2;
	struct progress p = read_progress(argv[2]);
	struct progress least = argc > 3 ? read_progress(argv[3]) : p;
	if (!trace_open(argv[1], &trace, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	for (uint32_t i = 0; i < trace_stream_count(trace) && p.cells; i++)
		walk(trace, i, &p, last);
	for (int i = 0; i < PROGRESS_THREADS; i++) {
		if (last[i] < least.reached[i] || last[i] > p.reached[i] + 1) {
			printf("thread %d: reached %llu, then %llu, recorded %llu\n", i,
			       (unsigned long long)least.reached[i],
			       (unsigned long long)p.reached[i], (unsigned long long)last[i]);
			bad = 1;
		}
		sum += last[i];
	}
	printf("%llu steps, none missing\n", (unsigned long long)sum);
	trace_close(trace);
	return bad;
}
