/*
 * A library that is not recorded, with a lock, a list and a meeting of two threads of its own.
 * Threads wait in it by means that the runtime does not see.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>

struct closed_big {
	long words[5];
};

void closed_lock(void);
void closed_unlock(void);
void closed_put(void **item);
void **closed_take(void);
void closed_meet(void);
void closed_each(void (*call)(void *), void *argument, int times);
void closed_hand_over(int *item);
int *closed_receive(void);
double closed_sum(int count, ...);
long closed_twelve(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
		   long k, long l, double x, float y);
struct closed_big closed_give(struct closed_big big, int add, long double more);
int closed_fail(int error);

static int lock, arrived;
static void **first;

void closed_lock(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void closed_unlock(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* A list through the first word of its items. The caller has a lock. */
void closed_put(void **item)
{
	*item = first;
	first = item;
}

void **closed_take(void)
{
	void **item = first;

	if (item)
		first = *item;
	return item;
}

void closed_meet(void)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
}

/* Calls back, each time under its own lock. */
void closed_each(void (*call)(void *), void *argument, int times)
{
	for (int i = 0; i < times; i++) {
		closed_lock();
		call(argument);
		closed_unlock();
	}
}

static int *handed_over;

void closed_hand_over(int *item)
{
	__atomic_store_n(&handed_over, item, __ATOMIC_RELEASE);
}

int *closed_receive(void)
{
	int *item;

	while (!(item = __atomic_load_n(&handed_over, __ATOMIC_ACQUIRE)))
		sched_yield();
	return item;
}

double closed_sum(int count, ...)
{
	va_list values;
	double sum = 0;

	va_start(values, count);
	for (int i = 0; i < count; i++)
		sum += i % 2 ? va_arg(values, double) : (double)va_arg(values, long);
	va_end(values);
	return sum;
}

long closed_twelve(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
		   long k, long l, double x, float y)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l + (long)(x * 100) + (long)(y * 1000);
}

struct closed_big closed_give(struct closed_big big, int add, long double more)
{
	for (int i = 0; i < 5; i++)
		big.words[i] += add + (long)more;
	return big;
}

/* Returns the previous errno. */
int closed_fail(int error)
{
	int before = errno;

	errno = error;
	return before;
}
