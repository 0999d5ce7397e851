/* Tests lifetimes, filters that choose parameters, and reading one event at a time. */
#include "property_make.h"

static void heap_lives(void **state)
{
	(void)state;
	expect_events("property P(void *p, addr a) {\n"
		      "  event use = call use(p);\n"
		      "  event rd = read *a;\n"
		      "  pattern: use rd;\n"
		      "}\n",
		      "T|alloc(o,16)|\n"
		      "T|call use(o)|\n"
		      "T|r(o)=1|\n"
		      "T|free(o)|\n"
		      "T|call use(o)|\n" /* a dangling pointer still means the old object */
		      "T|alloc(o,16)|\n"
		      "T|call use(o)|\n"
		      "T|call use(q)|\n"
		      "T|r(o)=1|\n" /* an address is no object */
		      "T|free(o)|\n"
		      "T|alloc(o,8)|\n"
		      "T|call use(o)|\n",
		      "use T.1 o _\n"
		      "rd T.2 _ o ?\n"
		      "use T.4 o _\n"
		      "use T.6 o' _\n"
		      "use T.7 q _\n"
		      "rd T.8 _ o ?\n"
		      "use T.11 o'' _\n",
		      "");
}

/*
 * An allocation ends the lifetimes of objects whose addresses are in the block, and of no others.
 */
static void heap_ranges(void **state)
{
	(void)state;
	expect_events("property P(void *p) { event use = call use(p); pattern: use; }\n",
		      "T|call use(0x1000)|\n"
		      "T|call use(0x100f)|\n"
		      "T|call use(0x1010)|\n"
		      "T|call use(0xfff)|\n"
		      "T|alloc(0x1000,16)|\n"
		      "T|call use(0x1000)|\n"
		      "T|call use(0x100f)|\n"
		      "T|call use(0x1010)|\n"
		      "T|call use(0xfff)|\n",
		      "use T.0 4096\n"
		      "use T.1 4111\n"
		      "use T.2 4112\n"
		      "use T.3 4095\n"
		      "use T.5 4096'\n"
		      "use T.6 4111'\n"
		      "use T.7 4112\n"
		      "use T.8 4095\n",
		      "");
}

static void said_lives(void **state)
{
	struct trace *trace = make_trace("T|call init(i)|\n"
					 "T|call next(i)|\n"
					 "T|call init(i)|\n"
					 "T|call next(i)|\n"
					 "T|call done(i)|\n"
					 "T|call next(i)|\n");
	struct spec_file *file = make_file("property P(void *i) {\n"
					   "  event init = call init(i) new i;\n"
					   "  event next = call next(i);\n"
					   "  event done = call done(i) end i;\n"
					   "  event also = call init(i);\n"
					   "  pattern: init next done also;\n"
					   "}\n");
	const struct property_value *values;
	struct property_set set;
	struct err err;
	char *shown;

	(void)state;
	assert_true(property_read(trace, &file, 1, &set, &err));
	shown = show_events(trace, &set.properties.items[0]);
	assert_string_equal(shown, "init T.0 i\n"
				   "also T.0 i\n"
				   "next T.1 i\n"
				   "init T.2 i'\n"
				   "also T.2 i'\n"
				   "next T.3 i'\n"
				   "done T.4 i'\n"
				   "next T.5 i''\n");
	free(shown);
	values = set.properties.items[0].values.items;
	assert_int_equal(set.properties.items[0].values.count, 3);
	assert_true(values[0].has_born && values[0].has_dead);
	assert_int_equal(values[0].born.index, 0);
	assert_int_equal(values[0].dead.index, 2);
	assert_true(values[1].has_born && values[1].has_dead);
	assert_int_equal(values[1].dead.index, 4);
	assert_false(values[2].has_born || values[2].has_dead);
	property_set_free(&set);
	spec_free(file);
	trace_close(trace);
}

/*
 * A filter that names a parameter which the event does not bind: one event for each value known
 * anywhere.
 */
