/*
 * Segments: the code that records a stretch of straight code (event/wire.h), and its row.
 *
 *	lane, p = open	   asm: where to write; the row's address goes to *p
 *	*(p + 4) = a	   plain stores, one for each thing that differs from run to run
 *	NOP		   asm: five bytes before each access, for who wants to stop there
 *	v = *a		   the access
 *	*(p + 10) = v
 *	lane->cursor += n  asm: from here on the record is there
 */
#ifndef COMPILER_LLVM_SEGMENT_H
#define COMPILER_LLVM_SEGMENT_H

#include "compiler/llvm/plan.h"
#include "compiler/llvm/rows.h"

class segment
{
      public:
	segment(llvm::Function &function, slots &known) : function(function), known(known)
	{
	}

	bool is_open() const
	{
		return opening != nullptr;
	}
	/* Whether an element with so many bytes of value fits. */
	bool has_room(uint64_t size) const;

	/*
	 * Each adds an element (or two) and its instructions around the one it is about; the first opens the
	 * segment there.
	 */
	void enter(llvm::Instruction *before);
	void exit(llvm::Instruction *before);
	void site(const op &o);
	void read(const op &o);
	void write(const op &o);
	/* memcpy and memmove of a constant size. The instruction is replaced. */
	void copy(const op &o);
	/* memset of a constant size, to 0 or of eight bytes at most */
	void clear(const op &o);

	/* No events: what the reader is to know from here on (slots.h). `start`: the value to record. */
	void define(llvm::Instruction *before, const slots::definition &d, llvm::Value *start);
	void assign(llvm::Instruction *before, const slots::assignment &a);

	/* Ends the segment before the instruction. */
	void close(llvm::Instruction *before);

      private:
	llvm::Function &function;
	slots &known;
	std::vector<row_element> elements;
	llvm::CallInst *opening = nullptr;
	llvm::Value *lane = nullptr, *cursor = nullptr;
	unsigned bytes = 0;

	row_element &add(llvm::Instruction *at, event_kind kind, uint64_t size);
	void open(llvm::Instruction *before);
	void set_slot(llvm::Instruction *before, llvm::Value *value, unsigned slot, int64_t plus);
	void pointer(llvm::Instruction *before, llvm::Value *value);
	void tell(llvm::Instruction *before, llvm::Value *value, llvm::Value *start, unsigned size);
	void compute(llvm::Instruction *before, const access_address &a);
	void address(llvm::IRBuilder<> &before, row_element &e, const access_address &a);
	llvm::Value *payload(llvm::IRBuilder<> &before, unsigned at);
	void put(llvm::IRBuilder<> &before, llvm::Value *value, unsigned at);
	void nop(llvm::IRBuilder<> &before);
};

/* Does a value of this type fit a slot? Then the reader can compute with it. */
bool segment_value_fits_slot(const llvm::DataLayout &layout, llvm::Type *type);
/* Does the reader know the stored value behind the store, and is it that wherever it is used? */
bool segment_defines(const llvm::DataLayout &layout, const llvm::StoreInst &store);

/* Counted for the statistics. */
struct segment_counts {
	unsigned long segments, reads, writes, copies, inexact, addresses_kept, values_kept;
};
extern segment_counts segment_counts;

#endif
