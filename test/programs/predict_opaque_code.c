// Code of the program that is not recorded: locks in inline assembly, and in functions without recording, which may call
// recorded ones. No finding may depend on an order that such code may impose; what is not ordered is found as ever.
// build: -pthread
// stdout: 40 40 40 40 1
// text: ^T1\|opaque\(
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define NOT_RECORDED __attribute__((no_sanitize("thread"), noinline))

static int by_exchange, by_token, by_function, by_callback, loose;
static int word, token;
static atomic_int function_lock;
static _Thread_local int called;

static int exchange(int value)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(word) : : "memory");
	return value;
}

/* The statement does not say that it writes; the compiler may move it. */
static int take_token(void)
{
	int seen;

	__asm__("lock; cmpxchgl %2, %1" : "=a"(seen) : "m"(token), "r"(1), "0"(0) : "cc");
	return seen;
}

NOT_RECORDED static void lock(void)
{
	while (atomic_exchange(&function_lock, 1))
		sched_yield();
}

NOT_RECORDED static void unlock(void)
{
	atomic_store(&function_lock, 0);
}

/* The thread waits after it has called recorded code. */
NOT_RECORDED static void call_and_lock(void (*first)(void))
{
	first();
	lock();
}

static void note_call(void)
{
	called++;
}

static void count(void)
{
	for (int i = 0; i < 20; i++) {
		while (exchange(1))
			sched_yield();
		by_exchange++;
		exchange(0);
		while (take_token())
			sched_yield();
		by_token++;
		__asm__ volatile("movl $0, %0" : "=m"(token) : : "memory");
		lock();
		by_function++;
		unlock();
		call_and_lock(note_call);
		by_callback++;
		unlock();
	}
}

static void *first(void *unused)
{
	loose = 1; // FIRST
	count();
	return unused;
}

static void *second(void *unused)
{
	__asm__ volatile("pause; lock; addl $0, 0(%%rsp)" : : : "memory", "cc");
	loose = 2; // SECOND
	count();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d %d\n", by_exchange, by_token, by_function, by_callback, loose > 0);
	return 0;
}
