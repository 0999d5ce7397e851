/*
 * The checker: values and operations that the base run explains or does not explain, events that
 * keep their recorded order, and windows.
 */
#include "check_play.h"

static void blocks(void **state)
{
	const char *text = "A|alloc(0x1000,16)|\nA|w(0x1008)=1|\nB|w(0x1010)=1|\nA|free(0x1000)|\n"
			   "B|alloc(0x1008,64)|\nB|w(0x1008)=2|\n";

	(void)state;
	can(text, "A1 B0 A2 B2");
	can(text, "B0 A0");
	cannot(text, "B1", "step 1, B event 1: must come after A event 2: the lifetime");
	/* an access outside of the block needs no order; an access to its last byte does */
	can("A|alloc(0x1000,16)|\nB|w(0x1010)=1|\n", "B0");
	cannot("A|alloc(0x1000,17)|\nB|w(0x1010)=1|\n", "B0", "must come after A event 0");
	can("A|alloc(0x1000,16)|\nB|w(0x0ff8)=1|\n", "B0");
	cannot("A|alloc(0x1000,16)|\nB|w(0x0ff9)=1|\n", "B0", "must come after A event 0");
	/* the end of a lifetime comes after all uses, not only after the last one */
	text = "A|alloc(0x1000,16)|\nA|fork(B)|\nB|r(0x1000)|\nC|r(0x1008)|\nA|free(0x1000)|\n";
	can(text, "A1 B0 C0 A2");
	cannot(text, "A1 C0 A2", "A event 2: must come after B event 0");
	cannot(text, "A1 B0 A2", "A event 2: must come after C event 0");
	/*
	 * the first byte of a sync object decides which block it is in; the block was there before
	 * the window
	 */
	text = "-|at(m,0x1000)|\nA|acq(m)|\nA|rel(m)|\nB|free(0x1000)|\n";
	cannot(text, "B0", "B event 0: must come after A event 1");
	text = "-|at(m,0x1000)|\n-|at(c,0x2000)|\nB|alloc(0x2000,8)|\nA|acq(m)|\nA|wait(c,m)|\n";
	cannot(text, "A1", "A event 1: must come after B event 0");
	text = "-|at(m,0x1000)|\n-|at(c,0x2000)|\nB|alloc(0x1000,8)|\nC|w(y)=1|\nA|notify(c)|\n"
	       "A|req(m)|\n";
	/* c is outside of the block, and a request is not a use of m */
	can(text, "A1");
	can("A|free(0x0)|\nB|w(0x0)=1|\n", "B0"); /* free(NULL) ends nothing */
}

static void block_contents(void **state)
{
	const char *text = "A|alloc(0x1000,16)|\nA|r(0x1000)=9|\nA|w(0x1000)=1|\nA|w(0x1000)=9|\n"
			   "B|r(0x1000)=9|\nB|r(0x1008)|\n";

	(void)state;
	can(text, "A1 B0"); /* the block held 9 from the beginning of its lifetime */
	can(text, "A0 B1");
	cannot(text, "A2 B0", "byte 0 is 1, but it read 9");
	/* the initial bytes of a block are unknown, also in text traces and for large blocks */
	cannot("A|alloc(0x1000,16)|\nA|w(0x1000)=0|\nB|r(0x1000)=0|\n", "A0 B0", "is unknown");
	cannot("A|alloc(0x1000,16)|\nA|w(0x100f@1)=0|\nB|r(0x100f@1)=0|\n", "A0 B0", "is unknown");
	can("A|alloc(0x1000,16)|\nA|w(0x1010@1)=0|\nB|r(0x1010@1)=0|\n", "A0 B0");
	cannot("A|alloc(0x10000,100000)|\nA|w(0x20000)=0|\nB|r(0x20000)=0|\n", "A0 B0",
	       "is unknown");
	cannot("B|w(0x20000)=3|\nA|alloc(0x10000,100000)|\nA|w(0x20000)=3|\nB|r(0x20000)=3|\n",
	       "B0 A0 B1", "is unknown");
	/* the bytes of a very large write are identified by their writer */
	text = "A|w(0x10000000@4194304)=0x00*|\nB|r(0x10200000)=0|\nC|w(0x10200000)=0|\n";
	accepts_recorded(text, CHECKER_PREFIX, "", "A0 B0");
	refuses_recorded(text, CHECKER_PREFIX, "", "A0 C0 B0", "it read what T0 event 0 wrote");
}

