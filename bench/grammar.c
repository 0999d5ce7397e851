/*
 * bench/grammar: measures events per second of one word with 10^4, 10^5 and 10^6 events, with both
 * engines, and the peak resident memory for the longest word. Then measures how long it takes to
 * stop runaway Lua.
 *
 *	grammar				the table, with the goals
 *	grammar CASE EVENTS ll1|earley	one case, for a profiler
 *
 * Each measurement runs in a process of its own. Tokens are generated while they are parsed, so the
 * memory is that of the parser. A measurement that takes more than LONGEST seconds of processor
 * time is stopped and shown as "-".
 */
#include "grammar/word.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 10
#define ATTRIBUTES 8u /* more than any event has */

#define EVENTS                                                                                     \
	"event a = call fa(x); event b = call fb(x); event c = call fc(x);"                        \
	"event push = call push(x); event pop = call pop(x); event end_ = call end(x) reset;"

struct token { /* an event's name, and the values of its attributes x (or m) and tid */
	const char *event;
	int64_t x, tid;
};
typedef struct token make_token(uint64_t i, uint64_t count);

struct row {
	const char *name, *text;
	make_token *make;
	double goal; /* events per second with LL(1) */
};

/* ---- words ----------------------------------------------------------------------------------- */

static struct token flat(uint64_t i, uint64_t count)
{
	static const char *const names[] = { "a", "b", "a", "a", "b", "c", "b" };

	(void)count;
	return (struct token){ names[i % 7], (int64_t)(i % 5), 1 };
}

static struct token with_reset(uint64_t i, uint64_t count)
{
	return i % 100 == 99 ? (struct token){ "end_", 1, 1 } : flat(i, count);
}

static struct token nested(uint64_t i, uint64_t count)
{
	uint64_t half = count / 2;

	return i < half ? (struct token){ "push", (int64_t)i, 1 }
			: (struct token){ "pop", (int64_t)(count - 1 - i), 1 };
}

/* Returns 25 pushes, then 25 pops, and so on. */
static struct token shallow(uint64_t i, uint64_t count)
{
	(void)count;
	return nested(i % 50, 50);
}

static struct token pairs(uint64_t i, uint64_t count)
{
	(void)count;
	return (struct token){ i % 2 ? "end_" : "a", (int64_t)(i / 2 % 5), 1 };
}

/* Three threads and two locks, repeatedly: threads wait for each other, but never in a cycle. */
static struct token locks(uint64_t i, uint64_t count)
{
	static const struct token tokens[] = {
		{ "req", 7, 1 }, { "acq", 7, 1 }, { "req", 7, 2 }, { "req", 8, 1 },
		{ "acq", 8, 1 }, { "rel", 8, 1 }, { "rel", 7, 1 }, { "acq", 7, 2 },
		{ "req", 7, 3 }, { "rel", 7, 2 }, { "acq", 7, 3 }, { "rel", 7, 3 },
	};

	(void)count;
	return tokens[i % 12];
}

#define NO_DEADLOCK                                                                                \
	"property NoDeadlock { view global; event req = call pthread_mutex_lock(x);"               \
	"event acq = return pthread_mutex_lock(x) = 0; event rel = call pthread_mutex_unlock(x);"  \
	"grammar (want = {}, held = {}) {"                                                         \
	" S : req { want[req.tid] = req.x } S"                                                     \
	" | acq { want[acq.tid] = nil; bump(held, acq.tid, acq.x, 1) } S"                          \
	" | rel { bump(held, rel.tid, rel.x, -1) } S"                                              \
	" | { g = graph() for t, m in pairs(want) do for u, h in pairs(held) do"                   \
	"     if u ~= t and h[m] then g:edge(t, u) end end end } assert(g.acyclic) ; } }"

