/* Searches the undefined symbols of all loaded modules: see imports.h. */
#include "runtime/host/imports.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct import_table {
	const Elf64_Sym *symbols;
	const char *names;
	uint32_t count; /* number of undefined symbols, including the empty first one */
};

/*
 * Finds the undefined symbols of a module. They come first in the symbol table; the hash table
 * covers only the symbols after them, and its second word is the index of the first symbol that it
 * covers. Linkers on x86-64 have written this table for years; a module without it is taken to
 * import nothing.
 */
static struct import_table find_table(const struct dl_phdr_info *info)
{
	struct import_table import_table = { 0 };
	const Elf64_Dyn *d = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		/*
		 * The loader has relocated these addresses, except in its own module and in the
		 * vDSO.
		 */
		uintptr_t at = d->d_un.d_ptr;
		if (at < info->dlpi_addr)
			at += info->dlpi_addr;
		switch (d->d_tag) {
		case DT_SYMTAB: import_table.symbols = (const Elf64_Sym *)at; break;
		case DT_STRTAB: import_table.names = (const char *)at; break;
		case DT_GNU_HASH: import_table.count = ((const uint32_t *)at)[1]; break;
		}
	}
	return import_table;
}

struct imports_search {
	const char *name;
	bool found;
};

bool imports_is_imported_by(const struct dl_phdr_info *info, const char *name)
{
	struct import_table import_table = find_table(info);

	if (!import_table.symbols || !import_table.names)
		return false;
	for (uint32_t i = 1; i < import_table.count; i++)
		if (!import_table.symbols[i].st_shndx &&
		    !strcmp(import_table.names + import_table.symbols[i].st_name, name))
			return true;
	return false;
}

static int find_in_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct imports_search *search = data;

	(void)size;
	search->found = imports_is_imported_by(info, search->name);
	return search->found;
}

bool imports_name(const char *name)
{
	struct imports_search search = { .name = name };

	dl_iterate_phdr(find_in_module, &search);
	return search.found;
}
