/*
 * dlopen and dlclose. The loader runs constructors and destructors of libraries under its own lock,
 * and its own count decides which dlclose is the last. So what they do happens after what other
 * threads did before that. The same holds for a thread that has opened a library which another
 * thread was loading.
 */
#include "runtime/memory/dlopen.h"

#include "runtime/buffer/deferred_event.h"
#include "runtime/host/module.h"
#include "runtime/host/process.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <errno.h>

/* Used while libc_next.h looks up its functions: a program's own dlsym may call dlopen. */
static __typeof__(dlopen) *find_dlopen(void)
{
	void *found = dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.34");

	if (!found) /* the version in an older library */
		found = dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.2.5");
	return (__typeof__(dlopen) *)found;
}

/* Without a name it is the program itself, which is loaded already. */
__typeof__(dlopen) *dlopen_begin(const char *file, uintptr_t pc)
{
	int error = errno;

	if (file)
		deferred_event_expect(EV_SYNC, NULL, pc);
	errno = error;
	return real()->dlopen ? real()->dlopen : find_dlopen();
}

SOOTH_API int dlclose(void *library)
{
	bool quiet = thread_buffer_self.quiet;

	if (!process_recording())
		return real()->dlclose(library);
	if (sched_active) {
		thread_buffer_self.quiet = true;
		module_keep_rows();
		thread_buffer_self.quiet = quiet;
	}
	deferred_event_expect(EV_SYNC, NULL, RECORD_CALLER);
	int result = real()->dlclose(library); /* runs destructors */
	int error = errno;
	deferred_event_forget();
	quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	module_unloaded();
	thread_buffer_self.quiet = quiet;
	errno = error;
	return result;
}
