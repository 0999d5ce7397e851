/*
 * Reads all events of a trace in one possible total order.
 *
 * Each stream keeps its order. Of the events that may come next, the one with the lowest time comes
 * first. An event with a sequence number comes after all events of its object with lower numbers,
 * an acquire when the mutex is free, a thread after its creation, a join after the thread's end,
 * and a handler at the position where it interrupts. Only some records have a time: the plain
 * accesses between two of them come one directly after the other. A text trace has the order of its
 * lines. A controlled recording has the order of its schedule, up to the end of the schedule.
 *
 * Without a schedule, this costs one pass over the trace before the first event, and 16 bytes for
 * each event with a sequence number.
 */
#ifndef TRACE_ORDER_H
#define TRACE_ORDER_H

#include "trace/trace.h"

struct trace_order;

struct trace_order *trace_order_open(const struct trace *trace);
void trace_order_close(struct trace_order *order);

/* Returns the next event; its pointers are valid until the next call. Returns false at the end. */
bool trace_order_next(struct trace_order *order, struct trace_event *event);

/* Returns the cursor that the last event came from, for its call stack. */
const struct trace_cursor *trace_order_cursor(const struct trace_order *order);

/* Was no event possible when the last event was returned, so that it was only the earliest one? */
bool trace_order_was_forced(const struct trace_order *order);

/* Messages about the streams that could not be read to their end, so far. */
size_t trace_order_failure_count(const struct trace_order *order);
const char *trace_order_failure(const struct trace_order *order, size_t i);

#endif
