/*
 * The checker: races, deadlock cycles, and sets of threads that cannot continue. Each claim is
 * accepted once and refused once.
 */
#include "check_play.h"

static void races(void **state)
{
	const char *text = "A|w(x)=1|\nA|w(x)=2|\nB|r(x)=2|\nB|w(y)=1|\n";

	(void)state;
	accepts(text, CHECKER_RACE, "A1 B0", "A0");
	/* the values that the two accesses would read do not matter */
	accepts(text, CHECKER_RACE, "B0 A0", "");
	refuses(text, CHECKER_RACE, "A1 B0", "", "after the last step A event 1 is not next");
	refuses(text, CHECKER_RACE, "A1 B0", "A1", "A event 1 is not next");
	refuses(text, CHECKER_RACE, "A1 B1", "A1 B0 A1", "step 3: A event 1 has already happened");
	refuses(text, CHECKER_RACE, "A0", "", "a race has two events, not 1");
	refuses(text, CHECKER_RACE, "A0 B0 B0", "", "a race has two events, not 3");
	refuses(text, CHECKER_RACE, "A0 A0", "", "both accesses are in the same thread");
	text = "A|r(x)=0|\nB|r(x)=0|\nC|w(y)=1|\nD|acq(m)|\n";
	refuses(text, CHECKER_RACE, "A0 B0", "", "neither access writes");
	refuses(text, CHECKER_RACE, "A0 C0", "", "the accesses have no byte in common");
	refuses(text, CHECKER_RACE, "D0 C0", "", "D event 0 is not a memory access");
	text = "A|wa(x)=1|\nB|u(x)=1,2|\nC|w(x)=3|\nD|r(x)=3|\n";
	refuses(text, CHECKER_RACE, "A0 B0", "", "both accesses are atomic");
	accepts(text, CHECKER_RACE, "A0 C0", "");
	accepts(text, CHECKER_RACE, "D0 B0", "");
	/* an update is a write, too */
	accepts("A|u(x)=0,1|\nD|r(x)=1|\n", CHECKER_RACE, "A0 D0", "");
	refuses("A|ra(x)=0|\nD|r(x)=0|\n", CHECKER_RACE, "A0 D0", "", "neither access writes");
}

static void race_bytes(void **state)
{
	const char *text = "A|w(0x1000)=1|\nB|w(0x1007@1)=1|\nC|w(0x1008@1)=1|\nD|w(0x0ff8)=1|\n"
			   "E|w(0x0fff@2)=1|\n";

	(void)state;
	accepts(text, CHECKER_RACE, "A0 B0", "");
	accepts(text, CHECKER_RACE, "B0 A0", "");
	refuses(text, CHECKER_RACE, "A0 C0", "", "no byte in common");
	refuses(text, CHECKER_RACE, "C0 A0", "", "no byte in common");
	refuses(text, CHECKER_RACE, "D0 A0", "", "no byte in common");
	accepts(text, CHECKER_RACE, "E0 A0", "");
	accepts(text, CHECKER_RACE, "E0 D0", "");
}

static void race_readiness(void **state)
{
	(void)state;
	refuses("A|w(x)=1|\nA|fork(B)|\nB|w(x)=2|\n", CHECKER_RACE, "A0 B0", "",
		"B event 0 cannot come next: its thread has not been created");
	refuses("C|alloc(0x1000,8)|\nA|w(0x1000)=1|\nB|w(0x1000)=2|\n", CHECKER_RACE, "A0 B0", "",
		"A event 0 cannot come next: must come after C event 0");
	refuses("A|barrier(b,2)|\nB|w(x)=1|\nB|barrier(b,2)|\nA|w(x)=2|\n", CHECKER_RACE, "B0 A1",
		"A0", "A event 1 cannot come next: its thread is at a barrier");
	/* both threads hold the lock m */
	refuses("A|acq(m)|\nA|w(x)=1|\nA|rel(m)|\nB|acq(m)|\nB|w(x)=2|\nB|rel(m)|\n", CHECKER_RACE,
		"A1 B1", "A0 B0", "step 2, B event 0: acquires lock m, which A");
}

