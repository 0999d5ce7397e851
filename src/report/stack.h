/*
 * Call stacks of events, with lines of the source. The trace has functions and return addresses.
 * Lines and inlined functions come from sites, which are exact, and from the debugging information
 * of the program.
 */
#ifndef REPORT_STACK_H
#define REPORT_STACK_H

#include "report/describe.h"

/* The most frames of a stack. Outer frames beyond that are left out. */
#define STACK_FRAMES 32

struct stack_maker;

/* `text`: the file name of a text trace, whose own lines serve as sites; NULL for other traces. */
struct stack_maker *stack_open(struct describe *describe, const char *text);
void stack_close(struct stack_maker *maker);

/*
 * Returns the number of frames. The innermost frame comes first. If `cursor` is NULL, finds only
 * the frames of the event itself.
 */
size_t stack_make(struct stack_maker *maker, const struct trace_cursor *cursor,
		  const struct trace_event *event, struct describe_frame frames[STACK_FRAMES]);

#endif
