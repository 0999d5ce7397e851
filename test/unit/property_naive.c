/*
 * Compares property_read() on random properties and random text traces with a matcher that tries
 * each point on each line, written from doc/properties.md alone. The matcher uses lines and points
 * as they were generated, not as they are read. SOOTH_RANDOM is the number of tests.
 */
#include "property_make.h"

#define LINES 40
#define EVENTS 4
#define POINTS 2
#define THREADS 3

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 20) % n);
}

/* ---- made up: a text ------------------------------------------------------------------------- */

enum line_kind {
	CALL,
	RET,
	PROBE,
	READ,
	WRITE,
	UPDATE,
	ACQ,
	REL,
	TRY,
	REQ,
	WAIT,
	WOKEN,
	ALLOC,
	SPAWN
};

static const char *const objects[] = { "o1", "o2", "o3" };
static const char *const fields[] = { "f", "g" };
static const char *const words[] = { "ab", "b", "abc", "c" };
static const char *const locks[] = { "m", "n", "o1.m", "o2.m" };
static const char *const functions[] = { "use_a", "use_b", "look" }; /* (object, number, word) */

struct line {
	uint8_t kind;
	uint32_t thread, index;
	const char *name; /* name of the function, variable or lock */
	char variable[16];
	const char *object, *word;
	int number, old; /* the argument or value; the value before an update */
	int result;
	bool folded; /* a recursive lock operation, which is no event */
	uint32_t held_count;
	const char *held[8]; /* locks that its thread held before it */
};

struct text {
	struct line lines[LINES];
	size_t count;
	uint32_t depth[THREADS][4]; /* recursion depth of each lock */
	bool waits[THREADS], blocked[THREADS];
	const struct line *open[THREADS];
	uint32_t order[THREADS][8], held[THREADS];
};

static bool is_free(const struct text *t, uint32_t lock, uint32_t thread)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		if (i != thread && t->depth[i][lock])
			return false;
	}
	return true;
}

static void note_held(struct text *t, struct line *l)
{
	for (uint32_t i = 0; i < t->held[l->thread]; i++)
		l->held[l->held_count++] = locks[t->order[l->thread][i]];
}

static void take(struct text *t, uint32_t thread, uint32_t lock)
{
	if (!t->depth[thread][lock]++)
		t->order[thread][t->held[thread]++] = lock;
}

static void give(struct text *t, uint32_t thread, uint32_t lock)
{
	uint32_t i = 0;

	if (--t->depth[thread][lock])
		return;
	while (t->order[thread][i] != lock)
		i++;
	memmove(&t->order[thread][i], &t->order[thread][i + 1],
		(--t->held[thread] - i) * sizeof t->order[thread][i]);
}

/* Returns false if the thread cannot do this operation now. */
static bool make_lock_line(struct text *t, struct line *l)
{
	uint32_t lock = pick(4), thread = l->thread;

	l->name = locks[lock];
	switch (pick(5)) {
	case 0:
	case 1:
	case 2:
		if (t->depth[thread][lock] && pick(2)) {
			l->kind = REL;
			l->folded = t->depth[thread][lock] > 1;
			give(t, thread, lock);
			return true;
		}
		if (!is_free(t, lock, thread)) {
			l->kind = REQ;
			t->blocked[thread] = true;
			return pick(6) == 0;
		}
		l->kind = pick(4) ? ACQ : TRY;
		l->folded = t->depth[thread][lock] > 0;
		take(t, thread, lock);
		return true;
	case 3:
		l->kind = WAIT;
		l->name = "m";
		if (t->depth[thread][0] != 1)
			return false;
		give(t, thread, 0);
		t->waits[thread] = true;
		return true;
	}
	return false;
}