/* ---- rings -------------------------------------------------------------------------------- */

static void two_locks(void **state)
{
	const char *text = "A|acq(m)|\nA|acq(n)|\nA|rel(n)|\nA|rel(m)|\n"
			   "B|acq(n)|\nB|acq(m)|\nB|rel(m)|\nB|rel(n)|\n";

	(void)state;
	accepts(text, CHECKER_CYCLE, "A1 B1", "A0 B0");
	accepts(text, CHECKER_CYCLE, "B1 A1", "B0 A0");
	refuses(text, CHECKER_CYCLE, "A1 B1", "A0", "B event 1 is not next");
	refuses(text, CHECKER_CYCLE, "A1 B0", "A0", "no thread blocks A event 1");
	refuses(text, CHECKER_CYCLE, "A1", "A0 B0", "do not block each other in a cycle");
	refuses(text, CHECKER_CYCLE, "A1 A1", "A0 B0", "two events in the same thread");
	refuses(text, CHECKER_CYCLE, "", "A0 B0", "a cycle without events");
	refuses(text, CHECKER_CYCLE, "A1 B1", "A1 B0", "acquires lock n, which A");
	refuses(text, CHECKER_RACE, "A1 B1", "A0 B0", "not a memory access");
	/* a gate lock: both threads hold g */
	text = "A|acq(g)|\nA|acq(m)|\nA|acq(n)|\nA|rel(n)|\nA|rel(m)|\nA|rel(g)|\n"
	       "B|acq(g)|\nB|acq(n)|\nB|acq(m)|\n";
	refuses(text, CHECKER_CYCLE, "A2 B2", "A1 B1", "acquires lock g, which A");
	/* a try and a timed lock do not block */
	text = "A|acq(m)|\nA|tryacq(n)=1|\nA|rel(n)|\nA|rel(m)|\nB|acq(n)|\nB|acq(m)|\n";
	refuses(text, CHECKER_CYCLE, "A1 B1", "A0 B0", "no thread blocks A event 1");
	text = "A|acq(m)|\nA|acq(n)=timed|\nA|rel(n)|\nA|rel(m)|\nB|acq(n)|\nB|acq(m)|\n";
	refuses(text, CHECKER_CYCLE, "A1 B1", "A0 B0", "no thread blocks A event 1");
}

static void three_locks(void **state)
{
	const char *text = "A|acq(l)|\nA|acq(m)|\nA|rel(m)|\nA|rel(l)|\n"
			   "B|acq(m)|\nB|acq(n)|\nB|rel(n)|\nB|rel(m)|\n"
			   "C|acq(n)|\nC|acq(l)|\nC|rel(l)|\nC|rel(n)|\nD|w(x)=1|\n";

	(void)state;
	accepts(text, CHECKER_CYCLE, "A1 B1 C1", "A0 B0 C0");
	/* the events may be named in any order */
	accepts(text, CHECKER_CYCLE, "A1 C1 B1", "A0 B0 C0");
	refuses(text, CHECKER_CYCLE, "A1 B1", "A0 B0 C0", "in a cycle");
	refuses(text, CHECKER_CYCLE, "A1 B1 C1 D0", "A0 B0 C0", "no thread blocks D event 0");
	/* two separate cycles are not one cycle */
	text = "A|acq(k)|\nA|acq(l)|\nA|rel(l)|\nA|rel(k)|\nB|acq(l)|\nB|acq(k)|\nB|rel(k)|\n"
	       "B|rel(l)|\nC|acq(m)|\nC|acq(n)|\nC|rel(n)|\nC|rel(m)|\nD|acq(n)|\nD|acq(m)|\n";
	accepts(text, CHECKER_CYCLE, "C1 D1", "A0 B0 C0 D0");
	refuses(text, CHECKER_CYCLE, "A1 B1 C1 D1", "A0 B0 C0 D0", "in a cycle");
}

