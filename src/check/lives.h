/*
 * What an event does to lives: which bytes and which sync objects it touches, and whether it begins
 * or ends their life or only uses them. doc/prediction.md, "Lives".
 */
#ifndef CHECK_LIVES_H
#define CHECK_LIVES_H

#include "check/base.h"

enum checker_role { CHECKER_USES, CHECKER_BEGINS, CHECKER_ENDS };

struct checker_touch {
	unsigned range_count; /* of bytes: an access, a life, the first byte of each object */
	struct checker_range ranges[2];
	enum checker_role memory; /* what it does to the bytes */
	unsigned operand_count;
	struct checker_operand operands[2];
	enum checker_role object; /* … to the objects */
};

struct checker_touch checker_touch_of(const struct checker_base *base, uint32_t number);

/* The bytes that two ranges have in common; false: none. */
bool checker_range_meet(const struct checker_range *a, const struct checker_range *b,
			struct checker_range *common);

/* Have they a sync object in common? */
bool checker_touch_same(const struct checker_touch *a, const struct checker_touch *b);

/* Do lives keep the base order of the two? */
bool checker_lives_bind(const struct checker_touch *a, const struct checker_touch *b);

#endif
