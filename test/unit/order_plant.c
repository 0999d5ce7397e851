/*
 * Tests the ordering solver on models that are too large for brute force. A hidden run is played
 * with locks, conditions, semaphores and values. Its nodes are then numbered by another
 * interleaving, which need not be feasible. The query asks for facts that hold at some moment of
 * the hidden run. So the answer must be "possible"; "impossible" would be a wrong proof.
 * SOOTH_RANDOM=N tries N models, SOOTH_SEED=S starts with another one.
 */
#include "order/solver/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 160, THREADS = 6, CELLS = 4, LOCKS = 3, CONDITIONS = 2, SEMAPHORES = 2 };

enum kind {
	READ,
	WRITE,
	UPDATE,
	ACQUIRE,
	RELEASE,
	FAIL,
	WAIT,
	WOKEN,
	SIGNAL,
	BROADCAST,
	POST,
	DOWN,
	ZERO,
	KINDS
};

/* A step of the hidden run. */
struct step {
	enum kind kind;
	int thread, object;
	uint32_t value, old; /* for accesses */
	bool shared;	     /* for locks */
	bool timed_out;	     /* for WOKEN */
	int mate;	     /* acquire, wait: the step that ends the section or the wait, or -1 */
	uint32_t node;	     /* number of its node in the model */
};

struct run {
	int steps, threads;
	struct step step[NODES];
	int edge[NODES][2], edges;
	/* state while playing */
	uint32_t cell[CELLS], count[SEMAPHORES], start_count[SEMAPHORES];
	int held[LOCKS][THREADS];	  /* step of the acquire, or -1 */
	int waiting[CONDITIONS][THREADS]; /* step of the wait, or -1 */
	bool woken[CONDITIONS][THREADS];
};

static uint64_t seed;

static int below(int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)((seed >> 11) % (unsigned)n);
}

/* ---- the hidden run -------------------------------------------------------------------------- */

static bool is_free(const struct run *r, int lock, int but, bool shared)
{
	for (int t = 0; t < r->threads; t++)
		if (t != but && r->held[lock][t] != -1 &&
		    !(shared && r->step[r->held[lock][t]].shared))
			return false;
	return true;
}

static bool play_lock(struct run *r, struct step *s)
{
	int *held = &r->held[s->object][s->thread];

	if (s->kind == ACQUIRE) {
		if (*held != -1 || !is_free(r, s->object, -1, s->shared))
			return false;
		*held = r->steps;
	} else if (s->kind == RELEASE) {
		if (*held == -1)
			return false;
		r->step[*held].mate = r->steps;
		*held = -1;
	} else {
		return *held == -1 && !is_free(r, s->object, s->thread, s->shared);
	}
	return true;
}

static bool play_condition(struct run *r, struct step *s)
{
	int *waiting = &r->waiting[s->object][s->thread], first = below(r->threads);

	if (s->kind == WAIT) {
		if (*waiting != -1)
			return false;
		*waiting = r->steps;
		r->woken[s->object][s->thread] = false;
	} else if (s->kind == WOKEN) {
		if (*waiting == -1 || !(r->woken[s->object][s->thread] || s->timed_out))
			return false;
		r->step[*waiting].mate = r->steps;
		r->step[*waiting].timed_out = s->timed_out;
		*waiting = -1;
	} else {
		for (int i = 0; i < r->threads; i++) {
			int t = (first + i) % r->threads;

			if (r->waiting[s->object][t] == -1 || r->woken[s->object][t])
				continue;
			r->woken[s->object][t] = true;
			if (s->kind == SIGNAL)
				break;
		}
	}
	return true;
}

/*
 * Plays a step if it is possible. A thread that waits on a condition does nothing else on this
 * condition.
 */
