/*
 * Preloaded into a recorded program: calls that the runtime makes on its own account fail. The
 * program's own calls never do.
 *
 *	INJECT_LOG=FILE       a line for each call of the runtime, but not for millions: the process, its
 *	                      name, where from
 *	INJECT_NAME=NAME      of the calls of this function …
 *	INJECT_SITE=OFFSET    … that return to this place in libsooth.so …
 *	INJECT_AT=K           … the K-th fails …
 *	INJECT_ERROR=E        … with this errno; 0: it does half of what it was asked for; 4096: it maps elsewhere,
 *	                      as a kernel does that knows no MAP_FIXED_NOREPLACE …
 *	INJECT_ALWAYS=1       … and so do all later calls of NAME, from wherever
 *	INJECT_CHILD=1        … in its children only, not in the first process
 *	INJECT_ALSO=NAME      and so do all calls of NAME …
 *	INJECT_ALSO_SITE=OFF  … that return to this place, behind the first failure
 *	INJECT_REACHED=FILE   a copy of the file PROGRESS, taken before the first failure
 *
 *	INJECT_OTHERS=FILE    lines LOW HIGH, offsets in libsooth.so: functions in which calls by
 *	                      pointer are on the program's account
 *
 * The runtime calls the C library by name, and then we stand in front of it; or by pointers that it
 * asked dlsym for, and then we answer that. It has those for the program's sake, but uses them itself,
 * too: what calls from one of its interposers is the program, the rest is its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define OTHERS_MAX 1024
#define LINES_MAX 20000
#define ELSEWHERE 4096
#define CALLER ((uintptr_t)__builtin_return_address(0))

static struct {
	_Atomic int state; /* 0 nobody looked, 1 somebody does, 2 all below is right */
	uintptr_t low, high;
	struct {
		uintptr_t low, high;
	} others[OTHERS_MAX];
	unsigned other_count;
	const char *name, *also;
	uintptr_t site, also_site;
	long at, error;
	bool always, in_child;
	long process; /* the first one */
	int log;
	_Atomic long calls, lines;
	_Atomic bool failed;
} plan = { .log = -1 };

/* The library's `syscall` is one of those we stand in front of. */
static long raw(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static int find_runtime(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (!strstr(info->dlpi_name, "libsooth.so"))
		return 0;
	plan.low = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t end =
			info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > plan.high)
			plan.high = end;
	}
	return 1;
}

/*
 * Numbers by hand: the C library's functions for them are interposed by the runtime, which cannot pass
 * them on while it looks for the real ones, and dlsym is ours.
 */
