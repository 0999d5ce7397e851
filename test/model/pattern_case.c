#include "pattern_case.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---------------------------------------------------------------------------------- */

#define MOST_TREES 200000

static struct tree trees[MOST_TREES];
static int tree_count;

struct tree *tree_new(enum operator operator)
{
	struct tree *tree = &trees[tree_count];

	if (tree_count + 1 < MOST_TREES)
		tree_count++;
	*tree = (struct tree){
		.operator= operator, .thread = - 1, .begins = -1, .ends = -1, .leaf = -1
	};
	return tree;
}

/* ---- words ---------------------------------------------------------------------------------- */

struct input {
	char *text;
	struct pattern_case *out;
	char threads[8][16], regions[8][16];
	bool bad;
};

static void fail(struct input *in, const char *what)
{
	if (!in->bad)
		snprintf(in->out->error, sizeof in->out->error, "%s at '%.40s'", what, in->text);
	in->bad = true;
}

static void skip(struct input *in)
{
	while (isspace((unsigned char)*in->text))
		in->text++;
}

static bool take(struct input *in, const char *sign)
{
	skip(in);
	if (strncmp(in->text, sign, strlen(sign)))
		return false;
	in->text += strlen(sign);
	return true;
}

static void expect(struct input *in, const char *sign)
{
	if (!take(in, sign))
		fail(in, sign);
}

static void word(struct input *in, char *out)
{
	int length = 0;

	skip(in);
	while ((isalnum((unsigned char)*in->text) || *in->text == '_') && length < 15)
		out[length++] = *in->text++;
	out[length] = 0;
	if (!length)
		fail(in, "a name");
}

