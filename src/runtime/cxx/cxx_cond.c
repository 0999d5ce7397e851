/*
 * std::condition_variable, which contains a pthread_cond_t. Its destructor calls
 * pthread_cond_destroy. Its constructor, inside libstdc++, calls no interposed function. If a
 * function with such a variable is called twice, the second variable has the address of the first,
 * destroyed one, so its initialisation has to be recorded.
 */
#include "runtime/sync/cond.h"
#include "runtime/cxx/cxx_lookup.h"
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

typedef void construct(pthread_cond_t *cond);

#define CONSTRUCTOR(name)                                                                          \
	DEFINE(void, name, pthread_cond_t *cond)                                                   \
	{                                                                                          \
		CXX_LOOKUP(construct, real_one, name);                                             \
		sched_before(EV_COND_INIT, cond, 0, RECORD_CALLER);                                \
		if (real_one)                                                                      \
			real_one(cond);                                                            \
		else                                                                               \
			*cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;                          \
		cond_record_init(cond, RECORD_CALLER);                                             \
	}

CONSTRUCTOR(_ZNSt18condition_variableC1Ev)
CONSTRUCTOR(_ZNSt18condition_variableC2Ev)
