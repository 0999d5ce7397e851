#include "solver_trace.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

#define DEPTH 2 /* maximum depth of nested sections */

/* xorshift64: good enough for random traces, and the same on all machines. */
uint64_t solver_trace_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct held {
	uint32_t lock, section;
};

struct actor {
	struct held held[DEPTH];
	uint32_t depth;
	uint32_t left;	/* accesses until the innermost section ends */
	uint32_t wants; /* the lock that the thread wants, or ORDER_NONE */
};

struct access {
	uint32_t node, variable, value;
	bool write;
};

struct stage {
	struct solver_trace *trace;
	const struct solver_shape *shape;
	struct actor *actors;
	uint32_t alive;
	uint32_t *owner; /* by lock: its owner; ORDER_NONE if it is free */
	uint32_t *value; /* by variable: its value */
	/*
	 * by thread: the node that creates it, until the thread has its first node; else ORDER_NONE
	 */
	uint32_t *fork;
	uint32_t fresh;
	VEC(struct order_section) sections;
	VEC(uint32_t) locks; /* by section: its lock */
	VEC(struct access) accesses;
};

static uint32_t below(struct stage *s, uint32_t n)
{
	return (uint32_t)(solver_trace_random(&s->trace->random) % n);
}

static double chance(struct stage *s)
{
	return (double)(solver_trace_random(&s->trace->random) >> 11) * 0x1p-53;
}

/* Returns a random number below n; small numbers are more probable. */
static uint32_t skewed(struct stage *s, uint32_t n, double skew)
{
	uint32_t k = (uint32_t)(n * pow(chance(s), skew));

	return k < n ? k : n - 1;
}

static uint32_t node(struct stage *s, uint32_t thread)
{
	struct order_model *m = &s->trace->model;
	uint32_t n = m->node_count++;

	*vec_push(&m->thread) = thread;
	if (s->fork[thread] != ORDER_NONE) {
		*vec_push(&m->edges) = (struct order_edge){ s->fork[thread], n };
		s->fork[thread] = ORDER_NONE;
	}
	return n;
}

static bool blocked(const struct stage *s, uint32_t thread)
{
	uint32_t wants = s->actors[thread].wants;

	return wants != ORDER_NONE && s->owner[wants] != ORDER_NONE;
}

static uint32_t choose_thread(struct stage *s, uint32_t last)
{
	if (chance(s) < s->shape->change)
		last = below(s, s->alive);
	for (uint32_t tries = 0; blocked(s, last); tries++)
		last = tries < 8 ? below(s, s->alive) : (last + 1) % s->alive;
	return last;
}

static void take(struct stage *s, uint32_t thread)
{
	struct actor *a = &s->actors[thread];

	a->held[a->depth++] = (struct held){ a->wants, (uint32_t)s->sections.count };
	s->owner[a->wants] = thread;
	*vec_push(&s->locks) = a->wants;
	*vec_push(&s->sections) =
		(struct order_section){ node(s, thread), ORDER_NONE, thread, false };
	a->wants = ORDER_NONE;
}

static void leave(struct stage *s, uint32_t thread)
{
	struct actor *a = &s->actors[thread];
	struct held held = a->held[--a->depth];

	s->sections.items[held.section].release = node(s, thread);
	s->owner[held.lock] = ORDER_NONE;
	a->left = a->depth ? below(s, 3) : 0;
}

/*
 * Chooses a variable to access. Half of the variables belong to locks, a quarter to no lock, and a
 * quarter to single threads. A thread that holds a lock mostly accesses the lock's variables.
 */
static uint32_t choose_variable(struct stage *s, uint32_t thread)
{
	const struct actor *a = &s->actors[thread];
	uint32_t count = s->shape->variables, locked = count / 2, rest = count - locked;
	uint32_t group = locked / s->shape->locks ? locked / s->shape->locks : 1, own, x;

	if (a->depth && chance(s) < 0.85) {
		x = a->held[a->depth - 1].lock * group + skewed(s, group, 1.3);
	} else if (chance(s) < 0.5) {
		own = rest / 2 / s->shape->threads ? rest / 2 / s->shape->threads : 1;
		x = locked + rest / 2 + (thread * own + below(s, own)) % (rest - rest / 2);
	} else {
		x = locked + skewed(s, rest, 1.3);
	}
	return x < count ? x : count - 1;
}

