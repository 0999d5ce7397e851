/*
 * std::condition_variable, which lies in a pthread_cond_t. Its destructor calls pthread_cond_destroy; its constructor, inside of
 * libstdc++, calls nobody. Where a function with such a variable is called twice the second lies where the first was destroyed.
 */
#include "runtime/sync/cond.h"
#include "runtime/cxx/cxx_lookup.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

typedef void construct(pthread_cond_t *cond);

#define CONSTRUCTOR(name)                                                                          \
	SOOTH_API void name(pthread_cond_t *cond);                                                 \
	SOOTH_API void name(pthread_cond_t *cond)                                                  \
	{                                                                                          \
		static void *_Atomic known;                                                        \
		construct *real_one = (construct *)cxx_lookup_real(&known, #name, RECORD_CALLER);  \
                                                                                                   \
		sched_before(EV_COND_INIT, cond, 0, RECORD_CALLER);                                \
		if (real_one)                                                                      \
			real_one(cond);                                                            \
		else                                                                               \
			*cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;                          \
		cond_record_init(cond, RECORD_CALLER);                                             \
	}

CONSTRUCTOR(_ZNSt18condition_variableC1Ev)
CONSTRUCTOR(_ZNSt18condition_variableC2Ev)
