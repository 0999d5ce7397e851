/*
 * Tests the messages of computations on the figures of the papers, with cuts and runs counted by a
 * very simple search. Random computations are in the model test (test/model/lattice).
 */
#include "monitor/computation/computation.h"
#include "spec/spec.h"
#include "trace_make.h"

#include <inttypes.h>

/* ---- a plain walk ---------------------------------------------------------------------------- */

#define COLUMNS 8

struct cut {
	uint32_t at[COLUMNS];
	uint64_t runs;
};
typedef VEC(struct cut) cuts;

static bool is_in(const struct cut *cut, const struct message *m)
{
	return m->position < cut->at[m->column];
}

/* Does the cut contain some of the set's members, but not all? */
static bool is_open(const struct computation *c, const struct cut *cut, uint32_t object,
		    uint32_t set)
{
	bool some = false, all = true, closed = false, lock = false;

	for (size_t i = 0; i < c->messages.count; i++) {
		const struct message *m = &c->messages.items[i];

		for (uint32_t k = 0; k < m->member_count; k++) {
			const struct message_member *member = &m->members[k];

			if (member->object != object || member->set != set)
				continue;
			lock = member->lock;
			some |= is_in(cut, m);
			all &= is_in(cut, m);
			closed |= is_in(cut, m) && (member->role == MESSAGE_CLOSES ||
						    member->role == MESSAGE_PASSES);
		}
	}
	return some && !(lock ? closed : all);
}

static bool is_own(const struct message *m, const struct message_member *other)
{
	for (uint32_t i = 0; i < m->member_count; i++) {
		if (m->members[i].object == other->object && m->members[i].set == other->set)
			return true;
	}
	return false;
}

static bool is_kept_out(const struct computation *c, const struct cut *cut, const struct message *m,
			const struct message_member *member)
{
	for (size_t i = 0; i < c->messages.count; i++) {
		const struct message *other = &c->messages.items[i];

		for (uint32_t k = 0; k < other->member_count; k++) {
			const struct message_member *rival = &other->members[k];

			if (rival->object == member->object && !is_own(m, rival) &&
			    !(rival->shared && member->shared) &&
			    is_open(c, cut, rival->object, rival->set))
				return true;
		}
	}
	return false;
}

static bool is_enabled(const struct computation *c, const struct cut *cut, const struct message *m)
{
	if (m->position != cut->at[m->column])
		return false;
	for (uint32_t i = 0; i < m->need_count; i++) {
		if (cut->at[m->needs[i].column] < m->needs[i].count)
			return false;
	}
	for (uint32_t i = 0; i < m->member_count; i++) {
		if (is_kept_out(c, cut, m, &m->members[i]))
			return false;
	}
	return true;
}

static void add_cut(cuts *level, const struct cut *cut)
{
	for (size_t i = 0; i < level->count; i++) {
		if (!memcmp(level->items[i].at, cut->at, sizeof cut->at)) {
			level->items[i].runs += cut->runs;
			return;
		}
	}
	*vec_push(level) = *cut;
}

static void walk(const struct computation *c, uint64_t *reached, uint64_t *runs)
{
	cuts level = { 0 };

	assert_true(c->columns <= COLUMNS);
	*reached = 0;
	*runs = 0;
	*vec_push(&level) = (struct cut){ .runs = 1 };
	for (size_t depth = 0; level.count; depth++) {
		cuts next = { 0 };

		*reached += level.count;
		for (size_t i = 0; i < level.count; i++) {
			if (depth == c->messages.count)
				*runs = level.items[i].runs;
			for (size_t k = 0; k < c->messages.count; k++) {
				struct cut cut = level.items[i];

				if (!is_enabled(c, &cut, &c->messages.items[k]))
					continue;
				cut.at[c->messages.items[k].column]++;
				add_cut(&next, &cut);
			}
		}
		vec_free(&level);
		level = next;
	}
	vec_free(&level);
}

/* ---- a text and a property ------------------------------------------------------------------- */

static struct spec_file *parse(const char *property)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("test.prop", property, &messages);

	if (!file)
		fail_msg("%s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	return file;
}

struct opened {
	struct make_dir dir;
	struct spec_file *file;
	struct property_set set;
	struct trace *trace;
	struct computations found;
};

static void open_text(struct opened *o, const char *lines, const char *property,
		      enum computation_causality causality, enum computation_events events)
{
	struct computation_options options = { .causality = causality, .events = events };
	struct err err = { "" };
	char path[128];

	*o = (struct opened){ .dir = make_dir(), .file = parse(property) };
	make_file(&o->dir, "text.std", lines, strlen(lines));
	snprintf(path, sizeof path, "%s/text.std", o->dir.path);
	if (!trace_open(path, &o->trace, &err) ||
	    !property_read(o->trace, &o->file, 1, &o->set, &err) ||
	    !computations_read(o->trace, &o->set, &options, &o->found, &err))
		fail_msg("%s", err.text);
}

static void close_text(struct opened *o)
{
	computations_free(&o->found);
	property_set_free(&o->set);
	trace_close(o->trace);
	spec_free(o->file);
	make_remove(&o->dir);
}

static void expect(const char *lines, const char *property, enum computation_causality causality,
		   enum computation_events events, uint64_t cut_count, uint64_t run_count)
{
	struct opened o;
	uint64_t reached, runs;

