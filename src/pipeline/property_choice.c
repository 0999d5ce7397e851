/*
 * Handles the names of --property and --no-property: applies them to property files and stores them
 * in recordings.
 */
#include "pipeline/property_choice.h"

#include "base/mem.h"
#include "pipeline/complain.h"
#include "spec/spelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_name(struct property_choice *choice, const char *name, size_t length, bool excluded)
{
	*vec_push(&choice->names) =
		(struct property_choice_name){ mem_copy_text(name, length), excluded };
}

bool property_choice_add(struct property_choice *choice, const char *list, bool excluded)
{
	size_t before = choice->names.count;

	for (;; list++) {
		size_t length = strcspn(list, ",");

		if (length)
			add_name(choice, list, length, excluded);
		list += length;
		if (!*list)
			return choice->names.count > before;
	}
}

/* ---- applying it ----------------------------------------------------------------------------- */

static bool is_chosen(const struct property_choice *choice, const char *name)
{
	bool any_included = false, included = false;

	for (size_t i = 0; i < choice->names.count; i++) {
		const struct property_choice_name *one = &choice->names.items[i];
		bool same = !strcmp(one->name, name);

		if (one->excluded && same)
			return false;
		any_included |= !one->excluded;
		included |= same;
	}
	return included || !any_included;
}

static bool check_name(const char *command, const char *name, struct spec_file **files,
		       size_t count)
{
	struct spelling near;

	spelling_start(&near, name);
	for (size_t i = 0; i < count; i++) {
		for (struct spec_property *p = files[i]->properties; p; p = p->next) {
			if (!strcmp(p->name, name))
				return true;
			spelling_try(&near, p->name);
		}
	}
	if (near.best)
		return complain(command, "there is no property '%s'; did you mean '%s'?", name,
				near.best);
	return complain(command, "there is no property '%s' in the property files", name);
}

bool property_choice_apply(const struct property_choice *choice, const char *command,
			   struct spec_file **files, size_t count)
{
	bool valid = true;

	for (size_t i = 0; i < choice->names.count; i++)
		valid &= check_name(command, choice->names.items[i].name, files, count);
	for (size_t i = 0; i < count && valid; i++) {
		struct spec_property **link = &files[i]->properties;

		while (*link) {
			if (is_chosen(choice, (*link)->name)) {
				link = &(*link)->next;
			} else {
				*link = (*link)->next;
				files[i]->property_count--;
			}
		}
	}
	return valid;
}

/* ---- in a recording -------------------------------------------------------------------------- */

/* Opens the file of a recording that stores the choice, with lines "+NAME" and "-NAME". */
static FILE *open_stored(const char *trace, const char *mode)
{
	char *path = mem_format("%s/properties-chosen", trace);
	FILE *file = fopen(path, mode);

	free(path);
	return file;
}

bool property_choice_store(const struct property_choice *choice, const char *trace)
{
	FILE *out;

	if (!choice->names.count)
		return true;
	out = open_stored(trace, "w");
	for (size_t i = 0; out && i < choice->names.count; i++)
		fprintf(out, "%c%s\n", choice->names.items[i].excluded ? '-' : '+',
			choice->names.items[i].name);
	return out && fclose(out) == 0;
}

void property_choice_load(struct property_choice *choice, const char *trace)
{
	FILE *in = open_stored(trace, "r");
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 1)
		add_name(choice, line + 1, strcspn(line + 1, "\n"), line[0] == '-');
	free(line);
	if (in)
		fclose(in);
}

void property_choice_free(struct property_choice *choice)
{
	for (size_t i = 0; i < choice->names.count; i++)
		free(choice->names.items[i].name);
	vec_free(&choice->names);
}