static void stacks(void **state)
{
	const char *text =
		"A|fork(B)|\nA|fork(C)|\nB|begin(0x1000,0x2000)|\nB|w(0x1ff8)=1|\nB|end|\n"
		"C|begin(0x1000,0x2000)|\nC|w(0x1ff8)=2|\nC|end|\n";

	(void)state;
	can(text, "A1 B2 C2");
	cannot(text, "A1 C0", "C event 0: must come after B event 2");
	cannot(text, "A1 B1 C0", "C event 0: must come after B event 2");
	refuses(text, CHECKER_RACE, "B1 C1", "A1 B0 C0", "C event 0: must come after B event 2");
}

static void lives_of_objects(void **state)
{
	(void)state;
	cannot("A|cinit(c)|\nB|notify(c)|\n", "B0", "must come after A event 0");
	cannot("A|notify(c)|\nB|cdestroy(c)|\n", "B0", "must come after A event 0");
	cannot("A|post(s)|\nB|sdestroy(s)|\n", "B0", "must come after A event 0");
	cannot("A|binit(b,1)|\nB|barrier(b,1)|\n", "B0", "must come after A event 0");
	/* two lifetimes of one object, without a use between them */
	cannot("A|init(m)=normal|\nB|destroy(m)|\nA|init(m)=rw|\n", "A1",
	       "must come after B event 0");
	/* a wait uses its mutex as well */
	cannot("A|init(m)=normal|\nA|acq(m)|\nA|wait(c,m)|\nB|destroy(m)|\n", "A1 B0",
	       "must come after A event 2");
	/* a down of a destroyed semaphore is always possible */
	can("A|sinit(s,1)|\nA|sdestroy(s)|\nB|down(s)|\n", "A1 B0");
	/*
	 * a request of a destroyed semaphore does not block, because the semaphore's value is
	 * unknown, even if it was known before
	 */
	refuses("A|sinit(s,1)|\nA|sdestroy(s)|\nB|sreq(s)|\n", CHECKER_STUCK, "B0", "A1 B0",
		"B has neither ended nor is it blocked");
	refuses("A|sdestroy(s)|\nB|sreq(s)|\n", CHECKER_STUCK, "B0", "A0 B0",
		"B has neither ended nor is it blocked");
	refuses("A|sinit(s,0)|\nB|sreq(s)|\nA|sdestroy(s)|\n", CHECKER_STUCK, "B0", "B0 A1",
		"B has neither ended nor is it blocked");
}

/* A request refers to the object's current lifetime. */
static void lives_of_requests(void **state)
{
	const char *text = "A|sinit(s,0)|\nB|sreq(s)|\nA|sdestroy(s)|\nA|sinit(s,1)|\n";

	(void)state;
	refuses(text, CHECKER_STUCK, "B0", "B0 A2", "B has neither ended nor is it blocked");
	text = "A|sinit(s,1)|\nB|sreq(s)|\nA|sdestroy(s)|\nA|sinit(s,0)|\n";
	accepts(text, CHECKER_STUCK, "B0", "B0 A2");
	/*
	 * before the first lifetime the value is unknown; if the text has no lifetime at all, it is
	 * 0
	 */
	text = "B|sreq(s)|\nA|jreq(B)|\nC|join(A)|\nC|sinit(s,1)|\n";
	refuses(text, CHECKER_STUCK, "A0 B0", "B0 A0", "B has neither ended nor is it blocked");
	accepts("B|sreq(s)|\n", CHECKER_STUCK, "B0", "B0");
	accepts_recorded("B|begin|\nB|sreq(s)|\nA|begin|\n", CHECKER_PREFIX, "", "B1");
	/* a lock is free after the end of its lifetime */
	text = "A|acq(m)|\nB|req(m)|\nA|destroy(m)|\n";
	refuses(text, CHECKER_STUCK, "B0", "B0 A1", "B has neither ended nor is it blocked");
	accepts("A|acq(m)|\nB|req(m)|\n", CHECKER_STUCK, "B0", "B0 A0");
}

