#include "queries_random.h"

#include "../../bench/solver_trace.h"

#include <string.h>

#define THREADS 5
#define CELLS 3
#define LOCKS 2
#define CONDITIONS 2
#define SEMAPHORES 2
#define HELD 4

struct holding {
	uint32_t lock;
	size_t fact; /* the fact of its section */
};

struct actor {
	struct holding held[HELD];
	uint32_t depth;
	size_t waits; /* fact of the wait that the thread is in; SIZE_MAX: none */
	bool woken;   /* woken by a signal or a broadcast */
};

struct run {
	struct sketch *sketch;
	uint64_t *random;
	struct actor actors[THREADS];
	uint32_t value[CELLS], writer[CELLS];
	bool value_known[CELLS];
	uint32_t readers[LOCKS], writers[LOCKS];
	uint32_t count[SEMAPHORES];
	uint32_t edges; /* probability of an edge to a node, in percent */
	bool waits;	/* the query is about one condition */
};

static uint32_t below(struct run *r, uint32_t n)
{
	return (uint32_t)((solver_trace_random(r->random) >> 20) % n);
}

static bool chance(struct run *r, uint32_t percent)
{
	return below(r, 100) < percent;
}

static uint32_t node(struct run *r, uint32_t thread)
{
	uint32_t n = (uint32_t)r->sketch->nodes.count;

	*vec_push(&r->sketch->nodes) = thread;
	if (n && chance(r, r->edges)) {
		uint32_t from = n - 1 - below(r, n < 6 ? n : 6);

		sketch_add(r->sketch, (struct fact){ .kind = FACT_EDGE, .a = from, .b = n });
	}
	return n;
}

static void add(struct run *r, enum fact_kind kind, uint32_t object, uint32_t a, uint32_t value,
		bool flag)
{
	sketch_add(r->sketch,
		   (struct fact){
			   .kind = kind, .object = object, .a = a, .value = value, .flag = flag });
}

static void read_cell(struct run *r, uint32_t n, uint32_t cell)
{
	uint32_t from = ORDER_ANY;

	/* a value that was not written in the window cannot be read by its value */
	if (!r->value_known[cell] || chance(r, 10))
		from = r->writer[cell];
	sketch_add(r->sketch, (struct fact){ .kind = FACT_READ,
					     .object = cell,
					     .a = n,
					     .b = from,
					     .value = r->value[cell] });
}

static void write_cell(struct run *r, uint32_t n, uint32_t cell)
{
	r->value[cell] = below(r, 3);
	r->value_known[cell] = true;
	r->writer[cell] = n;
	add(r, FACT_WRITE, cell, n, r->value[cell], false);
}

static void touch(struct run *r, uint32_t thread)
{
	uint32_t n = node(r, thread), cell = below(r, CELLS), how = below(r, 10);

	if (how < 5 || how == 9)
		read_cell(r, n, cell);
	if (how >= 5)
		write_cell(r, n, cell);
	if (how == 4)
		read_cell(r, n, (cell + 1) % CELLS);
}

/* Acquires a lock with node n (ORDER_NONE: before the window). */
static void take(struct run *r, uint32_t thread, uint32_t n, uint32_t lock, bool shared)
{
	struct actor *a = &r->actors[thread];

	a->held[a->depth++] = (struct holding){ lock, r->sketch->facts.count };
	sketch_add(r->sketch, (struct fact){ .kind = FACT_SECTION,
					     .object = lock,
					     .a = n,
					     .b = ORDER_NONE,
					     .thread = thread,
					     .flag = shared });
	if (shared)
		r->readers[lock]++;
	else
		r->writers[lock]++;
}

static void release(struct run *r, uint32_t thread, uint32_t n)
{
	struct actor *a = &r->actors[thread];
	uint32_t k = below(r, a->depth);
	struct holding held = a->held[k];

	a->held[k] = a->held[--a->depth];
	r->sketch->facts.items[held.fact].b = n;
	if (r->sketch->facts.items[held.fact].flag)
		r->readers[held.lock]--;
	else
		r->writers[held.lock]--;
}

static bool holds(const struct actor *a, uint32_t lock)
{
	for (uint32_t i = 0; i < a->depth; i++)
		if (a->held[i].lock == lock)
			return true;
	return false;
}

static void lock_step(struct run *r, uint32_t thread)
{
	struct actor *a = &r->actors[thread];
	uint32_t lock = below(r, LOCKS);
	bool shared = chance(r, 30);

	if (a->depth && chance(r, 60)) {
		release(r, thread, node(r, thread));
	} else if (!holds(a, lock) && a->depth < HELD) {
		bool busy = r->writers[lock] || (!shared && r->readers[lock]);
		uint32_t n = node(r, thread);

		if (busy)
			add(r, FACT_FAIL, lock, n, 0, shared);
		else
			take(r, thread, n, lock, shared);
	}
}

