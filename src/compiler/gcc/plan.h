/* What is to be recorded in a function, listed before anything is generated. */
#ifndef GCC_PLAN_H
#define GCC_PLAN_H

#include "compiler/gcc/access.h"
#include "compiler/gcc/slots.h"

#include <vector>

struct op {
	enum kind { READ, WRITE, COPY, CLEAR, SITE, EXIT, FORGET, CLOSE } kind;
	gimple *stmt;
	/* COPY has both; READ only `from`; WRITE and CLEAR only `to` */
	bool from_shared, to_shared;
	access_address from, to;
	tree object; /* SITE: the object the call is about, or NULL */

	bool is_access() const
	{
		return kind <= CLEAR;
	}
};

struct plan {
	std::vector<std::vector<op>> blocks; /* by index of the block */
	slots known;
};

#endif
