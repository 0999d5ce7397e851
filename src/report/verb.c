/* The verbs for the kinds of events. */
#include "report/verb.h"

#include "event/event.h"

struct verb verb_of(uint8_t kind)
{
	switch (kind) {
	case EV_READ:
	case EV_ATOMIC_READ: return (struct verb){ "read", "reads" };
	case EV_WRITE:
	case EV_ATOMIC_WRITE: return (struct verb){ "write", "writes" };
	case EV_ATOMIC_UPDATE: return (struct verb){ "update", "updates" };
	case EV_FREE: return (struct verb){ "free", "frees" };
	case EV_UNMAP: return (struct verb){ "unmap", "unmaps" };
	case EV_FD_CLOSE: return (struct verb){ "close", "closes" };
	case EV_LOCK_INIT:
	case EV_COND_INIT:
	case EV_SEM_INIT:
	case EV_BARRIER_INIT: return (struct verb){ "initialise", "initialises" };
	case EV_LOCK_DESTROY:
	case EV_COND_DESTROY:
	case EV_SEM_DESTROY:
	case EV_BARRIER_DESTROY: return (struct verb){ "destroy", "destroys" };
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL: return (struct verb){ "lock", "locks" };
	case EV_RELEASE:
	case EV_READ_RELEASE: return (struct verb){ "unlock", "unlocks" };
	case EV_WAIT:
	case EV_DOWN:
	case EV_DOWN_FAIL: return (struct verb){ "wait for", "waits for" };
	case EV_WOKEN: return (struct verb){ "be woken at", "is woken at" };
	case EV_SIGNAL:
	case EV_BROADCAST: return (struct verb){ "signal", "signals" };
	case EV_POST: return (struct verb){ "post", "posts" };
	case EV_ARRIVE:
	case EV_PASS: return (struct verb){ "wait at", "waits at" };
	}
	return (struct verb){ "use", "uses" };
}
