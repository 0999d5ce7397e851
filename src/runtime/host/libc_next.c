#include "runtime/host/libc_next.h"

#include <dlfcn.h>
#include <errno.h>

struct real real_table;
bool real_found;
SOOTH_TLS bool real_searching;

static void *find(const char *name, const char *version)
{
	void *address = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

	return address ? address : dlsym(RTLD_NEXT, name);
}

/*
 * Two threads may be here at once: they find the same. What this C library does not have stays
 * NULL; a program that calls it would not have been linked.
 */
void real_find(void)
{
	int error = errno;

	if (real_searching)
		return;
	real_searching = true;
#define REAL(name) real_table.name = find(#name, NULL);
#define REAL_VERSION(name, version) real_table.name = find(#name, version);
#include "runtime/host/libc_next.def"
#undef REAL
#undef REAL_VERSION
	__atomic_store_n(&real_found, true, __ATOMIC_RELEASE);
	real_searching = false;
	errno = error;
}
