/*
 * What an event does to lifetimes: which bytes and sync objects it touches, and whether it begins
 * or ends their lifetime or only uses them. doc/prediction.md, "Lifetimes".
 */
#ifndef CHECK_TOUCH_H
#define CHECK_TOUCH_H

#include "check/base.h"

enum checker_role { CHECKER_USES, CHECKER_BEGINS, CHECKER_ENDS };

struct checker_touch {
	/* ranges of bytes: those of an access or a lifetime, or the first byte of each object */
	unsigned range_count;
	struct checker_range ranges[2];
	enum checker_role memory; /* what it does to the bytes */
	unsigned operand_count;
	struct checker_operand operands[2];
	enum checker_role object; /* what it does to the objects */
};

/* Does the event begin or end the lifetime of its sync object? */
enum checker_role checker_object_role(const struct checker_record *record);

struct checker_touch checker_touch_of(const struct checker_base *base, uint32_t number);

/* Computes the bytes that two ranges have in common; false if there are none. */
bool checker_range_meet(const struct checker_range *a, const struct checker_range *b,
			struct checker_range *common);

/* Do the two events operate on a common synchronisation object? */
bool checker_touch_same(const struct checker_touch *a, const struct checker_touch *b);

/* Do the rules for lifetimes demand that the two events keep their base order? */
bool checker_lifetimes_bind(const struct checker_touch *a, const struct checker_touch *b);

#endif
