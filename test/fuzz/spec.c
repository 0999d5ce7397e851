/*
 * spec COUNT SEED FILE...   damaged property files through everything that reads them
 *
 * A mutant is one of the files with tokens dropped, duplicated, swapped, replaced, or taken from
 * another file, with bytes changed, or nested a thousand levels deep. Some mutants are words of the
 * language in random order, some are random bytes. Each mutant is parsed, checked with and without
 * a program, and explained in both ways, and its expressions are evaluated. Nothing may crash. A
 * file without errors must have a tree, and a file with errors must have none. The explanation of a
 * formula must parse again, and be explained in the same way. A mutant that fails is left as
 * failed-SEED-NUMBER.prop.
 *
 * Mutants run in a child process, many in a row. If the child dies, the parent knows which mutant
 * it was.
 */
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "grammar/grammar.h"
#include "spec/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define IN_A_ROW 5000
#define LIMIT_SECONDS 60 /* for one mutant, under sanitizers, on a busy machine */

struct progress {
	uint64_t next, good, refused, formulas, failures;
};

struct text {
	char *items;
	size_t count, room;
};

static VEC(struct text) files;

/* ---- chance ---------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t pick(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 20) % (below ? below : 1);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static const char *const vocabulary[] = {
	"property",
	"event",
	"pattern:",
	"ltl:",
	"ere:",
	"always",
	"never",
	"grammar",
	"monitor",
	"view",
	"on",
	"violation",
	"use",
	"with",
	"extern",
	"call",
	"exec",
	"return",
	"probe",
	"read",
	"write",
	"becomes",
	"request",
	"acquire",
	"release",
	"spawn",
	"join",
	"if",
	"holding",
	"reset",
	"new",
	"end",
	"prev",
	"once",
	"sofar",
	"since",
	"start",
	"next",
	"until",
	"eventually",
	"assert",
	"int",
	"string",
	"mutex",
	"addr",
	"struct",
	"void",
	"a",
	"b",
	"t1",
	"r1",
	"o",
	"f",
	"_",
	"{",
	"}",
	"(",
	")",
	"[",
	"]",
	";",
	",",
	":",
	"=",
	"=>",
	"->",
	"<=>",
	"||",
	"|",
	"&",
	"&&",
	"!",
	"~",
	"*",
	"+",
	"?",
	"<",
	">",
	"==",
	"<=",
	".",
	"...",
	"0",
	"1",
	"-1",
	"0x7fffffffffffffff",
	"1.5",
	"\"x\"",
	"'c'",
	"//",
	"/*",
	"*/",
	"--",
	"[[",
	"]]",
	"\"",
	"\\",
	"use_*",
	"app:x",
	"1e400",
	"99999999999999999999",
};
#define WORDS (sizeof vocabulary / sizeof *vocabulary)

static void add(struct text *t, const char *bytes, size_t count)
{
	if (!count)
		return;
	memcpy(vec_reserve(t, count), bytes, count);
	t->count += count;
}

/* Returns the length of the token at `at`, roughly: a word, a number, or one sign. */
static size_t token_length(const struct text *t, size_t at)
{
	size_t end = at;

	while (end < t->count && (isalnum((unsigned char)t->items[end]) || t->items[end] == '_'))
		end++;
	return end > at ? end - at : at < t->count;
}

static size_t token_start(const struct text *t)
{
	size_t at = pick((uint32_t)t->count);

	while (at < t->count && isspace((unsigned char)t->items[at]))
		at++;
	while (at > 0 && at < t->count && isalnum((unsigned char)t->items[at]) &&
	       isalnum((unsigned char)t->items[at - 1]))
		at--;
	return at;
}

static void replace(struct text *t, size_t at, size_t gone, const char *bytes, size_t count)
{
	struct text made = { 0 };

	add(&made, t->items, at);
	add(&made, bytes, count);
	add(&made, t->items + at + gone, t->count - at - gone);
	vec_free(t);
	*t = made;
}

static void nest(struct text *t)
{
	static const char *const pairs[][2] = { { "(", ")" },  { "!", "" },   { "{", "}" },
						{ "-", "" },   { "[", "]" },  { "", "*" },
						{ "1 +", "" }, { "", "=> 1" } };
	unsigned kind = pick(8), depth = 1 + pick(pick(8) ? 8 : 12000);
	size_t at = token_start(t), length = token_length(t, at);
	struct text made = { 0 };

	for (unsigned i = 0; i < depth; i++)
		add(&made, pairs[kind][0], strlen(pairs[kind][0]));
	add(&made, t->items + at, length);
	for (unsigned i = 0; i < depth; i++)
		add(&made, pairs[kind][1], strlen(pairs[kind][1]));
	replace(t, at, length, made.items, made.count);
	vec_free(&made);
}

static void splice(struct text *t)
{
	const struct text *other = &files.items[pick((uint32_t)files.count)];
	size_t from = pick((uint32_t)other->count), count = 1 + pick(300);

	if (count > other->count - from)
		count = other->count - from;
	size_t at = pick((uint32_t)t->count);
	replace(t, at, 0, other->items + from, count);
}

