/*
 * Tells opaque objects from the others. The ranges of all objects that are not opaque are kept in a
 * list: the program's own modules and modelled libraries, which are few. Everything else is opaque,
 * also code that is in no object because it was generated.
 *
 * The list only grows, so that it is read without a lock. What it says of a library that is gone is
 * no longer asked: module.c keeps the place of a module that is unloaded.
 */
#include "runtime/opaque/opaque_objects.h"

#include "runtime/opaque/opaque.h"
#include "runtime/host/imports.h"

#include <fnmatch.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

bool opaque_any;

#define RANGES_MAX 4096u
static struct {
	uintptr_t base, end;
} ranges[RANGES_MAX];
static _Atomic unsigned range_count;

bool opaque_contains(uintptr_t pc)
{
	unsigned count = atomic_load_explicit(&range_count, memory_order_acquire);

	for (unsigned i = 0; i < count; i++)
		if (pc - ranges[i].base < ranges[i].end - ranges[i].base)
			return false;
	return pc != 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool is_modelled(const char *path)
{
	static const char *const modelled[] = {
#define MODELLED(library, reason) library,
#define KEEPS_STATE(function, reason)
#define HARMLESS(function, reason)
#include "runtime/opaque/opaque_code.def"
#undef MODELLED
#undef KEEPS_STATE
#undef HARMLESS
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(modelled) / sizeof(modelled[0]); i++)
		if (!strncmp(name, modelled[i], strlen(modelled[i])))
			return true;
	return false;
}

bool opaque_objects_keeps_state(const char *function)
{
	static const char *const functions[] = {
#define MODELLED(library, reason)
#define KEEPS_STATE(function, reason) function,
#define HARMLESS(function, reason)
#include "runtime/opaque/opaque_code.def"
#undef MODELLED
#undef KEEPS_STATE
#undef HARMLESS
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(function, functions[i]))
			return true;
	return false;
}

bool opaque_objects_is_harmless(const char *function)
{
	static const char *const functions[] = {
#define MODELLED(library, reason)
#define KEEPS_STATE(function, reason)
#define HARMLESS(function, reason) function,
#include "runtime/opaque/opaque_code.def"
#undef MODELLED
#undef KEEPS_STATE
#undef HARMLESS
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (fnmatch(functions[i], function, 0) == 0)
			return true;
	return false;
}

/* ---- objects --------------------------------------------------------------------------------- */

static void add_range(uintptr_t base, uintptr_t end)
{
	unsigned count = atomic_load_explicit(&range_count, memory_order_relaxed);

	for (unsigned i = 0; i < count; i++)
		if (ranges[i].base == base && ranges[i].end == end)
			return;
	if (count == RANGES_MAX)
		return;
	ranges[count].base = base;
	ranges[count].end = end;
	atomic_store_explicit(&range_count, count + 1, memory_order_release);
}

/* Each instrumented object calls __sooth_module_add, perhaps later than now. */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	bool *opaque = data;
	uintptr_t base = UINTPTR_MAX, end = 0;

	(void)size;
	if (!is_modelled(info->dlpi_name ? info->dlpi_name : "") &&
	    !imports_is_imported_by(info, "__sooth_module_add")) {
		*opaque = true;
		return 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type != PT_LOAD)
			continue;
		base = from < base ? from : base;
		end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
	}
	if (base < end)
		add_range(base, end);
	return 0;
}

void opaque_objects_update(void)
{
	bool opaque = false;

	dl_iterate_phdr(look_at_object, &opaque);
	opaque_any = opaque;
}