static uintptr_t take_hex(const char **text)
{
	uintptr_t value = 0;

	while (**text == ' ')
		++*text;
	for (;; ++*text) {
		char c = **text;
		if (c >= '0' && c <= '9')
			value = value * 16 + (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (uintptr_t)(c - 'a' + 10);
		else
			return value;
	}
}

static char *put_number(char *to, uintptr_t value, unsigned base)
{
	if (value >= base)
		to = put_number(to, value / base, base);
	*to = "0123456789abcdef"[value % base];
	return to + 1;
}

static void read_others(const char *name)
{
	static char text[65536];
	long fd = name ? raw(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0) : -1;
	long length = fd < 0 ? 0 : raw(SYS_read, fd, (long)text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = 0;
	for (const char *line = text; *line && plan.other_count < OTHERS_MAX; plan.other_count++) {
		plan.others[plan.other_count].low = plan.low + take_hex(&line);
		plan.others[plan.other_count].high = plan.low + take_hex(&line);
		line += *line == '\n';
	}
	raw(SYS_close, fd, 0, 0, 0);
}

static long number(const char *name)
{
	const char *text = getenv(name);

	long value = 0;

	for (; text && *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (*text - '0');
	return value;
}

static uintptr_t site(const char *name)
{
	const char *text = getenv(name) ?: "0";

	return plan.low + take_hex(&text);
}

/* The log's descriptor is far up, where no program looks. */
static void open_log(void)
{
	const char *name = getenv("INJECT_LOG");
	long fd = name ? raw(SYS_openat, AT_FDCWD, (long)name,
			     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
		       : -1;

	if (fd < 0)
		return;
	plan.log = (int)raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1000, 0);
	raw(SYS_close, fd, 0, 0, 0);
}

static bool ready(void)
{
	int fresh = 0;

	if (plan.state == 2)
		return true;
	if (!atomic_compare_exchange_strong(&plan.state, &fresh, 1))
		return false;
	dl_iterate_phdr(find_runtime, NULL);
	if (!plan.low) { /* before it is loaded */
		plan.state = 0;
		return false;
	}
	read_others(getenv("INJECT_OTHERS"));
	plan.name = getenv("INJECT_NAME");
	plan.site = site("INJECT_SITE");
	plan.also = getenv("INJECT_ALSO");
	plan.also_site = site("INJECT_ALSO_SITE");
	plan.at = number("INJECT_AT");
	plan.error = number("INJECT_ERROR");
	plan.always = number("INJECT_ALWAYS") != 0;
	plan.in_child = number("INJECT_CHILD") != 0;
	plan.process = raw(SYS_getpid, 0, 0, 0, 0);
	open_log();
	plan.state = 2;
	return true;
}

/* ---- failing -------------------------------------------------------------------------------- */

/* What the threads have reached when the first call is about to fail. */
static void keep_progress(void)
{
	const char *from = getenv("PROGRESS"), *to = getenv("INJECT_REACHED");
	char bytes[256];

	if (!from || !to)
		return;
	long in = raw(SYS_openat, AT_FDCWD, (long)from, O_RDONLY | O_CLOEXEC, 0);
	long out = raw(SYS_openat, AT_FDCWD, (long)to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	long length = raw(SYS_read, in, (long)bytes, sizeof(bytes), 0);
	if (length > 0)
		raw(SYS_write, out, (long)bytes, length, 0);
	raw(SYS_close, in, 0, 0, 0);
	raw(SYS_close, out, 0, 0, 0);
}

static void note(const char *name, uintptr_t caller)
{
	char line[128];

	if (plan.log < 0 || atomic_fetch_add(&plan.lines, 1) >= LINES_MAX)
		return;
	char *end = put_number(line, (uintptr_t)raw(SYS_getpid, 0, 0, 0, 0), 10);
	*end++ = ' ';
	end = stpcpy(end, name);
	*end++ = ' ';
	end = put_number(end, caller - plan.low, 16);
	*end++ = '\n';
	raw(SYS_write, plan.log, (long)line, end - line, 0);
}

static bool is_own(uintptr_t caller, bool by_pointer)
{
	if (!ready() || caller < plan.low || caller >= plan.high)
		return false;
	for (unsigned i = 0; by_pointer && i < plan.other_count; i++)
		if (caller >= plan.others[i].low && caller < plan.others[i].high)
			return false;
	return true;
}

static bool is_chosen(const char *name, uintptr_t caller)
{
	bool child = raw(SYS_getpid, 0, 0, 0, 0) != plan.process;

	if (child == plan.in_child && plan.failed && plan.also && caller == plan.also_site &&
	    !strcmp(plan.also, name))
		return true;
	if (!plan.name || strcmp(plan.name, name) || child != plan.in_child)
		return false;
	if (plan.failed)
		return plan.always;
	if (caller != plan.site || atomic_fetch_add(&plan.calls, 1) + 1 != plan.at)
		return false;
	keep_progress();
	plan.failed = true;
	return true;
}

/* Does this call fail? Keeps errno. */
static bool fails(const char *name, uintptr_t caller, bool by_pointer)
{
	int error = errno;
	bool now = false;

	if (is_own(caller, by_pointer)) {
		note(name, caller);
		now = is_chosen(name, caller);
	}
	errno = error;
	return now;
}

/* ---- the functions -------------------------------------------------------------------------- */

/*
 * NAME in front of the library's. What the runtime itself interposes is by name the runtime's: it is
 * next in order, and takes its own calls for what they are.
 */
#define IN_FRONT(type, name, symbol, parameters, arguments, failure)                               \
	type symbol parameters;                                                                    \
	type symbol parameters                                                                     \
	{                                                                                          \
		static __typeof__(type(*) parameters) next;                                        \
		if (!next)                                                                         \
			*(void **)&next = real_dlsym(RTLD_NEXT, #symbol);                          \
		if (fails(#name, CALLER, false)) {                                                 \
			errno = (int)plan.error;                                                   \
			return failure;                                                            \
		}                                                                                  \
		return next arguments;                                                             \
	}

/* The runtime calls most by a name that no program has (src/runtime/host/own_call.c). */
#define FUNCTION(type, name, parameters, arguments, failure)                                       \
	IN_FRONT(type, name, __sooth_own_##name, parameters, arguments, failure)
#define PTHREAD(type, name, parameters, arguments, failure)                                        \
	IN_FRONT(type, name, name, parameters, arguments, failure)

/* The same for what is called by pointer: `answers` below hands it out. */
#define POINTER(type, name, parameters, arguments, failure)                                        \
	static __typeof__(type(*) parameters) library_##name;                                      \
	static type pointed_##name parameters                                                      \
	{                                                                                          \
		if (fails(#name, CALLER, true)) {                                                  \
			errno = (int)plan.error;                                                   \
			return failure;                                                            \
		}                                                                                  \
		return library_##name arguments;                                                   \
	}

static void *real_dlsym(void *handle, const char *name)
{
	static void *(*next)(void *, const char *);

	if (!next)
		*(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	return next(handle, name);
}

FUNCTION(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), -1)
FUNCTION(int, fcntl, (int fd, int what, void *value), (fd, what, value), -1)
FUNCTION(int, close, (int fd), (fd), (next(fd), -1))
FUNCTION(int, fstat, (int fd, struct stat *to), (fd, to), -1)
FUNCTION(int, stat, (const char *path, struct stat *to), (path, to), -1)
FUNCTION(int, ftruncate, (int fd, off_t size), (fd, size), -1)
FUNCTION(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), -1)
FUNCTION(int, rename, (const char *from, const char *to), (from, to), -1)
FUNCTION(int, rmdir, (const char *path), (path), -1)
FUNCTION(int, shmctl, (int id, int what, struct shmid_ds *about), (id, what, about), -1)
FUNCTION(char *, getcwd, (char *to, size_t size), (to, size), NULL)
FUNCTION(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to), -1)
FUNCTION(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
FUNCTION(int, posix_fadvise, (int fd, off_t at, off_t size, int advice), (fd, at, size, advice),
	 (int)plan.error)
FUNCTION(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), (int)plan.error)
FUNCTION(ssize_t, readlink, (const char *path, char *to, size_t size), (path, to, size), -1)
FUNCTION(int, sync_file_range, (int fd, off_t at, off_t size, unsigned flags),
	 (fd, at, size, flags), -1)
FUNCTION(int, unlink, (const char *path), (path), -1)
FUNCTION(int, madvise, (void *at, size_t size, int advice), (at, size, advice), -1)
FUNCTION(int, mprotect, (void *at, size_t size, int access), (at, size, access), -1)
FUNCTION(int, munmap, (void *at, size_t size), (at, size), -1)
FUNCTION(void *, mmap, (void *at, size_t size, int access, int flags, int fd, off_t offset),
	 (at, size, access, flags, fd, offset),
	 plan.error == ELSEWHERE
		 ? next(NULL, size, access, flags & ~MAP_FIXED_NOREPLACE, fd, offset)
		 : MAP_FAILED)
FUNCTION(int, sched_getcpu, (void), (), -1)
FUNCTION(int, sched_getaffinity, (pid_t who, size_t size, cpu_set_t *to), (who, size, to), -1)
FUNCTION(int, sched_setaffinity, (pid_t who, size_t size, const cpu_set_t *to), (who, size, to), -1)
FUNCTION(int, sigaltstack, (const stack_t *to, stack_t *old), (to, old), -1)
PTHREAD(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM)
PTHREAD(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *)), (key, end), EAGAIN)
PTHREAD(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *to), (thread, to), ENOMEM)

/* Half of it, when there is no error: what a full disk, a signal or a pipe may do. */
FUNCTION(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size),
	 plan.error ? -1 : next(fd, from, (size + 1) / 2))
FUNCTION(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at),
	 plan.error ? -1 : next(fd, from, (size + 1) / 2, at))
FUNCTION(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at),
	 plan.error ? -1 : next(fd, to, (size + 1) / 2, at))
