/*
 * Semaphores that are used as mutexes: there is one token, and each thread takes it and gives it
 * back alternately. The rules for semaphores and those for locks allow the same orders of these
 * operations. But the clauses for locks are shorter, and saturation draws more conclusions from
 * them: windows that took seconds take milliseconds. Private to the solver.
 */
#ifndef ORDER_SOLVER_SEMAPHORE_MUTEX_H
#define ORDER_SOLVER_SEMAPHORE_MUTEX_H

#include "order/model/model.h"

/*
 * Makes a view of the model in which such semaphores are locks, too. Such a semaphore keeps its
 * posts and downs, but the solver only counts these. Its failed tries become those of the lock.
 * is_mutex[i] says whether semaphore i is such a semaphore. The view must not outlive the model.
 */
void semaphore_mutex_view_make(struct order_model *view, const struct order_model *model,
			       bool **is_mutex);
void semaphore_mutex_view_free(struct order_model *view, bool *is_mutex);

#endif
