/*
 * Call stacks of events in terms of the source. The trace has functions and return addresses. Lines
 * and inlined functions come from sites, which are exact, and from the program's debugging
 * information.
 */
#ifndef REPORT_STACK_H
#define REPORT_STACK_H

#include "report/describe.h"

/* Outer frames of deeper stacks are left out. */
#define STACK_FRAMES 32

struct stack_maker;

/* `text` is the file of a text trace, whose lines serve as sites; NULL for other traces. */
struct stack_maker *stack_open(struct describe *describe, const char *text);
void stack_close(struct stack_maker *maker);

/* Returns the number of frames, innermost first. Without a cursor only the event's own frames. */
size_t stack_make(struct stack_maker *maker, const struct trace_cursor *cursor,
		  const struct trace_event *event, struct describe_frame frames[STACK_FRAMES]);

#endif
