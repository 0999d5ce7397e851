/*
 * Tests segments: a table as the compiler plugin writes it, and the bytes that instrumented code
 * writes.
 */
#include "trace_make.h"

#define SEG_ADDRESS 0x555500002000ull
#define STR_ADDRESS 0x555500001000ull

static struct {
	uint8_t seg[4096];
	char str[1024];
	size_t seg_bytes, str_bytes;
} table;

static void table_clear(void)
{
	memset(&table, 0, sizeof table);
	table.str_bytes = 1;
}

/* Puts a text into the table; returns its address. */
static uint64_t text(const char *s)
{
	uint64_t at = STR_ADDRESS + table.str_bytes;

	strcpy(table.str + table.str_bytes, s);
	table.str_bytes += strlen(s) + 1;
	return at;
}

/* Starts a row of the table; returns its offset. Its elements follow with `element`. */
static size_t row(uint16_t bytes, uint16_t count, const char *function)
{
	size_t at = table.seg_bytes;
	struct wire_segment segment = { .bytes = bytes, .count = count };

	segment.function_ref = (int32_t)(text(function) - (SEG_ADDRESS + at + 4));
	memcpy(table.seg + at, &segment, sizeof segment);
	table.seg_bytes += sizeof segment;
	return at;
}

/* Adds an element to the row. `address` is absolute for CONST. */
static void element(struct wire_element e, uint64_t address, const char *name, const char *place)
{
	uint64_t at = SEG_ADDRESS + table.seg_bytes;

	if (e.address_form == WIRE_CONST)
		e.address_ref =
			(int32_t)(address - (at + offsetof(struct wire_element, address_ref)));
	if (name)
		e.name_ref = (int32_t)(text(name) - (at + offsetof(struct wire_element, name_ref)));
	if (place)
		e.site_ref =
			(int32_t)(text(place) - (at + offsetof(struct wire_element, site_ref)));
	memcpy(table.seg + table.seg_bytes, &e, sizeof e);
	table.seg_bytes += sizeof e;
}

static void save_table(const struct make_dir *dir)
{
	static const char path[] = "/nowhere/program";
	static uint8_t out[sizeof table + 256];
	struct wire_module head = {
		.magic = WIRE_MODULE_MAGIC,
		.path_bytes = sizeof path - 1,
		.base = 0x555500000000,
		.end = 0x555500010000,
		.seg_address = SEG_ADDRESS,
		.str_address = STR_ADDRESS,
		.seg_bytes = (uint32_t)table.seg_bytes,
		.str_bytes = (uint32_t)table.str_bytes,
	};
	size_t at = sizeof head;

	memcpy(out, &head, sizeof head);
	memcpy(out + at, path, head.path_bytes);
	at += head.path_bytes;
	memcpy(out + at, table.seg, table.seg_bytes);
	at += table.seg_bytes;
	memcpy(out + at, table.str, table.str_bytes);
	make_file(dir, "modules", out, at + table.str_bytes);
}

/* Writes one segment to the stream. */
static void segment(struct trace_writer *w, size_t at, const void *payload, size_t size)
{
	uint32_t h = (uint32_t)(SEG_ADDRESS + at);
	uint8_t bytes[WIRE_SEGMENT_MAX];

	memcpy(bytes, &h, 4);
	memcpy(bytes + 4, payload, size);
	trace_write_raw(w, 0, bytes, size + 4);
}

static struct trace *save_events(const struct make_dir *dir, struct trace_writer *w)
{
	size_t size;
	uint8_t *events = trace_writer_finish(w, &size);

	make_file(dir, "events.0", events, size);
	free(events);
	save_table(dir);
	return make_open(dir);
}

static const struct wire_element read4 = {
	.kind = EV_READ, .size = 4, .address_slot = WIRE_NO_SLOT, .value_slot = WIRE_NO_SLOT
};

static struct wire_element with(struct wire_element e, uint8_t kind, uint8_t address_form,
				uint16_t address_at, uint8_t value_form, uint16_t value_at)
{
	e.kind = kind;
	e.address_form = address_form;
	e.address_at = address_at;
	e.value_form = value_form;
	e.value_at = value_at;
	return e;
}

static uint64_t value_of(const struct trace_event *ev)
{
	uint64_t value = 0;

	assert_non_null(ev->value);
	memcpy(&value, ev->value, ev->size > 8 ? 8 : ev->size);
	return value;
}

