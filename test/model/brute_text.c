#include "brute_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 64
#define FIRST_ADDRESS (1ull << 47)
#define SPACING 65536ull

/* The kinds of arguments that an operation can have. */
enum shape { BARE, ACCESS, OBJECT, NUMBERED, PAIR, THREAD, HOST, BLOCK, FILE_NUMBER, WRONG };

struct row {
	const char *name, *result; /* `result` is NULL if the operation has none */
	enum kind kind;
	enum shape shape;
	enum class class;
	enum how how;
};

static const struct row rows[] = {
	{ "r", NULL, READ, ACCESS, MEMORY, PLAIN },
	{ "w", NULL, WRITE, ACCESS, MEMORY, PLAIN },
	{ "ra", NULL, READ, ACCESS, MEMORY, PLAIN },
	{ "wa", NULL, WRITE, ACCESS, MEMORY, PLAIN },
	{ "u", NULL, UPDATE, ACCESS, MEMORY, PLAIN },
	{ "alloc", NULL, ALLOC, BLOCK, MEMORY, PLAIN },
	{ "free", NULL, FREE, BLOCK, MEMORY, PLAIN },
	{ "map", NULL, MAP, BLOCK, MEMORY, PLAIN },
	{ "unmap", NULL, UNMAP, BLOCK, MEMORY, PLAIN },
	{ "fdopen", NULL, FD_OPEN, FILE_NUMBER, MEMORY, PLAIN },
	{ "fdclose", NULL, FD_CLOSE, FILE_NUMBER, MEMORY, PLAIN },
	{ "fduse", NULL, FD_USE, FILE_NUMBER, MEMORY, PLAIN },
	{ "send", NULL, SEND, OBJECT, CHANNEL, PLAIN },
	{ "send", "told", SEND, OBJECT, CHANNEL, PLAIN },
	{ "send", "deaf", SEND, OBJECT, CHANNEL, TRY },
	{ "receive", NULL, RECEIVE, OBJECT, CHANNEL, PLAIN },
	{ "receive", "told", RECEIVE, OBJECT, CHANNEL, PLAIN },
	{ "receive", "nothing", RECEIVE, OBJECT, CHANNEL, TRY },
	{ "misuse", NULL, MISUSE, WRONG, MEMORY, PLAIN },
	{ "sync", NULL, SYNC, BARE, MEMORY, PLAIN },
	{ "opaque", NULL, SYNC, BARE, MEMORY, PLAIN },
	{ "fence", NULL, NOTHING, BARE, MEMORY, PLAIN },
	{ "detach", NULL, DETACH, THREAD, MEMORY, PLAIN },
	{ "fork", NULL, CREATE, THREAD, MEMORY, PLAIN },
	{ "join", NULL, JOIN, THREAD, MEMORY, PLAIN },
	{ "jreq", NULL, JOIN_REQUEST, THREAD, MEMORY, PLAIN },
	{ "handler", NULL, HANDLER, HOST, MEMORY, PLAIN },
	{ "handlerend", NULL, HANDLER, BARE, MEMORY, PLAIN },
	{ "begin", NULL, BEGIN, BARE, MEMORY, PLAIN },
	{ "end", NULL, END, BARE, MEMORY, PLAIN },
	{ "init", "normal", LOCK_INIT, OBJECT, LOCK, PLAIN },
	{ "init", "recursive", LOCK_INIT, OBJECT, LOCK, PLAIN },
	{ "init", "errorcheck", LOCK_INIT, OBJECT, LOCK, PLAIN },
	{ "init", "robust", LOCK_INIT, OBJECT, LOCK, PLAIN },
	{ "init", "rw", LOCK_INIT, OBJECT, LOCK, PLAIN },
	{ "destroy", NULL, LOCK_DESTROY, OBJECT, LOCK, PLAIN },
	{ "req", NULL, REQUEST, OBJECT, LOCK, PLAIN },
	{ "acq", NULL, ACQUIRE, OBJECT, LOCK, PLAIN },
	{ "acq", "timed", ACQUIRE, OBJECT, LOCK, TIMED },
	{ "tryacq", "1", ACQUIRE, OBJECT, LOCK, TRY },
	{ "tryacq", "0", ACQUIRE_FAIL, OBJECT, LOCK, TRY },
	{ "tryacq", "timeout", ACQUIRE_FAIL, OBJECT, LOCK, TIMED },
	{ "rel", NULL, RELEASE, OBJECT, LOCK, PLAIN },
	{ "rreq", NULL, READ_REQUEST, OBJECT, LOCK, PLAIN },
	{ "racq", NULL, READ_ACQUIRE, OBJECT, LOCK, PLAIN },
	{ "racq", "timed", READ_ACQUIRE, OBJECT, LOCK, TIMED },
	{ "tryracq", "1", READ_ACQUIRE, OBJECT, LOCK, TRY },
	{ "tryracq", "0", READ_FAIL, OBJECT, LOCK, TRY },
	{ "tryracq", "timeout", READ_FAIL, OBJECT, LOCK, TIMED },
	{ "rrel", NULL, READ_RELEASE, OBJECT, LOCK, PLAIN },
	{ "cinit", NULL, COND_INIT, OBJECT, CONDITION, PLAIN },
	{ "cdestroy", NULL, COND_DESTROY, OBJECT, CONDITION, PLAIN },
	{ "wait", NULL, WAIT, PAIR, CONDITION, PLAIN },
	{ "wait", "timed", WAIT, PAIR, CONDITION, TIMED },
	{ "woken", NULL, WOKEN, PAIR, CONDITION, PLAIN },
	{ "woken", "timeout", WOKEN, PAIR, CONDITION, TIMED },
	{ "notify", NULL, SIGNAL, OBJECT, CONDITION, PLAIN },
	{ "notifyall", NULL, BROADCAST, OBJECT, CONDITION, PLAIN },
	{ "sinit", NULL, SEM_INIT, NUMBERED, SEMAPHORE, PLAIN },
	{ "sdestroy", NULL, SEM_DESTROY, OBJECT, SEMAPHORE, PLAIN },
	{ "post", NULL, POST, OBJECT, SEMAPHORE, PLAIN },
	{ "sreq", NULL, DOWN_REQUEST, OBJECT, SEMAPHORE, PLAIN },
	{ "down", NULL, DOWN, OBJECT, SEMAPHORE, PLAIN },
	{ "down", "timed", DOWN, OBJECT, SEMAPHORE, TIMED },
	{ "trydown", "1", DOWN, OBJECT, SEMAPHORE, TRY },
	{ "trydown", "0", DOWN_FAIL, OBJECT, SEMAPHORE, TRY },
	{ "trydown", "timeout", DOWN_FAIL, OBJECT, SEMAPHORE, TIMED },
	{ "binit", NULL, BARRIER_INIT, NUMBERED, BARRIER, PLAIN },
	{ "bdestroy", NULL, BARRIER_DESTROY, OBJECT, BARRIER, PLAIN },
	{ "barrier", NULL, ARRIVE, NUMBERED, BARRIER, PLAIN },
	{ "passed", NULL, PASS, OBJECT, BARRIER, PLAIN },
	{ "passed", "serial", PASS, OBJECT, BARRIER, PLAIN },
	{ "oncebegin", NULL, ONCE_BEGIN, OBJECT, ONCES, PLAIN },
	{ "onceend", NULL, ONCE_END, OBJECT, ONCES, PLAIN },
	{ "once", NULL, ONCE, OBJECT, ONCES, PLAIN },
};

