/*
 * Calls in which a thread may wait in the kernel for an action of another thread or process: for a
 * signal, a child, a message, a file lock. (Pipes and sockets: read_write.c, open_close.c,
 * readiness.c. Sleeping: sleep.c.) SYNC is recorded after a call that got what it waited for. A
 * call that failed or timed out shows nothing about what other threads did before, so no SYNC is
 * recorded.
 *
 * Calls on regular files make no thread wait, and what is read from such a file is recorded as a
 * value. A SYNC would only exclude schedules that predictions could use.
 */
#include "runtime/sync/fork.h"
#include "runtime/host/interposer.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/sleep.h"
#include "runtime/memory/mapping.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

/* Is none of the signals pending? If one is pending, a wait for the set returns immediately. */
static bool is_none_pending(const sigset_t *set)
{
	sigset_t pending, both;

	if (!safe_read_can_read(set, sizeof(*set)) || sigpending(&pending) != 0)
		return true;
	sigandset(&both, set, &pending);
	return sigisemptyset(&both);
}

/*
 * An interposer of a call that may wait. In a controlled run the call is made outside the schedule
 * if `may_wait` is true; unknown_wait_end() takes the turn back. `waited`, an expression of the
 * result, is true if the call got what it waited for.
 */
#define WAIT(name, parameters, type, result, may_wait, waited)                                     \
	WAIT_AFTER((void)0, name, parameters, type, result, may_wait, waited)
#define WAIT_AFTER(first, name, parameters, type, result, may_wait, waited)                        \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		first;                                                                             \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		if (sched_may_leave() && (may_wait))                                               \
			sched_leave(RECORD_CALLER);                                                \
		type result = real()->name(ARGUMENTS parameters);                                  \
		call.how = (waited) ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;                  \
		return result;                                                                     \
	}

/* ---- signals and children -------------------------------------------------------------------- */

WAIT(sigwait, (const sigset_t *, set, int *, number), int, result, is_none_pending(set),
     result == 0)
WAIT(sigwaitinfo, (const sigset_t *, set, siginfo_t *, info), int, result, is_none_pending(set),
     result > 0)
WAIT(sigtimedwait, (const sigset_t *, set, siginfo_t *, info, const struct timespec *, timeout),
     int, result, sleep_may_wait(timeout) && is_none_pending(set), result > 0)
WAIT(sigsuspend, (const sigset_t *, mask), int, result, true, true)
WAIT(pause, (), int, result, true, true)

WAIT(wait, (int *, status), pid_t, result, true, result > 0)
WAIT(waitpid, (pid_t, child, int *, status, int, options), pid_t, result, !(options & WNOHANG),
     result > 0)
WAIT(wait3, (int *, status, int, options, struct rusage *, usage), pid_t, result,
     !(options & WNOHANG), result > 0)
WAIT(wait4, (pid_t, child, int *, status, int, options, struct rusage *, usage), pid_t, result,
     !(options & WNOHANG), result > 0)
WAIT(waitid, (idtype_t, type, id_t, id, siginfo_t *, info, int, options), int, result,
     !(options & WNOHANG), result == 0)

/* ---- queues, semaphores and file locks of the kernel ----------------------------------------- */

WAIT(mq_receive, (mqd_t, queue, char *, to, size_t, size, unsigned *, priority), ssize_t, result,
     transfer_is_empty(queue), result >= 0)
WAIT(mq_timedreceive,
     (mqd_t, queue, char *, to, size_t, size, unsigned *, priority, const struct timespec *, until),
     ssize_t, result, transfer_is_empty(queue), result >= 0)
WAIT(msgrcv, (int, queue, void *, to, size_t, size, long, type, int, flags), ssize_t, result,
     !(flags & IPC_NOWAIT), result >= 0)

/* Such a call may also release something and so let another thread continue. */
#define RELEASE_OR_WAIT(name, parameters, may_wait)                                                \
	WAIT_AFTER(unknown_wait_hand_over(RECORD_CALLER), name, parameters, int, result, may_wait, \
		   result == 0)

RELEASE_OR_WAIT(semop, (int, set, struct sembuf *, operations, size_t, count), true)
RELEASE_OR_WAIT(semtimedop,
		(int, set, struct sembuf *, operations, size_t, count, const struct timespec *,
		 timeout),
		sleep_may_wait(timeout))
RELEASE_OR_WAIT(flock, (int, fd, int, operation), !(operation & (LOCK_NB | LOCK_UN)))
RELEASE_OR_WAIT(lockf, (int, fd, int, command, off_t, length), command == F_LOCK)
RELEASE_OR_WAIT(lockf64, (int, fd, int, command, off64_t, length), command == F_LOCK)

/* Such a call only sends; it does not wait for other threads. */
#define SEND(name, parameters)                                                                     \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		unknown_wait_hand_over(RECORD_CALLER);                                             \
		return real()->name(ARGUMENTS parameters);                                         \
	}

SEND(mq_send, (mqd_t, queue, const char *, from, size_t, size, unsigned, priority))
SEND(mq_timedsend, (mqd_t, queue, const char *, from, size_t, size, unsigned, priority,
		    const struct timespec *, until))
SEND(msgsnd, (int, queue, const void *, from, size_t, size, int, flags))

/* ---- futexes and other direct system calls --------------------------------------------------- */

static bool is_futex_wait(long number, long operation)
{
	if (number == SYS_futex_waitv)
		return true;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2: return number == SYS_futex;
	}
	return false;
}

/*
 * May the futex call wait? It returns immediately if the futex does not contain the expected value,
 * or if its address is invalid.
 */
static bool may_sleep(long number, const void *word, int expected)
{
	int now;

	return number != SYS_futex || (safe_read(&now, word, sizeof(now)) && now == expected);
}

/*
 * Interposers do not see a direct system call. If such a call may put something into a channel, or
 * create or close an end of the channel, this function loses the channel.
 */
static void lose_channels(long number, int fd, int other)
{
	switch (number) {
	case SYS_splice: descriptor_lose(other); break;
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendfile:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_shutdown:
	case SYS_close:
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
	case SYS_fcntl: break;
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_close_range:
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
	case SYS_io_setup:
	case SYS_io_uring_setup: channel_lose_all(); return;
	default: return;
	}
	descriptor_lose(fd);
}

/*
 * Interposes `syscall`, which is declared here with all the arguments that a system call can have.
 * That works: the calling convention is the same, and no argument changes its place.
 *
 * A futex wait records SYNC also if it returned EAGAIN: then another thread had already changed the
 * value.
 */
SOOTH_API long sync_syscall(long number, long a, long b, long c, long d, long e,
			    long f) __asm__("syscall");
SOOTH_API long sync_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (!is_futex_wait(number, b)) {
		long mapped;
		if (mapping_system_call(number, (const long[]){ a, b, c, d, e, f }, RECORD_CALLER,
					&mapped))
			return mapped;
		if (number != SYS_gettid)
			unknown_wait_hand_over(RECORD_CALLER);
		lose_channels(number, (int)a, (int)c);
		bool forks = fork_by_call(number, a, b);
		long got = real()->syscall(number, a, b, c, d, e, f);
		return forks ? fork_called(got, RECORD_CALLER) : got;
	}
	if (sched_may_leave() && may_sleep(number, (const void *)a, (int)c))
		sched_leave(RECORD_CALLER);
	long result = real()->syscall(number, a, b, c, d, e, f);
	struct unknown_wait_call call = { RECORD_CALLER, UNKNOWN_WAIT_WAITED };
	if (sched_active)
		sched_return();
	if (result >= 0 || errno == EAGAIN)
		unknown_wait_end(&call);
	return result;
}