static void expect(struct trace_cursor *c, enum event_kind kind, uint64_t address, uint64_t size,
		   uint64_t value)
{
	struct trace_event ev;
	struct err err = { 0 };

	if (!trace_next(c, &ev, &err))
		fail_msg("no event: %s", err.text);
	assert_int_equal(ev.kind, kind);
	assert_int_equal(ev.address, address);
	assert_int_equal(ev.size, size);
	if (size)
		assert_int_equal(value_of(&ev), value);
}

/* Tests every form of address and value, and slots that later segments use. */
static void forms(void **state)
{
	struct make_dir dir = make_dir();
	struct trace_writer *w = trace_writer_open();
	struct trace_cursor *c;
	struct wire_element e;
	struct trace_event ev;
	struct err err = { 0 };
	struct trace *trace;
	size_t first, second;

	(void)state;
	table_clear();
	first = row(6 + 4 + 8, 5, "f");
	e = with(read4, EV_READ, WIRE_PAYLOAD, 0, WIRE_PAYLOAD, 6);
	e.address_slot = 3;
	e.value_slot = 7;
	e.address_ref = 16; /* p->field, where the slot has the value of p */
	element(e, 0, "p->x", "f\ta.c");
	e = with(read4, EV_WRITE, WIRE_SLOT, 0, WIRE_SLOT, 0);
	e.address_slot = 3;
	e.address_ref = -8;
	e.value_slot = 7;
	e.value = 1; /* an increment */
	element(e, 0, "p->y", "f\ta.c");
	element(with(read4, EV_WRITE, WIRE_CONST, 0, WIRE_SAME, 0), 0x555500004000, "g", "f\ta.c");
	e = with(read4, EV_WRITE, WIRE_CONST, 0, WIRE_CONST, 0);
	e.size = 16;
	e.value = 0x1122334455667788;
	element(e, 0x555500004010, "wide", "f\ta.c");
	e = with(read4, EV_READ, WIRE_CONST, 0, WIRE_PAYLOAD, 10);
	e.size = 8;
	element(e, 0x555500004020, "h", "f\ta.c");
	table.seg_bytes += 24; /* as a linker does */
	second = row(0, 1, "f");
	e = with(read4, EV_READ, WIRE_SLOT, 0, WIRE_SLOT, 0);
	e.address_slot = 3;
	e.value_slot = 7;
	e.value = (uint64_t)-2;
	element(e, 0, "*p", "f\ta.c");
	segment(w, first,
		"\x00\x10\x00\x00\x00\x80"
		"\xff\xff\xff\x7f"
		"\1\2\3\4\5\6\7\x88",
		18);
	segment(w, second, "", 0);
	segment(w, first,
		"\x00\x20\x00\x00\x00\x00"
		"\x05\x00\x00\x00"
		"\0\0\0\0\0\0\0\0",
		18);
	trace = save_events(&dir, w);
	assert_int_equal(trace_problem_count(trace), 0);
	c = trace_cursor_open(trace, 0);
	expect(c, EV_READ, 0x800000001010, 4, 0x7fffffff);
	expect(c, EV_WRITE, 0x800000000ff8, 4, 0x80000000);
	expect(c, EV_WRITE, 0x555500004000, 4, 0x80000000);
	expect(c, EV_WRITE, 0x555500004010, 16, 0x1122334455667788);
	expect(c, EV_READ, 0x555500004020, 8, 0x8807060504030201);
	expect(c, EV_READ, 0x800000001000, 4, 0x7ffffffd);
	expect(c, EV_READ, 0x2010, 4, 5);
	expect(c, EV_WRITE, 0x1ff8, 4, 6);
	expect(c, EV_WRITE, 0x555500004000, 4, 6);
	assert_true(trace_next(c, &ev, &err));
	assert_int_equal(ev.value[8], 0); /* zeros follow the eight bytes */
	assert_int_equal(ev.value[15], 0);
	assert_int_equal(ev.index, 9);
	assert_true(trace_next(c, &ev, &err));
	assert_false(trace_next(c, &ev, &err));
	assert_string_equal(trace_object_name(trace, 0x555500004000), "g");
	assert_null(trace_object_name(trace, 0x555500004001));
	trace_cursor_close(c);
	trace_close(trace);
	make_remove(&dir);
}