/* The last event of a thread may belong to its signal handler. */
static void hanging_handlers(void **state)
{
	const char *text = "A|acq(m)|\nH|handler(A,10)|\nH|req(m)|\n";

	(void)state;
	accepts(text, CHECKER_CYCLE, "H0", "A0 H0");
	accepts("H|handler(A,10)|\nH|sreq(s)|\n", CHECKER_STUCK, "H0", "H0");
	/*
	 * the handler interrupts the request of its thread and returns: whether the thread still
	 * waits is unknown
	 */
	text = "B|acq(m)|\nA|req(m)|\nH|handler(A,10)|\nH|w(x)=1|\nH|handlerend|\n";
	refuses(text, CHECKER_STUCK, "A0", "B0 H0", "all threads have ended");
}

/* ---- unexplained -------------------------------------------------------------------------- */

static void frozen_bytes(void **state)
{
	/* B reads 5, but no recorded write wrote 5 */
	const char *text = "A|w(x)=1|\nB|r(x)=5|\nC|w(x)=1|\nA|r(x)=1|\nC|w(y)=1|\n";

	(void)state;
	can(text, "A0 B0 C0 A1");
	cannot(text, "C0", "C event 0: must come after B event 0: unrecorded code affects");
	cannot(text, "A0 B0 A1", "A event 1: must come after C event 0: unrecorded code affects");
	cannot(text, "B0", "B event 0: must come after A event 0");
	refuses(text, CHECKER_RACE, "B0 C0", "A0", "C event 0 cannot come next");
	/*
	 * an unexplained read comes after all events that were recorded before it, whatever they
	 * access
	 */
	text = "A|w(x)=1|\nC|w(y)=1|\nB|r(x)=5|\n";
	can(text, "C0 A0 B0");
	cannot(text, "A0 B0", "B event 0: must come after C event 0: no recorded write explains");
	refuses(text, CHECKER_RACE, "B0 C0", "A0", "B event 0 cannot come next");
	cannot("A|w(x)=1|\nC|w(y)=1|\nB|u(x)=5,1|\n", "A0 B0", "must come after C event 0");
	/* bytes are frozen one by one: here the upper half is not frozen */
	text = "A|w(x@4)=1|\nB|r(x@4)=5|\nC|w(0x1000)=1|\nC|r(0x1004@4)=0|\nB|w(0x1004@4)=3|\n";
	can(text, "A0 C0 B0 C1");
	/*
	 * flagged as written by the environment: bytes are frozen although the value is explained
	 */
	text = "A|w(x)=1|\nB|w(x,environment)=2|\nC|w(x)=3|\n";
	cannot(text, "C0", "C event 0: must come after B event 0: unrecorded code affects");
	cannot(text, "B0", "B event 0: must come after A event 0: unrecorded code affects");
	can("A|w(x)=1|\nC|w(x)=3|\n", "C0");
	can("A|w(0x1000@1,environment)=1|\nB|w(0x1001@1)=1|\nC|w(0x1001@1)=2|\n", "C0");
	/* a very large write is frozen, too, but only if it covers the flagged byte */
	text = "A|w(0x10200000@1,environment)=1|\nB|w(0x10000000@4194304)=0x00*|\n";
	cannot(text, "B0", "B event 0: must come after A event 0: unrecorded code affects");
	can("A|w(0x10400000@1,environment)=1|\nB|w(0x10000000@4194304)=0x00*|\n", "B0");
	can("A|w(0x0fffffff@1,environment)=1|\nB|w(0x10000000@4194304)=0x00*|\n", "B0");
	/* B reads 2, but x is 1: unexplained in a recording, too */
	refuses_recorded("A|w(x)=1|\nB|r(x)=2|\nC|w(x)=1|\n", CHECKER_PREFIX, "", "C0",
			 "must come after T1 event 0");
	/*
	 * an initial byte is unknown in a recording, so the read is explained and nothing is frozen
	 */
	accepts_recorded("B|r(x)=2|\nC|w(x)=1|\n", CHECKER_PREFIX, "", "C0");
}

/*
 * In a recording, unexplained reads of bytes that only one thread uses, or that no thread writes,
 * need no order relative to other threads.
 */
