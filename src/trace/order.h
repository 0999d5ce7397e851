/*
 * All events of a trace, one after the other, in an order that can have been.
 *
 * Each stream keeps its order. Of the heads that may come next the one with the lowest time comes:
 * an event with a sequence number after those of its object with lower numbers, a mutex when it
 * is free, a thread after its creation, a join after the end, a handler where it cut in. Times are
 * exact only at records that carry one: plain accesses between two of them come in one go. In a
 * text trace it is the order of its lines. In a controlled recording it is the recorded order itself,
 * as far as the schedule goes.
 *
 * Costs one pass over the trace before the first event, and 16 bytes for each numbered event;
 * nothing of that with a schedule.
 */
#ifndef TRACE_ORDER_H
#define TRACE_ORDER_H

#include "trace/trace.h"

struct trace_order;

struct trace_order *trace_order_open(const struct trace *trace);
void trace_order_close(struct trace_order *order);

/* The next event; its pointers are good until the next call. False at the end. */
bool trace_order_next(struct trace_order *order, struct trace_event *event);

/* The cursor that the last event came from: for its stack. */
const struct trace_cursor *trace_order_cursor(const struct trace_order *order);

/* Was the last event out of order? Nothing could come next, and this was the earliest. */
bool trace_order_was_forced(const struct trace_order *order);

/* What stopped streams before their end, so far. */
size_t trace_order_failure_count(const struct trace_order *order);
const char *trace_order_failure(const struct trace_order *order, size_t i);

#endif
