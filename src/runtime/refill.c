/* How much vector state refill.S saves: decided before the first use, from what the CPU has. */
#include "runtime/refill.h"

#include <cpuid.h>

uint64_t refill_state_bytes = 512 + 64;
uint32_t refill_state_mask = 0; /* 0: FXSAVE only */

/* x87, SSE, AVX, AVX-512: what compiled code may hold across an asm. Not AMX (8 KiB, and no
 * compiler keeps tiles there). */
#define STATE_MASK 0xe7u

void refill_prepare(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		return;
	refill_state_bytes = (b + 63) & ~63u;
	refill_state_mask = a & STATE_MASK;
}
