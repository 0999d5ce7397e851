/*
 * The functions of the OpenMP library that the interposers replace:
 * `openmp_library()->GOMP_barrier()` calls the original. No header of a compiler is used: both
 * libraries are called, whichever compiler builds the runtime.
 */
#ifndef RUNTIME_OPENMP_OPENMP_LIBRARY_H
#define RUNTIME_OPENMP_OPENMP_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void openmp_function(void *data);
typedef void openmp_copy(void *to, void *from);
typedef int openmp_routine(int thread, void *task);
typedef void openmp_microtask(int *thread, int *bound, ...);
typedef void openmp_task_dup(void *to, void *from, int last);

struct openmp_library {
#define FUNCTION(result, name, ...) result (*name)(__VA_ARGS__);
#include "runtime/openmp/openmp_library.def"
#undef FUNCTION
};

/*
 * All functions are looked up at the first call. A function that the library does not have is NULL;
 * a program that calls it could not have been linked.
 */
const struct openmp_library *openmp_library(void);

#endif
