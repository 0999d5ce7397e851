/*
 * Tests queries about the names of a program. The program is this test, which has debugging
 * information.
 */
#include "property_make.h"

#include "property/program.h"

struct test_limits {
	int least, most;
};
typedef struct {
	int bare;
} test_unnamed;
struct test_table {
	long id;
	union {
		unsigned short low;
		float single;
	};
	struct test_limits limits[3];
	unsigned flag : 3;
	void *pointer;
};
typedef struct test_table test_table_t;

int test_counter = 3;
struct test_table test_table = { .id = 1 };
double test_rates[4];
test_unnamed test_bare;
test_table_t *test_pointer; /* uses the typedef, so that it is in the debugging information */

int test_function(int a, const char *b);
int test_function(int a, const char *b)
{
	return a + *b;
}

static struct program *open_self(void **state)
{
	struct err err;
	struct program *program = program_open("/proc/self/exe", &err);

	(void)state;
	if (!program)
		fail_msg("%s", err.text);
	return program;
}

static void expect_member(struct program *p, const char *type, const char *path, uint64_t offset,
			  uint64_t size, uint8_t form, uint8_t kind)
{
	struct program_part part;

	assert_true(program_member(p, type, path, &part));
	assert_int_equal(part.offset, offset);
	assert_int_equal(part.size, size);
	assert_int_equal(part.form, form);
	assert_int_equal(part.type, kind);
}

static void members(void **state)
{
	struct program *p = open_self(state);
	struct program_part part;

	test_bare.bare = test_function(1, "a"); /* uses these, so that the compiler keeps them */
	expect_member(p, "test_table", "id", 0, 8, RAW_VALUE_SIGNED, SPEC_INT);
	expect_member(p, "test_table_t", "low", 8, 2, RAW_VALUE_UNSIGNED, SPEC_INT);
	expect_member(p, "test_table", "single", 8, 4, RAW_VALUE_FLOATING, SPEC_FLOATING);
	expect_member(p, "test_table", "limits", 12, 24, RAW_VALUE_SIGNED, SPEC_ADDR);
	expect_member(p, "test_table", "limits[2].most", 32, 4, RAW_VALUE_SIGNED, SPEC_INT);
	expect_member(p, "test_table", "pointer", offsetof(struct test_table, pointer), 8,
		      RAW_VALUE_UNSIGNED, SPEC_POINTER);
	expect_member(p, "test_unnamed", "bare", 0, 4, RAW_VALUE_SIGNED, SPEC_INT);
	assert_true(program_member(p, "test_table", "flag", &part) && part.bits);
	assert_false(program_member(p, "test_table", "nothing", &part));
	assert_false(program_member(p, "test_table", "limits.most", &part));
	assert_false(program_member(p, "test_table", "limits[x]", &part));
	assert_false(program_member(p, "no_such_struct", "id", &part));
	assert_string_equal(program_tag(p, "test_table_t"), "test_table");
	assert_string_equal(program_tag(p, "test_unnamed"), "test_unnamed");
	assert_null(program_tag(p, "no_such_struct"));
	program_close(p);
}

static size_t count_globals(struct program *p, const char *name, const char *path,
			    struct program_part *first)
{
	struct program_parts parts = { 0 };
	size_t count;

	program_globals(p, name, path, &parts);
	count = parts.list.count;
	if (count)
		*first = parts.list.items[0];
	vec_free(&parts.list);
	return count;
}

static void globals(void **state)
{
	struct program *p = open_self(state);
	struct program_part whole = { 0 }, part = { 0 };

	assert_int_equal(count_globals(p, "test_counter", NULL, &part), 1);
	assert_int_equal(part.size, sizeof test_counter);
	assert_int_equal(count_globals(p, "test_table", NULL, &whole), 1);
	assert_int_equal(count_globals(p, "test_table", "limits[1].least", &part), 1);
	assert_int_equal(part.address - whole.address, 20);
	assert_int_equal(count_globals(p, "test_rates", "[3]", &part), 1);
	assert_int_equal(part.form, RAW_VALUE_FLOATING);
	assert_int_equal(count_globals(p, "test_bare", NULL, &part), 1);
	assert_int_equal(count_globals(p, "test_table", "nothing", &part), 0);
	assert_int_equal(count_globals(p, "test_nothing", NULL, &part), 0);
	program_close(p);
}

/* Tests the queries through struct spec_names, as the check of property files makes them. */
static void names(void **state)
{
	struct err err;
	struct property_names *own = property_names_open("/proc/self/exe", &err);
	struct spec_names names;
	uint8_t type;
	int parameters;

	(void)state;
	assert_non_null(own);
	names = property_names(own);
	assert_true(names.global(names.context, "test_table.limits[1].most", &type));
	assert_int_equal(type, SPEC_INT);
	assert_true(names.global(names.context, "test_rates[0]", &type));
	assert_int_equal(type, SPEC_FLOATING);
	assert_false(names.global(names.context, "test_countr", &type));
	assert_string_equal(names.nearest(names.context, SPEC_POINT_READ, "test_countr"),
			    "test_counter");
	assert_true(names.field(names.context, "test_table", "limits"));
	assert_true(names.field(names.context, "test_table", "*"));
	assert_false(names.field(names.context, "test_table", "limit"));
	assert_string_equal(names.nearest_field(names.context, "test_table", "limit"), "limits");
	assert_true(names.function(names.context, NULL, "test_func*", &parameters));
	assert_int_equal(parameters, 2);
	assert_true(names.function(names.context, "libc.so*", "printf", &parameters) ||
		    names.function(names.context, "libc.so*", "fprintf", &parameters));
	assert_int_equal(parameters, -1);
	assert_false(names.function(names.context, "libnothing.so*", "printf", &parameters));
	assert_false(names.function(names.context, NULL, "test_functoin", &parameters));
	assert_string_equal(names.nearest(names.context, SPEC_POINT_CALL, "test_functoin"),
			    "test_function");
	assert_false(names.probe(names.context, "app:use"));
	property_names_close(own);
}

static void not_programs(void **state)
{
	struct err err;

	(void)state;
	assert_null(property_names_open("/nowhere", &err));
	assert_string_equal(err.text, "/nowhere: No such file or directory");
	assert_null(property_names_open("/etc/passwd", &err));
	assert_non_null(strstr(err.text, "/etc/passwd: not a program"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(globals),
		cmocka_unit_test(names),
		cmocka_unit_test(not_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