	open_text(&o, lines, property, causality, events);
	assert_int_equal(o.found.list.count, 1);
	walk(&o.found.list.items[0], &reached, &runs);
	if (reached != cut_count || runs != run_count)
		fail_msg("%s: %" PRIu64 " cuts and %" PRIu64 " runs, not %" PRIu64 " and %" PRIu64,
			 property, reached, runs, cut_count, run_count);
	close_text(&o);
}

/* ---- the papers' figures --------------------------------------------------------------------- */

static const char landing[] = "-|init(radio)=1|\n"
			      "t1|r(radio)=1|\n"
			      "t1|w(approved)=1|\n"
			      "t1|r(approved)=1|\n"
			      "t1|w(landing)=1|\n"
			      "t2|w(radio)=0|\n";
static const char landing_property[] =
	"property L { always start(landing == 1) => [approved == 1, radio == 0); }";

static const char xyz[] = "-|init(x)=-1|\n"
			  "t1|r(x)=-1|\n"
			  "t1|w(x)=0|\n"
			  "t2|r(x)=0|\n"
			  "t2|w(z)=1|\n"
			  "t1|r(x)=0|\n"
			  "t1|w(y)=1|\n"
			  "t2|r(x)=0|\n"
			  "t2|w(x)=1|\n";

/* JMPaX 3, figure 3. */
static const char figure3[] = "t1|w(x)=-1|\n"
			      "t1|r(x)=-1|\n"
			      "t1|w(z)=2|\n"
			      "t2|w(x)=1|\n"
			      "t2|r(x)=1|\n"
			      "t2|r(z)=2|\n"
			      "t2|w(y)=3|\n";

static void figures(void **state)
{
	(void)state;
	expect(landing, landing_property, COMPUTATION_STRONG, COMPUTATION_RELEVANT, 6, 3);
	expect(landing, landing_property, COMPUTATION_WEAK, COMPUTATION_ALL, 9, 4);
	expect(xyz, "property P { always x > 0 => [y == 0, y > z); }", COMPUTATION_STRONG,
	       COMPUTATION_RELEVANT, 7, 3);
	expect(figure3, "property P { always start(x > 0) => once start(x < 0); }",
	       COMPUTATION_WEAK, COMPUTATION_ALL, 13, 4);
}

/* ---- what leaves ----------------------------------------------------------------------------- */

static void expect_size(const char *lines, const char *property, size_t computations,
			size_t messages, uint64_t silent, uint32_t columns)
{
	struct opened o;
	const struct computation *c;

	open_text(&o, lines, property, COMPUTATION_WEAK, COMPUTATION_RELEVANT);
	assert_int_equal(o.found.list.count, computations);
	c = &o.found.list.items[0];
	assert_int_equal(c->messages.count, messages);
	assert_int_equal(c->silent, silent);
	assert_int_equal(c->columns, columns);
	close_text(&o);
}

#define COUNT(thread) thread "|acq(m)|\n" thread "|r(c)|\n" thread "|w(c)|\n" thread "|rel(m)|\n"

static void projections(void **state)
{
	(void)state;
	/* sections that are ordered by the values they pass on need not be sets */
	expect_size("t1|w(x)=1|\n" COUNT("t1") COUNT("t2") COUNT("t1") "t2|w(x)=2|\n",
		    "property P { always x < 3; }", 1, 2, 0, 2);
	/* a section with a relevant event inside stays a set */
	expect_size("t1|acq(m)|\nt1|w(x)=1|\nt1|w(x)=2|\nt1|rel(m)|\n"
		    "t2|acq(m)|\nt2|w(x)=3|\nt2|w(x)=4|\nt2|rel(m)|\n",
		    "property P { always x < 9; }", 1, 4, 0, 2);
	/* sections nested in opposite order, which can deadlock, stay sets */
	expect_size("t1|acq(m)|\nt1|w(x)=1|\nt1|acq(n)|\nt1|rel(n)|\nt1|rel(m)|\n"
		    "t2|acq(n)|\nt2|w(y)=1|\nt2|acq(m)|\nt2|rel(m)|\nt2|rel(n)|\n",
		    "property P { always x < 9 && y < 9; }", 1, 4, 2, 2);
}

static void threads_that_come_and_go(void **state)
{
	(void)state;
	expect_size("m|fork(a)|\na|w(x)=1|\nm|join(a)|\nm|fork(b)|\nb|w(x)=2|\nm|join(b)|\n"
		    "m|fork(c)|\nc|w(x)=3|\nm|join(c)|\n",
		    "property P { always x < 9; }", 1, 3, 0, 1);
}

static void slices(void **state)
{
	(void)state;
	expect_size("t1|call auth(p)|\nt1|call use(p)|\nt2|call auth(q)|\nt2|call use(q)|\n"
		    "t1|call use(p)|\n",
		    "property A(void *o) { event auth = call auth(o); event use = call use(o);"
		    " always use => once auth; }",
		    2, 3, 0, 1);
	/* the bindings {c}, {c, i} and {c, j}: one binding and its extensions */
	expect_size("t1|call make(c, i)|\nt1|call make(c, j)|\nt1|call change(c)|\n",
		    "property A(void *c, void *i) { event make = call make(c, i);"
		    " event change = call change(c); ere: (make change)*; }",
		    3, 2, 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(figures),
					    cmocka_unit_test(projections),
					    cmocka_unit_test(threads_that_come_and_go),
					    cmocka_unit_test(slices) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
