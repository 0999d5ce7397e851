/*
 * The checker's rules for when an event can happen. Each rule has a schedule that obeys it and one
 * that does not.
 */
#include "check_play.h"

static void steps(void **state)
{
	const char *text = "A|w(x)=1|\nA|w(x)=2|\nB|w(y)=1|\nB|w(y)=2|\nA|w(x)=3|\n";

	(void)state;
	can(text, "");
	can(text, "A0 A1 B0 B1 A2");
	can(text, "B1 A2"); /* the events of a thread between two steps belong to the later step */
	cannot(text, "A1 A0", "step 2: A event 0 has already happened");
	cannot(text, "A1 A1", "step 2: A event 1 has already happened");
	cannot(text, "B0 A3", "step 2: A event 3 is not in the window");
}

static void threads(void **state)
{
	const char *text = "A|fork(B)|\nA|w(x)=1|\nB|begin|\nB|w(x)=2|\nB|end|\nA|join(B)|\n";

	(void)state;
	can(text, "A0 B2 A2");
	can(text, "A1 B1");
	cannot(text, "B0", "step 1, B event 0: its thread has not been created");
	cannot(text, "A0 B1 A2", "step 3, A event 2: joins B, which has not ended");
	can("B|w(x)=2|\nA|w(x)=1|\n", "A0"); /* B has no creator, so it exists from the start */
	/* a join before the thread's last event keeps its recorded order */
	text = "A|fork(B)|\nB|w(x)=1|\nA|join(B)|\nB|w(x)=2|\n";
	can(text, "A0 B0 A1 B1");
	cannot(text, "A1", "A event 1: must come after B event 0: there is a join");
	cannot(text, "A0 B1", "B event 1: must come after A event 1: there is a join");
}

static void values(void **state)
{
	const char *text = "-|init(x)=7|\nB|r(x)=7|\nA|w(x)=1|\nB|r(x)=1|\nA|w(x)=7|\nC|r(y)=0|\n";

	(void)state;
	can(text, "B0 A0 B1 C0");
	cannot(text, "A0 B0", "step 2, B event 0: reads x: byte 0 is 1, but it read 7");
	cannot(text, "B1", "step 1, B event 1: reads x: byte 0 is 7, but it read 1");
	can(text, "A1 B0"); /* another write of the same value is as good */
	/* one thread wrote half of the bytes, another thread the other half */
	text = "A|w(0x1000@4)=1|\nB|w(0x1004@4)=1|\nC|r(0x1000)=4294967297|\nB|w(0x1007@1)=9|\n";
	can(text, "B0 A0 C0");
	cannot(text, "B1 A0 C0", "byte 7 is 9, but it read 0");
	cannot(text, "B0 C0", "byte 0 is 0, but it read 1");
	/* a long write across cache lines, and one that repeats its bytes */
	text = "A|w(0x1030@64)=0x05*|\nB|r(0x106f@1)=5|\nB|r(0x1030@1)=5|\nB|w(0x1070@1)=6|\n"
	       "C|r(0x1030@65)=0x060505050505050505050505050505050505050505050505050505050505050505"
	       "0505050505050505050505050505050505050505050505050505050505050505|\n";
	can(text, "A0 B2 C0");
	cannot(text, "A0 B1 C0", "byte 64 is 0, but it read 6");
	cannot(text, "B0", "byte 0 is 0, but it read 5");
}

static void updates(void **state)
{
	const char *text = "A|u(x)=0,1|\nB|u(x)=1,2|\nC|ra(x)=2|\n";

	(void)state;
	can(text, "A0 B0 C0");
	cannot(text, "B0", "reads x: byte 0 is 0, but it read 1");
	cannot(text, "A0 C0", "byte 0 is 1, but it read 2");
	/* an update does not read its own write */
	cannot("B|wa(x)=1|\nA|u(x)=1,0|\n", "A0", "byte 0 is 0, but it read 1");
}

static void writers(void **state)
{
	const char *text = "A|w(x)|\nB|r(x)|\nC|w(x)|\nB|r(x)|\n";

	(void)state;
	can(text, "A0 B0 C0 B1");
	cannot(text, "B0",
	       "reads x, last written by nothing in the window, but it read what A event "
	       "0 wrote");
	cannot(text, "A0 C0 B0", "last written by C event 0");
	can("-|init(x)=3|\nB|r(x)|\nA|w(x)=3|\n", "B0");
	cannot("-|init(x)=3|\nB|r(x)|\nA|w(x)=3|\n", "A0 B0", "it read what nothing in the window");
	/* inexact values count as unknown */
	cannot("-|init(x)=3|\nB|r(x,inexact)=3|\nA|w(x)=3|\n", "A0 B0", "it read what nothing");
	/*
	 * a write without a value wrote a unique value, which only the reads that recorded it may
	 * read
	 */
	text = "A|w(x)|\nB|r(x)=5|\nC|w(x)=5|\nC|r(x)=5|\n";
	can(text, "A0 B0 C1");
	cannot(text, "C0 B0", "last written by C event 0, but it read what A event 0 wrote");
	cannot(text, "C0 A0 C1", "byte 0 is unknown, but it read 5");
}

