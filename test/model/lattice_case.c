#include "lattice_case.h"

#include <string.h>

enum doing { ABSENT, RUNNING, WAITING, GONE };

struct world {
	struct lattice_case *c;
	uint64_t *random;
	enum doing doing[CASE_THREADS];
	bool joined[CASE_THREADS], woken[CASE_THREADS];
	int waits_on[CASE_THREADS], waits_with[CASE_THREADS], saved[CASE_THREADS];
	int variable[CASE_VARIABLES];
	int writer[CASE_LOCKS], depth[CASE_LOCKS]; /* writer: -1 if there is none */
	int readers[CASE_LOCKS][CASE_THREADS];
	int semaphore;
};

uint64_t case_random(uint64_t *random, uint64_t below)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (*random >> 11) % below;
}

static int pick(struct world *w, int below)
{
	return (int)case_random(w->random, (uint64_t)below);
}

/* ---- what can happen ------------------------------------------------------------------------- */

static int reader_count(const struct world *w, int lock)
{
	int count = 0;

	for (int t = 0; t < CASE_THREADS; t++)
		count += w->readers[lock][t] > 0;
	return count;
}

static bool is_free(const struct world *w, int lock)
{
	return w->writer[lock] < 0 && !reader_count(w, lock);
}

static bool holds_something(const struct world *w, int thread)
{
	for (int l = 0; l < CASE_LOCKS; l++) {
		if (w->writer[l] == thread || w->readers[l][thread])
			return true;
	}
	return false;
}

/* Does the lock operation if it is possible. */
static bool can_lock(struct world *w, const struct case_event *e)
{
	int l = e->object, t = e->thread;

	switch (e->op) {
	case OP_ACQUIRE:
		if (w->writer[l] == t) {
			w->depth[l]++;
			return true;
		}
		if (!is_free(w, l))
			return false;
		w->writer[l] = t;
		w->depth[l] = 1;
		return true;
	case OP_RELEASE:
		if (w->writer[l] != t)
			return false;
		if (!--w->depth[l])
			w->writer[l] = -1;
		return true;
	case OP_READ_ACQUIRE:
		if (w->writer[l] >= 0 || w->readers[l][t])
			return false;
		w->readers[l][t]++;
		return true;
	case OP_READ_RELEASE: return w->readers[l][t] && w->readers[l][t]--;
	case OP_FAIL: return !is_free(w, l) && w->writer[l] != t;
	case OP_READ_FAIL: return w->writer[l] >= 0 && w->writer[l] != t;
	case OP_TIMEOUT: return w->writer[l] != t;
	default: return false;
	}
}

static bool can_wait(struct world *w, const struct case_event *e)
{
	int t = e->thread, l = e->other;

	switch (e->op) {
	case OP_WAIT:
		if (w->writer[l] != t)
			return false;
		w->saved[t] = w->depth[l];
		w->writer[l] = -1;
		w->doing[t] = WAITING;
		w->woken[t] = false;
		w->waits_on[t] = e->object;
		w->waits_with[t] = l;
		return true;
	case OP_WOKEN:
		if (w->doing[t] != WAITING || !w->woken[t] || !is_free(w, l) ||
		    w->waits_on[t] != e->object || w->waits_with[t] != l)
			return false;
		w->writer[l] = t;
		w->depth[l] = w->saved[t];
		w->doing[t] = RUNNING;
		return true;
	case OP_NOTIFY:
	case OP_NOTIFY_ALL:
		for (int i = 0; i < CASE_THREADS; i++) {
			if (w->doing[i] == WAITING && !w->woken[i] && w->waits_on[i] == e->object) {
				w->woken[i] = true;
				if (e->op == OP_NOTIFY)
					break;
			}
		}
		return true;
	default: return false;
	}
}

static bool is_last(const struct lattice_case *c, int from, int thread)
{
	for (int i = from; i < c->count; i++) {
		if (c->events[i].thread == thread)
			return false;
	}
	return true;
}

/*
 * Checks that the event can happen now, and fills in its values. `at` is its line, to check that
 * nothing of the thread comes later.
 */
static bool can_happen(struct world *w, struct case_event *e, int at)
{
	int t = e->thread;

	if (w->doing[t] != RUNNING && !(w->doing[t] == WAITING && e->op == OP_WOKEN))
		return false;
	switch (e->op) {
	case OP_READ: e->value = w->variable[e->object]; return true;
	case OP_UPDATE: e->old = w->variable[e->object]; /* fall through */
	case OP_WRITE: w->variable[e->object] = e->value; return true;
	case OP_WAIT:
	case OP_WOKEN:
	case OP_NOTIFY:
	case OP_NOTIFY_ALL: return can_wait(w, e);
	case OP_POST: w->semaphore++; return true;
	case OP_DOWN: return w->semaphore > 0 && w->semaphore--;
	case OP_FORK:
		if (e->object >= w->c->threads || w->doing[e->object] != ABSENT)
			return false;
		w->doing[e->object] = RUNNING;
		return true;
	case OP_JOIN:
		if (e->object == t || e->object >= w->c->threads || w->joined[e->object] ||
		    w->doing[e->object] != GONE || !is_last(w->c, at + 1, e->object))
			return false;
		w->joined[e->object] = true;
		return true;
	case OP_PROBE: return true;
	default: return can_lock(w, e);
	}
}