/* A signal wakes any waiting thread here; the solvers may assign signals differently. */
static void signal_step(struct run *r, uint32_t thread)
{
	uint32_t condition = r->waits ? 0 : below(r, CONDITIONS), first = below(r, THREADS);
	bool broadcast = chance(r, 25);

	add(r, FACT_SIGNAL, condition, node(r, thread), 0, broadcast);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct actor *a = &r->actors[(first + i) % THREADS];

		if (a->waits == SIZE_MAX || a->woken ||
		    r->sketch->facts.items[a->waits].object != condition)
			continue;
		a->woken = true;
		if (!broadcast)
			break;
	}
}

static void wait_step(struct run *r, uint32_t thread, uint32_t n)
{
	struct actor *a = &r->actors[thread];

	a->waits = r->sketch->facts.count;
	a->woken = false;
	sketch_add(r->sketch, (struct fact){ .kind = FACT_WAIT,
					     .object = r->waits ? 0 : below(r, CONDITIONS),
					     .a = n,
					     .b = ORDER_NONE,
					     .thread = thread,
					     .value = ORDER_WAKE_SIGNAL });
}

static void wake_step(struct run *r, uint32_t thread)
{
	struct actor *a = &r->actors[thread];
	uint32_t n;

	if (!chance(r, a->woken ? (r->waits ? 40 : 100) : (r->waits ? 3 : 15)))
		return;
	n = node(r, thread);
	r->sketch->facts.items[a->waits].b = n;
	r->sketch->facts.items[a->waits].value = a->woken ? ORDER_WAKE_SIGNAL : ORDER_WAKE_FREE;
	a->waits = SIZE_MAX;
}

static void semaphore_step(struct run *r, uint32_t thread)
{
	uint32_t s = below(r, SEMAPHORES), n = node(r, thread);

	if (chance(r, 45)) {
		r->count[s]++;
		add(r, FACT_POST, s, n, 0, false);
	} else if (r->count[s]) {
		r->count[s]--;
		add(r, FACT_DOWN, s, n, 0, false);
	} else {
		add(r, FACT_ZERO, s, n, 0, false);
	}
}

static void step(struct run *r, uint32_t thread, const uint32_t *weights)
{
	uint32_t roll = below(r, weights[0] + weights[1] + weights[2] + weights[3] + 1);

	if (r->actors[thread].waits != SIZE_MAX)
		wake_step(r, thread);
	else if (roll < weights[0])
		touch(r, thread);
	else if ((roll -= weights[0]) < weights[1])
		lock_step(r, thread);
	else if ((roll -= weights[1]) < weights[2] && chance(r, 55))
		signal_step(r, thread);
	else if (roll < weights[2])
		wait_step(r, thread, node(r, thread));
	else if ((roll -= weights[2]) < weights[3])
		semaphore_step(r, thread);
	else
		node(r, thread);
}

