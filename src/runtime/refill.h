/* The cold path of instrumented code; refill.S. */
#ifndef RUNTIME_REFILL_H
#define RUNTIME_REFILL_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t refill_state_bytes;
extern uint32_t refill_state_mask;
void refill_prepare(void);

/* Opens the next page of the calling thread's lane. False: there is more to do (lane_refill).
 * Uses general registers only. */
bool lane_page(void);

/* Makes room in the calling thread's lane, whatever it takes. */
void lane_refill(void);

#endif
