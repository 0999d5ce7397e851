#include "runtime/host/imports.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct table {
	const Elf64_Sym *symbols;
	const char *names;
	uint32_t count; /* of symbols that are not defined here, the empty first one included */
};

/*
 * The hash table of a module begins behind those symbols: its second word says where. Linkers on
 * x86-64 have written it for years; without one nothing is known of the module.
 */
static struct table find_table(const struct dl_phdr_info *info)
{
	struct table table = { 0 };
	const Elf64_Dyn *d = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		/* The loader has made addresses of them, but for its own and the kernel's module. */
		uintptr_t at = d->d_un.d_ptr;
		if (at < info->dlpi_addr)
			at += info->dlpi_addr;
		switch (d->d_tag) {
		case DT_SYMTAB: table.symbols = (const Elf64_Sym *)at; break;
		case DT_STRTAB: table.names = (const char *)at; break;
		case DT_GNU_HASH: table.count = ((const uint32_t *)at)[1]; break;
		}
	}
	return table;
}

struct imports_search {
	const char *name;
	bool found;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct imports_search *search = data;
	struct table table = find_table(info);

	(void)size;
	if (!table.symbols || !table.names)
		return 0;
	for (uint32_t i = 1; i < table.count; i++)
		if (!table.symbols[i].st_shndx &&
		    !strcmp(table.names + table.symbols[i].st_name, search->name)) {
			search->found = true;
			return 1;
		}
	return 0;
}

bool imports_name(const char *name)
{
	struct imports_search search = { .name = name };

	dl_iterate_phdr(look_at, &search);
	return search.found;
}
