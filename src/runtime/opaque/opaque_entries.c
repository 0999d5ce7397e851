/*
 * Notices calls from opaque code into an instrumented module, and its calls through pointers.
 *
 * Opaque code calls functions of the module: of a function that a library was
 * given (a callback, the work of a thread pool), or finds by its name. The thread then comes after
 * what other threads did before, each time it is called, and again when it has returned into the
 * opaque code, which may wait there.
 *
 * Each function has a NOP where its body starts and where it returns (event/point.h). In functions
 * that can be called from outside (opaque_taken.c), these NOPs become calls of generated code. It
 * reads the return address of the function, which the unwind tables locate (opaque_frame.c), and
 * nothing more is done if that is in the module itself: ten instructions. Otherwise opaque_entry
 * (opaque_stub.S) looks whether it is in opaque code.
 *
 * A NOP that a property has switched on is left alone.
 */
#include "runtime/opaque/opaque_entries.h"

#include "event/point.h"
#include "runtime/opaque/opaque.h"
#include "runtime/opaque/opaque_frame.h"
#include "runtime/opaque/opaque_taken.h"
#include "runtime/host/alloc_near.h"
#include "runtime/host/module.h"
#include "runtime/host/sections.h"
#include "runtime/point/assemble.h"
#include "runtime/point/point_operand.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

/* Called by the code of a NOP at the start or the end of a function. */
void opaque_entry(void) __attribute__((visibility("hidden")));
void opaque_exit(void) __attribute__((visibility("hidden")));

/* These two call them. `from` is 0 if the return address is not known. */
void opaque_entered(uintptr_t from, uintptr_t pc) __attribute__((visibility("hidden")));
void opaque_entered(uintptr_t from, uintptr_t pc)
{
	if (!from || opaque_contains(from))
		opaque_called(from, pc);
}

void opaque_left(uintptr_t from, uintptr_t pc) __attribute__((visibility("hidden")));
void opaque_left(uintptr_t from, uintptr_t pc)
{
	if (!from || opaque_contains(from))
		opaque_returns(from, pc);
}

struct entry_work {
	struct module *module;
	const struct dl_phdr_info *object;
	struct opaque_frames frames;
	bool has_frames;
	bool *taken;
	struct sections file;
	const char *texts; /* of the rows */
	size_t text_bytes;
	uint8_t *area;
	size_t area_bytes;
	struct assemble_code code;
};

/* ---- generated code -------------------------------------------------------------------------- */

/* An area begins with the addresses of opaque_entry and opaque_exit, and jumps to them. */
#define HEAD_JUMPS 16u
#define HEAD_JUMP_BYTES 16u
#define HEAD_BYTES 48u
#define CODE_MOST 80u /* of one NOP */

/* Where opaque_entry and opaque_exit expect the program's registers. */
static struct assemble_operand saved(enum assemble_register reg)
{
	return assemble_memory(RSP, reg == RAX ? -16 : -24);
}

/* When a jump is reached, rcx has been subtracted from rax. */
static void write_head(struct entry_work *w)
{
	uintptr_t targets[] = { (uintptr_t)opaque_entry, (uintptr_t)opaque_exit };

	memcpy(w->area, targets, sizeof(targets));
	w->code.end = w->area + w->area_bytes;
	for (unsigned i = 0; i < 2; i++) {
		w->code.at = w->area + HEAD_JUMPS + i * HEAD_JUMP_BYTES;
		assemble(&w->code, ASSEMBLE_ADD, RAX, assemble_register(RCX));
		assemble_jump_indirect(&w->code, w->area + i * sizeof(targets[0]));
	}
	w->code.at = w->area + HEAD_BYTES;
}

static void put(struct entry_work *w, const void *bytes, size_t count)
{
	memcpy(w->code.at, bytes, count);
	w->code.at += count;
}

static void put_distance(struct entry_work *w, uintptr_t to)
{
	int32_t distance = (int32_t)(to - ((uintptr_t)w->code.at + 4));

	put(w, &distance, sizeof(distance));
}

/* The call of this code has changed rsp by 8. */
static void load_return_address(struct entry_work *w, const struct opaque_frame_rule *rule)
{
	int32_t offset = rule->offset + (rule->reg == RSP ? 8 : 0);
	uint8_t reg = (uint8_t)rule->reg;

	if (rule->indirect) {
		assemble(&w->code, ASSEMBLE_LOAD, RAX, assemble_memory(reg, offset));
		assemble(&w->code, ASSEMBLE_LOAD, RAX, assemble_memory(RAX, -8));
	} else {
		assemble(&w->code, ASSEMBLE_LOAD, RAX, assemble_memory(reg, offset - 8));
	}
}

