/* dlclose: what it removes. (dlopen must be called by the program itself: it searches by who calls.) */
#include "runtime/module.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/turn.h"

#include <errno.h>

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
	int result = real()->dlclose(library); /* destructors run in it */
	int error = errno;
	quiet = lane_self.quiet;
	lane_self.quiet = true;
	module_unloaded();
	lane_self.quiet = quiet;
	errno = error;
	return result;
}
