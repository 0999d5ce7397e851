/*
 * The operations of a function that are to be recorded. The list is complete before any code is
 * generated.
 */
#ifndef COMPILER_LLVM_PLAN_H
#define COMPILER_LLVM_PLAN_H

#include "compiler/llvm/access.h"
#include "compiler/llvm/slots.h"

#include <map>
#include <vector>

struct op {
	enum kind { READ, WRITE, COPY, CLEAR, SITE, EXIT, FORGET, CLOSE } kind;
	llvm::Instruction *at = nullptr;
	/* COPY may have both; READ has only `from`; WRITE and CLEAR have only `to` */
	bool from_shared = false, to_shared = false;
	access_address from, to;
	uint64_t size = 0;
	llvm::Value *object = nullptr; /* SITE: the object that the call uses, or NULL */

	bool is_access() const
	{
		return kind <= CLEAR;
	}
};

struct plan {
	std::map<llvm::BasicBlock *, std::vector<op>> blocks;
	slots known;
};

#endif
