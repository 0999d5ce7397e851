/* Tests files that are large, deeply nested, or no property files at all. */
#include "spec/spelling.h"
#include "spec/spec.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct text {
	char *items;
	size_t count, room;
};

static void add(struct text *t, const char *more, unsigned times)
{
	size_t length = strlen(more);

	for (; times && length; times--) {
		memcpy(vec_reserve(t, length), more, length);
		t->count += length;
	}
}

/*
 * Parses `head`, `open` repeated `times` times, `middle`, `close` repeated as often, and `tail`.
 * Expects the first message, or "".
 */
static void assert_nested(const char *head, const char *open, const char *middle, const char *close,
			  const char *tail, unsigned times, const char *expected)
{
	struct spec_messages messages = { 0 };
	struct text t = { 0 };

	add(&t, head, 1);
	add(&t, open, times);
	add(&t, middle, 1);
	add(&t, close, times);
	add(&t, tail, 1);
	*vec_push(&t) = 0;
	struct spec_file *file = spec_parse("deep.prop", t.items, &messages);
	assert_string_equal(messages.list.count ? messages.list.items[0].text : "", expected);
	assert_true((file == NULL) == (expected[0] != 0));
	if (file) { /* code that walks the tree must cope with its depth, too */
		char *text = spec_explain(file, false, NULL),
		     *graph = spec_explain(file, true, NULL);

		spec_check(file, NULL, &messages);
		free(text);
		free(graph);
	}
	spec_free(file);
	spec_messages_free(&messages);
	vec_free(&t);
}

#define DEEP "this is nested too deeply"
#define EVENT "property P { event a = call f(); "

static void depth_is_bounded(void **state)
{
	static const char *const nests[][5] = {
		{ "property P { always ", "(", "x", ")", "; }" },
		{ "property P { always ", "!", "x", "", "; }" },
		{ "property P { always ", "x + ", "x", "", "; }" },
		{ "property P { always ", "", "x", " + x", "; }" },
		{ "property P { always ", "", "x", ".y", "; }" },
		{ "property P { always ", "x[", "1", "]", "; }" },
		{ "property P { always ", "strncmp(\"a\", \"b\", ", "x", ")", "; }" },
		{ "property P { always ", "x ? 1 : ", "x", "", "; }" },
		{ "property P { always ", "[x, ", "1", ")", "; }" },
		{ EVENT "pattern: ", "(a ", "a", ")", "; }" },
		{ EVENT "pattern: a ", "", "a", "?", "; }" },
		{ EVENT "pattern: ", "!", "(a a)", "", "; }" },
		{ EVENT "pattern: ", "(a | a ", "a", ")", "; }" },
		{ EVENT "ere: ", "~", "a", "", "; }" },
		{ EVENT "ere: ", "(a ", "a", ")*", "; }" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
		const char *const *n = nests[i];

		assert_nested(n[0], n[1], n[2], n[3], n[4], 100, "");
		assert_nested(n[0], n[1], n[2], n[3], n[4], 20000, DEEP);
	}
	/*
	 * not too deep for the parser, but for the tree: the part that is cut off contains the
	 * regions
	 */
	assert_nested(EVENT "pattern: a a(t, <r) a(t, >r) ", "!", "(a a)", "", "; }", 2000, DEEP);
	/* brackets in Lua code are only counted, so their depth is not limited */
	assert_nested(EVENT "grammar { S : a ", "{", "", "}", "; } }", 20000, "");
}

static void flat_lists_are_not_depth(void **state)
{
	(void)state;
	assert_nested(EVENT "pattern: ", "a ", "a", "", "; }", 20000, "");
	assert_nested(EVENT "pattern: ", "a | ", "a", "", "; }", 20000, "");
	assert_nested(EVENT "ere: ", "a & ", "a", "", "; }", 20000, "");
	assert_nested("property P { event a = ", "call f(), ", "call f()", "", "; pattern: a; }",
		      20000, "");
	assert_nested("", "extern int a; ", "", "", "", 20000, "");
}

static void ten_megabytes_are_read(void **state)
{
	struct spec_messages messages = { 0 };
	struct text t = { 0 };
	char one[256];
	unsigned count = 0;

	(void)state;
	for (; t.count < 10000000; count++) {
		snprintf(one, sizeof one,
			 "property P%u(struct s *o) {\n\tevent a = call f_%u(o, x) if (x > "
			 "%u);\n\tevent b = write o->f;\n"
			 "\tpattern: a(t1) b(t2)+ a(t1);\n}\n",
			 count, count, count);
		add(&t, one, 1);
	}
	*vec_push(&t) = 0;
	struct spec_file *file = spec_parse("large.prop", t.items, &messages);
	assert_non_null(file);
	assert_int_equal(file->property_count, count);
	spec_check(file, NULL, &messages);
	assert_int_equal(messages.errors, 0);
	spec_free(file);
	/* one property with as many events as fit into the text */
	t.count = 0;
	add(&t, "property P {", 1);
	for (unsigned i = 0; t.count < 1000000; i++) {
		snprintf(one, sizeof one, "event e%u = call f(); pattern: e%u; ", i, i);
		add(&t, one, 1);
	}
	add(&t, "}", 1);
	*vec_push(&t) = 0;
	file = spec_parse("large.prop", t.items, &messages);
	assert_non_null(file);
	spec_free(file);
	spec_messages_free(&messages);
	vec_free(&t);
}

static void much_nonsense_is_refused(void **state)
{
	static const char *const nonsense[] = { "x",
						"(",
						"property P { ",
						"\"",
						"@ ",
						"/*",
						"1e",
						"; ",
						"\n",
						"} ",
						"property P { pattern: nix; always y +; } ",
						"{[[",
						"''",
						"->" };

	(void)state;
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		struct spec_messages messages = { 0 };
		struct text t = { 0 };

		add(&t, nonsense[i], 500000 / (unsigned)strlen(nonsense[i]));
		*vec_push(&t) = 0;
		struct spec_file *file = spec_parse("nonsense.prop", t.items, &messages);
		assert_true((file != NULL) == !messages.errors);
		assert_true(messages.list.count <= 101);
		spec_free(file);
		spec_messages_free(&messages);
		vec_free(&t);
	}
}

