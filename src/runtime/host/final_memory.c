/* Writes the file `remains`: see final_memory.h. */
#include "runtime/host/final_memory.h"

#include "event/remains.h"
#include "runtime/point/point_file.h"

#include <link.h>

static void put_segment(struct point_file *file, uintptr_t address, size_t size)
{
	struct remains_segment head = { .address = address, .size = size };

	point_file_put(file, (const char *)&head, sizeof(head));
	point_file_put(file, (const char *)address, size);
}

/*
 * Writes the variables of the program itself, which is the first module. The variables of libraries
 * are not needed.
 */
static int put_program(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t bytes = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
			bytes += segment->p_memsz;
	}
	for (int i = 0; i < info->dlpi_phnum && bytes <= REMAINS_MOST; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
			put_segment(context, info->dlpi_addr + segment->p_vaddr, segment->p_memsz);
	}
	return 1;
}

void final_memory_write(void)
{
	struct point_file file;

	point_file_open(&file, "remains", 0);
	dl_iterate_phdr(put_program, &file);
	point_file_close(&file);
}
