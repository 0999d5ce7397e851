/* Reads points from the lines of text traces, and prints points. */
#ifndef TRACE_POINT_TEXT_H
#define TRACE_POINT_TEXT_H

#include "trace/point.h"

#include <stdio.h>

#define POINT_KINDS 4
extern const char *const point_words[POINT_KINDS]; /* call exec return probe */

/* Bytes that `room` must have for a text of this length: names get a terminating NUL. */
#define POINT_ROOM(length) ((length) + 4)

/* Reads the text after "call ", "ret " or "probe ". The result points into `text` and `room`. */
void point_read_text(uint8_t kind, const char *text, size_t length, char *room,
		     struct trace_point *point);

/* Reads the text after "point ". Returns false if it does not start with one of point_words. */
bool point_read_line(const char *text, size_t length, char *room, struct trace_point *point);

/* Can point_read_line() read this text? */
bool point_is_line(const char *text, size_t length);

/* Reads a recorded point. Defined in point.c. */
bool point_read_record(const struct trace *trace, const struct trace_event *event,
		       struct trace_point *point);

/* Returns the length of the function's name at the start of the text after "call " or "ret ". */
size_t point_text_name(const char *text);

/* Prints a point as the text after "point ", from which point_read_line() reads the same point. */
void point_print(FILE *out, const struct trace_point *point);

#endif
