/* Looks up the functions that the interposers replace: see libc_next.h. */
#include "runtime/host/libc_next.h"

#include <dlfcn.h>
#include <errno.h>

struct real real_table;
bool real_found;
SOOTH_TLS bool real_searching;

static void *find_function(const char *name, const char *version)
{
	void *address = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

	return address ? address : dlsym(RTLD_NEXT, name);
}

/*
 * Two threads may run this at the same time: they store the same addresses. Pointers to functions
 * that this C library does not have stay NULL. No program calls those: it could not have been
 * linked.
 */
void real_find(void)
{
	int error = errno;

	if (real_searching)
		return;
	real_searching = true;
#define REAL(name) real_table.name = find_function(#name, NULL);
#define REAL_VERSION(name, version) real_table.name = find_function(#name, version);
#include "runtime/host/libc_next.def"
#undef REAL
#undef REAL_VERSION
	__atomic_store_n(&real_found, true, __ATOMIC_RELEASE);
	real_searching = false;
	errno = error;
}
