/* The analysis that slots.h describes, on LLVM's values and basic blocks. */
#include "compiler/llvm/slots.h"
#include "event/wire.h"

#include "llvm/ADT/PostOrderIterator.h"

#include <set>

using namespace llvm;

unsigned slots::of(Value *value)
{
	auto found = numbers.find(value);
	if (found != numbers.end())
		return found->second;
	if (values.size() == WIRE_SLOTS)
		return none;
	unsigned slot = (unsigned)values.size();
	numbers.emplace(value, slot);
	values.push_back(value);
	return slot;
}

static bool has(const std::vector<bool> &set_of, unsigned slot)
{
	return slot < set_of.size() && set_of[slot];
}

/* ---- analysis ------------------------------------------------------------------------------- */

void slots::note_address(BasicBlock *at, const access_address &address)
{
	of(address.base);
	if (address.index) {
		of(address.index->recorded);
		if (!address.index->array.is_static)
			of(address.index->array.base);
	}
	notes[at].push_back({ address, nullptr, false });
}

void slots::note_recorded(BasicBlock *at, Value *value)
{
	of(value);
	notes[at].push_back({ access_address(), value, false });
}

void slots::note_stored(BasicBlock *at, Value *value)
{
	of(value);
	notes[at].push_back({ access_address(), value, true });
}

void slots::note_forgotten(BasicBlock *at)
{
	notes[at] = { { access_address(), nullptr, false } };
}

void slots::define(const definition &d)
{
	for (const definition &other : invariants)
		if (other.value == d.value && other.at == d.at)
			return;
	invariants.push_back(d);
}

/* Splits x + constant: returns x, or the value itself. */
static Value *without_constant(const DataLayout *layout, Value *value, int64_t *plus)
{
	*plus = 0;
	if (value->getType()->isPointerTy() && layout) {
		APInt offset(layout->getIndexTypeSizeInBits(value->getType()), 0);
		Value *base = value->stripAndAccumulateConstantOffsets(*layout, offset, true);
		*plus = offset.getSExtValue();
		return base;
	}
	BinaryOperator *sum = dyn_cast<BinaryOperator>(value);
	if (!sum || sum->getOpcode() != Instruction::Add)
		return value;
	ConstantInt *constant = dyn_cast<ConstantInt>(sum->getOperand(1));
	if (!constant || constant->getBitWidth() > 64)
		return value;
	*plus = constant->getSExtValue();
	return sum->getOperand(0);
}

bool slots::find_in(const bits &in, Value *value, unsigned *slot, int64_t *plus) const
{
	auto found = numbers.find(value);
	*plus = 0;
	if (found != numbers.end() && has(in, found->second)) {
		*slot = found->second;
		return true;
	}
	/*
	 * x + constant, where x is known and has the same width. x cannot have been redefined
	 * between the addition and here: its definition dominates the addition, which dominates
	 * this use.
	 */
	found = numbers.find(without_constant(layout, value, plus));
	if (found == numbers.end() || !has(in, found->second))
		return false;
	*slot = found->second;
	return true;
}

bool slots::is_in(const bits &in, Value *value) const
{
	auto found = numbers.find(value);
	return found != numbers.end() && has(in, found->second);
}

/*
 * If the index is known, the six bytes of the array are not more than six of the address, and stay
 * useful longer.
 */
slots::way slots::way_in(const bits &in, const access_address &address) const
{
	const access_index *index = address.index.get();
	unsigned slot;
	int64_t plus;

	if (is_in(in, address.base))
		return KNOWN;
	if (!index || !numbers.count(address.base))
		return TO_BE_RECORDED;
	bool array_known = index->array.is_static || is_in(in, index->array.base);
	if (find_in(in, index->number, &slot, &plus)) {
		if (array_known)
			return COMPUTED;
		return numbers.count(index->array.base) ? ARRAY_FIRST : TO_BE_RECORDED;
	}
	return array_known && index->bytes && numbers.count(index->recorded) ? INDEX_FIRST
									     : TO_BE_RECORDED;
}

void slots::record_in(bits &in, Value *value) const
{
	auto found = numbers.find(value);
	if (found == numbers.end())
		return;
	if (in.size() <= found->second)
		in.resize(found->second + 1);
	in[found->second] = true;
}

void slots::record_in(bits &in, const access_address &address) const
{
	switch (way_in(in, address)) {
	case ARRAY_FIRST: record_in(in, address.index->array.base); break;
	case INDEX_FIRST: record_in(in, address.index->recorded); break;
	default: break;
	}
	record_in(in, address.base);
}

/*
 * Returns what is known on an edge: what is known at the end of its source, except for values that
 * the source assigns. Those are known on the edge to `toward`, and wrong elsewhere.
 */
slots::bits slots::through_edge(BasicBlock *from, BasicBlock *to) const
{
	const bits &at_end = known_out.at(from);
	bits out = at_end;
	unsigned slot;
	int64_t plus;

	for (const followed &f : all_followed)
		if (f.assignment.at == from)
			out[numbers.at(f.value)] =
				f.assignment.toward == to &&
				find_in(at_end, f.assignment.source, &slot, &plus);
	return out;
}

