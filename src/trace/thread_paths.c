/*
 * How each thread of a recording was created: its creator, and its number among the creator's
 * children. This names the thread in other runs of the program.
 */
#include "base/mem.h"
#include "trace/trace.h"

#include "event/control.h"

#include <inttypes.h>
#include <stdlib.h>

struct thread_paths_table {
	struct control_thread *threads;
	uint32_t *made; /* children so far, by creator */
	uint32_t count;
};

static bool add_thread(struct thread_paths_table *table, uint64_t number, struct err *err)
{
	if (number >= CONTROL_THREADS)
		return err_set(err,
			       "thread %" PRIu64
			       " of the trace: controlled runs have at most %u threads",
			       number, CONTROL_THREADS);
	if (number < table->count)
		return true;
	table->threads = mem_resize(table->threads, number + 1, sizeof *table->threads);
	table->made = mem_resize(table->made, number + 1, sizeof *table->made);
	for (; table->count <= number; table->count++) {
		table->threads[table->count] =
			(struct control_thread){ CONTROL_NONE, CONTROL_NONE };
		table->made[table->count] = 0;
	}
	return true;
}

/* Adds the threads that the stream's events create. */
static bool add_created_threads(const struct trace *trace, uint32_t i,
				struct thread_paths_table *table, struct err *err)
{
	uint32_t creator = trace_stream(trace, trace_stream_owner(trace, i))->number;
	struct trace_cursor *cursor;
	struct trace_event ev;
	struct err damage;
	bool ok = add_thread(table, creator, err);

	cursor = trace_cursor_open(trace, i);
	while (ok && trace_next(cursor, &ev, &damage)) {
		if (ev.kind != EV_CREATE)
			continue;
		ok = add_thread(table, ev.number, err);
		/* A corrupt trace may create a thread twice, or by itself. The first counts. */
		if (ok && ev.number != creator && table->threads[ev.number].creator == CONTROL_NONE)
			table->threads[ev.number] =
				(struct control_thread){ creator, table->made[creator] };
		table->made[creator]++;
	}
	trace_cursor_close(cursor);
	return ok;
}

bool trace_threads_by_path(const struct trace *trace, struct control_thread **threads,
			   uint32_t *count, struct err *err)
{
	struct thread_paths_table table = { 0 };
	bool ok = add_thread(&table, 0, err);

	for (uint32_t i = 0; ok && i < trace_stream_count(trace); i++)
		ok = add_created_threads(trace, i, &table, err);
	free(table.made);
	if (!ok) {
		free(table.threads);
		return false;
	}
	table.threads[0] = (struct control_thread){ 0, 0 };
	*threads = table.threads;
	*count = table.count;
	return true;
}