static bool play(struct run *r, struct step *s)
{
	switch (s->kind) {
	case READ: s->old = r->cell[s->object]; return true;
	case UPDATE: s->old = r->cell[s->object]; /* fall through */
	case WRITE: r->cell[s->object] = s->value; return true;
	case ACQUIRE:
	case RELEASE:
	case FAIL: return play_lock(r, s);
	case WAIT:
	case WOKEN:
	case SIGNAL:
	case BROADCAST: return play_condition(r, s);
	case POST: r->count[s->object]++; return true;
	case DOWN: return r->count[s->object] && r->count[s->object]--;
	case ZERO: return r->count[s->object] == 0;
	default: return false;
	}
}

static int objects(enum kind kind)
{
	return kind <= UPDATE	   ? CELLS
	       : kind <= FAIL	   ? LOCKS
	       : kind <= BROADCAST ? CONDITIONS
				   : SEMAPHORES;
}

static void make_run(struct run *r, int length)
{
	int group = below(6), thread = 0, wanted_values = 2 + below(3);

	memset(r, 0, sizeof *r);
	memset(r->held, 0xff, sizeof r->held);
	memset(r->waiting, 0xff, sizeof r->waiting);
	r->threads = 2 + below(THREADS - 1);
	for (int i = 0; i < SEMAPHORES; i++)
		r->count[i] = r->start_count[i] = (uint32_t)below(3);
	while (r->steps < length) {
		static const enum kind first[] = { READ, ACQUIRE, WAIT, POST, READ, READ };
		static const enum kind end[] = { ACQUIRE, WAIT, POST, KINDS, KINDS, WAIT };
		struct step s = { .mate = -1 };

		if (below(3) == 0)
			thread = below(r->threads);
		s.kind = first[group] + (enum kind)below((int)end[group] - (int)first[group]);
		s.thread = thread;
		s.object = below(objects(s.kind));
		s.value = (uint32_t)below(wanted_values);
		s.shared = below(3) == 0;
		s.timed_out = below(8) == 0;
		if (play(r, &s))
			r->step[r->steps++] = s;
	}
	for (int i = below(4); i > 0; i--) {
		int a = below(length - 1);

		r->edge[r->edges][0] = a;
		r->edge[r->edges++][1] = a + 1 + below(length - 1 - a);
	}
}

/* Numbers the nodes by another interleaving, which respects only program order and edges. */
static void number_nodes(struct run *r, int *step_of)
{
	bool done[NODES] = { false };
	int thread = 0;

	for (int n = 0; n < r->steps;) {
		int i = 0;
		bool ready = true;

		if (below(3) == 0)
			thread = below(r->threads);
		while (i < r->steps && (done[i] || r->step[i].thread != thread))
			i++;
		for (int e = 0; e < r->edges; e++)
			ready &= r->edge[e][1] != i || done[r->edge[e][0]];
		if (i == r->steps || !ready) {
			thread = below(r->threads);
			continue;
		}
		done[i] = true;
		step_of[n] = i;
		r->step[i].node = (uint32_t)n++;
	}
}

/* ---- the model ------------------------------------------------------------------------------- */

#define FOR_STEPS(r, step_of, s, condition)                                                        \
	for (int n_ = 0; n_ < (r)->steps; n_++)                                                    \
		for (const struct step *s = &(r)->step[(step_of)[n_]]; s; s = NULL)                \
			if (condition)

static void build_memory(const struct run *r, const int *step_of, struct order_model *m)
{
	for (int o = 0; o < CELLS; o++) {
		struct order_cell c = { .write_start = (uint32_t)m->writes.count,
					.read_start = (uint32_t)m->reads.count };

		FOR_STEPS(r, step_of, s, s->object == o && (s->kind == WRITE || s->kind == UPDATE))
		*vec_push(&m->writes) = (struct order_write){ s->node, s->value };
		FOR_STEPS(r, step_of, s, s->object == o && (s->kind == READ || s->kind == UPDATE))
		*vec_push(&m->reads) = (struct order_read){ s->node, s->old, ORDER_ANY };
		c.write_count = (uint32_t)m->writes.count - c.write_start;
		c.read_count = (uint32_t)m->reads.count - c.read_start;
		*vec_push(&m->cells) = c;
	}
}

