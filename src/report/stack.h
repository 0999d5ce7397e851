/*
 * Stacks in terms of the source: where an event is, then the calls that are open there. The trace
 * knows functions and return addresses; lines, and what was inlined, come from sites (exact) and
 * from the program's debugging information.
 */
#ifndef REPORT_STACK_H
#define REPORT_STACK_H

#include "report/describe.h"

/* Deeper stacks are cut at the outer end. */
#define STACK_FRAMES 32

struct stack_maker;

/* `text` is the file of a text trace, whose lines are the places; NULL for all others. */
struct stack_maker *stack_open(struct describe *describe, const char *text);
void stack_close(struct stack_maker *maker);

/* Innermost first; how many. Without a cursor only the event's own frames. */
size_t stack_make(struct stack_maker *maker, const struct trace_cursor *cursor,
		  const struct trace_event *event, struct describe_frame frames[STACK_FRAMES]);

#endif
