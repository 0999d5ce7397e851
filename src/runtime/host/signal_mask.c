/*
 * Blocks signals by raw system calls. pthread_sigmask will not do: it removes the two signals that
 * the C library reserves (32 and 33) from every set, also from one that is restored. A timer thread
 * of the library keeps signal 32 blocked and waits for it; if pthread_sigmask unblocked it, the
 * next timer signal would kill the process. Reserved signals that are not blocked stay unblocked
 * here: a thread that is being cancelled must receive its signal in its next system call.
 */
#include "runtime/host/signal_mask.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

#define OF_THE_LIBRARY (3ul << 31) /* 32 and 33, the reserved signals */

/*
 * The system call is inline assembly, because the program may define its own `syscall`. Only a bad
 * address would make it fail.
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
