/*
 * Creation of processes (fork), replacement of the program (exec), and ends of a process other than
 * exit: _exit, quick_exit, abort, failed assertions. The recording must be complete before the
 * process ends, and a child must not write to its parent's recording.
 */
#include "runtime/sync/fork.h"

#include "runtime/annotate/annotate.h"
#include "runtime/io/channel.h"
#include "runtime/buffer/deferred_event.h"
#include "runtime/sync/exit_handlers.h"
#include "runtime/sched/fiber.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/interposer.h"
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
 * The id of the process that the recording belongs to, or 0. A child of vfork runs in its parent's
 * memory until it calls exec or _exit, and must not end its parent's recording.
 */
static pid_t recorded_process;

static bool is_recorded_process(void)
{
	return process_recording() && (!recorded_process || recorded_process == getpid());
}

/*
 * Always true in a controlled run: the runs of a server have different process ids, so vfork
 * children cannot be detected by the id.
 */
bool process_is_here(void)
{
	return sched_active || !recorded_process || recorded_process == getpid();
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void enter_child(void)
{
	recorded_process = getpid();
	channel_lose_all();
	readiness_after_fork();
	thread_after_fork();
	signal_after_fork();
	process_after_fork();
	annotate_after_fork();
}

/*
 * Registers enter_child() to run in the child of each fork. The child must leave its parent's
 * buffers before any other code runs in it, and the program's fork handlers run before fork
 * returns. Child handlers run in the order of their registration, so this one is registered before
 * the first handler of the program.
 */
static void register_child_handler(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&done))
		real()->__register_atfork(NULL, NULL, enter_child, NULL);
}

/*
 * The object that orders fork handlers. One thread registers a handler, another thread runs it; the
 * C library's own lock makes the run happen after everything that came before the registration.
 * SEND is recorded at the registration, and RECEIVE before the first event of the handlers.
 */
static char atfork_object;

/* pthread_atfork calls this function. */
SOOTH_API int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
				void *dso)
{
	register_child_handler();
	if (thread_any_created())
		annotate_before(&atfork_object, RECORD_CALLER);
	return real()->__register_atfork(prepare, parent, child, dso);
}

static pid_t record_fork(pid_t child, uintptr_t pc)
{
	if (child > 0 && record_on())
		record(EV_PROCESS, pc,
		       (struct record_fields){ .n = (uint64_t)child, .m = EVENT_PROCESS_FORK });
	return child;
}

SOOTH_API pid_t fork(void)
{
	fiber_refuse("fork");
	register_child_handler();
	channel_lose_all();
	if (thread_any_created())
		deferred_event_expect(EV_RECEIVE, &atfork_object, RECORD_CALLER);
	pid_t child = real()->fork();
	deferred_event_forget();
	return record_fork(child, RECORD_CALLER);
}

/* fork without the registered handlers, so enter_child() is called here. */
SOOTH_API pid_t _Fork(void)
{
	fiber_refuse("_Fork");
	channel_lose_all();
	pid_t child = real()->_Fork();

	if (child == 0)
		enter_child();
	return record_fork(child, RECORD_CALLER);
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
		enter_child();
	return record_fork((pid_t)result, pc);
}

/*
 * Implements daemon() here, because the C library's daemon() ends the parent by a call that is not
 * interposed.
 */
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
		errno = 0; /* the C library ignores this error, too */
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

/* ---- exec ------------------------------------------------------------------------------------ */

/* Called before exec: ends the trace. If exec fails and returns, recording continues. */
static bool finish_before_exec(void)
{
	channel_lose_all(); /* also those of the parent, in the child of a vfork */
	if (!is_recorded_process())
		return false;
	process_finish(EVENT_PROCESS_EXEC, 0);
	return true;
}

static int resume_after_exec(bool left, int result)
{
	int error = errno;

	if (left)
		process_exec_failed();
	errno = error;
	return result;
}