static void start(struct world *w, struct lattice_case *c, bool forks)
{
	memset(w, 0, sizeof *w);
	w->c = c;
	memset(w->writer, -1, sizeof w->writer);
	memcpy(w->variable, c->initial, sizeof w->variable);
	for (int t = 0; t < c->threads; t++)
		w->doing[t] = !t || !forks ? RUNNING : ABSENT;
}

/* ---- making ---------------------------------------------------------------------------------- */

static struct case_event random_event(struct world *w, int thread, int variables, unsigned groups)
{
	struct case_event e = { .thread = thread };

	e.value = pick(w, 3);
	if (w->doing[thread] == WAITING) {
		e.op = OP_WOKEN;
		e.object = w->waits_on[thread];
		e.other = w->waits_with[thread];
		return e;
	}
	for (;;) {
		int kind = pick(w, 20);

		if (kind < 9 && (groups & 1)) {
			e.op = kind < 4 ? OP_READ : kind < 8 ? OP_WRITE : OP_UPDATE;
			e.object = pick(w, variables);
			return e;
		}
		if (kind >= 9 && kind < 14 && (groups & 2)) {
			static const enum case_op ops[] = { OP_ACQUIRE, OP_RELEASE, OP_RELEASE,
							    OP_FAIL, OP_TIMEOUT };

			e.op = ops[kind - 9];
			e.object = pick(w, groups & 4 ? CASE_LOCKS : CASE_LOCKS / 2);
			return e;
		}
		if (kind == 14 && (groups & 4)) {
			e.op = OP_READ_ACQUIRE + pick(w, 2) * (OP_READ_RELEASE - OP_READ_ACQUIRE);
			if (!pick(w, 5))
				e.op = OP_READ_FAIL;
			e.object = CASE_LOCKS / 2 + pick(w, CASE_LOCKS / 2);
			return e;
		}
		if (kind == 15 && (groups & 8)) {
			static const enum case_op ops[] = { OP_WAIT, OP_NOTIFY, OP_NOTIFY_ALL };

			e.op = ops[pick(w, 3)];
			e.other = pick(w, CASE_LOCKS / 2);
			return e;
		}
		if (kind == 16 && (groups & 16)) {
			e.op = pick(w, 2) ? OP_POST : OP_DOWN;
			return e;
		}
		if (kind == 17 && (groups & 32)) {
			e.op = pick(w, 2) ? OP_FORK : OP_JOIN;
			e.object = pick(w, CASE_THREADS);
			return e;
		}
		if (kind > 17) {
			e.op = OP_PROBE;
			e.object = pick(w, 2);
			return e;
		}
	}
}

static void make_events(struct lattice_case *c, uint64_t *random)
{
	int most = 3 + (int)case_random(random, CASE_EVENTS - 3);
	int variables = 1 + (int)case_random(random, CASE_VARIABLES);
	unsigned groups = (unsigned)case_random(random, 64) | 1;
	int done[CASE_THREADS] = { 0 };
	struct world w;

	if (!(groups & 2))
		groups &= ~12u;
	c->threads = 2 + (int)case_random(random, CASE_THREADS - 1);
	for (int v = 0; v < CASE_VARIABLES; v++)
		c->initial[v] = case_random(random, 4) ? 0 : (int)case_random(random, 3);
	start(&w, c, groups & 32);
	w.random = random;
	for (int tries = 0; c->count < most && tries < 400; tries++) {
		int t = pick(&w, c->threads);
		struct case_event e;

		if (w.doing[t] == ABSENT || w.doing[t] == GONE || done[t] == 6)
			continue;
		e = random_event(&w, t, variables, groups);
		/* a joined thread has no further events */
		if (e.op == OP_JOIN && e.object < c->threads && w.doing[e.object] == RUNNING &&
		    !holds_something(&w, e.object) && e.object != t)
			w.doing[e.object] = GONE;
		if (!can_happen(&w, &e, c->count))
			continue;
		c->events[c->count++] = e;
		done[t]++;
	}
}

