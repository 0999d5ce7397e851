/*
 * Accesses that the program asks sooth to ignore. The file `benign` lists ranges of memory where
 * races are intended; probes mark the parts of a stream where reads or writes are ignored. Such
 * accesses get the flag EF_IGNORED.
 */
#include "base/sort.h"
#include "trace/store.h"

#include <stdlib.h>
#include <string.h>

SORT_COMPARISON(by_low, struct store_range, a, b, sort_order(a->low, b->low))

/* Sorts the ranges and joins those that overlap or touch. */
static void join_ranges(struct trace *trace)
{
	struct store_range *r = trace->benign.items;
	size_t kept = 0;

	vec_sort(&trace->benign, by_low);
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
		char line[64], *rest;
		size_t length = (size_t)((stop ? stop : end) - p);
		uint64_t low, size;

		if (!stop) /* the process was killed while it wrote this line */
			break;
		if (length < sizeof line) {
			memcpy(line, p, length);
			line[length] = 0;
			low = strtoull(line, &rest, 16);
			size = strtoull(rest, NULL, 16);
			if (size && low + size > low)
				*vec_push(&trace->benign) = (struct store_range){ low, low + size };
		}
		p = stop + 1;
	}
	join_ranges(trace);
}

static bool is_benign(const struct trace *trace, uint64_t address, uint64_t size)
{
	size_t low;

	SEARCH_FIRST(low, trace->benign.count, trace->benign.items[low].high > address);
	return low < trace->benign.count && trace->benign.items[low].low < address + size;
}

/*
 * Returns true if the probe is "what(1)" or "what(0)": the runtime records these where ignoring
 * begins and ends. Updates the nesting depth `*depth`.
 */
static bool count_ignore_probe(const struct trace_event *ev, const char *what, unsigned *depth)
{
	size_t length = strlen(what);
	const char *text = (const char *)ev->value;

	if (ev->size != length + 3 || memcmp(text, what, length) || text[length] != '(')
		return false;
	if (text[length + 1] != '0')
		++*depth;
	else
		*depth -= *depth > 0;
	return true;
}

void store_update_ignoring(const struct trace *trace, struct store_ignoring *ignoring,
			   const struct trace_event *probe)
{
	if (count_ignore_probe(probe, "sooth:ignore_reads", &ignoring->reads) ||
	    count_ignore_probe(probe, "sooth:ignore_writes", &ignoring->writes))
		ignoring->any = trace->benign.count || ignoring->reads || ignoring->writes;
}

void store_mark_ignored(const struct trace *trace, const struct store_ignoring *ignoring,
			struct trace_event *ev)
{
	bool reads = ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ;
	bool writes =
		ev->kind == EV_WRITE || ev->kind == EV_ATOMIC_WRITE || ev->kind == EV_ATOMIC_UPDATE;

	if ((reads && ignoring->reads) || (writes && ignoring->writes) ||
	    ((reads || writes) && is_benign(trace, ev->address, ev->size)))
		ev->flags |= EF_IGNORED;
}
