/* Counts events, accesses, bytes and sites: one pass over all streams. */
#include "trace/stat.h"

#include "base/mem.h"
#include "trace/store.h"

#include <string.h>

static unsigned size_class(uint64_t size)
{
	bool is_power_of_2 = size && !(size & (size - 1));

	return is_power_of_2 && size <= 16 ? (unsigned)__builtin_ctzll(size) : STAT_SIZES - 1;
}

static void count_event(struct trace_stat *stat, const struct trace_event *ev)
{
	stat->kinds[ev->kind]++;
	stat->events += ev->index != TRACE_NO_INDEX;
	switch (ev->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_ATOMIC_READ:
	case EV_ATOMIC_WRITE:
	case EV_ATOMIC_UPDATE:
		stat->accesses[size_class(ev->size)]++;
		stat->without_value += !ev->value && ev->size;
		stat->inexact += (ev->flags & EF_INEXACT) != 0;
		break;
	case EV_STOP:
		if (ev->mode < 3)
			stat->stopped[ev->mode]++;
		break;
	case EV_UNMODELLED: {
		bool fresh;
		uint32_t i =
			intern_put(&stat->unmodelled, (const char *)ev->value, ev->size, &fresh);

		if (fresh)
			*vec_push(&stat->unmodelled_counts) = 0;
		stat->unmodelled_counts.items[i]++;
		break;
	}
	}
}

static void count_tables(const struct trace *trace, struct trace_stat *stat)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *m = &trace->modules.items[i];

		stat->table_bytes += m->seg_bytes + m->str_bytes;
	}
	for (size_t i = 0; i < trace->steps.count; i++) {
		const struct store_step *step = &trace->steps.items[i];

		if (step->kind != EV_READ && step->kind != EV_WRITE)
			continue;
		stat->sites++;
		stat->sites_without_value +=
			step->value_form == WIRE_NONE || step->flags & EF_INEXACT;
	}
}

void trace_count(const struct trace *trace, struct trace_stat *stat)
{
	*stat = (struct trace_stat){ 0 };
	count_tables(trace, stat);
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		const struct trace_stream *stream = trace_stream(trace, i);
		struct trace_cursor *cursor = trace_cursor_open(trace, i);
		struct trace_event ev;
		struct err err = { 0 };

		if (stream->host == TRACE_NONE)
			stat->threads++;
		else
			stat->handlers++;
		stat->bytes += stream->bytes + stream->blocks * sizeof(struct wire_block);
		while (trace_next(cursor, &ev, &err))
			count_event(stat, &ev);
		if (err.text[0])
			*vec_push(&stat->failures) = mem_copy_text(err.text, strlen(err.text));
		trace_cursor_close(cursor);
	}
}

void trace_stat_free(struct trace_stat *stat)
{
	intern_free(&stat->unmodelled);
	vec_free(&stat->unmodelled_counts);
	vec_free_all(&stat->failures);
}
