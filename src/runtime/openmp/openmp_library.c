/*
 * Finds the OpenMP library: see openmp_library.h. Normally the program is linked with it, after the
 * runtime. But a linker that leaves out unneeded libraries (--as-needed) finds all functions of
 * some programs in the runtime, and leaves it out. And a library that the program has loaded by
 * dlopen may have brought it. In these cases it is loaded, or found, by its name.
 */
#include "runtime/openmp/openmp_library.h"

#include "runtime/buffer/thread_buffer.h"

#include <dlfcn.h>
#include <errno.h>

static struct openmp_library library;
static bool library_found;

static void *find_function(const char *name, void *handle)
{
	void *address = dlsym(RTLD_NEXT, name);

	return address || !handle ? address : dlsym(handle, name);
}

/*
 * Returns a handle of the library, if it is not among those that the program is linked with. A
 * library that is loaded already comes first.
 */
static void *find_library(void)
{
	static const char *const names[] = { "libgomp.so.1", "libomp.so.5", "libomp.so",
					     "libiomp5.so" };
	size_t count = sizeof(names) / sizeof(names[0]);
	void *handle = NULL;

	if (dlsym(RTLD_NEXT, "omp_get_num_threads"))
		return NULL;
	for (size_t i = 0; i < 2 * count && !handle; i++)
		handle = dlopen(names[i % count], RTLD_NOW | (i < count ? RTLD_NOLOAD : 0));
	return handle;
}

/* Two threads may run this at the same time: they store the same addresses. */
static void find_functions(void)
{
	int error = errno;
	bool quiet = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	void *handle = find_library();
#define FUNCTION(result, name, ...) *(void **)(void *)&library.name = find_function(#name, handle);
#include "runtime/openmp/openmp_library.def"
#undef FUNCTION
	__atomic_store_n(&library_found, true, __ATOMIC_RELEASE);
	thread_buffer_self.quiet = quiet;
	errno = error;
}

const struct openmp_library *openmp_library(void)
{
	if (__builtin_expect(!__atomic_load_n(&library_found, __ATOMIC_ACQUIRE), 0))
		find_functions();
	return &library;
}
