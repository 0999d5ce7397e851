/* What is to be recorded in a function, listed before anything is generated. */
#ifndef COMPILER_LLVM_PLAN_H
#define COMPILER_LLVM_PLAN_H

#include "compiler/llvm/access.h"
#include "compiler/llvm/slots.h"

#include <map>
#include <vector>

struct op {
	enum kind { READ, WRITE, COPY, CLEAR, SITE, EXIT, FORGET, CLOSE } kind;
	llvm::Instruction *at = nullptr;
	/* COPY has both; READ only `from`; WRITE and CLEAR only `to` */
	bool from_shared = false, to_shared = false;
	access_address from, to;
	uint64_t size = 0;
	llvm::Value *object = nullptr; /* SITE: the object the call is about, or NULL */

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
