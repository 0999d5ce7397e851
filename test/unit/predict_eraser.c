/*
 * Tests Eraser: by hand, and on random traces compared with figure 3 of the paper, taken word by
 * word (a set is a mask, a variable a list of bytes, and every access is remembered).
 */
#include "predict/warnings/warnings.h"

#include "base/mem.h"
#include "trace_make.h"

#include <inttypes.h>

struct run {
	struct make_dir dir;
	struct trace *trace;
	struct predict_result result;
};

static void start(struct run *run, const char *text, bool every)
{
	char path[128];
	struct err err;

	*run = (struct run){ .dir = make_dir() };
	make_file(&run->dir, "text.std", text, strlen(text));
	snprintf(path, sizeof path, "%s/text.std", run->dir.path);
	if (!trace_open(path, &run->trace, &err))
		fail_msg("%s\n%s", err.text, text);
	predict_eraser(run->trace, every, &run->result);
	assert_int_equal(run->result.problems.count, 0);
}

static void stop(struct run *run)
{
	predict_result_free(&run->result);
	trace_close(run->trace);
	make_remove(&run->dir);
}

/* Expects warnings, as "T0.3-T1.2 …", in the order in which they were found. */
static void expect(const char *text, const char *wanted)
{
	char seen[256] = "";
	struct run run;

	start(&run, text, true);
	for (size_t i = 0; i < run.result.findings.count; i++) {
		const struct finding *f = &run.result.findings.items[i];
		size_t used = strlen(seen);

		assert_int_equal(f->kind, FINDING_LOCKSET);
		assert_int_equal(f->status, FINDING_WARNING);
		assert_int_equal(f->events.count, 2);
		assert_int_equal(f->steps.count, 0);
		snprintf(seen + used, sizeof seen - used,
			 "%sT%" PRIu32 ".%" PRIu64 "-T%" PRIu32 ".%" PRIu64, i ? " " : "",
			 f->events.items[0].id.stream, f->events.items[0].id.index,
			 f->events.items[1].id.stream, f->events.items[1].id.index);
	}
	assert_string_equal(seen, wanted);
	stop(&run);
}

/* ---- by hand ------------------------------------------------------------------------------- */

static void states(void **state)
{
	(void)state;
	/* one thread only; initialisation, then readers */
	expect("T0|w(x)|1\nT0|r(x)|2\nT0|w(x)|3\n", "");
	expect("T0|w(x)|1\nT1|r(x)|2\nT2|r(x)|3\nT0|r(x)|4\n", "");
	/* a write after that, by any thread */
	expect("T0|w(x)|1\nT1|r(x)|2\nT0|w(x)|3\n", "T1.0-T0.1");
	expect("T0|w(x)|1\nT1|w(x)|2\n", "T0.0-T1.0");
	/* the variable is not written before it is shared */
	expect("T0|r(x)|1\nT1|w(x)|2\n", "T0.0-T1.0");
	/* protected, except for the initialisation */
	expect("T0|w(x)|1\n"
	       "T1|acq(m)|2\nT1|w(x)|3\nT1|rel(m)|4\n"
	       "T2|acq(m)|5\nT2|w(x)|6\nT2|rel(m)|7\n",
	       "");
	/* two locks */
	expect("T0|acq(m)|2\nT0|w(x)|3\nT0|rel(m)|4\n"
	       "T1|acq(n)|5\nT1|w(x)|6\nT1|rel(n)|7\n"
	       "T0|acq(m)|8\nT0|w(x)|9\nT0|rel(m)|10\n",
	       "T1.1-T0.4");
	/* other bytes of the same word */
	expect("T0|w(x@1)|1\nT1|w(x@1)|2\nT0|w(y@4)|3\n", "T0.0-T1.0");
}

