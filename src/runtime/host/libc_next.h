/*
 * The functions that the interposers replace: `real()->malloc(8)` calls the original.
 *
 * They are all looked up when the first one is needed. That may be long before main: while the
 * dynamic linker starts, or in a constructor of a library that is loaded before this one.
 */
#ifndef RUNTIME_HOST_LIBC_NEXT_H
#define RUNTIME_HOST_LIBC_NEXT_H

#include "runtime/buffer/thread_buffer.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <mqueue.h>
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* Functions that no header declares. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);
int __cxa_at_quick_exit(void (*function)(void *), void *library);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
void __longjmp_chk(struct __jmp_buf_tag environment[1], int value) __attribute__((noreturn));

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);
ssize_t __pread_chk(int fd, void *to, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t size, off64_t offset, size_t room);
int __dprintf_chk(int fd, int level, const char *restrict format, ...);
int __vdprintf_chk(int fd, int level, const char *restrict format, va_list values);
ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t size, size_t room, int flags,
		       __SOCKADDR_ARG from, socklen_t *restrict length);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t room);
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file);
char *__fgets_chk(char *restrict to, size_t room, int size, FILE *restrict file);
int __isoc99_vfscanf(FILE *restrict file, const char *restrict format, va_list values);
int __isoc99_vscanf(const char *restrict format, va_list values);
int __isoc99_fscanf(FILE *restrict file, const char *restrict format, ...);
int __isoc99_scanf(const char *restrict format, ...);
int __vsprintf_chk(char *restrict to, int level, size_t most, const char *restrict format,
		   va_list values);
int __vsnprintf_chk(char *restrict to, size_t room, int level, size_t most,
		    const char *restrict format, va_list values);
int __vasprintf_chk(char **restrict to, int level, const char *restrict format, va_list values);
int __vfprintf_chk(FILE *restrict file, int level, const char *restrict format, va_list values);
int __vprintf_chk(int level, const char *restrict format, va_list values);
int __fprintf_chk(FILE *restrict file, int level, const char *restrict format, ...);
int __printf_chk(int level, const char *restrict format, ...);
int __sprintf_chk(char *restrict to, int level, size_t most, const char *restrict format, ...);
int __snprintf_chk(char *restrict to, size_t room, int level, size_t most,
		   const char *restrict format, ...);
int __asprintf_chk(char **restrict to, int level, const char *restrict format, ...);
int __isoc99_vsscanf(const char *restrict text, const char *restrict format, va_list values);
int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...);
int __xstat(int version, const char *path, struct stat *to);
int __lxstat(int version, const char *path, struct stat *to);
int __fxstat(int version, int fd, struct stat *to);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t what, size_t count, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t count,
		       size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t count, size_t room);
wchar_t *__wcscpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t room);
void __explicit_bzero_chk(void *to, size_t size, size_t room);
ssize_t __readlink_chk(const char *restrict path, char *restrict to, size_t room, size_t most);
ssize_t __readlinkat_chk(int at, const char *restrict path, char *restrict to, size_t room,
			 size_t most);
char *__getcwd_chk(char *to, size_t room, size_t most);
char *__realpath_chk(const char *restrict path, char *restrict to, size_t most);
int __gethostname_chk(char *to, size_t room, size_t most);
int __xpg_strerror_r(int error, char *to, size_t room);
size_t __mbstowcs_chk(wchar_t *restrict to, const char *restrict text, size_t most, size_t room);
size_t __wcstombs_chk(char *restrict to, const wchar_t *restrict text, size_t most, size_t room);
int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);
unsigned _ZNSt13random_device9_M_getvalEv(void *device);
unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void *device);
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void *pointer);

struct real {
#define REAL(name) __typeof__(name) *name;
#define REAL_VERSION(name, version) REAL(name)
#include "runtime/host/libc_next.def"
#undef REAL
#undef REAL_VERSION
};

extern struct real real_table;
extern bool real_found;
extern SOOTH_TLS bool real_searching; /* dlsym is running in this thread, and may call malloc */

void real_find(void);

static inline const struct real *real(void)
{
	if (__builtin_expect(!__atomic_load_n(&real_found, __ATOMIC_ACQUIRE), 0))
		real_find();
	return &real_table;
}

#endif
