/*
 * Determines the order of plain accesses from the values that they saw.
 *
 * Events are added in the order of trace/order.h. There, synchronisation and atomics are in a
 * possible order, but a plain access is only ordered with its own thread. The repair holds back
 * some thousand events and always emits the earliest one that fits. It follows the contents of
 * memory byte by byte: a read waits for its value, and a write waits for threads that will read the
 * value that it overwrites. Synchronisation keeps its order. If no event fits, the repair emits one
 * that does not fit; the consumer of the base run treats the value of such a read as unexplained.
 *
 * Verifying such an order is NP-hard (Gibbons and Korach 1997), so this is a heuristic. Its only
 * mistakes are reads that stay unexplained. It looks ahead as far as the recorded times do not
 * determine the order.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_REPAIR_H
#define ORDER_BASE_RUN_BASE_RUN_REPAIR_H

#include "order/base_run/base_run.h"

struct share_survey;
struct base_run_repair;

/* A trace with more owners than these bits can number is not repaired. */
#define BASE_RUN_REPAIR_OWNER_BITS 20

struct base_run_repair *base_run_repair_open(const struct share_survey *survey);
void base_run_repair_close(struct base_run_repair *repair);

/*
 * Is there room for more events? The caller adds events until there is no room or no event left,
 * and then calls base_run_repair_next().
 */
bool base_run_repair_has_room(const struct base_run_repair *repair);
void base_run_repair_add(struct base_run_repair *repair, const struct base_run_event *event,
			 uint64_t time);

/* Returns the next event in the repaired order, valid until the next call. */
bool base_run_repair_next(struct base_run_repair *repair, struct base_run_event *event);

#endif
