/*
 * By system calls and not by pthread_sigmask, which takes the two signals that the C library keeps for
 * itself out of what is restored, too: a thread of its timers, which waits for one of them (32) with
 * it blocked, would be killed by the next. Where they were let in they stay so: a thread that is being
 * cancelled waits for that signal in the next system call.
 */
#include "runtime/mask.h"

#include "runtime/real.h"

#include <signal.h>
#include <sys/syscall.h>

#define OF_THE_LIBRARY (3ul << 31) /* 32 and 33 */

struct mask mask_all(void)
{
	static const unsigned long most = ~OF_THE_LIBRARY;
	struct mask before = { 0 };

	before.changed = real()->syscall(SYS_rt_sigprocmask, SIG_BLOCK, &most, &before.signals,
					 sizeof(most)) == 0;
	return before;
}

void mask_restore(struct mask before)
{
	if (before.changed)
		real()->syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before.signals, NULL,
				sizeof(before.signals));
}
