/*
 * Calls that tell the state of an object at which threads wait: a program can repeat such a call
 * until another thread has changed the object, instead of waiting. What the other threads did is
 * not known, so a call that may have seen changes is followed by a SYNC.
 */
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"

#include <errno.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>

static void record_seen(uintptr_t pc)
{
	int error = errno;

	unknown_wait_end(&(struct unknown_wait_call){ pc, UNKNOWN_WAIT_WAITED });
	errno = error;
}

/* A function that returns 0 if it has stored the state in `*to`; `changed`: may it have changed? */
#define POLL_STATE(name, parameters, to, changed)                                                  \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		int result = real()->name(ARGUMENTS parameters);                                   \
		if (result == 0 && (changed))                                                      \
			record_seen(RECORD_CALLER);                                                \
		if (result == 0)                                                                   \
			transfer_wrote(to, sizeof(*(to)), RECORD_CALLER);                          \
		return result;                                                                     \
	}

/*
 * Also if the value is 0: another thread may have taken the last unit, and the caller may have
 * waited for that.
 */
POLL_STATE(sem_getvalue, (sem_t *, semaphore, int *, to), to, true)
POLL_STATE(mq_getattr, (mqd_t, queue, struct mq_attr *, to), to, true)
POLL_STATE(sigpending, (sigset_t *, to), to, !sigisemptyset(to))

/* ---- System V: the same functions also change objects ---------------------------------------- */

SOOTH_API int msgctl(int queue, int command, struct msqid_ds *about)
{
	if (command != IPC_STAT)
		unknown_wait_hand_over(RECORD_CALLER);
	int result = real()->msgctl(queue, command, about);
	if (result == 0 && command == IPC_STAT) {
		record_seen(RECORD_CALLER);
		transfer_wrote(about, sizeof(*about), RECORD_CALLER);
	}
	return result;
}

/* The argument of a command may have any type; the C library passes it on as a word, too. */
SOOTH_API int semctl(int set, int number, int command, ...)
{
	va_list more;

	va_start(more, command);
	void *argument = va_arg(more, void *);
	va_end(more);
	unknown_wait_hand_over(RECORD_CALLER);
	int result = real()->semctl(set, number, command, argument);
	if (result >= 0)
		record_seen(RECORD_CALLER);
	return result;
}
