/* The checker: atomicity violations, and regions that only seem to be violated. */
#include "check_play.h"

#define BEGIN "A|probe sooth:atomic_begin(f)|\n"
#define END "A|probe sooth:atomic_end(f)|\n"

static void annotated(void **state)
{
	const char *text = BEGIN "A|r(x)=0|a:1\nA|w(x)=1|a:2\n" END "B|w(x)=5|b:1\n";

	(void)state;
	accepts(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0");
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1", "do not happen in this order");
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "B0 A1", "reads x: byte 0 is 5");
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A2 B0", "A event 2 is not next");
	refuses(text, CHECKER_ATOMICITY, "A2 B0 A1", "A0", "not in program order in one thread");
	refuses(text, CHECKER_ATOMICITY, "A1 A1 A2", "A1",
		"not in program order in one other thread");
	refuses(text, CHECKER_ATOMICITY, "A1 B0", "A1", "three or four events, not 2");
	refuses(text, CHECKER_ATOMICITY, "A1 B0 B0 A2", "A1 B0", "named twice");
	refuses(text, CHECKER_ATOMICITY, "A0 B0 A2", "A0 B0", "A event 0 is not a memory access");
	/* the region ends between the two accesses, or another region begins */
	text = BEGIN "A|r(x)=0|a:1\n" END BEGIN "A|w(x)=1|a:2\n" END "B|w(x)=5|b:1\n";
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A4", "A3 B0", "not in one atomic region");
	text = BEGIN "A|probe sooth:atomic_begin(g)|\nA|r(x)=0|a:1\n" END
		     "A|w(x)=1|a:2\nB|w(x)=5|b:1\n";
	/* A0's region f has ended, but region g is still open */
	accepts(text, CHECKER_ATOMICITY, "A2 B0 A4", "A3 B0");
	text = BEGIN BEGIN "A|r(x)=0|a:1\n" END "A|w(x)=1|a:2\nB|w(x)=5|b:1\n";
	/* the inner region has ended, the outer one is still open */
	accepts(text, CHECKER_ATOMICITY, "A2 B0 A4", "A3 B0");
	text = BEGIN BEGIN "A|r(x)=0|a:1\n" END END "A|w(x)=1|a:2\nB|w(x)=5|b:1\n";
	refuses(text, CHECKER_ATOMICITY, "A2 B0 A5", "A4 B0", "not in one atomic region");
	refuses("A|r(x)=0|a:1\nA|w(x)=1|a:2\nB|w(x)=5|b:1\n", CHECKER_ATOMICITY, "A0 B0 A1",
		"A0 B0", "not in one atomic region");
	/* the two accesses are to different blocks at the same address */
	text = BEGIN "A|r(0x2000)|a:1\nB|alloc(0x2000,8)|\nB|w(0x2000)=5|b:1\nA|w(0x2000)=1|a:2\n";
	refuses(text, CHECKER_ATOMICITY, "A1 B1 A2", "A1 B1", "not conflict");
	text = BEGIN "B|alloc(0x2000,8)|\nA|r(0x2000)|a:1\nB|w(0x2000)=5|b:1\nA|w(0x2000)=1|a:2\n";
	accepts(text, CHECKER_ATOMICITY, "A1 B1 A2", "B0 A1 B1");
	/*
	 * regions in a handler are not supported; a handler and its thread may together be the
	 * remote thread
	 */
	text = "H|handler(A,10)|\nH|probe sooth:atomic_begin(f)|\nH|r(x)=0|a:1\nH|w(x)=1|a:2\n"
	       "B|w(x)=5|b:1\n";
	refuses(text, CHECKER_ATOMICITY, "H1 B0 H2", "H1 B0", "signal handlers are not supported");
	text = BEGIN "A|w(y)=1|a:1\nA|r(x)=0|a:2\nH|handler(B,10)|\nH|w(y)=2|b:1\nH|handlerend|\n"
		     "B|w(x)=5|b:2\n";
	accepts(text, CHECKER_ATOMICITY, "A1 H0 B0 A2", "A1 B0");
}

