/*
 * The slow way of a point that is on, for cases that its own code (point_code.h) does not handle:
 * point_stub.S calls point_hit(). All of it uses general registers only, since the program's vector
 * registers are live and the compiler does not know of the call (save_vectors.h).
 */
#ifndef RUNTIME_POINT_POINT_HIT_H
#define RUNTIME_POINT_POINT_HIT_H

#include "event/point.h"
#include "runtime/point/point_operand.h"

/* A point that is patched. It is written while no thread runs the code around it. */
struct point_site {
	uint64_t pc; /* after the NOP */
	uint64_t name_hash;
	uint32_t function; /* the same for all points of one function's body, or of calls of it */
	uint8_t kind, flags;
	bool records;	  /* an event is requested */
	bool pushes_call; /* BODY, CALL: a RETURN needs its values */
	uint8_t count;	  /* number of operands */
	uint16_t pointed; /* arguments whose pointees are requested; bit 0: the first */
	uint16_t texts;	  /* operands that are strings whose text matters */
	uint16_t most; /* largest payload, in bytes; for RETURN, without the values of the call */
	struct point_operand operands[POINT_ARGUMENTS];
};

#define POINT_SITES_MAX 65536u
/* Largest size of the arguments of one call; further arguments are not kept. */
#define POINT_VALUES_MOST 3400u
extern struct point_site *point_sites; /* number n is point_sites[n]; there is no 0 */

/*
 * `registers`: 16 of them, numbered as in point_operand.h, with the program's rsp; `vectors`: the
 * low halves of xmm0 to 15, or NULL if no operand needs them.
 */
void point_hit(uint64_t number, const uint64_t *registers, const uint64_t *vectors);

/* Entered by a jump from the code of a point, which has pushed the number. */
void point_stub(void);
void point_stub_vectors(void);

/* The calling thread ends. */
void point_end_thread(void);

#endif