static void rings_of_readers(void **state)
{
	const char *text = "A|racq(m)|\nA|acq(n)|\nA|rel(n)|\nA|rrel(m)|\n"
			   "B|racq(m)|\nB|rrel(m)|\n"
			   "C|acq(n)|\nC|acq(m)|\nC|rel(m)|\nC|rel(n)|\n";

	(void)state;
	/* B is a reader, too, but is not in the cycle */
	accepts(text, CHECKER_CYCLE, "A1 C1", "B0 A0 C0");
	refuses(text, CHECKER_CYCLE, "A1 C1 B1", "B0 A0 C0", "no thread blocks B event 1");
	text = "A|racq(m)|\nB|racq(m)|\nA|rrel(m)|\nB|rrel(m)|\nC|acq(n)|\nC|acq(m)|\nC|rel(m)|\n"
	       "C|rel(n)|\nD|acq(n)|\n";
	refuses(text, CHECKER_CYCLE, "C1 D0", "A0 B0 C0", "do not block each other in a cycle");
	/* a reader does not wait for a reader */
	text = "A|racq(m)|\nA|acq(n)|\nA|rel(n)|\nA|rrel(m)|\nC|acq(n)|\nC|racq(m)|\nC|rrel(m)|\n";
	refuses(text, CHECKER_CYCLE, "A1 C1", "A0 C0", "no thread blocks C event 1");
	text = "A|acq(m)|\nA|acq(n)|\nA|rel(n)|\nA|rel(m)|\nC|acq(n)|\nC|racq(m)|\nC|rrel(m)|\n";
	accepts(text, CHECKER_CYCLE, "A1 C1", "A0 C0");
}

static void rings_of_others(void **state)
{
	const char *text = "A|fork(B)|\nA|acq(m)|\nA|rel(m)|\nA|acq(m)|\nA|w(x)=1|\nA|rel(m)|\n"
			   "B|acq(m)|\nB|rel(m)|\nA|join(B)|\n";

	(void)state;
	/* A joins B, which wants the lock that A holds; but here A never holds m at the join */
	refuses(text, CHECKER_CYCLE, "A6 B0", "A5", "no thread blocks B event 0");
	/* a once routine that takes a lock */
	text = "A|oncebegin(o)|\nA|acq(m)|\nA|rel(m)|\nA|onceend(o)|\nB|acq(m)|\nB|once(o)|\n";
	accepts(text, CHECKER_CYCLE, "A1 B1", "A0 B0");
	refuses(text, CHECKER_CYCLE, "A0 B1", "B0", "no thread blocks A event 0");
	/* a woken thread that needs its mutex again */
	text = "A|acq(k)|\nA|acq(m)|\nA|wait(c,m)|\nB|notify(c)|\nA|woken(c,m)|\nA|rel(m)|\nA|rel("
	       "k)|\n"
	       "B|acq(m)|\nB|acq(k)|\n";
	accepts(text, CHECKER_CYCLE, "A3 B2", "A2 B1");
	text = "A|acq(k)|\nA|acq(m)|\nA|wait(c,m)=timed|\nA|woken(c,m)=timeout|\nA|rel(m)|\nA|rel("
	       "k)|\n"
	       "B|acq(m)|\nB|acq(k)|\n";
	accepts(text, CHECKER_CYCLE, "A3 B1", "A2 B0");
}

