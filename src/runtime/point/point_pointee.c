/*
 * Looks as steps of a controlled run. Each reads twice: first to find the size, then again when the
 * thread has the turn.
 */
#include "runtime/point/point_pointee.h"

#include "event/event.h"
#include "event/point.h"
#include "runtime/point/point_read.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

unsigned point_pointee_text(uintptr_t pc, uint64_t address, uint8_t *to)
{
	unsigned length = point_read_text(to, address, POINT_STRING_MOST), bytes;

	if (length == POINT_STRING_UNREADABLE)
		return length;
	sched_before(EV_READ, (const void *)address, (length & ~POINT_STRING_CUT) + 1, pc);
	length = point_read_text(to, address, POINT_STRING_MOST);
	if (length == POINT_STRING_UNREADABLE)
		return length;
	bytes = length & ~POINT_STRING_CUT;
	if (length == bytes)
		to[bytes++] = 0; /* the terminating NUL was read, too */
	record_access(EV_READ, pc, (const void *)address, to, bytes, EF_LOOK);
	return length;
}

bool point_pointee(uintptr_t pc, uint64_t address, unsigned size, uint64_t *value)
{
	*value = 0;
	if (!point_read((uint8_t *)value, address, size))
		return false;
	sched_before(EV_READ, (const void *)address, size, pc);
	if (!point_read((uint8_t *)value, address, size))
		return false;
	record_access(EV_READ, pc, (const void *)address, value, size, EF_LOOK);
	return true;
}