static void files_are_read_or_not(void **state)
{
	struct spec_messages messages = { 0 };
	struct err err = { 0 };
	FILE *out;

	(void)state;
	assert_null(spec_read("no/such.prop", &messages, &err));
	assert_non_null(strstr(err.text, "no/such.prop"));
	err.text[0] = 0;
	out = fopen("nul.prop", "w");
	fwrite("use eraser;\0", 1, 12, out);
	fclose(out);
	assert_null(spec_read("nul.prop", &messages, &err));
	assert_string_equal(err.text, "nul.prop: not a text file: byte 11 is 0");
	assert_int_equal(messages.list.count, 0);
	err.text[0] = 0;
	fclose(fopen("empty.prop", "w"));
	struct spec_file *file = spec_read("empty.prop", &messages, &err);
	assert_non_null(file);
	assert_int_equal(file->property_count, 0);
	spec_free(file);
	spec_free(NULL);
	unlink("nul.prop");
	unlink("empty.prop");
}

static void nearest_words(void **state)
{
	struct spelling near;

	(void)state;
	assert_int_equal(spelling_distance("", ""), 0);
	assert_int_equal(spelling_distance("abc", ""), 3);
	assert_int_equal(spelling_distance("kitten", "sitting"), 3);
	assert_int_equal(spelling_distance("opne", "open"), 1);
	assert_int_equal(spelling_distance("ab", "ba"), 1);
	spelling_start(&near, "autenticate");
	spelling_try(&near, "authentic");
	spelling_try(&near, "authenticate");
	spelling_try(&near, "authenticated");
	assert_string_equal(near.best, "authenticate");
	spelling_start(&near, "x");
	spelling_try(&near, "y");
	spelling_try(&near, "completely");
	assert_null(near.best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(flat_lists_are_not_depth),
		cmocka_unit_test(ten_megabytes_are_read),
		cmocka_unit_test(much_nonsense_is_refused),
		cmocka_unit_test(files_are_read_or_not),
		cmocka_unit_test(nearest_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
