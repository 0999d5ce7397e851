/*
 * Tests errors in property files: each is reported at its location, with what was expected or
 * probably meant.
 */
#include "spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Returns the messages about a text as "LINE:COLUMN text\n". */
static char *complaints(const char *text)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("test.prop", text, &messages);
	char *all = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&all, &size);

	for (size_t i = 0; i < messages.list.count; i++)
		fprintf(out, "%u:%u %s\n", messages.list.items[i].place.line,
			messages.list.items[i].place.column, messages.list.items[i].text);
	fclose(out);
	assert_true((file == NULL) == (messages.errors > 0));
	spec_free(file);
	spec_messages_free(&messages);
	return all;
}

static void assert_complaints(const char *text, const char *expected)
{
	char *found = complaints(text);

	if (strcmp(found, expected) != 0)
		print_error("of: %s\n", text);
	assert_string_equal(found, expected);
	free(found);
}

#define EVENTS                                                                                     \
	"property P(int x) { event a = probe p:a(x); event b = probe p:b(x); event open = probe "  \
	"p:c(x);\n"
#define PATTERN(text) EVENTS "pattern: " text ";}"
#define ALWAYS(text) EVENTS "always " text ";}"

static void syntax_is_told_in_words(void **state)
{
	(void)state;
	assert_complaints("propertx P {}",
			  "1:1 'propertx' is not expected here; expected the end of the file, "
			  "'property', 'use' or 'extern'; did you mean 'property'?\n");
	assert_complaints("property P(int x {",
			  "1:18 '{' is not expected here; expected a name, '*', ',' or ')'\n");
	assert_complaints(EVENTS "event c = cal f(x);\npattern: a c; }",
			  "2:11 'cal' is not expected here; expected 'call', 'exec', 'return', "
			  "'probe', 'read', 'write', 'becomes', 'request', 'acquire', 'release', "
			  "'spawn' or 'join'; did you mean 'call'?\n");
	assert_complaints(EVENTS "event c = call (x);\npattern: a c; }",
			  "2:16 '(' is not expected here; expected a function or text in \"\"\n");
	assert_complaints(ALWAYS("x = 3"), "2:10 '=' is not expected here; expected an operator or "
					   "';'; to compare, write '=='\n");
	assert_complaints(ALWAYS("a -> once b"),
			  "2:13 'once' is not expected here; expected a name; '->' accesses a "
			  "member, as in C; implication is '=>'\n");
	assert_complaints(ALWAYS("a -> b"),
			  "2:8 'a' is an event and has no members; implication is written '=>'\n");
	assert_complaints(ALWAYS("x +"), "2:11 ';' is not expected here; expected an expression\n");
	assert_complaints(PATTERN("a(b | a) b"),
			  "2:14 '|' is not expected here; expected ',' or ')'; a '(' right after "
			  "an event gives its thread; put a blank before a group\n");
	assert_complaints(PATTERN("a && b"),
			  "2:12 '&&' is not expected here; expected an event, an operator or ';'; "
			  "in a pattern, use '&' for both\n");
	assert_complaints(EVENTS "ere: a !b; }",
			  "2:8 '!' is not expected here; expected an event, an operator or ';'; in "
			  "'ere:', the complement is '~'\n");
	assert_complaints(EVENTS "pattern: a b",
			  "2:13 the file ends too early; expected an event, an operator or ';'\n");
	assert_complaints(EVENTS "on violated { x = 1 } pattern: a b; }",
			  "2:4 only 'on violation { Lua }' is possible here\n");
	assert_complaints(
		EVENTS "view objekt x; pattern: a b; }",
		"2:6 there is no view 'objekt'; use thread, object PARAMETER or global\n");
}