static void touch(struct stage *s, uint32_t thread)
{
	struct actor *a = &s->actors[thread];
	uint32_t x = choose_variable(s, thread);
	bool write = chance(s) < 0.35;

	if (a->depth)
		a->left--;
	if (write)
		s->value[x] = chance(s) < s->shape->small ? below(s, 3) : s->fresh++;
	*vec_push(&s->accesses) = (struct access){ node(s, thread), x, s->value[x], write };
}

static void step(struct stage *s, uint32_t thread)
{
	struct actor *a = &s->actors[thread];
	uint32_t locks = s->shape->locks;

	if (a->wants != ORDER_NONE) {
		take(s, thread);
	} else if (thread == 0 && s->alive < s->shape->threads && !a->depth && chance(s) < 0.3) {
		s->fork[s->alive] = node(s, 0);
		s->alive++;
	} else if (a->depth && !a->left) {
		leave(s, thread);
	} else if (!a->depth && chance(s) < s->shape->enter) {
		a->left = 1 + below(s, 5);
		a->wants = skewed(s, locks, 1.5);
	} else if (a->depth == 1 && a->held[0].lock < locks - 1 && chance(s) < 0.05) {
		/* take a lock with a higher number, so that generating the trace cannot deadlock */
		a->left = 1 + below(s, 5);
		a->wants = a->held[0].lock + 1 + below(s, locks - 1 - a->held[0].lock);
	} else {
		touch(s, thread);
	}
}

/*
 * Adds the accesses to the model, grouped by variable, and the sections, grouped by lock, each in
 * recorded order.
 */
static void group(struct stage *s)
{
	struct order_model *m = &s->trace->model;

	for (uint32_t x = 0; x < s->shape->variables; x++) {
		struct order_cell *cell = vec_push(&m->cells);

		*cell = (struct order_cell){ 0, (uint32_t)m->writes.count, 0,
					     (uint32_t)m->reads.count, 0 };
		for (size_t i = 0; i < s->accesses.count; i++) {
			const struct access *a = &s->accesses.items[i];

			if (a->variable != x)
				continue;
			if (a->write)
				*vec_push(&m->writes) = (struct order_write){ a->node, a->value };
			else
				*vec_push(&m->reads) =
					(struct order_read){ a->node, a->value, ORDER_ANY };
		}
		cell->write_count = (uint32_t)m->writes.count - cell->write_start;
		cell->read_count = (uint32_t)m->reads.count - cell->read_start;
	}
	for (uint32_t l = 0; l < s->shape->locks; l++) {
		struct order_lock *lock = vec_push(&m->locks);

		*lock = (struct order_lock){ .section_start = (uint32_t)m->sections.count };
		for (size_t i = 0; i < s->sections.count; i++)
			if (s->locks.items[i] == l)
				*vec_push(&m->sections) = s->sections.items[i];
		lock->section_count = (uint32_t)m->sections.count - lock->section_start;
	}
}

static void finish(struct stage *s)
{
	struct solver_trace *trace = s->trace;
	uint32_t nodes = trace->model.node_count;

	trace->model.thread_count = s->shape->threads;
	group(s);
	trace->variable = mem_zalloc(nodes + 1, sizeof *trace->variable);
	trace->writes = mem_zalloc(nodes + 1, sizeof *trace->writes);
	memset(trace->variable, 0xff, nodes * sizeof *trace->variable);
	for (size_t i = 0; i < s->accesses.count; i++) {
		trace->variable[s->accesses.items[i].node] = s->accesses.items[i].variable;
		trace->writes[s->accesses.items[i].node] = s->accesses.items[i].write;
	}
	order_model_index(&trace->model);
	order_clock_make(&trace->clock, &trace->model);
}