static void read_write_locks(void **state)
{
	(void)state;
	/* reads under the read lock, writes under the write lock */
	expect("T0|racq(m)|1\nT0|r(x)|2\nT0|rrel(m)|3\n"
	       "T1|acq(m)|4\nT1|w(x)|5\nT1|rel(m)|6\n"
	       "T0|racq(m)|7\nT0|r(x)|8\nT0|rrel(m)|9\n",
	       "");
	/* a read lock does not protect writes */
	expect("T0|racq(m)|1\nT0|r(x)|2\nT0|rrel(m)|3\n"
	       "T1|racq(m)|4\nT1|w(x)|5\nT1|rrel(m)|6\n",
	       "T0.1-T1.1");
}

static void atomics(void **state)
{
	(void)state;
	expect("T0|u(x)=0,1|1\nT1|u(x)=1,2|2\nT0|u(x)=2,3|3\n", "");
	expect("T0|u(x)=0,1|1\nT1|u(x)=1,2|2\nT0|w(x)=3|3\n", "T1.0-T0.1");
}

static void waits_and_lives(void **state)
{
	(void)state;
	/* the mutex is not held during the wait, but again after it */
	expect("T0|acq(m)|1\nT0|wait(c,m)|2\n"
	       "T1|acq(m)|3\nT1|w(x)|4\nT1|notify(c)|5\nT1|rel(m)|6\n"
	       "T0|woken(c,m)|7\nT0|w(x)|8\nT0|rel(m)|9\n",
	       "");
	/* recursion: the inner release does not release the lock */
	expect("T0|acq(m)|1\nT0|acq(m)|2\nT0|rel(m)|3\nT0|w(x)|4\nT0|rel(m)|5\n"
	       "T1|acq(m)|6\nT1|w(x)|7\nT1|rel(m)|8\n",
	       "");
	/* the second lifetime of a block */
	expect("T0|alloc(x,8)|1\nT0|w(x)|2\nT0|free(x)|3\n"
	       "T1|alloc(x,8)|4\nT1|w(x)|5\n",
	       "");
	/* a lock that is initialised again is another lock */
	expect("T0|init(m)=normal|1\nT0|acq(m)|2\nT0|w(x)|3\nT0|rel(m)|4\nT0|destroy(m)|5\n"
	       "T1|init(m)=normal|6\nT1|acq(m)|7\nT1|w(x)|8\nT1|rel(m)|9\nT1|destroy(m)|10\n"
	       "T0|init(m)=normal|11\nT0|acq(m)|12\nT0|w(x)|13\nT0|rel(m)|14\n",
	       "T1.2-T0.7");
}

static void same_sites(void **state)
{
	struct run run;

	(void)state;
	start(&run,
	      "T0|w(x)|a.c:1\nT1|w(x)|a.c:2\nT0|w(y)|a.c:1\nT1|w(y)|a.c:2\n"
	      "T0|acq(m)|a.c:3\nT0|w(z)|a.c:4\nT0|rel(m)|a.c:5\nT1|w(z)|a.c:6\n",
	      false);
	assert_int_equal(run.result.findings.count, 2);
	assert_int_equal(run.result.findings.items[0].count, 2);
	assert_int_equal(run.result.findings.items[1].count, 1);
	assert_int_equal(run.result.findings.items[1].events.items[0].held.count, 1);
	assert_int_equal(run.result.findings.items[1].events.items[0].held.items[0].taken.index, 2);
	assert_int_equal(run.result.findings.items[1].events.items[1].held.count, 0);
	stop(&run);
}

/* ---- random -------------------------------------------------------------------------------- */

#define THREADS 4
#define VARIABLES 3
#define LOCKS 3
#define EVENTS 40
#define ATOMIC (1u << LOCKS)

enum machine { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED };

struct byte {
	enum machine state;
	uint32_t owner, set;
};

struct past {
	uint32_t thread, index, any, write, size, variable;
	bool writes, atomic, counted;
};

struct model {
	uint32_t any[THREADS], write[THREADS]; /* sets of held locks */
	uint32_t next[THREADS];		       /* index of the next event */
	int waits[THREADS];		       /* the mutex that the thread waits for, or -1 */
	struct byte bytes[VARIABLES][8];
	struct past past[EVENTS];
	size_t past_count;
	char wanted[EVENTS * EVENTS][32];
	size_t wanted_count;
};

