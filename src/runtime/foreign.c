#include "runtime/foreign.h"

#include "runtime/follow.h"
#include "runtime/record.h"
#include "runtime/turn.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

static struct {
	uintptr_t base, end;
} cxx;

static int look_at(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "libstdc++"))
		return 0;
	cxx.base = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t to = from + info->dlpi_phdr[i].p_memsz;
		cxx.base = from < cxx.base ? from : cxx.base;
		cxx.end = to > cxx.end ? to : cxx.end;
	}
	return 1;
}

void foreign_start(void)
{
	dl_iterate_phdr(look_at, NULL);
}

extern const char __ehdr_start[], __etext[] __attribute__((visibility("hidden")));

bool foreign_is_own(uintptr_t pc)
{
	return pc >= (uintptr_t)__ehdr_start && pc < (uintptr_t)__etext;
}

bool foreign_caller(uintptr_t pc)
{
	return pc && !(pc - cxx.base < cxx.end - cxx.base && cxx.end) &&
	       !follow_is_instrumented(pc);
}

bool foreign_is_recorded(uintptr_t pc)
{
	return record_on() && !foreign_is_own(pc) && !(turn_taking && foreign_caller(pc));
}
