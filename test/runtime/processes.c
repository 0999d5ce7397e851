/*
 * Tests fork, exec and all ways to end a process: results are the same as without the runtime, and
 * traces are complete.
 */
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

extern char **environ;

/* Returns the last `end` of a trace's file `meta`, or "" if there is none. */
static const char *end_of(const struct recorded *r)
{
	static char end[64];
	char path[5000], line[4096];

	end[0] = 0;
	snprintf(path, sizeof(path), "%s/meta", r->dir);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "end: ", 5))
			snprintf(end, sizeof(end), "%.*s", (int)strcspn(line + 5, "\n"), line + 5);
	}
	if (file)
		fclose(file);
	return end;
}

#define CHECK_END(r, expected) CHECK(!(r).on || !strcmp(end_of(&(r)), expected))

/* ---- fork ---- */

static char order[32];

static void prepare(void)
{
	strcat(order, "p");
}

static void parent(void)
{
	strcat(order, "P");
}

static void in_child(void)
{
	void *block = malloc(333); /* recorded in the child's trace, not in its parent's */

	__asm__ volatile("" : "+r"(block));
	free(block);
	strcat(order, "C");
}

static void forks(void)
{
	int status;

	CHECK_SAME(pthread_atfork(prepare, parent, in_child), 0);
	pid_t pid = fork();
	if (pid == 0)
		_exit(strcmp(order, "pC") ? 1 : 21);
	CHECK_SAME(strcmp(order, "pP"), 0);
	waitpid(pid, &status, 0);
	CHECK_SAME(WEXITSTATUS(status), 21);
	pid = _Fork();
	if (pid == 0)
		_exit(strcmp(order, "pP") ? 1 : 22);
	waitpid(pid, &status, 0);
	CHECK_SAME(WEXITSTATUS(status), 22);
}

static void check_forks(const struct recorded *r)
{
	struct recorded child = { .on = true };
	const struct recorded_event *event = recorded_find(r, EV_PROCESS, 0);

	CHECK_SAME(event->f.m, EVENT_PROCESS_FORK);
	CHECK_SAME(recorded_find(r, EV_ALLOC, 0)->f.n == 333, 0);
	CHECK(recorded_dir((pid_t)event->f.n, child.dir, sizeof(child.dir)));
	recorded_read(&child);
	bool found = false;
	for (size_t i = 0; i < child.count; i++)
		found |= child.events[i].kind == EV_ALLOC && child.events[i].f.n == 333;
	CHECK(found);
	CHECK_END(child, "exit 21");
	recorded_dir((pid_t)recorded_find(r, EV_PROCESS, 1)->f.n, child.dir, sizeof(child.dir));
	CHECK_END(child, "exit 22");
}

/* At the moment of a fork, other threads may hold any lock. */
static volatile bool stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *busy(void *unused)
{
	while (!stop) {
		if (pthread_mutex_trylock(&mutex) == 0)
			pthread_mutex_unlock(&mutex);
		void *block = malloc(10);
		__asm__ volatile("" : "+r"(block));
		free(block);
	}
	return unused;
}

static void *pass(void *argument)
{
	pthread_mutex_t *mine = argument;

	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&mine[i % 64]);
		pthread_mutex_unlock(&mine[i % 64]);
		if (pthread_mutex_trylock(&mine[i % 64]) == 0)
			pthread_mutex_unlock(&mine[i % 64]);
		/* a thread that is not in this process may hold it */
		if (pthread_mutex_trylock(&mutex) == 0)
			pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void forks_under_load(void)
{
	static pthread_mutex_t many[64];
	pthread_t threads[2];
	int status;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy, NULL);
	for (int i = 0; i < 40 && !check_failures; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			pthread_t thread;
			alarm(300); /* a limit, in case it hangs */
			pthread_create(&thread, NULL, pass, many);
			pass(many);
			pthread_join(thread, NULL);
			_exit(3);
		}
		waitpid(pid, &status, 0);
		CHECK_SAME(status, 3 << 8);
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/*
 * The child of vfork uses its parent's memory. Its exec or _exit must not end the parent's
 * recording.
 */
