/*
 * Blocks signals by raw system calls instead of pthread_sigmask, which removes the two signals that
 * the C library reserves from the set, also when it is restored. A timer thread of the library,
 * which waits for one of them (32) while it is blocked, would then be killed by the next one. If
 * they are not blocked, they stay so: a thread that is being cancelled waits for that signal in its
 * next system call.
 */
#include "runtime/host/signal_mask.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

#define OF_THE_LIBRARY (3ul << 31) /* signals 32 and 33 */

/*
 * Inline assembly: only a bad address makes it fail, and the program may define its own `syscall`.
 */
static long change(int how, const unsigned long *to, unsigned long *before)
{
	register unsigned long size __asm__("r10") = sizeof(*to);
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_rt_sigprocmask), "D"(how), "S"(to), "d"(before), "r"(size)
			 : "rcx", "r11", "memory");
	return result;
}

struct signal_mask signal_mask_all(void)
{
	static const unsigned long most = ~OF_THE_LIBRARY;
	struct signal_mask before = { 0 };

	before.changed = change(SIG_BLOCK, &most, &before.signals) == 0;
	return before;
}

void signal_mask_restore(struct signal_mask before)
{
	if (before.changed)
		change(SIG_SETMASK, &before.signals, NULL);
}
