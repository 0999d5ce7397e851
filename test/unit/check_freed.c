/*
 * The checker: channels, lifetimes of mappings and descriptors, and uses after the end of a
 * lifetime.
 */
#include "check_play.h"

/* ---- the rules ---------------------------------------------------------------------------- */

static void channels(void **state)
{
	const char *text = "A|send(c)|\nB|send(c)|\nA|send(c)|\nC|receive(c)|\nD|receive(c)|\n";

	(void)state;
	can(text, "A0 B0 A1 C0 D0");
	cannot(text, "B0", "step 1, B event 0: must come after A event 0: it may have received");
	cannot(text, "A0 B0 C0", "C event 0: must come after A event 1");
	cannot(text, "A0 B0 A1 D0", "D event 0: must come after C event 0");
	/* the sends are to different channels */
	can("A|send(c)|\nB|send(d)|\nC|receive(d)|\n", "B0 C0");
	text = "A|send(c)=told|\nB|send(c)=told|\nC|receive(c)=told|\nA|send(c)=told|\n";
	can(text, "B0 A0 C0");
	can(text, "B0 A1 C0");
	cannot(text, "B0 C0", "C event 0: must come after A event 0");
	/* a receive that found nothing comes before the next send, and need not wait for one */
	text = "A|send(c)|\nB|receive(c)|\nC|receive(c)=nothing|\nD|send(c)|\n";
	can(text, "A0 B0 C0 D0");
	can(text, "A0 D0 B0");
	cannot(text, "A0 B0 D0 C0", "C event 0: found nothing where D event 0 has sent something");
	cannot(text, "A0 C0", "C event 0: must come after B event 0");
	/* a send comes before the other end is closed, whichever thread found it closed */
	text = "A|send(c)|\nB|send(c)=deaf|\nC|send(c)=deaf|\nA|send(c)|\n";
	can(text, "A0 B0 C0 A1");
	can(text, "C0 B0");
	cannot(text, "B0 A0", "A event 0: sends where B event 0 has closed the other end");
	cannot(text, "C0 A0", "A event 0: sends where C event 0 has closed the other end");
	/* a thread before a receive does not count as blocked, so no thread is stuck here */
	refuses("A|acq(m)|\nA|send(c)|\nA|rel(m)|\nB|receive(c)|\nB|acq(m)|\n", CHECKER_STUCK, "B0",
		"", "has neither ended nor is it blocked");
}

static void mappings(void **state)
{
	const char *text = "A|map(0x1000,4096)|\nB|w(0x1800)=1|\nA|unmap(0x1000,4096)|\n"
			   "C|map(0x1000,64)|\nC|r(0x1000)=7|\n";

	(void)state;
	can(text, "A0 B0 A1 C1");
	cannot(text, "B0", "B event 0: must come after A event 0: the lifetime");
	cannot(text, "A0 A1", "A event 1: must come after B event 0");
	cannot(text, "A0 B0 C0", "C event 0: must come after A event 1");
	/* only a part of the mapping is unmapped */
	text = "A|map(0x1000,4096)|\nB|w(0x1800)=1|\nA|unmap(0x1000,64)|\nB|w(0x1900)=1|\n";
	can(text, "A1 B1");
	/* the content of a new mapping is unknown until the first read shows it */
	text = "A|w(0x1000)=5|\nA|map(0x1000,64)|\nA|r(0x1000)=7|\nB|w(y)=1|\nA|r(0x1000)=7|\n";
	can(text, "A3");
}

static void descriptors(void **state)
{
	const char *text = "A|fdopen(3)|\nB|fduse(3)|\nA|fdclose(3)|\nC|fdopen(3)|\nC|fduse(3)|\n";

	(void)state;
	can(text, "A0 B0 A1 C1");
	cannot(text, "A1", "A event 1: must come after B event 0");
	cannot(text, "A0 B0 C0", "C event 0: must come after A event 1");
	can("A|fdopen(3)|\nB|fdopen(4)|\nB|fduse(4)|\n", "B1");
	can("A|w(x)|\nA|misuse(notheld,m)|\nB|w(y)|\n", "B0 A1");
}

