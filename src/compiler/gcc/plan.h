/*
 * The operations of a function that are to be recorded. The list is complete before any code is
 * generated.
 */
#ifndef GCC_PLAN_H
#define GCC_PLAN_H

#include "compiler/gcc/access.h"
#include "compiler/gcc/slots.h"

#include <vector>

struct op {
	enum kind { READ, WRITE, COPY, CLEAR, SITE, EXIT, FORGET, CLOSE } kind;
	gimple *stmt;
	/* COPY may have both; READ has only `from`; WRITE and CLEAR have only `to` */
	bool from_shared, to_shared;
	access_address from, to;
	tree object; /* SITE: the object that the call uses, or NULL */

	bool is_access() const
	{
		return kind <= CLEAR;
	}
};

struct plan {
	std::vector<std::vector<op>> blocks; /* indexed by basic block */
	slots known;
};

#endif
