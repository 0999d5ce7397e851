/*
 * dlopen and dlclose. Constructors and destructors of libraries run under the loader's own lock, and its
 * own count says who is the last to close: what they do is behind what others did before that, and so
 * is what a thread does that has opened a library which another was just loading.
 */
#include "runtime/load.h"

#include "runtime/due.h"
#include "runtime/module.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/turn.h"

#include <errno.h>

/* While the functions of real.h are looked for, which a program's own dlsym may do by this. */
static __typeof__(dlopen) *find_dlopen(void)
{
	void *found = dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.34");

	if (!found) /* of an older library */
		found = dlvsym(RTLD_NEXT, "dlopen", "GLIBC_2.2.5");
	return (__typeof__(dlopen) *)found;
}

/* Without a name it is the program itself, which is there. */
__typeof__(dlopen) *load_begin(const char *file, uintptr_t pc)
{
	int error = errno;

	if (file)
		due_expect(EV_SYNC, NULL, pc);
	errno = error;
	return real()->dlopen ? real()->dlopen : find_dlopen();
}

SOOTH_API int dlclose(void *library)
{
	bool quiet = lane_self.quiet;

	if (!process_recording())
		return real()->dlclose(library);
	if (turn_taking) {
		lane_self.quiet = true;
		module_keep_rows();
		lane_self.quiet = quiet;
	}
	due_expect(EV_SYNC, NULL, RECORD_CALLER);
	int result = real()->dlclose(library); /* destructors run in it */
	int error = errno;
	due_forget();
	quiet = lane_self.quiet;
	lane_self.quiet = true;
	module_unloaded();
	lane_self.quiet = quiet;
	errno = error;
	return result;
}