static void all_mistakes_are_told_at_once(void **state)
{
	(void)state;
	assert_complaints(
		"property P(int x) {\n"
		"  event a = cal f(x);\n"
		"  event b = call g(x)\n"
		"  event c = call h(x,);\n"
		"  pattern: a b d;\n"
		"  always a ==;\n"
		"property Q {\n"
		"  always 1;\n"
		"}\n",
		"2:13 'cal' is not expected here; expected 'call', 'exec', 'return', 'probe', "
		"'read', 'write', 'becomes', 'request', 'acquire', 'release', 'spawn' or 'join'; "
		"did you mean 'call'?\n3:21 a ';' is missing after this\n4:22 ')' is not expected "
		"here; expected an expression or '...'\n5:16 'P' has no event 'd'\n6:14 ';' is not "
		"expected here; expected an expression\n7:1 a '}' is missing before this: 'P' is "
		"not closed\n");
}

static void words_are_told_where_they_stand(void **state)
{
	(void)state;
	assert_complaints("property P { always 99999999999999999999 > 1; }",
			  "1:21 '99999999999999999999' does not fit in 64 bits\n");
	assert_complaints("property P { always 9223372036854775808 > 1; }",
			  "1:21 '9223372036854775808' does not fit in 64 bits; add the suffix u "
			  "for an unsigned number\n");
	assert_complaints("property P { always 0xffffffffffffffff != 18446744073709551615u; }", "");
	assert_complaints("property P { always 0x != 08 + 1abc + 1.2.3; }",
			  "1:21 '0x' is not a number\n1:27 '08' is not a number\n1:32 '1abc' is "
			  "not a number\n1:39 '1.2.3' is not a number\n");
	assert_complaints("property P { always strlen(\"a\\qb\") > 1; }",
			  "1:30 unknown escape sequence \\q\n");
	assert_complaints("property P { always 'ab' > 1; }",
			  "1:21 a character constant holds one character; write text in \"\"\n");
	assert_complaints("property P { always 1; /* }",
			  "1:24 this comment is never closed by */\n"
			  "1:28 the file ends too early; expected 'event', 'view', 'never', 'ltl', "
			  "'pattern', 'ere', 'grammar', 'monitor', 'on', 'always', ';' or '}'\n");
	assert_complaints("# comment\nproperty P { always 1; }",
			  "1:1 unexpected '#'; a comment is // or /* */\n");
	assert_complaints("property P { always 1 \xe2\x80\x93 2; }",
			  "1:23 unexpected character '\xe2\x80\x93'\n1:27 '2' is not expected "
			  "here; expected an operator or ';'\n");
	assert_complaints("property P { event e = call f(); grammar { S : e { x = {} \n",
			  "1:50 this '{' is never closed\n1:50 a ';' is missing after this\n");
}