static const struct row rows[] = {
	{ "right-recursive", "property P {" EVENTS "grammar { S : a S | b S | c S | ; } }", flat,
	  1e6 },
	{ "left-recursive", "property P {" EVENTS "grammar { S : S a | S b | S c | ; } }", flat,
	  0 },
	{ "reset at 100", "property P {" EVENTS "grammar { S : T end_; T : a T | b T | c T | ; } }",
	  with_reset, 1e6 },
	{ "nested, 25 deep",
	  "property P { view global until end;" EVENTS "grammar { S : push S pop S | ; } }",
	  shallow, 1e6 },
	{ "nested, all deep",
	  "property P { view global until end;" EVENTS "grammar { S : push S pop S | ; } }", nested,
	  1e6 },
	{ "action",
	  "property P {" EVENTS "grammar (n = 0) { S : a { n = n + a.x } S | b { n = n - b.x } S"
	  " | c { n = 0 } S | ; } }",
	  flat, 3e5 },
	{ "assertion",
	  "property P {" EVENTS
	  "grammar { S : a assert(a.x >= 0) S | b assert(b.x < 5 && b.tid == 1) S"
	  " | c assert(c.x != 7) S | ; } }",
	  flat, 3e5 },
	{ "action, reset at 100",
	  "property P {" EVENTS "grammar (n = 0) { S : T end_ { S.n = n } ; T : a { n = n + a.x } T"
	  " | b { n = n - b.x } T | c T | ; } }",
	  with_reset, 3e5 },
	{ "pairs, reset at 2",
	  "property P {" EVENTS
	  "grammar { S : a end_ assert(a.tid == end_.tid && a.x == end_.x) ; } }",
	  pairs, 3e5 },
	{ "nested, attributes",
	  "property P { view global until end;" EVENTS
	  "grammar { S : push { inner.d = (S.d or 0) + 1 } inner=S pop"
	  " assert(push.x == pop.x && inner.d > 0) S | ; } }",
	  shallow, 3e5 },
	{ "all deep, attributes",
	  "property P { view global until end;" EVENTS
	  "grammar { S : push { inner.d = (S.d or 0) + 1 } inner=S pop"
	  " assert(push.x == pop.x && inner.d > 0) S | ; } }",
	  nested, 3e5 },
	{ "NoDeadlock", NO_DEADLOCK, locks, 3e5 },
};
#define ROWS (sizeof rows / sizeof *rows)

/* ---- one measurement ------------------------------------------------------------------------- */

/*
 * Returns processor time, so that other processes do not count. Uses the clock of the thread: while
 * there is a limit on processor time, the clock of the process advances only in ticks.
 */
static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void stop(const char *what)
{
	fprintf(stderr, "bench/grammar: %s\n", what);
	exit(1);
}

struct opened {
	struct grammar *grammar;
	struct grammar_parser *parser;
};

static struct opened open_text(const char *text, bool earley)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("bench.prop", text, &messages);
	struct opened opened = { 0 };
	struct err err;

	if (file)
		opened.grammar =
			grammar_open(file, file->properties, file->properties->formulas, &messages);
	if (!opened.grammar)
		stop(messages.list.items[0].shown);
	opened.parser = grammar_parser_open(opened.grammar, earley, NULL, &err);
	if (!opened.parser)
		stop(err.text);
	return opened;
}

static struct grammar_word *open_word(const struct opened *opened)
{
	struct err err;
	struct grammar_word *word = grammar_word_open(opened->parser, &err);

	if (!word)
		stop(err.text);
	return word;
}

/* An event of the grammar, and the indices of its attributes x and tid. */
struct shape {
	const char *name;
	uint32_t event, x, tid;
};

static struct shape find_shape(const struct grammar *grammar, const char *name)
{
	struct shape shape = { name, 0, GRAMMAR_NONE, GRAMMAR_NONE };
	const struct grammar_event *event;

	while (strcmp(grammar->names[shape.event], name))
		shape.event++;
	event = &grammar->events[shape.event];
	if (event->attribute_count > ATTRIBUTES)
		stop("more attributes than expected");
	for (uint32_t a = 0; a < event->attribute_count; a++) {
		if (!strcmp(event->attributes[a], "x"))
			shape.x = a;
		if (!strcmp(event->attributes[a], "tid"))
			shape.tid = a;
	}
	return shape;
}

/*
 * Returns the cached shape of an event. Names are compared as pointers: each name is one string
 * literal of this file.
 */
