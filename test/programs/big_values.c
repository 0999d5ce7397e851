// Large structs by value, as arguments and results, through function pointers and varargs.
// build: -pthread
// stdout: 4950 100 45
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

struct big {
	int at[100];
};

static struct big shared;

__attribute__((noinline)) static struct big twice(struct big b)
{
	for (int i = 0; i < 100; i++)
		b.at[i] *= 2;
	return b;
}

__attribute__((noinline)) static int sum(int n, ...)
{
	va_list list;
	int total = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		total += va_arg(list, struct big).at[i];
	va_end(list);
	return total;
}

static void *run(void *unused)
{
	struct big (*volatile f)(struct big) = twice;

	shared = f(shared);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int total = 0;

	for (int i = 0; i < 100; i++)
		shared.at[i] = i;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 100; i++)
		total += shared.at[i] / 2;
	printf("%d %d %d\n", total, shared.at[50],
	       sum(3, shared, shared, shared) / 2 + shared.at[21]);
	return 0;
}
