/*
 * Tests GoodLock: the figures of the paper by hand, and random traces compared with the definition:
 * all cycles of requests of different threads, tried one after the other, without trees.
 */
#include "predict/warnings/goodlock.h"
#include "predict/warnings/warnings.h"

#include "base/mem.h"
#include "trace_make.h"

#include <inttypes.h>

struct run {
	struct make_dir dir;
	struct trace *trace;
	struct predict_result result;
};

static void start(struct run *run, const char *text)
{
	char path[128];
	struct err err;

	*run = (struct run){ .dir = make_dir() };
	make_file(&run->dir, "text.std", text, strlen(text));
	snprintf(path, sizeof path, "%s/text.std", run->dir.path);
	if (!trace_open(path, &run->trace, &err))
		fail_msg("%s\n%s", err.text, text);
	predict_goodlock(run->trace, true, &run->result);
	assert_int_equal(run->result.problems.count, 0);
	assert_int_equal(run->result.stats.not_asked, 0);
}

static void stop(struct run *run)
{
	predict_result_free(&run->result);
	trace_close(run->trace);
	make_remove(&run->dir);
}

/*
 * Writes a finding as "0.3 1.4": stream and index of each acquisition, in the order of the cycle.
 */
static void write_finding(const struct finding *f, char *text, size_t size)
{
	*text = 0;
	for (size_t i = 0; i < f->events.count; i++) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, "%s%" PRIu32 ".%" PRIu64, i ? " " : "",
			 f->events.items[i].id.stream, f->events.items[i].id.index);
	}
}

/* Expects findings, separated by commas. */
static void expect(const char *text, const char *wanted)
{
	char seen[512] = "";
	struct run run;

	start(&run, text);
	for (size_t i = 0; i < run.result.findings.count; i++) {
		const struct finding *f = &run.result.findings.items[i];
		char one[128];

		assert_int_equal(f->kind, FINDING_LOCK_ORDER);
		assert_int_equal(f->status, FINDING_WARNING);
		assert_int_equal(f->count, 1);
		for (size_t k = 0; k < f->events.count; k++)
			assert_int_equal(f->events.items[k].waits_for, (k + 1) % f->events.count);
		write_finding(f, one, sizeof one);
		if (i)
			strcat(seen, ", ");
		strcat(seen, one);
	}
	assert_string_equal(seen, wanted);
	stop(&run);
}

/* ---- by hand ------------------------------------------------------------------------------- */

/* Figure 7; the numbers are the nodes of figure 8. */
#define FIGURE_7                                                                                   \
	"T0|acq(L1)|1\nT0|acq(L3)|2\nT0|acq(L2)|3\nT0|rel(L2)|\nT0|acq(L4)|4\nT0|rel(L4)|\n"       \
	"T0|rel(L3)|\nT0|rel(L1)|\n"                                                               \
	"T0|acq(L4)|5\nT0|acq(L2)|6\nT0|acq(L3)|7\nT0|rel(L3)|\nT0|rel(L2)|\nT0|rel(L4)|\n"        \
	"T1|acq(L1)|8\nT1|acq(L2)|9\nT1|acq(L3)|10\nT1|rel(L3)|\nT1|rel(L2)|\nT1|rel(L1)|\n"       \
	"T1|acq(L4)|11\nT1|acq(L3)|12\nT1|acq(L2)|13\nT1|rel(L2)|\nT1|rel(L3)|\nT1|rel(L4)|\n"

static void figures(void **state)
{
	(void)state;
	/* exactly one finding, whether the loops run once or twice */
	expect(FIGURE_7, "0.4 1.7");
	expect(FIGURE_7 FIGURE_7, "0.4 1.7");
	/* figure 4 */
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\n"
	       "T1|acq(b)|5\nT1|acq(a)|6\nT1|rel(a)|7\nT1|rel(b)|8\n",
	       "0.1 1.1");
	/* three threads, the end of section 3.2 */
	expect("T0|acq(L1)|1\nT0|acq(L2)|2\nT0|rel(L2)|3\nT0|rel(L1)|4\n"
	       "T1|acq(L2)|5\nT1|acq(L3)|6\nT1|rel(L3)|7\nT1|rel(L2)|8\n"
	       "T2|acq(L3)|9\nT2|acq(L1)|10\nT2|rel(L1)|11\nT2|rel(L3)|12\n",
	       "0.1 1.1 2.1");
}

