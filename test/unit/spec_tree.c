/* Tests the trees that property files are parsed into. */
#include "spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct spec_file *parse(const char *text)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("test.prop", text, &messages);

	for (size_t i = 0; i < messages.list.count; i++)
		fputs(messages.list.items[i].shown, stderr);
	assert_non_null(file);
	assert_int_equal(messages.list.count, 0);
	spec_messages_free(&messages);
	return file;
}

static struct spec_file *read_test(const char *name)
{
	const char *test = getenv("SOOTH_TEST");
	struct spec_messages messages = { 0 };
	struct err err = { 0 };
	char path[4096];

	snprintf(path, sizeof path, "%s/properties/%s", test ? test : "test", name);
	struct spec_file *file = spec_read(path, &messages, &err);
	for (size_t i = 0; i < messages.list.count; i++)
		fputs(messages.list.items[i].shown, stderr);
	assert_string_equal(err.text, "");
	assert_non_null(file);
	spec_messages_free(&messages);
	return file;
}

static const struct spec_property *property(const struct spec_file *file, const char *name)
{
	const struct spec_property *p = file->properties;

	while (p && strcmp(p->name, name) != 0)
		p = p->next;
	assert_non_null(p);
	return p;
}

static const struct spec_event *event(const struct spec_property *p, const char *name)
{
	for (uint32_t i = 0; i < p->event_count; i++)
		if (!strcmp(p->events[i].name, name))
			return &p->events[i];
	fail_msg("no event %s", name);
	return NULL;
}

/* Checks that the file has this text at the location. */
static void assert_stands(const struct spec_file *file, struct spec_location place,
			  const char *text)
{
	const char *at = file->text;

	for (uint32_t line = 1; line < place.line; line++)
		at = strchr(at, '\n') + 1;
	assert_memory_equal(at + place.column - 1, text, strlen(text));
}

static void papers_are_read(void **state)
{
	static const char *const names[] = {
		"Landing",
		"XYZ",
		"Permit",
		"PosNeg",
		"Reply",
		"UnsafeIterator",
		"NullPointerDereference",
		"UnsafeDatabaseAccess",
		"CheckThenAct",
		"AtomicityViolation",
		"DataRace",
		"Deadlock",
		"AuthBeforeUse",
		"Phil",
		"Fork",
		"NoDeadlock",
		"AnyFieldNull",
		"Mine",
	};
	struct spec_file *file = read_test("papers.prop");
	const struct spec_property *p = file->properties;

	(void)state;
	assert_int_equal(file->property_count, 18);
	for (size_t i = 0; i < 18; i++, p = p->next)
		assert_string_equal(p->name, names[i]);
	assert_null(p);
	assert_int_equal(file->extern_count, 7);
	assert_string_equal(file->externs[6].name, "permit");
	assert_int_equal(file->externs[6].type, SPEC_INT);
	assert_string_equal(file->uses->name, "eraser");
	assert_null(file->uses->option);
	assert_string_equal(file->uses->next->option, "max_threads");
	assert_int_equal(file->uses->next->value, 4);

	p = property(file, "Phil");
	assert_int_equal(p->view, SPEC_VIEW_THREAD);
	assert_true(event(p, "start_")->reset);
	assert_string_equal(event(p, "release")->reset_if, "callee == session.right");
	assert_stands(file, event(p, "release")->reset_place, "callee == session.right)");
	assert_false(event(p, "get")->reset);
	const struct spec_grammar *g = p->formulas->grammar;
	assert_int_equal(g->production_count, 1);
	const struct spec_item *item = g->productions[0].alternatives->next->items;
	assert_string_equal(item->label, "gf1");
	assert_int_equal(item->number, event(p, "get") - p->events);
	assert_string_equal(g->productions[0].alternatives->items->next->lua,
			    " S.left, S.right = start_.left, start_.right ");
	assert_stands(file, g->productions[0].alternatives->items->next->lua_place, " S.left, S.r");
	while (item->kind != SPEC_ITEM_ASSERT)
		item = item->next;
	assert_stands(file, item->lua_place, "gf1.callee == S.left && gf2.callee == S.right)");

	p = property(file, "Fork");
	assert_int_equal(p->view, SPEC_VIEW_OBJECT);
	assert_int_equal(p->view_parameter, 0);
	p = property(file, "NoDeadlock");
	assert_string_equal(p->formulas->grammar->attributes, "want = {}, held = {}");
	assert_stands(file, p->formulas->grammar->attributes_place, "want = {}, held = {})");
	assert_stands(file, p->on_violation_place, " report(");
	assert_false(p->until_end);
	assert_string_equal(p->on_violation, " report(\"deadlock\", g:cycle()) ");
	p = property(file, "Mine");
	assert_int_equal(p->formulas->formalism, SPEC_MONITOR);
	assert_string_equal(p->formulas->text, "./mymon.so");
	spec_free(file);
}

