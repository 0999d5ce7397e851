/*
 * Indexes the names of a program: structs, typedefs, variables and functions from DWARF, functions
 * and libraries from the ELF files, probes from the plugin's tables. See program.h.
 */
#include "property/program_index.h"

#include "base/mem.h"
#include "event/point.h"
#include "property/reader.h"
#include "trace/symbol.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

/* ---- opening --------------------------------------------------------------------------------- */

struct program *program_of_trace(const struct trace *trace)
{
	struct program *p = mem_zalloc(1, sizeof *p);

	p->symbols = trace_symbols_open(trace);
	p->dwfl = trace_symbols_dwfl(p->symbols);
	return p;
}

struct program *program_open(const char *path, struct err *err)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct program *p;
	Dwfl_Module *module;
	GElf_Addr bias;

	if (access(path, R_OK) < 0) {
		err_set_system(err, errno, "%s", path);
		return NULL;
	}
	p = mem_zalloc(1, sizeof *p);
	p->own = p->dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(p->dwfl);
	module = dwfl_report_offline(p->dwfl, path, path, -1);
	dwfl_report_end(p->dwfl, NULL, NULL);
	if (!module || !dwfl_module_getelf(module, &bias)) {
		err_set(err, "%s: not a program: %s", path, dwfl_errmsg(-1));
		program_close(p);
		return NULL;
	}
	return p;
}

void program_close(struct program *p)
{
	if (!p)
		return;
	if (p->own)
		dwfl_end(p->own);
	trace_symbols_close(p->symbols);
	intern_free(&p->structs);
	intern_free(&p->typedefs);
	intern_free(&p->variables);
	intern_free(&p->functions);
	intern_free(&p->libraries);
	intern_free(&p->probes);
	vec_free(&p->struct_dies);
	vec_free(&p->typedef_dies);
	vec_free(&p->variable_lists);
	vec_free(&p->variable_dies);
	vec_free(&p->function_infos);
	free(p);
}

/*
 * ---- debugging information --------------------------------------------------------------------
 */

static bool die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formflag(&attribute, &value) &&
	       value;
}

/*
 * Indexes a struct or typedef by its name. If a name has several definitions, the first one counts;
 * normally all are equal.
 */
static void index_type(struct intern *names, struct program_dies *dies, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	bool fresh;

	if (!name || dwarf_hasattr(die, DW_AT_declaration))
		return;
	intern_put(names, name, strlen(name), &fresh);
	if (fresh)
		*vec_push(dies) = *die;
}

static void index_variable(struct program *p, Dwarf_Die *die, Dwarf_Addr bias)
{
	const char *name = dwarf_diename(die);
	struct program_variable *v;
	uint32_t number;
	bool fresh;

	if (!name || !dwarf_hasattr(die, DW_AT_location))
		return;
	number = intern_put(&p->variables, name, strlen(name), &fresh);
	if (fresh)
		*vec_push(&p->variable_lists) = 0;
	v = vec_push(&p->variable_dies);
	*v = (struct program_variable){ *die, bias, p->variable_lists.items[number] };
	p->variable_lists.items[number] = (uint32_t)p->variable_dies.count;
}

/* Returns -1 for a variadic function. */
static int count_parameters(Dwarf_Die *die)
{
	Dwarf_Die child;
	int count = 0;

	if (dwarf_child(die, &child))
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			return -1;
		count += dwarf_tag(&child) == DW_TAG_formal_parameter;
	} while (!dwarf_siblingof(&child, &child));
	return count;
}

static void index_function(struct program *p, const char *name, bool imported, int parameters)
{
	struct program_function_info *info;
	uint32_t number;
	bool fresh;

	if (!name || !*name)
		return;
	number = intern_put(&p->functions, name, strlen(name), &fresh);
	if (fresh)
		*vec_push(&p->function_infos) = (struct program_function_info){ true, -1 };
	info = &p->function_infos.items[number];
	info->imported &= imported;
	if (parameters >= 0)
		info->parameters = parameters;
}

static void index_subprogram(struct program *p, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *linked = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		linked = dwarf_formstring(&attribute);
	index_function(p, linked ? linked : dwarf_diename(die), die_flag(die, DW_AT_declaration),
		       count_parameters(die));
}

static void index_dies(struct program *p, Dwarf_Die *parent, Dwarf_Addr bias, unsigned depth)
{
	Dwarf_Die die;

	if (depth > 16 || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			index_type(&p->structs, &p->struct_dies, &die);
			index_dies(p, &die, bias, depth + 1);
			break;
		case DW_TAG_typedef: index_type(&p->typedefs, &p->typedef_dies, &die); break;
		case DW_TAG_variable: index_variable(p, &die, bias); break;
		case DW_TAG_subprogram: index_subprogram(p, &die); break;
		case DW_TAG_namespace: index_dies(p, &die, bias, depth + 1); break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

/* ---- ELF symbols and sections ---------------------------------------------------------------- */

static void index_symbols(struct program *p, Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Word section;
		const char *name = dwfl_module_getsym(module, i, &symbol, &section);
		int type = GELF_ST_TYPE(symbol.st_info);

		if (name && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE))
			index_function(p, name, symbol.st_shndx == SHN_UNDEF, -1);
	}
}

