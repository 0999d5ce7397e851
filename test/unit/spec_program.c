/* Tests names against a program, and the property files that are documented and shipped. */
#include "grammar/grammar.h"
#include "spec/spec.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- a program ------------------------------------------------------------------------------- */

/*
 * The program of these tests has the variables `count` and `config.limit`, a struct s with f and g,
 * and the functions open_it (2 parameters) and use (variadic).
 */
static bool global(void *context, const char *name, uint8_t *type)
{
	(void)context;
	*type = SPEC_INT;
	return !strcmp(name, "count") || !strcmp(name, "config.limit");
}

static bool field(void *context, const char *type, const char *path)
{
	(void)context;
	return !strcmp(type, "s") &&
	       (!strcmp(path, "f") || !strcmp(path, "g") || !strcmp(path, "*"));
}

static bool function(void *context, const char *library, const char *glob, int *parameters)
{
	(void)context;
	*parameters = !strcmp(glob, "open_it") ? 2 : -1;
	return !library && (!strcmp(glob, "open_it") || !strcmp(glob, "use"));
}

static const char *nearest(void *context, enum spec_point_kind kind, const char *name)
{
	(void)context, (void)name;
	return kind <= SPEC_POINT_PROBE ? "open_it" : "count";
}

static bool probe(void *context, const char *glob)
{
	(void)context;
	return !strcmp(glob, "app:go");
}

static const char *nearest_field(void *context, const char *type, const char *path)
{
	(void)context, (void)path;
	return !strcmp(type, "s") ? "g" : NULL;
}

static const struct spec_names program = { .global = global,
					   .field = field,
					   .function = function,
					   .nearest = nearest,
					   .probe = probe,
					   .nearest_field = nearest_field };

static void assert_checked(const char *text, const struct spec_names *names, const char *expected)
{
	static const char *const severities[] = { "error", "note" };
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("dir/test.prop", text, &messages);
	char *found = NULL;
	size_t size;
	FILE *out = open_memstream(&found, &size);

	for (size_t i = 0; i < messages.list.count; i++)
		fputs(messages.list.items[i].shown, stderr);
	assert_non_null(file);
	spec_check(file, names, &messages);
	for (size_t i = 0; i < messages.list.count; i++)
		fprintf(out, "%u:%u %s: %s\n", messages.list.items[i].place.line,
			messages.list.items[i].place.column,
			severities[messages.list.items[i].severity], messages.list.items[i].text);
	fclose(out);
	assert_string_equal(found, expected);
	free(found);
	spec_free(file);
	spec_messages_free(&messages);
}

static const char everything[] =
	"property P(struct s *o, int x) {\n"
	"event a = call opne_it(o, x);\n"
	"event b = call open_it(o), exec open_it(o, x, 3), return open_it(o, ...);\n"
	"event c = call use(x, 2, 3), call other(x), call \"lib.so\":use(x);\n"
	"event d = read o->f, read o->h, read o->*;\n"
	"event e = write count, write config.limit = v if (v > coutn), write config.limits;\n"
	"event f = probe app:go(x);\n"
	"event g = probe app:gone(x);\n"
	"pattern: a;\n"
	"always count > nix && nix => a;\n"
	"monitor \"none.so\"; }";

static void names_are_errors_with_a_program(void **state)
{
	(void)state;
	assert_checked(
		everything, &program,
		"2:11 error: the program has no function 'opne_it'; did you mean 'open_it'?\n3:11 "
		"error: 'open_it' has 2 parameters, not 1; use ... for the rest\n3:28 error: "
		"'open_it' has 2 parameters, not 3\n4:30 note: the program has no function "
		"'other'; did you mean 'open_it'?\n4:45 note: the program has no function 'use' of "
		"lib.so; did you mean 'open_it'?\n5:27 error: the program has no 's' with a member "
		"'h'; did you mean 'g'?\n6:55 error: the program has no variable 'coutn'; did you "
		"mean 'count'?\n6:69 error: the program has no variable 'config.limits'; did you "
		"mean 'count'?\n8:11 error: the program has no probe 'app:gone'\n10:16 error: the "
		"program has no variable 'nix'; did you mean 'count'?\n11:1 error: there is no "
		"file 'dir/none.so'\n");
}