static void names_are_looked_up(void **state)
{
	(void)state;
	assert_complaints(PATTERN("a opne"),
			  "2:12 'P' has no event 'opne'; did you mean 'open'?\n");
	assert_complaints(PATTERN("a x"), "2:12 'x' is a parameter; an event is expected here\n");
	assert_complaints(EVENTS "ere: a bb; }", "2:8 'P' has no event 'bb'; did you mean 'b'?\n");
	assert_complaints(EVENTS "event a = probe p:d(x); pattern: a b; }",
			  "2:7 event 'a' is already declared in line 1; separate the points of one "
			  "event by commas\n");
	assert_complaints(EVENTS "event x = probe p:d(x); pattern: a b; }",
			  "2:7 'x' is a parameter and cannot also be an event\n");
	assert_complaints(EVENTS "event d = probe p:d(x) new y; pattern: a b; }",
			  "2:24 'y' is not a parameter of 'P'\n");
	assert_complaints(
		EVENTS "event d = probe p:d(x), probe p:e() end x; pattern: a b; }",
		"2:37 not every point of 'd' binds 'x', so it is unknown whose lifetime ends\n");
	assert_complaints(
		EVENTS "event d = read y->z; pattern: a b; }",
		"2:16 'y' is not a parameter of 'P'; only a parameter can be dereferenced here\n");
	assert_complaints(EVENTS "event d = call f(v), call g(w) if (v == w); pattern: a b; }",
			  "2:36 'v' is bound by another point, not by the point of this filter\n");
	assert_complaints(EVENTS "event d = call f(x, x); pattern: a b; }",
			  "2:21 'x' is bound twice by one point; use another name and compare with "
			  "if (...)\n");
	assert_complaints(EVENTS "event d = call f(x + 1); pattern: a b; }",
			  "2:18 'x' can only be bound here, not used in an expression; bind "
			  "another name and compare with if (...)\n");
	assert_complaints(EVENTS "view global; event d = call f(); grammar { S : a T; S : b; } }",
			  "2:50 there is no event or production 'T'\n2:53 production 'S' is "
			  "declared twice; separate its alternatives by '|'\n");
	assert_complaints(EVENTS "view object; pattern: a b; }",
			  "2:1 the parameter is missing; write 'view object PARAMETER;'\n");
	assert_complaints(EVENTS "view thread x; pattern: a b; }",
			  "2:1 only 'view object' takes a parameter\n");
	assert_complaints(EVENTS "view thread until end; view global; pattern: a b; }",
			  "2:24 a property can have only one view\n");
	assert_complaints(EVENTS "view object until end; pattern: a b; }",
			  "2:1 the parameter is missing; write 'view object PARAMETER;'\n");
	assert_complaints(
		EVENTS "view object x until; pattern: a b; }",
		"2:15 'until' is not expected here; only 'until end' can follow a view\n");
	assert_complaints(EVENTS "view object y; pattern: a b; }",
			  "2:1 'y' is not a parameter of 'P'\n");
	assert_complaints("property P(int x, int x, int int) { event a = call f(x); pattern: a; }",
			  "1:23 parameter 'x' is declared twice\n1:30 a parameter cannot be called "
			  "'int': that is a reserved word\n");
	assert_complaints("property P { always 1; } property P { always 1; }",
			  "1:35 property 'P' is declared twice\n");
	assert_complaints("use goodlok; use goodlock with max = 3; use goodlock with max_threads = "
			  "1; use eraser with x = 1;",
			  "1:5 there is no analysis 'goodlok'; did you mean 'goodlock'?\n1:32 "
			  "'goodlock' has no option 'max'; it has 'max_threads'\n1:59 "
			  "'max_threads' must be at least 2\n1:92 'eraser' has no options\n");
}

static void declarations_are_checked(void **state)
{
	(void)state;
	assert_complaints("property P(x) { always 1; }",
			  "1:12 'x' has no type; write int, struct NAME *, addr, mutex, string or "
			  "another C type before it\n");
	assert_complaints("property P(int *) { always 1; }",
			  "1:16 a name is missing after the '*'\n");
	assert_complaints("property P(struct s v) { always 1; }",
			  "1:12 'v' is a struct passed by value; declare a pointer instead\n");
	assert_complaints(
		"property P(int x, int y) { event a = call f(x) if (y == 1); pattern: a; }",
		"1:23 no event binds 'y'\n");
	assert_complaints("property P { event a = call f(); }",
			  "1:10 'P' has no formula, so there is nothing to check\n");
	assert_complaints("property P(int x, string s) { event a = call f(x, s) = 3, read x->f, "
			  "write *s, acquire x, probe p(x), spawn(x, s); pattern: a; }",
			  "1:56 only a 'return' has a result\n1:64 'x' is an integer: it has no "
			  "members\n1:76 's' is a string and cannot be dereferenced; declare 'addr "
			  "s'\n1:88 'x' is an integer; declare 'mutex x'\n1:91 the name of a probe "
			  "is APP:NAME\n1:103 spawn and join take one argument, the thread\n");
	assert_complaints(
		"property P(struct s *o) { event a = read o, read o.f, read o->f->g; pattern: a; }",
		"1:42 'o' is a parameter; write '*o' for the memory it points to, or "
		"'o->member'\n1:50 'o' is a parameter; write its members with '->'\n1:60 only the "
		"first '->' of 'o' is recorded; declare a parameter for the object it points to\n");
	assert_complaints(EVENTS "event c = call f(x) reset; pattern: a b; }",
			  "2:7 'reset' is only for grammars, and 'P' has no grammar\n");
	assert_complaints(EVENTS "grammar { S : a; } }",
			  "2:1 which events form one word? Add 'view thread;', 'view object "
			  "PARAMETER;' or 'view global;'\n");
	assert_complaints("property P { event a = call f(), becomes(y > 0); grammar { S : a; } }",
			  "1:34 'becomes' is about states, but a grammar needs events; move it to "
			  "a property of its own\n");
}