/* What it has to say it says. */
FUNCTION(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count),
	 fd != 2 && plan.error ? -1 : next(fd, from, fd == 2 ? count : (count + 1) / 2))

POINTER(void *, malloc, (size_t size), (size), NULL)
POINTER(void *, calloc, (size_t count, size_t size), (count, size), NULL)
POINTER(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size),
	plan.error ? -1 : library_read(fd, to, (size + 1) / 2))

static long (*library_syscall)(long, ...);
static long pointed_syscall(long what, long a, long b, long c, long d, long e, long f)
{
	if (fails("syscall", CALLER, true)) {
		errno = (int)plan.error;
		return -1;
	}
	return library_syscall(what, a, b, c, d, e, f);
}

/* ---- dlsym ---------------------------------------------------------------------------------- */

#define ANSWER(name)                                                                               \
	{                                                                                          \
#name, (void **)&library_##name, (void *)pointed_##name                            \
	}

/* The runtime asks for the functions behind it: the library's own, since we come before it. */
void *dlsym(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void **library;
		void *ours;
	} answers[] = { ANSWER(malloc), ANSWER(calloc), ANSWER(read), ANSWER(syscall) };

	if (handle != RTLD_NEXT || !ready() || CALLER < plan.low || CALLER >= plan.high)
		return real_dlsym(handle, name);
	static void *library;
	if (!library)
		library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *found = real_dlsym(library, name);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (strcmp(answers[i].name, name))
			continue;
		*answers[i].library = found;
		return answers[i].ours;
	}
	return found;
}
