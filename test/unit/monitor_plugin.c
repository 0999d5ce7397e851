/* Monitors in C and in Lua, good and broken. */
#include "monitor_make.h"

#include <sys/stat.h>
#include <unistd.h>

#define PROPERTY(file)                                                                             \
	"property P(int n) { event lock = call f(n); event unlock = call g(n); "                   \
	"event up = becomes(x > 0); monitor \"" file "\"; }"

static char directory[] = "/tmp/sooth-test-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void compile(const char *name, const char *text)
{
	char command[1024], source[64];
	const char *test = getenv("SOOTH_TEST");

	snprintf(source, sizeof source, "%s.c", name);
	put(source, text);
	snprintf(command, sizeof command,
		 "gcc -Wall -Werror -shared -fPIC -I%s/../include -o %s/%s.so %s/%s",
		 test ? test : "test", directory, name, directory, source);
	assert_int_equal(system(command), 0);
}

/*
 * Expects that the monitor has one state. `verdicts` has "%d%d" after each step: is the state bad,
 * and is it bad if the word ends here?
 */
static void expect(const char *property, const char *word, const char *verdicts)
{
	struct made m;
	struct machine *machine;

	made_open(&m, property);
	for (uint64_t i = 0; i < 3; i++)
		*vec_push(&m.set.properties.items[0].values) = (struct property_value){ .bits = i };
	made_word(&m, word);
	machine = made_machine(&m, directory);
	assert_string_equal(made_verdicts(&m, machine), verdicts);
	assert_string_equal(made_verdicts(&m, machine), verdicts);
	machine_close(machine);
	made_close(&m);
}

/* Expects that the monitor fails when it is opened, or at a step of the word. */
static void refuse(const char *property, const char *word, const char *why)
{
	struct made m;
	struct machine *machine;
	machine_states next = { 0 };
	struct err err = { 0 };
	char expected[512];
	bool failed;

	made_open(&m, property);
	made_word(&m, word);
	machine = machine_of_formula(&m.set, 0, m.file->properties->formulas, &m.labels, directory,
				     &err);
	failed = !machine;
	for (size_t i = 0; i < m.word.count && !failed; i++)
		failed = !machine->step(machine->self, machine->initial(machine->self),
					m.word.items[i], &next, &err);
	assert_true(failed);
	snprintf(expected, sizeof expected, why, directory, directory);
	assert_non_null(strstr(err.text, expected));
	vec_free(&next);
	if (machine)
		machine_close(machine);
	made_close(&m);
}

/*
 * Tests a monitor with two rules: a lock must be released before it is taken again, and the first
 * lock must be released at the end.
 */
static void expect_locks(const char *property)
{
	expect(property, "lock:0 unlock:0 lock:1 - lock:0", ".!...!");
	expect(property, "lock:0 lock:1 unlock:0 lock:1", ".!!.B");
	expect(property, "unlock:2", ".B");
	expect(property, "lock:0 x=1 lock:0", ".!.!");
	expect(property, "lock:0 unlock:0,lock:1 x=3", ".!..");
}

/* ---- C --------------------------------------------------------------------------------------- */

static const char locks_c[] =
	"#include <sooth/monitor.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"struct state { int held[3], bad; };\n"
	"static void *init(const struct sooth_about *about) {\n"
	"	if (strcmp(about->property, \"P\") || about->event_count != 3 ||\n"
	"	    strcmp(about->events[1], \"unlock\") || strcmp(about->parameters[0], \"n\"))\n"
	"		return NULL;\n"
	"	return calloc(1, sizeof(struct state)); }\n"
	"static int step(void *s, const struct sooth_event *e, struct sooth_more *more) {\n"
	"	struct state *state = s;\n"
	"	(void)more;\n"
	"	if (e->number == 2) { memset(state->held, 0, sizeof state->held); return 1; }\n"
	"	if (e->values[0].type != SOOTH_NUMBER || e->thread != 3) return -1;\n"
	"	int *held = &state->held[e->values[0].number];\n"
	"	if (*held == (e->number == 0)) state->bad = 1;\n"
	"	*held = e->number == 0;\n"
	"	return 1; }\n"
	"static void *clone(const void *s) {\n"
	"	void *copy = malloc(sizeof(struct state));\n"
	"	return memcpy(copy, s, sizeof(struct state)); }\n"
	"static uint64_t hash(const void *s) { return (uint64_t)((struct state *)s)->held[0]; }\n"
	"static int equal(const void *a, const void *b) {\n"
	"	return !memcmp(a, b, sizeof(struct state)); }\n"
	"static int is_bad(const void *s) { return ((struct state *)s)->bad; }\n"
	"static int at_end(const void *s) { return ((struct state *)s)->held[0]; }\n"
	"const struct sooth_monitor sooth_monitor = { SOOTH_MONITOR_VERSION, init, step, clone,\n"
	"	free, hash, equal, is_bad, at_end };\n";

static void test_c(void **state)
{
	const char *property = PROPERTY("./locks.so");

	(void)state;
	compile("locks", locks_c);
	expect_locks(property);
	refuse(property, "lock", "%s/./locks.so: step failed at the event 'lock'");
}