const char *const misuse_names[MISUSES] = { "notheld",	 "destroyinuse", "destroyed", "notinit",
					    "jointwice", "joindetached", "heldatend", "closed" };

/* A line split into its parts. The strings point into the line itself. */
struct line {
	int number;
	char *thread, *name, *arguments[8], *result, *place;
	char *said; /* probe: the text after the word `probe` */
	int argument_count;
};

struct name {
	char *text;
	int class; /* -1: the address is from an `at` line, and is the same for all classes */
	uint64_t address;
};

struct reader {
	struct text *text;
	struct line line;
	char *thread_names[MAX_THREADS];
	struct name names[MAX_NAMES];
	int name_count;
	struct {
		uint64_t address, size;
	} blocks[MAX_EVENTS]; /* blocks allocated so far; the last one at an address counts */
	int block_count;
	char *words[2 * MAX_EVENTS]; /* sites and names of regions, numbered from 1 */
	int word_count;
};

static bool fail(struct reader *r, const char *format, ...)
{
	va_list list;
	int used = snprintf(r->text->error, sizeof r->text->error, "line %d: ", r->line.number);

	va_start(list, format);
	vsnprintf(r->text->error + used, sizeof r->text->error - (size_t)used, format, list);
	va_end(list);
	return false;
}

/* ---- parts of a line ---------------------------------------------------------------------- */