/* ---- memory ------------------------------------------------------------------------------- */

static void freed(void **state)
{
	const char *text = "A|alloc(0x1000,16)|\nB|w(0x1008)=1|\nA|free(0x1000)|\n";

	(void)state;
	accepts(text, CHECKER_FREED, "A1 B0", "A0");
	accepts(text, CHECKER_FREED, "A1 B0", "A1"); /* the free itself has happened */
	refuses(text, CHECKER_PREFIX, "", "A1", "A event 1: must come after B event 0");
	refuses(text, CHECKER_FREED, "A1 B0", "", "after the last step A event 1 is not next");
	refuses(text, CHECKER_FREED, "A1 B0", "A0 B0", "B event 0 is not next");
	refuses(text, CHECKER_FREED, "B0 A1", "A0", "B event 0 does not end the lifetime that");
	refuses(text, CHECKER_FREED, "A1", "A0", "two events, not 1");
	refuses(text, CHECKER_FREED, "A1 A0", "A0", "in the same thread");
	/* the use is outside of the block */
	refuses("A|alloc(0x1000,16)|\nB|w(0x1010)=1|\nA|free(0x1000)|\n", CHECKER_FREED, "A1 B0",
		"A0", "B event 0 does not use what A event 1 ends");
	/* the beginning of the lifetime must have happened */
	text = "A|alloc(0x1000,16)|\nB|w(0x1008)=1|\nC|free(0x1000)|\n";
	accepts(text, CHECKER_FREED, "C0 B0", "A0");
	refuses(text, CHECKER_FREED, "C0 B0", "",
		"C event 0 cannot come next: must come after A event 0");
	refuses(text, CHECKER_FREED, "C0 B0", "C0", "step 1, C event 0: must come after A event 0");
	/* program order and the values of reads must hold as always */
	text = "A|alloc(0x1000,16)|\nB|w(0x1008)=1|\nB|wa(done)=1|\nA|ra(done)=1|\nA|free(0x1000)|"
	       "\n";
	refuses(text, CHECKER_FREED, "A2 B0", "A1", "step 1, A event 1: reads done: byte 0 is 0");
	/* the free is under the lock that the use takes first */
	text = "A|alloc(0x1000,16)|\nB|acq(m)|\nB|w(0x1008)=1|\nB|rel(m)|\nA|acq(m)|\nA|free("
	       "0x1000)|\n"
	       "A|rel(m)|\n";
	accepts(text, CHECKER_FREED, "A2 B1", "A3 B0");
	refuses(text, CHECKER_FREED, "A2 B1", "A2 B0",
		"step 2, B event 0: acquires lock m, which A");
}

static void freed_between(void **state)
{
	const char *text = "A|alloc(0x1000,16)|\nB|w(0x1008)=1|\nC|r(0x1000)|\nA|free(0x1000)|\n"
			   "A|alloc(0x1000,16)|\nA|w(y)=1|\n";

	(void)state;
	accepts(text, CHECKER_FREED, "A1 B0", "A0");
	accepts(text, CHECKER_FREED, "A1 B0", "A0 C0 A1");
	refuses(text, CHECKER_FREED, "A1 B0", "A1 C0", "C event 0, after A event 1, also uses");
	/* events after the free in the base run still need everything that they needed there */
	refuses(text, CHECKER_FREED, "A1 B0", "A2",
		"step 1, A event 2: must come after B event 0: what it begins");
	/* another lifetime at the same address: the use belongs to it, or to the one before */
	text = "A|alloc(0x1000,16)|\nA|free(0x1000)|\nA|alloc(0x1000,16)|\nB|w(0x1008)=1|\n";
	accepts(text, CHECKER_FREED, "A1 B0", "A0");
	refuses(text, CHECKER_FREED, "A1 B0", "A2",
		"A event 2, after A event 1, begins another lifetime");
	/* another lifetime at other bytes does not matter */
	text = "A|alloc(0x1000,16)|\nB|w(0x1008)=1|\nA|free(0x1000)|\nA|alloc(0x1000,8)|\n"
	       "A|w(0x1000)=1|\n";
	accepts(text, CHECKER_FREED, "A1 B0", "A3");
	text = "A|alloc(0x1000,16)|\nA|free(0x1000)|\nA|w(0x1000)=1|\nB|w(0x1008)=1|\n";
	/* this order is the recorded one: an observed finding */
	accepts(text, CHECKER_FREED, "A1 B0", "A1");
	refuses(text, CHECKER_FREED, "A1 B0", "A2", "also uses what has ended");
}