static void what_is_fine(void **state)
{
	(void)state;
	/* one thread only; then two threads with the same order */
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\n"
	       "T0|acq(b)|5\nT0|acq(a)|6\nT0|rel(a)|7\nT0|rel(b)|8\n"
	       "T1|acq(a)|9\nT1|acq(b)|10\nT1|rel(b)|11\nT1|rel(a)|12\n",
	       "0.5 1.1");
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\n"
	       "T1|acq(a)|5\nT1|acq(b)|6\nT1|rel(b)|7\nT1|rel(a)|8\n",
	       "");
	/* a gate lock */
	expect("T0|acq(g)|1\nT0|acq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\nT0|rel(g)|5\n"
	       "T1|acq(g)|6\nT1|acq(b)|5\nT1|acq(a)|6\nT1|rel(a)|7\nT1|rel(b)|8\nT1|rel(g)|9\n",
	       "");
	/* a gate lock that both threads hold for reading is no gate */
	expect("T0|racq(g)|1\nT0|acq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\nT0|rrel(g)|5\n"
	       "T1|racq(g)|6\nT1|acq(b)|5\nT1|acq(a)|6\nT1|rel(a)|7\nT1|rel(b)|8\nT1|rrel(g)|9\n",
	       "0.2 1.2");
}

static void tries_and_readers(void **state)
{
	(void)state;
	/* a try does not block */
	expect("T0|acq(a)|1\nT0|tryacq(b)=1|2\nT0|rel(b)|3\nT0|rel(a)|4\n"
	       "T1|acq(b)|5\nT1|acq(a)|6\nT1|rel(a)|7\nT1|rel(b)|8\n",
	       "");
	/* but the lock that a try got is held */
	expect("T0|tryacq(a)=1|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\n"
	       "T1|acq(b)|5\nT1|acq(a)|6\nT1|rel(a)|7\nT1|rel(b)|8\n",
	       "0.1 1.1");
	/* the second acquisition can block: the finding names this one */
	expect("T0|acq(a)|1\nT0|tryacq(b)=1|2\nT0|rel(b)|3\nT0|acq(b)|4\nT0|rel(b)|5\n"
	       "T0|rel(a)|6\n"
	       "T1|acq(b)|7\nT1|acq(a)|8\nT1|rel(a)|9\nT1|rel(b)|10\n",
	       "0.3 1.1");
	/* readers do not wait for readers */
	expect("T0|racq(a)|1\nT0|racq(b)|2\nT0|rrel(b)|3\nT0|rrel(a)|4\n"
	       "T1|racq(b)|5\nT1|racq(a)|6\nT1|rrel(a)|7\nT1|rrel(b)|8\n",
	       "");
	expect("T0|racq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rrel(a)|4\n"
	       "T1|racq(b)|5\nT1|racq(a)|6\nT1|rrel(a)|7\nT1|rrel(b)|8\n",
	       "");
	expect("T0|racq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rrel(a)|4\n"
	       "T1|racq(b)|5\nT1|acq(a)|6\nT1|rel(a)|7\nT1|rrel(b)|8\n",
	       "0.1 1.1");
}

static void unusual_ways(void **state)
{
	(void)state;
	/* hand over hand: a is released before c is taken, b is still held */
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|rel(a)|3\nT0|acq(c)|4\nT0|rel(b)|5\nT0|rel(c)|6\n"
	       "T1|acq(c)|7\nT1|acq(a)|8\nT1|rel(a)|9\nT1|rel(c)|10\n",
	       "");
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|rel(a)|3\nT0|acq(c)|4\nT0|rel(b)|5\nT0|rel(c)|6\n"
	       "T1|acq(c)|7\nT1|acq(b)|8\nT1|rel(b)|9\nT1|rel(c)|10\n",
	       "0.3 1.1");
	/* a recursive acquire is not a second acquisition */
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|acq(a)|3\nT0|rel(a)|4\nT0|rel(b)|5\nT0|rel(a)|6\n"
	       "T1|acq(a)|7\nT1|acq(b)|8\nT1|rel(b)|9\nT1|rel(a)|10\n",
	       "");
	/* a woken thread acquires the mutex again, while it holds its other locks */
	expect("T0|acq(m)|1\nT0|acq(a)|2\nT0|wait(c,m)|3\nT0|woken(c,m)|4\nT0|rel(a)|5\n"
	       "T0|rel(m)|6\n"
	       "T1|acq(m)|7\nT1|acq(a)|8\nT1|rel(a)|9\nT1|rel(m)|10\n",
	       "0.3 1.1");
	/* the deadlock happened in the recorded run */
	expect("T0|acq(a)|1\nT1|acq(b)|2\nT0|req(b)|3\nT1|req(a)|4\n", "0.1 1.1");
	/* a lock that is initialised again is another lock */
	expect("T0|acq(a)|1\nT0|acq(b)|2\nT0|rel(b)|3\nT0|rel(a)|4\nT0|destroy(b)|5\n"
	       "T1|init(b)=normal|6\nT1|acq(b)|7\nT1|acq(a)|8\nT1|rel(a)|9\nT1|rel(b)|10\n",
	       "");
}

