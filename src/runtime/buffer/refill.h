/* The cold path of instrumented code; see refill.S. */
#ifndef RUNTIME_BUFFER_REFILL_H
#define RUNTIME_BUFFER_REFILL_H

#include <stdbool.h>

/*
 * Opens the next page of the calling thread's buffer. Returns false if there is more to do: call
 * thread_buffer_refill(). Uses general registers only.
 */
bool thread_buffer_page(void);
/* Does the same without a check for a deferred event: call after it was recorded. */
bool thread_buffer_next_page(void);

/*
 * Does all that may be needed before the calling thread writes its next segment: opens its first
 * buffer, records the deferred event, or writes the full buffer to the log.
 */
void thread_buffer_refill(void);

#endif