static void damage(struct text *t)
{
	size_t at = token_start(t), length = token_length(t, at);
	const char *word = vocabulary[pick(WORDS)];

	switch (pick(9)) {
	case 0: replace(t, at, length, "", 0); break;
	case 1: replace(t, at, length, word, strlen(word)); break;
	case 2: replace(t, at, 0, word, strlen(word)); break;
	case 3: /* a token from another place of the file */ {
		size_t from = token_start(t);
		char *copy = mem_copy_text(t->items + from, token_length(t, from));

		replace(t, at, length, copy, strlen(copy));
		free(copy);
		break;
	}
	case 4:
		if (at < t->count)
			t->items[at] = (char)(1 + pick(255));
		break;
	case 5: nest(t); break;
	case 6: splice(t); break;
	case 7: t->count = at; break;
	default: replace(t, at, 0, " ", 1);
	}
}

/* Takes a whole file, its end, or one property of it. */
static void take_piece(struct text *t, const struct text *file)
{
	size_t from = pick(3) ? 0 : pick((uint32_t)file->count), to = file->count;
	char *copy = mem_copy_text(file->items, file->count);

	if (pick(2)) {
		char *start = strstr(copy + pick((uint32_t)file->count), "\nproperty");
		char *end = start ? strstr(start + 1, "\nproperty") : NULL;

		from = start ? (size_t)(start - copy) : from;
		to = end ? (size_t)(end - copy) : to;
	}
	add(t, copy + from, to - from);
	free(copy);
}

static void make(struct text *t, uint64_t seed, uint64_t number)
{
	random_state = (seed + 1) * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xbf58476d1ce4e5b9u;
	pick(1);
	unsigned kind = pick(16);
	if (kind == 0) {
		for (unsigned n = pick(400); n; n--)
			*vec_push(t) = (char)(1 + pick(255));
	} else if (kind == 1) {
		for (unsigned n = pick(400); n; n--) {
			const char *word = vocabulary[pick(WORDS)];

			add(t, word, strlen(word));
			add(t, pick(4) ? " " : "\n", pick(3) != 0);
		}
	} else {
		take_piece(t, &files.items[pick((uint32_t)files.count)]);
		for (unsigned n = pick(6); n; n--)
			damage(t);
	}
	*vec_push(t) = 0;
	t->count = strlen(t->items);
}

/* ---- what is done with it -------------------------------------------------------------------- */

static bool has_some(void *context, const char *name)
{
	(void)context;
	return strlen(name) & 1;
}

static bool has_global(void *context, const char *name, uint8_t *type)
{
	*type = SPEC_INT;
	return has_some(context, name);
}

static bool has_field(void *context, const char *type, const char *path)
{
	return type[0] && has_some(context, path);
}

static bool has_function(void *context, const char *library, const char *glob, int *parameters)
{
	*parameters = (int)(strlen(glob) % 4) - 1;
	return !library && has_some(context, glob);
}

static const char *nearest(void *context, enum spec_point_kind kind, const char *name)
{
	(void)context, (void)kind;
	return name[0] == 'a' ? "alpha" : NULL;
}

static const struct spec_names program = { .global = has_global,
					   .field = has_field,
					   .function = has_function,
					   .nearest = nearest,
					   .probe = has_some };

static struct spec_value some_value(void)
{
	struct spec_value v = { .type = (uint8_t)pick(4),
				.number = (int64_t)pick(7) - 3,
				.real = pick(5) / 2.0,
				.text = "select",
				.length = pick(7),
				.cut = pick(2) };

	if (pick(8) == 0)
		v.number = INT64_MIN + (int64_t)pick(2);
	return v;
}

static struct spec_value any_global(void *context, const struct spec_expr *expr)
{
	(void)context, (void)expr;
	return some_value();
}

static void evaluate(const struct spec_property *p, const struct spec_event *e,
		     const struct spec_expr *expr)
{
	struct spec_value *values = mem_zalloc(p->parameter_count + e->local_count, sizeof *values);
	struct spec_scope scope = { .parameters = values,
				    .locals = values + p->parameter_count,
				    .global = any_global };

	for (uint32_t i = 0; i < p->parameter_count + e->local_count; i++)
		values[i] = some_value();
	if (spec_evaluate(expr, &scope).type > SPEC_VALUE_TEXT)
		abort();
	free(values);
}

static void evaluate_all(const struct spec_file *file)
{
	for (const struct spec_property *p = file->properties; p; p = p->next)
		for (uint32_t i = 0; i < p->event_count; i++)
			for (const struct spec_point *point = p->events[i].points; point;
			     point = point->next)
				if (point->filter)
					evaluate(p, &p->events[i], point->filter);
}

/* Does the line that ends at `end` look like " 7. ltl: …"? */
static bool is_ltl(const char *text, const char *end)
{
	while (end > text && end[-1] != '\n')
		end--;
	end += strspn(end, " .0123456789");
	return !strncmp(end, "ltl:", 4);
}

/*
 * Parses the text after "read as: " of each formula as a file of its own. It must be explained in
 * the same way again.
 */
