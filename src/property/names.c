/*
 * Answers queries about a program's names (struct spec_names), so that spec_check() can check
 * property files against the program.
 */
#include "base/mem.h"
#include "property/program.h"
#include "property/property.h"
#include "spec/spelling.h"

#include <stdlib.h>
#include <string.h>

struct property_names {
	struct program *program;
};

struct property_names *property_names_open(const char *path, struct err *err)
{
	struct program *program = program_open(path, err);
	struct property_names *names;

	if (!program)
		return NULL;
	names = mem_zalloc(1, sizeof *names);
	names->program = program;
	return names;
}

void property_names_close(struct property_names *names)
{
	if (!names)
		return;
	program_close(names->program);
	free(names);
}

/* Looks up a name with its path, for example "config.limits". */
static bool has_global(void *context, const char *name, uint8_t *type)
{
	struct property_names *names = context;
	struct program_parts parts = { 0 };
	size_t length = strcspn(name, ".[");
	char *whole = mem_copy_text(name, length);
	bool found;

	program_globals(names->program, whole,
			name[length] ? name + length + (name[length] == '.') : NULL, &parts);
	found = parts.list.count > 0;
	if (found)
		*type = parts.list.items[0].type;
	vec_free(&parts.list);
	free(whole);
	return found;
}

/* Without debugging information nothing is known about structs, so every field may exist. */
static bool has_field(void *context, const char *type, const char *path)
{
	struct property_names *names = context;
	struct program_part part;

	if (!program_has_types(names->program))
		return true;
	if (!strcmp(path, "*"))
		return program_tag(names->program, type) != NULL;
	return program_member(names->program, type, path, &part);
}

static bool has_function(void *context, const char *library, const char *glob, int *parameters)
{
	struct property_names *names = context;

	return program_function(names->program, library, glob, parameters);
}

static void try_name(void *context, const char *name)
{
	spelling_try(context, name);
}

static const char *nearest(void *context, enum spec_point_kind kind, const char *name)
{
	struct property_names *names = context;
	enum program_names which = kind == SPEC_POINT_PROBE  ? PROGRAM_PROBES
				   : kind < SPEC_POINT_PROBE ? PROGRAM_FUNCTIONS
							     : PROGRAM_GLOBALS;
	struct spelling near;

	spelling_start(&near, name);
	program_each(names->program, which, try_name, &near);
	return near.best;
}

static bool has_probe(void *context, const char *glob)
{
	struct property_names *names = context;

	return program_probe(names->program, glob);
}

static const char *nearest_field(void *context, const char *type, const char *path)
{
	struct property_names *names = context;
	struct spelling near;

	spelling_start(&near, path);
	program_each_member(names->program, type, try_name, &near);
	return near.best;
}

struct spec_names property_names(struct property_names *names)
{
	return (struct spec_names){
		.context = names,
		.global = has_global,
		.field = has_field,
		.function = has_function,
		.nearest = nearest,
		.probe = has_probe,
		.nearest_field = nearest_field,
	};
}