static void count_cycle(void *context, const uint32_t *nodes, size_t count)
{
	size_t *longest = context;

	(void)nodes;
	*longest = count > *longest ? count : *longest;
}

/* A cycle of many threads is found, unless the length of cycles is limited. */
static void long_rings(void **state)
{
	enum { THREADS = 300 };
	char *text = mem_alloc(THREADS * 120);
	struct lock_trees trees;
	size_t longest = 0;
	struct run run;
	int used = 0;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		used += sprintf(text + used,
				"T%d|acq(f%d)|1\nT%d|acq(f%d)|2\nT%d|rel(f%d)|3\nT%d|rel(f%d)|4\n",
				i, i, i, (i + 1) % THREADS, i, (i + 1) % THREADS, i, i);
	start(&run, text);
	assert_int_equal(run.result.findings.count, 1);
	assert_int_equal(run.result.findings.items[0].events.count, THREADS);
	lock_trees_make(&trees, run.trace);
	assert_true(goodlock_search(&trees, &(struct goodlock_options){ .longest = THREADS - 1 },
				    count_cycle, &longest));
	assert_int_equal(longest, 0);
	assert_false(goodlock_search(&trees, &(struct goodlock_options){ .steps = 100 },
				     count_cycle, &longest));
	lock_trees_free(&trees);
	stop(&run);
	free(text);
}

/* ---- random -------------------------------------------------------------------------------- */

#define THREADS 4
#define LOCKS 4
#define EVENTS 80
#define REQUESTS 128
#define CYCLES 4096

struct held {
	uint32_t lock;
	bool shared;
};

/*
 * A thread requests a lock while it holds others. The event is the first one at which it does so.
 */
struct request {
	uint32_t thread, index, lock;
	bool shared;
	struct held held[LOCKS];
	size_t held_count;
};

struct model {
	struct held held[THREADS][LOCKS];
	size_t held_count[THREADS];
	uint32_t next[THREADS], last;
	struct request requests[REQUESTS];
	size_t request_count;
	size_t path[THREADS], path_count;
	char cycles[CYCLES][64];
	size_t cycle_count;
};

static bool same_request(const struct request *a, const struct request *b)
{
	if (a->thread != b->thread || a->lock != b->lock || a->shared != b->shared ||
	    a->held_count != b->held_count)
		return false;
	for (size_t i = 0; i < a->held_count; i++) {
		if (a->held[i].lock != b->held[i].lock || a->held[i].shared != b->held[i].shared)
			return false;
	}
	return true;
}

static void ask(struct model *m, uint32_t t, uint32_t lock, bool shared)
{
	struct request *r = &m->requests[m->request_count];

	memset(r, 0, sizeof *r);
	r->thread = t;
	r->index = m->next[t];
	r->lock = lock;
	r->shared = shared;
	r->held_count = m->held_count[t];
	memcpy(r->held, m->held[t], sizeof r->held);
	for (size_t i = 0; i < m->request_count; i++) {
		if (same_request(&m->requests[i], r))
			return;
	}
	m->request_count++;
}

static int make_event(struct model *m, struct make_random *r, char *text)
{
	uint32_t lock = (uint32_t)make_below(r, LOCKS), t = m->last;
	bool taken = false, written = false, own = false, try = make_below(r, 6) == 0;
	bool shared = make_below(r, 3) == 0;
	size_t at = 0;

	/* A thread continues for some steps, until it needs a lock that another thread holds. */
	if (make_below(r, 5) == 0)
		t = m->last = (uint32_t)make_below(r, THREADS);
	for (uint32_t k = 0; k < THREADS; k++) {
		for (size_t i = 0; i < m->held_count[k]; i++) {
			if (m->held[k][i].lock != lock)
				continue;
			taken = true;
			written |= !m->held[k][i].shared;
			own |= k == t;
			if (k == t)
				at = i;
		}
	}
	if (own) {
		shared = m->held[t][at].shared;
		m->held_count[t]--;
		for (; at < m->held_count[t]; at++)
			m->held[t][at] = m->held[t][at + 1];
		m->next[t]++;
		return sprintf(text, "T%u|%s(m%u)|1\n", t, shared ? "rrel" : "rel", lock);
	}
	if (shared ? written : taken)
		return 0;
	if (!try)
		ask(m, t, lock, shared);
	m->held[t][m->held_count[t]++] = (struct held){ lock, shared };
	m->next[t]++;
	return try ? sprintf(text, "T%u|%s(m%u)=1|1\n", t, shared ? "tryracq" : "tryacq", lock)
		   : sprintf(text, "T%u|%s(m%u)|1\n", t, shared ? "racq" : "acq", lock);
}

