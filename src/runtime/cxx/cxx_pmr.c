/*
 * Memory that libstdc++ allocates from its own pools (std::pmr), unseen. Reusing a pool block
 * happens after its release, by a lock of the program or the library. With the program's locks
 * alone, either could come first. Recorded as SEND and RECEIVE of the block, which is part of a
 * heap block.
 */
#include "runtime/annotate/annotate.h"
#include "runtime/cxx/cxx_lookup.h"
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sync/thread.h"

typedef void *allocate(void *pool, size_t size, size_t alignment);
typedef void give_back(void *pool, void *block, size_t size, size_t alignment);

#define POOL(get, put)                                                                             \
	DEFINE(void *, get, void *pool, size_t size, size_t alignment)                             \
	{                                                                                          \
		CXX_LOOKUP(allocate, real_one, get);                                               \
		if (!real_one)                                                                     \
			return real()->aligned_alloc(alignment, size);                             \
		void *block = real_one(pool, size, alignment);                                     \
		if (thread_any_created())                                                          \
			annotate_after(block, RECORD_CALLER);                                      \
		return block;                                                                      \
	}                                                                                          \
	DEFINE(void, put, void *pool, void *block, size_t size, size_t alignment)                  \
	{                                                                                          \
		CXX_LOOKUP(give_back, real_one, put);                                              \
		if (thread_any_created())                                                          \
			annotate_before(block, RECORD_CALLER);                                     \
		if (real_one)                                                                      \
			real_one(pool, block, size, alignment);                                    \
	}

POOL(_ZNSt3pmr28unsynchronized_pool_resource11do_allocateEmm,
     _ZNSt3pmr28unsynchronized_pool_resource13do_deallocateEPvmm)
POOL(_ZNSt3pmr26synchronized_pool_resource11do_allocateEmm,
     _ZNSt3pmr26synchronized_pool_resource13do_deallocateEPvmm)
