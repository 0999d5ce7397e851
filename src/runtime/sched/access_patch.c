/*
 * Patches the NOPs of instrumented code. The section sooth_nop of a module's file, which is not
 * loaded, lists them. For each NOP it gives the address, the element that follows, and the register
 * that points at the record there. An area of trampolines (access_patch.S) is mapped near the
 * module, within reach of a 32-bit displacement. Each NOP becomes a call of the trampoline for its
 * register and element. Text is only writable while it is patched.
 *
 * Patching costs some 160 instructions for each NOP, once. A program that takes no turns pays
 * nothing.
 */
#include "runtime/sched/access_patch.h"

#include "event/wire.h"
#include "runtime/sched/access_decoder.h"
#include "runtime/host/module.h"
#include "runtime/host/alloc_near.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/process.h"
#include "runtime/host/sections.h"
#include "runtime/sched/sched.h"

#include <string.h>
#include <sys/mman.h>

void access_patch_stub(void); /* not a C function: see access_patch.S */

static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
#define NOP_BYTES sizeof(nop)
#define CALL 0xe8

/* ---- trampolines ----------------------------------------------------------------------------- */

#define ELEMENTS 256u	     /* the plugin ends a segment after about a hundred elements */
#define REGISTERS 16u	     /* numbered as in machine instructions */
#define TRAMPOLINE_BYTES 16u /* exactly what write_trampoline writes */
#define AREAS 64u

/*
 * Trampolines for one or more modules near this area. A trampoline is written when it is first
 * needed.
 */
struct area {
	uint64_t stub; /* address of access_patch_stub */
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

	return high - low < ALLOC_NEAR_REACH;
}

static struct area *find_area(const struct module *m)
{
	struct area *area;

	for (unsigned i = 0; i < area_count; i++)
		if (is_near(areas[i], m))
			return areas[i];
	area = area_count < AREAS ? alloc_near_map(m->base, m->end, sizeof(*area)) : NULL;
	if (area) {
		area->stub = (uint64_t)access_patch_stub;
		areas[area_count++] = area;
	}
	return area;
}

static void write_trampoline(struct area *area, uint8_t *at, unsigned reg, unsigned element)
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
		write_trampoline(area, area->code[area->count], reg, element);
		*made = (uint16_t)++area->count;
	}
	return area->code[*made - 1];
}

/* ---- patching -------------------------------------------------------------------------------- */

/* Returns the number of the register with a name such as "%rax" or "rax"; REGISTERS: not usable. */
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

struct nop_table {
	const struct wire_nop *rows;
	size_t count;
};

/*
 * Patches one executable ELF segment. The linker may have dropped the function of a row: then there
 * is no NOP at the row's address.
 */
static bool patch_segment(struct area *area, const struct module *m,
			  const struct nop_table *nop_table, const Elf64_Phdr *segment)
{
	uint64_t from = (m->shift + segment->p_vaddr) & ~4095ull;
	uint64_t to = (m->shift + segment->p_vaddr + segment->p_filesz + 4095) & ~4095ull;
	int old_protection = PROT_EXEC | (segment->p_flags & PF_R ? PROT_READ : 0) |
			     (segment->p_flags & PF_W ? PROT_WRITE : 0);

	if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	for (size_t i = 0; i < nop_table->count; i++) {
		const struct wire_nop *row = &nop_table->rows[i];
		if (row->pc - segment->p_vaddr < segment->p_filesz &&
		    segment->p_filesz - (row->pc - segment->p_vaddr) >= NOP_BYTES)
			patch_nop(area, row, (uint8_t *)(m->shift + row->pc));
	}
	mprotect((void *)from, to - from, old_protection);
	return true;
}

static bool patch_file(const struct module *m, const struct sections *file)
{
	struct nop_table nop_table = { 0 };
	size_t bytes;

	nop_table.rows = sections_find(file, "sooth_nop", &bytes);
	if (!nop_table.rows)
		return false;
	nop_table.count = bytes / sizeof(*nop_table.rows);
	struct area *area = find_area(m);
	/*
	 * Make the area executable before the first patch: if that failed later, the calls could
	 * not be undone.
	 */
	bool ok = area && mprotect(area, sizeof(*area), PROT_READ | PROT_WRITE | PROT_EXEC) == 0;

	for (unsigned i = 0; ok && i < file->segment_count; i++)
		if (file->segments[i].p_type == PT_LOAD && file->segments[i].p_flags & PF_X)
			ok = patch_segment(area, m, &nop_table, &file->segments[i]);
	if (ok)
		mprotect(area, sizeof(*area), PROT_READ | PROT_EXEC);
	return ok;
}

/* Does the module contain plain accesses? A module with only calls and atomics has no NOPs. */
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

static bool started; /* the memory for decoding is reserved */

void access_patch_module(const struct module *m)
{
	struct sections file;

	if (!started)
		return;
	bool ok = sections_open(m->path, &file);
	access_decoder_module(m->seg, m->seg_bytes, m->base, m->end);
	if (ok) {
		ok = patch_file(m, &file);
		sections_close(&file);
	}
	if (!ok && has_accesses(m)) {
		sched_log_abandon(); /* the schedule would lack this module's accesses */
		process_say("its accesses cannot be scheduled, only its synchronisation: ",
			    m->path);
	}
}

void access_patch_start(void)
{
	started = det_heap_start();
	if (!started) {
		sched_log_abandon();
		process_say("no memory to schedule accesses, only synchronisation is", "");
		return;
	}
	for (uint32_t i = 0; module_get(i); i++)
		if (!module_get(i)->gone)
			access_patch_module(module_get(i));
}
