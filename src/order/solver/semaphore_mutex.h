/*
 * Semaphores that are mutexes: at most one token, and each thread takes it and gives it back in
 * turns. Counting says the same of them as sections do, but clauses about sections are shorter
 * and saturation knows more of them: windows that took seconds take milliseconds. Private to the
 * solver.
 */
#ifndef ORDER_SOLVER_SEMAPHORE_MUTEX_H
#define ORDER_SOLVER_SEMAPHORE_MUTEX_H

#include "order/model/model.h"

/*
 * The model with such semaphores as locks, besides. They keep their posts and downs, which nobody
 * needs to look at any more except to count; their failed tries become those of the lock.
 * is_mutex[i] says which semaphores these are. The view must not outlive the model.
 */
void semaphore_mutex_view_make(struct order_model *view, const struct order_model *model,
			       bool **is_mutex);
void semaphore_mutex_view_free(struct order_model *view, bool *is_mutex);

#endif