static uint32_t mate_of(const struct run *r, const struct step *s)
{
	return s->mate == -1 ? ORDER_NONE : r->step[s->mate].node;
}

static void build_sync(const struct run *r, const int *step_of, struct order_model *m)
{
	for (int o = 0; o < LOCKS; o++) {
		struct order_lock l = { .section_start = (uint32_t)m->sections.count,
					.fail_start = (uint32_t)m->fails.count };

		FOR_STEPS(r, step_of, s, s->object == o && s->kind == ACQUIRE)
		*vec_push(&m->sections) = (struct order_section){ s->node, mate_of(r, s),
								  (uint32_t)s->thread, s->shared };
		FOR_STEPS(r, step_of, s, s->object == o && s->kind == FAIL)
		*vec_push(&m->fails) = (struct order_fail){ s->node, s->shared };
		l.section_count = (uint32_t)m->sections.count - l.section_start;
		l.fail_count = (uint32_t)m->fails.count - l.fail_start;
		*vec_push(&m->locks) = l;
	}
	for (int o = 0; o < CONDITIONS; o++) {
		struct order_condition c = { .wait_start = (uint32_t)m->waits.count,
					     .signal_start = (uint32_t)m->signals.count };

		FOR_STEPS(r, step_of, s, s->object == o && s->kind == WAIT)
		*vec_push(&m->waits) = (struct order_wait){
			s->node,
			mate_of(r, s),
			(uint32_t)s->thread,
			s->timed_out ? ORDER_WAKE_FREE : ORDER_WAKE_SIGNAL,
			false,
			ORDER_NONE,
		};
		FOR_STEPS(r, step_of, s,
			  s->object == o && (s->kind == SIGNAL || s->kind == BROADCAST))
		*vec_push(&m->signals) = (struct order_signal){ s->node, s->kind == BROADCAST };
		c.wait_count = (uint32_t)m->waits.count - c.wait_start;
		c.signal_count = (uint32_t)m->signals.count - c.signal_start;
		*vec_push(&m->conditions) = c;
	}
}

static void build_semaphores(const struct run *r, const int *step_of, struct order_model *m)
{
	for (int o = 0; o < SEMAPHORES; o++) {
		struct order_semaphore x = { .initial = r->start_count[o],
					     .exact = true,
					     .post_start = (uint32_t)m->posts.count,
					     .down_start = (uint32_t)m->downs.count,
					     .zero_start = (uint32_t)m->zeros.count };

		FOR_STEPS(r, step_of, s, s->object == o && s->kind == POST)
		*vec_push(&m->posts) = s->node;
		FOR_STEPS(r, step_of, s, s->object == o && s->kind == DOWN)
		*vec_push(&m->downs) = s->node;
		FOR_STEPS(r, step_of, s, s->object == o && s->kind == ZERO)
		*vec_push(&m->zeros) = s->node;
		x.post_count = (uint32_t)m->posts.count - x.post_start;
		x.down_count = (uint32_t)m->downs.count - x.down_start;
		x.zero_count = (uint32_t)m->zeros.count - x.zero_start;
		*vec_push(&m->semaphores) = x;
	}
}

static void build(const struct run *r, const int *step_of, struct order_model *m)
{
	m->node_count = (uint32_t)r->steps;
	m->thread_count = (uint32_t)r->threads;
	for (int n = 0; n < r->steps; n++)
		*vec_push(&m->thread) = (uint32_t)r->step[step_of[n]].thread;
	order_model_index(m);
	for (int e = 0; e < r->edges; e++)
		*vec_push(&m->edges) = (struct order_edge){ r->step[r->edge[e][0]].node,
							    r->step[r->edge[e][1]].node };
	build_memory(r, step_of, m);
	build_sync(r, step_of, m);
	build_semaphores(r, step_of, m);
}

/* ---- the query ------------------------------------------------------------------------------- */

/*
 * Returns the literal "a before b", or its negation, whichever is true in the hidden run. -1 stands
 * for the cut before step `cut`.
 */