static void test_broken_c(void **state)
{
	(void)state;
	compile("nothing", "int nothing;\n");
	compile("old", "#include <sooth/monitor.h>\n"
		       "const struct sooth_monitor sooth_monitor = { .version = 77 };\n");
	compile("part", "#include <sooth/monitor.h>\n"
			"const struct sooth_monitor sooth_monitor = { .version = 1 };\n");
	refuse(PROPERTY("./nothing.so"), "",
	       "%s/./nothing.so: it does not define 'sooth_monitor' (sooth/monitor.h)");
	refuse(PROPERTY("./old.so"), "",
	       "%s/./old.so: it was built for version 77 of sooth/monitor.h, but this is version "
	       "1");
	refuse(PROPERTY("./part.so"), "", "%s/./part.so: its sooth_monitor has no 'init'");
	refuse(PROPERTY("./nowhere.so"), "", "%s/./nowhere.so: cannot open shared object file");
	refuse(PROPERTY("./locks.txt"), "", "%s/./locks.txt: a monitor must be a .so or a .lua");
}

/* ---- Lua ------------------------------------------------------------------------------------- */

static const char locks_lua[] =
	"local m = {}\n"
	"function m.init(about)\n"
	"	assert(about.property == 'P' and about.events[2] == 'unlock')\n"
	"	return { held = {}, bad = false }\n"
	"end\n"
	"function m.step(s, e)\n"
	"	if e.name == 'up' then s.held = {} return s end\n"
	"	local n = e.values[1]\n"
	"	assert(e.thread == 3 and e.identities[1] == n)\n"
	"	local locks = e.name == 'lock'\n"
	"	if (s.held[n] or false) == locks then s.bad = true end\n"
	"	s.held[n] = locks or nil\n"
	"	return s\n"
	"end\n"
	"function m.is_bad(s) return s.bad end\n"
	"function m.is_bad_at_end(s) return s.held[0] end\n"
	"return m\n";

static void test_lua(void **state)
{
	const char *property = PROPERTY("./locks.lua");

	(void)state;
	put("locks.lua", locks_lua);
	expect_locks(property);
}

/* If no state is left, nothing bad can follow. */
static void test_none(void **state)
{
	(void)state;
	put("none.lua", "return { init = function() return 1 end, step = function() end,\n"
			"	is_bad = function() return false end }\n");
	expect(PROPERTY("./none.lua"), "lock:1 lock:1", ".SS");
}

/* Two states after each event; equal states are merged. */
static void test_choice(void **state)
{
	struct made m;
	struct machine *machine;
	machine_states next = { 0 };
	struct err err;
	uint32_t first;

	(void)state;
	put("choice.lua", "return { init = function() return 0 end,\n"
			  "	step = function(s, e) return s, (s + 1) % 3 end,\n"
			  "	is_bad = function(s) return s == 2 end }\n");
	made_open(&m, PROPERTY("./choice.lua"));
	made_word(&m, "lock");
	machine = made_machine(&m, directory);
	first = machine->initial(machine->self);
	assert_true(machine->step(machine->self, first, m.word.items[0], &next, &err));
	assert_int_equal(next.count, 2);
	assert_true(next.items[0] == first || next.items[1] == first);
	first = next.items[0] == first ? next.items[1] : next.items[0];
	next.count = 0;
	assert_true(machine->step(machine->self, first, m.word.items[0], &next, &err));
	assert_int_equal(next.count, 2);
	assert_int_equal(machine->is_bad(machine->self, next.items[0]) +
				 machine->is_bad(machine->self, next.items[1]),
			 1);
	vec_free(&next);
	machine_close(machine);
	made_close(&m);
}

static void test_broken_lua(void **state)
{
	(void)state;
	put("syntax.lua", "return {\n");
	put("number.lua", "return 1\n");
	put("part.lua",
	    "return { init = function() return 1 end, step = function(s) return s end }\n");
	put("error.lua", "return { init = function() return 1 end, is_bad = function() end,\n"
			 "	step = function(s, e) return s.held.x end }\n");
	put("nil.lua", "return { init = function() end, is_bad = function() end,\n"
		       "	step = function(s) return s end }\n");
	put("closure.lua", "return { init = function() return { print } end,\n"
			   "	is_bad = function() end, step = function(s) return s end }\n");
	put("loop.lua", "return { init = function() return 1 end, is_bad = function() end,\n"
			"	step = function(s) while true do end end }\n");
	put("cycle.lua", "return { init = function() local t = {} t.t = t return t end,\n"
			 "	is_bad = function() end, step = function(s) return s end }\n");
	refuse(PROPERTY("./syntax.lua"), "", "%s/./syntax.lua:2: unexpected symbol near <eof>");
	refuse(PROPERTY("./number.lua"), "",
	       "it does not return a table with init, step and is_bad");
	refuse(PROPERTY("./part.lua"), "", "%s/./part.lua: its table has no function 'is_bad'");
	refuse(PROPERTY("./error.lua"), "lock", "error.lua:2: attempt to index a number value");
	refuse(PROPERTY("./nil.lua"), "", "%s/./nil.lua: a state is nil");
	refuse(PROPERTY("./closure.lua"), "", "a state with a function in it needs a key()");
	refuse(PROPERTY("./loop.lua"), "lock", "the function runs too long");
	refuse(PROPERTY("./cycle.lua"), "", "a state is nested too deeply");
	refuse(PROPERTY("./nowhere.lua"), "", "cannot open %s/./nowhere.lua");
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", directory);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),      cmocka_unit_test(test_broken_c),
		cmocka_unit_test(test_lua),    cmocka_unit_test(test_none),
		cmocka_unit_test(test_choice), cmocka_unit_test(test_broken_lua),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
