/*
 * Tests how windows of a trace become models: the model of each rule of doc/prediction.md, the
 * state that is carried from window to window, and that each model accepts the run it was made
 * from.
 */
#include "trace_make.h"

#include "order/window/window.h"

#include <dirent.h>
#include <inttypes.h>

static struct trace *open_text(const char *text)
{
	struct make_dir dir = make_dir();
	struct trace *trace = make_text(&dir, text);

	make_remove(&dir);
	return trace;
}

/* ---- a model in words --------------------------------------------------------------------- */

static void print_node(FILE *out, uint32_t node)
{
	if (node == ORDER_NONE)
		fputc('-', out);
	else if (node == ORDER_ANY)
		fputc('*', out);
	else
		fprintf(out, "%" PRIu32, node);
}

static int compare_edges(const void *left, const void *right)
{
	const struct order_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static void print_edges(FILE *out, const struct order_model *m)
{
	if (m->edges.count)
		qsort(m->edges.items, m->edges.count, sizeof *m->edges.items, compare_edges);
	for (size_t i = 0; i < m->edges.count; i++) {
		struct order_edge e = m->edges.items[i];

		if (!i || compare_edges(&e, &m->edges.items[i - 1]))
			fprintf(out, "%" PRIu32 "<%" PRIu32 " ", e.from, e.to);
	}
}

/*
 * Prints values as letters a, b, … in the order in which they are found, because their numbers mean
 * nothing.
 */
static void print_cells(FILE *out, const struct order_model *m)
{
	uint32_t seen[26], count = 0;

	for (size_t i = 0; i < m->cells.count; i++) {
		const struct order_cell *c = &m->cells.items[i];

		count = 0;
		fprintf(out, "cell(");
		for (uint32_t k = 0; k < 1 + c->write_count + c->read_count; k++) {
			const struct order_write *w = &m->writes.items[c->write_start];
			const struct order_read *r = &m->reads.items[c->read_start];
			bool write = k && k <= c->write_count;
			uint32_t value = !k	 ? c->initial
					 : write ? w[k - 1].value
						 : r[k - 1 - c->write_count].value;
			uint32_t name = 0;

			while (name < count && seen[name] != value)
				name++;
			if (name == count && value != ORDER_NONE)
				seen[count++] = value;
			if (k)
				fprintf(out, write ? " w%" PRIu32 "=" : " r%" PRIu32 "=",
					write ? w[k - 1].node : r[k - 1 - c->write_count].node);
			fputc(value == ORDER_NONE ? '-' : (int)('a' + name), out);
			if (k > c->write_count && r[k - 1 - c->write_count].writer != ORDER_ANY) {
				fputc('@', out);
				print_node(out, r[k - 1 - c->write_count].writer);
			}
		}
		fprintf(out, ") ");
	}
}

static void print_locks(FILE *out, const struct order_model *m)
{
	for (size_t i = 0; i < m->locks.count; i++) {
		const struct order_lock *l = &m->locks.items[i];

		fprintf(out, "lock(");
		for (uint32_t k = 0; k < l->section_count; k++) {
			const struct order_section *s = &m->sections.items[l->section_start + k];

			fprintf(out, s->shared ? " shared " : " ");
			print_node(out, s->acquire);
			fputc('-', out);
			print_node(out, s->release);
			fprintf(out, "/%" PRIu32, s->thread);
		}
		for (uint32_t k = 0; k < l->fail_count; k++)
			fprintf(out, " fail%s %" PRIu32,
				m->fails.items[l->fail_start + k].shared ? " shared" : "",
				m->fails.items[l->fail_start + k].node);
		fprintf(out, ") ");
	}
}

static void print_waits(FILE *out, const struct order_model *m)
{
	for (size_t i = 0; i < m->conditions.count; i++) {
		const struct order_condition *c = &m->conditions.items[i];

		fprintf(out, "cond(");
		for (uint32_t k = 0; k < c->wait_count; k++) {
			const struct order_wait *w = &m->waits.items[c->wait_start + k];

			fprintf(out, " wait ");
			print_node(out, w->wait);
			fputc('-', out);
			print_node(out, w->woken);
			fprintf(out, "%s%s by ", w->wake == ORDER_WAKE_FREE ? " free" : "",
				w->timed ? " timed" : "");
			print_node(out, w->used);
		}
		for (uint32_t k = 0; k < c->signal_count; k++)
			fprintf(out, " %s %" PRIu32,
				m->signals.items[c->signal_start + k].broadcast ? "all" : "one",
				m->signals.items[c->signal_start + k].node);
		fprintf(out, ") ");
	}
}

static void print_semaphores(FILE *out, const struct order_model *m)
{
	for (size_t i = 0; i < m->semaphores.count; i++) {
		const struct order_semaphore *s = &m->semaphores.items[i];

		fprintf(out, "sem(%" PRIu32 "%s", s->initial, s->exact ? "" : "?");
		for (uint32_t k = 0; k < s->post_count; k++)
			fprintf(out, " post %" PRIu32, m->posts.items[s->post_start + k]);
		for (uint32_t k = 0; k < s->down_count; k++)
			fprintf(out, " down %" PRIu32, m->downs.items[s->down_start + k]);
		for (uint32_t k = 0; k < s->zero_count; k++)
			fprintf(out, " zero %" PRIu32, m->zeros.items[s->zero_start + k]);
		fprintf(out, ") ");
	}
}

static char *describe(const struct window *w)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	print_edges(out, &w->model);
	print_cells(out, &w->model);
	print_locks(out, &w->model);
	print_waits(out, &w->model);
	print_semaphores(out, &w->model);
	fclose(out);
	while (size && text[size - 1] == ' ')
		text[--size] = 0;
	return text;
}

