/*
 * Reads sections of a module's file that the loader does not load: tables that the compiler plugin
 * wrote.
 */
#ifndef RUNTIME_HOST_SECTIONS_H
#define RUNTIME_HOST_SECTIONS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sections {
	const uint8_t *bytes; /* the file, mapped */
	size_t size;
	const Elf64_Phdr *segments;
	unsigned segment_count;
};

bool sections_open(const char *path, struct sections *file);
void sections_close(struct sections *file);

/* Returns the contents of the section `name`, or NULL if the file has no such section. */
const void *sections_find(const struct sections *file, const char *name, size_t *bytes);

#endif