static void hanging_rings(void **state)
{
	const char *text = "A|acq(m)|\nB|acq(n)|\nA|req(n)|\nB|req(m)|\n";

	(void)state;
	accepts(text, CHECKER_CYCLE, "A1 B1", "A1 B1");
	refuses(text, CHECKER_CYCLE, "A1 B1", "A0 B1", "no thread blocks A event 1");
	accepts("A|acq(m)|\nA|req(m)|\n", CHECKER_CYCLE, "A1", "A1");
	accepts("A|init(m)=normal|\nA|acq(m)|\nA|req(m)|\n", CHECKER_CYCLE, "A2", "A2");
	refuses("A|init(m)=recursive|\nA|acq(m)|\nA|req(m)|\n", CHECKER_CYCLE, "A2", "A2",
		"no thread blocks A event 2");
	refuses("A|acq(m)|\nA|rel(m)|\nA|req(m)|\n", CHECKER_CYCLE, "A2", "A2",
		"no thread blocks A event 2");
	/* two threads that join each other; a thread that joins a thread that waits for its lock */
	accepts("A|fork(B)|\nA|jreq(B)|\nB|jreq(A)|\n", CHECKER_CYCLE, "A1 B0", "A1 B0");
	accepts("A|fork(B)|\nA|acq(m)|\nA|jreq(B)|\nB|req(m)|\n", CHECKER_CYCLE, "A2 B0", "A2 B0");
	/* two readers that both request the write lock */
	accepts("A|racq(m)|\nB|racq(m)|\nA|req(m)|\nB|req(m)|\n", CHECKER_CYCLE, "A1 B1", "A1 B1");
	accepts("A|acq(m)|\nB|acq(n)|\nA|rreq(n)|\nB|rreq(m)|\n", CHECKER_CYCLE, "A1 B1", "A1 B1");
	refuses("A|racq(m)|\nB|acq(n)|\nA|rreq(n)|\nB|rreq(m)|\n", CHECKER_CYCLE, "A1 B1", "A1 B1",
		"no thread blocks B event 1");
	/* a wait that never returned, because it needs its mutex */
	accepts("A|acq(k)|\nA|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|req(k)|\n", CHECKER_CYCLE,
		"A2 B1", "A2 B1");
}

/*
 * A request that is the last event only because the limit was reached was not necessarily blocked.
 */
static void cut_streams(void **state)
{
	static const struct write_record records[] = {
		{ .kind = EV_ACQUIRE, .a = 8, .sequence = 1, .time = 1 },
		{ .kind = EV_REQUEST, .a = 8, .sequence = 2, .time = 2 },
		{ .kind = EV_STOP, .m = EVENT_STOP_LIMIT, .time = 3 },
	};

	(void)state;
	for (unsigned count = 2; count <= 3; count++) {
		struct event_id event = { 0, 1 };
		struct checker_witness witness = { .claim = CHECKER_CYCLE,
						   .events = &event,
						   .steps = &event,
						   .event_count = 1,
						   .step_count = 1 };
		struct trace_writer *writer = trace_writer_open();
		struct play p = { .dir = make_dir() };
		uint8_t *events;
		size_t size;
		struct err err;

		for (unsigned i = 0; i < count; i++)
			trace_write(writer, 0, &records[i]);
		events = trace_writer_finish(writer, &size);
		make_file(&p.dir, "events.0", events, size);
		free(events);
		p.text = p.trace = make_open(&p.dir);
		p.checker = checker_open(p.trace);
		*vec_push(&p.runs) = (struct checker_slice){ 0, 2 };
		play_enter(&p, 0, 1);
		assert_int_equal(checker_accepts(p.checker, &witness, &err), count == 2);
		play_close(&p);
	}
}

/* ---- no thread can continue --------------------------------------------------------------- */

static void stuck(void **state)
{
	const char *text = "A|sinit(s,0)|\nA|fork(B)|\nA|post(s)|\nB|down(s)|\nA|join(B)|\n";

	(void)state;
	refuses(text, CHECKER_STUCK, "A3 B0", "A2", "B has neither ended nor is it blocked");
	refuses(text, CHECKER_STUCK, "A2 B0", "A1", "A has neither ended nor is it blocked");
	refuses(text, CHECKER_STUCK, "", "A2 B0", "A has neither ended nor is it blocked");
	refuses(text, CHECKER_STUCK, "", "A2 B0 A3", "all threads have ended");
	/* a thread, and the thread that it joins */
	text = "A|sinit(s,1)|\nA|fork(B)|\nB|down(s)|\nA|post(s)|\nA|down(s)|\nA|join(B)|\n";
	refuses(text, CHECKER_STUCK, "A4 B0", "A3", "B has neither ended nor is it blocked");
	text = "A|sinit(s,1)|\nA|fork(B)|\nB|down(s)|\nB|post(s)|\nA|down(s)|\nA|join(B)|\n";
	accepts(text, CHECKER_STUCK, "A3 B0", "A2");
	refuses(text, CHECKER_STUCK, "B0", "A2", "2 threads are blocked, but 1 are named");
}

