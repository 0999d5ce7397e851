/*
 * What the program asks to be left alone: ranges of memory where races are meant (the file `benign`),
 * and accesses from here to there.
 */
#include "trace/store.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
	const struct store_range *a = left, *b = right;

	return (a->low > b->low) - (a->low < b->low);
}

/* One after the other, and those that touch are one. */
static void join(struct trace *trace)
{
	struct store_range *r = trace->benign.items;
	size_t kept = 0;

	if (trace->benign.count)
		qsort(r, trace->benign.count, sizeof *r, compare);
	for (size_t i = 0; i < trace->benign.count; i++) {
		if (kept && r[i].low <= r[kept - 1].high)
			r[kept - 1].high =
				r[i].high > r[kept - 1].high ? r[i].high : r[kept - 1].high;
		else
			r[kept++] = r[i];
	}
	trace->benign.count = kept;
}

void store_load_benign(struct trace *trace, const struct file_view *view)
{
	const char *p = (const char *)view->data, *end = p + view->size;

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		char line[64], *behind;
		size_t length = (size_t)((stop ? stop : end) - p);
		uint64_t low, size;

		if (!stop) /* the process was killed while it wrote it */
			break;
		if (length < sizeof line) {
			memcpy(line, p, length);
			line[length] = 0;
			low = strtoull(line, &behind, 16);
			size = strtoull(behind, NULL, 16);
			if (size && low + size > low)
				*vec_push(&trace->benign) = (struct store_range){ low, low + size };
		}
		p = stop + 1;
	}
	join(trace);
}

static bool is_benign(const struct trace *trace, uint64_t address, uint64_t size)
{
	size_t low = 0, high = trace->benign.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (trace->benign.items[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < trace->benign.count && trace->benign.items[low].low < address + size;
}

/* "sooth:ignore_reads(1)" and "(0)", "sooth:ignore_writes(…)": how the runtime writes it down. */
static bool is_said(const struct trace_event *ev, const char *what, unsigned *often)
{
	size_t length = strlen(what);
	const char *text = (const char *)ev->value;

	if (ev->size != length + 3 || memcmp(text, what, length) || text[length] != '(')
		return false;
	if (text[length + 1] != '0')
		++*often;
	else
		*often -= *often > 0;
	return true;
}

void store_listen(const struct trace *trace, struct store_ignoring *ignoring,
		  const struct trace_event *probe)
{
	if (is_said(probe, "sooth:ignore_reads", &ignoring->reads) ||
	    is_said(probe, "sooth:ignore_writes", &ignoring->writes))
		ignoring->any = trace->benign.count || ignoring->reads || ignoring->writes;
}

void store_ignore(const struct trace *trace, const struct store_ignoring *ignoring,
		  struct trace_event *ev)
{
	bool reads = ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ;
	bool writes =
		ev->kind == EV_WRITE || ev->kind == EV_ATOMIC_WRITE || ev->kind == EV_ATOMIC_UPDATE;

	if ((reads && ignoring->reads) || (writes && ignoring->writes) ||
	    ((reads || writes) && is_benign(trace, ev->address, ev->size)))
		ev->flags |= EF_IGNORED;
}