static int32_t true_literal(const struct run *r, struct order_query *q, int cut, int a, int b)
{
	int place_a = a == -1 ? 2 * cut - 1 : 2 * a, place_b = b == -1 ? 2 * cut - 1 : 2 * b;
	int32_t literal = order_query_before(q, a == -1 ? ORDER_CUT : r->step[a].node,
					     b == -1 ? ORDER_CUT : r->step[b].node);

	return place_a < place_b ? literal : -literal;
}

/* Requires that all nodes of the thread are inside. */
static void ask_whole_thread(struct order_query *q, const struct order_model *m, uint32_t thread)
{
	uint32_t end = m->thread_start.items[thread + 1];
	int32_t inside;

	if (end == m->thread_start.items[thread])
		return;
	inside = order_query_before(q, m->thread_nodes.items[end - 1], ORDER_CUT);
	order_query_clause(q, &inside, 1);
}

static void ask(const struct run *r, const struct order_model *m, int cut, struct order_query *q)
{
	uint32_t count[SEMAPHORES];

	for (int t = 0; t < r->threads; t++) {
		int first = cut;

		while (first < r->steps && r->step[first].thread != t)
			first++;
		if (below(4) == 0)
			continue;
		if (first < r->steps)
			order_query_next(q, m, r->step[first].node);
		else
			ask_whole_thread(q, m, (uint32_t)t);
	}
	for (int i = below(r->steps / 4); i > 0; i--) {
		int32_t literals[3];
		uint32_t size = 1 + (uint32_t)below(3);

		for (uint32_t k = 0; k < size; k++) {
			int a = below(r->steps), b = below(6) ? below(r->steps) : -1;

			literals[k] = true_literal(r, q, cut, a, a == b ? -1 : b);
			if (k && below(2))
				literals[k] = -literals[k];
		}
		order_query_clause(q, literals, size);
	}
	memcpy(count, r->start_count, sizeof count);
	for (int i = 0; i < cut; i++) {
		count[r->step[i].object % SEMAPHORES] += r->step[i].kind == POST;
		count[r->step[i].object % SEMAPHORES] -= r->step[i].kind == DOWN;
	}
	for (uint32_t i = 0; i < SEMAPHORES; i++) {
		int32_t yes = order_query_boolean(q);

		if (count[i] == 0)
			order_query_clause(q, &yes, 1);
		*vec_push(&q->empty) = (struct order_empty){ yes, i };
	}
}

static long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

static void finds_hidden_runs(void **state)
{
	static const uint64_t patience[] = { 0, 30, 1000000 };
	long count = setting("SOOTH_RANDOM", 1500), start = setting("SOOTH_SEED", 1);

	(void)state;
	for (long i = 0; i < count; i++) {
		struct order_model m = { 0 };
		struct order_query q = { 0 };
		struct order_clock clock;
		struct order_solution solution;
		struct order_solver *solver;
		int step_of[NODES];
		struct run r;

		seed = (uint64_t)(start + i) * 0x9e3779b97f4a7c15u + 1;
		for (int k = 0; k < 4; k++)
			below(2);
		make_run(&r, 10 + below(setting("SOOTH_LENGTH", 50)));
		number_nodes(&r, step_of);
		build(&r, step_of, &m);
		ask(&r, &m, below(r.steps + 1), &q);
		order_clock_make(&clock, &m);
		solver = order_solver_open(&m, &clock);
		for (int k = 0; k < 3; k++) {
			enum order_answer answer;

			order_solver_set_patience(solver, patience[k]);
			answer = order_solve(solver, &q, 0, &solution);
			if (answer != ORDER_POSSIBLE)
				fprintf(stderr, "case %ld, patience %d\n", start + i,
					(int)patience[k]);
			assert_int_equal(answer, ORDER_POSSIBLE);
		}
		order_solver_close(solver);
		order_clock_free(&clock);
		order_model_free(&m);
		order_query_free(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_hidden_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
