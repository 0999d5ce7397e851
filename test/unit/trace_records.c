/* Random records written by the writer must come out of the cursors unchanged. */
#include "trace_make.h"

#include "base/vec.h"

#define STREAMS 5
#define RECORDS 20000

struct kept {
	struct write_record record;
	uint32_t stream;
	uint8_t bytes[64];
};
static struct kept kept[RECORDS];

static enum event_kind random_kind(struct make_random *r)
{
	for (;;) {
		enum event_kind kind = (enum event_kind)make_below(r, EV_COUNT);

		if (kind != EV_NONE && kind != EV_SITE && kind != EV_TIME && kind != EV_COPY)
			return kind;
	}
}

static uint64_t random_number(struct make_random *r)
{
	return make_random(r) >> make_below(r, 64);
}

static void fill(struct make_random *r, struct kept *k, uint64_t time)
{
	struct write_record *w = &k->record;

	*w = (struct write_record){
		.kind = random_kind(r),
		.pc = random_number(r),
		.time = time,
		.sequence = random_number(r),
		.a = random_number(r),
		.b = random_number(r),
		.n = random_number(r),
		.m = random_number(r),
		.bytes = k->bytes,
	};
	for (unsigned i = 0; i < sizeof k->bytes; i++)
		k->bytes[i] = (uint8_t)make_random(r);
	switch (w->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_ATOMIC_READ:
	case EV_ATOMIC_WRITE:
		w->n = make_below(r, 33);
		w->size = make_below(r, 4) ? w->n : 0;
		w->m &= 0xffff;
		break;
	case EV_ATOMIC_UPDATE:
		w->n = make_below(r, 17);
		w->size = make_below(r, 4) ? w->n * 2 : 0;
		break;
	case EV_UNMODELLED:
	case EV_PROBE: w->size = make_below(r, 40); break;
	case EV_FILL: w->m &= 255; break;
	default: break;
	}
}

static bool has(enum event_kind kind, char letter)
{
	return strchr(event_fields(kind), letter);
}

static void compare(const struct kept *k, const struct trace_event *ev)
{
	const struct write_record *w = &k->record;
	bool access =
		w->kind == EV_READ || w->kind == EV_WRITE || event_group(w->kind) == EG_ATOMIC;

	assert_int_equal(ev->kind, w->kind == EV_FILL ? EV_WRITE : w->kind);
	assert_int_equal(ev->stream, k->stream);
	assert_int_equal(ev->time, w->time);
	assert_int_equal(ev->pc, has(w->kind, 'p') ? w->pc : 0);
	assert_int_equal(ev->address, has(w->kind, 'a') ? w->a : 0);
	assert_int_equal(ev->other, has(w->kind, 'b') ? w->b : 0);
	assert_int_equal(ev->sequence, has(w->kind, 'q') ? w->sequence : 0);
	if (w->kind == EV_FILL) {
		assert_int_equal(ev->size, w->n);
		assert_int_equal(ev->unit, 1);
		assert_int_equal(ev->value[0], w->m);
	} else if (access && w->kind != EV_FENCE) {
		assert_int_equal(ev->size, w->n);
		assert_true(!ev->value == !w->size);
		if (w->size)
			assert_memory_equal(w->kind == EV_ATOMIC_UPDATE ? ev->old : ev->value,
					    k->bytes, w->n);
		if (w->kind == EV_ATOMIC_UPDATE && w->size)
			assert_memory_equal(ev->value, k->bytes + w->n, w->n);
	} else if (w->kind == EV_ALLOC || w->kind == EV_MAP || w->kind == EV_UNMAP) {
		assert_int_equal(ev->size, w->n);
	} else if (w->kind == EV_PROBE || w->kind == EV_UNMODELLED) {
		assert_int_equal(ev->size, w->size);
		assert_memory_equal(ev->value, k->bytes, w->size);
	} else if (w->kind != EV_FENCE) {
		assert_int_equal(ev->number, has(w->kind, 'n') ? w->n : 0);
		assert_int_equal(ev->mode, has(w->kind, 'm') ? w->m : 0);
	}
}