static void vforks(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(5);
	waitpid(pid, &status, 0);
	CHECK_SAME(WEXITSTATUS(status), 5);
	pid = vfork();
	if (pid == 0) {
		execl("/bin/false", "false", (char *)NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	CHECK_SAME(WEXITSTATUS(status), 1);
	free(malloc(444)); /* still recorded */
	void *block = malloc(445);
	__asm__ volatile("" : "+r"(block));
	free(block);
}

static void becomes_daemon(void)
{
	int fds[2];
	char byte = 0;

	CHECK_SAME(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		pid_t session = getsid(0);
		if (daemon(0, 1) != 0)
			_exit(1);
		char cwd[8] = "";
		bool good = getsid(0) != session && getcwd(cwd, sizeof(cwd)) && !strcmp(cwd, "/");
		_exit(write(fds[1], good ? "y" : "n", 1) != 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	CHECK_SAME(status, 0);
	CHECK_SAME(read(fds[0], &byte, 1), 1);
	CHECK_SAME(byte, 'y');
}

/* ---- exec: the program that is started says what it got ---- */

static char *const given[] = { "sh", "-c", "test \"$MARK\" = yes && exit 33; exit 44", NULL };
static char *const environment[] = { "MARK=yes", NULL };

static void exec_ve(void)
{
	execve("/bin/sh", given, environment);
}

static void exec_v(void)
{
	setenv("MARK", "yes", 1);
	execv("/bin/sh", given);
}

static void exec_vp(void)
{
	setenv("MARK", "yes", 1);
	execvp("sh", given);
}

static void exec_vpe(void)
{
	execvpe("sh", given, environment);
}

static void exec_fd(void)
{
	fexecve(open("/bin/sh", O_RDONLY), given, environment);
}

static void exec_at(void)
{
	execveat(AT_FDCWD, "/bin/sh", given, environment, 0);
}

static void exec_l(void)
{
	setenv("MARK", "yes", 1);
	execl("/bin/sh", "sh", "-c", given[2], (char *)NULL);
}

static void exec_lp(void)
{
	setenv("MARK", "yes", 1);
	execlp("sh", "sh", "-c", given[2], (char *)NULL);
}

static void exec_le(void)
{
	execle("/bin/sh", "sh", "-c", given[2], (char *)NULL, environment);
}

static void exec_fails(void)
{
	errno = 0;
	CHECK_SAME(execl("/nonexistent", "x", (char *)NULL), -1);
	CHECK_SAME(errno, ENOENT);
	errno = 0;
	CHECK_SAME(execve("/", given, environment), -1);
	CHECK_SAME(errno, EACCES);
	void *block = malloc(446);
	__asm__ volatile("" : "+r"(block));
	free(block);
}

/* ---- the ends ---- */

static void by_underscore(void)
{
	_exit(11);
}

static void by_capital(void)
{
	_Exit(12);
}

static void by_exit(void)
{
	exit(13);
}

static void quickly(void)
{
	void *block = malloc(447);

	__asm__ volatile("" : "+r"(block));
	free(block);
}

static void by_quick_exit(void)
{
	at_quick_exit(quickly);
	quick_exit(14);
}

static void by_abort(void)
{
	abort();
}

static void blocked_abort(void)
{
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGABRT, SIG_IGN);
	abort();
}

static void on_abort(int number)
{
	(void)number;
	void *block = malloc(448);
	__asm__ volatile("" : "+r"(block));
	free(block);
}

static void handled_abort(void)
{
	signal(SIGABRT, on_abort);
	abort();
}

static sigjmp_buf away;

static void escape(int number)
{
	siglongjmp(away, number);
}

static void escaped_abort(void)
{
	signal(SIGABRT, escape);
	if (sigsetjmp(away, 1) == 0)
		abort();
	on_abort(0);
	_exit(15);
}

static bool has_alloc(const struct recorded *r, size_t size)
{
	bool found = false;

	for (size_t i = 0; i < r->count; i++)
		found |= r->events[i].kind == EV_ALLOC && r->events[i].f.n == size;
	return !r->on || found;
}

static void test_exec(void)
{
	static void (*const all[])(void) = { exec_ve, exec_v, exec_vp, exec_vpe, exec_fd,
					     exec_at, exec_l, exec_lp, exec_le };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct recorded r = recorded_run(all[i]);
		CHECK_SAME(r.status, 33 << 8);
		CHECK_END(r, "exec");
	}
	struct recorded r = recorded_run(exec_fails);
	CHECK_RAN(r);
	CHECK(has_alloc(&r, 446));
	CHECK_END(r, "exit 0");
}

static void test_ends(void)
{
	static void (*const all[])(void) = { by_underscore, by_capital, by_exit, by_quick_exit };
	struct recorded r;

	for (int i = 0; i < 4; i++) {
		char expected[16];
		r = recorded_run(all[i]);
		CHECK_SAME(r.status, (11 + i) << 8);
		snprintf(expected, sizeof(expected), "exit %d", 11 + i);
		CHECK_END(r, expected);
	}
	CHECK(has_alloc(&r, 447));
	r = recorded_run(by_abort);
	CHECK_SAME(WTERMSIG(r.status), SIGABRT);
	CHECK_END(r, "abort");
	r = recorded_run(blocked_abort);
	CHECK_SAME(WTERMSIG(r.status), SIGABRT);
	CHECK_END(r, "abort");
	r = recorded_run(handled_abort);
	CHECK_SAME(WTERMSIG(r.status), SIGABRT);
	CHECK(has_alloc(&r, 448));
	CHECK_END(r, "abort");
	r = recorded_run(escaped_abort);
	CHECK_SAME(r.status, 15 << 8);
	CHECK(has_alloc(&r, 448));
	CHECK_END(r, "exit 15");
}

int main(void)
{
	struct recorded r = recorded_run(forks);
	CHECK_RAN(r);
	if (r.on)
		check_forks(&r);
	r = recorded_run(forks_under_load);
	CHECK_RAN(r);
	r = recorded_run(vforks);
	CHECK_RAN(r);
	CHECK(has_alloc(&r, 445));
	CHECK_END(r, "exit 0");
	r = recorded_run(becomes_daemon);
	CHECK_RAN(r);
	test_exec();
	test_ends();
	return check_result();
}