static bool cut_operation(struct reader *r, char *op)
{
	struct line *line = &r->line;
	char *open = strchr(op, '('), *close;

	line->name = op;
	line->argument_count = 0;
	line->result = NULL;
	line->said = NULL;
	if (!strncmp(op, "call ", 5) || !strncmp(op, "ret ", 4) || !strncmp(op, "probe ", 6)) {
		line->said = strchr(op, ' ') + 1;
		line->said[-1] = 0;
		return true;
	}
	if (!open)
		return true;
	*open = 0;
	close = strchr(open + 1, ')');
	if (!close)
		return fail(r, "no ')'");
	*close = 0;
	if (close[1] == '=')
		line->result = close + 2;
	else if (close[1])
		return fail(r, "what is behind ')'?");
	for (char *p = open + 1; p && *p;) {
		if (line->argument_count == 8)
			return fail(r, "too many arguments");
		line->arguments[line->argument_count++] = p;
		p = strchr(p, ',');
		if (p)
			*p++ = 0;
	}
	return true;
}

static int thread_of(struct reader *r, const char *name)
{
	int t = 0;

	while (t < r->text->thread_count && strcmp(r->thread_names[t], name))
		t++;
	if (t == MAX_THREADS)
		return -1;
	if (t == r->text->thread_count) {
		r->thread_names[t] = strdup(name);
		r->text->host[t] = t;
		r->text->thread_count++;
	}
	return t;
}

static bool add_name(struct reader *r, const char *text, int class, uint64_t address)
{
	if (r->name_count == MAX_NAMES)
		return fail(r, "too many names");
	r->names[r->name_count++] = (struct name){ strdup(text), class, address };
	return true;
}

static bool address_of(struct reader *r, enum class class, const char *name, uint64_t *address)
{
	if (!strncmp(name, "0x", 2)) {
		*address = strtoull(name, NULL, 16);
		return true;
	}
	for (int i = 0; i < r->name_count; i++) {
		const struct name *n = &r->names[i];

		if ((n->class < 0 || n->class == (int)class) && !strcmp(n->text, name)) {
			*address = n->address;
			return true;
		}
	}
	*address = FIRST_ADDRESS + SPACING * (uint64_t)r->name_count;
	return add_name(r, name, (int)class, *address);
}

static int object_of(struct reader *r, enum class class, uint64_t address)
{
	struct text *text = r->text;
	int i = 0;

	while (i < text->object_count &&
	       (text->objects[i].class != class || text->objects[i].address != address))
		i++;
	if (i == MAX_OBJECTS)
		return -1;
	if (i == text->object_count)
		text->objects[text->object_count++] = (struct object){ class, address };
	return i;
}

/* Reads a value as little-endian bytes, a negative one in two's complement. */
static bool read_value(struct reader *r, const char *word, uint64_t size, uint8_t *value)
{
	char *end;
	uint64_t number;

	if (size > 8)
		return fail(r, "more than 8 bytes");
	errno = 0;
	number = *word == '-' ? (uint64_t)strtoll(word, &end, 10) : strtoull(word, &end, 0);
	if (errno || end == word || *end)
		return fail(r, "not a value: %s", word);
	memcpy(value, &number, 8);
	memset(value + size, 0, 8 - size);
	return true;
}

