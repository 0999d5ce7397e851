/*
 * Which values the reader of a trace knows already.
 *
 * A pointer that was recorded once need not be recorded again while it stays the same: the
 * table says "the pointer of before, plus 8". A slot is a number for such a value, unique in its
 * function. Where a slot is known is a classic forward must-analysis (available expressions):
 * recording makes it known, the value's new definition and every call that may run other
 * instrumented code of this thread make it unknown. By the last rule the reader needs no frames:
 * nothing that switches stacks can come between.
 *
 * Values that change from one round of a loop to the next are followed (loops.cc): recorded once
 * before the loop, and then computed by the reader, "the pointer of the round before, plus 8", as
 * the table says at the end of each round. Such a value is not forgotten at its definition: its
 * slot holds what it is (or is going to be) in the current round.
 *
 * So much is the same as compiler/gcc/slots.cc, on the other compiler's values. In addition an address that is an
 * array's element can be computed (indexed.cc), and what is known decides how it is told.
 */
#ifndef COMPILER_LLVM_SLOTS_H
#define COMPILER_LLVM_SLOTS_H

#include "compiler/llvm/access.h"

#include <map>
#include <vector>

class slots
{
      public:
	static const unsigned none = 0xffff;

	/* The slot of a value, made on first sight; `none` when there are too many. */
	unsigned of(llvm::Value *value);

	/* ---- analysis: what happens in a block, in order ---- */
	void note_address(llvm::BasicBlock *block, const access_address &address);
	void note_recorded(llvm::BasicBlock *block, llvm::Value *value);
	void note_stored(llvm::BasicBlock *block,
			 llvm::Value *value); /* recorded if it cannot be found */
	void note_forgotten(llvm::BasicBlock *block);

	/* At the end of `at`, `value` is recorded as what it is there, or what `start` is. */
	struct definition {
		llvm::Value *value;
		const llvm::SCEV *start; /* NULL: the value itself, or `other` */
		llvm::Value *other;
		llvm::BasicBlock *at;
	};
	/* At the end of `at`, on the way to `toward`, `value` becomes `source` + `plus`. */
	struct assignment {
		llvm::Value *value, *source;
		int64_t plus;
		llvm::BasicBlock *at, *toward;
	};
	/* A value followed through a loop. If its assignment turns out not to be computable, `otherwise` is defined. */
	struct followed {
		llvm::Value *value;
		struct definition definition;
		struct assignment assignment;
		struct definition otherwise; /* no value: nothing */
	};
	void follow(const followed &f)
	{
		all_followed.push_back(f);
	}
	/* A value recorded before a loop because the loop needs it and does not change it. */
	void define(const definition &d);

	/* Finds out what is known where; gives up on followed values that cannot be computed. */
	void solve(llvm::Function &function);

	/* How the reader gets to know an address. `base` of the address is known behind it in any case. */
	enum way {
		KNOWN,	       /* it does */
		COMPUTED,      /* from the array and the index, of which it knows */
		ARRAY_FIRST,   /* likewise, when the array has been recorded */
		INDEX_FIRST,   /* likewise, when the index has been recorded */
		TO_BE_RECORDED /* all of it */
	};

	/* ---- generation: walking a block in the same order ---- */
	void enter_block(llvm::BasicBlock *block);
	way way_to(const access_address &address) const;
	bool is_known(llvm::Value *value) const;
	void recorded(llvm::Value *value);
	void forgotten();
	/* A known slot and a constant that make up the value. */
	bool find(llvm::Value *value, unsigned *slot, int64_t *plus) const;
	/* What is to be defined and assigned at the end of a block, in this order. */
	std::vector<definition> definitions_at(llvm::BasicBlock *block) const;
	std::vector<assignment> assignments_at(llvm::BasicBlock *block) const;

      private:
	typedef std::vector<bool> bits;
	/* Something is recorded, an address or another value; or (neither) all is forgotten. */
	struct note {
		access_address address;
		llvm::Value *value;
		bool unless_found;
	};
	const llvm::DataLayout *layout = nullptr;
	std::map<llvm::Value *, unsigned> numbers;
	std::vector<llvm::Value *> values;
	std::map<llvm::BasicBlock *, std::vector<note>> notes; /* only of blocks that have some */
	std::vector<followed> all_followed;
	std::vector<definition> invariants;
	std::map<llvm::BasicBlock *, bits> known_in, known_out;
	bits known;

	void number_all();
	void iterate(llvm::Function &function);
	void flow(llvm::BasicBlock *block, bits &set) const;
	bool give_up();
	bool find_in(const bits &set, llvm::Value *value, unsigned *slot, int64_t *plus) const;
	bool is_in(const bits &set, llvm::Value *value) const;
	way way_in(const bits &set, const access_address &address) const;
	void record_in(bits &set, const access_address &address) const;
	void record_in(bits &set, llvm::Value *value) const;
	bits through_edge(llvm::BasicBlock *from, llvm::BasicBlock *to) const;
};

#endif
