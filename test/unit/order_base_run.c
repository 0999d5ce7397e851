/*
 * Tests the base run: for a text trace the order of the lines; for a recording the order computed
 * from values, times and the numbers of sync objects.
 */
#include "trace_make.h"

#include "base/map.h"
#include "order/base_run/base_run.h"
#include "order/base_run/share_survey.h"

#include <inttypes.h>

/* ---- recordings by hand ------------------------------------------------------------------- */

struct recording {
	struct trace_writer *writer;
	struct make_dir dir;
	struct trace *trace;
	struct share_survey survey;
};

static void begin(struct recording *r)
{
	r->writer = trace_writer_open();
}

static void put(struct recording *r, uint32_t stream, uint64_t time, enum event_kind kind,
		uint64_t address, uint64_t sequence, uint64_t mode)
{
	trace_write(r->writer, stream,
		    &(struct write_record){ .kind = kind,
					    .time = time,
					    .sequence = sequence,
					    .a = address,
					    .m = mode });
}

static void access_8(struct recording *r, uint32_t stream, uint64_t time, enum event_kind kind,
		     uint64_t address, uint64_t value)
{
	trace_write(r->writer, stream,
		    &(struct write_record){ .kind = kind,
					    .time = time,
					    .a = address,
					    .n = 8,
					    .bytes = &value,
					    .size = 8 });
}

static void update_8(struct recording *r, uint32_t stream, uint64_t time, uint64_t address,
		     uint64_t sequence, uint64_t old, uint64_t value)
{
	uint64_t values[2] = { old, value };

	trace_write(r->writer, stream,
		    &(struct write_record){ .kind = EV_ATOMIC_UPDATE,
					    .time = time,
					    .sequence = sequence,
					    .a = address,
					    .n = 8,
					    .m = 5,
					    .bytes = values,
					    .size = 16 });
}

static void end(struct recording *r)
{
	size_t bytes;
	uint8_t *log = trace_writer_finish(r->writer, &bytes);

	r->dir = make_dir();
	make_file(&r->dir, "events.0", log, bytes);
	free(log);
	r->trace = make_open(&r->dir);
	share_survey_make(&r->survey, r->trace);
}

static void close_recording(struct recording *r)
{
	share_survey_free(&r->survey);
	trace_close(r->trace);
	make_remove(&r->dir);
}

/* Returns the order of the events as "stream.index stream.index …". */
static char *order_of(const struct recording *r, bool repaired)
{
	struct base_run *feed = base_run_open(r->trace, repaired ? &r->survey : NULL);
	struct base_run_event ev;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	while (base_run_next(feed, &ev))
		fprintf(out, "%" PRIu32 ".%" PRIu64 " ", ev.stream, ev.index);
	fclose(out);
	base_run_close(feed);
	return text;
}

static void expect(struct recording *r, const char *plain, const char *repaired)
{
	char *a = order_of(r, false), *b = order_of(r, true);

	assert_string_equal(a, plain);
	assert_string_equal(b, repaired);
	free(a);
	free(b);
	close_recording(r);
}

/*
 * Counts the reads that do not find the value last written or read. Also checks that each stream
 * keeps its order.
 */
static uint64_t count_unexplained(const struct recording *r, bool repaired, uint64_t *reads)
{
	struct base_run *feed = base_run_open(r->trace, repaired ? &r->survey : NULL);
	struct base_run_event ev;
	uint64_t wrong = 0, next[16] = { 0 }, value;
	struct map memory = { 0 };

	while (base_run_next(feed, &ev)) {
		bool fresh;
		uint64_t *held;

		assert_int_equal(ev.index, next[ev.stream]++);
		if (ev.kind != EV_READ && ev.kind != EV_WRITE)
			continue;
		memcpy(&value, ev.value, 8);
		held = map_put(&memory, ev.address, &fresh);
		wrong += ev.kind == EV_READ && !fresh && *held != value;
		*reads += ev.kind == EV_READ;
		*held = value;
	}
	map_free(&memory);
	base_run_close(feed);
	return wrong;
}

/* ---- by hand ------------------------------------------------------------------------------ */

#define X 0x1000
#define Y 0x2000
#define Z 0x3000

static void reads_wait(void **state)
{
	struct recording r;

	(void)state;
	begin(&r); /* a read that comes first by time saw a write that comes later */
	access_8(&r, 0, 5, EV_READ, X, 1);
	put(&r, 0, 90, EV_POST, Y, 2, 0);
	access_8(&r, 1, 7, EV_WRITE, X, 1);
	put(&r, 1, 80, EV_POST, Y, 1, 0);
	end(&r);
	expect(&r, "0.0 1.0 1.1 0.1 ", "1.0 0.0 1.1 0.1 ");
}

