/*
 * Tests uses after the end of a lifetime on text traces (doc/prediction.md). Each case lists all
 * pairs that must be found with `every`: thread and index of the end, thread and index of the use,
 * and whether the finding is observed in the recorded run.
 */
#include "predict_make.h"

struct pair {
	enum finding_kind kind;
	uint32_t end_thread, end, use_thread, use;
	bool observed;
};

#define PAIRS 8

static bool is_pair(const struct finding *f, const struct pair *p)
{
	const struct finding_event *e = f->events.items;

	return f->kind == p->kind && e[0].id.stream == p->end_thread && e[0].id.index == p->end &&
	       e[1].id.stream == p->use_thread && e[1].id.index == p->use &&
	       (f->status == FINDING_OBSERVED) == p->observed;
}

static void print_found(const struct predict_result *result)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding_event *e = result->findings.items[i].events.items;

		print_message(
			"found: T%u %lu, T%u %lu%s\n", e[0].id.stream, (unsigned long)e[0].id.index,
			e[1].id.stream, (unsigned long)e[1].id.index,
			result->findings.items[i].status == FINDING_OBSERVED ? ", observed" : "");
	}
}

static void compare(const struct predict_result *result, const void *wanted, size_t count)
{
	const struct pair *pairs = wanted;
	size_t matched = 0, seen = 0;

	for (size_t i = 0; i < result->findings.count; i++) {
		if (!finding_is_use_after_end(&result->findings.items[i]))
			continue; /* other kinds of findings */
		seen++;
		for (size_t k = 0; k < count; k++)
			matched += is_pair(&result->findings.items[i], &pairs[k]);
	}
	if (matched != count || seen != count)
		print_found(result);
	assert_int_equal(matched, count);
	assert_int_equal(seen, count);
}

static void expect(const char *text, const struct pair *pairs, size_t count)
{
	predict_text(text, PREDICT_USE_AFTER_FREE | PREDICT_MISUSE, compare, pairs, count);
}

#define FREED FINDING_USE_AFTER_FREE
#define EXPECT(text, ...)                                                                          \
	expect(text, (const struct pair[PAIRS]){ __VA_ARGS__ },                                    \
	       sizeof((const struct pair[]){ __VA_ARGS__ }) / sizeof(struct pair))
#define SILENT(text) expect(text, NULL, 0)

/* ---- both next ------------------------------------------------------------------------------- */

static void nothing_between(void **state)
{
	(void)state;
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|r(p@4)=0|a.c:3\n"
	       "T0|free(p)|a.c:4\n",
	       { FREED, 0, 2, 1, 0, false });
	/*
	 * a later use by the same thread is another pair, for which the earlier use must have
	 * happened
	 */
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|w(p@4)=1|a.c:3\n"
	       "T1|r(p@4)=1|a.c:4\n"
	       "T0|free(p)|a.c:5\n",
	       { FREED, 0, 2, 1, 0, false }, { FREED, 0, 2, 1, 1, false });
}

static void kept_before(void **state)
{
	(void)state;
	SILENT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|r(p@4)=0|a.c:3\n"
	       "T0|join(T1)|a.c:4\n"
	       "T0|free(p)|a.c:5\n");
	/* a reference count: the last user frees */
	SILENT("-|init(count)=2|\n"
	       "T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|r(p@4)=0|a.c:3\n"
	       "T1|u(count)=2,1|a.c:4\n"
	       "T0|u(count)=1,0|a.c:5\n"
	       "T0|free(p)|a.c:6\n");
	/* the pointer is read under the lock, and cleared under it */
	SILENT("-|init(g)=1|\n"
	       "T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|acq(m)|a.c:3\n"
	       "T1|r(g)=1|a.c:3\n"
	       "T1|r(p@4)=0|a.c:3\n"
	       "T1|rel(m)|a.c:3\n"
	       "T0|acq(m)|a.c:5\n"
	       "T0|free(p)|a.c:6\n"
	       "T0|w(g)=0|a.c:6\n"
	       "T0|rel(m)|a.c:7\n");
}

static void not_allocated_is_not_freed(void **state)
{
	(void)state;
	/* T1 frees a block that T0 allocated after its own use of the same bytes */
	SILENT("T0|fork(T1)|a.c:1\n"
	       "T0|w(p@4)=1|a.c:2\n"
	       "T0|alloc(p,8)|a.c:3\n"
	       "T1|free(p)|a.c:4\n");
}

/* ---- the end inside -------------------------------------------------------------------------- */

static void one_lock(void **state)
{
	(void)state;
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|acq(m)|a.c:3\n"
	       "T1|r(p@4)=0|a.c:4\n"
	       "T1|rel(m)|a.c:5\n"
	       "T0|acq(m)|a.c:6\n"
	       "T0|free(p)|a.c:7\n"
	       "T0|rel(m)|a.c:8\n",
	       { FREED, 0, 3, 1, 1, false });
}

