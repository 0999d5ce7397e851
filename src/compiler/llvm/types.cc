/* Follows the types of debug information to name the part of an object that is accessed. */
#include "compiler/llvm/types.h"

#include "llvm/BinaryFormat/Dwarf.h"

#include <map>

using namespace llvm;

/* ---- names ----------------------------------------------------------------------------------- */

/* Removes template arguments. */
static std::string without_template_arguments(StringRef name)
{
	return name.substr(0, name.find('<')).str();
}

std::string types_name(const DIType *type)
{
	std::string name = type ? without_template_arguments(type->getName()) : "";
	return name.empty() ? "<anonymous>" : name;
}

std::string types_function_name(const DISubprogram *function)
{
	std::string name = function->getName().str();

	for (const DIScope *scope = function->getScope(); scope; scope = scope->getScope()) {
		if (!isa<DIType>(scope) && !isa<DINamespace>(scope))
			continue;
		StringRef outer = scope->getName();
		name = (outer.empty() ? "{anonymous}" : outer.str()) + "::" + name;
	}
	return name;
}

DIType *types_find(const Module &module, StringRef name)
{
	static const Module *listed_of;
	static std::map<std::string, DIType *> listed;

	if (listed_of != &module) {
		DebugInfoFinder all;
		all.processModule(module);
		listed.clear();
		for (DIType *type : all.types())
			if (isa<DICompositeType>(type) && !type->isForwardDecl() &&
			    !type->getName().empty())
				listed.emplace(type->getName().str(), type);
		for (DIType *type : all.types())
			if (DICompositeType *composite = dyn_cast<DICompositeType>(type))
				if (!composite->getIdentifier().empty())
					listed.emplace(composite->getIdentifier().str(), type);
		listed_of = &module;
	}
	size_t dot = name.find('.');
	name = name.substr(dot == StringRef::npos ? 0 : dot + 1);
	size_t colon = name.rfind("::");
	name = name.substr(colon == StringRef::npos ? 0 : colon + 2);
	/* "table.12" is one of several types with the name "table" */
	name = name.substr(0, name.find('.'));
	auto found = listed.find(name.str());
	return found == listed.end() ? nullptr : found->second;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_alias(const DIDerivedType *type)
{
	switch (type->getTag()) {
	case dwarf::DW_TAG_typedef:
	case dwarf::DW_TAG_const_type:
	case dwarf::DW_TAG_volatile_type:
	case dwarf::DW_TAG_restrict_type:
	case dwarf::DW_TAG_atomic_type: return true;
	default: return false;
	}
}

static DIType *without_aliases(DIType *type)
{
	while (DIDerivedType *derived = dyn_cast_or_null<DIDerivedType>(type)) {
		if (!is_alias(derived))
			break;
		type = derived->getBaseType();
	}
	return type;
}

DIType *types_pointee(DIType *type)
{
	DIDerivedType *pointer = dyn_cast_or_null<DIDerivedType>(without_aliases(type));
	if (!pointer)
		return nullptr;
	switch (pointer->getTag()) {
	case dwarf::DW_TAG_pointer_type:
	case dwarf::DW_TAG_reference_type:
	case dwarf::DW_TAG_rvalue_reference_type: return pointer->getBaseType();
	default: return nullptr;
	}
}

static uint64_t size_in_bytes(DIType *type)
{
	type = without_aliases(type);
	return type ? type->getSizeInBits() / 8 : 0;
}

/* ---- paths ----------------------------------------------------------------------------------- */

void types_path::wrap()
{
	int64_t one = (int64_t)size_in_bytes(at);

	if (one > 0)
		offset = (offset % one + one) % one;
}

/* Skips typedefs and qualifiers, except a type with the name `wanted`. */
void types_path::strip()
{
	alias.clear();
	while (DIDerivedType *derived = dyn_cast_or_null<DIDerivedType>(at)) {
		if (!is_alias(derived) || (!wanted.empty() && derived->getName() == wanted))
			break;
		if (derived->getTag() == dwarf::DW_TAG_typedef)
			alias = derived->getName().str();
		at = derived->getBaseType();
	}
}

bool types_path::is_end(const DICompositeType *composite) const
{
	return is_whole && offset == 0 && composite->getSizeInBits() / 8 <= size;
}

bool types_path::into_array(DICompositeType *array)
{
	int64_t one = (int64_t)size_in_bytes(array->getBaseType());

	if (array->isVector() || one <= 0 || offset < 0)
		return false;
	offset %= one;
	text += "[]";
	in_element = true;
	at = array->getBaseType();
	return true;
}

/*
 * Returns the member at `offset`. For a union, returns the first member that is as large as the
 * access; if there is none, the first that contains it.
 */
DIDerivedType *types_path::member_at(DICompositeType *composite) const
{
	DIDerivedType *best = nullptr;
	uint64_t bit = (uint64_t)offset * 8, end = bit + 8 * size;

	for (DINode *node : composite->getElements()) {
		DIDerivedType *member = dyn_cast_or_null<DIDerivedType>(node);
		if (!member || member->isStaticMember() ||
		    (member->getTag() != dwarf::DW_TAG_member &&
		     member->getTag() != dwarf::DW_TAG_inheritance))
			continue;
		uint64_t start = member->getOffsetInBits();
		uint64_t bits = member->getSizeInBits() ? member->getSizeInBits()
							: 8 * size_in_bytes(member->getBaseType());
		/* a bit-field is accessed by the bytes that contain it */
		bool holds = member->isBitField() ? start < end && start + bits > bit
						  : start <= bit && bit < start + bits;
		if (!holds)
			continue;
		if (!best || (composite->getTag() == dwarf::DW_TAG_union_type && bits == 8 * size &&
			      best->getSizeInBits() != bits))
			best = member;
	}
	return best;
}

void types_path::add_field(const DICompositeType *composite, const DIDerivedType *member)
{
	std::string name = member->getName().str();
	uint64_t start = member->getOffsetInBits() / 8;

	if (field_path.empty() || in_element) {
		field_path = composite->getName().empty() && !alias.empty() ? alias
									    : types_name(composite);
		field_offset = 0;
	}
	in_element = false;
	field_offset += start;
	field_path += "." + name;
	text += "." + name;
}

bool types_path::into_member(DICompositeType *composite)
{
	DIDerivedType *member = offset < 0 ? nullptr : member_at(composite);

	if (!member)
		return false;
	/* As in the gcc plugin, base classes and anonymous structs are fields without a name. */
	add_field(composite, member);
	if (member->isBitField()) {
		is_bit_field = true;
		at = member->getBaseType();
		return false;
	}
	offset -= (int64_t)(member->getOffsetInBits() / 8);
	at = member->getBaseType();
	return true;
}

void types_path::walk()
{
	for (unsigned depth = 0; at && depth < 32; depth++) {
		strip();
		DICompositeType *composite = dyn_cast_or_null<DICompositeType>(at);
		if (!composite || is_end(composite))
			return;
		bool down;
		switch (composite->getTag()) {
		case dwarf::DW_TAG_array_type: down = into_array(composite); break;
		case dwarf::DW_TAG_structure_type:
		case dwarf::DW_TAG_class_type:
		case dwarf::DW_TAG_union_type: down = into_member(composite); break;
		default: return;
		}
		if (!down)
			return;
	}
}
