/*
 * dlopen and dlclose. The loader runs constructors and destructors of libraries while it holds its
 * own lock, and its own counter decides which dlclose is the last one. So these constructors and
 * destructors happen after everything that other threads did before. The same holds for a thread
 * whose dlopen finds that another thread is loading the library.
 */
#include "runtime/memory/dlopen.h"

#include "runtime/buffer/deferred_event.h"
#include "runtime/host/module.h"
#include "runtime/host/process.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <errno.h>

/*
 * Needed while libc_next.h is looking up its functions: that calls dlsym, and a dlsym defined by
 * the program may call dlopen.
 */
static __typeof__(dlopen) *find_dlopen(void)
{
	void *found = dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.34");

	if (!found) /* glibc before 2.34 */
		found = dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.2.5");
	return (__typeof__(dlopen) *)found;
}

/*
 * Records nothing if there is no file name: then the program itself is opened, which is loaded
 * already.
 */
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
	int result = real()->dlclose(library); /* may run destructors */
	int error = errno;
	deferred_event_forget();
	quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	module_unloaded();
	thread_buffer_self.quiet = quiet;
	errno = error;
	return result;
}