/* Adds an element whose slot gets a number from the payload. place_in(): the address of a[i]. */
static void number(uint16_t slot, uint16_t size, uint16_t at)
{
	struct wire_element e = with(read4, EV_NONE, WIRE_NONE, 0, WIRE_PAYLOAD, at);

	e.address_slot = slot;
	e.size = size;
	element(e, 0, NULL, NULL);
}

static void place_in(uint64_t array, uint16_t array_slot, int64_t plus, uint16_t width,
		     uint16_t scale)
{
	struct wire_element e =
		with(read4, EV_NONE, array ? WIRE_CONST : WIRE_SLOT, array_slot, WIRE_INDEX, scale);

	e.address_slot = 9;
	e.value_slot = 2;
	e.value = (uint64_t)plus;
	e.size = width;
	element(e, array, NULL, NULL);
	e = with(read4, EV_WRITE, WIRE_SLOT, 0, WIRE_CONST, 0);
	e.address_slot = 9;
	element(e, 0, "a[]", "f\ta.c");
}

/*
 * Addresses that the reader computes from an array and an index. The index is truncated to its
 * width, signed or unsigned.
 */
static void indices(void **state)
{
	struct make_dir dir = make_dir();
	struct trace_writer *w = trace_writer_open();
	struct trace_cursor *c;
	struct trace *trace;
	size_t at;

	(void)state;
	table_clear();
	at = row(4 + 2, 12, "f");
	number(2, 4, 0);
	number(5, 2, 4);
	place_in(0, 5, 0, 4, 4);
	place_in(0, 5, 1, 4, 4);
	place_in(0, 5, 1, 4, 4 | WIRE_INDEX_SIGNED);
	place_in(0x555500004000, 0, 0, 1, 12);
	place_in(0x555500004000, 0, 0, 1, 12 | WIRE_INDEX_SIGNED);
	segment(w, at, "\xff\xff\xff\xff\x00\x80", 6);
	segment(w, at, "\x85\x00\x00\x00\x00\x80", 6);
	trace = save_events(&dir, w);
	assert_int_equal(trace_problem_count(trace), 0);
	c = trace_cursor_open(trace, 0);
	expect(c, EV_WRITE, 0x8000 + 4 * 0xffffffffull, 4, 0);
	expect(c, EV_WRITE, 0x8000, 4, 0); /* the index wraps around */
	expect(c, EV_WRITE, 0x8000, 4, 0);
	expect(c, EV_WRITE, 0x555500004000 + 12 * 255, 4, 0);
	expect(c, EV_WRITE, 0x555500004000 - 12, 4, 0);
	expect(c, EV_WRITE, 0x8000 + 4 * 0x85, 4, 0);
	expect(c, EV_WRITE, 0x8000 + 4 * 0x86, 4, 0);
	expect(c, EV_WRITE, 0x8000 + 4 * 0x86, 4, 0);
	expect(c, EV_WRITE, 0x555500004000 + 12 * 0x85, 4, 0);
	expect(c, EV_WRITE, 0x555500004000 - 12 * 0x7b, 4, 0);
	trace_cursor_close(c);
	trace_close(trace);
	make_remove(&dir);
}

/*
 * Calls form a stack; an exit also removes the frames above its own. A SITE names the record after
 * it.
 */