static void start(struct run *r, uint32_t threads)
{
	for (uint32_t c = 0; c < CELLS; c++) {
		r->writer[c] = ORDER_NONE;
		r->value_known[c] = chance(r, 80);
		r->value[c] = below(r, 2);
		if (r->value_known[c])
			add(r, FACT_INITIAL, c, 0, r->value[c], false);
		else
			r->value[c] = 77;
	}
	for (uint32_t s = 0; s < SEMAPHORES; s++) {
		r->count[s] = below(r, 3);
		add(r, FACT_SEMAPHORE, s, 0, r->count[s], false);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		r->actors[t].waits = SIZE_MAX;
	for (uint32_t t = 0; t < threads; t++) {
		if (chance(r, 10) && !r->writers[0] && !r->readers[0])
			take(r, t, ORDER_NONE, 0, chance(r, 30));
		if (chance(r, 5))
			wait_step(r, t, ORDER_NONE);
	}
}

/* ---- queries ------------------------------------------------------------------------------- */

static uint32_t any_node(struct run *r)
{
	return below(r, (uint32_t)r->sketch->nodes.count);
}

static void require(struct run *r, uint32_t a, uint32_t b)
{
	struct fact fact = { .kind = FACT_CLAUSE };

	sketch_add_literal(&fact, a, b, false);
	sketch_add(r->sketch, fact);
}

static uint32_t previous(const struct run *r, uint32_t n)
{
	for (uint32_t i = n; i-- > 0;)
		if (r->sketch->nodes.items[i] == r->sketch->nodes.items[n])
			return i;
	return ORDER_NONE;
}

static void ask_next(struct run *r, uint32_t n)
{
	if (previous(r, n) != ORDER_NONE)
		require(r, previous(r, n), ORDER_CUT);
	require(r, ORDER_CUT, n);
}

/* Requires that nodes of different threads are all next. */
static void ask_meeting(struct run *r, uint32_t count)
{
	bool used[THREADS] = { false };

	for (uint32_t tries = 0; count && tries < 20; tries++) {
		uint32_t n = any_node(r);

		if (used[r->sketch->nodes.items[n]])
			continue;
		used[r->sketch->nodes.items[n]] = true;
		ask_next(r, n);
		count--;
	}
}

static void ask_whole(struct run *r, uint32_t thread)
{
	for (uint32_t n = (uint32_t)r->sketch->nodes.count; n-- > 0;)
		if (r->sketch->nodes.items[n] == thread) {
			require(r, n, ORDER_CUT);
			return;
		}
}

static void add_random_literal(struct run *r, struct fact *fact)
{
	uint32_t a = any_node(r), b = chance(r, 50) ? ORDER_CUT : any_node(r);

	if (chance(r, 25) || a == b)
		sketch_add_literal(fact, ORDER_NONE, below(r, 6), chance(r, 50));
	else if (chance(r, 50))
		sketch_add_literal(fact, a, b, chance(r, 50));
	else
		sketch_add_literal(fact, b, a, chance(r, 50));
}

static void ask_clauses(struct run *r, uint32_t count)
{
	while (count--) {
		struct fact fact = { .kind = FACT_CLAUSE };

		for (uint32_t k = 1 + below(r, 4); k > 0; k--)
			add_random_literal(r, &fact);
		sketch_add(r->sketch, fact);
	}
}

/*
 * Requires an empty semaphore or an unwoken wait, always or depending on a literal of the clauses.
 */
static void ask_blocked(struct run *r)
{
	size_t i = below(r, (uint32_t)r->sketch->facts.count), end = r->sketch->facts.count;
	struct fact fact = { .kind = FACT_EMPTY, .object = below(r, SEMAPHORES) };

	if (r->waits || chance(r, 70)) {
		while (i < end && (r->sketch->facts.items[i].kind != FACT_WAIT ||
				   r->sketch->facts.items[i].value != ORDER_WAKE_SIGNAL))
			i++;
		if (i < end) {
			fact = (struct fact){ .kind = FACT_DEAF,
					      .a = r->sketch->facts.items[i].number };
		}
	}
	if (chance(r, 30)) {
		add_random_literal(r, &fact);
		sketch_add(r->sketch, fact);
		return;
	}
	sketch_add_literal(&fact, ORDER_NONE, 6 + below(r, 4), chance(r, 20));
	sketch_add(r->sketch, fact);
	fact.kind = FACT_CLAUSE;
	if (chance(r, 30))
		add_random_literal(r, &fact);
	sketch_add(r->sketch, fact);
}

/* Requires most of the first steps, in their recorded order. */
static void ask_replay(struct run *r)
{
	uint32_t length = 1 + any_node(r), often = chance(r, 50) ? 80 : 97;

	for (uint32_t n = 0; n < length; n++) {
		if (n && chance(r, often))
			require(r, n - 1, n);
		if (chance(r, often))
			require(r, n, ORDER_CUT);
	}
}

static void ask(struct run *r, uint32_t threads)
{
	if (r->waits)
		ask_blocked(r);
	if (chance(r, r->waits ? 60 : 5)) {
		ask_replay(r);
		return;
	}
	if (chance(r, 70))
		ask_meeting(r, 1 + below(r, threads));
	while (chance(r, 30))
		ask_whole(r, below(r, threads));
	if (chance(r, 40))
		ask_clauses(r, 1 + below(r, 6));
	while (chance(r, 45))
		ask_blocked(r);
}

/* Changes some facts: the answer may then be anything, but both solvers must agree. */
static void disturb(struct run *r)
{
	for (size_t i = 0; i < r->sketch->facts.count; i++) {
		struct fact *f = &r->sketch->facts.items[i];

		if (!chance(r, 10))
			continue;
		if (f->kind == FACT_READ || f->kind == FACT_WRITE || f->kind == FACT_INITIAL)
			f->value = below(r, 3);
		else if (f->kind == FACT_SEMAPHORE)
			f->value = below(r, 2);
		else if (f->kind == FACT_SIGNAL || f->kind == FACT_SECTION || f->kind == FACT_FAIL)
			f->flag = !f->flag;
		else if (f->kind == FACT_WAIT)
			f->value = !f->value;
	}
}

void queries_make(struct sketch *sketch, uint32_t nodes, uint64_t *random)
{
	struct run r = { .sketch = sketch, .random = random, .edges = 5 };
	uint32_t weights[4], threads, thread = 0, stuck = 0;

	*sketch = (struct sketch){ .threads = THREADS };
	threads = 2 + below(&r, THREADS - 1);
	for (int i = 0; i < 4; i++)
		weights[i] = chance(&r, 60) ? 1 + below(&r, 10) : 0;
	if (chance(&r, 25)) {
		/*
		 * which wait is unwoken depends on all signals of a condition, so make few steps,
		 * most of them on conditions
		 */
		r.waits = true;
		weights[2] = 60;
		nodes = 4 + nodes % 9;
	}
	start(&r, threads);
	while (sketch->nodes.count < nodes && stuck < 1000) {
		size_t before = sketch->nodes.count;

		if (chance(&r, 50))
			thread = below(&r, threads);
		step(&r, thread, weights);
		stuck = sketch->nodes.count == before ? stuck + 1 : 0;
	}
	if (!sketch->nodes.count)
		node(&r, 0);
	if (chance(&r, 25))
		disturb(&r);
	ask(&r, threads);
}
