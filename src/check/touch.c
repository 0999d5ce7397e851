/*
 * Which bytes and sync objects an event touches, and whether it begins, ends or uses their
 * lifetime.
 */
#include "check/touch.h"

static void add_range(struct checker_touch *touch, uint64_t first, uint64_t size)
{
	if (size)
		touch->ranges[touch->range_count++] =
			(struct checker_range){ 0, first, checker_last_address(first, size) };
}

static enum checker_role memory_role(const struct checker_record *record)
{
	switch (record->kind) {
	case EV_ALLOC:
	case EV_MAP:
	case EV_FD_OPEN:
	case EV_BEGIN: return CHECKER_BEGINS;
	case EV_FREE:
	case EV_UNMAP:
	case EV_FD_CLOSE:
	case EV_END: return CHECKER_ENDS;
	}
	return CHECKER_USES;
}

enum checker_role checker_object_role(const struct checker_record *record)
{
	switch (record->kind) {
	case EV_LOCK_INIT:
	case EV_COND_INIT:
	case EV_SEM_INIT:
	case EV_BARRIER_INIT: return CHECKER_BEGINS;
	case EV_LOCK_DESTROY:
	case EV_COND_DESTROY:
	case EV_SEM_DESTROY:
	case EV_BARRIER_DESTROY: return CHECKER_ENDS;
	}
	return CHECKER_USES;
}

struct checker_touch checker_touch_of(const struct checker_base *base, uint32_t number)
{
	const struct checker_record *record = checker_base_record(base, number);
	struct checker_touch touch = { .memory = memory_role(record),
				       .object = checker_object_role(record) };

	if (touch.memory != CHECKER_USES) {
		touch.range_count = checker_base_lifetime(base, number, &touch.ranges[0]);
		return touch;
	}
	if (record->kind == EV_FD_USE)
		add_range(&touch, record->address, 1);
	else if (checker_is_access(record))
		add_range(&touch, record->address, record->size);
	touch.operand_count = checker_operands(record, touch.operands);
	for (unsigned i = 0; i < touch.operand_count; i++)
		add_range(&touch, touch.operands[i].address, 1);
	return touch;
}

bool checker_range_meet(const struct checker_range *a, const struct checker_range *b,
			struct checker_range *common)
{
	common->first = a->first > b->first ? a->first : b->first;
	common->last = a->last < b->last ? a->last : b->last;
	return common->first <= common->last;
}

bool checker_touch_same(const struct checker_touch *a, const struct checker_touch *b)
{
	for (unsigned i = 0; i < a->operand_count; i++) {
		for (unsigned k = 0; k < b->operand_count; k++) {
			if (a->operands[i].class == b->operands[k].class &&
			    a->operands[i].address == b->operands[k].address)
				return true;
		}
	}
	return false;
}

bool checker_lifetimes_bind(const struct checker_touch *a, const struct checker_touch *b)
{
	struct checker_range common;
	bool memory = a->memory != CHECKER_USES || b->memory != CHECKER_USES;

	for (unsigned i = 0; memory && i < a->range_count; i++) {
		for (unsigned k = 0; k < b->range_count; k++) {
			if (checker_range_meet(&a->ranges[i], &b->ranges[k], &common))
				return true;
		}
	}
	return (a->object != CHECKER_USES || b->object != CHECKER_USES) && checker_touch_same(a, b);
}