static bool make_line(struct text *t, struct line *l)
{
	l->thread = pick(THREADS);
	if (t->blocked[l->thread])
		return false;
	note_held(t, l);
	if (t->waits[l->thread]) {
		l->kind = WOKEN;
		l->name = "m";
		t->waits[l->thread] = !is_free(t, 0, l->thread);
		if (!t->waits[l->thread])
			take(t, l->thread, 0);
		return !t->waits[l->thread];
	}
	l->object = objects[pick(3)];
	l->word = words[pick(4)];
	l->number = (int)pick(4);
	switch (pick(10)) {
	case 0:
	case 1:
		l->kind = CALL;
		l->name = functions[pick(3)];
		t->open[l->thread] = l;
		return true;
	case 2:
		if (!t->open[l->thread])
			return false;
		*l = (struct line){ .kind = RET,
				    .thread = l->thread,
				    .name = t->open[l->thread]->name,
				    .object = t->open[l->thread]->object,
				    .word = t->open[l->thread]->word,
				    .number = t->open[l->thread]->number,
				    .result = (int)pick(3) };
		note_held(t, l);
		t->open[l->thread] = NULL;
		return true;
	case 3: l->kind = PROBE; return true;
	case 4: l->kind = ALLOC; return true;
	case 5:
	case 6:
		l->kind = READ + pick(3);
		l->old = (int)pick(3);
		if (pick(3))
			snprintf(l->variable, sizeof l->variable, "%s%s%s", l->object,
				 pick(2) ? "." : "->", fields[pick(2)]);
		else
			snprintf(l->variable, sizeof l->variable, "%s", pick(2) ? "x" : "y");
		return true;
	default: return make_lock_line(t, l);
	}
}

static void make_text(struct text *t)
{
	uint32_t indices[THREADS] = { 0 };

	*t = (struct text){ 0 };
	for (size_t i = 0; i < LINES; i++) {
		struct text before = *t;
		struct line *l = &t->lines[t->count];

		*l = (struct line){ 0 };
		if (!make_line(t, l)) {
			*t = before;
			continue;
		}
		l->index = indices[l->thread]++;
		t->count++;
	}
}

static void print_line(FILE *out, const struct line *l)
{
	fprintf(out, "T%u|", l->thread);
	switch (l->kind) {
	case CALL: fprintf(out, "call %s(%s,%d,%s)", l->name, l->object, l->number, l->word); break;
	case RET: fprintf(out, "ret %s=%d", l->name, l->result); break;
	case PROBE: fprintf(out, "probe app:p(%s)", l->object); break;
	case READ: fprintf(out, "r(%s)=%d", l->variable, l->number); break;
	case WRITE: fprintf(out, "w(%s)=%d", l->variable, l->number); break;
	case UPDATE: fprintf(out, "u(%s)=%d,%d", l->variable, l->old, l->number); break;
	case ACQ: fprintf(out, "acq(%s)", l->name); break;
	case REL: fprintf(out, "rel(%s)", l->name); break;
	case TRY: fprintf(out, "tryacq(%s)=1", l->name); break;
	case REQ: fprintf(out, "req(%s)", l->name); break;
	case WAIT: fprintf(out, "wait(c,%s)", l->name); break;
	case WOKEN: fprintf(out, "woken(c,%s)", l->name); break;
	case ALLOC: fprintf(out, "alloc(%s,16)", l->object); break;
	}
	fprintf(out, "|\n");
}

/* ---- made up: a property --------------------------------------------------------------------- */

enum parameter { P, N, S, A, L, K, WHICH, PARAMETERS }; /* WHICH: the field that p->* matched */

enum point_kind_made {
	AT_CALL,
	AT_EXEC,
	AT_RETURN,
	AT_PROBE,
	AT_READ,
	AT_WRITE,
	AT_REQUEST,
	AT_ACQUIRE,
	AT_RELEASE
};
enum target_made { GLOBAL, FIELD, ANY_FIELD, PLACE, LOCK, LOCK_GLOBAL, LOCK_FIELD };
enum filter_made { NO_FILTER, IS_ZERO, MORE_THAN_N, HAS_S };