static bool reads_again(const char *explained, bool *any)
{
	static const char mark[] = "\n     read as: ";
	const char *line = strstr(explained, mark);
	struct spec_messages messages = { 0 };
	bool same = true;

	while (line && same) {
		line += sizeof mark - 1;
		size_t length = strcspn(line, "\n");
		bool statement = !is_ltl(explained, line - sizeof mark + 1);
		char *text;

		if (asprintf(&text, "property P { %s %.*s; }", statement ? "" : "ltl:", (int)length,
			     line) < 0)
			abort();
		struct spec_file *file = spec_parse("again", text, &messages);
		/*
		 * words that were events, or keywords of `ere:`, are variables in the new file:
		 * only formulas can be compared
		 */
		if (file) {
			char *again = spec_explain(file, false, NULL), *at = strstr(again, mark);

			same = at && strcspn(at + sizeof mark - 1, "\n") == length &&
			       !strncmp(at + sizeof mark - 1, line, length);
			*any = true;
			free(again);
		}
		spec_free(file);
		free(text);
		line = strstr(line, mark);
	}
	spec_messages_free(&messages);
	return same;
}

/* Opens each grammar: it must have either tables or errors. */
static bool open_grammars(const struct spec_file *file)
{
	FILE *nowhere = fopen("/dev/null", "w");
	bool right = nowhere;

	for (const struct spec_property *p = file->properties; p; p = p->next)
		for (const struct spec_formula *f = p->formulas; f; f = f->next) {
			struct spec_messages messages = { 0 };
			struct grammar *g;

			if (f->formalism != SPEC_GRAMMAR || !nowhere)
				continue;
			g = grammar_open(file, p, f, &messages);
			right &= (g != NULL) == !messages.errors;
			if (g) {
				grammar_draw(nowhere, g, false, 0);
				grammar_draw(nowhere, g, true, 0);
			}
			grammar_close(g);
			spec_messages_free(&messages);
		}
	if (nowhere)
		fclose(nowhere);
	return right;
}

static bool judge(const struct text *t, struct progress *progress)
{
	struct spec_messages messages = { 0 }, notes = { 0 };
	struct spec_file *file = spec_parse("mutant", t->items, &messages);
	bool right = (file != NULL) == !messages.errors, formulas = false;

	for (size_t i = 0; i < messages.list.count; i++)
		right &= messages.list.items[i].text[0] && messages.list.items[i].shown[0];
	if (file) {
		char *text = spec_explain(file, false, NULL),
		     *graph = spec_explain(file, true, NULL);

		spec_check(file, NULL, &notes);
		right &= !notes.errors;
		spec_check(file, &program, &notes);
		evaluate_all(file);
		right &= open_grammars(file);
		right &= reads_again(text, &formulas);
		free(text);
		free(graph);
	}
	progress->good += file != NULL;
	progress->refused += file == NULL;
	progress->formulas += formulas;
	spec_free(file);
	spec_messages_free(&messages);
	spec_messages_free(&notes);
	return right;
}

/* ---- processes ------------------------------------------------------------------------------- */

static void keep(uint64_t seed, uint64_t number, const char *why)
{
	struct text t = { 0 };
	char name[64];
	struct err err;

	make(&t, seed, number);
	snprintf(name, sizeof name, "failed-%lu-%lu.prop", (unsigned long)seed,
		 (unsigned long)number);
	if (!file_write(name, t.items, t.count, &err))
		fprintf(stderr, "spec: %s\n", err.text);
	printf("%s: %s\n", name, why);
	vec_free(&t);
}

static void run(struct progress *progress, uint64_t count, uint64_t seed)
{
	for (unsigned n = 0; n < IN_A_ROW && progress->next < count; n++) {
		struct text t = { 0 };

		alarm(LIMIT_SECONDS);
		make(&t, seed, progress->next);
		if (!judge(&t, progress)) {
			keep(seed, progress->next,
			     "tree and messages do not fit, or it is read otherwise again");
			progress->failures++;
		}
		vec_free(&t);
		progress->next++;
	}
}

int main(int argc, char **argv)
{
	struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t count = argc > 3 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct file_view view;
	struct err err;
	int status;

	if (progress == MAP_FAILED || argc < 4)
		return fprintf(stderr, "usage: spec COUNT SEED FILE...\n"), 2;
	for (int i = 3; i < argc; i++) {
		if (!file_map(argv[i], &view, &err))
			return fprintf(stderr, "spec: %s\n", err.text), 2;
		struct text t = { 0 };
		add(&t, (const char *)view.data, view.size);
		*vec_push(&files) = t;
		file_unmap(&view);
	}
	while (progress->next < count) {
		fflush(stdout);
		pid_t child = fork();
		if (!child) {
			run(progress, count, seed);
			fflush(stdout);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			return perror("spec"), 2;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			keep(seed, progress->next++,
			     WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "died");
			progress->failures++;
		}
	}
	printf("%lu mutants: %lu good, %lu refused, %lu with formulas read again, %lu failures\n",
	       (unsigned long)count, (unsigned long)progress->good,
	       (unsigned long)progress->refused, (unsigned long)progress->formulas,
	       (unsigned long)progress->failures);
	return progress->failures != 0;
}