/* Reads an address, x or x@4. */
static bool read_place(struct reader *r, char *word, uint64_t *address, uint64_t *size)
{
	char *at = strchr(word, '@');

	*size = 8;
	if (at) {
		*at = 0;
		*size = strtoull(at + 1, NULL, 10);
	}
	return address_of(r, MEMORY, word, address);
}

/* ---- operations --------------------------------------------------------------------------- */

static bool read_access(struct reader *r, struct event *e)
{
	struct line *line = &r->line;
	char *value = line->result;
	bool inexact = false;

	if (line->argument_count < 1)
		return fail(r, "an access of what?");
	if (!read_place(r, line->arguments[0], &e->address, &e->size))
		return false;
	for (int i = 1; i < line->argument_count; i++) {
		inexact |= !strcmp(line->arguments[i], "inexact");
		e->environment |= !strcmp(line->arguments[i], "environment");
	}
	e->atomic = e->kind == UPDATE || line->name[1] == 'a';
	e->valued = value && !inexact;
	if (!value)
		return true;
	if (e->kind == UPDATE) {
		char *comma = strchr(value, ',');

		if (!comma)
			return fail(r, "expected old,new");
		*comma = 0;
		if (!read_value(r, value, e->size, e->old))
			return false;
		value = comma + 1;
	}
	return read_value(r, value, e->size, e->value);
}

static bool read_block(struct reader *r, struct event *e)
{
	struct line *line = &r->line;

	if (line->argument_count != (e->kind == FREE ? 1 : 2))
		return fail(r, "expected alloc(p,size), map(p,size), unmap(p,size) or free(p)");
	if (!address_of(r, MEMORY, line->arguments[0], &e->address))
		return false;
	if (e->kind != FREE)
		e->size = strtoull(line->arguments[1], NULL, 10);
	if (e->kind == MAP || e->kind == UNMAP)
		return true;
	if (e->kind == ALLOC) {
		for (int i = 0; i < r->block_count; i++) {
			if (r->blocks[i].address == e->address)
				r->blocks[i] = r->blocks[--r->block_count];
		}
		r->blocks[r->block_count].address = e->address;
		r->blocks[r->block_count++].size = e->size;
		return true;
	}
	e->size = 1;
	for (int i = 0; i < r->block_count; i++) {
		if (r->blocks[i].address == e->address) {
			e->size = r->blocks[i].size ? r->blocks[i].size : 1;
			r->blocks[i] = r->blocks[--r->block_count];
			break;
		}
	}
	return true;
}

static bool read_object(struct reader *r, const struct row *row, struct event *e)
{
	struct line *line = &r->line;
	int wanted = row->shape == OBJECT ? 1 : 2;
	uint64_t mutex;

	if (line->argument_count != wanted)
		return fail(r, "%s has %d arguments", row->name, wanted);
	if (!address_of(r, row->class, line->arguments[0], &e->address))
		return false;
	if (row->class == CHANNEL) { /* a channel is no object in memory */
		e->told = line->result && (row->how != TRY || row->kind == SEND);
		e->channel = object_of(r, CHANNEL, e->address);
		e->address = 0;
		return e->channel >= 0 || fail(r, "too many objects");
	}
	e->object = object_of(r, row->class, e->address);
	e->size = 1;
	e->recursive = line->result && !strcmp(line->result, "recursive");
	e->robust = line->result && !strcmp(line->result, "robust");
	if (row->shape == NUMBERED)
		e->number = strtoull(line->arguments[1], NULL, 10);
	if (row->shape == PAIR) {
		if (!address_of(r, LOCK, line->arguments[1], &mutex))
			return false;
		e->mutex = object_of(r, LOCK, mutex);
	}
	if (e->object < 0 || (row->shape == PAIR && e->mutex < 0))
		return fail(r, "too many objects");
	return true;
}