void solver_trace_make(struct solver_trace *trace, const struct solver_shape *shape, uint64_t seed)
{
	struct stage s = { .trace = trace, .shape = shape, .alive = 1, .fresh = 100 };
	uint32_t thread = 0;

	*trace = (struct solver_trace){ .random = seed * 2654435761u + 88172645463325252u };
	for (int i = 0; i < 20; i++)
		solver_trace_random(&trace->random);
	s.actors = mem_zalloc(shape->threads, sizeof *s.actors);
	s.owner = mem_zalloc(shape->locks, sizeof *s.owner);
	s.value = mem_zalloc(shape->variables, sizeof *s.value);
	s.fork = mem_zalloc(shape->threads, sizeof *s.fork);
	memset(s.owner, 0xff, shape->locks * sizeof *s.owner);
	memset(s.fork, 0xff, shape->threads * sizeof *s.fork);
	for (uint32_t t = 0; t < shape->threads; t++)
		s.actors[t].wants = ORDER_NONE;
	while (trace->model.node_count < shape->events) {
		thread = choose_thread(&s, thread);
		step(&s, thread);
	}
	for (uint32_t t = 0; t < s.alive; t++)
		while (s.actors[t].depth)
			leave(&s, t);
	finish(&s);
	free(s.actors);
	free(s.owner);
	free(s.value);
	free(s.fork);
	vec_free(&s.sections);
	vec_free(&s.locks);
	vec_free(&s.accesses);
}

void solver_trace_free(struct solver_trace *trace)
{
	order_model_free(&trace->model);
	order_clock_free(&trace->clock);
	free(trace->variable);
	free(trace->writes);
}

/* ---- pairs --------------------------------------------------------------------------------- */

static bool holds(const struct order_section *s, uint32_t node, uint32_t thread)
{
	return s->thread == thread && s->acquire < node && node < s->release;
}

static bool common_lock(const struct solver_trace *trace, uint32_t a, uint32_t b)
{
	const struct order_model *m = &trace->model;

	for (size_t l = 0; l < m->locks.count; l++) {
		const struct order_lock *lock = &m->locks.items[l];
		bool by_a = false, by_b = false;

		for (uint32_t i = 0; i < lock->section_count; i++) {
			const struct order_section *s = &m->sections.items[lock->section_start + i];

			by_a |= holds(s, a, m->thread.items[a]);
			by_b |= holds(s, b, m->thread.items[b]);
		}
		if (by_a && by_b)
			return true;
	}
	return false;
}

static bool may_race(const struct solver_trace *trace, uint32_t a, uint32_t b)
{
	const struct order_model *m = &trace->model;

	return m->thread.items[a] != m->thread.items[b] &&
	       trace->variable[a] == trace->variable[b] && (trace->writes[a] || trace->writes[b]) &&
	       !order_clock_before(&trace->clock, m, a, b) &&
	       !order_clock_before(&trace->clock, m, b, a) && !common_lock(trace, a, b);
}

static uint32_t nearest(const struct solver_trace *trace, uint32_t a)
{
	for (uint32_t b = a + 1; b < trace->model.node_count && b < a + 3000; b++)
		if (trace->variable[b] == trace->variable[a] &&
		    trace->model.thread.items[b] != trace->model.thread.items[a] &&
		    (trace->writes[a] || trace->writes[b]))
			return b;
	return ORDER_NONE;
}

uint32_t solver_trace_pairs(struct solver_trace *trace, struct solver_pair *pairs, uint32_t count)
{
	const struct order_model *m = &trace->model;
	uint32_t found = 0;

	for (uint32_t tries = 0; found < count && tries < count * 400; tries++) {
		uint32_t a = (uint32_t)(solver_trace_random(&trace->random) % m->node_count), b;
		const struct order_cell *cell;
		bool known = false;

		if (trace->variable[a] == ORDER_NONE)
			continue;
		cell = &m->cells.items[trace->variable[a]];
		if (!cell->write_count)
			continue;
		b = found % 2 ? m->writes
					.items[cell->write_start +
					       solver_trace_random(&trace->random) %
						       cell->write_count]
					.node
			      : nearest(trace, a);
		if (b == ORDER_NONE || !may_race(trace, a, b))
			continue;
		if (a > b) {
			uint32_t other = a;

			a = b;
			b = other;
		}
		for (uint32_t i = 0; i < found; i++)
			known |= pairs[i].a == a && pairs[i].b == b;
		if (!known)
			pairs[found++] = (struct solver_pair){ a, b };
	}
	return found;
}

void solver_trace_ask(const struct solver_trace *trace, struct solver_pair pair,
		      struct order_query *query)
{
	order_query_clear(query);
	order_query_next(query, &trace->model, pair.a);
	order_query_next(query, &trace->model, pair.b);
}
