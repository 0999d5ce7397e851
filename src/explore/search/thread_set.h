/* The threads that a search interleaves. Other threads run only when they have to. */
#ifndef EXPLORE_SEARCH_THREAD_SET_H
#define EXPLORE_SEARCH_THREAD_SET_H

#include <stdbool.h>
#include <stdint.h>

struct thread_set {
	const bool *threads; /* by thread: is it in the set? NULL: all threads are */
	uint32_t count;	     /* length of `threads`; later threads are not in the set */
};

static inline bool thread_set_has(const struct thread_set *set, uint32_t thread)
{
	return !set->threads || (thread < set->count && set->threads[thread]);
}

#endif
