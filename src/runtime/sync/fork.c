/* How a process multiplies, becomes another program, and ends other than by exit. */
#include "runtime/sync/fork.h"

#include "runtime/annotate/annotate.h"
#include "runtime/io/channel.h"
#include "runtime/buffer/deferred_event.h"
#include "runtime/sync/exit_handlers.h"
#include "runtime/sched/fiber.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/process.h"
#include "runtime/io/readiness.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/server/server.h"
#include "runtime/sync/signal.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

/*
 * Whose recording it is. A child of vfork runs on its parent's memory until it calls exec or _exit:
 * it must not end the parent's recording.
 */
static pid_t owner;

static bool is_recorded(void)
{
	return process_recording() && (!owner || owner == getpid());
}

/* Runs of a server have numbers of their own; what they do before exec is not looked at. */
bool process_is_here(void)
{
	return sched_taking || !owner || owner == getpid();
}

/* ---- fork --------------------------------------------------------------------------------- */

static void in_child(void)
{
	owner = getpid();
	channel_lose_all();
	readiness_after_fork();
	thread_after_fork();
	signal_after_fork();
	process_after_fork();
	annotate_after_fork();
}

/*
 * The child must have left its parent's buffers before any other code runs there, and the fork
 * handlers of the program run before fork returns. Those of children are called in the order in
 * which they were registered, so ours is registered before the first of the others.
 */
static void be_first(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&done))
		real()->__register_atfork(NULL, NULL, in_child, NULL);
}

/*
 * What one thread has registered and another runs is behind what was done before it was registered, by the
 * library's own lock: SEND, and a RECEIVE that is due before what the handlers do.
 */
static char registering;

/* What pthread_atfork calls. */
SOOTH_API int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
				void *dso)
{
	be_first();
	if (thread_made_any())
		annotate_before(&registering, RECORD_CALLER);
	return real()->__register_atfork(prepare, parent, child, dso);
}

static pid_t forked(pid_t child, uintptr_t pc)
{
	if (child > 0 && record_on())
		record(EV_PROCESS, pc,
		       (struct record_fields){ .n = (uint64_t)child, .m = EVENT_PROCESS_FORK });
	return child;
}

SOOTH_API pid_t fork(void)
{
	fiber_refuse("fork");
	be_first();
	channel_lose_all();
	if (thread_made_any())
		deferred_event_expect(EV_RECEIVE, &registering, RECORD_CALLER);
	pid_t child = real()->fork();
	deferred_event_forget();
	return forked(child, RECORD_CALLER);
}

/* The same without handlers, ours included. */
SOOTH_API pid_t _Fork(void)
{
	fiber_refuse("_Fork");
	channel_lose_all();
	pid_t child = real()->_Fork();

	if (child == 0)
		in_child();
	return forked(child, RECORD_CALLER);
}

bool fork_by_call(long number, long a, long b)
{
	struct clone_args how = { .flags = (uint64_t)a, .stack = (uint64_t)b };

	if (number == SYS_clone3 && !safe_read(&how, (const void *)a, CLONE_ARGS_SIZE_VER0))
		return false;
	if (number != SYS_fork &&
	    ((number != SYS_clone && number != SYS_clone3) || how.flags & CLONE_VM || how.stack))
		return false;
	fiber_refuse("a system call that forks");
	return true;
}

long fork_called(long result, uintptr_t pc)
{
	if (result == 0)
		in_child();
	return forked((pid_t)result, pc);
}

/* The library's daemon ends the parent in a way that cannot be seen from outside. */
SOOTH_API int daemon(int stay, int keep_files)
{
	struct stat st;

	switch (fork()) {
	case -1: return -1;
	case 0: break;
	default: _exit(0);
	}
	if (setsid() == -1)
		return -1;
	if (!stay && chdir("/") != 0)
		errno = 0; /* as the library: not an error */
	if (keep_files)
		return 0;
	int fd = open("/dev/null", O_RDWR);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3)) {
		close(fd);
		errno = ENODEV;
		return -1;
	}
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > 2)
		close(fd);
	return 0;
}

/* ---- exec --------------------------------------------------------------------------------- */

/* Everything is written out before; if exec comes back, recording goes on. */
static bool leave(void)
{
	channel_lose_all(); /* in the child of a vfork these are its parent's, too */
	if (!is_recorded())
		return false;
	process_finish(EVENT_PROCESS_EXEC, 0);
	return true;
}

static int stay(bool left, int result)
{
	int error = errno;

	if (left)
		process_exec_failed();
	errno = error;
	return result;
}

SOOTH_API int execve(const char *path, char *const arguments[], char *const environment[])
{
	bool left = leave();

	return stay(left, real()->execve(path, arguments, environment));
}