struct made_point {
	uint8_t kind, target, filter;
	const char *name; /* the glob, variable, field or lock */
	bool binds_p, binds_n, binds_s, rest;
	bool holds; /* the clause `holding k` */
	int result; /* the value v in `= v`; -1: none, -2: `= n` */
};
struct made_event {
	struct made_point points[POINTS];
	uint32_t count;
	bool starts, ends; /* the clauses `new p` and `end p` */
};
struct made {
	struct made_event events[EVENTS];
	bool wild;
};

static bool is_function(const struct made_point *p)
{
	return p->kind <= AT_RETURN;
}

static bool guesses(const struct made_point *p)
{
	return (p->filter == MORE_THAN_N && !p->binds_n) || (p->filter == HAS_S && !p->binds_s);
}

static void make_function_point(struct made_point *p)
{
	static const char *const globs[] = { "use_a", "use_*", "look", "*" };

	p->name = globs[pick(4)];
	p->binds_p = pick(4);
	p->binds_n = !pick(3);
	p->binds_s = !pick(3);
	p->result = p->kind == AT_RETURN && pick(2) ? (int)pick(3) : -1;
	if (!pick(3))
		p->filter = 1 + pick(3);
	p->rest = !p->binds_s && p->filter != HAS_S && pick(2);
}

static void make_access_point(struct made_point *p)
{
	p->target = pick(4);
	p->name = p->target == GLOBAL ? pick(2) ? "x" : "y" : fields[pick(2)];
	p->result = pick(2) ? -1 : pick(2) ? -2 : (int)pick(3);
	p->binds_n = p->result == -2;
	p->binds_p = p->target == FIELD || p->target == ANY_FIELD;
	if (p->result == -1 && !pick(3))
		p->filter = IS_ZERO;
}

static void make_point(struct made_point *p)
{
	*p = (struct made_point){ .kind = (uint8_t)pick(9), .result = -1 };
	if (is_function(p)) {
		make_function_point(p);
	} else if (p->kind == AT_PROBE) {
		p->binds_p = true;
	} else if (p->kind <= AT_WRITE) {
		make_access_point(p);
	} else {
		p->target = LOCK + pick(3);
		p->name = p->target == LOCK_GLOBAL ? "m" : "m";
		p->binds_p = p->target == LOCK_FIELD;
	}
	p->holds = pick(3) == 0;
}

static void make_property(struct made *m)
{
	*m = (struct made){ 0 };
	for (uint32_t e = 0; e < EVENTS; e++) {
		struct made_event *event = &m->events[e];
		bool all = true, guess = false;

		event->count = 1 + pick(POINTS);
		for (uint32_t i = 0; i < event->count; i++) {
			make_point(&event->points[i]);
			all &= event->points[i].binds_p;
			guess |= guesses(&event->points[i]);
			m->wild |= event->points[i].target == ANY_FIELD &&
				   event->points[i].kind >= AT_READ &&
				   event->points[i].kind <= AT_WRITE;
		}
		event->starts = all && !guess && !pick(4);
		event->ends = all && !guess && !event->starts && !pick(4);
	}
}

static void print_arguments(FILE *out, const struct made_point *p)
{
	fprintf(out, "(%s", p->binds_p ? "p" : "_");
	if (p->rest) {
		fprintf(out,
			p->binds_n || p->filter == IS_ZERO || p->filter == MORE_THAN_N
				? ", %s, ...)"
				: ", ...)",
			p->binds_n ? "n" : "v");
		return;
	}
	fprintf(out, ", %s, %s)",
		p->binds_n					   ? "n"
		: p->filter == IS_ZERO || p->filter == MORE_THAN_N ? "v"
								   : "_",
		p->binds_s	     ? "s"
		: p->filter == HAS_S ? "w"
				     : "_");
}

