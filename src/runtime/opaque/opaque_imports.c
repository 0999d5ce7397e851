/*
 * Notices direct calls of opaque functions. An instrumented module calls functions of other objects
 * through words of its global offset table (relocations R_X86_64_JUMP_SLOT). When the module has
 * been loaded, the words of opaque functions are made to point at stubs (opaque_stub.S).
 *
 * Most words are bound at the first call only, by the loader, which then writes to the word. Those
 * of opaque functions are bound here, by the same search: the global scope, then that of the
 * module. Words of other functions are left alone.
 *
 * A function whose address the module takes, too, is called through a word that also gives this
 * address (R_X86_64_GLOB_DAT). That one cannot be changed: libraries compare the addresses of
 * functions.
 */
#include "runtime/opaque/opaque.h"

#include "runtime/opaque/opaque_entries.h"
#include "runtime/opaque/opaque_objects.h"
#include "runtime/host/caller_instrumented.h"
#include "runtime/host/imports.h"
#include "runtime/host/module.h"
#include "runtime/host/libc_next.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

void opaque_stub(void) __attribute__((visibility("hidden")));

bool opaque_wanted;

void opaque_start(bool wanted)
{
	opaque_wanted = wanted;
}

/* ---- what the loader knows of a module ------------------------------------------------------- */

struct import_work {
	struct module *module;
	const Elf64_Rela *relocations; /* of functions */
	size_t relocation_count;
	const Elf64_Sym *symbols;
	const char *names;
	const uint16_t *versions; /* of symbols; NULL: none */
	const Elf64_Verneed *needed;
	uintptr_t relro, relro_end; /* is not writable after relocation */
	void *scope;		    /* handle of the module */
	uint8_t *code;		    /* where the next stub goes */
};

static void read_dynamic(struct import_work *w, const Elf64_Dyn *d, uintptr_t shift)
{
	for (; d->d_tag != DT_NULL; d++) {
		uintptr_t at = d->d_un.d_ptr; /* the loader has relocated it */
		if (at < shift)
			at += shift;
		switch (d->d_tag) {
		case DT_JMPREL: w->relocations = (const Elf64_Rela *)at; break;
		case DT_PLTRELSZ:
			w->relocation_count = d->d_un.d_val / sizeof(*w->relocations);
			break;
		case DT_SYMTAB: w->symbols = (const Elf64_Sym *)at; break;
		case DT_STRTAB: w->names = (const char *)at; break;
		case DT_VERSYM: w->versions = (const uint16_t *)at; break;
		case DT_VERNEED: w->needed = (const Elf64_Verneed *)at; break;
		}
	}
}

static int read_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct import_work *w = data;

	(void)size;
	if (info->dlpi_addr != w->module->shift)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_DYNAMIC) {
			read_dynamic(w, (const Elf64_Dyn *)from, info->dlpi_addr);
		} else if (segment->p_type == PT_GNU_RELRO) {
			w->relro = from & ~4095ul;
			w->relro_end = (from + segment->p_memsz) & ~4095ul;
		}
	}
	return 1;
}

/* The name of the version that a symbol was linked with; NULL: none. */
static const char *version_of(const struct import_work *w, size_t symbol)
{
	const Elf64_Verneed *file = w->needed;
	unsigned wanted = w->versions ? w->versions[symbol] & 0x7fff : 0;

	while (file && wanted > 1) {
		const Elf64_Vernaux *v = (const Elf64_Vernaux *)((const char *)file + file->vn_aux);
		for (unsigned i = 0; i < file->vn_cnt; i++) {
			if ((v->vna_other & 0x7fff) == wanted)
				return w->names + v->vna_name;
			v = (const Elf64_Vernaux *)((const char *)v + v->vna_next);
		}
		file = file->vn_next ? (const Elf64_Verneed *)((const char *)file + file->vn_next)
				     : NULL;
	}
	return NULL;
}

/* ---- which function a word leads to ---------------------------------------------------------- */

static void *search(void *scope, const char *name, const char *version)
{
	return version ? dlvsym(scope, name, version) : dlsym(scope, name);
}

/* Returns 0 if the function does not exist. */
static uintptr_t find_function(struct import_work *w, size_t symbol)
{
	const char *name = w->names + w->symbols[symbol].st_name, *version = version_of(w, symbol);
	void *at = search(RTLD_DEFAULT, name, version);

	if (!at && !w->scope)
		w->scope = real()->dlopen(w->module->path, RTLD_LAZY | RTLD_NOLOAD);
	if (!at && w->scope)
		at = search(w->scope, name, version);
	return (uintptr_t)at;
}

