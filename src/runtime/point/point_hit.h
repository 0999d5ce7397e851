/*
 * Handles a point that is on, in the cases that its own code (point_code.h) does not handle. Then
 * point_stub.S calls point_hit(). All of this uses general registers only, because the program's
 * vector registers are live and the compiler does not know of the call (save_vectors.h).
 */
#ifndef RUNTIME_POINT_POINT_HIT_H
#define RUNTIME_POINT_POINT_HIT_H

#include "event/point.h"
#include "runtime/point/point_operand.h"

/*
 * A point whose NOP was turned into a call. It is changed only while no thread runs the code around
 * it.
 */
struct point_site {
	uint64_t pc; /* address after the NOP */
	uint64_t name_hash;
	uint32_t function; /* the same at all points of a function's body, or at all its calls */
	uint8_t kind, flags;
	bool records;	  /* an event is requested here */
	bool pushes_call; /* BODY, CALL: the values are pushed, because a RETURN needs them */
	uint8_t count;	  /* number of operands */
	uint16_t pointed; /* arguments whose pointees are requested; bit 0: first argument */
	uint16_t texts;	  /* operands whose text matters, as bits */
	uint16_t most;	  /* largest payload in bytes; for a RETURN, without its call's values */
	struct point_operand operands[POINT_ARGUMENTS];
};

#define POINT_SITES_MAX 65536u
/* Largest size of the recorded arguments of one call; further arguments are not recorded. */
#define POINT_VALUES_MOST 3400u
extern struct point_site *point_sites; /* indexed by number, from 1 */

/*
 * `registers`: the program's 16 general registers, numbered as in point_operand.h, including its
 * rsp. `vectors`: the low 8 bytes of xmm0 to xmm15, or NULL if no operand needs them.
 */
void point_hit(uint64_t number, const uint64_t *registers, const uint64_t *vectors);

/* The code of a point jumps here, after it has pushed the point's number. */
void point_stub(void);
void point_stub_vectors(void);

/* Called when the calling thread ends. */
void point_end_thread(void);

#endif