static void stuck_on_counts(void **state)
{
	/* consumers that can take the unit that another one needs */
	const char *text = "A|sinit(s,1)|\nA|fork(B)|\nA|fork(C)|\nB|down(s)|\nB|post(t)|\n"
			   "C|down(t)|\nC|post(s)|\nA|down(s)|\nA|join(B)|\nA|join(C)|\n";
	struct play p;

	(void)state;
	play_open(&p, text, false);
	play_enter(&p, 0, p.runs.count);
	/* A took the only unit; its join comes next */
	play_accept(&p, CHECKER_STUCK, "A4 B0 C0", "A3");
	play_refuse(&p, CHECKER_STUCK, "A4 B0", "A3", "3 threads are blocked, but 2 are named");
	play_refuse(&p, CHECKER_STUCK, "A4 B0 B0", "A3", "or it is named twice");
	play_refuse(&p, CHECKER_STUCK, "A4 B0 C1", "A3", "no thread is blocked at C event 1");
	play_refuse(&p, CHECKER_STUCK, "A4 B0 C0", "A2", "neither ended nor is it blocked");
	play_refuse(&p, CHECKER_LOST, "A4 B0 C0", "A3", "no wait began after what woke it");
	play_refuse(&p, CHECKER_CYCLE, "A4 B0 C0", "A3", "no thread blocks B event 0");
	play_close(&p);
	/* a timed down and a try do not block */
	refuses("A|sinit(s,1)|\nB|down(s)=timed|\nB|post(s)|\nA|down(s)|\n", CHECKER_STUCK, "B0",
		"A1", "B has neither ended nor is it blocked");
	refuses("A|sinit(s,1)|\nB|trydown(s)=1|\nB|post(s)|\nA|down(s)|\n", CHECKER_STUCK, "B0",
		"A1", "B has neither ended nor is it blocked");
	accepts("A|sinit(s,1)|\nB|down(s)|\nB|post(s)|\nA|down(s)|\n", CHECKER_STUCK, "B0", "A1");
	/*
	 * if the initial value of a semaphore is only inferred, it blocks no thread; in a text
	 * trace it counts as known
	 */
	accepts("B|down(s)|\nB|post(s)|\nA|down(s)|\n", CHECKER_STUCK, "B0", "A0");
	refuses_recorded("B|down(s)|\nB|post(s)|\nB|end|\nA|down(s)|\nA|end|\n", CHECKER_STUCK,
			 "B0", "A1", "T0 has neither ended nor is it blocked");
	accepts_recorded("A|sinit(s,1)|\nB|down(s)|\nB|post(s)|\nB|end|\nA|down(s)|\nA|end|\n",
			 CHECKER_STUCK, "B0", "A2");
}