bool case_without(const struct lattice_case *c, int event, struct lattice_case *smaller)
{
	bool forks = false;
	struct world w;

	*smaller = *c;
	memmove(&smaller->events[event], &smaller->events[event + 1],
		(size_t)(c->count - event - 1) * sizeof *c->events);
	smaller->count--;
	for (int i = 0; i < c->count; i++)
		forks |= c->events[i].op == OP_FORK;
	start(&w, smaller, forks);
	for (int i = 0; i < smaller->count; i++) {
		struct case_event *e = &smaller->events[i];

		if (e->op == OP_JOIN && e->object < c->threads &&
		    is_last(smaller, i + 1, e->object) && w.doing[e->object] == RUNNING)
			w.doing[e->object] = GONE;
		if (!can_happen(&w, e, i))
			return false;
	}
	return true;
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* Does the event happen at all? If not, the tool reports it as not seen, and judges nothing. */
static bool happens(const struct lattice_case *c, int named)
{
	for (int i = 0; i < c->count; i++) {
		const struct case_event *e = &c->events[i];
		bool reads = e->op == OP_READ || e->op == OP_UPDATE;
		bool writes = e->op == OP_WRITE || e->op == OP_UPDATE;

		if ((named <= NAMED_E1 && e->op == OP_PROBE && e->object == named) ||
		    (named == NAMED_READ_X && reads && e->object == 0) ||
		    (named == NAMED_WRITE_Y && writes && e->object == 1) ||
		    (named == NAMED_REQUEST && e->op == OP_ACQUIRE && e->object == 0) ||
		    (named == NAMED_RELEASE && ((e->op == OP_RELEASE && e->object == 1) ||
						(e->op == OP_WAIT && e->other == 1))))
			return true;
	}
	return false;
}

static int make_node(struct lattice_case *c, uint64_t *random, int depth)
{
	static const enum case_operator past[] = { NODE_NOT,	 NODE_AND,     NODE_OR,
						   NODE_IMPLIES, NODE_PREV,    NODE_ONCE,
						   NODE_SOFAR,	 NODE_SINCE,   NODE_START,
						   NODE_END,	 NODE_INTERVAL };
	static const enum case_operator future[] = { NODE_NOT,	      NODE_AND,	  NODE_OR,
						     NODE_IMPLIES,    NODE_NEXT,  NODE_UNTIL,
						     NODE_EVENTUALLY, NODE_ALWAYS };
	int number = c->nodes++;
	struct case_node *node = &c->node[number];

	*node = (struct case_node){ .operator= NODE_ATOM, .left = -1, .right = -1 };
	if (!depth || c->nodes > CASE_NODES - 4 || !case_random(random, 5)) {
		node->atom = case_random(random, 2) ? ATOM_EQUAL : ATOM_EVENT;
		node->variable = (int)case_random(random, CASE_VARIABLES);
		node->value = (int)case_random(random, 3);
		node->named = (int)case_random(random, NAMED);
		if (!happens(c, node->named))
			node->atom = ATOM_EQUAL;
		return number;
	}
	if (c->kind == CASE_LTL)
		node->operator= future[case_random(random, sizeof future / sizeof *future)];
	else
		node->operator= past[case_random(random, sizeof past / sizeof *past)];
	node->left = make_node(c, random, depth - 1);
	switch (node->operator) {
	case NODE_AND:
	case NODE_OR:
	case NODE_IMPLIES:
	case NODE_SINCE:
	case NODE_INTERVAL:
	case NODE_UNTIL: node->right = make_node(c, random, depth - 1); break;
	default: break;
	}
	return number;
}

void case_make(struct lattice_case *c, uint64_t *random)
{
	*c = (struct lattice_case){ 0 };
	do {
		c->count = 0;
		make_events(c, random);
	} while (c->count < 3);
	c->kind = (enum case_kind)case_random(random, 3);
	c->root = make_node(c, random, 1 + (int)case_random(random, 3));
}

bool case_uses_variable(const struct lattice_case *c, int variable)
{
	for (int i = 0; i < c->nodes; i++) {
		if (c->node[i]
			    .
			    operator== NODE_ATOM && c->node[i]
			    .atom == ATOM_EQUAL && c->node[i]
			    .variable == variable)
			return true;
	}
	return false;
}

bool case_names(const struct lattice_case *c, int named)
{
	for (int i = 0; i < c->nodes; i++) {
		if (c->node[i]
			    .
			    operator== NODE_ATOM && c->node[i]
			    .atom == ATOM_EVENT && c->node[i]
			    .named == named)
			return true;
	}
	return false;
}

/* ---- printing -------------------------------------------------------------------------------- */

static const char *const variable_names[] = { "x", "y", "z" };
static const char *const lock_names[] = { "a", "b", "p", "q" };

static void print_event(const struct case_event *e, FILE *out)
{
	const char *x = e->object < CASE_VARIABLES ? variable_names[e->object] : "";
	const char *m = e->object < CASE_LOCKS ? lock_names[e->object] : "";
	const char *with = lock_names[e->other];

	switch (e->op) {
	case OP_READ: fprintf(out, "r(%s)=%d", x, e->value); break;
	case OP_WRITE: fprintf(out, "w(%s)=%d", x, e->value); break;
	case OP_UPDATE: fprintf(out, "u(%s)=%d,%d", x, e->old, e->value); break;
	case OP_ACQUIRE: fprintf(out, "acq(%s)", m); break;
	case OP_RELEASE: fprintf(out, "rel(%s)", m); break;
	case OP_READ_ACQUIRE: fprintf(out, "racq(%s)", m); break;
	case OP_READ_RELEASE: fprintf(out, "rrel(%s)", m); break;
	case OP_FAIL: fprintf(out, "tryacq(%s)=0", m); break;
	case OP_READ_FAIL: fprintf(out, "tryracq(%s)=0", m); break;
	case OP_TIMEOUT: fprintf(out, "tryacq(%s)=timeout", m); break;
	case OP_WAIT: fprintf(out, "wait(c,%s)", with); break;
	case OP_WOKEN: fprintf(out, "woken(c,%s)", with); break;
	case OP_NOTIFY: fprintf(out, "notify(c)"); break;
	case OP_NOTIFY_ALL: fprintf(out, "notifyall(c)"); break;
	case OP_POST: fprintf(out, "post(s)"); break;
	case OP_DOWN: fprintf(out, "down(s)"); break;
	case OP_FORK: fprintf(out, "fork(T%d)", e->object); break;
	case OP_JOIN: fprintf(out, "join(T%d)", e->object); break;
	case OP_PROBE: fprintf(out, "probe t:e%d()", e->object); break;
	}
}

void case_print_trace(const struct lattice_case *c, FILE *out)
{
	for (int v = 0; v < CASE_VARIABLES; v++)
		fprintf(out, "-|init(%s)=%d|\n", variable_names[v], c->initial[v]);
	for (int i = 0; i < c->count; i++) {
		fprintf(out, "T%d|", c->events[i].thread);
		print_event(&c->events[i], out);
		fprintf(out, "|l:%d\n", i + 1);
	}
}

static const char *const named_names[] = { "e0", "e1", "rx", "wy", "ra", "la" };
static const char *const named_points[] = { "probe t:e0()", "probe t:e1()", "read x",
					    "write y",	    "request a",    "release b" };

static void print_node(const struct lattice_case *c, int number, FILE *out)
{
	static const char *const words[] = {
		[NODE_NOT] = "!",	   [NODE_PREV] = "prev ",
		[NODE_ONCE] = "once ",	   [NODE_SOFAR] = "sofar ",
		[NODE_START] = "start",	   [NODE_END] = "end",
		[NODE_NEXT] = "next ",	   [NODE_EVENTUALLY] = "eventually ",
		[NODE_ALWAYS] = "always ", [NODE_AND] = "&&",
		[NODE_OR] = "||",	   [NODE_IMPLIES] = "=>",
		[NODE_SINCE] = "since",	   [NODE_UNTIL] = "until",
	};
	const struct case_node *n = &c->node[number];

	if (n->operator== NODE_ATOM && n->atom == ATOM_EQUAL) {
		fprintf(out, "(%s == %d)", variable_names[n->variable], n->value);
	} else if (n->operator== NODE_ATOM) {
		fprintf(out, "%s", named_names[n->named]);
	} else if (n->operator== NODE_INTERVAL) {
		fprintf(out, "[");
		print_node(c, n->left, out);
		fprintf(out, ", ");
		print_node(c, n->right, out);
		fprintf(out, ")");
	} else if (n->right < 0) {
		fprintf(out, "(%s(", words[n->operator]);
		print_node(c, n->left, out);
		fprintf(out, "))");
	} else {
		fprintf(out, "(");
		print_node(c, n->left, out);
		fprintf(out, " %s ", words[n->operator]);
		print_node(c, n->right, out);
		fprintf(out, ")");
	}
}

void case_print_property(const struct lattice_case *c, FILE *out)
{
	static const char *const heads[] = { "always", "never", "ltl:" };

	fprintf(out, "extern int x, y, z;\nproperty P {\n");
	for (int i = 0; i < NAMED; i++) {
		if (case_names(c, i))
			fprintf(out, "  event %s = %s;\n", named_names[i], named_points[i]);
	}
	fprintf(out, "  %s ", heads[c->kind]);
	print_node(c, c->root, out);
	fprintf(out, ";\n}\n");
}
