/* The cold path of instrumented code; refill.S. */
#ifndef RUNTIME_BUFFER_REFILL_H
#define RUNTIME_BUFFER_REFILL_H

#include <stdbool.h>

/* Opens the next page of the calling thread's lane. False: there is more to do (thread_buffer_refill).
 * Uses general registers only. */
bool thread_buffer_page(void);
/* The same when that is done which is due before the next event. */
bool thread_buffer_next_page(void);

/* Makes room in the calling thread's lane, whatever it takes. */
void thread_buffer_refill(void);

#endif