static void print_point(FILE *out, const struct made_point *p)
{
	static const char *const kinds[] = { "call",  "exec",	 "return",  "probe",  "read",
					     "write", "request", "acquire", "release" };

	fprintf(out, "%s ", kinds[p->kind]);
	if (is_function(p)) {
		fprintf(out, "%s", p->name);
		print_arguments(out, p);
	} else if (p->kind == AT_PROBE) {
		fprintf(out, "app:p(p)");
	} else {
		switch (p->target) {
		case GLOBAL:
		case LOCK_GLOBAL: fprintf(out, "%s", p->name); break;
		case FIELD: fprintf(out, "p->%s", p->name); break;
		case ANY_FIELD: fprintf(out, "p->*"); break;
		case PLACE: fprintf(out, "*a"); break;
		case LOCK: fprintf(out, "l"); break;
		case LOCK_FIELD: fprintf(out, "p->m"); break;
		}
	}
	if (p->result == -2)
		fprintf(out, " = n");
	else if (p->result >= 0)
		fprintf(out, " = %d", p->result);
	else if (!is_function(p) && p->filter == IS_ZERO)
		fprintf(out, " = v");
	if (p->holds)
		fprintf(out, " holding k");
	if (p->filter == IS_ZERO)
		fprintf(out, is_function(p) && p->binds_n ? " if (n == 0)" : " if (v == 0)");
	else if (p->filter == MORE_THAN_N)
		fprintf(out, p->binds_n ? " if (n > 1)" : " if (v > n)");
	else if (p->filter == HAS_S)
		fprintf(out, p->binds_s ? " if (strstr(s, \"b\"))" : " if (strstr(w, s))");
}

static void print_property(FILE *out, const struct made *m)
{
	fprintf(out, "property P(struct t *p, int n, string s, addr a, mutex l, mutex k) {\n");
	for (uint32_t e = 0; e < EVENTS; e++) {
		const struct made_event *event = &m->events[e];

		fprintf(out, "  event e%u = ", e);
		for (uint32_t i = 0; i < event->count; i++) {
			if (i)
				fprintf(out, ", ");
			print_point(out, &event->points[i]);
		}
		if (event->starts)
			fprintf(out, " new p");
		if (event->ends)
			fprintf(out, " end p");
		fprintf(out, ";\n");
	}
	/* each parameter must be bound by some event, otherwise the file is refused */
	fprintf(out, "  event all = call all(p, n, s, a, l, k);\n  pattern: e0 e1 e2 e3 all;\n}\n");
	/* a second property, which needs two walks, must not change the result of the first */
	if (pick(2))
		fprintf(out, "property Q(int z) {\n  event a = call use_a(_, z, _);\n"
			     "  event b = call look(_, v, _) if (v > z);\n  pattern: a b;\n}\n");
}

/* ---- the naive matcher ----------------------------------------------------------------------- */

struct binding {
	bool has[PARAMETERS];
	char text[PARAMETERS][16];
	uint32_t life[PARAMETERS];
};
struct fit {
	uint32_t event;
	bool before, next;
	struct binding binding;
};

/* The values that a parameter has anywhere in the run. */
struct known {
	char text[64][16];
	uint32_t life[64];
	size_t count;
};
struct naive {
	const struct text *text;
	const struct made *made;
	struct known known[PARAMETERS];
	struct { /* lifetimes of objects */
		uint32_t count[3];
		bool started[3]; /* started by the current line */
	} lives;
	FILE *out;
	bool first;
	struct fit fits[256];
	size_t fit_count;
};

static void set(struct binding *b, enum parameter p, const char *text)
{
	b->has[p] = true;
	snprintf(b->text[p], sizeof b->text[p], "%s", text);
}

static void set_number(struct binding *b, enum parameter p, int number)
{
	b->has[p] = true;
	snprintf(b->text[p], sizeof b->text[p], "%d", number);
}

/* Splits "o1.f" or "o1->f" into object and field. */
static bool split(const char *variable, char *object, char *field)
{
	const char *mark = strpbrk(variable, ".-");

	if (!mark)
		return false;
	snprintf(object, 16, "%.*s", (int)(mark - variable), variable);
	snprintf(field, 16, "%s", mark + (*mark == '-' ? 2 : 1));
	return true;
}

