/*
 * Tests each kind of point on text traces: what matches, what it binds, and what is reported as not
 * recorded.
 */
#include "property_make.h"

static void functions(void **state)
{
	(void)state;
	expect_events("property P(void *p, int n) {\n"
		      "  event a = call f(p, n);\n"
		      "  event b = exec f(p, _);\n"
		      "  event c = return f(p, n) = 0;\n"
		      "  event d = call use_*(p, ...), probe app:use(p);\n"
		      "  pattern: a b c d;\n"
		      "}\n",
		      "T1|call f(o1,7)|\n"
		      "T1|ret f=0|\n"
		      "T2|call f(o2,8)|\n"
		      "T2|ret f=1|\n"
		      "T2|call use_it(o2)|\n"
		      "T2|call use_that(o2,1,2)|\n"
		      "T2|probe app:use(o1)|\n"
		      "T2|probe use(o3)|\n",
		      "a T1.0 o1 7\n"
		      "b T1.0 o1 _\n"
		      "c T1.1 o1 7\n"
		      "a T2.0 o2 8\n"
		      "b T2.0 o2 _\n"
		      "d T2.2 o2 _\n"
		      "d T2.3 o2 _\n"
		      "d T2.4 o1 _\n"
		      "d T2.5 o3 _\n",
		      "");
}

static void arguments(void **state)
{
	(void)state;
	expect_events("property P(void *p, string s, double d) {\n"
		      "  event same = call same(p, _);\n"
		      "  event text = call text(s);\n"
		      "  event three = call three(3, \"x\", d);\n"
		      "  event made = return make() = p;\n"
		      "  pattern: same text three made;\n"
		      "}\n",
		      "T|call same(a,a)|\n"
		      "T|call same(a,b)|\n"
		      "T|call text(\"hello, you\")|\n"
		      "T|call text(word)|\n"
		      "T|call three(3,\"x\",1.5)|\n"
		      "T|call three(4,\"x\",1.5)|\n"
		      "T|call three(3,\"y\",1.5)|\n"
		      "T|call make()|\n"
		      "T|ret make=NULL|\n"
		      "T|call make()|\n"
		      "T|ret make=q|\n",
		      "same T.0 a _ _\n"
		      "same T.1 a _ _\n"
		      "text T.2 _ hello, you _\n"
		      "text T.3 _ word _\n"
		      "three T.4 _ _ 1.5\n"
		      "made T.10 q _ _\n",
		      "");
}

static void pointed(void **state)
{
	(void)state;
	expect_events("property P(void *conn) {\n"
		      "  event open = return open(_, *conn) = 0;\n"
		      "  pattern: open;\n"
		      "}\n",
		      "T|call open(\"db\",slot)|\n"
		      "T|w(slot)=4096|\n"
		      "T|ret open=0|\n"
		      "T|call open(\"db\",other)|\n"
		      "T|ret open=0|\n"
		      "S|r(other)=8192|\n" /* in another order the value there may differ: */
		      "T|call open(\"db\",other)|\n"
		      "T|ret open=0|\n"
		      "S|call open(\"db\",other)|\n"
		      "S|ret open=0|\n",
		      "open T.2 4096\n"
		      "open S.2 8192\n",
		      "event open: return open(_, *conn) = 0: a value that it needs was not "
		      "recorded (2 times)\n");
}

static void unseen_functions(void **state)
{
	(void)state;
	expect_events(
		"property P(void *p) {\n"
		"  event a = call nothing(p);\n"
		"  event b = call g(p);\n"
		"  event c = call nobody(p), call f(p, ...);\n"
		"  pattern: a b c;\n"
		"}\n",
		"T|call f(x,1)|\n"
		"T|call g(x,1)|\n",
		"c T.0 x\n",
		"event a: call nothing(p): the trace has no function with this name\nevent b: call "
		"g(p): argument count differs; use `...` for the rest (1 time)\nblind a\n");
}

static void accesses(void **state)
{
	(void)state;
	expect_events("property P(addr a) {\n"
		      "  event rx = read x;\n"
		      "  event zero = write x = v if (v == 0);\n"
		      "  event seven = read x = 7;\n"
		      "  event any = read *a;\n"
		      "  event plain = write *a if (!atomic);\n"
		      "  pattern: rx zero seven any plain;\n"
		      "}\n",
		      "T1|w(x)=0|\n"
		      "T1|r(x)=0|\n"
		      "T1|w(x)=7|\n"
		      "T2|r(x)=7|\n"
		      "T2|ra(y)=1|\n"
		      "T2|wa(y)=1|\n"
		      "T2|u(x)=7,0|\n",
		      "zero T1.0 _\n"
		      "plain T1.0 x\n"
		      "rx T1.1 _ ?\n"
		      "any T1.1 x ?\n"
		      "plain T1.2 x\n"
		      "rx T2.0 _ ?\n"
		      "seven T2.0 _\n"
		      "any T2.0 x ?\n"
		      "any T2.1 y ?\n"
		      "rx T2.3 _\n"
		      "zero T2.3 _\n"
		      "seven T2.3 _\n"
		      "any T2.3 x\n",
		      "");
}

