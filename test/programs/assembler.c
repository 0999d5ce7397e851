// Inline assembler with memory operands and register pressure around accesses.
// build: -pthread
// stdout: 15 21 45
// text: ^T0\|r\(shared@4\)=15\|
#include <pthread.h>
#include <stdio.h>

static int shared = 10;
static long many[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

__attribute__((noinline)) static long pressed(const long *p)
{
	long a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7];

	__asm__ volatile(""
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
	return a + b + c + d + e + f + g + h + p[8] + p[9];
}

static void *run(void *unused)
{
	__asm__("addl $5, %0" : "+m"(shared) : : "cc");
	return unused;
}

int main(void)
{
	pthread_t thread;
	int before;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	before = shared;
	__asm__ volatile("lock; addl %1, %0" : "+m"(shared) : "r"(6) : "cc", "memory");
	printf("%d %d %ld\n", before, shared, pressed(many));
	return 0;
}