static bool fits_function(const struct line *l, const struct made_point *p, struct binding *b)
{
	if (l->kind != (p->kind == AT_RETURN ? RET : CALL))
		return false;
	if (strcmp(p->name, "*") && strcmp(p->name, l->name) &&
	    (strcmp(p->name, "use_*") || strncmp(l->name, "use_", 4)))
		return false;
	if (p->result >= 0 && l->result != p->result)
		return false;
	if (p->binds_p)
		set(b, P, l->object);
	if (p->binds_n)
		set_number(b, N, l->number);
	if (p->binds_s)
		set(b, S, l->word);
	return true;
}

static bool fits_access(const struct line *l, const struct made_point *p, struct binding *b)
{
	bool reads = l->kind == READ || l->kind == UPDATE;
	bool writes = l->kind == WRITE || l->kind == UPDATE;
	int value = l->kind == UPDATE && p->kind == AT_READ ? l->old : l->number;
	char object[16], field[16];

	if (p->kind == AT_READ ? !reads : !writes)
		return false;
	if (p->target == GLOBAL && strcmp(l->variable, p->name))
		return false;
	if (p->target == PLACE)
		set(b, A, l->variable);
	if (p->target == FIELD || p->target == ANY_FIELD) {
		if (!split(l->variable, object, field) ||
		    (p->target == FIELD && strcmp(field, p->name)))
			return false;
		set(b, P, object);
		if (p->target == ANY_FIELD)
			set(b, WHICH, field);
	}
	if (p->result == -2)
		set_number(b, N, value);
	return (p->result < 0 || p->result == value) && (p->filter != IS_ZERO || !value);
}

static bool fits_lock(const struct naive *n, const struct line *l, const struct made_point *p,
		      struct binding *b)
{
	char object[16], field[16];
	bool right = false;

	switch (p->kind) {
	case AT_REQUEST: right = (l->kind == ACQ && !l->folded) || l->kind == REQ; break;
	case AT_ACQUIRE:
		right = ((l->kind == ACQ || l->kind == TRY) && !l->folded) || l->kind == WOKEN;
		break;
	case AT_RELEASE: right = (l->kind == REL && !l->folded) || l->kind == WAIT; break;
	}
	(void)n;
	if (!right)
		return false;
	if (p->target == LOCK)
		set(b, L, l->name);
	if (p->target == LOCK_GLOBAL)
		return !strcmp(l->name, p->name);
	if (p->target == LOCK_FIELD) {
		if (!split(l->name, object, field))
			return false;
		set(b, P, object);
	}
	return true;
}

static uint32_t *life_of(struct naive *n, const char *object)
{
	for (size_t i = 0; i < 3; i++) {
		if (!strcmp(objects[i], object))
			return &n->lives.count[i];
	}
	fail();
	return NULL;
}

static bool same_binding(const struct binding *a, const struct binding *b)
{
	for (unsigned p = 0; p < PARAMETERS; p++) {
		if (a->has[p] != b->has[p] ||
		    (a->has[p] && (strcmp(a->text[p], b->text[p]) || a->life[p] != b->life[p])))
			return false;
	}
	return true;
}

static void add_fit(struct naive *n, const struct fit *fit)
{
	for (size_t i = 0; i < n->fit_count; i++) {
		if (n->fits[i].event == fit->event && n->fits[i].before == fit->before &&
		    same_binding(&n->fits[i].binding, &fit->binding)) {
			n->fits[i].next |= fit->next;
			return;
		}
	}
	assert_true(n->fit_count < 256);
	n->fits[n->fit_count++] = *fit;
}

static void learn(struct naive *n, const struct binding *b)
{
	for (unsigned p = 0; p < PARAMETERS; p++) {
		struct known *k = &n->known[p];
		size_t i = 0;

		if (!b->has[p])
			continue;
		while (i < k->count && (strcmp(k->text[i], b->text[p]) || k->life[i] != b->life[p]))
			i++;
		if (i < k->count)
			continue;
		assert_true(k->count < 64);
		snprintf(k->text[i], 16, "%s", b->text[p]);
		k->life[i] = b->life[p];
		k->count++;
	}
}