static const struct shape *shape_of(const struct grammar *grammar, const char *name)
{
	static struct shape known[16];
	static unsigned count;

	for (unsigned i = 0; i < count; i++) {
		if (known[i].name == name)
			return &known[i];
	}
	if (count == sizeof known / sizeof *known)
		stop("more events than expected");
	known[count] = find_shape(grammar, name);
	return &known[count++];
}

static struct grammar_token fill(const struct shape *shape, const struct token *from,
				 struct script_value *values)
{
	if (shape->x != GRAMMAR_NONE)
		values[shape->x] =
			(struct script_value){ .type = SCRIPT_INTEGER, .integer = from->x };
	if (shape->tid != GRAMMAR_NONE)
		values[shape->tid] =
			(struct script_value){ .type = SCRIPT_INTEGER, .integer = from->tid };
	return (struct grammar_token){ shape->event, values };
}

/* Returns the seconds that a word of `count` events takes. */
static double walk(const struct row *row, uint64_t count, bool earley)
{
	struct opened opened = open_text(row->text, earley);
	struct script_value values[ATTRIBUTES] = { 0 };
	struct grammar_violation violation = { 0 };
	enum grammar_verdict verdict;
	struct grammar_word *word = open_word(&opened);
	double start = seconds_now();

	for (uint64_t i = 0; i < count; i++) {
		struct token token = row->make(i, count);
		struct grammar_token filled =
			fill(shape_of(opened.grammar, token.event), &token, values);

		verdict = grammar_word_take(word, &filled, &violation);
		if (verdict != GRAMMAR_OPEN)
			stop(violation.why ? violation.why : "a right word is found wrong");
	}
	if (grammar_word_end(word, &violation) != GRAMMAR_OPEN)
		stop("a right word is found wrong at its end");
	return seconds_now() - start;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct measured {
	double seconds; /* negative: the measurement was stopped */
	long peak;	/* KiB */
};

static struct measured measure(const struct row *row, uint64_t count, bool earley)
{
	struct measured measured = { -1, 0 };
	struct rusage usage;
	int ends[2], status;
	pid_t child;

	if (pipe(ends))
		stop("no pipe");
	fflush(stdout);
	child = fork();
	if (child < 0)
		stop("no process");
	if (child == 0) {
		double seconds;

		setrlimit(RLIMIT_CPU, &(struct rlimit){ LONGEST, LONGEST + 1 });
		seconds = walk(row, count, earley);
		_exit(write(ends[1], &seconds, sizeof seconds) != sizeof seconds);
	}
	close(ends[1]);
	if (read(ends[0], &measured.seconds, sizeof measured.seconds) != sizeof measured.seconds)
		measured.seconds = -1;
	close(ends[0]);
	wait4(child, &status, 0, &usage);
	if (!WIFSIGNALED(status) && (!WIFEXITED(status) || WEXITSTATUS(status)))
		exit(1);
	measured.peak = usage.ru_maxrss;
	return measured;
}

static void show_row(const struct row *row, bool earley)
{
	static const uint64_t counts[] = { 10000, 100000, 1000000 };
	struct measured all[3];

	for (unsigned i = 0; i < 3; i++) {
		all[i] = (struct measured){ -1, 0 };
		if (i == 0 || all[i - 1].seconds >= 0)
			all[i] = measure(row, counts[i], earley);
	}
	printf("%-21s %-7s", row->name, earley ? "Earley" : "LL(1)");
	for (unsigned i = 0; i < 3; i++) {
		if (all[i].seconds < 0)
			printf(" %11s", "-");
		else
			printf(" %11.0f", (double)counts[i] / all[i].seconds);
	}
	for (unsigned i = 0; i < 3; i++) {
		if (all[i].seconds < 0)
			printf(" %7s", "-");
		else
			printf(" %7.1f", (double)all[i].peak / 1024);
	}
	if (!earley && row->goal > 0 && all[2].seconds >= 0)
		printf("   %.1f of the goal", 1e6 / all[2].seconds / row->goal);
	printf("\n");
}

/*
 * ---- copies and keys, as a lattice of runs needs them
 * -----------------------------------------------------
 */

/*
 * Measures what a lattice of runs does with words: copy a word, let the copy take one event, make
 * its key, and free the copy.
 */
static void show_copies(const struct row *row, uint64_t at)
{
	const uint64_t times = 100000;
	struct opened opened = open_text(row->text, false);
	struct grammar_word *word = open_word(&opened), *copy = NULL;
	struct script_value values[ATTRIBUTES] = { 0 };
	struct grammar_violation violation = { 0 };
	script_buffer key = { 0 };
	struct err err;
	double start = 0;

	for (uint64_t i = 0; i < times + at; i++) {
		struct token token = row->make(i < at ? i : at, 1000000);
		struct shape shape = find_shape(opened.grammar, token.event);
		struct grammar_token filled = fill(&shape, &token, values);

		if (i == at)
			start = seconds_now();
		if (i >= at)
			copy = grammar_word_copy(word, &err);
		if (grammar_word_take(i < at ? word : copy, &filled, &violation) != GRAMMAR_OPEN)
			stop("a right word is found wrong");
		if (i < at)
			continue;
		key.count = 0;
		if (!grammar_word_key(copy, &key, &err))
			stop(err.text);
		grammar_word_close(copy);
	}
	printf("%-21s %7.0f ns   after %" PRIu64 " events, a key of %zu bytes\n", row->name,
	       (seconds_now() - start) / (double)times * 1e9, at, key.count);
	vec_free(&key);
	grammar_word_close(word);
	grammar_parser_close(opened.parser);
}

/*
 * ---- runaway Lua
 * -------------------------------------------------------------------------------------------
 */

static const struct {
	const char *name, *action;
} runaways[] = {
	{ "endless loop", "while true do end" },
	{ "endless recursion", "local function f() return 1 + f() end f()" },
	{ "endless table", "local t = {} while true do t[#t + 1] = {} end" },
	{ "endless text", "local s = 'x' while true do s = s .. s end" },
	{ "string.rep", "local s = string.rep('x', 1 << 40)" },
	{ "loop in C",
	  "local t = {} for i = 1, 100000 do t[i] = -i end while true do table.sort(t) end" },
};

static void show_runaway(unsigned i)
{
	char text[512];
	struct opened opened;
	struct script_value values[ATTRIBUTES] = { 0 };
	struct grammar_token token = { 0, values };
	struct grammar_violation violation = { 0 };
	struct grammar_word *word;
	double start;

	snprintf(text, sizeof text,
		 "property P { event a = call fa(x); grammar { S : a { %s } S | ; } }",
		 runaways[i].action);
	opened = open_text(text, false);
	word = open_word(&opened);
	start = seconds_now();
	if (grammar_word_take(word, &token, &violation) != GRAMMAR_BROKEN)
		stop("Lua that runs away is not stopped");
	printf("%-21s %7.3f s   %s\n", runaways[i].name, seconds_now() - start, violation.why);
	grammar_violation_free(&violation);
	grammar_word_close(word);
	grammar_parser_close(opened.parser);
}

int main(int argc, char **argv)
{
	if (argc == 4) {
		uint64_t count = strtoull(argv[2], NULL, 0);

		for (unsigned r = 0; r < ROWS; r++) {
			if (!strcmp(rows[r].name, argv[1]))
				printf("%.0f events/s\n",
				       (double)count / walk(&rows[r], count, argv[3][0] == 'e'));
		}
		return 0;
	}
	printf("%-29s %35s %23s\n", "", "events/s of a word of", "peak MiB");
	printf("%-21s %-7s %11s %11s %11s %7s %7s %7s\n", "grammar", "engine", "10^4", "10^5",
	       "10^6", "10^4", "10^5", "10^6");
	for (unsigned r = 0; r < ROWS; r++) {
		if (rows[r].goal > 0)
			show_row(&rows[r], false);
		show_row(&rows[r], true);
	}
	printf("\nA copy that takes an event, and its key\n");
	for (unsigned r = 0; r < ROWS; r++) {
		if (rows[r].goal > 0)
			show_copies(&rows[r], 43);
	}
	printf("\nLua that runs away is stopped after\n");
	for (unsigned i = 0; i < sizeof runaways / sizeof *runaways; i++)
		show_runaway(i);
	return 0;
}