/* Returns the opaque function that a relocation binds, or 0 if it binds another one. */
static uintptr_t opaque_function(struct import_work *w, const Elf64_Rela *relocation)
{
	size_t symbol = ELF64_R_SYM(relocation->r_info);
	const char *name = w->names + w->symbols[symbol].st_name;
	uintptr_t at = *(const uintptr_t *)(w->module->shift + relocation->r_offset);
	bool keeps_state = opaque_objects_keeps_state(name);

	if (ELF64_R_TYPE(relocation->r_info) != R_X86_64_JUMP_SLOT || !symbol ||
	    (!keeps_state && (!opaque_any || opaque_objects_is_harmless(name))))
		return 0;
	if (at - w->module->base < w->module->end - w->module->base) /* not bound yet */
		at = find_function(w, symbol);
	if (!at || (!keeps_state && !opaque_contains(at)))
		return 0;
	return caller_instrumented_is_own(at) ||
			       at - w->module->base < w->module->end - w->module->base
		       ? 0
		       : at;
}

/* ---- stubs ----------------------------------------------------------------------------------- */

#define STUB_BYTES 16u

static uint8_t *put_bytes(uint8_t *to, const void *bytes, size_t count)
{
	memcpy(to, bytes, count);
	return to + count;
}

/* Writes a stub. The area begins with the address of opaque_stub. */
static uintptr_t put_stub(struct import_work *w, uintptr_t function)
{
	static const uint8_t load[] = { 0x49, 0xbb }, jump[] = { 0xff, 0x25 };
	uintptr_t stub = (uintptr_t)w->code;

	w->code = put_bytes(w->code, load, sizeof(load));
	w->code = put_bytes(w->code, &function, sizeof(function));
	w->code = put_bytes(w->code, jump, sizeof(jump));
	int32_t distance = (int32_t)((uintptr_t)w->module->stubs - (uintptr_t)w->code - 4);
	w->code = put_bytes(w->code, &distance, sizeof(distance));
	return stub;
}

/* Makes the words that are constant after relocation writable, or constant again. */
static bool protect_relro(const struct import_work *w, int access)
{
	return w->relro >= w->relro_end ||
	       mprotect((void *)w->relro, w->relro_end - w->relro, access) == 0;
}

/* Returns false if the area cannot be executed: then no word may lead there. */
static bool write_stubs(struct import_work *w, uintptr_t *functions, size_t count)
{
	size_t bytes = (STUB_BYTES * (count + 1) + 4095) & ~4095ul;
	uintptr_t common = (uintptr_t)opaque_stub;
	void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return false;
	w->module->stubs = area;
	w->module->stub_bytes = bytes;
	memcpy(area, &common, sizeof(common));
	w->code = (uint8_t *)area + STUB_BYTES;
	for (size_t i = 0; i < w->relocation_count; i++)
		if (functions[i])
			functions[i] = put_stub(w, functions[i]);
	return mprotect(area, bytes, PROT_READ | PROT_EXEC) == 0;
}

/* Replaces each function by its stub. */
static void write_words(const struct import_work *w, const uintptr_t *stubs)
{
	if (!protect_relro(w, PROT_READ | PROT_WRITE))
		return;
	for (size_t i = 0; i < w->relocation_count; i++) {
		uintptr_t *word = (uintptr_t *)(w->module->shift + w->relocations[i].r_offset);
		if (stubs[i])
			__atomic_store_n(word, stubs[i], __ATOMIC_RELEASE);
	}
	protect_relro(w, PROT_READ);
}

static void redirect_words(struct import_work *w)
{
	size_t bytes = w->relocation_count * sizeof(uintptr_t), count = 0;
	uintptr_t *functions =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (functions == MAP_FAILED)
		return;
	for (size_t i = 0; i < w->relocation_count; i++) {
		functions[i] = opaque_function(w, &w->relocations[i]);
		count += functions[i] != 0;
	}
	if (count && write_stubs(w, functions, count))
		write_words(w, functions);
	munmap(functions, bytes);
}

void opaque_module(struct module *module)
{
	struct import_work w = { .module = module };

	if (!opaque_wanted || !module->end)
		return;
	opaque_objects_update();
	dl_iterate_phdr(read_object, &w);
	if (w.relocation_count && w.symbols && w.names)
		redirect_words(&w);
	if (opaque_any || imports_name("dlopen"))
		opaque_entries_module(module);
	if (w.scope)
		real()->dlclose(w.scope);
}

void opaque_module_gone(struct module *module)
{
	if (module->stubs)
		munmap(module->stubs, module->stub_bytes);
	module->stubs = NULL;
	if (module->entries)
		munmap(module->entries, module->entry_bytes);
	module->entries = NULL;
}