static void writes_wait(void **state)
{
	struct recording r;

	(void)state;
	begin(&r); /* by time both writes come before the read, but the read saw the first */
	access_8(&r, 0, 5, EV_WRITE, X, 1);
	access_8(&r, 0, 5, EV_WRITE, X, 2);
	put(&r, 0, 90, EV_POST, Y, 2, 0);
	access_8(&r, 1, 7, EV_READ, X, 1);
	put(&r, 1, 80, EV_POST, Y, 1, 0);
	end(&r);
	expect(&r, "0.0 0.1 1.0 1.1 0.2 ", "0.0 1.0 0.1 1.1 0.2 ");
	/* by time the write of 1 comes first, but 1 was read at the end: so it came second */
	begin(&r);
	access_8(&r, 0, 5, EV_WRITE, X, 1);
	put(&r, 0, 90, EV_POST, Y, 2, 0);
	access_8(&r, 1, 7, EV_WRITE, X, 2);
	access_8(&r, 1, 7, EV_READ, X, 1);
	put(&r, 1, 80, EV_POST, Y, 1, 0);
	end(&r);
	expect(&r, "0.0 1.0 1.1 1.2 0.1 ", "1.0 0.0 1.1 1.2 0.1 ");
}

/*
 * A read or an atomic operation finds a value that unrecorded code wrote. The order of all other
 * events is still corrected.
 */
static void unseen_writes(void **state)
{
	struct recording r;

	(void)state;
	begin(&r); /* no recorded write wrote 9 */
	access_8(&r, 0, 5, EV_READ, Z, 4);
	access_8(&r, 0, 5, EV_READ, Z, 9);
	access_8(&r, 0, 5, EV_WRITE, X, 1);
	put(&r, 0, 90, EV_POST, Y, 2, 0);
	access_8(&r, 1, 7, EV_WRITE, X, 2);
	access_8(&r, 1, 7, EV_READ, X, 1);
	access_8(&r, 1, 7, EV_WRITE, Z, 3);
	put(&r, 1, 80, EV_POST, Y, 1, 0);
	end(&r);
	expect(&r, "0.0 0.1 0.2 1.0 1.1 1.2 1.3 0.3 ", "0.0 1.0 0.1 0.2 1.1 1.2 1.3 0.3 ");
	begin(&r); /* the value 1 of Z is written by an update, but not between these two updates */
	update_8(&r, 0, 70, Z, 1, 5, 1);
	access_8(&r, 0, 70, EV_WRITE, X, 1);
	put(&r, 0, 90, EV_POST, Y, 2, 0);
	access_8(&r, 1, 7, EV_WRITE, X, 2);
	update_8(&r, 1, 80, Z, 2, 7, 1);
	access_8(&r, 2, 6, EV_WRITE, X, 3);
	update_8(&r, 2, 85, Z, 3, 1, 2);
	put(&r, 2, 95, EV_DOWN, Y, 3, 0);
	access_8(&r, 2, 95, EV_READ, X, 2);
	end(&r);
	expect(&r, "2.0 1.0 0.0 0.1 1.1 2.1 0.2 2.2 2.3 ", "2.0 0.0 0.1 1.0 1.1 2.1 0.2 2.2 2.3 ");
}

/* Synchronisation keeps its order, so a write after it cannot explain a read before it. */
static void order_of_objects(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	access_8(&r, 0, 5, EV_READ, X, 1);
	put(&r, 0, 10, EV_POST, Y, 1, 0);
	access_8(&r, 0, 10, EV_READ, X, 3);
	put(&r, 1, 20, EV_POST, Y, 2, 0);
	access_8(&r, 1, 20, EV_WRITE, X, 1);
	access_8(&r, 1, 20, EV_WRITE, X, 3);
	end(&r);
	expect(&r, "0.0 0.1 0.2 1.0 1.1 1.2 ", "0.0 0.1 1.0 1.1 1.2 0.2 ");
	begin(&r); /* the write that the last read saw came last; the read itself cannot be moved */
	put(&r, 0, 60, EV_DOWN, Y, 3, 0);
	access_8(&r, 0, 60, EV_READ, X, 1);
	access_8(&r, 1, 6, EV_WRITE, X, 1);
	put(&r, 1, 50, EV_POST, Y, 2, 0);
	access_8(&r, 2, 7, EV_WRITE, X, 2);
	put(&r, 2, 40, EV_POST, Y, 1, 0);
	end(&r);
	expect(&r, "1.0 2.0 2.1 1.1 0.0 0.1 ", "2.0 1.0 2.1 1.1 0.0 0.1 ");
}

/* A failed try whose number is lower than that of the ACQUIRE that made it fail. */
static void failed_tries(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	put(&r, 0, 10, EV_ACQUIRE_FAIL, X, 1, EVENT_TRY);
	put(&r, 1, 11, EV_ACQUIRE, X, 2, 0);
	put(&r, 1, 30, EV_RELEASE, X, 3, 0);
	end(&r);
	expect(&r, "0.0 1.0 1.1 ", "1.0 0.0 1.1 ");
	begin(&r); /* no thread acquires the lock, so the order does not change */
	put(&r, 0, 10, EV_ACQUIRE_FAIL, X, 1, EVENT_TRY);
	put(&r, 1, 11, EV_ACQUIRE_FAIL, X, 2, EVENT_TRY);
	end(&r);
	expect(&r, "0.0 1.0 ", "0.0 1.0 ");
}

