/*
 * Memory that libstdc++ allocates from its own pools (std::pmr), which the runtime does not see.
 * Reusing a pool block happens after its release, because of a lock of the program or of the
 * library. Without a record, the program's locks alone might permit both orders. So the release is
 * recorded as SEND of the block and the reuse as RECEIVE. A pool block is part of a heap block.
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
