/* Lists of arguments for exec, and gcc's @file arguments. Out of memory stops the tool. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

struct arguments {
	char **at; /* NULL-terminated once anything was added */
	int count, room;
};

void arguments_add(struct arguments *list, const char *word);
void arguments_add_all(struct arguments *list, char **words); /* NULL-terminated */

/* Adds the words of a line, split at blanks. */
void arguments_add_words(struct arguments *list, const char *line);

/*
 * Adds `word`, or, when it is @FILE and the file can be read, the words in the file: quotes and
 * backslashes as gcc takes them, and again with @FILE inside.
 */
void arguments_add_expanded(struct arguments *list, const char *word);

/* Nothing is freed: the list's end is exec. */

#endif
