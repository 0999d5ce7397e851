/*
 * What happens at a point that is on, where its own code (point_code.h) does not do it: point_stub.S
 * comes here. All of it uses general registers only, since the program's vector registers are live and
 * the compiler does not know of the call (save_vectors.h).
 */
#ifndef RUNTIME_POINT_POINT_HIT_H
#define RUNTIME_POINT_POINT_HIT_H

#include "event/point.h"
#include "runtime/point/point_operand.h"

/* A point that is patched. They are written while the program does not run the code they are in. */
struct point_site {
	uint64_t pc; /* behind the NOP */
	uint64_t name_hash;
	uint32_t function; /* the same for all points of one function, of its body or of calls */
	uint8_t kind, flags;
	bool records;	  /* an event is wanted */
	bool remembers;	  /* BODY, CALL: a RETURN wants to know of it */
	uint8_t count;	  /* of operands */
	uint16_t pointed; /* arguments of which the contents are wanted; bit 0: the first */
	uint16_t texts;	  /* operands that are strings whose text matters */
	uint16_t most;	  /* bytes its payload can take; RETURN: beside the values of its call */
	struct point_operand operands[POINT_ARGUMENTS];
};

#define POINT_SITES_MAX 65536u
/* Bytes that the arguments of one call may take; others are not kept. */
#define POINT_VALUES_MOST 3400u
extern struct point_site *point_sites; /* number n is point_sites[n]; there is no 0 */

/*
 * `registers`: 16 as point_operand.h numbers them, rsp as it is in the program; `vectors`: the low
 * halves of xmm0 to 15, or NULL where no operand needs them.
 */
void point_hit(uint64_t number, const uint64_t *registers, const uint64_t *vectors);

/* Entered by a jump from the code of a point, which has pushed the number. */
void point_stub(void);
void point_stub_vectors(void);

/* The calling thread has come to its end. */
void point_end_thread(void);

#endif