static void own_bytes(void **state)
{
	const char *text = "A|w(x)=1|\nC|w(y)=1|\nA|r(x)=5|\n";

	(void)state;
	accepts_recorded(text, CHECKER_PREFIX, "", "A1");
	cannot(text, "A1", "A event 1: must come after C event 0: no recorded write explains");
	text = "A|r(x)=1|\nC|w(y)=1|\nB|r(x)=5|\nA|r(x)=1|\n";
	refuses_recorded(text, CHECKER_PREFIX, "", "B0 A1", "must come after T0 event 0");
	text = "A|r(x)=1|\nC|w(y)=1|\nB|r(x)=1|\nA|r(x)=1|\n";
	accepts_recorded(text, CHECKER_PREFIX, "", "B0 A1");
	/* bytes of a mapping never count as used by one thread only */
	text = "A|map(0x4000,64)|\nA|w(0x4000)=1|\nC|w(y)=1|\nA|r(0x4000)=5|\n";
	refuses_recorded(text, CHECKER_PREFIX, "", "A2", "must come after T1 event 0");
	/* very large writes, first by the thread that uses the bytes, then by another thread */
	text = "A|w(0x10000010@4194304)=0x00*|\nA|w(0x10200000)=1|\nC|w(y)=1|\nA|r(0x10200000)=5|"
	       "\n";
	accepts_recorded(text, CHECKER_PREFIX, "", "A2");
	text = "B|w(0x10000010@4194304)=0x00*|\nA|w(0x10200000)=1|\nC|w(y)=1|\nA|r(0x10200000)=5|"
	       "\n";
	refuses_recorded(text, CHECKER_PREFIX, "", "B0 A1", "must come after T2 event 0");
	text = "B|w(0x10000010@4194304)=0x00*|\nA|w(0x10000008)=1|\nC|w(y)=1|\nA|r(0x10000008)=5|"
	       "\n";
	accepts_recorded(text, CHECKER_PREFIX, "", "A1");
	/* another thread writes x, so the unexplained read keeps its order */
	text = "A|w(x)=1|\nC|w(y)=1|\nA|r(x)=5|\nB|w(x)=6|\n";
	refuses_recorded(text, CHECKER_PREFIX, "", "A1", "must come after T1 event 0");
}

static void waits_for_anything(void **state)
{
	const char *text = "A|w(x)=1|\nB|sync|\nB|w(x)=2|\nA|w(x)=3|\n";

	(void)state;
	can(text, "A0 B0");
	can(text, "A1 B0");
	cannot(text, "B0", "B event 0: must come after A event 0: it may have waited for anything");
	accepts(text, CHECKER_RACE, "A1 B1", "A0 B0");
	refuses(text, CHECKER_RACE, "A0 B1", "B0", "it may have waited for anything");
	/*
	 * a thread without a CREATE may have been started by anything; in a text trace it exists
	 * from the start
	 */
	text = "A|w(x)=1|\nB|begin|\nB|w(x)=2|\n";
	refuses_recorded(text, CHECKER_PREFIX, "", "B0", "it may have waited for anything");
	can(text, "B0");
	text = "A|fork(B)|\nA|w(x)=1|\nB|begin|\nB|w(x)=2|\n";
	accepts_recorded(text, CHECKER_PREFIX, "", "A0 B0");
}

static void frozen_locks(void **state)
{
	const char *text = "A|acq(m)|\nB|rel(m)|\nC|acq(m)|\nC|rel(m)|\nA|w(x)=1|\n";

	(void)state;
	can(text, "A0 B0 C1");
	cannot(text, "C0", "C event 0: must come after B event 0: unrecorded code affects");
	cannot(text, "B0", "B event 0: must come after A event 0: unrecorded code affects");
	refuses("A|acq(m)|\nB|acq(n)|\nC|rel(m)|\nA|acq(n)|\nB|acq(m)|\n", CHECKER_CYCLE, "A1 B1",
		"A0 B0 C0", "no thread blocks");
	cannot("A|tryacq(m)=0|\nB|acq(m)|\nB|rel(m)|\n", "B0", "must come after A event 0");
	cannot("A|tryracq(m)=0|\nB|racq(m)|\n", "B0", "must come after A event 0");
	cannot("A|acq(m)|\nB|acq(m)|\nC|acq(m)|\n", "B0", "must come after A event 0");
	cannot("A|acq(m)|\nB|racq(m)|\n", "B0", "must come after A event 0");
	cannot("A|racq(m)|\nB|acq(m)|\n", "B0", "must come after A event 0");
	cannot("A|racq(m)|\nB|rrel(m)|\n", "B0", "must come after A event 0");
	cannot("B|acq(n)|\nA|wait(c,m)|\nB|acq(m)|\nB|rel(m)|\n", "B1",
	       "must come after A event 0");
	/* a wait whose end is missing: the condition keeps its recorded order */
	cannot("A|acq(m)|\nA|wait(c,m)|\nA|w(x)=1|\nB|notify(c)|\n", "B0",
	       "must come after A event 1");
}

