/* Growing lists of arguments, and the reader of @FILE arguments. */
#include "cli/arguments.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_DEEP 64 /* most nested @FILE arguments: a file may name itself */

static void add_owned(struct arguments *list, char *word)
{
	if (list->count + 1 >= list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->at = mem_resize(list->at, (size_t)list->room, sizeof(*list->at));
	}
	list->at[list->count++] = word;
	list->at[list->count] = NULL;
}

void arguments_add(struct arguments *list, const char *word)
{
	add_owned(list, mem_copy_text(word, strlen(word)));
}

void arguments_add_all(struct arguments *list, char **words)
{
	while (*words)
		arguments_add(list, *words++);
}

void arguments_add_words(struct arguments *list, const char *line)
{
	for (;;) {
		line += strspn(line, " \t\n");
		size_t length = strcspn(line, " \t\n");
		if (!length)
			return;
		add_owned(list, mem_copy_text(line, length));
		line += length;
	}
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t length = 0, room = 4096;
	char *text = NULL;

	if (!file)
		return NULL;
	text = mem_alloc(room);
	for (size_t n; (n = fread(text + length, 1, room - length - 1, file)) > 0;) {
		length += n;
		if (room - length < 2)
			text = mem_resize(text, room *= 2, 1);
	}
	fclose(file);
	text[length] = 0;
	return text;
}

/* Returns the next word, unquoted in place, and moves `*text` after it; NULL at the end. */
static char *next_word(char **text)
{
	char *in = *text, quote = 0;

	while (isspace((unsigned char)*in))
		in++;
	if (!*in)
		return NULL;
	char *word = in, *out = in;
	for (; *in && (quote || !isspace((unsigned char)*in)); in++) {
		if (*in == '\\' && in[1])
			*out++ = *++in;
		else if (quote ? *in == quote : *in == '\'' || *in == '"')
			quote = quote ? 0 : *in;
		else
			*out++ = *in;
	}
	*text = *in ? in + 1 : in;
	*out = 0;
	return word;
}

static void add_expanded_to_depth(struct arguments *list, const char *word, int depth)
{
	char *text = word[0] == '@' && depth < FILES_DEEP ? read_all(word + 1) : NULL;

	if (!text) {
		arguments_add(list, word);
		return;
	}
	for (char *rest = text, *inner; (inner = next_word(&rest));)
		add_expanded_to_depth(list, inner, depth + 1);
	free(text);
}

void arguments_add_expanded(struct arguments *list, const char *word)
{
	add_expanded_to_depth(list, word, 0);
}