static void calls_and_sites(void **state)
{
	struct make_dir dir = make_dir();
	struct trace_writer *w = trace_writer_open();
	const struct trace_frame *frames;
	struct trace_source_line places[4];
	struct trace_cursor *c;
	struct trace_event ev;
	struct err err = { 0 };
	struct trace *trace;
	struct wire_element e = with(read4, EV_ENTER, WIRE_PAYLOAD, 0, WIRE_NONE, 0);
	size_t enter_main, enter_f, enter_g, exit_f, site;

	(void)state;
	table_clear();
	e.size = 0;
	enter_main = row(6, 1, "main");
	element(e, 0, NULL, "main\ta.c");
	enter_f = row(6, 1, "f");
	element(e, 0, NULL, "f\ta.c");
	enter_g = row(6, 1, "g");
	element(e, 0, NULL, "g\ta.c");
	exit_f = row(0, 1, "f");
	element(with(e, EV_EXIT, WIRE_NONE, 0, WIRE_NONE, 0), 0, NULL, "f\ta.c");
	site = row(0, 1, "f");
	e = with(e, EV_SITE, WIRE_NONE, 0, WIRE_NONE, 0);
	e.line = 12;
	element(e, 0, "o->lock", "lock_it\tlock.h\t33\tf\ta.c");
	segment(w, enter_main, "\1\0\0\0\0\0", 6);
	segment(w, enter_f, "\2\0\0\0\0\0", 6);
	segment(w, enter_g, "\3\0\0\0\0\0", 6);
	segment(w, exit_f, "", 0); /* an exception left g */
	segment(w, site, "", 0);
	trace_write(
		w, 0,
		&(struct write_record){
			.kind = EV_ALLOC, .pc = 0x7f0000000000, .time = 5, .a = 0x100, .n = 8 });
	trace_write(w, 0,
		    &(struct write_record){ .kind = EV_REQUEST,
					    .pc = 0x555500000100,
					    .time = 6,
					    .sequence = 1,
					    .a = 0x200 });
	trace_write(w, 0,
		    &(struct write_record){ .kind = EV_ACQUIRE,
					    .pc = 0x555500000100,
					    .time = 7,
					    .sequence = 2,
					    .a = 0x200 });
	trace_write(w, 0,
		    &(struct write_record){ .kind = EV_RELEASE,
					    .pc = 0x555500000200,
					    .time = 8,
					    .sequence = 3,
					    .a = 0x200 });
	trace = save_events(&dir, w);
	c = trace_cursor_open(trace, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(trace_next(c, &ev, &err));
	assert_int_equal(trace_cursor_stack(c, &frames), 3);
	assert_string_equal(frames[2].function, "g");
	assert_int_equal(frames[2].return_address, 3);
	assert_true(trace_next(c, &ev, &err));
	assert_int_equal(ev.kind, EV_EXIT);
	assert_int_equal(trace_cursor_stack(c, &frames), 1);
	assert_true(trace_next(c, &ev, &err)); /* an allocation by a library in between */
	assert_int_equal(ev.kind, EV_ALLOC);
	assert_int_equal(ev.step, 0); /* calls are no steps */
	assert_null(ev.site);
	assert_true(trace_next(c, &ev, &err));
	assert_int_equal(ev.kind, EV_REQUEST);
	assert_string_equal(trace_site_name(trace, ev.site), "o->lock");
	assert_int_equal(trace_site_lines(trace, ev.site, places, 4), 2);
	assert_int_equal(places[0].line, 12);
	assert_memory_equal(places[0].file.text, "lock.h", 6);
	assert_int_equal(places[1].line, 33);
	assert_memory_equal(places[1].function.text, "f", (size_t)places[1].function.length);
	assert_true(trace_next(c, &ev, &err)); /* inside the same call */
	assert_non_null(ev.site);
	assert_true(trace_next(c, &ev, &err));
	assert_int_equal(ev.kind, EV_RELEASE);
	assert_null(ev.site);
	assert_int_equal(ev.index, 7);
	assert_int_equal(ev.step, 2);
	trace_cursor_close(c);
	trace_close(trace);
	make_remove(&dir);
}

/*
 * If two variables have one name, neither gets it. The name of a struct wins over that of its first
 * field.
 */
static void names_of_globals(void **state)
{
	struct make_dir dir = make_dir();
	struct trace_writer *w = trace_writer_open();
	struct trace *trace;
	struct wire_element e = with(read4, EV_READ, WIRE_CONST, 0, WIRE_NONE, 0);

	(void)state;
	table_clear();
	row(0, 6, "f");
	element(e, 0x555500005000, "same", NULL);
	element(e, 0x555500005008, "same", NULL);
	element(e, 0x555500005010, "s.a", NULL);
	element(e, 0x555500005010, "s", NULL);
	element(e, 0x555500005018, "u", NULL);
	element(e, 0x555500005018, "v", NULL);
	trace_write(w, 0, &(struct write_record){ .kind = EV_END });
	trace = save_events(&dir, w);
	assert_null(trace_object_name(trace, 0x555500005000));
	assert_null(trace_object_name(trace, 0x555500005008));
	assert_string_equal(trace_object_name(trace, 0x555500005010), "s");
	assert_null(trace_object_name(trace, 0x555500005018));
	trace_close(trace);
	make_remove(&dir);
}

/* Invalid rows, and words that name no row. */
static void bad_tables(void **state)
{
	static const struct {
		uint8_t kind, address_form, value_form;
		uint16_t size, address_slot, value_slot, address_at, value_at;
		const char *why;
	} cases[] = {
		{ EV_ALLOC, WIRE_NONE, WIRE_NONE, 4, 0, 0, 0, 0, "kind" },
		{ EV_READ, 9, WIRE_NONE, 4, 0, 0, 0, 0, "form" },
		{ EV_READ, WIRE_PAYLOAD, WIRE_NONE, 4, 0, 0, 5, 0, "address outside" },
		{ EV_READ, WIRE_NONE, WIRE_PAYLOAD, 4, 0, 0, 0, 7, "value outside" },
		{ EV_READ, WIRE_SLOT, WIRE_NONE, 4, WIRE_SLOTS, 0, 0, 0, "address slot" },
		{ EV_READ, WIRE_NONE, WIRE_SLOT, 4, 0, WIRE_NO_SLOT, 0, 0, "value slot" },
		{ EV_READ, WIRE_NONE, WIRE_SLOT, 16, 0, 0, 0, 0, "8 bytes" },
		{ EV_READ, WIRE_NONE, WIRE_SAME, 4, 0, 0, 0, 0, "copy" },
		{ EV_READ, WIRE_NONE, WIRE_INDEX, 4, 0, 0, 0, 0, "form" },
		{ EV_NONE, WIRE_NONE, WIRE_NONE, 4, 0, 0, 0, 0, "combination of forms" },
		{ EV_NONE, WIRE_PAYLOAD, WIRE_SLOT, 4, 0, 0, 0, 0, "combination of forms" },
		{ EV_NONE, WIRE_PAYLOAD, WIRE_NONE, 4, 0, 0, 5, 0, "address outside" },
		{ EV_NONE, WIRE_PAYLOAD, WIRE_NONE, 4, WIRE_SLOTS, 0, 0, 0,
		  "definition of a slot" },
		{ EV_NONE, WIRE_NONE, WIRE_PAYLOAD, 9, 0, 0, 0, 0, "8 bytes" },
		{ EV_NONE, WIRE_NONE, WIRE_PAYLOAD, 4, 0, 0, 0, 7, "number outside" },
		{ EV_NONE, WIRE_NONE, WIRE_SLOT, 4, 0, WIRE_SLOTS, 0, 0, "value slot" },
		{ EV_NONE, WIRE_SLOT, WIRE_INDEX, 3, 0, 0, 0, 4, "1, 2, 4 or 8 bytes" },
		{ EV_NONE, WIRE_SLOT, WIRE_INDEX, 4, 0, 0, WIRE_SLOTS, 4, "slots" },
		{ EV_NONE, WIRE_CONST, WIRE_INDEX, 4, 0, WIRE_SLOTS, 0, 4, "slots" },
		{ EV_NONE, WIRE_NONE, WIRE_INDEX, 4, 0, 0, 0, 4, "combination of forms" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct make_dir dir = make_dir();
		struct trace_writer *w = trace_writer_open();
		struct trace_cursor *c;
		struct trace_event ev;
		struct err err = { 0 };
		struct trace *trace;

		table_clear();
		row(10, 1, "f");
		element((struct wire_element){ .kind = cases[i].kind,
					       .size = cases[i].size,
					       .address_form = cases[i].address_form,
					       .value_form = cases[i].value_form,
					       .address_slot = cases[i].address_slot,
					       .value_slot = cases[i].value_slot,
					       .address_at = cases[i].address_at,
					       .value_at = cases[i].value_at },
			0, NULL, NULL);
		segment(w, 0, "0123456789", 10);
		trace = save_events(&dir, w);
		assert_int_equal(trace_problem_count(trace), 1);
		assert_non_null(strstr(trace_problem(trace, 0), cases[i].why));
		c = trace_cursor_open(trace, 0);
		assert_false(trace_next(c, &ev, &err));
		assert_non_null(strstr(err.text, "no module has a row"));
		trace_cursor_close(c);
		trace_close(trace);
		make_remove(&dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),	   cmocka_unit_test(indices),
		cmocka_unit_test(calls_and_sites), cmocka_unit_test(names_of_globals),
		cmocka_unit_test(bad_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