static void stuck_ends(void **state)
{
	const char *text = "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\n";

	(void)state;
	accepts(text, CHECKER_STUCK, "A0", "B0"); /* the holder has ended, so m is never released */
	refuses(text, CHECKER_STUCK, "A0", "", "A has neither ended nor is it blocked");
	refuses(text, CHECKER_STUCK, "", "A1 B0", "all threads have ended");
	/*
	 * in a recording a thread has ended only if it has an END; otherwise it may have continued
	 * unrecorded
	 */
	refuses_recorded(text, CHECKER_STUCK, "A0", "B0", "T1 has neither ended nor is it blocked");
	text = "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\nB|end|\n";
	accepts_recorded(text, CHECKER_STUCK, "A0", "B1");
	refuses_recorded(text, CHECKER_STUCK, "A0", "B0", "T1 has neither ended nor is it blocked");
	/* a thread that is not created yet, and a thread without a CREATE */
	text = "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\nA|fork(C)|\nC|w(x)=1|\n";
	accepts(text, CHECKER_STUCK, "A0", "B0");
	text = "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\nC|w(x)=1|\n";
	refuses(text, CHECKER_STUCK, "A0", "B0", "C has neither ended nor is it blocked");
	text = "D|fork(C)|\nA|acq(m)|\nA|rel(m)|\nB|acq(m)|\nC|w(x)=1|\n";
	refuses(text, CHECKER_STUCK, "A0", "D0 B0", "C has neither ended nor is it blocked");
	accepts(text, CHECKER_STUCK, "A0", "D0 C0 B0");
	/* the created thread is not in the recording */
	text = "B|fork(C)|\nA|acq(m)|\nA|rel(m)|\nB|acq(m)|\nB|end|\nA|join(C)|\n";
	accepts(text, CHECKER_STUCK, "A0", "B2");
	refuses_recorded(text, CHECKER_STUCK, "A0", "B2", "a thread was created whose events");
}

/* A thread counts as not yet created if its creation is in a later window. */
static void stuck_in_a_window(void **state)
{
	struct play p;

	(void)state;
	play_open(&p,
		  "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\nA|w(x)=1|\nA|fork(C)|\nC|w(x)=1|\nD|w(y)=1|\n",
		  false);
	play_enter(&p, 0, 3);
	play_refuse(&p, CHECKER_STUCK, "A0", "B0", "D has neither ended nor is it blocked");
	play_close(&p);
	play_open(&p, "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\nA|w(x)=1|\nA|fork(C)|\nC|w(x)=1|\n", false);
	play_enter(&p, 0, 3);
	play_accept(&p, CHECKER_STUCK, "A0", "B0");
	play_close(&p);
	/* a thread whose next event is after the window counts as able to continue */
	play_open(&p, "A|acq(m)|\nA|rel(m)|\nB|acq(m)|\nB|w(x)=1|\n", false);
	play_enter(&p, 0, 3);
	play_refuse(&p, CHECKER_STUCK, "A0", "B0", "B has neither ended nor is it blocked");
	play_close(&p);
	/* threads that were blocked before the window are still blocked */
	play_open(&p, "A|acq(m)|\nB|req(m)|\nC|sreq(s)|\nA|w(x)=1|\n", false);
	play_enter(&p, 3, 4);
	play_accept(&p, CHECKER_STUCK, "B0 C0", "A1");
	play_close(&p);
}

static void stuck_at_meetings(void **state)
{
	/* a third thread arrives at the barrier instead of the second */
	const char *text =
		"A|barrier(b,2)|\nB|barrier(b,2)|\nA|passed(b)|\nB|passed(b)|\nB|acq(m)|\n"
		"B|rel(m)|\nC|acq(m)|\n";
	struct play p;

	(void)state;
	play_open(&p, text, false);
	play_enter(&p, 0, p.runs.count);
	play_refuse(&p, CHECKER_STUCK, "A1", "A0 C0", "B has neither ended nor is it blocked");
	play_refuse(&p, CHECKER_STUCK, "A1 B1", "A0 C0 B0",
		    "A has neither ended nor is it blocked");
	play_close(&p);
	text = "B|acq(m)|\nB|rel(m)|\nB|barrier(b,2)|\nA|barrier(b,2)|\nA|acq(m)|\nC|acq(n)|\n";
	refuses(text, CHECKER_STUCK, "A1 B0", "A0 C0", "B has neither ended nor is it blocked");
	text = "C|acq(m)|\nC|rel(m)|\nB|acq(m)|\nB|rel(m)|\nB|barrier(b,2)|\nA|barrier(b,2)|\nA|w("
	       "x)=1|\n"
	       "D|acq(m)|\n";
	accepts(text, CHECKER_STUCK, "A1 B0 C0", "A0 D0"); /* A has no `passed`, and is blocked */
	/* a thread that arrived at the barrier and never passed */
	accepts("A|barrier(b,2)|\nC|acq(m)|\n", CHECKER_STUCK, "A0", "A0 C0");
	/* a thread at a once whose routine is blocked in another thread */
	text = "A|oncebegin(o)|\nA|acq(m)|\nA|rel(m)|\nA|onceend(o)|\nB|once(o)|\nC|acq(m)|\n";
	accepts(text, CHECKER_STUCK, "A1 B0", "A0 C0");
	refuses(text, CHECKER_STUCK, "A0 B0", "C0", "A has neither ended nor is it blocked");
	/* a thread that joins a thread whose last event is a blocked request */
	text = "A|fork(B)|\nA|jreq(B)|\nB|sreq(s)|\n";
	accepts(text, CHECKER_STUCK, "A1 B0", "A1 B0");
	refuses(text, CHECKER_STUCK, "A1", "A1 B0", "2 threads are blocked");
}

