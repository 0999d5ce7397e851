/* Registers instrumented modules and writes their tables to the trace: see module.h. */
#include "runtime/host/module.h"

#include "event/event.h"
#include "event/wire.h"
#include "runtime/log/file_io.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/sched/access_patch.h"
#include "runtime/opaque/opaque.h"
#include "runtime/point/point.h"
#include "runtime/host/process.h"
#include "runtime/sched/sched.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define MODULES_MAX 1024u

static struct module modules[MODULES_MAX];
static _Atomic uint32_t count;

static void read_build_id(struct module *m, const uint8_t *notes, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)notes;
		size_t name = (note->n_namesz + 3) & ~3u, desc = (note->n_descsz + 3) & ~3u;
		if (sizeof(*note) + name + desc > bytes)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= sizeof(m->build_id)) {
			memcpy(m->build_id, notes + sizeof(*note) + name, note->n_descsz);
			m->build_id_bytes = note->n_descsz;
			return;
		}
		notes += sizeof(*note) + name + desc;
		bytes -= sizeof(*note) + name + desc;
	}
}

/*
 * If this object contains the tables of the module `data`, stores the object's address range, path
 * and build id in the module, and ends the iteration.
 */
static int identify(struct dl_phdr_info *info, size_t size, void *data)
{
	struct module *m = data;
	uint64_t low = UINT64_MAX, high = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_LOAD)
			continue;
		uint64_t from = info->dlpi_addr + ph->p_vaddr;
		low = from < low ? from : low;
		high = from + ph->p_memsz > high ? from + ph->p_memsz : high;
	}
	if ((uint64_t)m->seg < low || (uint64_t)m->seg >= high)
		return 0;
	m->shift = info->dlpi_addr;
	m->base = low;
	m->end = high;
	if (info->dlpi_name && info->dlpi_name[0]) {
		if (info->dlpi_name[0] == '/' || !getcwd(m->path, sizeof(m->path)))
			m->path[0] = 0;
		size_t have = strlen(m->path);
		snprintf(m->path + have, sizeof(m->path) - have, "%s%s", have ? "/" : "",
			 info->dlpi_name);
	} else {
		ssize_t n = readlink("/proc/self/exe", m->path, sizeof(m->path) - 1);
		m->path[n > 0 ? n : 0] = 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type == PT_NOTE && !m->build_id_bytes)
			read_build_id(m, (const uint8_t *)(info->dlpi_addr + ph->p_vaddr),
				      ph->p_memsz);
	}
	return 1;
}

static void write_module(const struct module *m)
{
	struct wire_module head = {
		.magic = WIRE_MODULE_MAGIC,
		.path_bytes = (uint32_t)strlen(m->path),
		.base = m->base,
		.end = m->end,
		.seg_address = (uint64_t)m->seg,
		.str_address = (uint64_t)m->str,
		.seg_bytes = m->seg_bytes,
		.str_bytes = m->str_bytes,
		.build_id_bytes = m->build_id_bytes,
	};
	struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ (void *)m->path, head.path_bytes },
		{ (void *)m->build_id, m->build_id_bytes },
		{ (void *)m->seg, m->seg_bytes },
		{ (void *)m->str, m->str_bytes },
	};
	static char path[4096]; /* the loader loads one module at a time, so one buffer is enough */

	snprintf(path, sizeof(path), "%s/modules", process_dir());
	int fd = file_io_open(path, O_WRONLY | O_CREAT | O_APPEND);
	off_t before = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	bool ok = fd >= 0 && file_io_write_parts(fd, parts, sizeof(parts) / sizeof(parts[0]));
	int error = errno;
	if (fd >= 0 && !ok && before >= 0 && ftruncate(fd, before) != 0)
		/* an incomplete module stays in the file; the reader detects that */
		error = EIO;
	if (fd >= 0)
		close(fd);
	if (!ok) /* the module's segments cannot be decoded, so the recording ends */
		thread_buffer_give_up(error == ENOSPC || error == EDQUOT ? EVENT_STOP_NO_SPACE
									 : EVENT_STOP_IO);
}

/*
 * Would the segments of this module be confused with those of another? A segment is identified by
 * the low half of its row's address, so two modules whose tables are at the same address modulo 4
 * GiB cannot be distinguished. `sooth record` turns off address randomisation, and then this cannot
 * happen below 2.5 GiB of code. With randomisation it happens in one run in thousands.
 */