static void frozen_others(void **state)
{
	(void)state;
	/* a wake-up without a signal freezes the condition, but not the mutex */
	cannot("A|acq(m)|\nA|wait(c,m)|\nA|woken(c,m)|\nB|notify(c)|\n", "B0",
	       "must come after A event 2: unrecorded code affects");
	cannot("A|acq(m)|\nA|wait(c,m)|\nA|woken(c,m)|\nA|rel(m)|\nB|acq(m)|\n", "A1 B0 A2",
	       "wakes up with lock m, which B has held since its event 0");
	cannot("A|acq(m)|\nA|woken(c,m)|\nB|notify(c)|\n", "B0", "must come after A event 1");
	/* a down, or a failed try, that contradicts the known value of the semaphore */
	cannot("A|sinit(s,0)|\nA|down(s)|\nB|post(s)|\n", "A0 B0", "must come after A event 1");
	cannot("A|sinit(s,1)|\nA|trydown(s)=0|\nB|post(s)|\n", "A0 B0",
	       "must come after A event 1");
	/* barriers with a wrong number of threads */
	cannot("A|barrier(b,2)|\nA|passed(b)|\nB|barrier(b,2)|\n", "B0",
	       "must come after A event 1");
	cannot("A|barrier(b,2)|\nA|w(x)=1|\nB|barrier(b,2)|\n", "B0", "must come after A event 0");
	cannot("A|passed(b)|\nB|barrier(b,2)|\n", "B0", "must come after A event 0");
	cannot("A|barrier(b,2)|\nB|barrier(b,3)|\n", "B0", "must come after A event 0");
	cannot("A|barrier(b,0)|\nB|barrier(b,0)|\n", "B0", "must come after A event 0");
	/*
	 * an object that begins or ends while a thread waits at it is frozen; not if the waiting
	 * threads may pass
	 */
	cannot("A|barrier(b,2)|\nB|binit(b,2)|\nC|barrier(b,2)|\nA|w(x)=1|\nD|barrier(b,2)|\n",
	       "A0 B0 D0", "must come after C event 0");
	cannot("A|barrier(b,2)|\nB|bdestroy(b)|\nC|barrier(b,2)|\nD|barrier(b,2)|\n", "A0 B0 D0",
	       "must come after C event 0");
	can("A|barrier(b,1)|\nB|bdestroy(b)|\nA|passed(b)|\nC|barrier(b,2)|\nD|barrier(b,2)|\n",
	    "A0 B0 D0");
	can("A|binit(b,3)|\nA|bdestroy(b)|\nC|barrier(b,2)|\nD|barrier(b,2)|\n", "A1 D0");
	cannot("A|binit(b,3)|\nC|barrier(b,2)|\nD|barrier(b,3)|\n", "A0 D0",
	       "must come after C event 0");
	cannot("A|acq(m)|\nA|wait(c,m)|\nB|cdestroy(c)|\nC|notify(c)|\nD|notify(c)|\n", "A1 B0 D0",
	       "must come after C event 0");
	can("A|acq(m)|\nB|cdestroy(c)|\nC|notify(c)|\nD|notify(c)|\n", "B0 D0");
	/* once routines that return before the routine has run, or that run twice */
	cannot("A|oncebegin(o)|\nB|once(o)|\nA|onceend(o)|\n", "A1", "must come after B event 0");
	cannot("B|once(o)|\nA|oncebegin(o)|\nA|onceend(o)|\n", "A0", "must come after B event 0");
	cannot("A|oncebegin(o)|\nB|oncebegin(o)|\n", "B0", "must come after A event 0");
}