/* The region began before the window. */
static void begun_before(void **state)
{
	struct play p;

	(void)state;
	play_open(&p, BEGIN "A|w(y)=1|\nA|r(x)=0|a:1\nA|w(x)=1|a:2\n" END "B|w(x)=5|b:1\n", false);
	play_enter(&p, 2, p.runs.count);
	play_accept(&p, CHECKER_ATOMICITY, "A2 B0 A3", "A2 B0");
	play_enter(&p, 3, p.runs.count);
	play_refuse(&p, CHECKER_ATOMICITY, "A2 B0 A3", "B0", "A event 2 is not in the window");
	play_close(&p);
}

static void two_variables(void **state)
{
	const char *text = BEGIN "A|w(x)=1|a:1\nA|w(y)=1|a:2\n" END "B|r(x)=1|b:1\nB|r(y)=1|b:2\n";

	(void)state;
	/* in this order B would read y = 0, but B recorded another value */
	refuses(text, CHECKER_ATOMICITY, "A1 B0 B1 A2", "A1 B1", "step 2, B event 1: reads y");
	text = BEGIN "A|w(x)=1|a:1\nA|r(y)=0|a:2\n" END "B|r(x)=1|b:1\nB|w(y)=1|b:2\n";
	accepts(text, CHECKER_ATOMICITY, "A1 B0 B1 A2", "A1 B1");
	refuses(text, CHECKER_ATOMICITY, "A1 B1 B0 A2", "A1 B1",
		"the events between them are not in program order");
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0", "not conflict");
}

/*
 * An access with an unexplained value may depend on anything. An access that keeps its recorded
 * order happens after all accesses to these bytes that were recorded before it. So through either,
 * A may know of B's write.
 */
static void learns_unseen(void **state)
{
	const char *unseen = "-|at(x,0x1000)|\n-|at(y,0x1004)|\n" BEGIN
			     "A|w(y@1)=1|f:2\nB|w(x,environment)=144117387132666370|f:3\n"
			     "A|u(z@2)=512,0|f:6\nA|w(x@4)=0|f:8\n";
	const char *kept = "-|at(x,0x1000)|\n-|at(y,0x1004)|\n" BEGIN
			   "A|w(y@1)=1|f:2\nB|w(x,environment)=144117387132666370|f:3\n"
			   "A|w(y)=144117387132666370|f:6\nA|w(x@4)=0|f:8\n";
	const char *apart = "-|at(x,0x1000)|\n-|at(y,0x1004)|\n" BEGIN
			    "A|w(y@1)=1|f:2\nB|w(x,environment)=144117387132666370|f:3\n"
			    "A|w(z)=5|f:6\nA|w(x@4)=0|f:8\n";

	(void)state;
	refuses(unseen, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B0 A2",
		"can know of the remote accesses");
	refuses(kept, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B0 A2", "can know of the remote accesses");
	accepts(kept, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0");
	accepts(apart, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B0 A2");
}

static void meant_so(void **state)
{
	const char *text;

	(void)state;
	/* inside the region, A waits for B */
	text = BEGIN "A|r(x)=0|a:1\nB|w(x)=5|b:1\nB|post(s)|\nA|down(s)|\nA|w(x)=1|a:2\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B1 A2",
		"A event 2, inside the region, waits");
	/* A reads a flag that B set after its access; then the same through a third thread */
	text = BEGIN "A|r(x)=0|a:1\nB|w(x)=5|b:1\nB|w(f)=1|b:2\nA|r(f)=1|a:3\nA|w(x)=1|a:2\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B1 A2", "can know of the remote accesses");
	text = BEGIN
		"A|r(x)=0|a:1\nB|w(x)=5|b:1\nB|post(s)|\nC|down(s)|\nC|w(f)=1|b:2\nA|r(f)=1|a:3\n"
		"A|w(x)=1|a:2\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B1 C1 A2",
		"can know of the remote accesses");
	text = BEGIN "A|r(x)=0|a:1\nC|w(f)=1|b:2\nA|r(f)=1|a:3\nA|w(x)=1|a:2\nB|w(x)=5|b:1\n" END;
	accepts(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 C0 B0 A2");
	/*
	 * other events that happen after B's access: the end of a block's lifetime, an access or a
	 * lock that keeps its recorded order
	 */
	text = BEGIN "A|r(x)=0|a:1\nB|w(x)=5|b:1\nB|alloc(0x2000,8)|\nA|free(0x2000)|\n"
		     "A|w(x)=1|a:2\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B1 A2", "can know of the remote accesses");
	text = BEGIN "A|r(x)=0|a:1\nB|w(x)=5|b:1\nB|w(y,environment)=1|\nA|w(y)=2|\n"
		     "A|w(x)=1|a:2\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B1 A2", "can know of the remote accesses");
	text = BEGIN "A|r(x)=0|a:1\nB|w(x)=5|b:1\nA|acq(m)|\nA|w(x)=1|a:2\n" END "B|rel(m)|\n";
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B0 A2", "can know of the remote accesses");
	/*
	 * acquiring a free lock does not tell A of B's access, although it comes later in the
	 * recorded run
	 */
	text = BEGIN "A|r(x)=0|a:1\nB|w(x)=5|b:1\nA|acq(m)|\nA|w(x)=1|a:2\n" END "A|rel(m)|\n";
	accepts(text, CHECKER_ATOMICITY, "A1 B0 A3", "A1 B0 A2");
	/* A reads the same place twice: that is polling */
	text = BEGIN "A|r(x)=0|a:1\nA|r(x)=0|a:1\nB|w(x)=5|b:1\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0", "this is polling");
	accepts(BEGIN "A|r(x)=0|a:1\nA|r(x)=0|a:2\nB|w(x)=5|b:1\n" END, CHECKER_ATOMICITY,
		"A1 B0 A2", "A1 B0");
	/* B writes the value that is there */
	text = BEGIN "A|r(x)=0|a:1\nA|r(x)=0|a:2\nB|w(x)=0|b:1\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0", "were there before");
	text = BEGIN "A|r(x)=0|a:1\nA|r(x)=0|a:2\nB|w(x)=1|b:1\nB|w(x)=1|b:2\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B1 A2", "A1 B1", "were there before");
	/* an atomic update between atomic accesses is not a conflict */
	text = BEGIN "A|u(x)=0,1|a:1\nA|r(x)=1|a:2\nB|u(x)=1,2|b:1\n" END;
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0", "not conflict");
}