static bool exclude(const struct request *a, const struct request *b)
{
	for (size_t i = 0; i < a->held_count; i++) {
		for (size_t k = 0; k < b->held_count; k++) {
			if (a->held[i].lock == b->held[k].lock &&
			    !(a->held[i].shared && b->held[k].shared))
				return true;
		}
	}
	return false;
}

static bool blocks(const struct request *waits, const struct request *has)
{
	for (size_t i = 0; i < has->held_count; i++) {
		if (has->held[i].lock == waits->lock && !(has->held[i].shared && waits->shared))
			return true;
	}
	return false;
}

static void write_cycle(struct model *m)
{
	char *text = m->cycles[m->cycle_count++];

	assert_true(m->cycle_count < CYCLES);
	*text = 0;
	for (size_t i = 0; i < m->path_count; i++)
		sprintf(text + strlen(text), "%s%u.%u", i ? " " : "",
			m->requests[m->path[i]].thread, m->requests[m->path[i]].index);
}

/* Tries every sequence of requests of different threads that starts with the lowest thread. */
static void try_all(struct model *m)
{
	const struct request *last = &m->requests[m->path[m->path_count - 1]];

	if (m->path_count > 1 && blocks(last, &m->requests[m->path[0]]))
		write_cycle(m);
	for (size_t n = 0; n < m->request_count; n++) {
		const struct request *r = &m->requests[n];
		bool fits = r->thread > m->requests[m->path[0]].thread && blocks(last, r);

		for (size_t i = 0; i < m->path_count; i++)
			fits &= m->requests[m->path[i]].thread != r->thread &&
				!exclude(&m->requests[m->path[i]], r);
		if (!fits)
			continue;
		m->path[m->path_count++] = n;
		try_all(m);
		m->path_count--;
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void compare(struct model *m, const char *text)
{
	static char seen[CYCLES][64];
	struct run run;

	start(&run, text);
	for (size_t i = 0; i < run.result.findings.count; i++)
		write_finding(&run.result.findings.items[i], seen[i], sizeof seen[i]);
	qsort(seen, run.result.findings.count, sizeof seen[0], by_text);
	qsort(m->cycles, m->cycle_count, sizeof m->cycles[0], by_text);
	for (size_t i = 0; i < run.result.findings.count && i < m->cycle_count; i++) {
		if (strcmp(seen[i], m->cycles[i]))
			fail_msg("%s, and wanted %s, of\n%s", seen[i], m->cycles[i], text);
	}
	if (run.result.findings.count != m->cycle_count)
		fail_msg("%zu, and wanted %zu, of\n%s", run.result.findings.count, m->cycle_count,
			 text);
	stop(&run);
}

static void random_traces(void **state)
{
	struct make_random random = { 11 };
	size_t cycles[THREADS + 1] = { 0 };

	(void)state;
	for (int round = 0; round < 1000; round++) {
		static struct model m;
		char text[EVENTS * 40];
		int used = 0, events = 6 + (int)make_below(&random, EVENTS - 6);

		memset(&m, 0, sizeof m);
		for (uint32_t t = 0; t < THREADS; t++) {
			used += sprintf(text + used, "T%u|begin()|0\n", t);
			m.next[t] = 1;
		}
		for (int i = 0; i < events; i++)
			used += make_event(&m, &random, text + used);
		for (size_t n = 0; n < m.request_count; n++) {
			m.path[0] = n;
			m.path_count = 1;
			try_all(&m);
		}
		for (size_t i = 0; i < m.cycle_count; i++) {
			size_t length = 1;

			for (const char *p = m.cycles[i]; (p = strchr(p, ' ')); p++)
				length++;
			cycles[length]++;
		}
		compare(&m, text);
	}
	/* enough cycles were found */
	assert_true(cycles[2] > 400 && cycles[3] > 40 && cycles[4] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),	     cmocka_unit_test(what_is_fine),
		cmocka_unit_test(tries_and_readers), cmocka_unit_test(unusual_ways),
		cmocka_unit_test(long_rings),	     cmocka_unit_test(random_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
