/* Reads the initial contents of global variables from the loadable segments of ELF files. */
#include "monitor/computation/initial_memory.h"

#include "base/mem.h"
#include "trace/symbol.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct initial_memory {
	struct trace_symbols *symbols;
	Dwfl *dwfl;
};

struct initial_memory *initial_memory_open(const struct trace *trace)
{
	struct initial_memory *initial = mem_zalloc(1, sizeof *initial);

	initial->symbols = trace_symbols_open(trace);
	initial->dwfl = trace_symbols_dwfl(initial->symbols);
	return initial;
}

void initial_memory_close(struct initial_memory *initial)
{
	if (!initial)
		return;
	trace_symbols_close(initial->symbols);
	free(initial);
}

/* Does the loader relocate these bytes? Then their contents depend on load addresses. */
static bool is_relocated(Elf *elf, uint64_t low, uint64_t size)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Rela entry;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    !(header.sh_flags & SHF_ALLOC) || !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getrela(data, i, &entry); i++) {
			if (entry.r_offset < low + size && entry.r_offset + 8 > low)
				return true;
		}
	}
	return false;
}

/* Reads the bytes of a loadable segment. Those beyond its file contents are zero. */
static bool read_segments(Elf *elf, uint64_t low, uint64_t size, uint8_t *bytes)
{
	size_t count, file_size;
	const char *file = elf_rawfile(elf, &file_size);

	if (!file || elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    low < segment.p_vaddr || low - segment.p_vaddr > segment.p_memsz ||
		    size > segment.p_memsz - (low - segment.p_vaddr))
			continue;
		for (uint64_t k = 0; k < size; k++) {
			uint64_t at = low - segment.p_vaddr + k;

			bytes[k] = 0;
			if (at < segment.p_filesz && segment.p_offset + at < file_size)
				bytes[k] = (uint8_t)file[segment.p_offset + at];
		}
		return true;
	}
	return false;
}

bool initial_memory_bytes(struct initial_memory *initial, uint64_t address, uint64_t size,
			  uint8_t *bytes)
{
	Dwfl_Module *module = initial->dwfl ? dwfl_addrmodule(initial->dwfl, address) : NULL;
	GElf_Addr bias;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;

	return elf && !is_relocated(elf, address - bias, size) &&
	       read_segments(elf, address - bias, size, bytes);
}
