// Code that pthread_once runs uses up the reader's slots: pointers of the caller are recorded anew.
// build: -pthread
// stdout: 3 4
// text: ^T0\|w\(second.*@4\)=4\|.*once_runs.c:32
// notext: ^T0\|w\(other.*\)=[34]\|
#include <pthread.h>
#include <stdio.h>

struct pair {
	int a, b;
};
struct pair first, second, other[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

__attribute__((noinline)) static void write_two(struct pair *p, struct pair *q)
{
	p->b = 5;
	q->b = 6;
}

static void run(void)
{
	write_two(&other[0], &other[1]);
}

__attribute__((noinline)) static void use(struct pair *x, struct pair *y)
{
	x->a = 1;
	y->a = 2;
	pthread_once(&once, run);
	x->b = 3;
	y->b = 4;
}

int main(void)
{
	use(&first, &second);
	printf("%d %d\n", first.b, second.b);
	return 0;
}
