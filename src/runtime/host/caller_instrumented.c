/* Tells instrumented code, the C++ library and the runtime apart by address. */
#include "runtime/host/caller_instrumented.h"

#include "runtime/sched/access_decoder.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

static struct {
	uintptr_t base, end;
} cxx;

static int find_libstdcxx(struct dl_phdr_info *info, size_t size, void *unused)
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

void caller_instrumented_start(void)
{
	dl_iterate_phdr(find_libstdcxx, NULL);
}

extern const char __ehdr_start[], __etext[] __attribute__((visibility("hidden")));

bool caller_instrumented_is_own(uintptr_t pc)
{
	return pc >= (uintptr_t)__ehdr_start && pc < (uintptr_t)__etext;
}

bool caller_instrumented_caller(uintptr_t pc)
{
	return pc && !(pc - cxx.base < cxx.end - cxx.base && cxx.end) &&
	       !access_decoder_is_instrumented(pc);
}

bool caller_instrumented_is_recorded(uintptr_t pc)
{
	return record_on() && !caller_instrumented_is_own(pc) &&
	       !(sched_active && caller_instrumented_caller(pc));
}