static void recorded_values(void **state)
{
	const char *text = "A|r(x)=5|\nB|w(x)=6|\nC|w(y)=1|\nC|r(y)=1|\nB|w(y)=5|\nA|r(y)=5|\n";
	struct play p;

	(void)state;
	play_open(&p, text, true);
	play_enter(&p, 0, p.runs.count);
	play_accept(&p, CHECKER_PREFIX, "", "A0 B0");
	play_refuse(&p, CHECKER_PREFIX, "", "B0 A0", "byte 0 is 6, but it read 5");
	play_refuse(&p, CHECKER_PREFIX, "", "A1", "is unknown, but it read 5");
	play_close(&p);
	/* the first read shows the initial value, also for other threads */
	text = "A|r(x)=5|\nB|w(x)=6|\nB|w(x)=5|\nC|r(x)=5|\n";
	accepts_recorded(text, CHECKER_PREFIX, "", "C0 A0");
	/* without such a read the initial value is unknown */
	text = "B|w(x)=5|\nC|r(x)=5|\n";
	refuses_recorded(text, CHECKER_PREFIX, "", "C0", "is unknown, but it read 5");
}

static void locks(void **state)
{
	const char *text = "A|acq(m)|\nA|acq(m)|\nA|rel(m)|\nA|rel(m)|\nB|acq(m)|\nB|rel(m)|\n";

	(void)state;
	can(text, "A0 A1 A2 A3 B0");
	can(text, "B1 A3");
	cannot(text, "A0 B0",
	       "step 2, B event 0: acquires lock m, which A has held since its event 0");
	/* A still holds m once */
	cannot(text, "A2 B0", "acquires lock m, which A has held since its event 0");
	cannot(text, "B0 A0",
	       "step 2, A event 0: acquires lock m, which B has held since its event 0");
	/* INIT and DESTROY leave the lock free, and keep their order */
	text = "A|init(m)=normal|\nA|acq(m)|\nA|rel(m)|\nB|acq(m)|\nB|rel(m)|\nA|destroy(m)|\n";
	can(text, "A0 B1 A3");
	cannot(text, "B0", "B event 0: must come after A event 0: the lifetime");
	cannot(text, "A3", "A event 3: must come after B event 1: the lifetime");
}

static void readers(void **state)
{
	const char *text = "A|racq(m)|\nB|racq(m)|\nB|rrel(m)|\nA|rrel(m)|\nC|acq(m)|\nC|rel(m)|\n";

	(void)state;
	can(text, "A0 B0 B1 A1 C0");
	can(text, "C1 B0 A0");
	cannot(text, "A0 B1 C0", "acquires lock m, which A has held since its event 0");
	cannot(text, "C0 A0", "acquires for reading lock m, which C has held since its event 0");
	/* one thread can take the read lock twice */
	text = "A|racq(m)|\nA|racq(m)|\nA|rrel(m)|\nA|rrel(m)|\nB|acq(m)|\n";
	can(text, "A3 B0");
	cannot(text, "A2 B0", "acquires lock m, which A has held since its event 0");
}

static void failed_tries(void **state)
{
	const char *text = "A|acq(m)|\nB|tryacq(m)=0|\nA|rel(m)|\nC|racq(n)|\nB|tryacq(n)=0|\n"
			   "C|rrel(n)|\nC|acq(n)|\nB|tryracq(n)=0|\nC|rel(n)|\n";

	(void)state;
	can(text, "A0 B0 C0 B1 C2 B2");
	cannot(text, "B0", "fails to acquire the unlocked lock m");
	cannot(text, "A1 B0", "fails to acquire the unlocked lock m");
	cannot(text, "A0 B0 B1", "fails to acquire the unlocked lock n");
	cannot(text, "A0 B0 C0 B1 B2",
	       "fails to acquire for reading, although no thread writes, lock n");
	/* the try fails because A itself holds m */
	can("A|acq(m)|\nA|tryacq(m)=0|\nA|rel(m)|\n", "A2");
	/* a time-out can happen at any time; a successful try takes the lock */
	can("A|acq(m)|\nB|tryacq(m)=timeout|\nB|tryracq(m)=timeout|\nB|trydown(s)=timeout|\n",
	    "B2");
	cannot("A|acq(m)|\nA|rel(m)|\nB|tryacq(m)=1|\n", "A0 B0", "acquires lock m, which A");
	cannot("A|acq(m)|\nA|rel(m)|\nB|acq(m)=timed|\n", "A0 B0", "acquires lock m, which A");
	/* a request never has to wait */
	can("A|acq(m)|\nB|req(m)|\nA|rel(m)|\nB|acq(m)|\n", "B0 A0");
}