static const uint8_t *shared_jump(const struct entry_work *w, bool is_end)
{
	return w->area + HEAD_JUMPS + is_end * HEAD_JUMP_BYTES;
}

/* With the address in rax: nothing more is done if that is in the module itself. */
static void write_check(struct entry_work *w, bool is_end)
{
	static const uint8_t address_of[] = { 0x48, 0x8d, 0x0d }, compare[] = { 0x48, 0x3d },
			     back[] = { 0xc3 };
	uint32_t size = (uint32_t)(w->module->end - w->module->base);

	assemble(&w->code, ASSEMBLE_STORE, RCX, saved(RCX));
	put(w, address_of, sizeof(address_of));
	put_distance(w, w->module->base);
	assemble(&w->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RCX));
	put(w, compare, sizeof(compare));
	put(w, &size, sizeof(size));
	assemble_jump_back(&w->code, ASSEMBLE_NOT_BELOW, shared_jump(w, is_end));
	assemble(&w->code, ASSEMBLE_LOAD, RAX, saved(RAX));
	assemble(&w->code, ASSEMBLE_LOAD, RCX, saved(RCX));
	put(w, back, sizeof(back));
}

static void write_check_of_caller(struct entry_work *w, const struct opaque_frame_rule *rule,
				  bool is_end)
{
	assemble(&w->code, ASSEMBLE_STORE, RAX, saved(RAX));
	load_return_address(w, rule);
	write_check(w, is_end);
}

static void write_check_of_target(struct entry_work *w, unsigned reg)
{
	assemble(&w->code, ASSEMBLE_STORE, RAX, saved(RAX));
	if (reg != RAX)
		assemble(&w->code, ASSEMBLE_LOAD, RAX, assemble_register(reg));
	write_check(w, false);
}

/* The caller is not known: it may be opaque code. */
static void write_no_check(struct entry_work *w, bool is_end)
{
	static const uint8_t jump[] = { 0xe9 };

	assemble(&w->code, ASSEMBLE_STORE, RAX, saved(RAX));
	assemble(&w->code, ASSEMBLE_STORE, RCX, saved(RCX));
	assemble(&w->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RAX));
	assemble(&w->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RCX));
	put(w, jump, sizeof(jump)); /* there it becomes 0 */
	put_distance(w, (uintptr_t)shared_jump(w, is_end));
}

/* ---- NOPs ------------------------------------------------------------------------------------ */

static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

static bool is_wanted(const struct entry_work *w, const struct point_row *row)
{
	uintptr_t at = w->module->shift + row->pc;

	if (row->kind == POINT_CALL || row->kind == POINT_PROBE || row->kind > POINT_BY_POINTER ||
	    (row->kind == POINT_RETURN && row->flags & POINT_ROW_AFTER_CALL))
		return false;
	return row->pc && at >= w->module->base && at < w->module->end &&
	       !memcmp((const void *)at, nop, sizeof(nop));
}

/* Turns a NOP into a call of the code that is written next. */
static void call_next_code(struct entry_work *w, uint8_t *at)
{
	int32_t distance = (int32_t)(w->code.at - (at + sizeof(nop)));

	at[0] = 0xe8;
	memcpy(at + 1, &distance, sizeof(distance));
}

static void switch_on_function(struct entry_work *w, uint8_t *at, bool is_end)
{
	struct opaque_frame_rule rule;
	size_t function = OPAQUE_FRAME_NONE;
	bool has_rule = false;

	if (w->has_frames)
		function = opaque_frames_find(&w->frames, (uintptr_t)at);
	if (function != OPAQUE_FRAME_NONE) {
		if (!w->taken[function])
			return;
		has_rule = opaque_frames_rule(&w->frames, function, (uintptr_t)at, &rule);
	}
	call_next_code(w, at);
	if (has_rule)
		write_check_of_caller(w, &rule, is_end);
	else
		write_no_check(w, is_end);
}

/* Before a call through a pointer, which the compiler has put into a register. */
static void switch_on_call(struct entry_work *w, const struct point_row *row, uint8_t *at)
{
	struct point_operand target;
	const char *text = row->operands < w->text_bytes ? w->texts + row->operands : "";

	point_parse_operand(text, strcspn(text, ";"), &target);
	if (target.how != POINT_REGISTER || target.reg == RSP)
		return;
	call_next_code(w, at);
	write_check_of_target(w, target.reg);
}