static bool is_held(const struct model *m, uint32_t lock, bool by_reader_too)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		if ((by_reader_too ? m->any[t] : m->write[t]) >> lock & 1)
			return true;
	}
	return false;
}

static void want(struct model *m, const struct past *a, const struct past *b)
{
	snprintf(m->wanted[m->wanted_count++], sizeof m->wanted[0], "%u.%u-%u.%u", a->thread,
		 a->index, b->thread, b->index);
}

/*
 * Returns how close two accesses are to a race: 0 unrelated, 1 no conflict, 2 a common lock, 3
 * initialisation, 4 a race.
 */
static int closeness(const struct past *a, const struct past *b)
{
	if (a->thread == b->thread || a->variable != b->variable)
		return 0;
	if ((!a->writes && !b->writes) || (a->atomic && b->atomic))
		return 1;
	if ((a->any & b->write) || (a->write & b->any))
		return 2;
	return a->counted ? 4 : 3;
}

static void warn_literally(struct model *m, const struct past *now, bool emptied)
{
	int best = 0;
	size_t which = 0;

	for (size_t i = 0; i < m->past_count; i++) {
		int how = closeness(&m->past[i], now);

		if (how == 4)
			want(m, &m->past[i], now);
		if (how > best) {
			best = how;
			which = i;
		}
	}
	if (emptied && best && best < 4)
		want(m, &m->past[which], now);
}

/*
 * Figure 3 of the paper. Every access starts at the variable's first byte, so all accesses overlap.
 */
static void access_literally(struct model *m, struct past now)
{
	bool warns = false, emptied = false;
	uint32_t held = now.writes ? now.write : now.any;

	for (uint32_t i = 0; i < now.size; i++) {
		struct byte *b = &m->bytes[now.variable][i];
		bool was_empty = b->state == SHARED_MODIFIED && !b->set;

		switch (b->state) {
		case VIRGIN:
			b->state = EXCLUSIVE;
			b->owner = now.thread;
			break;
		case EXCLUSIVE:
			if (b->owner == now.thread)
				break;
			b->state = now.writes ? SHARED_MODIFIED : SHARED;
			b->set = held;
			break;
		case SHARED:
			b->set &= held;
			if (now.writes)
				b->state = SHARED_MODIFIED;
			break;
		case SHARED_MODIFIED: b->set &= held; break;
		}
		if (b->state == SHARED_MODIFIED && !b->set) {
			warns = true;
			emptied |= !was_empty;
		}
	}
	now.counted = m->bytes[now.variable][0].state > EXCLUSIVE;
	if (warns)
		warn_literally(m, &now, emptied);
	m->past[m->past_count++] = now;
}

static void forget(struct model *m, uint32_t variable)
{
	size_t kept = 0;

	memset(m->bytes[variable], 0, sizeof m->bytes[variable]);
	for (size_t i = 0; i < m->past_count; i++) {
		if (m->past[i].variable != variable)
			m->past[kept++] = m->past[i];
	}
	m->past_count = kept;
}

/* Makes one random event that is possible now. Returns the number of characters written. */
static int make_access(struct model *m, struct make_random *r, uint32_t t, char *text, int line)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 8, 8 };
	struct past now = { .thread = t,
			    .index = m->next[t]++,
			    .any = m->any[t],
			    .write = m->write[t],
			    .size = sizes[make_below(r, 6)],
			    .variable = (uint32_t)make_below(r, VARIABLES) };

	now.atomic = make_below(r, 4) == 0;
	now.writes = now.atomic || make_below(r, 2);
	if (now.atomic) {
		now.any |= ATOMIC;
		now.write |= ATOMIC;
	}
	access_literally(m, now);
	return sprintf(text, "T%u|%c(x%u@%u)|%d\n", t,
		       now.atomic   ? 'u'
		       : now.writes ? 'w'
				    : 'r',
		       now.variable, now.size, line);
}