static void round_trip(uint64_t seed)
{
	struct make_random r = { seed };
	struct trace_writer *writer = trace_writer_open();
	uint64_t times[STREAMS] = { 0 };
	struct make_dir dir = make_dir();
	struct trace *trace;
	uint8_t *events;
	size_t size, seen = 0;

	for (size_t i = 0; i < RECORDS; i++) {
		uint32_t s = (uint32_t)make_below(&r, STREAMS);

		times[s] += make_below(&r, 3) ? make_below(&r, 1000) : 0;
		kept[i].stream = s * 7;
		fill(&r, &kept[i], times[s]);
		trace_write(writer, s * 7, &kept[i].record);
	}
	events = trace_writer_finish(writer, &size);
	make_file(&dir, "events.0", events, size);
	free(events);
	trace = make_open(&dir);
	assert_int_equal(trace_problem_count(trace), 0);
	assert_int_equal(trace_stream_count(trace), STREAMS);
	for (uint32_t s = 0; s < STREAMS; s++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, s);
		struct trace_event ev;
		struct err err = { 0 };
		uint64_t index = 0;

		assert_true(trace_stream(trace, s)->ended);
		for (size_t i = 0; i < RECORDS; i++) {
			if (kept[i].stream != s * 7)
				continue;
			if (!trace_next(cursor, &ev, &err))
				fail_msg("%s", err.text);
			compare(&kept[i], &ev);
			if (event_group(kept[i].record.kind) == EG_NOTE)
				assert_true(ev.index == TRACE_NO_INDEX);
			else
				assert_int_equal(ev.index, index++);
			seen++;
		}
		assert_false(trace_next(cursor, &ev, &err));
		assert_string_equal(err.text, "");
		trace_cursor_close(cursor);
	}
	assert_int_equal(seen, RECORDS);
	trace_close(trace);
	make_remove(&dir);
}

static void random_records(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++)
		round_trip(seed);
}

/* A COPY is a read of one address and a write of another, with the same bytes. */
static void copy_is_two_events(void **state)
{
	struct trace_writer *writer = trace_writer_open();
	struct make_dir dir = make_dir();
	struct trace_cursor *cursor;
	struct trace_event ev;
	struct err err = { 0 };
	struct trace *trace;
	uint8_t *events;
	size_t size;

	(void)state;
	trace_write(writer, 0,
		    &(struct write_record){ .kind = EV_COPY,
					    .pc = 9,
					    .a = 0x100,
					    .b = 0x200,
					    .n = 5,
					    .bytes = "hello",
					    .size = 5 });
	trace_write(writer, 0, &(struct write_record){ .kind = EV_END, .pc = 8 });
	events = trace_writer_finish(writer, &size);
	make_file(&dir, "events.0", events, size);
	free(events);
	trace = make_open(&dir);
	cursor = trace_cursor_open(trace, 0);
	assert_true(trace_next(cursor, &ev, &err));
	assert_int_equal(ev.kind, EV_READ);
	assert_int_equal(ev.address, 0x200);
	assert_int_equal(ev.index, 0);
	assert_memory_equal(ev.value, "hello", 5);
	assert_true(trace_next(cursor, &ev, &err));
	assert_int_equal(ev.kind, EV_WRITE);
	assert_int_equal(ev.address, 0x100);
	assert_int_equal(ev.index, 1);
	assert_int_equal(ev.pc, 9);
	assert_memory_equal(ev.value, "hello", 5);
	assert_true(trace_next(cursor, &ev, &err));
	assert_int_equal(ev.kind, EV_END);
	assert_int_equal(ev.index, 2);
	trace_cursor_close(cursor);
	trace_close(trace);
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_records),
		cmocka_unit_test(copy_is_two_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