static void types_are_checked(void **state)
{
	(void)state;
	assert_complaints(ALWAYS("\"a\" == 1"), "2:8 a string cannot be compared with a number\n");
	assert_complaints(ALWAYS("\"a\" != NULL"), "");
	assert_complaints(ALWAYS("\"a\" + 1"), "2:8 arithmetic on a string is not possible\n");
	assert_complaints(ALWAYS("-\"a\""), "2:8 arithmetic on a string is not possible\n");
	assert_complaints(ALWAYS("1.5 % 2 | ~2.5"),
			  "2:8 this operator works only on integers\n2:8 this operator works only "
			  "on integers\n2:18 this operator works only on integers\n");
	assert_complaints(ALWAYS("strlen(1)"), "2:15 strlen expects a string here\n");
	assert_complaints(ALWAYS("strncmp(\"a\", \"b\", \"c\")"),
			  "2:26 strncmp expects a number here\n");
	assert_complaints(ALWAYS("strcmp(\"a\")"), "2:8 strcmp takes 2 arguments, not 1\n");
	assert_complaints(ALWAYS("strcpm(x)"),
			  "2:8 there is no function 'strcpm'; use strstr, strcmp, strncmp, strlen "
			  "or startswith; did you mean 'strcmp'?\n");
	assert_complaints(ALWAYS("(x + 1).f"),
			  "2:8 only a variable has members, elements and an address\n");
	assert_complaints(ALWAYS("a => next b"), "2:13 always, eventually, next and until are "
						 "future operators, allowed only in 'ltl:'\n");
	assert_complaints(EVENTS "ltl: a => once b; }",
			  "2:11 prev, once, sofar, since, start, end and [p, q) are past "
			  "operators, allowed only in 'always' and 'never', not in 'ltl:'\n");
	assert_complaints(EVENTS "event d = call f(x) if (x => 1); pattern: a b; }",
			  "2:25 temporal operators are allowed only in formulas\n");
}

static void patterns_that_cannot_match_are_refused(void **state)
{
	(void)state;
	assert_complaints(
		PATTERN("!(a b+)"),
		"2:14 '+' is not allowed under '!', which negates the order of single events\n");
	assert_complaints(
		PATTERN("!(a b* (a | b))"),
		"2:14 '*' is not allowed under '!', which negates the order of single events\n2:18 "
		"'|' is not allowed under '!', which negates the order of single events\n");
	assert_complaints(
		PATTERN("!(a (a(t1) || b(t2)))"),
		"2:15 '||' is not allowed under '!', which negates the order of single events\n");
	assert_complaints(PATTERN("!a"),
			  "2:10 '!' needs a sequence of at least two events to negate\n");
	assert_complaints(PATTERN("!(a & b)"),
			  "2:10 '!' needs a sequence of at least two events to negate\n");
	assert_complaints(
		PATTERN("a(t1) || b(t1)"),
		"2:19 the members of '||' must be in different threads, but two are in 't1'\n");
	assert_complaints(PATTERN("a(t1) || b(t2) a(t2)"),
			  "2:19 a member of '||' must be one event or a choice of events: (a(t1) | "
			  "b(t1)) || c(t2)\n");
	assert_complaints(PATTERN("(a(t1) | b(t1)) || a(t2)"), "");
	assert_complaints(PATTERN("a || b"), "");
	assert_complaints(PATTERN("a* b?"), "2:10 this pattern matches without any event\n");
	assert_complaints(PATTERN("a | b*"), "2:10 this pattern matches without any event\n");
	assert_complaints(PATTERN("a(t1,t2) b"),
			  "2:15 an event has only one thread; 't1' is given already\n");
}

