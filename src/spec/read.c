/* Reads a property file: parses it into a tree, resolves its names and checks it. */
#include "spec/build.h"
#include "spec/check.h"
#include "spec/message.h"
#include "spec/names.h"
#include "spec/parser.h"
#include "base/file.h"
#include "base/mem.h"

#include <string.h>

/* Locations have 32 bits and flex counts in int. Real property files are far smaller. */
#define LARGEST (64u << 20)

static void build_open(struct build *build, const char *path, const char *text, size_t length,
		       struct spec_messages *messages)
{
	struct build_file *made = mem_zalloc(1, sizeof *made);

	*build = (struct build){
		.made = made, .file = &made->file, .length = (uint32_t)length, .messages = messages
	};
	made->file.path = arena_text(&made->arena, path, strlen(path));
	made->file.text = arena_text(&made->arena, text, length);
	build->next_property = &made->file.properties;
	build->next_use = &made->file.uses;
	lexer_open(&build->context.lexer, build, text, length);
}

static void build_close(struct build *build)
{
	lexer_close(&build->context.lexer);
	build_discard(build);
	vec_free(&build->now.parameters);
	vec_free(&build->now.events);
	vec_free(&build->parts);
	vec_free(&build->externs);
	vec_free(&build->arguments);
	vec_free(&build->productions);
	vec_free(&build->path);
}

static struct spec_file *parse_and_check(const char *path, const char *text, size_t length,
					 struct spec_messages *messages)
{
	unsigned before = messages->errors;
	size_t first = messages->list.count;
	struct build build;

	build_open(&build, path, text, length, messages);
	struct spec_file *file = build.file;
	spec_yyparse(&build);
	file->externs = arena_copy(&build.made->arena, build.externs.items,
				   build.externs.count * sizeof *build.externs.items);
	file->extern_count = (uint32_t)build.externs.count;
	build_close(&build);
	names_resolve(file, &build.made->arena, messages);
	check_file(file, messages);
	message_sort(messages, first);
	if (messages->errors == before)
		return file;
	spec_free(file);
	return NULL;
}

struct spec_file *spec_parse(const char *path, const char *text, struct spec_messages *messages)
{
	return parse_and_check(path, text, strlen(text), messages);
}

struct spec_file *spec_read(const char *path, struct spec_messages *messages, struct err *err)
{
	struct spec_file *file = NULL;
	struct file_view view;

	if (!file_map(path, &view, err))
		return NULL;
	const void *nul = view.size ? memchr(view.data, 0, view.size) : NULL;
	if (view.size > LARGEST)
		err_set(err, "%s: too large for a property file (%zu bytes)", path, view.size);
	else if (nul)
		err_set(err, "%s: not a text file: byte %zu is 0", path,
			(size_t)((const uint8_t *)nul - view.data));
	else
		file = parse_and_check(path, view.data ? (const char *)view.data : "", view.size,
				       messages);
	file_unmap(&view);
	return file;
}

void spec_free(struct spec_file *file)
{
	struct build_file *made = (struct build_file *)file;

	if (!made)
		return;
	struct arena arena = made->arena;
	free(made);
	arena_free(&arena);
}
