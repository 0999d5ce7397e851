/*
 * Determines which values the reader of a trace already knows (common/slot_analysis.h), for LLVM's
 * values. In addition, the reader can compute the address of an array element (indexed.cc), so what
 * it knows decides how the address is recorded.
 */
#ifndef COMPILER_LLVM_SLOTS_H
#define COMPILER_LLVM_SLOTS_H

#include "compiler/common/slot_analysis.h"
#include "compiler/llvm/access.h"

/* The contents to record for a value before a loop. If both fields are NULL: the value itself. */
struct slot_start {
	const llvm::SCEV *evolution;
	llvm::Value *other;
};

class slots : public slot_analysis<llvm::Value *, llvm::BasicBlock *, slot_start>
{
      public:
	/* ---- what happens in a block, in program order --------------------------------------- */
	void note_address(llvm::BasicBlock *block, const access_address &address);
	void note_recorded(llvm::BasicBlock *block, llvm::Value *value);
	/* `value` is recorded unless the reader can compute it */
	void note_stored(llvm::BasicBlock *block, llvm::Value *value);
	void note_forgotten(llvm::BasicBlock *block);

	void solve(llvm::Function &function);

	/*
	 * How the reader learns an address. Afterwards, it knows the address's `base` in any case.
	 */
	enum way {
		KNOWN,	       /* the reader knows the address */
		COMPUTED,      /* it computes the address: it knows array and index */
		ARRAY_FIRST,   /* as COMPUTED, after the array has been recorded */
		INDEX_FIRST,   /* as COMPUTED, after the index has been recorded */
		TO_BE_RECORDED /* the whole address is recorded */
	};
	way way_to(const access_address &address) const;

      private:
	/*
	 * A record of an address or of another value. If neither is set: from here on, nothing is
	 * known.
	 */
	struct note {
		access_address address;
		llvm::Value *value;
		bool unless_found;
	};
	const llvm::DataLayout *layout = nullptr;
	std::map<llvm::BasicBlock *, std::vector<note>> notes; /* only blocks that have notes */

	way way_in(const bits &set, const access_address &address) const;
	void record_address_in(bits &set, const access_address &address) const;

	llvm::Value *without_constant(llvm::Value *value, int64_t *plus) const override;
	llvm::BasicBlock *defining_block(llvm::Value *value) const override;
	void apply_block(llvm::BasicBlock *block, bits &set) const override;
};

#endif
