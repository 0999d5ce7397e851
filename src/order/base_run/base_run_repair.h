/*
 * Works out the order of plain accesses from the values they saw.
 *
 * Events come in as trace/order.h delivers them: synchronisation and atomics in a possible order,
 * plain accesses of each thread somewhere between their neighbours. The repair holds back some
 * thousand events and each time emits the earliest one that fits. It follows the contents of memory
 * byte by byte: a read waits for its value, and a write waits for threads that are about to read
 * what it overwrites. Synchronisation keeps its order. If no event fits, the earliest is emitted
 * all the same; the consumer of the base run treats its value as unexplained.
 *
 * Verifying such an order is NP-hard (Gibbons and Korach 1997), so this is a heuristic. Its only
 * mistakes are reads that stay unexplained. It looks as far ahead as the recorded times leave the
 * order open.
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
 * then asks for the next one.
 */
bool base_run_repair_has_room(const struct base_run_repair *repair);
void base_run_repair_add(struct base_run_repair *repair, const struct base_run_event *event,
			 uint64_t time);

/* Returns the next event in the repaired order, valid until the next call. */
bool base_run_repair_next(struct base_run_repair *repair, struct base_run_event *event);

#endif