static void regions_are_checked(void **state)
{
	(void)state;
	assert_complaints(PATTERN("a(t1,<r) b(t1)"), "2:10 the region 'r' begins but never ends\n");
	assert_complaints(PATTERN("a(t1,<r1) b(t1,>r2)"),
			  "2:10 the region 'r1' begins but never ends; did you mean 'r2'?\n2:20 "
			  "the region 'r2' ends but never begins; did you mean 'r1'?\n");
	assert_complaints(
		PATTERN("a(t1,<r) b(t2,>r)"),
		"2:19 the region 'r' must be in one thread, but it is in 't1' and 't2'\n");
	assert_complaints(PATTERN("a(t1,>r) b(t1,<r)"),
			  "2:10 the region 'r' ends here, before it begins\n");
	assert_complaints(PATTERN("a(t1,>r) b(t1,<r) | b(t1,<r) a(t1,>r)"), "");
	assert_complaints(
		PATTERN("(a(t1,<r) | b) open(t1,>r)"),
		"2:11 the region 'r' begins or ends in some alternatives but not in others\n");
	assert_complaints(PATTERN("(a(t1,<r) open(t1,>r) | b) b"), "");
	assert_complaints(
		PATTERN("a(t1,<r) b(t1,>r)? b"),
		"2:10 the region 'r' begins or ends in some alternatives but not in others\n");
	assert_complaints(PATTERN("a(t1,<r) a(t1,<r) b(t1,>r)"),
			  "2:10 the region 'r' begins or ends more than once; give different "
			  "regions different names\n");
	assert_complaints(PATTERN("a(<r) b(t1,>r)"),
			  "2:12 a region needs a thread: write a(THREAD, <r)\n");
	assert_complaints(PATTERN("a(t1,<r,>r)"),
			  "2:10 one event cannot both begin and end a region\n");
}

static void carets_stand_under_words(void **state)
{
	struct spec_messages messages = { 0 };

	(void)state;
	assert_null(spec_parse(
		"dir/x.prop",
		"property P {\n\tevent a = call f();\t/* \xc3\xa9 */ pattern: a zz;\r\n}\n",
		&messages));
	assert_int_equal(messages.list.count, 1);
	assert_string_equal(messages.list.items[0].shown,
			    "dir/x.prop:2:42: error: 'P' has no event 'zz'\n"
			    "    \tevent a = call f();\t/* \xc3\xa9 */ pattern: a zz;\n"
			    "    \t                   \t                   ^~\n");
	spec_messages_free(&messages);
}

static void of_long_lines_a_part_is_shown(void **state)
{
	struct spec_messages messages = { 0 };
	char text[4096] = "property P { event a = call f(); pattern: a";

	(void)state;
	while (strlen(text) < 2000)
		strcat(text, " a");
	strcat(text, " zz");
	while (strlen(text) < 4000)
		strcat(text, " a");
	strcat(text, "; }");
	assert_null(spec_parse("x.prop", text, &messages));
	assert_int_equal(messages.list.count, 1);
	const char *shown = messages.list.items[0].shown, *line = strchr(shown, '\n') + 1;
	const char *caret = strchr(line, '\n') + 1, *mark = strstr(line, "zz");
	assert_true(strlen(shown) < 500);
	assert_true(mark && mark < caret);
	assert_int_equal(mark - line, strchr(caret, '^') - caret);
	spec_messages_free(&messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syntax_is_told_in_words),
		cmocka_unit_test(all_mistakes_are_told_at_once),
		cmocka_unit_test(words_are_told_where_they_stand),
		cmocka_unit_test(names_are_looked_up),
		cmocka_unit_test(declarations_are_checked),
		cmocka_unit_test(types_are_checked),
		cmocka_unit_test(patterns_that_cannot_match_are_refused),
		cmocka_unit_test(regions_are_checked),
		cmocka_unit_test(carets_stand_under_words),
		cmocka_unit_test(of_long_lines_a_part_is_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
