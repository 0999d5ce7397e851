/*
 * References that libstdc++ counts itself, unseen: the thread that drops the last one destroys the
 * object, after what the other threads did with it. Dropping a reference that is shared is recorded
 * as SEND. A RECEIVE is due before the events of the object's destruction:
 *
 *	bool expected = cxx_refcount_drop(object, count > 1, pc);
 *	… the library's own function …
 *	cxx_refcount_dropped(expected);
 */
#ifndef RUNTIME_CXX_CXX_REFCOUNT_H
#define RUNTIME_CXX_CXX_REFCOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* `shared`: there are other references. Returns what cxx_refcount_dropped() needs. */
bool cxx_refcount_drop(const void *object, bool shared, uintptr_t pc);
void cxx_refcount_dropped(bool expected);

#endif