/* ---- helpers ------------------------------------------------------------------------------ */

/* The whole window in base order must be feasible. */
static void assert_accepted(const struct window *w, const char *what)
{
	uint32_t count = w->model.node_count;
	uint32_t *all = malloc((count + 1) * sizeof *all);

	for (uint32_t i = 0; i < count; i++)
		all[i] = i;
	if (!order_model_accepts(&w->model, all, count))
		fail_msg("%s: window %" PRIu32 " refuses its own run", what, w->number);
	free(all);
}

/* Returns window `number` of the text. The windows before it are checked and freed. */
static struct window *window_of(const char *text, uint32_t size, uint32_t number)
{
	struct trace *trace = open_text(text);
	struct window_reader *reader = window_reader_open(trace, size);
	struct window *w, *wanted = NULL;

	while ((w = window_reader_next(reader))) {
		assert_accepted(w, text);
		if (w->number == number)
			wanted = w;
		else
			window_free(w);
	}
	window_reader_close(reader);
	trace_close(trace);
	if (!wanted)
		fail_msg("no window %" PRIu32 ": %s", number, text);
	return wanted;
}

static void expect_at(const char *text, uint32_t size, uint32_t number, const char *expected)
{
	struct window *w = window_of(text, size, number);
	char *found = describe(w);

	if (strcmp(found, expected))
		fail_msg("%s\nexpected: %s\nfound:    %s", text, expected, found);
	free(found);
	window_free(w);
}