/* Computes what is known at the end of a block from what is known at its start. */
void slots::flow(BasicBlock *at, bits &in) const
{
	auto found = notes.find(at);
	unsigned slot;
	int64_t plus;
	if (found != notes.end())
		for (const note &n : found->second) {
			if (n.value && !(n.unless_found && find_in(in, n.value, &slot, &plus)))
				record_in(in, n.value);
			else if (n.value)
				continue;
			else if (n.address.base)
				record_in(in, n.address);
			else
				in.assign(in.size(), false);
		}
	for (const definition &d : definitions_at(at))
		in[numbers.at(d.value)] = true;
}

/*
 * in(b) = intersection of out(p) over the predecessors p of b, without what b defines; out(b) =
 * in(b) and what b records.
 *
 * What b records depends on what is known, and not monotonically: an index is not recorded where
 * the address is known. So the sets only ever shrink: that terminates, and leaves each in(b) below
 * the intersection, which is all that is needed.
 */
void slots::iterate(Function &function)
{
	unsigned n = (unsigned)values.size();
	std::map<BasicBlock *, std::vector<unsigned>> defined;
	std::set<BasicBlock *> assigns;
	std::set<Value *> exempt;

	for (const followed &f : all_followed) {
		exempt.insert(f.value);
		assigns.insert(f.assignment.at);
	}
	for (unsigned s = 0; s < n; s++)
		if (Instruction *made = dyn_cast<Instruction>(values[s]))
			if (!exempt.count(made))
				defined[made->getParent()].push_back(s);
	for (BasicBlock &b : function) {
		known_in[&b].assign(n, !pred_empty(&b));
		known_out[&b].assign(n, true);
	}
	ReversePostOrderTraversal<Function *> order(&function);
	for (bool changed = true; changed;) {
		changed = false;
		for (BasicBlock *at : order) {
			bits in = known_in[at];
			for (BasicBlock *before : predecessors(at)) {
				const bits &out = assigns.count(before) ? through_edge(before, at)
									: known_out[before];
				for (unsigned s = 0; s < n; s++)
					in[s] = in[s] && out[s];
			}
			for (unsigned s : defined[at])
				in[s] = false;
			known_in[at] = in;
			flow(at, in);
			if (in != known_out[at]) {
				known_out[at] = in;
				changed = true;
			}
		}
	}
}

/*
 * Drops followed values whose next value the reader could not compute. Returns whether there were
 * any.
 */
bool slots::give_up()
{
	std::vector<followed> kept;

	for (const followed &f : all_followed) {
		const assignment &a = f.assignment;
		unsigned slot = none;
		int64_t plus;
		bool good = find_in(known_out.at(a.at), a.source, &slot, &plus);
		/*
		 * Assignments are executed one after the other: none may use a slot that an earlier
		 * one changed.
		 */
		for (const followed &other : kept)
			if (other.assignment.at == a.at && numbers.at(other.value) == slot)
				good = false;
		if (good)
			kept.push_back(f);
		else if (numbers.count(f.otherwise.value))
			define(f.otherwise);
	}
	bool any = kept.size() != all_followed.size();
	all_followed = kept;
	return any;
}

/* Every value that may become known must have its number before sets of a fixed size are made. */
void slots::number_all()
{
	std::vector<followed> kept;
	std::vector<definition> defined;

	for (const followed &f : all_followed)
		if (of(f.value) != none)
			kept.push_back(f);
	for (const definition &d : invariants)
		if (of(d.value) != none)
			defined.push_back(d);
	all_followed = kept;
	invariants = defined;
}

void slots::solve(Function &function)
{
	layout = &function.getParent()->getDataLayout();
	number_all();
	do
		iterate(function);
	while (give_up());
}

/* ---- generation ----------------------------------------------------------------------------- */

void slots::enter_block(BasicBlock *at)
{
	known = known_in[at];
}

bool slots::is_known(Value *value) const
{
	return is_in(known, value);
}

void slots::recorded(Value *value)
{
	record_in(known, value);
}

void slots::forgotten()
{
	known.clear();
}

bool slots::find(Value *value, unsigned *slot, int64_t *plus) const
{
	return find_in(known, value, slot, plus);
}

slots::way slots::way_to(const access_address &address) const
{
	return way_in(known, address);
}

std::vector<slots::definition> slots::definitions_at(BasicBlock *at) const
{
	std::vector<definition> found;
	for (const definition &d : invariants)
		if (d.at == at)
			found.push_back(d);
	for (const followed &f : all_followed)
		if (f.definition.at == at)
			found.push_back(f.definition);
	return found;
}

std::vector<slots::assignment> slots::assignments_at(BasicBlock *at) const
{
	std::vector<assignment> found;
	for (const followed &f : all_followed)
		if (f.assignment.at == at)
			found.push_back(f.assignment);
	return found;
}