/* ---- windows ------------------------------------------------------------------------------ */

#define SEVERAL                                                                                    \
	"A|fork(B)|\n" /* 0 */                                                                     \
	"A|acq(m)|\n"  /* 1 */                                                                     \
	"A|w(x)=1|\n"  /* 2 */                                                                     \
	"B|begin|\n"   /* 3 */                                                                     \
	"B|w(y)=1|\n"  /* 4 */                                                                     \
	"A|post(s)|\n" /* 5 */                                                                     \
	"A|rel(m)|\n"  /* 6 */                                                                     \
	"B|acq(m)|\n"  /* 7 */                                                                     \
	"B|r(x)=1|\n"  /* 8 */                                                                     \
	"B|rel(m)|\n"  /* 9 */                                                                     \
	"B|down(s)|\n" /* 10 */                                                                    \
	"A|w(x)=2|\n"  /* 11 */                                                                    \
	"B|r(x)=2|\n"  /* 12 */                                                                    \
	"A|w(y)=2|\n"  /* 13 */

static void several_windows(void **state)
{
	struct play p;

	(void)state;
	play_open(&p, SEVERAL, false);
	play_enter(&p, 0, 6);
	play_accept(&p, CHECKER_PREFIX, "", "A3 B1");
	play_refuse(&p, CHECKER_PREFIX, "", "A4", "A event 4 is not in the window");
	play_refuse(&p, CHECKER_RACE, "A4 B0", "A3", "A event 4 is not next");
	/* the next window overlaps the first: A holds m, and x is 1 */
	play_enter(&p, 3, 10);
	play_accept(&p, CHECKER_PREFIX, "", "A4 B4");
	play_refuse(&p, CHECKER_PREFIX, "", "B2",
		    "acquires lock m, which A has held since its event 1");
	play_refuse(&p, CHECKER_PREFIX, "", "A2", "A event 2 has already happened");
	/* a gap before this window: s was posted, m is free, and x is 1 */
	play_enter(&p, 10, 14);
	play_accept(&p, CHECKER_PREFIX, "", "B5 A5 B6");
	play_accept(&p, CHECKER_RACE, "A5 B6", "B5");
	play_refuse(&p, CHECKER_PREFIX, "", "B6", "byte 0 is 1, but it read 2");
	/* the same window again, but shorter */
	play_enter(&p, 10, 12);
	play_accept(&p, CHECKER_PREFIX, "", "B5");
	play_refuse(&p, CHECKER_PREFIX, "", "B6", "B event 6 is not in the window");
	play_close(&p);
}

/* A read in one window must still read from the same writer, also if that is in another window. */
static void writers_across_windows(void **state)
{
	struct play p;

	(void)state;
	play_open(&p, "A|w(x)|\nB|r(x)|\nC|w(x)|\nB|r(x)=4|\nA|w(x)=4|\n", true);
	play_enter(&p, 1, 5);
	play_accept(&p, CHECKER_PREFIX, "", "B0 C0 B1");
	play_refuse(&p, CHECKER_PREFIX, "", "C0 B0", "last written by T2 event 0");
	play_enter(&p, 3, 5);
	play_accept(&p, CHECKER_PREFIX, "", "B1 A1"); /* x was 4 when the window began */
	play_accept(&p, CHECKER_PREFIX, "", "A1 B1");
	play_close(&p);
}