static void semaphores(void **state)
{
	const char *text = "A|sinit(s,1)|\nA|down(s)|\nB|post(s)|\nC|down(s)|\nB|trydown(s)=0|\n";

	(void)state;
	can(text, "A0 C0 B0 A1 B1");
	cannot(text, "A1 C0", "step 2, C event 0: takes from semaphore s, which is at 0");
	cannot(text, "A1 B1", "fails to take from semaphore s, which is at 1");
	cannot(text, "C0", "must come after A event 0");
	/* no initial value in the text: the smallest that the base run allows counts */
	text = "A|down(s)|\nB|post(s)|\nA|down(s)|\nC|down(s)|\n";
	can(text, "A0 C0");
	can(text, "A0 B0 A1");
	cannot(text, "A1 C0", "takes from semaphore s, which is at 0");
	/* each semaphore has its own value */
	can("A|post(s)|\nA|sinit(u,1)|\nA|down(t)|\nB|down(t)|\n", "B0");
}

static void barriers(void **state)
{
	const char *text = "A|barrier(b,2)|\nB|barrier(b,2)|\nB|passed(b)=serial|\nA|passed(b)|\n"
			   "C|barrier(b,2)|\nA|barrier(b,2)|\nA|passed(b)|\nC|passed(b)|\n";

	(void)state;
	can(text, "B0 A0 A1 B1 A2 C0 C1");
	cannot(text, "A1", "step 1, A event 1: passes barrier b before all threads have arrived");
	cannot(text, "A0 C0", "C event 0: arrives at barrier b before the previous round");
	cannot(text, "B0 A2 A3", "A event 3: passes barrier b before all threads have arrived");
	/* without `passed`, the thread passes with its next event */
	text = "A|barrier(b,2)|\nB|barrier(b,2)|\nA|w(x)=1|\nB|w(x)=1|\n";
	can(text, "B0 A1");
	cannot(text, "A1", "A event 1: leaves a barrier before all threads have arrived");
	/* the init says how many threads meet */
	text = "A|binit(b,2)|\nA|barrier(b,0)|\nB|barrier(b,0)|\nA|passed(b)|\n";
	can(text, "A0 B0 A2");
	cannot(text, "A2", "A event 2: passes barrier b before all threads have arrived");
}

static void once(void **state)
{
	const char *text = "A|oncebegin(o)|\nA|w(x)=1|\nA|onceend(o)|\nB|once(o)|\n";

	(void)state;
	can(text, "A2 B0");
	cannot(text, "B0", "reaches once o before it has been run");
	cannot(text, "A1 B0", "reaches once o, which A has been running since its event 0");
	can("B|once(o)|\nA|once(o)|\n", "A0"); /* the routine ran before the recording */
	/* the routine was left by an exception, and another thread runs it again */
	text = "A|oncebegin(o)|\nA|onceend(o)|\nB|oncebegin(o)|\nB|onceend(o)|\nC|once(o)|\n";
	cannot(text, "A1 C0", "reaches once o before it has been run");
	cannot(text, "B0", "reaches once o before it has been run");
}

static void nothing_rules(void **state)
{
	(void)state;
	can("A|fence(seq_cst)|\nA|call f(1)|\nA|ret f=1|\nA|probe p(1)|\nA|detach(B)|\nB|sreq(s)|\n"
	    "B|rreq(m)|\n",
	    "B1 A4");
}

static void handlers(void **state)
{
	const char *text = "A|w(x)=1|\nH|handler(A,10)|\nH|w(y)=1|\nH|handlerend|\nA|w(x)=2|\n"
			   "H|handler(A,10)|\nH|w(y)=2|\nH|handlerend|\nB|w(y)=3|\n";

	(void)state;
	can(text, "A0 H0 A1 H1");
	can(text, "H1"); /* a handler and its thread are one thread: A0 H0 A1 H1 */
	cannot(text, "A1 H0", "H event 0 has already happened");
	accepts(text, CHECKER_RACE, "H0 B0", "A0");
	refuses(text, CHECKER_RACE, "H1 B0", "A0", "H event 1 is not next");
	refuses(text, CHECKER_RACE, "A1 B0", "A0", "A event 1 is not next");
	refuses("A|w(x)=1|\nH|handler(A,10)|\nH|w(x)=1|\nH|handlerend|\n", CHECKER_RACE, "A0 H0",
		"", "H event 0 is not next");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps),	 cmocka_unit_test(threads),
		cmocka_unit_test(values),	 cmocka_unit_test(updates),
		cmocka_unit_test(writers),	 cmocka_unit_test(recorded_values),
		cmocka_unit_test(locks),	 cmocka_unit_test(readers),
		cmocka_unit_test(failed_tries),	 cmocka_unit_test(semaphores),
		cmocka_unit_test(barriers),	 cmocka_unit_test(once),
		cmocka_unit_test(nothing_rules), cmocka_unit_test(handlers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
