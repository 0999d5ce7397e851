/*
 * Turns that a recording does not see: this file is built without hooks and uses no function that
 * is interposed. So a program has the same order each time it is recorded, and that order binds no
 * prediction. It does bind a replay: with TURN_PATIENCE nobody waits longer than for so many yields,
 * and what is predicted can happen.
 */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

void turn_wait(int number);
void turn_done(void);
void turn_main_sleeps(void);

static int turn;

void turn_wait(int number)
{
#ifdef TURN_PATIENCE
	for (int i = 0; i < TURN_PATIENCE && __atomic_load_n(&turn, __ATOMIC_ACQUIRE) < number; i++)
#else
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < number)
#endif
		sched_yield();
}

void turn_done(void)
{
	__atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
}

static long raw(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* Until the main thread waits for something in the kernel. */
void turn_main_sleeps(void)
{
	char path[64] = "/proc/self/task/", text[256], digits[16];
	int count = 0, end = (int)strlen(path);

	for (long pid = raw(SYS_getpid, 0, 0, 0); pid; pid /= 10)
		digits[count++] = (char)('0' + pid % 10);
	while (count)
		path[end++] = digits[--count];
	memcpy(path + end, "/stat", 6);
	for (;; sched_yield()) {
		long fd = raw(SYS_open, (long)path, O_RDONLY, 0);
		long size = raw(SYS_read, fd, (long)text, sizeof(text));

		raw(SYS_close, fd, 0, 0);
		for (long i = 0; i + 2 < size; i++)
			if (text[i] == ')' && text[i + 2] == 'S')
				return;
	}
}
