/*
 * Finds members and variables in the debugging information: addresses, offsets, and how to
 * interpret the bytes of their values.
 */
#include "property/program_index.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

static Dwarf_Die *find_die(const struct intern *names, struct program_dies *dies, const char *name)
{
	for (size_t i = 0; i < names->items.count; i++) {
		if (!strcmp(names->items.items[i].text, name))
			return &dies->items[i];
	}
	return NULL;
}

/* The type of a DIE without qualifiers and typedefs. */
static bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type) && !dwarf_peel_type(type, type);
}

static bool is_struct(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Returns the name that sites use for a struct without a tag: the first typedef of the struct. */
static const char *first_typedef(struct program *p, Dwarf_Die *type, const char *name)
{
	Dwarf_Die other;

	for (size_t i = 0; i < p->typedef_dies.count; i++) {
		if (die_type(&p->typedef_dies.items[i], &other) && other.addr == type->addr)
			return p->typedefs.items.items[i].text;
	}
	return name;
}

/*
 * Finds the struct with this tag or typedef. Sets `tag` to the name that sites use for it. Follows
 * a declaration to the definition.
 */
static bool find_struct(struct program *p, const char *name, Dwarf_Die *type, const char **tag)
{
	Dwarf_Die *die, *named;

	program_index(p);
	die = find_die(&p->structs, &p->struct_dies, name);
	if (die) {
		*type = *die;
		*tag = name;
		return true;
	}
	named = find_die(&p->typedefs, &p->typedef_dies, name);
	if (!named || !die_type(named, type) || !is_struct(type))
		return false;
	*tag = dwarf_diename(type);
	if (*tag && dwarf_hasattr(type, DW_AT_declaration)) {
		die = find_die(&p->structs, &p->struct_dies, *tag);
		if (die)
			*type = *die;
	}
	if (!*tag)
		*tag = first_typedef(p, type, name);
	return true;
}

const char *program_tag(struct program *p, const char *name)
{
	const char *tag;
	Dwarf_Die type;

	return find_struct(p, name, &type, &tag) ? tag : NULL;
}

/* ---- members --------------------------------------------------------------------------------- */

static uint64_t member_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	if (dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
		dwarf_formudata(&attribute, &value);
	else if (dwarf_attr_integrate(member, DW_AT_data_bit_offset, &attribute) &&
		 !dwarf_formudata(&attribute, &value))
		value /= 8;
	return value;
}

static bool is_bitfield(Dwarf_Die *member)
{
	return dwarf_hasattr_integrate(member, DW_AT_bit_size);
}

/*
 * Finds a member, also inside unnamed members and base classes. Adds the member's offset to
 * `offset`.
 */
static bool find_member(Dwarf_Die *type, const char *name, size_t length, Dwarf_Die *member,
			uint64_t *offset, unsigned depth)
{
	Dwarf_Die child, inner;

	if (depth > 32 || dwarf_child(type, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		const char *own = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (own && strlen(own) == length && !memcmp(own, name, length)) {
			*offset += member_offset(&child);
			*member = child;
			return true;
		}
		if (!own && die_type(&child, &inner) && is_struct(&inner)) {
			uint64_t at = *offset + member_offset(&child);

			if (find_member(&inner, name, length, member, &at, depth + 1)) {
				*offset = at;
				return true;
			}
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static void each_member(Dwarf_Die *type, void (*visit)(void *context, const char *name),
			void *context, unsigned depth)
{
	Dwarf_Die child, inner;

	if (depth > 32 || dwarf_child(type, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		const char *own = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;

		if (own)
			visit(context, own);
		else if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
			 die_type(&child, &inner) && is_struct(&inner))
			each_member(&inner, visit, context, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

void program_each_member(struct program *p, const char *name,
			 void (*visit)(void *context, const char *name), void *context)
{
	const char *tag;
	Dwarf_Die type;

	if (find_struct(p, name, &type, &tag))
		each_member(&type, visit, context, 0);
}

/* ---- sizes and types ------------------------------------------------------------------------- */

static void set_part_type(Dwarf_Die *type, struct program_part *part)
{
	Dwarf_Attribute attribute;
	Dwarf_Word size, encoding = 0;

	part->size = dwarf_aggregate_size(type, &size) ? 0 : size;
	part->form = RAW_VALUE_SIGNED;
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		if (dwarf_attr_integrate(type, DW_AT_encoding, &attribute))
			dwarf_formudata(&attribute, &encoding);
		part->type = encoding == DW_ATE_float ? SPEC_FLOATING : SPEC_INT;
		if (encoding == DW_ATE_float)
			part->form = RAW_VALUE_FLOATING;
		else if (encoding != DW_ATE_signed && encoding != DW_ATE_signed_char)
			part->form = RAW_VALUE_UNSIGNED;
		break;
	case DW_TAG_enumeration_type: part->type = SPEC_INT; break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
		part->type = SPEC_POINTER;
		part->form = RAW_VALUE_UNSIGNED;
		break;
	default: part->type = SPEC_ADDR;
	}
}

/* Moves from the array to the element that "[3]" names, and advances `path` past the bracket. */
static bool step_into_element(Dwarf_Die *type, const char **path, uint64_t *offset)
{
	char *end;
	unsigned long long index = strtoull(*path + 1, &end, 0);
	Dwarf_Word size;
	Dwarf_Die element;

	if (end == *path + 1 || *end != ']' || dwarf_tag(type) != DW_TAG_array_type ||
	    !die_type(type, &element) || dwarf_aggregate_size(&element, &size))
		return false;
	*offset += index * size;
	*type = element;
	*path = end + 1;
	return true;
}

/* Follows a path, such as "limits.most" or "[3].x", starting from the type `*type`. */
static bool follow_path(Dwarf_Die *type, const char *path, uint64_t *offset, bool *bits)
{
	while (*path) {
		size_t length;
		Dwarf_Die member;

		if (*path == '[') {
			if (!step_into_element(type, &path, offset))
				return false;
			continue;
		}
		path += *path == '.';
		length = strcspn(path, ".[-");
		if (!length || !is_struct(type) ||
		    !find_member(type, path, length, &member, offset, 0) ||
		    !die_type(&member, type))
			return false;
		*bits = is_bitfield(&member);
		path += length;
	}
	return true;
}

bool program_member(struct program *p, const char *name, const char *path,
		    struct program_part *part)
{
	const char *tag;
	Dwarf_Die type;

	*part = (struct program_part){ 0 };
	if (!find_struct(p, name, &type, &tag) ||
	    !follow_path(&type, path, &part->offset, &part->bits))
		return false;
	set_part_type(&type, part);
	return true;
}

/*
 * Finds a base class, and adds its offset to `offset`. Skips virtual base classes, which have no
 * fixed offset.
 */
static bool find_base(Dwarf_Die *type, const char *base, uint64_t *offset, unsigned depth)
{
	Dwarf_Die child, inner;
	Dwarf_Attribute attribute;

	if (depth > 32 || dwarf_child(type, &child))
		return false;
	do {
		uint64_t at = *offset;
		const char *name;

		if (dwarf_tag(&child) != DW_TAG_inheritance || !die_type(&child, &inner) ||
		    dwarf_attr(&child, DW_AT_virtuality, &attribute))
			continue;
		at += member_offset(&child);
		name = dwarf_diename(&inner);
		if ((name && !strcmp(name, base)) || find_base(&inner, base, &at, depth + 1)) {
			*offset = at;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool program_base(struct program *p, const char *name, const char *base, uint64_t *offset)
{
	const char *tag;
	Dwarf_Die type;

	*offset = 0;
	return find_struct(p, name, &type, &tag) && find_base(&type, base, offset, 0);
}

/* ---- variables ------------------------------------------------------------------------------- */

static bool variable_address(struct program_variable *v, uint64_t *address)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *list;
	size_t count;

	if (!dwarf_attr_integrate(&v->die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &list, &count) || count != 1 ||
	    list[0].atom != DW_OP_addr)
		return false;
	*address = list[0].number + v->bias;
	return true;
}

struct program_types_search {
	const char *name;
	struct program_parts *parts;
};

/* Searches a module's symbol table for a variable. Used without debugging information. */
static int search_module(Dwfl_Module *module, void **data, const char *file, Dwarf_Addr start,
			 void *context)
{
	struct program_types_search *search = context;
	int count = dwfl_module_getsymtab(module);

	(void)data, (void)file, (void)start;
	for (int i = 1; i < count; i++) {
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);

		if (name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
		    symbol.st_shndx != SHN_UNDEF && !strcmp(name, search->name))
			*vec_push(&search->parts->list) = (struct program_part){
				.address = address, .size = symbol.st_size, .type = SPEC_INT
			};
	}
	return DWARF_CB_OK;
}

void program_globals(struct program *p, const char *name, const char *path,
		     struct program_parts *parts)
{
	uint32_t next = 0;

	program_index(p);
	for (size_t i = 0; i < p->variables.items.count && !next; i++) {
		if (!strcmp(p->variables.items.items[i].text, name))
			next = p->variable_lists.items[i];
	}
	for (; next; next = p->variable_dies.items[next - 1].next) {
		struct program_variable *v = &p->variable_dies.items[next - 1];
		struct program_part part = { 0 };
		Dwarf_Die type;

		if (!variable_address(v, &part.address) || !die_type(&v->die, &type) ||
		    (path && !follow_path(&type, path, &part.offset, &part.bits)))
			continue;
		set_part_type(&type, &part);
		part.address += part.offset;
		part.external = dwarf_hasattr_integrate(&v->die, DW_AT_external);
		*vec_push(&parts->list) = part;
	}
	if (!parts->list.count && !path && p->dwfl)
		dwfl_getmodules(p->dwfl, search_module,
				&(struct program_types_search){ name, parts }, 0);
}
