/* The cold path of instrumented code; refill.S. */
#ifndef RUNTIME_REFILL_H
#define RUNTIME_REFILL_H

#include <stdbool.h>

/* Opens the next page of the calling thread's lane. False: there is more to do (lane_refill).
 * Uses general registers only. */
bool lane_page(void);
/* The same when that is done which is due before the next event. */
bool lane_next_page(void);

/* Makes room in the calling thread's lane, whatever it takes. */
void lane_refill(void);

#endif
