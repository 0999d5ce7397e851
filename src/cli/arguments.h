/*
 * Lists of arguments for exec, with gcc's @FILE arguments. They are never freed: exec follows.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

struct arguments {
	char **at; /* ends with NULL; NULL while the list is empty */
	int count, room;
};

void arguments_add(struct arguments *list, const char *word);
void arguments_add_all(struct arguments *list, char **words); /* ends with NULL */

/* Adds the words of a line, which is split at blanks. */
void arguments_add_words(struct arguments *list, const char *line);

/*
 * Adds `word`. If it is @FILE and the file can be read, adds the words in the file instead: with
 * quotes and backslashes as in gcc, and with @FILE again.
 */
void arguments_add_expanded(struct arguments *list, const char *word);

#endif
