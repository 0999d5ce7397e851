// Deep and mutual recursion, tail calls and a nested function.
// build: -pthread
// clang: no, functions in functions are known to gcc alone
// stdout: 75025 1 5000 6
// text: \|w\(calls@4\)=4999\|
#include <pthread.h>
#include <stdio.h>

static int calls;

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int odd(int n);

__attribute__((noinline)) static int even(int n)
{
	calls++;
	return n == 0 ? 1 : odd(n - 1);
}

__attribute__((noinline)) static int odd(int n)
{
	calls++;
	return n == 0 ? 0 : even(n - 1);
}

static int apply(int (*f)(int), int n)
{
	return f(n);
}

static void *run(void *result)
{
	int base = 5;
	int add(int n)
	{
		return base + n;
	}

	*(int *)result = apply(add, 1);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int result;
	int truth = even(4998) && odd(1) - 1 == 0;

	pthread_create(&thread, NULL, run, &result);
	pthread_join(thread, NULL);
	printf("%d %d %d %d\n", fib(25), truth, calls - 1, result);
	return 0;
}
