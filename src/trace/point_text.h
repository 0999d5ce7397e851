/* Points as words: in text traces, and printed. */
#ifndef TRACE_POINT_TEXT_H
#define TRACE_POINT_TEXT_H

#include "trace/point.h"

#include <stdio.h>

#define POINT_KINDS 4
extern const char *const point_words[POINT_KINDS]; /* call exec return probe */

/* Bytes that `room` needs for a text of so many: names get a NUL. */
#define POINT_ROOM(length) ((length) + 4)

/* What follows "call ", "ret " or "probe ". Texts of the point are in `text` and in `room`. */
void point_read_text(uint8_t kind, const char *text, size_t length, char *room,
		     struct trace_point *point);

/* What follows "point ". False: it does not start with one of the words. */
bool point_read_line(const char *text, size_t length, char *room, struct trace_point *point);

/* Could point_read_line read it? */
bool point_is_line(const char *text, size_t length);

/* A recorded point: point.c. */
bool point_read_record(const struct trace *trace, const struct trace_event *event,
		       struct trace_point *point);

/* How long the function's name is in what follows "call " or "ret ". */
size_t point_text_name(const char *text);

/* What follows "point ", so that point_read_line reads the same. */
void point_print(FILE *out, const struct trace_point *point);

#endif
