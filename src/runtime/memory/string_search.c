/* memmem and strstr: search for a range or string in another. They read as range.h describes. */
#include "runtime/memory/range.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <stdbool.h>

#define NEEDLE_MAX 256 /* longer needle: the C library searches, and reads are recorded inexact */

/* Records a range that the C library has read. The bytes may have changed since then. */
static void read_inexact(uintptr_t pc, const char *at, size_t size)
{
	char piece[RANGE_PIECE];

	while (size > 0) {
		size_t some = size < sizeof(piece) ? size : sizeof(piece);
		sched_before(EV_READ, at, (uint32_t)some, pc);
		memcpy(piece, at, some);
		range_read(pc, at, piece, some, EF_INEXACT);
		at += some;
		size -= some;
	}
}

/*
 * Reads a string and copies it to `keep`, as far as it fits. Returns its length, which may exceed
 * `room`.
 */
static size_t keep_string(uintptr_t pc, const char *string, char *keep, size_t room)
{
	size_t length = 0;

	for (;;) {
		char piece[RANGE_PIECE];
		size_t size = range_on_page(string + length, sizeof(piece));
		sched_before(EV_READ, string + length, (uint32_t)size, pc);
		memcpy(piece, string + length, size);
		const char *end = memchr(piece, 0, size);
		size_t before = end ? (size_t)(end - piece) : size;
		range_read(pc, string + length, piece, end ? before + 1 : size, 0);
		if (length < room)
			memcpy(keep + length, piece,
			       before < room - length ? before : room - length);
		length += before;
		if (end)
			return length;
	}
}

/*
 * Finds the first `needle`, a copy of 1 to NEEDLE_MAX bytes, in `most` bytes or in a string that
 * ends before that. Reads up to the end of the needle that is found. The window contains a piece of
 * `hay`, preceded by the last bytes of the previous piece, because the needle may begin in them.
 */
static const char *search_by_pieces(uintptr_t pc, const char *hay, size_t most, bool is_string,
				    const char *needle, size_t length)
{
	char window[NEEDLE_MAX + RANGE_PIECE];
	size_t kept = 0;

	for (size_t done = 0; done < most;) {
		const char *at = hay + done;
		char *fresh = window + kept;
		size_t left = most - done;
		size_t size = range_on_page(at, left < RANGE_PIECE ? left : RANGE_PIECE);
		sched_before(EV_READ, at, (uint32_t)size, pc);
		memcpy(fresh, at, size);
		const char *end = is_string ? memchr(fresh, 0, size) : NULL;
		size_t usable = end ? (size_t)(end - fresh) : size;
		const char *found = memmem(window, kept + usable, needle, length);
		if (found) {
			range_read(pc, at, fresh, (size_t)(found + length - fresh), 0);
			return at + (found - fresh);
		}
		range_read(pc, at, fresh, end ? usable + 1 : size, 0);
		if (end)
			return NULL;
		done += size;
		size_t keep = kept + size < length - 1 ? kept + size : length - 1;
		memmove(window, fresh + size - keep, keep);
		kept = keep;
	}
	return NULL;
}

static char *find_memory(uintptr_t pc, const char *hay, size_t size, const char *needle,
			 size_t length)
{
	char copy[NEEDLE_MAX];

	if (length > NEEDLE_MAX) {
		char *found = memmem(hay, size, needle, length);
		read_inexact(pc, needle, length);
		read_inexact(pc, hay, found ? (size_t)(found - hay) + length : size);
		return found;
	}
	sched_before(EV_READ, needle, (uint32_t)length, pc);
	memcpy(copy, needle, length);
	range_read(pc, needle, copy, length, 0);
	return (char *)search_by_pieces(pc, hay, size, false, copy, length);
}

static char *find_string(uintptr_t pc, const char *hay, const char *needle)
{
	char copy[NEEDLE_MAX];
	size_t length = keep_string(pc, needle, copy, NEEDLE_MAX);

	if (length == 0)
		return (char *)hay;
	if (length > NEEDLE_MAX) {
		char *found = strstr(hay, needle);
		read_inexact(pc, hay, found ? (size_t)(found - hay) + length : strlen(hay) + 1);
		return found;
	}
	return (char *)search_by_pieces(pc, hay, SIZE_MAX, true, copy, length);
}

RANGE_FUNCTION(void *, memmem,
	       (const void *, hay, size_t, size, const void *, needle, size_t, length),
	       length != 0 && size >= length, pc, find_memory(pc, hay, size, needle, length))
RANGE_FUNCTION(char *, strstr, (const char *, hay, const char *, needle), true, pc,
	       find_string(pc, hay, needle))