static void expect(const char *text, const char *expected)
{
	expect_at(text, 1000, 0, expected);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void values(void **state)
{
	(void)state;
	expect("A|w(x)=1|\nB|r(x)=1|\nA|r(x)=1|\n", "cell(a w0=b r1=b r2=b)");
	expect("-|init(x)=5|\nB|r(x)=5|\nA|w(x)=5|\n", "cell(a w1=a r0=a)");
	/*
	 * a read without a value must read from the same writer, or from the initial value if there
	 * is no writer
	 */
	expect("A|w(x)|\nB|r(x)|\nA|w(x)|\nB|r(x)|\n", "cell(a w0=b w2=c r1=-@0 r3=-@2)");
	expect("B|r(x)|\nA|w(x)|\n", "cell(a w1=b r0=-@-)");
	expect("A|w(x)=1|\nB|r(x,inexact)=1|\n", "cell(a w0=b r1=-@0)");
	/* a read with a value, of a write without one: it must read from this write */
	expect("A|w(x)|\nB|r(x)=7|\nA|w(x)=7|\nB|r(x)=7|\n", "cell(a w0=b w2=c r1=c@0 r3=c)");
	/* an update is a read and a write */
	expect("A|w(x)=1|\nB|u(x)=1,2|\nA|ra(x)=2|\n", "cell(a w0=b w1=c r1=b r2=c)");
	/* only one thread accesses x, and no thread writes y: no constraints */
	expect("A|w(x)=1|\nA|r(x)=1|\nB|r(y)=0|\nA|r(y)=0|\n", "");
}

static void cells(void **state)
{
	(void)state;
	/* accesses of two halves and of the whole: two cells; one access of the third byte only */
	expect("-|at(p,0x1000)|\n-|at(q,0x1004)|\nA|w(p@4)=1|\nA|w(q@4)=2|\nB|r(p@8)=0x200000001|"
	       "\n",
	       "cell(a w0=b r2=b) cell(a w1=b r2=b)");
	expect("-|at(p,0x1000)|\n-|at(q,0x1002)|\nA|w(p@4)=0x01020304|\nB|w(q@1)=9|\n"
	       "A|r(p@4)=0x01090304|\n",
	       "cell(a w0=b w1=c r2=c)");
	/* a long value that repeats is the same in both notations */
	expect("A|w(x@16)=0x07*|\nB|r(x@16)=0x07070707070707070707070707070707|\n",
	       "cell(a w0=b r1=b)");
	expect("A|w(x@12)=0x0102030405060708090a0b0c|\nB|r(x@12)=0x0102030405060708090a0b0c|\n",
	       "cell(a w0=b r1=b)");
}

static void lives_of_memory(void **state)
{
	(void)state;
	expect("A|alloc(p,8)|\nA|w(p)=1|\nB|r(p)=1|\nA|free(p)|\nB|alloc(p,8)|\nB|w(p)=2|\nA|r(p)="
	       "2|\n",
	       "0<2 2<3 3<4 4<6 cell(- w1=a r2=a) cell(- w5=a r6=a)");
	/* the initial content of a block is unknown, unless a read shows it */
	expect("A|alloc(p,8)|\nB|r(p)=3|\nA|w(p)=3|\n", "0<1 cell(a w2=a r1=a)");
	/*
	 * a stack is a block; a lock in a block counts as its first byte, and a request does not
	 * use it
	 */
	expect("-|at(v,0x2000)|\nA|fork(B)|\nB|begin(0x2000,0x3000)|\nA|w(v)=1|\nB|end|\n",
	       "0<1 1<2 2<3");
	expect("-|at(m,0x2000)|\nA|alloc(0x2000,64)|\nB|acq(m)|\nB|rel(m)|\nC|req(m)|\nA|free("
	       "0x2000)|\n",
	       "0<1 2<4 lock( 1-2/1)");
}

static void mappings_and_descriptors(void **state)
{
	(void)state;
	/* mappings are like blocks; unmapping a part orders only the accesses to this part */
	expect("A|map(p,8)|\nA|w(p)=1|\nB|r(p)=1|\nA|unmap(p,8)|\nB|map(p,8)|\nB|w(p)=2|\nA|r(p)="
	       "2|\n",
	       "0<2 2<3 3<4 4<6 cell(- w1=a r2=a) cell(- w5=a r6=a)");
	expect("-|at(p,0x1000)|\n-|at(q,0x2000)|\nA|w(p)=1|\nB|w(q)=1|\nC|unmap(p,4096)|\n", "0<2");
	expect("-|at(p,0x1000)|\n-|at(q,0x2000)|\nA|w(p)=1|\nB|w(q)=1|\nC|map(p,8192)|\n",
	       "0<2 1<2");
	/* uses of a descriptor have no order among themselves */
	expect("A|fdopen(3)|\nB|fduse(3)|\nC|fduse(3)|\nC|fduse(4)|\nA|fdclose(3)|\nB|fdopen(3)|\n",
	       "0<1 0<2 1<4 2<4 4<5");
}

static void channels(void **state)
{
	(void)state;
	expect("A|send(c)|\nB|receive(c)|\nA|send(c)|\nC|receive(c)|\n", "0<1 1<3 2<3");
	expect("A|send(c)|\nB|send(c)|\nC|receive(c)|\nA|send(d)|\n", "0<1 1<2");
	expect("A|send(c)=told|\nB|send(c)=told|\nC|receive(c)=told|\nB|receive(c)=told|\n",
	       "0<2 1<2 2<3");
	expect("A|send(c)=told|\nB|send(c)|\nC|send(c)=told|\nD|receive(c)=told|\nA|send(c)|\n",
	       "0<1 1<3 1<4 2<3 2<4");
	/* a channel lives in the block that contains it */
	expect("-|at(c,0x2000)|\nA|alloc(0x2000,64)|\nB|send(c)=told|\nA|free(0x2000)|\n",
	       "0<1 1<2");
}

static void environment(void **state)
{
	struct window *w;

	(void)state;
	/*
	 * an unexplained read: its cell keeps its recorded order, and the read comes after
	 * everything before it
	 */
	expect("A|w(x)=1|\nC|w(y)=1|\nB|r(x)=9|\nA|r(x)=9|\nB|r(y)=1|\n",
	       "0<2 1<2 2<3 cell(a) cell(a w1=b r4=b)");
	expect("A|w(x,environment)=1|\nB|r(x)=1|\nA|w(x)=2|\n", "0<1 1<2 cell(a)");
	/* two reads of one write without a value find different values */
	expect("A|w(x)|\nB|r(x)=1|\nA|r(x)=2|\n", "0<1 1<2 cell(a)");
	w = window_of("A|w(x)=1|\nB|r(x)=9|\nA|w(y)=1|\nB|r(y)=1|\n", 100, 0);
	assert_int_equal(w->unexplained, 1);
	assert_true(w->nodes.items[0].environment && w->nodes.items[1].environment);
	assert_false(w->nodes.items[2].environment || w->nodes.items[3].environment);
	window_free(w);
}

/* ---- synchronisation ---------------------------------------------------------------------- */

static void locks(void **state)
{
	(void)state;
	expect("A|acq(m)|\nA|acq(m)|\nA|rel(m)|\nA|rel(m)|\nB|acq(m)|\n", "lock( 0-3/0 4--/1)");
	expect("A|racq(m)|\nB|racq(m)|\nA|rrel(m)|\nB|rrel(m)|\nB|acq(m)|\nB|rel(m)|\n",
	       "lock( shared 0-2/0 shared 1-3/1 4-5/1)");
	expect("A|acq(m)|\nB|tryacq(m)=0|\nB|tryracq(m)=0|\nA|rel(m)|\n",
	       "lock( 0-3/0 fail 1 fail shared 2)");
	/* a failed try is explained by a lock that its own thread holds, or by a time-out */
	expect("A|acq(m)|\nA|tryacq(m)=0|\nB|tryacq(m)=timeout|\nA|rel(m)|\n", "lock( 0-3/0)");
	/* each INIT starts a new lifetime */
	expect("A|acq(m)|\nA|rel(m)|\nB|destroy(m)|\nB|init(m)=normal|\nA|acq(m)|\n",
	       "1<2 3<4 lock( 0-1/0) lock() lock( 4--/0)");
	/* frozen locks: released by another thread, failed while free, acquired while held */
	expect("A|acq(m)|\nB|rel(m)|\nA|acq(m)|\n", "0<1 1<2");
	expect("A|tryacq(m)=0|\nB|acq(m)|\nB|rel(m)|\n", "0<1");
}

static void held_locks(void **state)
{
	struct window *w = window_of("A|acq(l)|\nA|racq(m)|\nA|acq(n)|\nA|rrel(m)|\nA|w(x)=1|\n"
				     "A|rel(n)|\nA|rel(l)|\n",
				     100, 0);
	const struct window_held *h = w->held.items;
	uint32_t i = w->nodes.items[4].held;

	(void)state;
	assert_int_equal(w->nodes.items[0].held, ORDER_NONE);
	assert_true(h[w->nodes.items[2].held].shared);
	assert_int_equal(h[i].taken.index, 2); /* n, and then l: m was released before */
	assert_int_equal(h[h[i].outer].taken.index, 0);
	assert_int_equal(h[h[i].outer].outer, ORDER_NONE);
	assert_int_equal(w->nodes.items[2].object, h[i].lock);
	assert_int_equal(w->threads.items[0].held, ORDER_NONE);
	window_free(w);
}

static void conditions(void **state)
{
	(void)state;
	expect("A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\nA|woken(c,m)|\nA|rel("
	       "m)|\n",
	       "lock( 0-1/0 2-4/1 5-6/0) cond( wait 1-5 by 3 one 3)");
	expect("A|acq(m)|\nA|wait(c,m)=timed|\nA|woken(c,m)=timeout|\nB|notifyall(c)|\n",
	       "lock( 0-1/0 2--/0) cond( wait 1-2 free timed by - all 3)");
	/*
	 * two waits, two signals: each wait gets the first signal that is left; the third wake-up
	 * gets none
	 */
	expect("A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|wait(c,m)|\nC|notify(c)|\nC|notify(c)|\n"
	       "B|woken(c,m)|\nB|rel(m)|\nA|woken(c,m)|\n",
	       "lock( 0-1/0 2-3/1 6-7/1 8--/0) cond( wait 1-8 by 5 wait 3-6 by 4 one 4 one 5)");
	expect("A|acq(m)|\nA|wait(c,m)|\nA|woken(c,m)|\nB|notify(c)|\n", "2<3 lock( 0-1/0 2--/0)");
}

static void counting(void **state)
{
	(void)state;
	expect("A|sinit(s,2)|\nB|down(s)|\nA|post(s)|\nB|trydown(s)=timeout|\n",
	       /* before its first lifetime the value is unknown */
	       "0<1 sem(0?) sem(2 post 2 down 1)");
	expect("A|sinit(s,2)|\nA|sdestroy(s)|\nB|post(s)|\nB|down(s)|\n",
	       "1<2 sem(0?) sem(2) sem(0? post 2 down 3)");
	expect("B|down(s)|\nB|trydown(s)=0|\nA|post(s)|\nB|down(s)|\n",
	       "sem(1 post 2 down 0 down 3 zero 1)");
	expect("A|sinit(s,0)|\nB|down(s)|\nA|post(s)|\n", "0<1 1<2");
}

static void meetings(void **state)
{
	struct window *w;

	(void)state;
	expect("A|barrier(b,2)|\nB|barrier(b,2)|\nA|passed(b)|\nB|passed(b)|\nA|barrier(b,2)|\n"
	       "B|barrier(b,2)|\nB|w(x)=1|\nA|w(y)=1|\n",
	       "0<3 1<2 4<6 5<7");
	w = window_of("A|barrier(b,3)|\nB|barrier(b,3)|\n", 100, 0);
	assert_int_equal(w->threads.items[0].end, WINDOW_PENDING);
	assert_int_equal(w->threads.items[0].pending_kind, EV_PASS);
	assert_int_equal(w->meetings.items[w->threads.items[0].pending_object].missing, 1);
	assert_int_equal(w->meetings.items[w->threads.items[0].pending_object].arrive_count, 2);
	window_free(w);
	expect("A|oncebegin(o)|\nA|onceend(o)|\nB|once(o)|\nC|once(o)|\n", "1<2 1<3");
	expect("A|oncebegin(o)|\nB|once(o)|\nA|onceend(o)|\n", "0<1 1<2");
}

static void threads(void **state)
{
	struct window *w;

	(void)state;
	expect("A|fork(B)|\nB|w(x)=1|\nB|w(y)=1|\nA|join(B)|\n", "0<1 2<3");
	expect("A|w(x)=1|\nA|w(y)=1|\nC|w(z)=1|\nB|sync|\nA|w(x)=2|\n", "1<3 2<3");
	w = window_of("A|fork(B)|\nB|req(m)|\nC|acq(m)|\nA|jreq(B)|\n", 100, 0);
	assert_int_equal(w->model.thread_count, 3);
	assert_int_equal(w->threads.items[0].end, WINDOW_PENDING);
	assert_int_equal(w->threads.items[0].pending_kind, EV_JOIN);
	assert_int_equal(w->threads.items[0].pending_object, 1);
	assert_int_equal(w->threads.items[1].pending_kind, EV_ACQUIRE);
	assert_int_equal(w->threads.items[1].pending_object, w->nodes.items[2].object);
	assert_int_equal(w->threads.items[1].create, 0);
	assert_false(w->threads.items[1].created);
	assert_int_equal(w->threads.items[2].end, WINDOW_ENDED);
	window_free(w);
	/* a thread does not block at a recursive mutex that it holds */
	w = window_of("A|init(m)=recursive|\nA|acq(m)|\nA|req(m)|\n", 100, 0);
	assert_int_equal(w->threads.items[0].end, WINDOW_GOES_ON);
	window_free(w);
	w = window_of("A|acq(m)|\nA|acq(m)|\nA|rel(m)|\nA|req(m)|\n", 100, 0);
	assert_int_equal(w->threads.items[0].end, WINDOW_GOES_ON); /* the mutex must be recursive */
	window_free(w);
	/*
	 * the requested lock may be in one of two lifetimes; a lock held after a thread's last
	 * event is held for ever
	 */
	w = window_of("A|acq(m)|\nB|req(m)|\nC|destroy(m)|\nC|init(m)=normal|\n", 100, 0);
	assert_int_equal(w->lock_lifetimes.count, 3);
	assert_int_equal(w->threads.items[1].pending_object, 2);
	assert_int_equal(w->lock_lifetimes.items[2].begin, 3);
	assert_int_equal(w->lock_lifetimes.items[2].earlier, 1);
	assert_int_equal(w->lock_lifetimes.items[0].begin, ORDER_NONE);
	assert_int_equal(w->lock_lifetimes.items[0].earlier, ORDER_NONE);
	assert_int_equal(w->held.items[w->threads.items[0].held].lock, 0);
	window_free(w);
	/*
	 * a handler belongs to the thread that it interrupts, but does not pass the barrier for it
	 */
	w = window_of(
		"A|barrier(b,2)|\nH|handler(A,10)|\nH|w(x)=1|\nH|handlerend|\nB|barrier(b,2)|\n"
		"A|passed(b)|\n",
		100, 0);
	assert_int_equal(w->model.thread_count, 2);
	assert_int_equal(w->model.thread.items[1], w->model.thread.items[0]);
	assert_int_equal(w->unexplained, 0);
	window_free(w);
}

/* ---- from window to window ---------------------------------------------------------------- */

static void carried(void **state)
{
	struct window *w;

	(void)state;
	/*
	 * a lock held since an earlier window, values from an earlier window, a wait whose signal
	 * was in an earlier window, and one whose signal is still to come
	 */
	expect_at("A|acq(m)|\nA|w(x)=7|\nB|r(x)=7|\nB|w(y)=1|\nA|w(x)=8|\nB|r(x)=8|\nA|rel(m)|\n"
		  "B|acq(m)|\n",
		  4, 2, "cell(a w0=b r1=b) lock( --2/0 3--/1)");
	expect_at("A|acq(m)|\nA|wait(c,m)|\nB|notify(c)|\nB|r(x)=0|\nA|woken(c,m)|\n", 2, 3,
		  "lock( 1--/0) cond( wait --1 free by -)");
	expect_at("A|acq(m)|\nA|wait(c,m)|\nB|r(x)=0|\nB|notify(c)|\nA|woken(c,m)|\nA|r(x)=0|\n", 4,
		  1, "lock( 2--/0) cond( wait --2 by 1 one 1)");
	expect_at("A|sinit(s,3)|\nA|down(s)|\nB|down(s)|\nB|post(s)|\n", 2, 2,
		  "sem(2 post 1 down 0)");
	expect_at("A|w(x)|\nA|w(y)=1|\nB|r(x)=3|\nA|w(x)=3|\n", 2, 2, "cell(- w1=a r0=a@-)");
	w = window_of("A|fork(B)|\nA|acq(m)|\nA|wait(c,m)|\nB|w(x)=1|\nB|w(x)=2|\nB|w(x)=3|\n", 2,
		      4);
	assert_int_equal(w->threads.items[0].end, WINDOW_PENDING);
	assert_int_equal(w->threads.items[0].pending_kind, EV_WOKEN);
	assert_int_equal(w->threads.items[0].pending.index, 2);
	assert_true(w->threads.items[1].created && w->threads.items[1].begun);
	assert_true(w->last);
	assert_int_equal(w->fresh, 1);
	window_free(w);
}

/*
 * Checks that windows and their thread runs cover the trace: the runs before each boundary must
 * have as many events as there are nodes before it. Returns the number of windows.
 */
static uint32_t check_runs(const char *text, uint32_t size, uint64_t events)
{
	struct trace *trace = open_text(text);
	struct window_reader *reader = window_reader_open(trace, size);
	struct window *w;
	uint64_t first[64], last[64], starts[64], ends[64], end = 0;
	uint32_t number = 0;
	size_t count;
	const struct window_slice *runs;

	while ((w = window_reader_next(reader))) {
		assert_accepted(w, "runs");
		assert_true(number < 64 && w->number == number);
		starts[number] = end - w->fresh;
		end = ends[number] = starts[number] + w->model.node_count;
		first[number] = w->first_slice;
		last[number] = w->last_slice;
		assert_true(w->fresh < w->model.node_count);
		assert_int_equal(w->last, end == events);
		number++;
		window_free(w);
	}
	assert_int_equal(end, events);
	runs = window_reader_slices(reader, &count);
	for (uint32_t k = 0; k < number; k++) {
		uint64_t done[8] = { 0 }, before = 0;

		assert_true(first[k] <= last[k] && last[k] <= count);
		for (size_t i = 0; i <= count; i++) {
			if (i == first[k])
				assert_int_equal(before, starts[k]);
			if (i == last[k])
				assert_int_equal(before, ends[k]);
			if (i == count)
				break;
			assert_true(runs[i].end > done[runs[i].stream]);
			before += runs[i].end - done[runs[i].stream];
			done[runs[i].stream] = runs[i].end;
		}
	}
	window_reader_close(reader);
	trace_close(trace);
	return number;
}

static void runs(void **state)
{
	const char *text = "A|w(x)=1|\nA|w(x)=2|\nA|w(x)=3|\nA|w(x)=4|\nA|w(x)=5|\nB|w(x)=1|\n"
			   "B|w(x)=2|\nB|w(x)=3|\nA|w(x)=6|\nB|w(x)=4|\nB|w(x)=5|\n";

	(void)state;
	assert_int_equal(check_runs(text, 2, 11), 10);
	assert_int_equal(check_runs(text, 4, 11), 5);
	assert_int_equal(check_runs(text, 11, 11), 1);
	for (uint32_t size = 3; size < 14; size++)
		check_runs(text, size, 11);
}

/*
 * Accesses that cover many cells: a window ends before it becomes too large. In the second text,
 * the window that splits the accesses starts inside a window that did not split them, and contains
 * no new events.
 */
static void too_many_cells(void **state)
{
	for (unsigned second = 0; second < 2; second++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		for (unsigned i = 0; second && i < 3500; i++)
			fprintf(out, "A|r(y)=0|\n");
		for (unsigned i = 0; i < 2500; i++)
			fprintf(out, "%c|w(0x10000@3000)=0x01*|\n", i % 3 ? 'A' : 'B');
		for (unsigned i = 0; i < 3000; i++)
			fprintf(out, "B|w(%#x@1)=1|\n", 0x10000 + i);
		fclose(out);
		assert_in_range(check_runs(text, 6000, second ? 9000 : 5500), 2, 10);
		free(text);
	}
	(void)state;
}

static void blocks(void **state)
{
	struct window *w =
		window_of("A|alloc(p,16)|\nA|w(p)=1|\nA|free(p)|\nB|alloc(p,8)|\nB|w(p)=2|\n"
			  "A|r(q)=0|\n",
			  100, 0);

	(void)state;
	assert_int_equal(window_find_block(w, 1)->size, 16);
	assert_int_equal(window_find_block(w, 4)->size, 8);
	assert_int_equal(window_find_block(w, 4)->allocated.stream, 1);
	assert_null(window_find_block(w, 5));
	window_free(w);
}

/* ---- recordings --------------------------------------------------------------------------- */

static void record(struct trace_writer *writer, uint32_t stream, uint64_t time,
		   enum event_kind kind, uint64_t address, uint64_t value)
{
	bool access = kind == EV_READ || kind == EV_WRITE;

	trace_write(writer, stream,
		    &(struct write_record){ .kind = kind,
					    .time = time,
					    .a = address,
					    .n = 8,
					    .bytes = access ? &value : NULL,
					    .size = access ? 8 : 0 });
}

static struct window *window_of_recording(struct trace_writer *writer)
{
	struct make_dir dir = make_dir();
	size_t bytes;
	uint8_t *log = trace_writer_finish(writer, &bytes);
	struct trace *trace;
	struct window_reader *reader;
	struct window *w;

	make_file(&dir, "events.0", log, bytes);
	free(log);
	trace = make_open(&dir);
	reader = window_reader_open(trace, 100);
	w = window_reader_next(reader);
	assert_non_null(w);
	assert_accepted(w, "recording");
	window_reader_close(reader);
	trace_close(trace);
	make_remove(&dir);
	return w;
}

/* In a recording, only events that another thread can notice become nodes. */
static void recordings(void **state)
{
	struct trace_writer *writer = trace_writer_open();
	struct window *w;
	char *found;

	(void)state;
	record(writer, 0, 10, EV_WRITE, 0x1000, 1); /* only this thread accesses the variable */
	record(writer, 0, 20, EV_WRITE, 0x2000, 1);
	record(writer, 1, 30, EV_READ, 0x2000, 1);
	record(writer, 1, 30, EV_READ, 0x3000, 1); /* no thread writes this variable */
	record(writer, 0, 40, EV_READ, 0x3000, 1);
	/* written by unrecorded code, which matters only to this thread */
	record(writer, 0, 40, EV_READ, 0x1000, 2);
	w = window_of_recording(writer);
	found = describe(w);
	assert_string_equal(found, "cell(- w0=a r1=a)");
	assert_int_equal(w->model.node_count, 2);
	assert_int_equal(w->unexplained, 0);
	free(found);
	window_free(w);

	/* two blocks: one used by one thread only, and one passed to another thread */
	writer = trace_writer_open();
	record(writer, 0, 10, EV_ALLOC, 0x1000, 0);
	record(writer, 0, 20, EV_WRITE, 0x1000, 1);
	record(writer, 0, 30, EV_FREE, 0x1000, 0);
	record(writer, 0, 40, EV_ALLOC, 0x2000, 0);
	record(writer, 1, 50, EV_WRITE, 0x2000, 1);
	record(writer, 0, 60, EV_FREE, 0x2000, 0);
	w = window_of_recording(writer);
	found = describe(w);
	assert_string_equal(found, "0<1 1<2");
	assert_int_equal(w->model.node_count, 3);
	free(found);
	window_free(w);

	/* two descriptors: one that another thread uses, and one used by one thread only */
	writer = trace_writer_open();
	record(writer, 0, 10, EV_FD_OPEN, EVENT_FD + 3, 0);
	record(writer, 0, 20, EV_FD_OPEN, EVENT_FD + 300, 0);
	record(writer, 0, 30, EV_FD_USE, EVENT_FD + 300, 0);
	record(writer, 1, 40, EV_FD_USE, EVENT_FD + 3, 0);
	record(writer, 0, 50, EV_FD_CLOSE, EVENT_FD + 300, 0);
	record(writer, 0, 60, EV_FD_CLOSE, EVENT_FD + 3, 0);
	w = window_of_recording(writer);
	found = describe(w);
	assert_string_equal(found, "0<1 1<2");
	assert_int_equal(w->model.node_count, 3);
	free(found);
	window_free(w);
}

/* ---- many traces -------------------------------------------------------------------------- */

static void walk(const char *path)
{
	static const uint32_t sizes[] = { 2, 3, 4, 7, 10, 10000 };
	struct trace *trace;
	struct err err;

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct window_reader *reader;
		struct window *w;

		if (!trace_open(path, &trace, &err))
			fail_msg("%s", err.text);
		reader = window_reader_open(trace, sizes[i]);
		while ((w = window_reader_next(reader))) {
			assert_accepted(w, path);
			window_free(w);
		}
		window_reader_close(reader);
		trace_close(trace);
	}
}

static void all_traces(void **state)
{
	char folder[256], path[512];
	DIR *dir;
	int seen = 0;

	(void)state;
	snprintf(folder, sizeof folder, "%s/traces",
		 getenv("SOOTH_TEST") ? getenv("SOOTH_TEST") : "test");
	dir = opendir(folder);
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (!strstr(entry->d_name, ".std"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		walk(path);
		seen++;
	}
	closedir(dir);
	assert_true(seen > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),	   cmocka_unit_test(cells),
		cmocka_unit_test(lives_of_memory), cmocka_unit_test(environment),
		cmocka_unit_test(locks),	   cmocka_unit_test(held_locks),
		cmocka_unit_test(conditions),	   cmocka_unit_test(counting),
		cmocka_unit_test(meetings),	   cmocka_unit_test(threads),
		cmocka_unit_test(carried),	   cmocka_unit_test(runs),
		cmocka_unit_test(blocks),	   cmocka_unit_test(all_traces),
		cmocka_unit_test(too_many_cells),  cmocka_unit_test(recordings),
		cmocka_unit_test(channels),	   cmocka_unit_test(mappings_and_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
