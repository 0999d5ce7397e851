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
static void write_head(struct entry_work *w, size_t bytes)
{
	uintptr_t targets[] = { (uintptr_t)opaque_entry, (uintptr_t)opaque_exit };

	memcpy(w->area, targets, sizeof(targets));
	w->code.end = w->area + bytes;
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

static void write_code_in_function(struct entry_work *w, uintptr_t at, bool is_end)
{
	struct opaque_frame_rule rule;
	size_t function = w->has_frames ? opaque_frames_find(&w->frames, at) : OPAQUE_FRAME_NONE;

	if (function != OPAQUE_FRAME_NONE && opaque_frames_rule(&w->frames, function, at, &rule))
		write_check_of_caller(w, &rule, is_end);
	else
		write_no_check(w, is_end);
}

/* The register with the pointer of a call, or POINT_NO_REGISTER. */
static unsigned target_register(const struct entry_work *w, const struct point_row *row)
{
	const char *text = row->operands < w->text_bytes ? w->texts + row->operands : "";
	struct point_operand target;

	point_parse_operand(text, strcspn(text, ";"), &target);
	return target.how == POINT_REGISTER && target.reg != RSP ? target.reg : POINT_NO_REGISTER;
}

static void write_code(struct entry_work *w, const struct point_row *row)
{
	if (row->kind == POINT_BY_POINTER)
		write_check_of_target(w, target_register(w, row));
	else
		write_code_in_function(w, w->module->shift + row->pc,
				       row->kind == POINT_RETURN || row->kind == POINT_EXIT);
}

static bool is_wanted(const struct entry_work *w, const struct point_row *row)
{
	uintptr_t at = w->module->shift + row->pc;

	if (row->kind == POINT_CALL || row->kind == POINT_PROBE || row->kind > POINT_BY_POINTER ||
	    (row->kind == POINT_RETURN && row->flags & POINT_ROW_AFTER_CALL) || !row->pc ||
	    at < w->module->base || at >= w->module->end ||
	    memcmp((const void *)at, nop, sizeof(nop)))
		return false;
	if (row->kind == POINT_BY_POINTER)
		return target_register(w, row) != POINT_NO_REGISTER;
	size_t function = w->has_frames ? opaque_frames_find(&w->frames, at) : OPAQUE_FRAME_NONE;
	return function == OPAQUE_FRAME_NONE || w->taken[function];
}

/* Calls `visit` for each row that is wanted. Returns their number. */
static size_t each_row(struct entry_work *w,
		       void (*visit)(struct entry_work *w, const struct point_row *row))
{
	static const char *const sections[] = { POINT_SECTION, POINT_SECTION_LOOSE };
	size_t count = 0;

	for (unsigned s = 0; s < 2; s++) {
		size_t bytes = 0;
		const struct point_row *rows = sections_find(&w->file, sections[s], &bytes);
		for (size_t i = 0; rows && i < bytes / sizeof(*rows); i++) {
			if (!is_wanted(w, &rows[i]))
				continue;
			count++;
			if (visit)
				visit(w, &rows[i]);
		}
	}
	return count;
}

/* The code of each NOP has the same size, so that its place is known when the NOP is changed. */
static void write_next_code(struct entry_work *w, const struct point_row *row)
{
	uint8_t *start = w->code.at;

	write_code(w, row);
	w->code.at = start + CODE_MOST;
}

static void change_nop(struct entry_work *w, const struct point_row *row)
{
	uint8_t *at = (uint8_t *)(w->module->shift + row->pc);
	int32_t distance = (int32_t)(w->code.at - (at + sizeof(nop)));

	at[0] = 0xe8; /* call */
	memcpy(at + 1, &distance, sizeof(distance));
	w->code.at += CODE_MOST;
}

/* ---- modules --------------------------------------------------------------------------------- */

static bool make_code_writable(const struct entry_work *w, bool writable)
{
	bool ok = true;

	for (int i = 0; i < w->object->dlpi_phnum; i++) {
		const Elf64_Phdr *s = &w->object->dlpi_phdr[i];
		uintptr_t from = w->object->dlpi_addr + s->p_vaddr, low = from & ~4095ul;
		int before = PROT_EXEC | (s->p_flags & PF_R ? PROT_READ : 0) |
			     (s->p_flags & PF_W ? PROT_WRITE : 0);
		if (s->p_type == PT_LOAD && s->p_flags & PF_X)
			ok &= mprotect((void *)low, from + s->p_filesz - low,
				       writable ? before | PROT_READ | PROT_WRITE : before) == 0;
	}
	return ok;
}

/* Returns false if the area cannot be executed: then no NOP may call it. */
static bool write_area(struct entry_work *w, size_t nops)
{
	size_t bytes = (HEAD_BYTES + nops * CODE_MOST + 4095) & ~4095ul;

	w->area = alloc_near_map(w->module->base, w->module->end, bytes);
	if (!w->area)
		return false;
	w->module->entries = w->area;
	w->module->entry_bytes = bytes;
	write_head(w, bytes);
	each_row(w, write_next_code);
	return mprotect(w->area, bytes, PROT_READ | PROT_EXEC) == 0;
}

static void process_file(struct entry_work *w)
{
	w->texts = sections_find(&w->file, "sooth_pstr", &w->text_bytes);
	if (!w->texts || !w->text_bytes || w->texts[w->text_bytes - 1])
		return;
	size_t nops = each_row(w, NULL);

	if (!nops || !write_area(w, nops))
		return;
	if (make_code_writable(w, true)) {
		w->code.at = w->area + HEAD_BYTES;
		each_row(w, change_nop);
	}
	make_code_writable(w, false);
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