static void points_have_their_parts(void **state)
{
	struct spec_file *file = read_test("language.prop");
	const struct spec_property *p = property(file, "Points");
	const struct spec_point *point = event(p, "call")->points;

	(void)state;
	assert_int_equal(p->parameters[0].type, SPEC_POINTER);
	assert_string_equal(p->parameters[0].pointee, "node");
	assert_string_equal(p->parameters[0].type_text, "struct node *");
	assert_int_equal(p->parameters[1].type, SPEC_ADDR);
	assert_int_equal(p->parameters[2].type, SPEC_LOCK);
	assert_int_equal(p->parameters[5].type, SPEC_STRING);
	assert_int_equal(p->parameters[6].type, SPEC_THREAD);
	assert_int_equal(p->parameters[7].type, SPEC_FLOATING);
	assert_string_equal(p->parameters[8].pointee, "char");
	assert_int_equal(p->parameters[9].type, SPEC_INT);
	assert_string_equal(p->parameters[10].pointee, "ns::queue");
	assert_string_equal(p->parameters[11].pointee, "void *");

	assert_int_equal(point->argument_count, 9);
	assert_true(point->rest);
	assert_int_equal(point->arguments[0].slot, SPEC_BINDS);
	assert_int_equal(point->arguments[0].parameter, 0);
	assert_int_equal(point->arguments[1].slot, SPEC_BINDS_POINTED);
	assert_int_equal(point->arguments[1].parameter, 11);
	assert_int_equal(point->arguments[2].slot, SPEC_ANY);
	assert_int_equal(point->arguments[3].slot, SPEC_EQUALS);
	assert_string_equal(point->arguments[3].value->text, "x");
	assert_int_equal(point->arguments[6].value->number, 'a');
	assert_int_equal(point->arguments[8].value->number, 0);

	point = event(p, "return")->points;
	assert_string_equal(point->library, "lib[a-z]*.so.?");
	assert_string_equal(point->function, "get_*");
	assert_int_equal(point->result->parameter, 4);
	assert_string_equal(event(p, "return")->locals[0], "tid");
	assert_string_equal(event(p, "probe")->points->function, "app:start*");
	assert_string_equal(event(p, "exec")->points->function, "ns::queue::push");
	assert_string_equal(event(p, "exec")->points->text, "exec ns::queue::push(q, count)");

	point = event(p, "read")->points;
	assert_int_equal(point->target->kind, SPEC_FIELD);
	assert_string_equal(point->target->path, "next.value[3]");
	point = point->next;
	assert_int_equal(point->target->kind, SPEC_POINTED);
	assert_int_equal(point->target->parameter, 1);
	point = point->next;
	assert_int_equal(point->target->kind, SPEC_GLOBAL);
	assert_null(point->target->path);
	assert_string_equal(point->next->target->name, "settings");
	assert_string_equal(point->next->target->path, "limits.most");

	point = event(p, "write")->points;
	assert_string_equal(point->target->path, "*");
	assert_int_equal(point->result->slot, SPEC_BINDS);
	assert_int_equal(point->result->local, 0);
	assert_int_equal(point->filter->left->left->local, 0);
	assert_string_equal(point->next->target->path, "[2]");
	assert_int_equal(point->next->result->slot, SPEC_EQUALS);

	point = event(p, "request")->points;
	assert_int_equal(point->target->kind, SPEC_OBJECT);
	assert_int_equal(point->target->parameter, 2);
	assert_int_equal(point->holding->parameter, 3);
	assert_string_equal(point->text, "request m holding k");
	assert_int_equal(event(p, "release")->points->target->kind, SPEC_GLOBAL);
	assert_int_equal(event(p, "spawn")->points->arguments[0].parameter, 6);
	assert_int_equal(event(p, "if")->lives->parameter, 0);
	assert_false(event(p, "if")->lives->ends);
	assert_true(event(p, "end")->lives->ends);
	spec_free(file);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void print(FILE *out, const struct spec_formula *f, const struct spec_pattern *p)
{
	static const char *const names[] = { "",     "seq",  "or",    "and", "par",
					     "star", "plus", "maybe", "not" };

	if (p->kind == SPEC_LEAF) {
		fputs(p->name, out);
		if (p->thread != SPEC_NONE)
			fprintf(out, "@%s", f->threads[p->thread]);
		if (p->begins != SPEC_NONE)
			fprintf(out, "<%s", f->regions[p->begins]);
		if (p->ends != SPEC_NONE)
			fprintf(out, ">%s", f->regions[p->ends]);
		return;
	}
	fprintf(out, "%s(", names[p->kind]);
	for (const struct spec_pattern *part = p->parts; part; part = part->next) {
		print(out, f, part);
		fputs(part->next ? " " : ")", out);
	}
}

static void assert_pattern(const char *pattern, const char *expected)
{
	char text[1024], found[1024] = "";

	snprintf(text, sizeof text,
		 "property P(int x) { event a = probe p:a(x); event b = probe p:b(x); event use = "
		 "probe p:c(x);event end = probe p:d(x); pattern: %s; }",
		 pattern);
	struct spec_file *file = parse(text);
	FILE *out = fmemopen(found, sizeof found, "w");
	print(out, file->properties->formulas, file->properties->formulas->pattern);
	fclose(out);
	assert_string_equal(found, expected);
	assert_string_equal(file->properties->formulas->text, pattern);
	spec_free(file);
}

static void patterns_bind_as_they_should(void **state)
{
	(void)state;
	assert_pattern("a", "a");
	assert_pattern("a b use", "seq(a b use)");
	assert_pattern("a b | use end & a", "or(seq(a b) and(seq(use end) a))");
	assert_pattern("a (b use) end", "seq(a seq(b use) end)");
	assert_pattern("a b* use+ end?", "seq(a star(b) plus(use) maybe(end))");
	assert_pattern("a (b | use)*+", "seq(a plus(star(or(b use))))");
	assert_pattern("!(a b) use", "seq(not(seq(a b)) use)");
	assert_pattern("!!(a b)", "not(not(seq(a b)))");
	assert_pattern("a(t1) b(t2) a(t1)", "seq(a@t1 b@t2 a@t1)");
	assert_pattern("a(t1) || b(t2) || use(t3)", "par(a@t1 b@t2 use@t3)");
	assert_pattern("(a(t1) || b(t2)) end", "seq(par(a@t1 b@t2) end)");
	assert_pattern("a(t, <r) b(t,>r, <s) end(t, >s)", "seq(a@t<r b@t<s>r end@t>s)");
	assert_pattern("a (b)", "seq(a b)");
	assert_pattern("a/* no space */(b)", "seq(a b)");
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void assert_read(const char *formula, const char *expected)
{
	static const char mark[] = "read as: ";
	char text[1024];

	snprintf(text, sizeof text,
		 "property P(int x, string s) { event e = probe p:e(x, s); event f = probe p:f(x, "
		 "s);\n%s; }",
		 formula);
	struct spec_file *file = parse(text);
	char *explained = spec_explain(file, false, NULL), *at = strstr(explained, mark);
	assert_non_null(at);
	at += sizeof mark - 1;
	at[strcspn(at, "\n")] = 0;
	assert_string_equal(at, expected);
	free(explained);
	spec_free(file);
}

static void expressions_bind_as_in_c(void **state)
{
	(void)state;
	assert_read("always a + b * c << 2 < d == e & f ^ g | h && i || j ? k : l",
		    "always ((((((((((a + (b * c)) << 2) < d) == e) & f) ^ g) | h) && i) || j) ? k "
		    ": l)");
	assert_read("always !a == -b && ~c", "always ((!a == -b) && ~c)");
	assert_read("always a - b - c", "always ((a - b) - c)");
	assert_read("always *p.q[1 + 2]->r", "always *p.q[1 + 2]->r");
	assert_read("always a ? b : c ? d : g", "always (a ? b : (c ? d : g))");
}

static void time_binds_as_documented(void **state)
{
	(void)state;
	assert_read("always e => f => e", "always (e => (f => e))");
	assert_read("always once a == 1 && e", "always (once (a == 1) && e)");
	assert_read("always ! once e", "always !once e");
	assert_read("always e since f => prev prev e", "always ((e since f) => prev prev e)");
	assert_read("always e || f since e && f", "always ((e || f) since (e && f))");
	assert_read("always start (e) => [x > 1, end(f))", "always (start(e) => [x > 1, end(f)))");
	assert_read("never start", "never start");
	assert_read("ltl: always e => eventually f && e", "always (e => (eventually (f && e)))");
	assert_read("ltl: e && always f || e", "e && (always (f || e))");
	assert_read("ltl: next e until f until e", "next e until (f until e)");
	assert_read("ltl: !e until f", "!e until f");
	assert_read("ere: ~e f | . & e+", "((~e f) | (. & e+))");
}

static void words_mean_what_they_mean_where_they_stand(void **state)
{
	/* every keyword of the language, used as the name of an event */
	static const char *const words[] = {
		"property",  "use",	"extern",     "with",	 "event",   "view",    "always",
		"never",     "ltl",	"pattern",    "ere",	 "grammar", "monitor", "on",
		"violation", "call",	"exec",	      "return",	 "probe",   "read",    "write",
		"becomes",   "request", "acquire",    "release", "spawn",   "join",    "if",
		"holding",   "reset",	"new",	      "end",	 "prev",    "once",    "sofar",
		"since",     "start",	"eventually", "next",	 "until",   "assert",  "open",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *w = words[i];

		snprintf(text, sizeof text,
			 "property %1$s(int %1$s_) { event %1$s = call %1$s(%1$s_), read %1$s = "
			 "%1$s_ if (%1$s_ > 1 || %1$s == 2); pattern: %1$s(%1$s,<%1$s) "
			 "%1$s(%1$s,>%1$s) %1$s* (%1$s | %1$s); ere: %1$s %1$s*; }",
			 w);
		struct spec_file *file = parse(text);
		assert_string_equal(file->properties->events[0].name, w);
		assert_string_equal(file->properties->events[0].points->function, w);
		spec_free(file);
	}
}

static void names_may_come_before_what_declares_them(void **state)
{
	struct spec_file *file = parse("property P { pattern: late; event late = call f(); always "
				       "x => late; } extern int x;");

	(void)state;
	assert_int_equal(file->properties->formulas->pattern->event, 0);
	assert_int_equal(file->properties->formulas->next->expr->right->operator, SPEC_EVENT);
	spec_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(papers_are_read),
		cmocka_unit_test(points_have_their_parts),
		cmocka_unit_test(patterns_bind_as_they_should),
		cmocka_unit_test(expressions_bind_as_in_c),
		cmocka_unit_test(time_binds_as_documented),
		cmocka_unit_test(words_mean_what_they_mean_where_they_stand),
		cmocka_unit_test(names_may_come_before_what_declares_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
