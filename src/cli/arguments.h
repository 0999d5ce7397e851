/*
 * Lists of arguments for exec, with gcc's @FILE arguments. The lists are never freed, because exec
 * follows.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

struct arguments {
	char **at; /* NULL-terminated; NULL while the list is empty */
	int count, room;
};

void arguments_add(struct arguments *list, const char *word);
void arguments_add_all(struct arguments *list, char **words); /* `words` is NULL-terminated */

/* Splits a line at its blanks and adds the words. */
void arguments_add_words(struct arguments *list, const char *line);

/*
 * Adds `word`. If the word is @FILE and the file can be read, adds the words in the file instead.
 * Quotes and backslashes in the file have the same meaning as in gcc, and its words may be @FILE
 * again.
 */
void arguments_add_expanded(struct arguments *list, const char *word);

#endif
