/* Reads ENTER and EXIT events, and records the innermost calls wherever a lock is taken. */
#include "predict/atomicity/atomicity_calls.h"

static void read_stream(struct calls *calls, const struct trace *trace, uint32_t i)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, i);
	VEC(uint32_t) open = { 0 };
	struct trace_event ev;
	struct err err;
	uint32_t count = 0;

	while (trace_next(cursor, &ev, &err)) {
		struct call_stack *stack;

		if (ev.kind == EV_ENTER) {
			*vec_push(&open) = ++count;
		} else if (ev.kind == EV_EXIT) {
			open.count -= open.count > 0;
		} else if (ev.kind == EV_ACQUIRE || ev.kind == EV_WOKEN) {
			stack = vec_push(&calls->stacks);
			*stack = (struct call_stack){ 0 };
			for (size_t k = 0; k < CALLS_NEAR && k < open.count; k++)
				stack->near[k] = open.items[open.count - 1 - k];
			*map_put(&calls->index,
				 calls_hash_event((struct event_id){ ev.stream, ev.index }), NULL) =
				calls->stacks.count;
		}
	}
	vec_free(&open);
	trace_cursor_close(cursor);
}

void calls_read(struct calls *calls, const struct trace *trace)
{
	*calls = (struct calls){ 0 };
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		read_stream(calls, trace, i);
}

void calls_free(struct calls *calls)
{
	map_free(&calls->index);
	vec_free(&calls->stacks);
}

bool calls_share(const struct calls *calls, struct event_id a, struct event_id b)
{
	const uint64_t *x = map_get(&calls->index, calls_hash_event(a));
	const uint64_t *y = map_get(&calls->index, calls_hash_event(b));

	if (!x || !y || a.stream != b.stream)
		return false;
	for (size_t i = 0; i < CALLS_NEAR; i++) {
		for (size_t k = 0; k < CALLS_NEAR; k++) {
			uint32_t one = calls->stacks.items[*x - 1].near[i];

			if (one == calls->stacks.items[*y - 1].near[k] && (one || (!i && !k)))
				return true;
		}
	}
	return false;
}
