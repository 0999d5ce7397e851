/*
 * Reference counts that libstdc++ changes unseen by the runtime. The thread that drops the last
 * reference destroys the object; that happens after the uses of the object by other threads.
 * Dropping a reference while there are others is recorded as SEND. A RECEIVE is recorded before the
 * events of the object's destruction:
 *
 *	bool expected = cxx_refcount_drop(object, count > 1, pc);
 *	… the library's own function …
 *	cxx_refcount_dropped(expected);
 */
#ifndef RUNTIME_CXX_CXX_REFCOUNT_H
#define RUNTIME_CXX_CXX_REFCOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* `shared`: there are other references. Pass the result to cxx_refcount_dropped(). */
bool cxx_refcount_drop(const void *object, bool shared, uintptr_t pc);
void cxx_refcount_dropped(bool expected);

#endif