/*
 * Applies the filter. If it names a parameter that the event does not bind, tries each known value
 * of the parameter.
 */
static void filter(struct naive *n, const struct line *l, const struct made_point *p,
		   struct fit *fit)
{
	enum parameter free_one = p->filter == HAS_S ? S : N;

	if (guesses(p)) {
		for (size_t i = 0; !n->first && i < n->known[free_one].count; i++) {
			struct fit more = *fit;

			set(&more.binding, free_one, n->known[free_one].text[i]);
			if (free_one == S ? strstr(l->word, more.binding.text[S]) != NULL
					  : l->number > atoi(more.binding.text[N]))
				add_fit(n, &more);
		}
		return;
	}
	if (is_function(p) &&
	    ((p->filter == IS_ZERO && l->number) || (p->filter == MORE_THAN_N && l->number <= 1) ||
	     (p->filter == HAS_S && !strstr(l->word, "b"))))
		return;
	if (n->first)
		learn(n, &fit->binding);
	add_fit(n, fit);
}

static void try_point(struct naive *n, const struct line *l, uint32_t event,
		      const struct made_point *p)
{
	struct fit fit = { .event = event, .before = p->kind == AT_REQUEST };
	bool right = is_function(p)	   ? fits_function(l, p, &fit.binding)
		     : p->kind == AT_PROBE ? l->kind == PROBE
		     : p->kind <= AT_WRITE ? fits_access(l, p, &fit.binding)
					   : fits_lock(n, l, p, &fit.binding);

	if (!right)
		return;
	if (p->kind == AT_PROBE)
		set(&fit.binding, P, l->object);
	fit.next = p->kind == AT_READ && p->result == -1 && !p->filter && l->kind == READ;
	if (fit.binding.has[P])
		fit.binding.life[P] = *life_of(n, fit.binding.text[P]);
	if (!p->holds) {
		filter(n, l, p, &fit);
		return;
	}
	for (uint32_t i = 0; i < l->held_count; i++) {
		struct fit held = fit;

		if (l->name && p->kind >= AT_REQUEST && !strcmp(l->held[i], l->name))
			continue;
		set(&held.binding, K, l->held[i]);
		filter(n, l, p, &held);
	}
}

/* Starts or ends the lifetimes of the objects that the events bind, each only once. */
static void change_lives(struct naive *n, bool starts)
{
	bool ended[3] = { false }, *done = starts ? n->lives.started : ended;

	for (size_t i = 0; i < n->fit_count; i++) {
		const struct made_event *event = &n->made->events[n->fits[i].event];
		const char *object = n->fits[i].binding.text[P];

		for (size_t k = 0; k < 3; k++) {
			if ((starts ? event->starts : event->ends) && !done[k] &&
			    !strcmp(objects[k], object)) {
				done[k] = true;
				n->lives.count[k]++;
			}
		}
	}
}

static void find_fits(struct naive *n, const struct line *l, bool before, bool starting)
{
	n->fit_count = 0;
	for (uint32_t e = 0; e < EVENTS; e++) {
		const struct made_event *event = &n->made->events[e];

		for (uint32_t i = 0; i < event->count; i++) {
			if ((!starting || event->starts) &&
			    (event->points[i].kind == AT_REQUEST) == before)
				try_point(n, l, e, &event->points[i]);
		}
	}
}

/*
 * Lifetime numbers as in a second walk: the first lifetime of a name that is seen gets 0, the next
 * 1.
 */
struct renamed {
	char key[256][64];
	size_t count;
};