static void freed_twice(void **state)
{
	const char *text =
		"A|alloc(0x1000,16)|\nA|free(0x1000)|\nA|alloc(0x1000,16)|\nB|free(0x1000)|\n";

	(void)state;
	accepts(text, CHECKER_FREED, "A1 B0", "A0");
	accepts(text, CHECKER_FREED, "A1 B0", "A1");
	refuses(text, CHECKER_FREED, "B0 A1", "A0",
		"B event 0 cannot come next: must come after A event 2");
	refuses(text, CHECKER_FREED, "A0 B0", "",
		"A event 0 does not end the lifetime that the claim names");
	text = "A|map(0x1000,16)|\nA|unmap(0x1000,16)|\nA|map(0x1000,16)|\nB|unmap(0x1000,16)|\n";
	refuses(text, CHECKER_FREED, "A1 B0", "A0", "B event 0 does not use what A event 1 ends");
}

static void unmapped_and_stacks(void **state)
{
	const char *text =
		"A|map(0x1000,4096)|\nB|u(0x1ff8)=0,1|\nA|unmap(0x1800,2048)|\nC|r(0x1000)|\n";

	(void)state;
	accepts(text, CHECKER_FREED, "A1 B0", "A0");
	refuses(text, CHECKER_FREED, "A1 C0", "A0", "not use what");
	text = "A|fork(B)|\nB|begin(0x1000,0x2000)|\nA|w(0x1100)=1|\nB|end|\n";
	accepts(text, CHECKER_FREED, "B1 A1", "A0 B0");
	text = "A|fork(B)|\nB|begin(0x1000,0x2000)|\nB|w(0x1100)=1|\nB|end|\nA|join(B)|\nA|w("
	       "0x1100)=1|\n";
	/* this order is the recorded one: an observed finding */
	accepts(text, CHECKER_FREED, "B2 A2", "A0 B2 A1");
	refuses(text, CHECKER_FREED, "B2 A1", "A0 B1", "A event 1 does not use");
}

static void objects_in_blocks(void **state)
{
	const char *text = "A|alloc(0x1000,64)|\nB|acq(0x1008)|\nB|rel(0x1008)|\nA|free(0x1000)|\n";

	(void)state;
	accepts(text, CHECKER_FREED, "A1 B0", "A1");
	accepts(text, CHECKER_FREED, "A1 B1", "A0 B0 A1");
	refuses(text, CHECKER_FREED, "A1 B1", "A1 B0", "B event 0, after A event 1, also uses");
	/* a request is not a use */
	refuses("A|alloc(0x1000,64)|\nB|req(0x1008)|\nB|acq(0x1008)|\nA|free(0x1000)|\n",
		CHECKER_FREED, "A1 B0", "A0", "not use");
	/* the end of a wait uses the mutex, but not the condition */
	text = "A|alloc(0x1000,64)|\nB|acq(m)|\nB|wait(0x1000,m)|\nA|notify(0x1000)|\nB|woken("
	       "0x1000,m)|\n"
	       "A|free(0x1000)|\n";
	refuses(text, CHECKER_FREED, "A2 B2", "A0 B1 A2", "not use");
	text = "A|alloc(0x1000,64)|\nB|acq(0x1000)|\nB|wait(c,0x1000)|\nA|notify(c)|\nB|woken(c,"
	       "0x1000)|\n"
	       "A|free(0x1000)|\n";
	accepts(text, CHECKER_FREED, "A2 B2", "A0 B1 A2");
	text = "A|alloc(0x1000,64)|\nA|barrier(0x1000,2)|\nB|barrier(0x1000,2)|\nA|passed(0x1000)|"
	       "\n"
	       "B|passed(0x1000)|\nA|free(0x1000)|\n";
	refuses(text, CHECKER_FREED, "A3 B1", "A1 B0 A3", "not use");
}

