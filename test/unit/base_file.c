/* Mapping and writing whole files. Errors name the file and the reason. */
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void write_and_map(void **state)
{
	char dir[] = "/tmp/sooth-test-XXXXXX", path[64];
	struct file_view view = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/file", dir);
	assert_true(file_write(path, "hello", 5, &err));
	assert_true(file_write(path, "there!", 6, &err)); /* replaces the file */
	assert_true(file_map(path, &view, &err));
	assert_int_equal(view.size, 6);
	assert_memory_equal(view.data, "there!", 6);
	file_unmap(&view);
	assert_true(file_write(path, "", 0, &err));
	assert_true(file_map(path, &view, &err));
	assert_int_equal(view.size, 0);
	assert_null(view.data);
	file_unmap(&view);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void errors(void **state)
{
	struct file_view view = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_false(file_map("/nowhere/file", &view, &err));
	assert_string_equal(err.text, "/nowhere/file: No such file or directory");
	assert_false(file_map("/tmp", &view, &err));
	assert_string_equal(err.text, "/tmp: not a regular file");
	assert_null(view.data);
	assert_false(file_write("/nowhere/file", "x", 1, &err));
	assert_non_null(strstr(err.text, "/nowhere/file"));
}

/* A message that is too long is cut. */
static void long_messages(void **state)
{
	struct err err;
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	assert_false(err_set(&err, "%s", text));
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	assert_false(err_set_system(&err, 2, "%s", text));
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_and_map),
		cmocka_unit_test(errors),
		cmocka_unit_test(long_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