static void rings_are_not_stuck(void **state)
{
	const char *text = "A|acq(m)|\nA|acq(n)|\nA|rel(n)|\nA|rel(m)|\n"
			   "B|acq(n)|\nB|acq(m)|\nB|rel(m)|\nB|rel(n)|\nC|acq(m)|\nC|rel(m)|\n";

	(void)state;
	refuses(text, CHECKER_STUCK, "A1 B1 C0", "A0 B0", "block each other in a cycle");
	refuses("A|acq(m)|\nA|req(m)|\n", CHECKER_STUCK, "A1", "A1", "block each other in a cycle");
}

/* ---- lost signals ------------------------------------------------------------------------- */

#define WAITS                                                                                      \
	"A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\nA|woken(c,m)|\nA|rel(m)|\n"

static void lost_signals(void **state)
{
	struct play p;

	(void)state;
	play_open(&p, WAITS, false);
	play_enter(&p, 0, p.runs.count);
	play_accept(&p, CHECKER_LOST, "A2", "B2 A1");
	play_accept(&p, CHECKER_STUCK, "A2", "B2 A1");
	play_refuse(&p, CHECKER_LOST, "A2", "A1 B2",
		    "A or another thread has been woken on condition c");
	play_refuse(&p, CHECKER_LOST, "A2", "A1", "B has neither ended nor is it blocked");
	play_refuse(&p, CHECKER_LOST, "A1", "B2 A0", "A has neither ended nor is it blocked");
	play_close(&p);
	/* a broadcast; then a timed wait, which does not stay blocked */
	accepts("A|acq(m)|\nA|wait(c,m)|\nB|notifyall(c)|\nA|woken(c,m)|\n", CHECKER_LOST, "A2",
		"B0 A1");
	refuses("A|acq(m)|\nA|wait(c,m)|\nB|notifyall(c)|\nA|woken(c,m)|\n", CHECKER_LOST, "A2",
		"A1 B0", "A or another thread has been woken");
	refuses("A|acq(m)|\nA|wait(c,m)=timed|\nB|notify(c)|\nA|woken(c,m)|\n", CHECKER_LOST, "A2",
		"B0 A1", "A has neither ended nor is it blocked");
	refuses("A|acq(m)|\nA|wait(c,m)=timed|\nA|woken(c,m)=timeout|\nB|notify(c)|\n",
		CHECKER_LOST, "A2", "B0 A1", "A has neither ended nor is it blocked");
	/*
	 * blocked in the recorded run itself: stuck, but no signal was lost, because none was
	 * received
	 */
	accepts("B|notify(c)|\nA|acq(m)|\nA|wait(c,m)|\n", CHECKER_STUCK, "A1", "B0 A1");
	refuses("B|notify(c)|\nA|acq(m)|\nA|wait(c,m)|\n", CHECKER_LOST, "A1", "B0 A1",
		"no wait began after what woke it");
	refuses("A|acq(m)|\nA|wait(c,m)=timed|\n", CHECKER_STUCK, "A1", "A1",
		"A has neither ended nor is it blocked");
}

