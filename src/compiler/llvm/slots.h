/*
 * Which values the reader of a trace already knows.
 *
 * A pointer that was recorded once need not be recorded again while it stays the same: the table
 * says "the earlier pointer, plus 8". A slot is a number for such a value, unique in its function.
 * Where a slot is known is a classic forward must-analysis (available expressions). Recording a
 * value makes its slot known. A new definition of the value makes it unknown, and so does every
 * call that may run other instrumented code in this thread. Because of the last rule the reader
 * needs no stack frames: no switch of stacks can come between.
 *
 * Values that change from one iteration of a loop to the next are *followed* (loops.cc). They are
 * recorded once before the loop; then the reader computes them, "the pointer of the previous
 * iteration, plus 8", as the table says at the end of each iteration. A followed value stays known
 * at its definition: its slot holds its value in the current iteration, also before the value is
 * computed there.
 *
 * So far this is the same as compiler/gcc/slots.cc, on LLVM's values. In addition, the address of
 * an array element can be computed (indexed.cc), and what is known decides how the address is
 * recorded.
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

	/*
	 * Returns the slot of a value, which is assigned at the first request; `none` if there are
	 * too many.
	 */
	unsigned of(llvm::Value *value);

	/* ---- analysis: what happens in a block, in program order ---- */
	void note_address(llvm::BasicBlock *block, const access_address &address);
	void note_recorded(llvm::BasicBlock *block, llvm::Value *value);
	void note_stored(llvm::BasicBlock *block,
			 llvm::Value *value); /* recorded unless the reader can compute it */
	void note_forgotten(llvm::BasicBlock *block);

	/*
	 * At the end of `at`, `value` is recorded with its contents there, or with those of
	 * `start`.
	 */
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
	/*
	 * A value that is followed through a loop. If the reader cannot compute its assignment,
	 * `otherwise` is defined instead.
	 */
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
	/*
	 * A value that is recorded before a loop because the loop needs it and does not change it.
	 */
	void define(const definition &d);

	/* Computes what is known where. Drops followed values that the reader could not compute. */
	void solve(llvm::Function &function);

	/*
	 * How the reader learns an address. Afterwards it knows the address's `base` in any case.
	 */
	enum way {
		KNOWN,	       /* it knows it already */
		COMPUTED,      /* it computes it from the array and the index, which it knows */
		ARRAY_FIRST,   /* the same, after the array has been recorded */
		INDEX_FIRST,   /* the same, after the index has been recorded */
		TO_BE_RECORDED /* the whole address */
	};

	/* ---- generation: walks a block in the same order ---- */
	void enter_block(llvm::BasicBlock *block);
	way way_to(const access_address &address) const;
	bool is_known(llvm::Value *value) const;
	void recorded(llvm::Value *value);
	void forgotten();
	/* Finds a known slot and a constant whose sum is the value. */
	bool find(llvm::Value *value, unsigned *slot, int64_t *plus) const;
	/* What has to be defined and assigned at the end of a block, in this order. */
	std::vector<definition> definitions_at(llvm::BasicBlock *block) const;
	std::vector<assignment> assignments_at(llvm::BasicBlock *block) const;

      private:
	typedef std::vector<bool> bits;
	/* An address or another value is recorded. Neither: everything is forgotten. */
	struct note {
		access_address address;
		llvm::Value *value;
		bool unless_found;
	};
	const llvm::DataLayout *layout = nullptr;
	std::map<llvm::Value *, unsigned> numbers;
	std::vector<llvm::Value *> values;
	std::map<llvm::BasicBlock *, std::vector<note>> notes; /* only blocks that have some */
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
