/*
 * Calls that fibers or persistent runs cannot support. Calling one ends the run with CONTROL_UNFIT,
 * and the tool chooses another way to run the program. In other runs these functions call the C
 * library. Those that send signals also wait for the receiver to notice the signal.
 */
#include "runtime/sched/fiber.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/resources.h"
#include "runtime/server/server.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sched/sched.h"

#include <sys/syscall.h>

/* ---- the kernel does not know fibers --------------------------------------------------------- */

static bool is_other(pthread_t thread)
{
	return !pthread_equal(thread, pthread_self());
}

/*
 * Makes a call that sends a signal. `waits`: whether to wait then until a thread notices the
 * signal.
 */
#define SEND(call, waits)                                                                          \
	unknown_wait_hand_over(RECORD_CALLER);                                                     \
	uint32_t before = sched_before_sending();                                                  \
	int result = call;                                                                         \
	if (result == 0 && number && (waits))                                                      \
		sched_after_sending(before);                                                       \
	return result

SOOTH_API int pthread_kill(pthread_t thread, int number)
{
	if (is_other(thread))
		fiber_refuse("pthread_kill");
	SEND(real()->pthread_kill(thread, number), is_other(thread));
}

SOOTH_API int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
	fiber_refuse("pthread_sigqueue");
	SEND(real()->pthread_sigqueue(thread, number, value), is_other(thread));
}

/* A signal to the process may be handled by any of its threads. */
SOOTH_API int kill(pid_t pid, int number)
{
	SEND(real()->kill(pid, number), sched_active && pid == getpid());
}

SOOTH_API int sigqueue(pid_t pid, int number, const union sigval value)
{
	SEND(real()->sigqueue(pid, number, value), sched_active && pid == getpid());
}

SOOTH_API int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust)
{
	if (robust != PTHREAD_MUTEX_STALLED)
		fiber_refuse("robust mutexes");
	return real()->pthread_mutexattr_setrobust(attributes, robust);
}

SOOTH_API int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol)
{
	if (protocol != PTHREAD_PRIO_NONE)
		fiber_refuse("mutexes that change priorities");
	return real()->pthread_mutexattr_setprotocol(attributes, protocol);
}

/* Calls that only change where or how a thread runs have no meaning for fibers, and succeed. */

SOOTH_API int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	return fiber_on() ? 0 : real()->pthread_setaffinity_np(thread, size, set);
}

SOOTH_API int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	if (fiber_on())
		thread = fiber_main_thread();
	return real()->pthread_getaffinity_np(thread, size, set);
}

SOOTH_API int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *given)
{
	return fiber_on() ? 0 : real()->pthread_setschedparam(thread, policy, given);
}

SOOTH_API int pthread_setschedprio(pthread_t thread, int priority)
{
	return fiber_on() ? 0 : real()->pthread_setschedprio(thread, priority);
}

SOOTH_API int pthread_setname_np(pthread_t thread, const char *name)
{
	return fiber_on() ? 0 : real()->pthread_setname_np(thread, name);
}

/*
 * The C library's function would ask the kernel about the thread, but the kernel does not know
 * fibers.
 */
SOOTH_API int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
	if (fiber_get_attributes(thread, attributes))
		return 0;
	return real()->pthread_getattr_np(thread, attributes);
}

SOOTH_API pid_t gettid(void)
{
	return fiber_on() ? fiber_tid() : (pid_t)real()->syscall(SYS_gettid);
}

/* ---- what persistent runs cannot restore ----------------------------------------------------- */

SOOTH_API int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	server_refuse("setrlimit");
	return real()->setrlimit(resource, limit);
}

SOOTH_API int chdir(const char *path)
{
	resources_directory_changed();
	return real()->chdir(path);
}

SOOTH_API int fchdir(int fd)
{
	resources_directory_changed();
	return real()->fchdir(fd);
}