static uint32_t rename_life(struct renamed *r, const char *text, uint32_t life)
{
	char key[64];
	uint32_t earlier = 0;
	size_t length;

	snprintf(key, sizeof key, "%s'", text);
	length = strlen(key);
	snprintf(key + length, sizeof key - length, "%u", life);
	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->key[i], key))
			return earlier;
		earlier += !strncmp(r->key[i], key, length);
	}
	assert_true(r->count < 256);
	snprintf(r->key[r->count++], sizeof key, "%s", key);
	return earlier;
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Prints the events at one anchor, sorted by their text. */
static void print_sorted(FILE *out, char **lines, size_t count)
{
	if (count)
		qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++) {
		fputs(lines[i], out);
		free(lines[i]);
	}
}

static char *describe(const struct naive *n, const struct line *l, const struct fit *fit,
		      struct renamed *renamed)
{
	unsigned parameters_shown = n->made->wild ? PARAMETERS : PARAMETERS - 1;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%u.%u %s%u", l->thread, l->index, fit->before ? "-" : "", fit->event);
	for (unsigned p = 0; p < parameters_shown; p++) {
		if (!fit->binding.has[p])
			fprintf(out, " _");
		else if (p == P)
			fprintf(out, " %s'%u", fit->binding.text[p],
				rename_life(renamed, fit->binding.text[p], fit->binding.life[p]));
		else
			fprintf(out, " %s", fit->binding.text[p]);
	}
	fprintf(out, "%s\n", fit->next ? " ?" : "");
	fclose(out);
	return text;
}

/*
 * Finds the events of one moment. A request is the moment before the anchor: lifetimes that start
 * at the anchor have not started then.
 */
static void moment(struct naive *n, const struct line *l, bool before, struct renamed *renamed)
{
	char *lines[256];

	find_fits(n, l, before, true);
	change_lives(n, true);
	find_fits(n, l, before, false);
	for (size_t k = 0; !n->first && k < n->fit_count; k++)
		lines[k] = describe(n, l, &n->fits[k], renamed);
	if (!n->first)
		print_sorted(n->out, lines, n->fit_count);
	change_lives(n, false);
}

static void walk(struct naive *n, struct renamed *renamed)
{
	memset(&n->lives, 0, sizeof n->lives);
	for (size_t i = 0; i < n->text->count; i++) {
		const struct line *l = &n->text->lines[i];

		if (l->kind == ALLOC)
			++*life_of(n, l->object);
		memset(n->lives.started, 0, sizeof n->lives.started);
		moment(n, l, true, renamed);
		moment(n, l, false, renamed);
	}
}

static char *naive_events(const struct text *text, const struct made *made)
{
	static struct naive n;
	static struct renamed renamed;
	char *shown = NULL;
	size_t size;

	n = (struct naive){ .text = text, .made = made, .first = true };
	walk(&n, NULL);
	n.first = false;
	renamed.count = 0;
	n.out = open_memstream(&shown, &size);
	walk(&n, &renamed);
	fclose(n.out);
	return shown;
}

/* ---- the same from property_read ------------------------------------------------------------- */

static char *describe_event(const struct property_events *events, const struct property_event *e,
			    struct renamed *renamed)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t p = 0; p < events->parameters; p++) {
		uint32_t number = events->bindings.items[e->bindings + p];
		const struct property_value *value = &events->values.items[number];
		char word[32];

		if (number == PROPERTY_NONE) {
			fprintf(out, " _");
			continue;
		}
		if (value->text)
			snprintf(word, sizeof word, "%.*s", (int)value->length, value->text);
		else
			snprintf(word, sizeof word, "%d", (int)value->bits);
		fprintf(out, " %s", word);
		if (p == P)
			fprintf(out, "'%u", rename_life(renamed, word, number));
	}
	fprintf(out, "%s\n", e->may_be_next ? " ?" : "");
	fclose(out);
	return text;
}

