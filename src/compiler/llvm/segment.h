/*
 * Segments: the code that records a straight-line piece of the program (event/wire.h), and its row.
 *
 *	buffer, p = open	asm: loads the address to write to; stores the row's address at p
 *	*(p + 4) = a		plain stores, one for each value that can differ between executions
 *	NOP			asm: five bytes where the scheduler can stop before the access
 *	v = *a			the access
 *	*(p + 10) = v
 *	buffer->cursor += n	asm: commits the record
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
	/* Does an element with a value of `size` bytes fit into the segment? */
	bool has_room(uint64_t size) const;

	/*
	 * Each of these adds one or two elements, and inserts their instructions around the
	 * instruction of `o`. The first call opens the segment there.
	 */
	void enter(llvm::Instruction *before);
	void exit(llvm::Instruction *before);
	void add_site(const op &o);
	void read(const op &o);
	void write(const op &o);
	/* Adds a memcpy or memmove of a constant size, and replaces the instruction. */
	void copy(const op &o);
	/* Adds a memset of a constant size, either to 0 or of at most eight bytes. */
	void clear(const op &o);

	/*
	 * These add no events; they make a value known to the reader (slots.h). `start` is the
	 * value to record.
	 */
	void define(llvm::Instruction *before, const slots::definition &d, llvm::Value *start);
	void assign(llvm::Instruction *before, const slots::assignment &a);

	/* Commits the segment before the instruction. */
	void close(llvm::Instruction *before);

      private:
	llvm::Function &function;
	slots &known;
	std::vector<row_element> elements;
	llvm::CallInst *opening = nullptr;
	llvm::Value *buffer = nullptr, *cursor = nullptr;
	unsigned bytes = 0;

	row_element &add_element(llvm::Instruction *at, event_kind kind, uint64_t size);
	void open(llvm::Instruction *before);
	void set_slot(llvm::Instruction *before, llvm::Value *value, unsigned slot, int64_t plus);
	void record_pointer(llvm::Instruction *before, llvm::Value *value);
	void record_value(llvm::Instruction *before, llvm::Value *value, llvm::Value *start,
			  unsigned size);
	void compute_address(llvm::Instruction *before, const access_address &a);
	void record_address(llvm::IRBuilder<> &before, row_element &e, const access_address &a);
	llvm::Value *payload_at(llvm::IRBuilder<> &before, unsigned at);
	void store_payload(llvm::IRBuilder<> &before, llvm::Value *value, unsigned at);
	void insert_nop(llvm::IRBuilder<> &before);
};

/*
 * Can the reader compute with values of this type, because they fit into a slot? That holds for
 * integers and pointers of at most 8 bytes.
 */
bool segment_value_fits_slot(const llvm::DataLayout &layout, llvm::Type *type);
/*
 * Does the reader know the stored value after this store? It does if the value fits into a slot and
 * is the same wherever it is used.
 */
bool segment_defines(const llvm::DataLayout &layout, const llvm::StoreInst &store);

/* Counters for -sooth-statistics. */
struct segment_counts {
	unsigned long segments, reads, writes, copies, inexact, addresses_kept, values_kept;
};
extern segment_counts segment_counts;

#endif
