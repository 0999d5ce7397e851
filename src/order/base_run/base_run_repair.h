/*
 * The order of plain accesses, worked out from what they saw.
 *
 * Events come in as trace/order.h gives them: synchronisation and atomics in an order that can have
 * been, plain accesses of each thread somewhere between their neighbours. Some thousands are held
 * back, and each time the earliest may go that fits: memory is followed byte by byte, a read waits
 * for its value, and a write for those who are about to read what it overwrites. Synchronisation
 * keeps its order. When nobody can go the earliest goes all the same: what it does not fit is for
 * those who walk along to explain.
 *
 * To verify such an order is NP-hard (Gibbons and Korach 1997), so this is a heuristic; but it is
 * only ever wrong by leaving reads unexplained. It looks as far ahead as clocks leave open.
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_REPAIR_H
#define ORDER_BASE_RUN_BASE_RUN_REPAIR_H

#include "order/base_run/base_run.h"

struct share_survey;
struct base_run_repair;

/* A trace with more lanes than these bits can number is not repaired. */
#define BASE_RUN_REPAIR_LANE_BITS 20

struct base_run_repair *base_run_repair_open(const struct share_survey *survey);
void base_run_repair_close(struct base_run_repair *repair);

/* Is there room for more? It must be filled, or the end be said, before the next one is taken. */
bool base_run_repair_wants(const struct base_run_repair *repair);
void base_run_repair_put(struct base_run_repair *repair, const struct base_run_event *event,
			 uint64_t time);

/* The next event in the repaired order; good until the next call. */
bool base_run_repair_take(struct base_run_repair *repair, struct base_run_event *event);

#endif