static bool read_descriptor(struct reader *r, struct event *e)
{
	if (r->line.argument_count != 1)
		return fail(r, "which descriptor?");
	e->address = (1ull << 60) + strtoull(r->line.arguments[0], NULL, 10);
	e->size = 1;
	return true;
}

/* Reads misuse(sort,object). Only the sort matters, and the object if it is a thread. */
static bool read_misuse(struct reader *r, struct event *e)
{
	if (r->line.argument_count != 2)
		return fail(r, "expected misuse(sort,object)");
	for (e->misuse = 0; e->misuse < MISUSES; e->misuse++) {
		if (!strcmp(misuse_names[e->misuse], r->line.arguments[0]))
			break;
	}
	if (e->misuse == JOIN_TWICE || e->misuse == JOIN_DETACHED)
		return thread_of(r, r->line.arguments[1]) >= 0 || fail(r, "too many threads");
	return e->misuse < MISUSES || fail(r, "no such misuse");
}

static int word_of(struct reader *r, const char *word)
{
	int i = 0;

	if (!word || !*word)
		return 0;
	while (i < r->word_count && strcmp(r->words[i], word))
		i++;
	if (i == r->word_count)
		r->words[r->word_count++] = strdup(word);
	return i + 1;
}

/*
 * Reads the probes sooth:atomic_begin(name) and sooth:atomic_end(name). All other probes are
 * ignored.
 */
static void read_region(struct reader *r, struct event *e)
{
	char *said = r->line.said, *open = said ? strchr(said, '(') : NULL, *close;

	if (!open || strcmp(r->line.name, "probe"))
		return;
	*open = 0;
	close = strchr(open + 1, ')');
	if (!close)
		return;
	*close = 0;
	if (!strcmp(said, "sooth:atomic_begin"))
		e->kind = REGION_BEGIN;
	else if (!strcmp(said, "sooth:atomic_end"))
		e->kind = REGION_END;
	e->name = word_of(r, open + 1);
}

static bool read_operation(struct reader *r, const struct row *row, struct event *e)
{
	struct line *line = &r->line;

	switch (row->shape) {
	case ACCESS: return read_access(r, e);
	case BLOCK: return read_block(r, e);
	case FILE_NUMBER: return read_descriptor(r, e);
	case WRONG: return read_misuse(r, e);
	case OBJECT:
	case NUMBERED:
	case PAIR: return read_object(r, row, e);
	case THREAD:
	case HOST:
		if (line->argument_count != (row->shape == THREAD ? 1 : 2))
			return fail(r, "%s of whom?", row->name);
		e->other = thread_of(r, line->arguments[0]);
		if (e->other < 0)
			return fail(r, "too many threads");
		if (row->shape == HOST)
			r->text->host[e->stream] = r->text->host[e->other];
		return true;
	case BARE: break;
	}
	read_region(r, e);
	if (e->kind == BEGIN && line->argument_count == 2) {
		e->address = strtoull(line->arguments[0], NULL, 16);
		e->size = strtoull(line->arguments[1], NULL, 16) - e->address;
	}
	return true;
}

static const struct row *find_row(const struct line *line)
{
	static const struct row call = { "call", NULL, NOTHING, BARE, MEMORY, PLAIN };

	if (!strcmp(line->name, "call") || !strcmp(line->name, "ret") ||
	    !strcmp(line->name, "probe"))
		return &call;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *row = &rows[i];

		if (strcmp(row->name, line->name))
			continue;
		if (row->shape == ACCESS ||
		    (row->result ? line->result && !strcmp(row->result, line->result)
				 : !line->result))
			return row;
	}
	return NULL;
}

