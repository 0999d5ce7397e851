/* How much of the processor's state save_vectors.S saves; determined before the first use. */
#include "runtime/host/save_vectors.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/* Used by save_vectors.S. */
extern uint64_t save_vectors_bytes;
extern uint32_t save_vectors_mask;
extern bool save_vectors_tells;

uint64_t save_vectors_bytes = 512 + 64;
uint32_t save_vectors_mask = 0; /* which components are saved; 0: only what FXSAVE saves */
bool save_vectors_tells;	/* the processor reports which components are in use */

/*
 * The components that compiled code may have in use across an asm statement: x87, SSE, AVX,
 * AVX-512. AMX is left out: it takes 8 KiB, and no compiler keeps tiles across such a statement.
 */
#define STATE_MASK 0xe7u
#define STATE_AVX 4u
#define XGETBV_1 4u /* bit in EAX of CPUID leaf 0xd, subleaf 1 */

void save_vectors_prepare(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		return;
	save_vectors_bytes = (b + 63) & ~63u;
	save_vectors_mask = a & STATE_MASK;
	if (!__get_cpuid_count(0xd, 1, &a, &b, &c, &d))
		return;
	save_vectors_tells = save_vectors_mask & STATE_AVX && a & XGETBV_1;
}
