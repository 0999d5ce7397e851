/*
 * Finds functions whose addresses are used other than in a call, by a scan of the linked module:
 *
 *	code	lea function(%rip), jmp function (a thunk goes on so), 32-bit constants if the
 *		module is linked at fixed addresses
 *	data	words (tables of virtual functions, initial values, the global offset table)
 *	names	exported functions
 *
 * A piece of code or data may look so by chance. Then a function is checked at its entry though
 * nothing calls it from outside, and that is all.
 */
#include "runtime/opaque/opaque_taken.h"

#include <string.h>

struct taken_scan {
	const struct opaque_frames *frames;
	bool *taken;
	uintptr_t low, high; /* from the start of the first function to that of the last */
};

static void note(const struct taken_scan *s, uintptr_t address)
{
	size_t low = 0, high = s->frames->count;

	if (address < s->low || address > s->high)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uintptr_t start = opaque_frames_start(s->frames, middle);
		if (start == address) {
			s->taken[middle] = true;
			return;
		}
		if (start < address)
			low = middle + 1;
		else
			high = middle;
	}
}

static uintptr_t relative(const uint8_t *at)
{
	int32_t distance;

	memcpy(&distance, at, sizeof(distance));
	return (uintptr_t)at + 4 + (uintptr_t)(intptr_t)distance;
}

static void scan_code(const struct taken_scan *s, const uint8_t *code, size_t bytes, bool fixed)
{
	uint32_t constant;

	for (size_t i = 0; i + 7 <= bytes; i++) {
		const uint8_t *b = code + i;
		if ((b[0] == 0x48 || b[0] == 0x4c) && b[1] == 0x8d && (b[2] & 0xc7) == 0x05)
			note(s, relative(b + 3));
		else if (b[0] == 0xe9)
			note(s, relative(b + 1));
		if (!fixed)
			continue;
		memcpy(&constant, b, sizeof(constant));
		note(s, constant);
	}
}

static void scan_data(const struct taken_scan *s, const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uintptr_t word;
		memcpy(&word, data + i, sizeof(word));
		note(s, word);
	}
}

/* The hash table of names covers the exported symbols, which are the last ones. */
static uint32_t count_symbols(const uint32_t *table)
{
	uint32_t buckets = table[0], first = table[1], filter_words = table[2], last = 0;
	const uint32_t *bucket = table + 4 + (size_t)filter_words * 2;
	const uint32_t *chain = bucket + buckets;

	for (uint32_t i = 0; i < buckets; i++)
		last = bucket[i] > last ? bucket[i] : last;
	if (last < first)
		return 0;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

static void scan_names(const struct taken_scan *s, const Elf64_Dyn *d, uintptr_t shift)
{
	const Elf64_Sym *symbols = NULL;
	const uint32_t *table = NULL;

	for (; d->d_tag != DT_NULL; d++) {
		uintptr_t at = d->d_un.d_ptr < shift ? d->d_un.d_ptr + shift : d->d_un.d_ptr;
		if (d->d_tag == DT_SYMTAB)
			symbols = (const Elf64_Sym *)at;
		else if (d->d_tag == DT_GNU_HASH)
			table = (const uint32_t *)at;
	}
	uint32_t count = symbols && table ? count_symbols(table) : 0;
	for (uint32_t i = table ? table[1] : 0; i < count; i++)
		if (symbols[i].st_shndx)
			note(s, shift + symbols[i].st_value);
}

void opaque_taken_find(const struct dl_phdr_info *object, const struct opaque_frames *frames,
		       bool *taken)
{
	struct taken_scan s = { .frames = frames, .taken = taken };

	if (!frames->count)
		return;
	s.low = opaque_frames_start(frames, 0);
	s.high = opaque_frames_start(frames, frames->count - 1);
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &object->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)(object->dlpi_addr + segment->p_vaddr);
		if (segment->p_type == PT_DYNAMIC)
			scan_names(&s, (const Elf64_Dyn *)at, object->dlpi_addr);
		else if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			scan_code(&s, at, segment->p_filesz, object->dlpi_addr == 0);
		else if (segment->p_type == PT_LOAD && segment->p_flags & PF_R)
			scan_data(&s, at, segment->p_filesz);
	}
}
