/*
 * Semaphores that are used as mutexes: they have at most one token, and each thread takes it and
 * gives it back alternately. Counting and sections constrain them equally, but clauses about
 * sections are shorter, and saturation draws more conclusions from them: windows that took seconds
 * take milliseconds. Private to the solver.
 */
#ifndef ORDER_SOLVER_SEMAPHORE_MUTEX_H
#define ORDER_SOLVER_SEMAPHORE_MUTEX_H

#include "order/model/model.h"

/*
 * Makes a view of the model in which such semaphores are locks, too. They keep their posts and
 * downs, which are only counted from now on; their failed tries become failed tries of the lock.
 * is_mutex[i] says whether semaphore i is one of them. The view must not outlive the model.
 */
void semaphore_mutex_view_make(struct order_model *view, const struct order_model *model,
			       bool **is_mutex);
void semaphore_mutex_view_free(struct order_model *view, bool *is_mutex);

#endif