static void lanes(void **state)
{
	struct make_dir dir = make_dir();
	const char *text = "A|w(x)=1|\nH|handler(A,10)|\nH|w(x)=2|\nH|handlerend|\nB|r(x)=2|\n";
	const uint32_t expected[] = { 0, 0, 2 };
	struct base_run_event ev;
	struct trace *trace = NULL;
	struct base_run *feed;
	struct err err;
	char path[128];
	unsigned count = 0;

	(void)state;
	snprintf(path, sizeof path, "%s/text.std", dir.path);
	make_file(&dir, "text.std", text, strlen(text));
	if (!trace_open(path, &trace, &err))
		fail_msg("%s", err.text);
	feed = base_run_open(trace, NULL);
	while (base_run_next(feed, &ev)) {
		assert_true(count < 3);
		assert_int_equal(ev.owner, expected[count]);
		count++;
	}
	assert_int_equal(count, 3);
	assert_int_equal(base_run_failure_count(feed), 0);
	base_run_close(feed);
	trace_close(trace);
	make_remove(&dir);
}

/* ---- at random ---------------------------------------------------------------------------- */

struct worker {
	uint64_t time;	/* the last time in its stream */
	unsigned quiet; /* accesses until the stream gets its next time */
	unsigned left;	/* steps left */
	bool has_read;
	uint64_t variable, read;
};

/*
 * Makes a recording of threads that increment variables without a lock. Each step is a read or a
 * write by a random thread, which may continue for some steps. A stream has a time only now and
 * then. On average, one read in `unseen` (0: none) comes after a change of the variable that is not
 * recorded. Returns the number of such changes.
 */
static unsigned race(struct recording *r, uint64_t seed, unsigned threads, unsigned variables,
		     unsigned unseen)
{
	struct make_random random = { seed * 7919 + 1 };
	struct worker workers[8] = { 0 };
	uint64_t memory[8] = { 0 }, clock = 1000;
	unsigned alive = threads, who = 0, changes = 0;

	begin(r);
	for (unsigned i = 0; i < threads; i++)
		workers[i] = (struct worker){ .time = clock, .left = 400 };
	while (alive) {
		struct worker *w = &workers[who];

		if (!make_below(&random, 6) || !w->left)
			w = &workers[who = (unsigned)make_below(&random, threads)];
		if (!w->left)
			continue;
		clock += 1000;
		if (!w->quiet) {
			w->time = clock;
			w->quiet = 20 + (unsigned)make_below(&random, 40);
		}
		w->quiet--;
		if (!w->has_read) {
			w->variable = make_below(&random, variables);
			if (unseen && !make_below(&random, unseen))
				memory[w->variable] += 1000000 * ++changes;
			w->read = memory[w->variable];
			access_8(r, who, w->time, EV_READ, X + 8 * w->variable, w->read);
		} else {
			memory[w->variable] = w->read + 1;
			access_8(r, who, w->time, EV_WRITE, X + 8 * w->variable, w->read + 1);
		}
		w->has_read = !w->has_read;
		alive -= !--w->left;
	}
	end(r);
	return changes;
}

static void counters(void **state)
{
	uint64_t plain = 0, repaired = 0, reads = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct recording r;

		race(&r, seed, 2 + seed % 3, 1 + seed % 4, 0);
		plain += count_unexplained(&r, false, &(uint64_t){ 0 });
		repaired += count_unexplained(&r, true, &reads);
		close_recording(&r);
	}
	print_message("%" PRIu64 " reads: %" PRIu64 " unexplained by time, %" PRIu64 " by values\n",
		      reads, plain, repaired);
	assert_true(plain > reads / 20); /* otherwise there would be nothing to correct */
	assert_true(repaired <= plain / 100);
}

/* Each unrecorded change causes one unexplained read, and not more. */
static void counters_changed(void **state)
{
	uint64_t plain = 0, repaired = 0, reads = 0, changes = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct recording r;

		changes += race(&r, seed, 2 + seed % 3, 1 + seed % 4, 100);
		plain += count_unexplained(&r, false, &(uint64_t){ 0 });
		repaired += count_unexplained(&r, true, &reads);
		close_recording(&r);
	}
	print_message("%" PRIu64 " reads, %" PRIu64 " changes: %" PRIu64
		      " unexplained by time, %" PRIu64 " by values\n",
		      reads, changes, plain, repaired);
	assert_true(changes > 100);
	assert_true(repaired <= changes + plain / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_wait),	 cmocka_unit_test(writes_wait),
		cmocka_unit_test(unseen_writes), cmocka_unit_test(order_of_objects),
		cmocka_unit_test(failed_tries),	 cmocka_unit_test(lanes),
		cmocka_unit_test(counters),	 cmocka_unit_test(counters_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