static int make_lock(struct model *m, struct make_random *r, uint32_t t, char *text, int line)
{
	uint32_t lock = (uint32_t)make_below(r, LOCKS), bit = 1u << lock;
	const char *name = NULL;

	if (m->write[t] & bit) {
		if (make_below(r, 4) == 0) {
			m->waits[t] = (int)lock;
			m->next[t]++;
			m->any[t] &= ~bit;
			m->write[t] &= ~bit;
			return sprintf(text, "T%u|wait(c,m%u)|%d\n", t, lock, line);
		}
		name = "rel";
		m->any[t] &= ~bit;
		m->write[t] &= ~bit;
	} else if (m->any[t] & bit) {
		name = "rrel";
		m->any[t] &= ~bit;
	} else if (make_below(r, 3) && !is_held(m, lock, true)) {
		name = "acq";
		m->any[t] |= bit;
		m->write[t] |= bit;
	} else if (!is_held(m, lock, false)) {
		name = "racq";
		m->any[t] |= bit;
	}
	if (!name)
		return 0;
	m->next[t]++;
	return sprintf(text, "T%u|%s(m%u)|%d\n", t, name, lock, line);
}

static int make_event(struct model *m, struct make_random *r, char *text, int line)
{
	uint32_t t = (uint32_t)make_below(r, THREADS), variable;

	if (m->waits[t] >= 0) {
		uint32_t lock = (uint32_t)m->waits[t];

		if (is_held(m, lock, true))
			return 0;
		m->waits[t] = -1;
		m->next[t]++;
		m->any[t] |= 1u << lock;
		m->write[t] |= 1u << lock;
		return sprintf(text, "T%u|woken(c,m%u)|%d\n", t, lock, line);
	}
	if (make_below(r, 30) == 0) {
		variable = (uint32_t)make_below(r, VARIABLES);
		forget(m, variable);
		m->next[t]++;
		return sprintf(text, "T%u|alloc(x%u,8)|%d\n", t, variable, line);
	}
	return make_below(r, 2) ? make_lock(m, r, t, text, line) : make_access(m, r, t, text, line);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void compare(struct model *m, const char *text)
{
	static char seen[EVENTS * EVENTS][32];
	struct run run;
	size_t count;

	start(&run, text, true);
	count = run.result.findings.count;
	for (size_t i = 0; i < count && i < EVENTS * EVENTS; i++) {
		const struct finding_event *e = run.result.findings.items[i].events.items;

		snprintf(seen[i], sizeof seen[i], "%u.%u-%u.%u", e[0].id.stream,
			 (unsigned)e[0].id.index, e[1].id.stream, (unsigned)e[1].id.index);
	}
	qsort(seen, count, sizeof seen[0], by_text);
	qsort(m->wanted, m->wanted_count, sizeof m->wanted[0], by_text);
	for (size_t i = 0; i < count && i < m->wanted_count; i++) {
		if (strcmp(seen[i], m->wanted[i]))
			fail_msg("%s, and wanted %s, of\n%s", seen[i], m->wanted[i], text);
	}
	if (count != m->wanted_count)
		fail_msg("%zu, and wanted %zu, of\n%s", count, m->wanted_count, text);
	stop(&run);
}

static void random_traces(void **state)
{
	struct make_random random = { 7 };
	size_t warnings = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		static struct model m;
		char text[EVENTS * 40];
		int used = 0, events = 4 + (int)make_below(&random, EVENTS - 4);

		memset(&m, 0, sizeof m);
		for (uint32_t t = 0; t < THREADS; t++) {
			m.waits[t] = -1;
			/* BEGIN events, which fix the numbers of the threads */
			used += sprintf(text + used, "T%u|begin()|0\n", t);
			m.next[t] = 1;
		}
		for (int i = 0; i < events; i++)
			used += make_event(&m, &random, text + used, i + 1);
		compare(&m, text);
		warnings += m.wanted_count;
	}
	assert_true(warnings > 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),     cmocka_unit_test(read_write_locks),
		cmocka_unit_test(atomics),    cmocka_unit_test(waits_and_lives),
		cmocka_unit_test(same_sites), cmocka_unit_test(random_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
