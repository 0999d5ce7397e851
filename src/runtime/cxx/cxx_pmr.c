/*
 * Memory that libstdc++ hands out of pools of its own (std::pmr), unseen: who gets a block is behind who gave it
 * back, by a lock of the program's or the library's. The program's locks alone would let either go first.
 * It is told as SEND and RECEIVE of the block, which lies in one that was allocated.
 */
#include "runtime/annotate/annotate.h"
#include "runtime/cxx/cxx_lookup.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sync/thread.h"

typedef void *allocate(void *pool, size_t size, size_t alignment);
typedef void give_back(void *pool, void *block, size_t size, size_t alignment);

#define POOL(get, put)                                                                             \
	SOOTH_API void *get(void *pool, size_t size, size_t alignment);                            \
	SOOTH_API void *get(void *pool, size_t size, size_t alignment)                             \
	{                                                                                          \
		static void *_Atomic known;                                                        \
		allocate *real_one = (allocate *)cxx_lookup_real(&known, #get, RECORD_CALLER);     \
                                                                                                   \
		if (!real_one)                                                                     \
			return real()->aligned_alloc(alignment, size);                             \
		void *block = real_one(pool, size, alignment);                                     \
		if (thread_any_created())                                                          \
			annotate_after(block, RECORD_CALLER);                                      \
		return block;                                                                      \
	}                                                                                          \
	SOOTH_API void put(void *pool, void *block, size_t size, size_t alignment);                \
	SOOTH_API void put(void *pool, void *block, size_t size, size_t alignment)                 \
	{                                                                                          \
		static void *_Atomic known;                                                        \
		give_back *real_one = (give_back *)cxx_lookup_real(&known, #put, RECORD_CALLER);   \
                                                                                                   \
		if (thread_any_created())                                                          \
			annotate_before(block, RECORD_CALLER);                                     \
		if (real_one)                                                                      \
			real_one(pool, block, size, alignment);                                    \
	}

POOL(_ZNSt3pmr28unsynchronized_pool_resource11do_allocateEmm,
     _ZNSt3pmr28unsynchronized_pool_resource13do_deallocateEPvmm)
POOL(_ZNSt3pmr26synchronized_pool_resource11do_allocateEmm,
     _ZNSt3pmr26synchronized_pool_resource13do_deallocateEPvmm)