/*
 * Adds the names of the libraries that a file needs. If the file is a library, adds its own name,
 * too.
 */
static void index_libraries(struct program *p, Elf *elf)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Dyn entry;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getdyn(data, i, &entry); i++) {
			const char *name =
				entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME
					? elf_strptr(elf, header.sh_link, entry.d_un.d_val)
					: NULL;

			if (name)
				intern_put(&p->libraries, name, strlen(name), NULL);
		}
	}
}

static const Elf_Data *find_section(Elf *elf, const char *wanted)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && !strcmp(name, wanted))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

/*
 * Adds the probes from the compiler plugin's tables, because debugging information does not contain
 * them.
 */
static void index_probes(struct program *p, Elf *elf, const char *section)
{
	const Elf_Data *rows = find_section(elf, section);
	const Elf_Data *texts = find_section(elf, "sooth_pstr");
	struct point_row row;

	if (!rows || !texts || !rows->d_buf || !texts->d_buf)
		return;
	for (size_t at = 0; at + sizeof row <= rows->d_size; at += sizeof row) {
		memcpy(&row, (const char *)rows->d_buf + at, sizeof row);
		if (row.kind == POINT_PROBE && row.name < texts->d_size) {
			const char *name = (const char *)texts->d_buf + row.name;

			intern_put(&p->probes, name, strnlen(name, texts->d_size - row.name), NULL);
		}
	}
}

static int index_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
			void *context)
{
	struct program *p = context;
	Dwarf_Die *unit = NULL;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);

	(void)data, (void)start;
	if (elf) {
		index_libraries(p, elf);
		index_probes(p, elf, POINT_SECTION);
		index_probes(p, elf, POINT_SECTION_LOOSE);
	}
	index_symbols(p, module);
	if (strstr(name, "/libsooth.so")) /* sooth's own runtime is not part of the program */
		return DWARF_CB_OK;
	while ((unit = dwfl_module_nextcu(module, unit, &bias))) {
		p->has_types = true;
		index_dies(p, unit, bias, 0);
	}
	return DWARF_CB_OK;
}

void program_index(struct program *p)
{
	if (p->indexed)
		return;
	p->indexed = true;
	if (p->dwfl)
		dwfl_getmodules(p->dwfl, index_module, p, 0);
}

bool program_has_types(struct program *p)
{
	program_index(p);
	return p->has_types;
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool library_fits(const struct program *p, const char *glob)
{
	for (size_t i = 0; i < p->libraries.items.count; i++) {
		if (!fnmatch(glob, p->libraries.items.items[i].text, 0))
			return true;
	}
	return false;
}

/*
 * Is `name` a checking variant such as __printf_chk, and does the plain name, printf, match the
 * glob? With -D_FORTIFY_SOURCE the compiler calls the checking variant.
 */
static bool fortified_fits(const char *glob, const char *name)
{
	size_t length = strlen(name);
	char plain[128];

	if (strncmp(name, "__", 2) || length < 7 || length >= sizeof plain ||
	    strcmp(name + length - 4, "_chk"))
		return false;
	memcpy(plain, name + 2, length - 6);
	plain[length - 6] = 0;
	return !fnmatch(glob, plain, 0);
}

bool program_function(struct program *p, const char *library, const char *glob, int *parameters)
{
	bool found = false;

	program_index(p);
	*parameters = -1;
	if (library && !library_fits(p, library))
		return false;
	for (size_t i = 0; i < p->functions.items.count; i++) {
		const char *name = p->functions.items.items[i].text;
		const struct program_function_info *info = &p->function_infos.items[i];

		if (!points_name_fits(glob, name) && !fortified_fits(glob, name))
			continue;
		if (!found)
			*parameters = info->parameters;
		else if (*parameters != info->parameters)
			*parameters = -1;
		found = true;
	}
	return found;
}

bool program_probe(struct program *p, const char *glob)
{
	program_index(p);
	for (size_t i = 0; i < p->probes.items.count; i++) {
		if (!fnmatch(glob, p->probes.items.items[i].text, 0))
			return true;
	}
	return false;
}

void program_each(struct program *p, enum program_names which,
		  void (*visit)(void *context, const char *name), void *context)
{
	const struct intern *names;

	program_index(p);
	names = which == PROGRAM_GLOBALS     ? &p->variables
		: which == PROGRAM_FUNCTIONS ? &p->functions
		: which == PROGRAM_PROBES    ? &p->probes
					     : &p->structs;
	for (size_t i = 0; i < names->items.count; i++)
		visit(context, names->items.items[i].text);
	for (size_t i = 0; which == PROGRAM_STRUCTS && i < p->typedefs.items.count; i++)
		visit(context, p->typedefs.items.items[i].text);
}
