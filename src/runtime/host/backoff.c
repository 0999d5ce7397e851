/* Yields first, then sleeps: see backoff.h. */
#include "runtime/host/backoff.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#define YIELDS 16
#define NAP_NS 50000

/*
 * Makes a raw system call, because the C library's functions set errno and its sleep functions are
 * cancellation points.
 */
static void call(long number, const void *argument)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(argument), "S"(NULL)
			 : "rcx", "r11", "memory");
}

void backoff(unsigned tries)
{
	static const struct timespec nap = { .tv_nsec = NAP_NS };

	if (tries < YIELDS)
		call(SYS_sched_yield, NULL);
	else
		call(SYS_nanosleep, &nap);
}
