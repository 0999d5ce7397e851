/*
 * References that libstdc++ counts for itself, unseen: who takes the last one away destroys the object, behind
 * what the others did with it. Letting go of one that others have, too, is a SEND; a RECEIVE is due before
 * what is done when it was the last:
 *
 *	bool expected = cxx_refcount_let_go(object, count > 1, pc);
 *	… the library's own …
 *	cxx_refcount_gone(expected);
 */
#ifndef RUNTIME_CXX_CXX_REFCOUNT_H
#define RUNTIME_CXX_CXX_REFCOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* `shared`: another may have it, too. */
bool cxx_refcount_let_go(const void *object, bool shared, uintptr_t pc);
void cxx_refcount_gone(bool expected);

#endif