static void names_are_notes_without_one(void **state)
{
	(void)state;
	assert_checked(
		everything, NULL,
		"6:55 note: 'coutn' is assumed to be a variable of the program\n10:8 note: 'count' "
		"is assumed to be a variable of the program\n10:16 note: 'nix' is assumed to be a "
		"variable of the program\n11:1 note: there is no file 'dir/none.so'\n");
	assert_checked("extern int count; property P(int fd) { event a = call f(fd, val) if (vla > "
		       "count); always count => a; }",
		       NULL,
		       "1:70 note: 'vla' is assumed to be a variable of the program; did you mean "
		       "'val'?\n");
}

static void what_is_not_known_is_not_checked(void **state)
{
	static const struct spec_names none;

	(void)state;
	assert_checked(
		"property P(struct s *o) { event a = call f(o), read o->f, read g; pattern: a; }",
		&none, "");
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *root(void)
{
	static char path[4096];
	const char *test = getenv("SOOTH_TEST");

	snprintf(path, sizeof path, "%s/..", test ? test : "test");
	return path;
}

static void assert_good(const char *path)
{
	struct spec_messages messages = { 0 };
	struct err err = { 0 };
	struct spec_file *file = spec_read(path, &messages, &err);

	if (file)
		grammar_check(file, &messages);
	for (size_t i = 0; i < messages.list.count; i++)
		fputs(messages.list.items[i].shown, stderr);
	assert_string_equal(err.text, "");
	assert_non_null(file);
	assert_int_equal(messages.errors, 0);
	spec_free(file);
	spec_messages_free(&messages);
}

static unsigned all_good(const char *folder)
{
	char path[8192];
	unsigned count = 0;
	struct dirent *entry;

	snprintf(path, sizeof path, "%s/%s", root(), folder);
	DIR *list = opendir(path);
	assert_non_null(list);
	while ((entry = readdir(list))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".prop") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s/%s", root(), folder, entry->d_name);
		assert_good(path);
		count++;
	}
	closedir(list);
	return count;
}

static void what_is_shipped_is_good(void **state)
{
	(void)state;
	assert_true(all_good("test/properties") >= 2);
	assert_true(all_good("share/sooth/properties") >= 10);
}

/*
 * Each ```prop block of doc/language.md must be a valid file, except blocks whose first line is "//
 * error: TEXT": their only message must be TEXT. A block that contains only statements is put into
 * a property with the events a, b, c, open, use and close and one parameter, int x.
 */
static void try_block(const char *text, size_t length, unsigned line)
{
	static const char head[] = "property P(int x) { event a = probe p:a(x); event b = probe "
				   "p:b(x); event c = probe p:c(x); event open = probe p:d(x); "
				   "event use = probe p:e(x); event close = probe p:f(x);\n";
	char *block = strndup(text, length), *whole = NULL, expected[512] = "";
	bool bare = !strstr(block, "property ") && !strstr(block, "extern ") &&
		    strncmp(block, "use ", 4) != 0;
	struct spec_messages messages = { 0 };

	sscanf(block, "// error: %511[^\n]", expected);
	if (asprintf(&whole, "%s%s%s", bare ? head : "", block, bare ? "}" : "") < 0)
		abort();
	struct spec_file *file = spec_parse("doc/language.md", whole, &messages);
	if (file)
		grammar_check(file, &messages);
	const char *said = messages.list.count ? messages.list.items[0].text : "";
	if (strcmp(said, expected) != 0 || messages.list.count > 1)
		fail_msg("doc/language.md:%u: '%s' instead of '%s'\n%s", line, said, expected,
			 whole);
	spec_free(file);
	spec_messages_free(&messages);
	free(block);
	free(whole);
}

static void what_is_documented_is_good(void **state)
{
	static const char fence[] = "\n```prop\n";
	static char text[1 << 18];
	char path[8192];
	unsigned count = 0;

	(void)state;
	snprintf(path, sizeof path, "%s/doc/language.md", root());
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	for (char *at = strstr(text, fence); at; at = strstr(at, fence), count++) {
		unsigned line = 2;

		at += sizeof fence - 1;
		for (const char *c = text; c < at - 1; c++)
			line += *c == '\n';
		char *end = strstr(at, "\n```\n");
		assert_non_null(end);
		try_block(at, (size_t)(end + 1 - at), line);
		at = end;
	}
	assert_true(count > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_errors_with_a_program),
		cmocka_unit_test(names_are_notes_without_one),
		cmocka_unit_test(what_is_not_known_is_not_checked),
		cmocka_unit_test(what_is_shipped_is_good),
		cmocka_unit_test(what_is_documented_is_good),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
