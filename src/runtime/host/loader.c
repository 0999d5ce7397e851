/* Finds the dynamic loader in memory: see loader.h. */
#include "runtime/host/loader.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

static uintptr_t base, size;

/* The kernel passes the address of the loader; its program headers give its size. */
__attribute__((constructor(101))) static void find_loader(void)
{
	uintptr_t at = getauxval(AT_BASE);
	if (!at)
		return;
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)at;
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)(at + head->e_phoff);
	uintptr_t end = 0;

	for (int i = 0; i < head->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > end)
			end = ph[i].p_vaddr + ph[i].p_memsz;
	base = at;
	size = end;
}

bool loader_contains(uintptr_t pc)
{
	return pc - base < size;
}
