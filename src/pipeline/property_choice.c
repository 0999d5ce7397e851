#include "pipeline/property_choice.h"

#include "base/mem.h"
#include "pipeline/complain.h"
#include "pipeline/record_program.h"
#include "spec/spelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command line -------------------------------------------------------------------------- */

static void add(struct property_choice *choice, const char *name, size_t length, bool without)
{
	*vec_push(&choice->names) =
		(struct property_choice_name){ mem_copy_text(name, length), without };
}

static void add_list(struct property_choice *choice, const char *text, bool without)
{
	for (;; text++) {
		size_t length = strcspn(text, ",");

		if (length)
			add(choice, text, length, without);
		text += length;
		if (!*text)
			return;
	}
}

int property_choice_read_option(struct property_choice *choice, const char *command, char **argv,
				int *i)
{
	static const char *const options[] = { "--property", "--no-property" };
	const char *word = argv[*i];

	for (int k = 0; k < 2; k++) {
		size_t length = strlen(options[k]), before = choice->names.count;
		const char *value;

		if (strncmp(word, options[k], length) || (word[length] && word[length] != '='))
			continue;
		value = record_program_value(options[k], argv, i);
		if (value)
			add_list(choice, value, k == 1);
		if (choice->names.count > before)
			return 1;
		cli_complain(command, "%s: which? (%s NAME,...)", options[k], options[k]);
		return -1;
	}
	return 0;
}

/* ---- making it --------------------------------------------------------------------------------- */

bool property_choice_is_made(const struct property_choice *choice)
{
	return choice->names.count > 0;
}

static bool is_wanted(const struct property_choice *choice, const char *name)
{
	bool only = false, named = false;

	for (size_t i = 0; i < choice->names.count; i++) {
		const struct property_choice_name *one = &choice->names.items[i];
		bool same = !strcmp(one->name, name);

		if (one->without && same)
			return false;
		only |= !one->without;
		named |= same;
	}
	return named || !only;
}

static bool is_there(const char *command, const char *name, struct spec_file **files, size_t count)
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
		return cli_complain(command, "there is no property '%s'; did you mean '%s'?", name,
				    near.best);
	return cli_complain(command, "there is no property '%s' in the property files", name);
}

bool property_choice_make(const struct property_choice *choice, const char *command,
			  struct spec_file **files, size_t count)
{
	bool well = true;

	for (size_t i = 0; i < choice->names.count; i++)
		well &= is_there(command, choice->names.items[i].name, files, count);
	for (size_t i = 0; i < count && well; i++) {
		struct spec_property **link = &files[i]->properties;

		while (*link) {
			if (is_wanted(choice, (*link)->name)) {
				link = &(*link)->next;
			} else {
				*link = (*link)->next;
				files[i]->property_count--;
			}
		}
	}
	return well;
}

/* ---- in a recording ---------------------------------------------------------------------------- */

/* "+NAME" and "-NAME", a line each. */
static FILE *open_kept(const char *trace, const char *mode)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/properties-chosen", trace) < 0)
		abort();
	file = fopen(path, mode);
	free(path);
	return file;
}

bool property_choice_keep(const struct property_choice *choice, const char *trace)
{
	FILE *out;

	if (!property_choice_is_made(choice))
		return true;
	out = open_kept(trace, "w");
	for (size_t i = 0; out && i < choice->names.count; i++)
		fprintf(out, "%c%s\n", choice->names.items[i].without ? '-' : '+',
			choice->names.items[i].name);
	return out && fclose(out) == 0;
}

void property_choice_read_kept(struct property_choice *choice, const char *trace)
{
	FILE *in = open_kept(trace, "r");
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 1)
		add(choice, line + 1, strcspn(line + 1, "\n"), line[0] == '-');
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
