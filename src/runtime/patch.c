/*
 * Patching. The section sooth_nop of a module's file, which is not loaded, says where its NOPs are,
 * which element each stands before and which register then points at the record. Near the module,
 * within reach of a 32-bit displacement, a page of trampolines is made (patch.S), and each NOP
 * becomes a call of the one for its register and element. Text is writable only meanwhile.
 *
 * It costs some 160 instructions a NOP, once; a program that takes no turns pays nothing.
 */
#include "runtime/patch.h"

#include "event/wire.h"
#include "runtime/follow.h"
#include "runtime/module.h"
#include "runtime/place.h"
#include "runtime/process.h"
#include "runtime/turn.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void patch_stub(void); /* not to be called: see patch.S */

static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
#define NOP_BYTES sizeof(nop)
#define CALL 0xe8

/* ---- trampolines -------------------------------------------------------------------------- */

#define ELEMENTS 256u	     /* the plugin ends a segment at about a hundred */
#define REGISTERS 16u	     /* as instructions number them */
#define TRAMPOLINE_BYTES 16u /* exactly what put_trampoline writes */
#define AREAS 64u
#define REACH 0x7fff0000ull    /* of a call */
#define AREA_STEP (1ull << 20) /* where to look for a free place */

/* What lies near a module, or several. Trampolines are made when they are first needed. */
struct area {
	uint64_t stub; /* address of patch_stub */
	uint32_t count;
	uint16_t made[REGISTERS][ELEMENTS]; /* the trampoline's number, from 1; 0: none yet */
	uint8_t code[REGISTERS * ELEMENTS][TRAMPOLINE_BYTES];
};
static struct area *areas[AREAS];
static unsigned area_count;

static bool is_near(const struct area *area, const struct module *m)
{
	uint64_t low = (uint64_t)area < m->base ? (uint64_t)area : m->base;
	uint64_t high = (uint64_t)(area + 1) > m->end ? (uint64_t)(area + 1) : m->end;

	return high - low < REACH;
}

static struct area *make_area(uint64_t address)
{
	void *map = mmap((void *)address, sizeof(struct area), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if (map != (void *)address) { /* a kernel that takes it for a hint */
		munmap(map, sizeof(struct area));
		return NULL;
	}
	struct area *area = map;
	area->stub = (uint64_t)patch_stub;
	areas[area_count++] = area;
	return area;
}

/* Below the module first: above a program grows its brk. */
static struct area *find_area(const struct module *m)
{
	for (unsigned i = 0; i < area_count; i++)
		if (is_near(areas[i], m))
			return areas[i];
	if (area_count == AREAS)
		return NULL;
	uint64_t below = m->base & ~(AREA_STEP - 1),
		 above = (m->end + AREA_STEP) & ~(AREA_STEP - 1);
	for (uint64_t far = AREA_STEP; far + (m->end - m->base) + AREA_STEP < REACH;
	     far += AREA_STEP) {
		struct area *area = below > far ? make_area(below - far) : NULL;
		if (!area)
			area = make_area(above + far);
		if (area)
			return area;
	}
	return NULL;
}

static void put_trampoline(struct area *area, uint8_t *at, unsigned reg, unsigned element)
{
	const uint8_t mov = reg < 8 ? 0x48 : 0x4c, from = (uint8_t)(0xc7 | (reg & 7) << 3);
	const uint8_t low = (uint8_t)element, high = (uint8_t)(element >> 8);
	/* clang-format off */
	const uint8_t code[] = {
		0x57,			/* push %rdi */
		mov, 0x89, from,	/* mov %reg, %rdi */
		0x56,			/* push %rsi */
		0xbe, low, high, 0, 0,	/* mov $element, %esi */
		0xff, 0x25,		/* jmp *area->stub(%rip) */
	};
	/* clang-format on */
	int32_t to = (int32_t)((uint8_t *)&area->stub - (at + TRAMPOLINE_BYTES));

	_Static_assert(sizeof(code) + sizeof(to) == TRAMPOLINE_BYTES, "length of a trampoline");
	memcpy(at, code, sizeof(code));
	memcpy(at + sizeof(code), &to, sizeof(to));
}

static const uint8_t *find_trampoline(struct area *area, unsigned reg, unsigned element)
{
	uint16_t *made = &area->made[reg][element];

	if (!*made) {
		put_trampoline(area, area->code[area->count], reg, element);
		*made = (uint16_t)++area->count;
	}
	return area->code[*made - 1];
}

/* ---- a module's file ---------------------------------------------------------------------- */

struct file {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Phdr *segments;
	unsigned segment_count;
	const struct wire_nop *nops;
	size_t nop_count;
};

static bool lies_in(const struct file *file, uint64_t at, uint64_t bytes)
{
	return at <= file->size && bytes <= file->size - at;
}

/* The section sooth_nop, and what is needed of the program headers. */
static bool read_elf(struct file *file)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes;

