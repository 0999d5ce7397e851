/* Looks up functions of libstdc++ by name, in the libraries that may contain them. */
#include "runtime/cxx/cxx_lookup.h"

#include "runtime/host/caller_instrumented.h"
#include "runtime/host/libc_next.h"

#include <stdatomic.h>

static void *find_in(const char *library, const char *name)
{
	void *handle = real()->dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	void *function = handle ? dlsym(handle, name) : NULL;

	if (handle)
		real()->dlclose(handle);
	return function && !caller_instrumented_is_own((uintptr_t)function) ? function : NULL;
}

/*
 * In a C program that loads a C++ library, RTLD_NEXT does not find libstdc++. It can be found by
 * its file name, or, if it is linked into the C++ library, in the library of the caller.
 */
static void *find_function(const char *name, uintptr_t pc)
{
	void *function = dlsym(RTLD_NEXT, name);
	Dl_info caller;

	if (!function)
		function = find_in("libstdc++.so.6", name);
	if (!function && dladdr((const void *)pc, &caller))
		function = find_in(caller.dli_fname, name);
	return function;
}

void *cxx_lookup_real(void *_Atomic *known, const char *name, uintptr_t pc)
{
	void *address = atomic_load_explicit(known, memory_order_relaxed);

	if (!address) {
		address = find_function(name, pc);
		atomic_store_explicit(known, address, memory_order_relaxed);
	}
	return address;
}