static void fields(void **state)
{
	(void)state;
	expect_events("property P(struct table *o) {\n"
		      "  event deref = read o->refs;\n"
		      "  event null = write o->refs = v if (v == 0);\n"
		      "  event other = read o->gone;\n"
		      "  pattern: deref null other;\n"
		      "}\n",
		      "T|r(t1.refs)=1|\n"
		      "T|w(t1->refs)=0|\n"
		      "T|w(t2.refs)=5|\n"
		      "T|w(t2.size)=0|\n",
		      "deref T.0 t1 ?\n"
		      "null T.1 t1\n",
		      "event other: read o->gone: the trace has no variable with this name\nblind "
		      "other\n");
	expect_events("property P(struct table *o) {\n"
		      "  event deref = read o->*;\n"
		      "  event null = write o->* = v if (v == 0);\n"
		      "  pattern: deref null;\n"
		      "}\n",
		      "T|r(t1.refs)=1|\n"
		      "T|w(t1.size)=0|\n",
		      "deref T.0 t1 refs ?\n"
		      "null T.1 t1 size\n",
		      "");
}

static void locks(void **state)
{
	(void)state;
	expect_events("property P(mutex l1, mutex l2) {\n"
		      "  event r = request l2 holding l1;\n"
		      "  event a = acquire l1;\n"
		      "  event g = release big;\n"
		      "  pattern: r a g;\n"
		      "}\n",
		      "T1|acq(a)|\n"
		      "T1|acq(b)|\n"
		      "T1|acq(a)|\n" /* recursive: no event */
		      "T1|rel(a)|\n"
		      "T1|wait(c,b)|\n"
		      "T1|woken(c,b)|\n"
		      "T1|rel(b)|\n"
		      "T1|rel(a)|\n"
		      "T1|racq(big)|\n"
		      "T1|tryacq(a)=1|\n" /* a try has no request */
		      "T1|rrel(big)|\n"
		      "T2|acq(b)|\n"
		      "T2|req(a)|\n", /* a request that was never granted */
		      "a T1.0 a _\n"
		      "r -T1.1 a b\n"
		      "a T1.1 b _\n"
		      "a T1.5 b _\n"
		      "a T1.8 big _\n"
		      "a T1.9 a _\n"
		      "g T1.10 _ _\n"
		      "a T2.0 b _\n"
		      "r -T2.1 b a\n",
		      "");
}

static void lock_fields(void **state)
{
	(void)state;
	expect_events("property P(struct fork *f, struct fork *g) {\n"
		      "  event get = acquire f->m;\n"
		      "  event both = acquire f->m holding g->m;\n"
		      "  event held = write x holding f->m;\n"
		      "  pattern: get both held;\n"
		      "}\n",
		      "T|acq(f1.m)|\n"
		      "T|acq(f2.m)|\n"
		      "T|acq(z)|\n"
		      "T|w(x)=1|\n",
		      "get T.0 f1 _\n"
		      "get T.1 f2 _\n"
		      "both T.1 f2 f1\n"
		      "held T.3 f1 _\n"
		      "held T.3 f2 _\n",
		      "");
}

static void threads(void **state)
{
	(void)state;
	expect_events("property P {\n"
		      "  event s = spawn;\n"
		      "  event j = join;\n"
		      "  event w = write x if (tid == 1);\n"
		      "  pattern: s j w;\n"
		      "}\n",
		      "T0|fork(T1)|\n"
		      "T1|begin|\n"
		      "T0|w(x)=1|\n"
		      "T1|w(x)=1|\n"
		      "T1|end|\n"
		      "T0|join(T1)|\n",
		      "s T0.0\n"
		      "w T1.1\n"
		      "j T0.2\n",
		      "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions), cmocka_unit_test(arguments),
		cmocka_unit_test(pointed),   cmocka_unit_test(unseen_functions),
		cmocka_unit_test(accesses),  cmocka_unit_test(fields),
		cmocka_unit_test(locks),     cmocka_unit_test(lock_fields),
		cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