/* ---- misuse ------------------------------------------------------------------------------- */

static void destroyed(void **state)
{
	const char *text =
		"A|init(m)=normal|\nB|acq(m)|\nB|rel(m)|\nA|destroy(m)|\nA|init(m)=normal|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_DESTROYED, "A1 B0", "A0");
	accepts_misuse(text, EVENT_MISUSE_DESTROYED, "A1 B0", "A1");
	refuses_misuse(text, EVENT_MISUSE_DESTROYED, "A1 B0", "A2",
		       "A event 2: must come after B event 0");
	refuses_misuse(text, EVENT_MISUSE_DESTROYED, "A1 B0", "", "A event 1 is not next");
	refuses_misuse(text, EVENT_MISUSE_CLOSED, "A1 B0", "A0", "does not end the lifetime that");
	refuses(text, CHECKER_FREED, "A1 B0", "A0", "does not end the lifetime that");
	text = "A|init(m)=normal|\nB|acq(m)|\nB|rel(m)|\nC|destroy(m)|\n";
	refuses_misuse(
		text, EVENT_MISUSE_DESTROYED, "C0 B0", "",
		"C event 0 cannot come next: must come after A event 0: the lifetime that it ends");
	/* m is held in this case */
	refuses_misuse(text, EVENT_MISUSE_DESTROYED, "C0 B1", "A0 B0", "not use");
	accepts_misuse("A|sinit(s,1)|\nB|down(s)|\nA|sdestroy(s)|\n", EVENT_MISUSE_DESTROYED,
		       "A1 B0", "A1");
	accepts_misuse("A|cinit(s)|\nB|notify(s)|\nA|cdestroy(s)|\n", EVENT_MISUSE_DESTROYED,
		       "A1 B0", "A1");
	refuses_misuse("A|cinit(s)|\nB|notify(r)|\nA|cdestroy(s)|\n", EVENT_MISUSE_DESTROYED,
		       "A1 B0", "A1", "not use");
}

static void closed(void **state)
{
	const char *text =
		"A|fdopen(3)|\nB|fduse(3)|\nA|fdclose(3)|\nA|fdopen(3)|\nC|fdclose(3)|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_CLOSED, "A1 B0", "A0");
	accepts_misuse(text, EVENT_MISUSE_CLOSED, "A1 C0", "A0");
	accepts_misuse(text, EVENT_MISUSE_CLOSED, "A1 C0", "A0 B0 A1");
	refuses_misuse(text, EVENT_MISUSE_CLOSED, "A1 C0", "A0 B0 A2", "begins another lifetime");
	refuses_misuse(text, EVENT_MISUSE_CLOSED, "A1 C0", "A1 B0", "also uses what has ended");
	refuses_misuse("A|fdopen(3)|\nB|fduse(4)|\nA|fdclose(3)|\n", EVENT_MISUSE_CLOSED, "A1 B0",
		       "A0", "not use");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels),
		cmocka_unit_test(mappings),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(freed),
		cmocka_unit_test(freed_between),
		cmocka_unit_test(freed_twice),
		cmocka_unit_test(unmapped_and_stacks),
		cmocka_unit_test(objects_in_blocks),
		cmocka_unit_test(destroyed),
		cmocka_unit_test(closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