static int number_of(char names[][16], int *count, const char *name)
{
	for (int i = 0; i < *count; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	strcpy(names[*count], name);
	return (*count)++;
}

/* ---- patterns ------------------------------------------------------------------------------- */

static struct tree *parse_pattern(struct input *in);

static struct tree *parse_leaf(struct input *in)
{
	struct tree *tree = tree_new(LEAF);
	struct pattern_case *c = in->out;
	char name[16];

	word(in, name);
	tree->event = -1;
	for (int i = 0; i < c->event_count; i++) {
		if (!strcmp(c->events[i].name, name))
			tree->event = i;
	}
	if (tree->event < 0)
		fail(in, "an event");
	if (*in->text != '(')
		return tree;
	in->text++;
	word(in, name);
	tree->thread = number_of(in->threads, &c->thread_count, name);
	while (take(in, ",")) {
		bool begins = take(in, "<");

		if (!begins)
			expect(in, ">");
		word(in, name);
		*(begins ? &tree->begins : &tree->ends) =
			number_of(in->regions, &c->region_count, name);
	}
	expect(in, ")");
	return tree;
}

static struct tree *wrap(enum operator operator, struct tree * part)
{
	struct tree *tree = tree_new(operator);

	tree->parts[tree->count++] = part;
	return tree;
}

static struct tree *parse_factor(struct input *in)
{
	struct tree *tree;

	if (take(in, "!"))
		return wrap(INVERTED, parse_factor(in));
	if (take(in, "(")) {
		tree = parse_pattern(in);
		expect(in, ")");
	} else {
		tree = parse_leaf(in);
	}
	for (;;) {
		if (*in->text == '*')
			tree = wrap(STAR, tree);
		else if (*in->text == '+')
			tree = wrap(PLUS, tree);
		else if (*in->text == '?')
			tree = wrap(MAYBE, tree);
		else
			return tree;
		in->text++;
	}
}

/* Parses one factor, or several with one operator between them. */
static struct tree *parse_pattern(struct input *in)
{
	struct tree *first = parse_factor(in), *tree = NULL;

	while (!in->bad) {
		enum operator operator= SEQUENCE;

		if (take(in, "||"))
			operator= PARALLEL;
		else if (take(in, "|"))
			operator= EITHER;
		else if (take(in, "&"))
			operator= BOTH;
		else if (skip(in), !*in->text || strchr(");", *in->text))
			break;
		if (!tree)
			tree = wrap(operator, first);
		if (tree->operator!= operator|| tree->count == MAX_PARTS)
			fail(in, "one operator");
		else
			tree->parts[tree->count++] = parse_factor(in);
	}
	return tree ? tree : first;
}

/* ---- events --------------------------------------------------------------------------------- */

static int parameter(struct input *in)
{
	char name[16];

	word(in, name);
	for (int i = 0; i < in->out->parameter_count; i++) {
		if (!strcmp(in->out->parameters[i], name))
			return i;
	}
	fail(in, "a parameter");
	return 0;
}

static void parse_event(struct input *in)
{
	struct named *e = &in->out->events[in->out->event_count++];
	static const struct {
		const char *word;
		enum point point;
	} locks[] = { { "request ", REQUESTS },
		      { "acquire ", ACQUIRES },
		      { "release ", RELEASES } };

	*e = (struct named){ .born = -1, .dead = -1 };
	word(in, e->name);
	expect(in, "=");
	if (take(in, "probe e:")) {
		word(in, e->word);
		expect(in, "(");
		do
			e->parameters[e->count++] = parameter(in);
		while (take(in, ","));
		expect(in, ")");
	} else if (take(in, "read ")) {
		e->point = READS;
		word(in, e->word);
	} else if (take(in, "write ")) {
		e->point = WRITES;
		word(in, e->word);
	} else if (take(in, "spawn")) {
		e->point = SPAWNS;
	} else if (take(in, "join")) {
		e->point = JOINS;
	}
	for (int i = 0; i < 3; i++) {
		if (!take(in, locks[i].word))
			continue;
		e->point = locks[i].point;
		e->parameters[e->count++] = parameter(in);
	}
	if (take(in, "new "))
		e->born = parameter(in);
	if (take(in, "end "))
		e->dead = parameter(in);
	expect(in, ";");
}

static void parse(struct input *in)
{
	char name[16];

	expect(in, "property");
	word(in, name);
	if (take(in, "(")) {
		do {
			if (!take(in, "void *"))
				expect(in, "mutex ");
			word(in, in->out->parameters[in->out->parameter_count++]);
		} while (take(in, ",") && in->out->parameter_count < MAX_PARAMETERS);
		expect(in, ")");
	}
	expect(in, "{");
	while (!in->bad && take(in, "event ") && in->out->event_count < MAX_NAMED)
		parse_event(in);
	expect(in, "pattern:");
	in->out->pattern = parse_pattern(in);
	expect(in, ";");
	expect(in, "}");
}

static char *read_whole(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!in)
		return NULL;
	if (getdelim(&text, &room, 0, in) < 0) {
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

bool case_read(const char *path, struct pattern_case *out)
{
	struct input in = { .out = out };
	char *text = read_whole(path);

	*out = (struct pattern_case){ 0 };
	tree_count = 0;
	if (!text)
		return snprintf(out->error, sizeof out->error, "cannot be read"), false;
	in.text = text;
	parse(&in);
	free(text);
	return !in.bad;
}

/* ---- the property's events in a trace -------------------------------------------------------- */

#define MAX_OBJECT_NAMES 16

/* The value that each name of a parameter has now, in the order of the lines. */
struct naming {
	struct {
		char name[16];
		int parameter, value; /* `value` is NO_VALUE if there is none yet */
	} known[MAX_OBJECT_NAMES];
	int count;
};

static int *slot_of(struct naming *n, int parameter, const char *name)
{
	for (int i = 0; i < n->count; i++) {
		if (n->known[i].parameter == parameter && !strcmp(n->known[i].name, name))
			return &n->known[i].value;
	}
	snprintf(n->known[n->count].name, sizeof n->known[0].name, "%s", name);
	n->known[n->count].parameter = parameter;
	n->known[n->count].value = NO_VALUE;
	return &n->known[n->count++].value;
}

/* Binds a parameter: first starts a new lifetime, then binds, then ends a lifetime. */
static int bind(struct pattern_case *c, struct naming *n, const struct named *e, int argument,
		const char *name, int event)
{
	int p = e->parameters[argument], *slot = slot_of(n, p, name), value;

	if (*slot == NO_VALUE || e->born == p) {
		c->values[c->value_count] = (struct value){ e->born == p ? event : -1, -1 };
		if (e->born == p && *slot != NO_VALUE && c->values[*slot].dead < 0)
			c->values[*slot].dead = event;
		*slot = c->value_count++;
	}
	value = *slot;
	if (e->dead == p) {
		c->values[value].dead = event;
		*slot = NO_VALUE;
	}
	return value;
}

/*
 * Splits an operation into the word before the parenthesis and the words inside. Returns the number
 * of words inside.
 */
static int split(char *operation, char **name, char *words[4])
{
	char *open = strchr(operation, '('), *close = open ? strchr(open, ')') : NULL;
	int count = 0;

	*name = operation;
	if (!close)
		return 0;
	*open = *close = 0;
	for (char *w = strtok(open + 1, ", "); w && count < 4; w = strtok(NULL, ", "))
		words[count++] = w;
	return count;
}

static bool takes(enum kind kind)
{
	return kind == ACQUIRE || kind == READ_ACQUIRE;
}

static bool gives(enum kind kind)
{
	return kind == RELEASE || kind == READ_RELEASE;
}

/* Is it the outermost acquire or release of a recursive lock? */
static bool is_outermost(const struct text *text, int event)
{
	const struct event *e = &text->events[event];
	int depth = 0;

	for (int i = 0; i < e->index; i++) {
		const struct event *o = &text->events[text->of[e->thread][i]];

		if (o->object == e->object)
			depth += takes(o->kind) - gives(o->kind);
	}
	return takes(e->kind) ? depth <= 0 : depth <= 1;
}

static bool is_pending(const struct text *text, int event)
{
	const struct event *e = &text->events[event];

	return (e->kind == REQUEST || e->kind == READ_REQUEST) &&
	       e->index + 1 == text->length[e->thread];
}

/*
 * Does the property event happen at this line? `words` are the words of the line; `*which` is the
 * index of the bound word.
 */
static bool fits(const struct text *text, const struct named *e, int event, const char *name,
		 char *words[4], int count, int *which)
{
	const struct event *t = &text->events[event];

	*which = 0;
	switch (e->point) {
	case PROBED: /* a probe without an application's name matches any application */
		return !strncmp(name, "probe ", 6) && count == e->count &&
		       !strcmp(name + (strncmp(name + 6, "e:", 2) ? 6 : 8), e->word);
	case READS: return (t->kind == READ || t->kind == UPDATE) && !strcmp(words[0], e->word);
	case WRITES: return (t->kind == WRITE || t->kind == UPDATE) && !strcmp(words[0], e->word);
	case SPAWNS: return t->kind == CREATE;
	case JOINS: return t->kind == JOIN;
	case REQUESTS:
		return is_pending(text, event) ||
		       (t->how == PLAIN && takes(t->kind) && is_outermost(text, event));
	case ACQUIRES:
		*which = t->kind == WOKEN;
		return (takes(t->kind) && is_outermost(text, event)) || t->kind == WOKEN;
	case RELEASES:
		*which = t->kind == WAIT;
		return (gives(t->kind) && is_outermost(text, event)) || t->kind == WAIT;
	}
	return false;
}

static void find_at(struct pattern_case *c, struct naming *n, const struct text *text, int event,
		    char *operation)
{
	char *name, *words[4] = { "", "", "", "" };
	int count = split(operation, &name, words), which;

	for (int i = 0; i < c->event_count; i++) {
		const struct named *e = &c->events[i];
		struct occurrence *o = &c->occurrences[c->occurrence_count];

		if (!fits(text, e, event, name, words, count, &which) ||
		    c->occurrence_count + 1 == MAX_OCCURRENCES)
			continue;
		*o = (struct occurrence){ .anchor = event,
					  .before = e->point == REQUESTS,
					  .may_be_next = e->point == READS &&
							 text->events[event].kind == READ,
					  .event = i,
					  .values = { NO_VALUE, NO_VALUE, NO_VALUE } };
		for (int k = 0; k < e->count; k++)
			o->values[e->parameters[k]] =
				bind(c, n, e, k, words[e->point == PROBED ? k : which], event);
		c->occurrence_count++;
	}
}

bool case_find(const char *trace, const struct text *text, struct pattern_case *out)
{
	char *whole = read_whole(trace), *line = whole;
	static struct naming names;
	int number = 0;

	names.count = 0;
	out->occurrence_count = out->value_count = 0;
	if (!whole)
		return false;
	while (line) {
		char *end = strchr(line, '\n'), *bar = strchr(line, '|'), *close;

		if (end)
			*end = 0;
		number++;
		close = bar ? strchr(bar + 1, '|') : NULL;
		for (int i = 0; close && i < text->event_count; i++) {
			if (text->events[i].line != number)
				continue;
			*close = 0;
			find_at(out, &names, text, i, bar + 1);
			break;
		}
		line = end ? end + 1 : NULL;
	}
	free(whole);
	return true;
}