	if (file->size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    !lies_in(file, head->e_phoff, head->e_phnum * sizeof(Elf64_Phdr)) ||
	    !lies_in(file, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)) ||
	    head->e_shstrndx >= head->e_shnum)
		return false;
	file->segments = (const Elf64_Phdr *)(file->bytes + head->e_phoff);
	file->segment_count = head->e_phnum;

	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file->bytes + head->e_shoff);
	const Elf64_Shdr *names = &sections[head->e_shstrndx];
	static const char wanted[] = "sooth_nop";
	if (!lies_in(file, names->sh_offset, names->sh_size))
		return false;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		const char *name = (const char *)file->bytes + names->sh_offset + s->sh_name;
		if (s->sh_name > names->sh_size || names->sh_size - s->sh_name < sizeof(wanted) ||
		    memcmp(name, wanted, sizeof(wanted)) || s->sh_type != SHT_PROGBITS ||
		    !lies_in(file, s->sh_offset, s->sh_size))
			continue;
		file->nops = (const struct wire_nop *)(file->bytes + s->sh_offset);
		file->nop_count = s->sh_size / sizeof(struct wire_nop);
		return true;
	}
	return false;
}

static bool open_file(const char *path, struct file *file)
{
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	void *map = MAP_FAILED;
	if (fstat(fd, &about) == 0 && about.st_size > 0)
		map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return false;
	*file = (struct file){ .bytes = map, .size = (size_t)about.st_size };
	if (read_elf(file))
		return true;
	munmap(map, file->size);
	return false;
}

/* ---- patching ----------------------------------------------------------------------------- */

/* The number of a register named "%rax" or "rax"; REGISTERS when it is none that can be. */
static unsigned register_number(const char name[6])
{
	static const char *const names[REGISTERS] = {
		"rax", "rcx", "rdx", "rbx", "-",   "rbp", "rsi", "rdi",
		"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
	};
	char plain[7] = { 0 };

	memcpy(plain, name + (name[0] == '%'), name[0] == '%' ? 5 : 6);
	for (unsigned i = 0; i < REGISTERS; i++)
		if (!strcmp(names[i], plain))
			return i;
	return REGISTERS;
}

static void patch_nop(struct area *area, const struct wire_nop *row, uint8_t *at)
{
	unsigned reg = register_number(row->cursor);

	if (reg == REGISTERS || row->element >= ELEMENTS || memcmp(at, nop, NOP_BYTES))
		return;
	const uint8_t *to = find_trampoline(area, reg, row->element);
	int32_t distance = (int32_t)(to - (at + NOP_BYTES));
	at[0] = CALL;
	memcpy(at + 1, &distance, sizeof(distance));
}

/* The NOPs of one segment that holds code. Rows of functions that the linker dropped name none. */
static bool patch_segment(struct area *area, const struct module *m, const struct file *file,
			  const Elf64_Phdr *segment)
{
	uint64_t from = (m->shift + segment->p_vaddr) & ~4095ull;
	uint64_t to = (m->shift + segment->p_vaddr + segment->p_filesz + 4095) & ~4095ull;
	int as_it_was = PROT_EXEC | (segment->p_flags & PF_R ? PROT_READ : 0) |
			(segment->p_flags & PF_W ? PROT_WRITE : 0);

	if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	for (size_t i = 0; i < file->nop_count; i++) {
		const struct wire_nop *row = &file->nops[i];
		if (row->pc - segment->p_vaddr < segment->p_filesz &&
		    segment->p_filesz - (row->pc - segment->p_vaddr) >= NOP_BYTES)
			patch_nop(area, row, (uint8_t *)(m->shift + row->pc));
	}
	mprotect((void *)from, to - from, as_it_was);
	return true;
}

static bool patch_file(const struct module *m, const struct file *file)
{
	struct area *area = find_area(m);
	bool ok = area && mprotect(area, sizeof(*area), PROT_READ | PROT_WRITE) == 0;

	for (unsigned i = 0; ok && i < file->segment_count; i++)
		if (file->segments[i].p_type == PT_LOAD && file->segments[i].p_flags & PF_X)
			ok = patch_segment(area, m, file, &file->segments[i]);
	return area && mprotect(area, sizeof(*area), PROT_READ | PROT_EXEC) == 0 && ok;
}

/* Is there anything to patch? A program of calls and atomics alone has no NOPs. */
static bool has_accesses(const struct module *m)
{
	for (uint32_t at = 0; at + sizeof(struct wire_segment) <= m->seg_bytes;) {
		const struct wire_segment *row = (const void *)(m->seg + at);
		const struct wire_element *elements = (const void *)(row + 1);

		for (unsigned i = 0; i < row->count; i++)
			if (elements[i].kind == EV_READ || elements[i].kind == EV_WRITE)
				return true;
		at += (uint32_t)(sizeof(*row) + row->count * sizeof(*elements));
	}
	return false;
}

static bool started; /* there is room to follow threads */

void patch_module(const struct module *m)
{
	struct file file;

	if (!started)
		return;
	bool ok = open_file(m->path, &file);
	follow_module(m->seg, m->seg_bytes, m->base, m->end);
	if (ok) {
		ok = patch_file(m, &file);
		munmap((void *)file.bytes, file.size);
	}
	if (!ok && has_accesses(m))
		process_say("its accesses cannot be scheduled, only its synchronisation: ",
			    m->path);
}

void patch_start(void)
{
	started = place_start();
	if (!started) {
		process_say("no memory to schedule accesses, only synchronisation is", "");
		return;
	}
	for (uint32_t i = 0; module_get(i); i++)
		patch_module(module_get(i));
}
