/* How much of the processor's state vectors.S saves: decided before the first use. */
#include "runtime/vectors.h"

#include <cpuid.h>
#include <stdint.h>

/* For vectors.S. */
extern uint64_t vectors_bytes;
extern uint32_t vectors_mask;

uint64_t vectors_bytes = 512 + 64;
uint32_t vectors_mask = 0; /* 0: FXSAVE only */

/* x87, SSE, AVX, AVX-512: what compiled code may hold across an asm. Not AMX (8 KiB, and no
 * compiler keeps tiles there). */
#define STATE_MASK 0xe7u

void vectors_prepare(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		return;
	vectors_bytes = (b + 63) & ~63u;
	vectors_mask = a & STATE_MASK;
}