static void sections(void **state)
{
	/* A and C hold m when they access x; B does not */
	const char *text =
		"C|acq(m)|\nC|w(x)=0|c:1\nC|rel(m)|\nA|acq(m)|\nA|r(x)=0|a:1\nA|w(x)=1|a:2\n"
		"A|rel(m)|\nB|w(x)=5|b:1\n";

	(void)state;
	accepts(text, CHECKER_ATOMICITY, "A1 B0 A2", "C2 A1 B0");
	/* no other thread holds m at x, so m does not guard x */
	text = "A|acq(m)|\nA|r(x)=0|a:1\nA|w(x)=1|a:2\nA|rel(m)|\nB|w(x)=5|b:1\n";
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "A1 B0", "not in one atomic region");
	/* A releases m between its accesses */
	text = "C|acq(m)|\nC|w(x)=0|c:1\nC|rel(m)|\nA|acq(m)|\nA|r(x)=0|a:1\nA|rel(m)|\nA|acq(m)|\n"
	       "A|w(x)=1|a:2\nA|rel(m)|\nB|w(x)=5|b:1\n";
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A4", "C2 A3 B0", "not in one atomic region");
	/* n, not m, guards x */
	text = "C|acq(m)|\nC|w(x)=0|c:1\nC|rel(m)|\nA|acq(m)|\nA|acq(n)|\nA|r(x)=0|a:1\nA|rel(n)|\n"
	       "A|acq(n)|\nA|w(x)=1|a:2\nA|rel(n)|\nA|rel(m)|\nB|acq(n)|\nB|w(x)=5|b:1\nB|rel(n)|"
	       "\n";
	refuses(text, CHECKER_ATOMICITY, "A2 B1 A5", "C2 A3 B2 A4", "not in one atomic region");
	/* all accesses are atomic */
	text = "C|acq(m)|\nC|wa(x)=0|c:1\nC|rel(m)|\nA|acq(m)|\nA|ra(x)=0|a:1\nA|wa(x)=1|a:2\n"
	       "A|rel(m)|\nB|wa(x)=5|b:1\n";
	refuses(text, CHECKER_ATOMICITY, "A1 B0 A2", "C2 A1 B0", "not in one atomic region");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(annotated),	 cmocka_unit_test(begun_before),
		cmocka_unit_test(two_variables), cmocka_unit_test(learns_unseen),
		cmocka_unit_test(meant_so),	 cmocka_unit_test(sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
