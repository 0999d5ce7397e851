/*
 * Interposes the constructor of std::condition_variable, to record an initialisation. The object
 * contains a pthread_cond_t. Its destructor calls pthread_cond_destroy, but its constructor, inside
 * libstdc++, calls no interposed function. If a function with such a local variable is called
 * twice, the second variable has the address of the first one, whose destruction was recorded.
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