SOOTH_API int execv(const char *path, char *const arguments[])
{
	bool left = leave();

	return stay(left, real()->execv(path, arguments));
}

SOOTH_API int execvp(const char *file, char *const arguments[])
{
	bool left = leave();

	return stay(left, real()->execvp(file, arguments));
}

SOOTH_API int execvpe(const char *file, char *const arguments[], char *const environment[])
{
	bool left = leave();

	return stay(left, real()->execvpe(file, arguments, environment));
}

SOOTH_API int fexecve(int fd, char *const arguments[], char *const environment[])
{
	bool left = leave();

	return stay(left, real()->fexecve(fd, arguments, environment));
}

SOOTH_API int execveat(int fd, const char *path, char *const arguments[], char *const environment[],
		       int flags)
{
	bool left = leave();

	return stay(left, real()->execveat(fd, path, arguments, environment, flags));
}

/* How many arguments there are, up to the NULL. */
static size_t count(const char *first, va_list more)
{
	size_t n = 0;

	for (const char *next = first; next; next = va_arg(more, char *))
		n++;
	return n;
}

/* The arguments as an array that ends in NULL. */
static void collect(char **to, const char *first, va_list more)
{
	*to = (char *)first;
	while (*to)
		*++to = va_arg(more, char *);
}

SOOTH_API int execl(const char *path, const char *first, ...)
{
	va_list more;

	va_start(more, first);
	char *arguments[count(first, more) + 1];
	va_end(more);
	va_start(more, first);
	collect(arguments, first, more);
	va_end(more);
	return execv(path, arguments);
}

SOOTH_API int execlp(const char *file, const char *first, ...)
{
	va_list more;

	va_start(more, first);
	char *arguments[count(first, more) + 1];
	va_end(more);
	va_start(more, first);
	collect(arguments, first, more);
	va_end(more);
	return execvp(file, arguments);
}

SOOTH_API int execle(const char *path, const char *first, ...)
{
	va_list more;

	va_start(more, first);
	char *arguments[count(first, more) + 1];
	va_end(more);
	va_start(more, first);
	collect(arguments, first, more);
	char *const *environment = va_arg(more, char *const *);
	va_end(more);
	return execve(path, arguments, environment);
}

/* ---- the end ------------------------------------------------------------------------------ */

SOOTH_API void _exit(int status)
{
	bool turns = sched_is_ours();

	if (turns) {
		sched_exit();
		sched_finish(CONTROL_ENDED, "");
	}
	if (is_recorded())
		process_finish(EVENT_PROCESS_EXIT, status);
	if (turns)
		server_end((status & 255) << 8);
	real()->_exit(status);
	__builtin_unreachable();
}

SOOTH_API void _Exit(int status)
{
	_exit(status);
}

/* The words are the C library's; where a run ends without the process they are ours to say. */
SOOTH_API void __assert_fail(const char *expression, const char *file, unsigned line,
			     const char *function)
{
	if (sched_taking) {
		char text[CONTROL_TEXT];
		snprintf(text, sizeof(text), "%s:%u: %s: %s", file, line, function, expression);
		sched_finish(CONTROL_ASSERTION, text);
		fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n",
			program_invocation_short_name, file, line, function, expression);
		fflush(stderr);
		abort();
	}
	real()->__assert_fail(expression, file, line, function);
	__builtin_unreachable();
}

static int quick_status;

static void finish_quickly(void)
{
	sched_finish(CONTROL_ENDED, "");
	if (is_recorded())
		process_finish(EVENT_PROCESS_EXIT, quick_status);
}

/* The program's at_quick_exit handlers come first; `finish_quickly` was registered before them. */
SOOTH_API void quick_exit(int status)
{
	quick_status = status;
	exit_handlers_quick(RECORD_CALLER);
	real()->quick_exit(status);
	__builtin_unreachable();
}

/* A handler for SIGABRT runs first, and may jump away. If it returns, the program is ended. */
SOOTH_API void abort(void)
{
	struct sigaction now, by_default = { .sa_handler = SIG_DFL };
	sigset_t mask;

	if ((is_recorded() || sched_taking) && sigaction(SIGABRT, NULL, &now) == 0) {
		sigemptyset(&mask);
		sigaddset(&mask, SIGABRT);
		pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
		if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
			raise(SIGABRT);
		sched_finish(CONTROL_ABORTED, "");
		process_finish(EVENT_PROCESS_ABORT, SIGABRT);
		if (sched_taking)
			server_end(SIGABRT);
		real()->sigaction(SIGABRT, &by_default, NULL);
	}
	real()->abort();
	__builtin_unreachable();
}

__attribute__((constructor)) static void begin(void)
{
	owner = getpid();
	be_first();
	at_quick_exit(finish_quickly);
}