static char *read_events(const struct trace *trace, const struct property_events *events)
{
	static struct renamed renamed;
	char *text = NULL, *lines[256];
	size_t size, count = 0;
	FILE *out = open_memstream(&text, &size);

	renamed.count = 0;
	for (size_t i = 0; i < events->events.count; i++) {
		const struct property_event *e = &events->events.items[i];
		char *tail = describe_event(events, e, &renamed);

		assert_true(count < 256);
		assert_true(asprintf(&lines[count++], "%s.%" PRIu64 " %s%u%s",
				     trace_thread_name(trace, e->id.stream) + 1, e->id.index,
				     e->before ? "-" : "", e->event, tail) > 0);
		free(tail);
		if (i + 1 == events->events.count ||
		    events->events.items[i + 1].order != e->order) {
			print_sorted(out, lines, count);
			count = 0;
		}
	}
	fclose(out);
	return text;
}

/*
 * Are two values equal? Used to compare the reader, which returns one event at a time, with
 * property_read().
 */
static bool same_value(const struct property_value *a, const struct property_value *b)
{
	return a->type == b->type && a->bits == b->bits && a->life == b->life &&
	       a->length == b->length && !a->text == !b->text &&
	       (!a->text || !memcmp(a->text, b->text, a->length));
}

static bool same_event(const struct property_reader *reader, const struct property_step *step,
		       const struct property_events *events, const struct property_event *event)
{
	bool same = step->event.id.stream == event->id.stream &&
		    step->event.id.index == event->id.index &&
		    step->event.before == event->before && step->event.event == event->event &&
		    step->event.may_be_next == event->may_be_next;

	for (uint32_t p = 0; same && p < events->parameters; p++) {
		uint32_t number = events->bindings.items[event->bindings + p];

		same = number == PROPERTY_NONE
			       ? step->bindings[p] == PROPERTY_NONE
			       : step->bindings[p] != PROPERTY_NONE &&
					 same_value(property_reader_value(reader, 0,
									  step->bindings[p]),
						    &events->values.items[number]);
	}
	return same;
}

static bool streams_alike(const struct trace *trace, struct spec_file *file,
			  const struct property_events *events)
{
	struct property_reader *reader = property_reader_open(trace, &file, 1);
	struct property_step step;
	bool alike = true;
	size_t at = 0;

	while (alike && property_reader_next(reader, &step)) {
		if (step.kind == PROPERTY_HAPPENED && !step.property)
			alike = at < events->events.count &&
				same_event(reader, &step, events, &events->events.items[at++]);
	}
	property_reader_close(reader);
	return alike && at == events->events.count;
}

/* Compares one random case, and prints everything that is needed to find an error. */
static void compare(uint64_t number)
{
	struct property_set events = { 0 };
	struct spec_file *file;
	struct trace *trace;
	struct text text;
	struct made made;
	char *source = NULL, *property = NULL, *expected, *got;
	size_t size;
	FILE *out;
	struct err err;

	seed = number * 0x9e3779b97f4a7c15u + 1;
	make_text(&text);
	make_property(&made);
	out = open_memstream(&source, &size);
	for (size_t i = 0; i < text.count; i++)
		print_line(out, &text.lines[i]);
	fclose(out);
	out = open_memstream(&property, &size);
	print_property(out, &made);
	fclose(out);
	trace = make_trace(source);
	file = make_file(property);
	if (!property_read(trace, &file, 1, &events, &err))
		fail_msg("%s", err.text);
	expected = naive_events(&text, &made);
	got = read_events(trace, &events.properties.items[0]);
	if (strcmp(expected, got)) {
		fprintf(stderr, "case %" PRIu64 "\n%s%s-- expected\n%s-- got\n%s", number, property,
			source, expected, got);
		fail();
	}
	if (!streams_alike(trace, file, &events.properties.items[0]))
		fail_msg("case %" PRIu64 ": one after the other the events are others\n%s%s",
			 number, property, source);
	free(expected);
	free(got);
	free(source);
	free(property);
	property_set_free(&events);
	spec_free(file);
	trace_close(trace);
}

static void against_naive(void **state)
{
	const char *count = getenv("SOOTH_RANDOM");
	uint64_t most = count ? strtoull(count, NULL, 10) : 2000;

	(void)state;
	for (uint64_t i = 0; i < most; i++)
		compare(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(against_naive) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
