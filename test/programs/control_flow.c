// Computed goto, switch, nested loops with breaks, short-circuits, conditional stores.
// build: -pthread
// stdout: 123 30 1 7 2
#include <stdio.h>

int trace, stores[4], tests;

static int test(int n)
{
	tests++;
	return n;
}

__attribute__((noinline)) static void jump(const int *program)
{
	static const void *const targets[] = { &&one, &&two, &&three, &&stop };

	goto *targets[*program];
one:
	trace = trace * 10 + 1;
	goto *targets[*++program];
two:
	trace = trace * 10 + 2;
	goto *targets[*++program];
three:
	trace = trace * 10 + 3;
	goto *targets[*++program];
stop:;
}

__attribute__((noinline)) static int choose(int n)
{
	switch (n) {
	case 0: return stores[0];
	case 1: stores[1]++; /* fall through */
	case 2: return stores[2] + 10;
	case 1000: return 5;
	default: return stores[3] ? 1 : 20;
	}
}

int main(void)
{
	static const int program[] = { 0, 1, 2, 3 };

	jump(program);

	int chosen = choose(1) + choose(7);
	printf("%d %d %d", trace, chosen, stores[1]);
	for (int i = 0; i < 10; i++) {
		for (int j = 0;; j++) {
			if (j > i)
				break;
			if (i == 3 && j == 3)
				goto out;
			stores[3] = i + j + 2;
		}
	}
out:
	if (test(0) && test(1))
		stores[3] = 0;
	if (test(1) || test(1))
		stores[0] = 1;
	printf(" %d %d\n", stores[3], tests);
	return 0;
}