#define EXEC(name, parameters)                                                                     \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		bool left = finish_before_exec();                                                  \
		return resume_after_exec(left, real()->name(ARGUMENTS parameters));                \
	}

EXEC(execve, (const char *, path, char *const *, arguments, char *const *, environment))
EXEC(execv, (const char *, path, char *const *, arguments))
EXEC(execvp, (const char *, file, char *const *, arguments))
EXEC(execvpe, (const char *, file, char *const *, arguments, char *const *, environment))
EXEC(fexecve, (int, fd, char *const *, arguments, char *const *, environment))
EXEC(execveat, (int, fd, const char *, path, char *const *, arguments, char *const *, environment,
		int, flags))

/* Returns the number of arguments before the terminating NULL. */
static size_t count_arguments(const char *first, va_list more)
{
	size_t n = 0;

	for (const char *next = first; next; next = va_arg(more, char *))
		n++;
	return n;
}

/* Stores the arguments and the terminating NULL in an array. */
static void collect_arguments(char **to, const char *first, va_list more)
{
	*to = (char *)first;
	while (*to)
		*++to = va_arg(more, char *);
}

/*
 * An interposer with a list of arguments. It calls `function` with the path, an array of the
 * arguments, and the last arguments of this macro. These may read from `more` the argument that
 * follows the NULL.
 */
#define EXEC_LIST(name, function, more, ...)                                                       \
	SOOTH_API int name(const char *path, const char *first, ...)                               \
	{                                                                                          \
		va_list more;                                                                      \
		va_start(more, first);                                                             \
		char *arguments[count_arguments(first, more) + 1];                                 \
		va_end(more);                                                                      \
		va_start(more, first);                                                             \
		collect_arguments(arguments, first, more);                                         \
		int result = function(path, arguments, ##__VA_ARGS__);                             \
		va_end(more);                                                                      \
		return result;                                                                     \
	}

EXEC_LIST(execl, execv, more)
EXEC_LIST(execlp, execvp, more)
EXEC_LIST(execle, execve, more, va_arg(more, char *const *))

/* ---- the end --------------------------------------------------------------------------------- */

SOOTH_API void _exit(int status)
{
	bool turns = sched_is_own_process();

	if (turns) {
		sched_exit();
		sched_finish(CONTROL_ENDED, "");
	}
	if (is_recorded_process())
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

/*
 * In a controlled run, reports the failed assertion as the end of the run, and prints the message
 * itself. Otherwise the C library prints the message.
 */
SOOTH_API void __assert_fail(const char *expression, const char *file, unsigned line,
			     const char *function)
{
	if (sched_active) {
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
	if (is_recorded_process())
		process_finish(EVENT_PROCESS_EXIT, quick_status);
}

/*
 * The real function runs the program's handlers first, because `finish_quickly` was registered
 * before them.
 */
SOOTH_API void quick_exit(int status)
{
	quick_status = status;
	exit_handlers_quick(RECORD_CALLER);
	real()->quick_exit(status);
	__builtin_unreachable();
}

/*
 * If the program has a handler for SIGABRT, it runs first; it may leave by longjmp. If it returns,
 * the program ends.
 */
SOOTH_API void abort(void)
{
	struct sigaction now, by_default = { .sa_handler = SIG_DFL };
	sigset_t mask;

	if ((is_recorded_process() || sched_active) && sigaction(SIGABRT, NULL, &now) == 0) {
		sigemptyset(&mask);
		sigaddset(&mask, SIGABRT);
		pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
		if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
			raise(SIGABRT);
		sched_finish(CONTROL_ABORTED, "");
		process_finish(EVENT_PROCESS_ABORT, SIGABRT);
		if (sched_active)
			server_end(SIGABRT);
		real()->sigaction(SIGABRT, &by_default, NULL);
	}
	real()->abort();
	__builtin_unreachable();
}

__attribute__((constructor)) static void prepare_fork(void)
{
	recorded_process = getpid();
	register_child_handler();
	at_quick_exit(finish_quickly);
}