/* Uses in the prefix must come before the end: here the use of T2, whose value T1 has read. */
static void other_uses_first(void **state)
{
	(void)state;
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|fork(T2)|a.c:2\n"
	       "T2|w(p@4)=5|a.c:3\n"
	       "T1|acq(m)|a.c:4\n"
	       "T1|r(p@4)=5|a.c:5\n"
	       "T1|w(p@4)=6|a.c:6\n"
	       "T1|rel(m)|a.c:7\n"
	       "T0|acq(m)|a.c:8\n"
	       "T0|free(p)|a.c:9\n"
	       "T0|rel(m)|a.c:10\n",
	       { FREED, 0, 4, 1, 1, false }, { FREED, 0, 4, 2, 0, false });
}

/*
 * Events after the end must still respect other lifetimes: T2's block does not exist before its
 * ALLOC.
 */
static void other_lives_hold(void **state)
{
	(void)state;
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|fork(T2)|a.c:2\n"
	       "T2|alloc(q,8)|a.c:3\n"
	       "T1|w(q@4)=1|a.c:4\n"
	       "T1|acq(m)|a.c:5\n"
	       "T1|r(p@4)=0|a.c:6\n"
	       "T1|rel(m)|a.c:7\n"
	       "T0|acq(m)|a.c:8\n"
	       "T0|free(p)|a.c:9\n"
	       "T0|rel(m)|a.c:10\n",
	       { FREED, 0, 4, 1, 2, false });
}

/* ---- several lives --------------------------------------------------------------------------- */

static void the_same_address(void **state)
{
	(void)state;
	/*
	 * T1 reads the pointer, which has the same value before and after the new allocation: so T1
	 * may free the freed block
	 */
	EXPECT("-|init(g)=1|\n"
	       "T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|free(p)|a.c:3\n"
	       "T0|alloc(p,8)|a.c:4\n"
	       "T0|w(g)=1|a.c:5\n"
	       "T1|r(g)=1|a.c:6\n"
	       "T1|free(p)|a.c:7\n",
	       { FREED, 0, 2, 1, 1, false });
	/* but not if the pointer must be the new one */
	SILENT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|free(p)|a.c:3\n"
	       "T0|alloc(p,8)|a.c:4\n"
	       "T0|w(g)=1|a.c:5\n"
	       "T1|r(g)=1|a.c:6\n"
	       "T1|free(p)|a.c:7\n");
}

static void in_the_recorded_run(void **state)
{
	(void)state;
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|free(p)|a.c:3\n"
	       "T1|r(p@4)=0|a.c:4\n",
	       { FREED, 0, 2, 1, 0, true });
	EXPECT("T0|alloc(p,8)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|free(p)|a.c:3\n"
	       "T0|w(g)=1|a.c:4\n"
	       "T1|r(g)=1|a.c:5\n"
	       "T1|free(p)|a.c:6\n",
	       { FREED, 0, 2, 1, 1, true });
}

/* ---- sync objects and descriptors ------------------------------------------------------------ */

static void destroyed(void **state)
{
	(void)state;
	EXPECT("T0|fork(T1)|a.c:2\n"
	       "T1|acq(m)|a.c:3\n"
	       "T1|rel(m)|a.c:4\n"
	       "T0|destroy(m)|a.c:5\n",
	       { FINDING_MISUSE, 0, 1, 1, 0, false });
	SILENT("T0|fork(T1)|a.c:2\n"
	       "T1|acq(m)|a.c:3\n"
	       "T1|rel(m)|a.c:4\n"
	       "T0|join(T1)|a.c:5\n"
	       "T0|destroy(m)|a.c:6\n");
}

static void closed(void **state)
{
	(void)state;
	EXPECT("T0|fdopen(3)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|fduse(3)|a.c:3\n"
	       "T0|fdclose(3)|a.c:4\n",
	       { FINDING_MISUSE, 0, 2, 1, 0, false });
	/* closed twice, because another open returned the same number */
	EXPECT("-|init(g)=3|\n"
	       "T0|fdopen(3)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T0|fdclose(3)|a.c:3\n"
	       "T0|fdopen(3)|a.c:4\n"
	       "T1|r(g)=3|a.c:5\n"
	       "T1|fdclose(3)|a.c:6\n",
	       { FINDING_MISUSE, 0, 2, 1, 1, false });
}

static void mapped(void **state)
{
	(void)state;
	/* half of a mapping is unmapped: the other half may still be used */
	EXPECT("T0|map(p,4096)|a.c:1\n"
	       "T0|fork(T1)|a.c:2\n"
	       "T1|w(p@8)=1|a.c:3\n"
	       "T0|unmap(p,2048)|a.c:4\n",
	       { FREED, 0, 2, 1, 0, false });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_between),
		cmocka_unit_test(kept_before),
		cmocka_unit_test(not_allocated_is_not_freed),
		cmocka_unit_test(one_lock),
		cmocka_unit_test(other_uses_first),
		cmocka_unit_test(other_lives_hold),
		cmocka_unit_test(the_same_address),
		cmocka_unit_test(in_the_recorded_run),
		cmocka_unit_test(destroyed),
		cmocka_unit_test(closed),
		cmocka_unit_test(mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