static void chosen_by_filter(void **state)
{
	(void)state;
	expect_events("property P(void *conn, string table) {\n"
		      "  event create = call create(conn, table);\n"
		      "  event update = call exec(conn, sql) if (strstr(sql, table));\n"
		      "  pattern: create update;\n"
		      "}\n",
		      /* its table is known only from a later event */
		      "T|call exec(c1,\"insert into apples\")|\n"
		      "T|call create(c1,apples)|\n"
		      "T|call create(c2,pears)|\n"
		      "T|call exec(c1,\"apples join pears\")|\n"
		      "T|call exec(c1,\"plums\")|\n",
		      "update T.0 c1 apples\n"
		      "create T.1 c1 apples\n"
		      "create T.2 c2 pears\n"
		      "update T.3 c1 apples\n"
		      "update T.3 c1 pears\n",
		      "");
	expect_events("property P(int a, int b) {\n"
		      "  event x = call x(a);\n"
		      "  event y = call y(b);\n"
		      "  event z = call z() if (a < b);\n"
		      "  event u = call u(v) if (v + unknown > 3);\n"
		      "  pattern: x y z;\n"
		      "}\n"
		      "extern int unknown;\n",
		      "T|call x(1)|\n"
		      "T|call x(5)|\n"
		      "T|call y(3)|\n"
		      "T|call y(1)|\n"
		      "T|call y(9)|\n"
		      "T|call z()|\n"
		      "T|call u(2)|\n",
		      "x T.0 1 _\n"
		      "x T.1 5 _\n"
		      "y T.2 _ 3\n"
		      "y T.3 _ 1\n"
		      "y T.4 _ 9\n"
		      "z T.5 1 3\n"
		      "z T.5 1 9\n"
		      "z T.5 5 9\n",
		      "event u: call u(v): its filter could not be decided (1 time)\n");
}

/* The second walk gives values the same numbers as the first, also if lifetimes end. */
static void lives_and_filters(void **state)
{
	(void)state;
	expect_events("property P(void *p, int n) {\n"
		      "  event make = call make(p) new p;\n"
		      "  event size = call size(p, n);\n"
		      "  event big = call big(p, v) if (v > n);\n"
		      "  pattern: make size big;\n"
		      "}\n",
		      "T|call make(o)|\n"
		      "T|call big(o,7)|\n"
		      "T|call make(o)|\n"
		      "T|call size(o,5)|\n"
		      "T|call big(o,6)|\n"
		      "T|call big(o,5)|\n"
		      "T|call big(q,1)|\n",
		      "make T.0 o _\n"
		      "big T.1 o 5\n"
		      "make T.2 o' _\n"
		      "size T.3 o' 5\n"
		      "big T.4 o' 5\n",
		      "");
}

/*
 * Reading one event at a time: the number of a value that is gone is used again, unless the value
 * is held.
 */
static void streamed(void **state)
{
	struct trace *trace = make_trace("T|alloc(o,8)|\n"
					 "T|call use(o)|\n"
					 "T|alloc(o,8)|\n"
					 "T|call use(o)|\n"
					 "T|alloc(o,8)|\n"
					 "T|call use(o)|\n");
	struct spec_file *file =
		make_file("property P(void *p) { event use = call use(p); pattern: use; }\n");
	struct property_reader *reader = property_reader_open(trace, &file, 1);
	struct property_step step;
	uint32_t numbers[3], gone[2];
	size_t used = 0, over = 0;

	(void)state;
	while (property_reader_next(reader, &step)) {
		assert_int_equal(step.property, 0);
		if (step.kind == PROPERTY_GONE) {
			assert_true(over < 2);
			gone[over++] = step.value;
			continue;
		}
		assert_true(used < 3);
		assert_int_equal(property_reader_value(reader, 0, step.bindings[0])->life, used);
		numbers[used++] = step.bindings[0];
	}
	assert_int_equal(used, 3);
	assert_int_equal(over, 2);
	assert_int_equal(gone[0], numbers[0]);
	assert_int_equal(gone[1], numbers[1]);
	assert_int_equal(numbers[1], numbers[0]); /* the number is used again */
	assert_int_equal(numbers[2], numbers[1]);
	property_reader_close(reader);
	spec_free(file);
	trace_close(trace);
}

static void selections(void **state)
{
	struct spec_file *file =
		make_file("property P(void *p) {\n"
			  "  event a = return \"libc.so.6\":accept*(_, *p, ...) = 3;\n"
			  "  event b = call f(p), exec f(p), probe app:use(p), read x;\n"
			  "  event c = call f(p);\n"
			  "  pattern: a b c;\n"
			  "}\n");
	struct spec_file *none = make_file("property Q { event r = read x; pattern: r; }\n");
	char *text = property_selection(&file, 1);

	(void)state;
	assert_string_equal(text, "return\tlibc.so.6\taccept*\t2\n"
				  "call\t-\tf\n"
				  "exec\t-\tf\n"
				  "probe\t-\tapp:use\n");
	free(text);
	text = property_selection(&none, 1);
	assert_string_equal(text, "");
	free(text);
	spec_free(file);
	spec_free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_lives),	     cmocka_unit_test(heap_ranges),
		cmocka_unit_test(said_lives),	     cmocka_unit_test(chosen_by_filter),
		cmocka_unit_test(lives_and_filters), cmocka_unit_test(streamed),
		cmocka_unit_test(selections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
