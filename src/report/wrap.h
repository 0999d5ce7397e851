/* Paragraphs of a report or a help text, wrapped at the width of a page. */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include <stdio.h>

#define WRAP_WIDTH 100

/*
 * Prints `text` and a line feed. Breaks lines at blanks, and where the text has a line feed.
 * `column` is the column at which the output stands; lines after the first are indented by
 * `indent`.
 */
void wrap_print(FILE *out, int column, int indent, const char *text);

#endif