/* The second of two waits takes the first one's signal. */
static void stolen_signals(void **state)
{
	const char *text = "A|acq(m)|\nA|wait(c,m)|\nB|notify(c)|\nA|woken(c,m)|\nA|rel(m)|\n"
			   "D|acq(m)|\nD|wait(c,m)|\nB|notify(c)|\nD|woken(c,m)|\nD|rel(m)|\n";
	struct play p;

	(void)state;
	play_open(&p, text, false);
	play_enter(&p, 0, p.runs.count);
	play_refuse(&p, CHECKER_STUCK, "A2 D2", "A1 D1 B1", "has been woken");
	play_refuse(&p, CHECKER_STUCK, "A2", "A1 D1 B1 D3", "has been woken");
	play_refuse(&p, CHECKER_STUCK, "A2", "A1 D1 B0 D3",
		    "B has neither ended nor is it blocked");
	/* one signal wakes D, the other finds no waiting thread */
	play_accept(&p, CHECKER_LOST, "A2", "D1 B1 D3 A1");
	play_refuse(&p, CHECKER_LOST, "A2 D2", "D1 B1 A1", "has been woken");
	play_accept(&p, CHECKER_LOST, "A2 D2", "B1 A1 D1");
	/* A takes the signal before D waits, so D gets the later one */
	play_refuse(&p, CHECKER_STUCK, "D2", "A1 B0 D1 B1 A3", "has been woken");
	play_accept(&p, CHECKER_STUCK, "D2", "B0 A1 D1 B1 A3");
	play_refuse(&p, CHECKER_LOST, "D2", "B0 A1 D1 B1 A3", "no wait began after");
	play_close(&p);
	/* in the base run the first signal woke A, and the second woke D */
	text = "A|acq(m)|\nA|wait(c,m)|\nB|notify(c)|\nD|acq(m)|\nD|wait(c,m)|\nA|woken(c,m)|\nA|"
	       "rel(m)|\n"
	       "C|notify(c)|\nD|woken(c,m)|\nD|rel(m)|\n";
	play_open(&p, text, false);
	play_enter(&p, 0, p.runs.count);
	play_accept(&p, CHECKER_LOST, "D2", "C0 D1 A1 B0 A3");
	play_refuse(&p, CHECKER_LOST, "D2", "D1 A1 B0 A3", "C has neither ended nor is it blocked");
	play_accept(&p, CHECKER_LOST, "A2", "B0 A1 D1 C0 D3");
	play_close(&p);
	/* the first signal had been used when the second wait returned */
	text = "A|acq(m)|\nA|wait(c,m)|\nD|acq(m)|\nD|wait(c,m)|\nB|notify(c)|\nC|notify(c)|\n"
	       "A|woken(c,m)|\nA|rel(m)|\nD|woken(c,m)|\nD|rel(m)|\n";
	accepts(text, CHECKER_LOST, "D2", "C0 A1 D1 B0 A3");
	refuses(text, CHECKER_LOST, "D2", "B0 A1 D1 C0 A3", "no wait began after");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races),
		cmocka_unit_test(race_bytes),
		cmocka_unit_test(race_readiness),
		cmocka_unit_test(two_locks),
		cmocka_unit_test(three_locks),
		cmocka_unit_test(rings_of_readers),
		cmocka_unit_test(rings_of_others),
		cmocka_unit_test(hanging_rings),
		cmocka_unit_test(cut_streams),
		cmocka_unit_test(stuck),
		cmocka_unit_test(stuck_on_counts),
		cmocka_unit_test(stuck_ends),
		cmocka_unit_test(stuck_in_a_window),
		cmocka_unit_test(stuck_at_meetings),
		cmocka_unit_test(rings_are_not_stuck),
		cmocka_unit_test(lost_signals),
		cmocka_unit_test(stolen_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
