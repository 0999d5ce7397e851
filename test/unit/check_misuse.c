/* The checker: misuse of threads and sync objects, predicted and recorded. */
#include "check_play.h"

static void destroyed_in_use(void **state)
{
	const char *text = "A|init(m)=normal|\nB|acq(m)|\nB|rel(m)|\nA|destroy(m)|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0 B0");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0 B1",
		       "B event 0 does not keep m");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0",
		       "B event 0 does not keep m");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "", "A event 1 is not next");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A0 B0", "",
		       "A event 0 does not destroy an object");
	text = "A|init(m)=normal|\nB|acq(m)|\nB|rel(m)|\nC|destroy(m)|\n";
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "C0 B0", "",
		       "C event 0 cannot come next");
	text = "A|init(R)=rw|\nB|racq(R)|\nC|racq(R)|\nB|rrel(R)|\nC|rrel(R)|\nA|destroy(R)|\n";
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 C0", "A0 B0 C0");
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 C0", "A0 B1 C0");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0 B1 C0", "does not keep");
	/* only the outermost acquire and release count */
	text = "A|init(m)=recursive|\nB|acq(m)|\nB|acq(m)|\nB|rel(m)|\nB|rel(m)|\nA|destroy(m)|\n";
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0 B1");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B1", "A0 B1", "does not keep");
}

static void robust_destroyed(void **state)
{
	const char *text = "A|init(m)=robust|\nB|acq(m)|\nB|end|\nA|destroy(m)|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0 B0");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A1 B0", "A0 B0 B1",
		       "does not keep m in use");
}

static void destroyed_at_waits(void **state)
{
	const char *text =
		"A|cinit(c)|\nB|acq(m)|\nB|wait(c,m)|\nA|notify(c)|\nB|woken(c,m)|\nB|rel(m)|\n"
		"C|cdestroy(c)|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "C0 B1", "A0 B1");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "C0 B1", "A0 B1 A1", "does not keep c");
	text = "A|binit(b,2)|\nB|barrier(b,2)|\nA|barrier(b,2)|\nA|passed(b)|\nB|passed(b)|\nA|"
	       "bdestroy(b)|\n"
	       "C|bdestroy(b)|\n";
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "C0 B0", "A0 B0");
	refuses_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A3 B0", "A0 B0 A2", "does not keep b");
}

static void not_initialised(void **state)
{
	const char *text = "A|w(y)=1|\nA|init(m)=normal|\nB|acq(m)|\nB|rel(m)|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_NOT_INIT, "A1 B0", "");
	accepts_misuse(text, EVENT_MISUSE_NOT_INIT, "A1 B0", "A0");
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A1 B0", "A1",
		       "A event 1 has already happened");
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A1 B1", "", "B event 1 is not next");
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A0 B0", "",
		       "does not initialise a sync object");
	/* m is not in its first lifetime, or has been used before */
	text = "A|init(m)=normal|\nA|destroy(m)|\nA|init(m)=normal|\nB|acq(m)|\n";
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A2 B0", "A1", "uses the object before");
	text = "C|acq(m)|\nC|rel(m)|\nA|init(m)=normal|\nB|acq(m)|\n";
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A0 B0", "", "uses the object before");
	text = "A|init(m)=normal|\nC|tryacq(m)=1|\nC|rel(m)|\nB|acq(m)|\n";
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A0 B0", "C1",
		       "step 1, C event 0: must come after");
	/* the memory of the lock must be allocated */
	text = "A|alloc(0x1000,16)|\nA|init(0x1000)=normal|\nB|acq(0x1000)|\n";
	refuses_misuse(text, EVENT_MISUSE_NOT_INIT, "A1 B0", "", "B event 0 cannot come next");
	accepts_misuse(text, EVENT_MISUSE_NOT_INIT, "A1 B0", "A0");
}

/* In a recording a global object may be initialised statically, without a call. */
static void static_objects(void **state)
{
	const char *texts[] = { "A|w(y)=1|\nA|init(m)=normal|\nB|acq(m)|\n",
				"A|alloc(0x1000,16)|\nA|init(0x1000)=normal|\nB|acq(0x1000)|\n" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct play p;

		play_open(&p, texts[i], true);
		p.misuse = EVENT_MISUSE_NOT_INIT;
		play_enter(&p, 0, p.runs.count);
		if (i)
			play_accept(&p, CHECKER_MISUSE, "A1 B0", "A0");
		else
			play_refuse(&p, CHECKER_MISUSE, "A1 B0", "A0",
				    "may have a static initialiser");
		play_close(&p);
	}
}

static void joined_and_detached(void **state)
{
	const char *text = "A|fork(B)|\nB|detach(B)|\nB|end|\nA|jreq(B)|\nA|join(B)|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_JOIN_DETACHED, "B0 A1", "A0");
	accepts_misuse(text, EVENT_MISUSE_JOIN_DETACHED, "B0 A1", "A0 B0");
	accepts_misuse(text, EVENT_MISUSE_JOIN_DETACHED, "B0 A2", "A1 B0");
	refuses_misuse(text, EVENT_MISUSE_JOIN_DETACHED, "B0 A1", "", "A event 1 is not next");
	refuses_misuse(text, EVENT_MISUSE_JOIN_DETACHED, "B1 A1", "A0 B0",
		       "does not detach a thread");
	refuses_misuse(text, EVENT_MISUSE_JOIN_DETACHED, "B0 A0", "",
		       "does not join the thread that");
}

static void recorded(void **state)
{
	const char *text =
		"A|acq(m)|\nB|rel(m)|\nA|rel(m)|\nA|misuse(destroyinuse,m)|\nB|acq(n)|\nB|end|\n"
		"A|end|\n";

	(void)state;
	accepts_misuse(text, EVENT_MISUSE_NOT_HELD, "B0", "");
	refuses_misuse(text, EVENT_MISUSE_NOT_HELD, "A0", "",
		       "A event 0 is not a misuse of this kind");
	refuses_misuse("A|acq(m)|\nA|rel(m)|\n", EVENT_MISUSE_NOT_HELD, "A1", "",
		       "not a misuse of this kind");
	accepts_misuse(text, EVENT_MISUSE_DESTROY_IN_USE, "A2", "");
	refuses_misuse(text, EVENT_MISUSE_DESTROYED, "A2", "", "not a misuse of this kind");
	accepts_misuse(text, EVENT_MISUSE_HELD_AT_END, "B2", "");
	refuses_misuse(text, EVENT_MISUSE_HELD_AT_END, "A3", "", "not a misuse of this kind");
	refuses_misuse(text, EVENT_MISUSE_JOIN_TWICE, "A2 B2", "",
		       "the recorded run must contain it");
	refuses_misuse(text, EVENT_MISUSE_NOT_HELD, "B0 A0 A1", "", "one or two events, not 3");
	refuses_misuse("B|init(n)=robust|\nB|acq(n)|\nB|end|\n", EVENT_MISUSE_HELD_AT_END, "B2", "",
		       "not a misuse of this kind");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(destroyed_in_use),   cmocka_unit_test(robust_destroyed),
		cmocka_unit_test(destroyed_at_waits), cmocka_unit_test(not_initialised),
		cmocka_unit_test(static_objects),     cmocka_unit_test(joined_and_detached),
		cmocka_unit_test(recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
