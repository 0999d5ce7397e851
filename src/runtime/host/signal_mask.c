/*
 * By system calls and not by pthread_sigmask, which takes the two signals that the C library keeps for
 * itself out of what is restored, too: a thread of its timers, which waits for one of them (32) with
 * it blocked, would be killed by the next. Where they were let in they stay so: a thread that is being
 * cancelled waits for that signal in the next system call.
 */
#include "runtime/host/signal_mask.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

#define OF_THE_LIBRARY (3ul << 31) /* 32 and 33 */

/* By hand: nothing but a bad address makes it fail, and `syscall` may be a program's own. */
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