static void switch_on(struct entry_work *w, const struct point_row *row)
{
	uint8_t *at = (uint8_t *)(w->module->shift + row->pc);

	if (row->kind == POINT_BY_POINTER)
		switch_on_call(w, row, at);
	else
		switch_on_function(w, at, row->kind == POINT_RETURN || row->kind == POINT_EXIT);
}

static size_t each_row(struct entry_work *w, const char *section, bool switches_on)
{
	size_t bytes = 0, count = 0;
	const struct point_row *rows = sections_find(&w->file, section, &bytes);

	for (size_t i = 0; rows && i < bytes / sizeof(*rows); i++) {
		if (!is_wanted(w, &rows[i]))
			continue;
		count++;
		if (switches_on)
			switch_on(w, &rows[i]);
	}
	return count;
}

/* ---- modules --------------------------------------------------------------------------------- */

static void make_code_writable(const struct entry_work *w, bool writable)
{
	for (int i = 0; i < w->object->dlpi_phnum; i++) {
		const Elf64_Phdr *s = &w->object->dlpi_phdr[i];
		uintptr_t from = w->object->dlpi_addr + s->p_vaddr, low = from & ~4095ul;
		int before = PROT_EXEC | (s->p_flags & PF_R ? PROT_READ : 0) |
			     (s->p_flags & PF_W ? PROT_WRITE : 0);
		if (s->p_type == PT_LOAD && s->p_flags & PF_X)
			mprotect((void *)low, from + s->p_filesz - low,
				 writable ? before | PROT_READ | PROT_WRITE : before);
	}
}

static bool make_area(struct entry_work *w, size_t nops)
{
	w->area_bytes = (HEAD_BYTES + nops * CODE_MOST + 4095) & ~4095ul;
	w->area = alloc_near_map(w->module->base, w->module->end, w->area_bytes);
	if (!w->area)
		return false;
	write_head(w);
	return true;
}

/* Releases what was not used: most functions are not called from outside. */
static void finish_area(struct entry_work *w)
{
	size_t used = ((size_t)(w->code.at - w->area) + 4095) & ~4095ul;

	mprotect(w->area, used, PROT_READ | PROT_EXEC);
	if (used < w->area_bytes)
		munmap(w->area + used, w->area_bytes - used);
	w->module->entries = w->area;
	w->module->entry_bytes = used;
}

static void process_file(struct entry_work *w)
{
	w->texts = sections_find(&w->file, "sooth_pstr", &w->text_bytes);
	if (!w->texts || !w->text_bytes || w->texts[w->text_bytes - 1])
		return;
	size_t nops = each_row(w, POINT_SECTION, false) + each_row(w, POINT_SECTION_LOOSE, false);

	if (!nops || !make_area(w, nops))
		return;
	make_code_writable(w, true);
	each_row(w, POINT_SECTION, true);
	each_row(w, POINT_SECTION_LOOSE, true);
	make_code_writable(w, false);
	finish_area(w);
}

/* Finds the functions that can be called from outside. */
static bool find_functions(struct entry_work *w)
{
	const uint8_t *header = NULL;

	for (int i = 0; i < w->object->dlpi_phnum; i++)
		if (w->object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			header = (const uint8_t *)(w->object->dlpi_addr +
						   w->object->dlpi_phdr[i].p_vaddr);
	if (!opaque_frames_open(&w->frames, header) || !w->frames.count)
		return true;
	void *map = mmap(NULL, w->frames.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (map == MAP_FAILED)
		return false;
	w->has_frames = true;
	w->taken = map;
	opaque_taken_find(w->object, &w->frames, w->taken);
	return true;
}

static int process_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct entry_work *w = data;

	(void)size;
	if (info->dlpi_addr != w->module->shift)
		return 0;
	w->object = info;
	if (w->module->end - w->module->base < INT32_MAX && find_functions(w) &&
	    sections_open(w->module->path, &w->file)) {
		process_file(w);
		sections_close(&w->file);
	}
	if (w->has_frames)
		munmap(w->taken, w->frames.count);
	return 1;
}

void opaque_entries_module(struct module *module)
{
	struct entry_work w = { .module = module };

	dl_iterate_phdr(process_object, &w);
}
