/* Points as text: in text traces, and printed. */
#ifndef TRACE_POINT_TEXT_H
#define TRACE_POINT_TEXT_H

#include "trace/point.h"

#include <stdio.h>

#define POINT_KINDS 4
extern const char *const point_words[POINT_KINDS]; /* call exec return probe */

/* Bytes that `room` needs for a text of this length: names get a NUL. */
#define POINT_ROOM(length) ((length) + 4)

/* Reads what follows "call ", "ret " or "probe ". The point's texts are in `text` and `room`. */
void point_read_text(uint8_t kind, const char *text, size_t length, char *room,
		     struct trace_point *point);

/* Reads what follows "point ". Returns false if it does not start with one of the words. */
bool point_read_line(const char *text, size_t length, char *room, struct trace_point *point);

/* Can point_read_line() read it? */
bool point_is_line(const char *text, size_t length);

/* Reads a recorded point. Defined in point.c. */
bool point_read_record(const struct trace *trace, const struct trace_event *event,
		       struct trace_point *point);

/* Returns the length of the function's name in what follows "call " or "ret ". */
size_t point_text_name(const char *text);

/* Prints what follows "point ", so that point_read_line() reads the same. */
void point_print(FILE *out, const struct trace_point *point);

#endif
