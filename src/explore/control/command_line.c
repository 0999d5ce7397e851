/*
 * Reads the command line of a recorded program from the metadata of its trace. The metadata writes
 * blanks and special characters inside a word as \xNN.
 */
#include "explore/control/command_line.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>
#include <unistd.h>

/*
 * No version of the runtime records more bytes of a command line. One of exactly this length may
 * have been cut off.
 */
#define COMMAND_BYTES 1024u

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Replaces "\x20" by a blank and so on, in place. Returns the new length. */
static size_t unescape(char *text, size_t length)
{
	size_t to = 0;

	for (size_t from = 0; from < length; from++) {
		if (text[from] == '\\' && from + 3 < length && text[from + 1] == 'x' &&
		    hex_digit(text[from + 2]) >= 0 && hex_digit(text[from + 3]) >= 0) {
			text[to++] =
				(char)(hex_digit(text[from + 2]) * 16 + hex_digit(text[from + 3]));
			from += 3;
		} else {
			text[to++] = text[from];
		}
	}
	text[to] = 0;
	return to;
}

/*
 * Splits a command line at its blanks. Each word ends with one blank, so two blanks in a row
 * enclose an empty word. Returns the number of bytes of all words with their terminators.
 */
static size_t split_words(const char *command, char ***words)
{
	VEC(char *) list = { 0 };
	size_t all = 0;

	while (*command) {
		size_t length = strcspn(command, " ");
		char *word = mem_copy_text(command, length);

		all += unescape(word, length) + 1;
		*vec_push(&list) = word;
		command += length;
		command += *command == ' ';
	}
	*vec_push(&list) = NULL;
	*words = list.items;
	return all;
}

bool command_line_read(struct command_line *line, const struct trace *trace, struct err *err)
{
	const char *command = trace_meta(trace, "command"), *cut = trace_meta(trace, "command-cut");
	const char *program = trace_meta(trace, "program");
	size_t bytes;

	if (trace_is_text(trace))
		return err_set(err, "a text trace has no program to run");
	if (!command || !*command || !program || program[0] != '/')
		return err_set(err,
			       "the trace does not say with which command its program was started");
	bytes = split_words(command, &line->words);
	line->directory = trace_meta(trace, "directory");
	if (bytes == COMMAND_BYTES || cut) {
		command_line_free(line);
		return err_set(err,
			       "the command line is too long: the trace does not have all of it");
	}
	if (access(program, X_OK)) {
		command_line_free(line);
		return err_set(err, "%s does not exist any more", program);
	}
	free(line->words[0]);
	line->words[0] = mem_copy_text(program, strlen(program));
	return true;
}

void command_line_free(struct command_line *line)
{
	for (size_t i = 0; line->words && line->words[i]; i++)
		free(line->words[i]);
	free(line->words);
	line->words = NULL;
}