static bool read_event(struct reader *r)
{
	struct text *text = r->text;
	const struct row *row = find_row(&r->line);
	struct event *e = &text->events[text->event_count];

	if (!row)
		return fail(r, "unknown operation %s", r->line.name);
	if (text->event_count == MAX_EVENTS)
		return fail(r, "too many events");
	*e = (struct event){ .kind = row->kind, .how = row->how, .line = r->line.number };
	e->object = e->mutex = e->channel = e->other = -1;
	e->place = word_of(r, r->line.place);
	e->stream = thread_of(r, r->line.thread);
	if (e->stream < 0)
		return fail(r, "too many threads");
	if (!read_operation(r, row, e))
		return false;
	if (e->kind == HANDLER)
		return true; /* the line is no event */
	e->thread = text->host[e->stream];
	e->index = text->length[e->thread]++;
	e->number_in_stream = text->stream_length[e->stream]++;
	text->of[e->thread][e->index] = text->event_count;
	text->of_stream[e->stream][e->number_in_stream] = text->event_count++;
	return true;
}

/* Reads a line of the pseudo-thread "-". */
static bool read_about(struct reader *r)
{
	struct line *line = &r->line;
	struct initial *initial = &r->text->initials[r->text->initial_count];

	if (!strcmp(line->name, "at") && line->argument_count == 2)
		return add_name(r, line->arguments[0], -1, strtoull(line->arguments[1], NULL, 16));
	if (strcmp(line->name, "init") || line->argument_count != 1 || !line->result)
		return fail(r, "'-' has init(x)=v and at(x,address)");
	if (r->text->initial_count == MAX_OBJECTS)
		return fail(r, "too many initial values");
	r->text->initial_count++;
	return read_place(r, line->arguments[0], &initial->address, &initial->size) &&
	       read_value(r, line->result, initial->size, initial->value);
}

static bool read_line(struct reader *r, char *p)
{
	char *bar = strchr(p, '|'), *end;

	p[strcspn(p, "\r\n")] = 0;
	if (!*p || *p == '#')
		return true;
	if (!bar)
		return fail(r, "no '|'");
	*bar = 0;
	end = strchr(bar + 1, '|');
	r->line.place = end ? end + 1 : NULL;
	if (end)
		*end = 0;
	r->line.thread = p;
	if (!cut_operation(r, bar + 1))
		return false;
	return strcmp(p, "-") ? read_event(r) : read_about(r);
}

/* Checks that the event after a wait or an arrival is its second half. */
static bool check_halves(struct reader *r)
{
	const struct text *text = r->text;

	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i], *next, *before;

		next = e->index + 1 < text->length[e->thread]
			       ? &text->events[text->of[e->thread][e->index + 1]]
			       : NULL;
		before = e->index ? &text->events[text->of[e->thread][e->index - 1]] : NULL;
		r->line.number = e->line;
		if (next && ((e->kind == WAIT && next->kind != WOKEN) ||
			     (e->kind == ARRIVE && next->kind != PASS)))
			return fail(r, "the second half is missing");
		if ((e->kind == WOKEN && (!before || before->kind != WAIT)) ||
		    (e->kind == PASS && (!before || before->kind != ARRIVE)))
			return fail(r, "the first half is missing");
		if ((e->kind == WOKEN || e->kind == PASS) &&
		    (e->object != before->object || e->mutex != before->mutex))
			return fail(r, "two halves of different things");
	}
	return true;
}

bool text_read(const char *path, struct text *text)
{
	struct reader r = { .text = text };
	char *line = NULL;
	size_t room = 0;
	bool ok = true;
	FILE *in = fopen(path, "r");

	text->event_count = text->thread_count = text->object_count = text->initial_count = 0;
	memset(text->length, 0, sizeof text->length);
	memset(text->stream_length, 0, sizeof text->stream_length);
	text->error[0] = 0;
	if (!in)
		return fail(&r, "cannot read %s", path);
	while (ok && getline(&line, &room, in) > 0) {
		r.line.number++;
		ok = read_line(&r, line);
	}
	fclose(in);
	free(line);
	ok = ok && check_halves(&r);
	for (int i = 0; i < text->thread_count; i++)
		free(r.thread_names[i]);
	for (int i = 0; i < r.name_count; i++)
		free(r.names[i].text);
	for (int i = 0; i < r.word_count; i++)
		free(r.words[i]);
	return ok;
}