static bool collides(const struct module *m)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t apart = (uint32_t)((uintptr_t)m->seg - (uintptr_t)modules[i].seg);
		if (modules[i].seg != m->seg &&
		    (apart < modules[i].seg_bytes || -apart < m->seg_bytes))
			return true;
	}
	return false;
}

SOOTH_API void __sooth_module_add(const char *seg, const char *seg_end, const char *str,
				  const char *str_end)
{
	int error = errno;
	bool quiet = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	process_start();
	uint32_t number = atomic_fetch_add(&count, 1);
	if (number >= MODULES_MAX) {
		thread_buffer_give_up(EVENT_STOP_IO); /* its segments cannot be decoded */
	} else {
		struct module *m = &modules[number];
		*m = (struct module){ .seg = seg, .str = str };
		m->seg_bytes = (uint32_t)(seg_end - seg);
		m->str_bytes = (uint32_t)(str_end - str);
		dl_iterate_phdr(identify, m);
		if (process_recording() && !process_discards()) {
			if (collides(m))
				process_unreadable(m->path);
			else
				write_module(m);
		}
		if (sched_active)
			access_patch_module(m);
		point_module(m);
		opaque_module(m);
	}
	thread_buffer_self.quiet = quiet;
	errno = error;
}

const struct module *module_get(uint32_t i)
{
	return i < count && i < MODULES_MAX ? &modules[i] : NULL;
}

void module_write_all(void)
{
	if (!process_recording() || process_discards())
		return;
	for (uint32_t i = 0; i < count && i < MODULES_MAX; i++)
		if (!modules[i].gone)
			write_module(&modules[i]);
	point_after_fork();
}

/* ---- unloading ------------------------------------------------------------------------------- */

static int is_at(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct module *m = data;

	(void)size;
	return info->dlpi_addr == m->shift;
}

static void *map(void *at, size_t bytes, int access, int flags)
{
	void *got =
		mmap(at, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	return got == MAP_FAILED ? NULL : got;
}

void module_keep_rows(void)
{
	for (uint32_t i = 0; i < count && i < MODULES_MAX; i++) {
		struct module *m = &modules[i];
		m->rows = m->gone ? NULL : map(NULL, m->seg_bytes, PROT_READ | PROT_WRITE, 0);
		if (m->rows)
			memcpy(m->rows, m->seg, m->seg_bytes);
	}
}

/* Writes the saved rows to their old addresses, which the runtime has reserved. */
static void put_rows_back(const struct module *m)
{
	uintptr_t low = (uintptr_t)m->seg & ~4095ul;
	size_t bytes = (uintptr_t)m->seg + m->seg_bytes - low;

	if (mprotect((void *)low, bytes, PROT_READ | PROT_WRITE) == 0)
		memcpy((void *)m->seg, m->rows, m->seg_bytes);
}

static void forget_rows(struct module *m)
{
	if (m->rows)
		munmap(m->rows, m->seg_bytes);
	m->rows = NULL;
}

void module_unloaded(void)
{
	for (uint32_t i = 0; i < count && i < MODULES_MAX; i++) {
		struct module *m = &modules[i];
		uintptr_t low = m->base & ~4095ul;
		if (m->gone || !m->end || dl_iterate_phdr(is_at, m))
			continue;
		m->gone = true;
		opaque_module_gone(m);
		/*
		 * If the program has mapped something in this range in the meantime, that mapping
		 * is left alone.
		 */
		bool ours = map((void *)low, m->end - low, PROT_NONE, MAP_FIXED_NOREPLACE);
		if (ours && m->rows)
			put_rows_back(m);
	}
	for (uint32_t i = 0; i < count && i < MODULES_MAX; i++)
		forget_rows(&modules[i]);
}

void module_each_gone(void (*put)(const char *line, size_t length, void *data), void *data)
{
	char line[sizeof(modules->path) + 80];

	for (uint32_t i = 0; i < count && i < MODULES_MAX; i++) {
		if (!modules[i].gone)
			continue;
		int length = snprintf(line, sizeof(line), "%lx-%lx r-xp 00000000 00:00 1 %s\n",
				      (unsigned long)modules[i].base, (unsigned long)modules[i].end,
				      modules[i].path);
		put(line, (size_t)length, data);
	}
}