/* The state of all objects is carried from window to window, also of operations in progress. */
static void state_across_windows(void **state)
{
	struct play p;

	(void)state;
	play_open(&p,
		  "A|alloc(0x1000,8)|\nA|acq(m)|\nA|acq(m)|\nA|wait(c,m)|\nB|notify(c)|\n" /* 5 */
		  "B|barrier(b,2)|\nC|oncebegin(o)|\nC|racq(n)|\nA|woken(c,m)|\n"	   /* 9 */
		  "A|rel(m)|\nA|rel(m)|\nC|onceend(o)|\nC|barrier(b,2)|\nB|acq(m)|\nB|once(o)|\n"
		  "B|free(0x1000)|\nC|w(0x1000)=1|\n",
		  false);
	play_enter(&p, 8, 17);
	play_refuse(&p, CHECKER_PREFIX, "", "B2",
		    "leaves a barrier before all threads have arrived");
	play_accept(&p, CHECKER_PREFIX, "", "C3 A6 B2 B4");
	play_refuse(&p, CHECKER_PREFIX, "", "C3 A5 B2",
		    "lock m, which A has held since its event 4");
	play_refuse(&p, CHECKER_PREFIX, "", "C4", "C event 4: must come after B event 4");
	play_close(&p);
	play_open(&p,
		  "A|oncebegin(o)|\nB|racq(n)|\nA|w(x)=1|\nA|onceend(o)|\nC|once(o)|\nB|rrel(n)|\n"
		  "C|acq(n)|\n",
		  false);
	play_enter(&p, 2, 7);
	play_refuse(&p, CHECKER_PREFIX, "", "C0",
		    "once o, which A has been running since its event 0");
	play_refuse(&p, CHECKER_PREFIX, "", "A2 C1", "lock n, which B has held since its event 0");
	play_accept(&p, CHECKER_PREFIX, "", "A2 B1 C1");
	play_close(&p);
}

/* Bytes that were frozen in one window are not frozen in the next. */
static void freezing_ends(void **state)
{
	struct play p;

	(void)state;
	play_open(&p, "A|w(x)=1|\nB|r(x)=5|\nC|w(x)=6|\nA|w(x)=5|\nB|r(x)=5|\n", false);
	play_enter(&p, 0, 3);
	play_refuse(&p, CHECKER_PREFIX, "", "C0", "must come after B event 0");
	play_enter(&p, 2, 5);
	play_accept(&p, CHECKER_PREFIX, "", "B1"); /* x still has the 5 that B read */
	play_accept(&p, CHECKER_PREFIX, "", "A1");
	play_close(&p);
}

static void bad_runs(void **state)
{
	static const struct {
		struct checker_slice before, within;
		const char *message;
	} cases[] = {
		{ { 7, 1 }, { 0, 1 }, "a slice of stream 7, which is not in the trace" },
		{ { 0, 1 }, { 7, 1 }, "a slice of stream 7, which is not in the trace" },
		{ { 0, 9 }, { 0, 9 }, "a slice of A up to event 9, which does not exist" },
		{ { 0, 1 }, { 0, 9 }, "a slice of A up to event 9, which does not exist" },
		{ { 0, 2 },
		  { 0, 1 },
		  "a slice of A up to event 1, but the stream is at 2 already" },
	};
	struct checker_slice runs[] = { { 0, 2 }, { 1, 1 }, { 0, 3 } };
	struct err err;
	struct play p;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		play_open(&p, "A|w(x)=1|\nA|w(x)=2|\nB|w(x)=3|\nA|w(x)=4|\n", false);
		if (checker_enter(p.checker, &cases[i].before, 1, &cases[i].within, 1, &err))
			fail_msg("case %zu was accepted", i);
		if (!strstr(err.text, cases[i].message))
			fail_msg("case %zu: %s", i, err.text);
		play_refuse(&p, CHECKER_PREFIX, "", "", "no window was entered");
		play_close(&p);
	}
	/* the thread runs differ from those in the window before */
	play_open(&p, "A|w(x)=1|\nA|w(x)=2|\nB|w(x)=3|\nA|w(x)=4|\n", false);
	assert_true(checker_enter(p.checker, runs, 1, runs + 1, 2, &err));
	assert_false(checker_enter(p.checker, runs + 2, 1, NULL, 0, &err));
	assert_non_null(strstr(err.text, "do not continue those of the last window at B event 0"));
	play_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),
		cmocka_unit_test(block_contents),
		cmocka_unit_test(stacks),
		cmocka_unit_test(lives_of_objects),
		cmocka_unit_test(lives_of_requests),
		cmocka_unit_test(hanging_handlers),
		cmocka_unit_test(frozen_bytes),
		cmocka_unit_test(own_bytes),
		cmocka_unit_test(waits_for_anything),
		cmocka_unit_test(frozen_locks),
		cmocka_unit_test(frozen_others),
		cmocka_unit_test(several_windows),
		cmocka_unit_test(writers_across_windows),
		cmocka_unit_test(state_across_windows),
		cmocka_unit_test(freezing_ends),
		cmocka_unit_test(bad_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
