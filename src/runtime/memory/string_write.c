/*
 * Functions that write: copies of memory and strings, and fills. See range.h: a copy goes from the
 * source into the record and from there to its destination.
 */
#include "runtime/memory/heap.h"
#include "runtime/memory/range.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <stdbool.h>
#include <stdlib.h>

void __chk_fail(void) __attribute__((noreturn));

/* ---- memory ------------------------------------------------------------------------------- */

static void sched_before_copy(uintptr_t pc, const char *to, const char *from, size_t size)
{
	if (sched_on()) {
		struct sched_want want = sched_want(EV_COPY, to, pc);
		want.other = (uintptr_t)from;
		want.size = (uint32_t)size;
		sched_take(&want);
	}
}

static void copy_piece(uintptr_t pc, char *to, const char *from, size_t size)
{
	sched_before_copy(pc, to, from, size);
	struct record_fields fields = { .a = (uintptr_t)to, .b = (uintptr_t)from, .n = size };
	void *contents = record_open(EV_COPY, pc, fields, size);

	if (!contents) {
		memmove(to, from, size);
		return;
	}
	memcpy(contents, from, size);
	memcpy(to, contents, size);
	record_close();
}

/* Copies as memmove does: a destination behind the source is written from its end. */
static void copy(uintptr_t pc, char *to, const char *from, size_t size)
{
	bool backward = (uintptr_t)to - (uintptr_t)from < size;

	while (size > RECORD_BYTES_MAX) {
		size -= RECORD_BYTES_MAX;
		if (backward) {
			copy_piece(pc, to + size, from + size, RECORD_BYTES_MAX);
		} else {
			copy_piece(pc, to, from, RECORD_BYTES_MAX);
			to += RECORD_BYTES_MAX;
			from += RECORD_BYTES_MAX;
		}
	}
	if (size > 0)
		copy_piece(pc, to, from, size);
}

static void fill(uintptr_t pc, void *to, int byte, size_t size)
{
	if (size == 0)
		return;
	sched_before(EV_FILL, to, (uint32_t)size, pc);
	record(EV_FILL, pc,
	       (struct record_fields){ .a = (uintptr_t)to, .n = size, .m = (unsigned char)byte });
	memset(to, byte, size);
}

void *__sooth_memcpy(void *restrict to, const void *restrict from, size_t size)
{
	if (!record_on())
		return memcpy(to, from, size);
	copy(RECORD_CALLER, to, from, size);
	return to;
}

void *__sooth_memmove(void *to, const void *from, size_t size)
{
	if (!record_on())
		return memmove(to, from, size);
	copy(RECORD_CALLER, to, from, size);
	return to;
}

void *__sooth_mempcpy(void *restrict to, const void *restrict from, size_t size)
{
	if (!record_on())
		return mempcpy(to, from, size);
	copy(RECORD_CALLER, to, from, size);
	return (char *)to + size;
}

void __sooth_bcopy(const void *from, void *to, size_t size)
{
	if (record_on())
		copy(RECORD_CALLER, to, from, size);
	else
		memmove(to, from, size);
}

void *__sooth_memset(void *to, int byte, size_t size)
{
	if (!record_on())
		return memset(to, byte, size);
	fill(RECORD_CALLER, to, byte, size);
	return to;
}

void __sooth_bzero(void *to, size_t size)
{
	if (record_on())
		fill(RECORD_CALLER, to, 0, size);
	else
		memset(to, 0, size);
}

/* ---- strings ------------------------------------------------------------------------------ */

/*
 * Copies at most `most` bytes of a string, its end included. Returns how many come before the end;
 * `most`: it has none there, and none was written.
 */
static size_t copy_string(uintptr_t pc, char *to, const char *from, size_t most)
{
	char piece[RANGE_PIECE];
	size_t done = 0;

	while (done < most) {
		size_t left = most - done;
		size_t size = range_on_page(from + done, left < RANGE_PIECE ? left : RANGE_PIECE);
		sched_before_copy(pc, to + done, from + done, size);
		memcpy(piece, from + done, size);
		const char *end = memchr(piece, 0, size);
		if (end)
			size = (size_t)(end - piece) + 1;
		struct record_fields fields = { .a = (uintptr_t)to + done,
						.b = (uintptr_t)from + done,
						.n = size };
		void *contents = record_open(EV_COPY, pc, fields, size);
		if (contents) {
			memcpy(contents, piece, size);
			record_close();
		}
		memcpy(to + done, piece, size);
		if (end)
			return done + size - 1;
		done += size;
	}
	return most;
}

char *__sooth_strcpy(char *restrict to, const char *restrict from)
{
	if (!record_on())
		return strcpy(to, from);
	copy_string(RECORD_CALLER, to, from, SIZE_MAX);
	return to;
}

char *__sooth_stpcpy(char *restrict to, const char *restrict from)
{
	if (!record_on())
		return stpcpy(to, from);
	return to + copy_string(RECORD_CALLER, to, from, SIZE_MAX);
}

/* What is left of the field is zeros. */
static char *copy_field(uintptr_t pc, char *to, const char *from, size_t size)
{
	size_t length = copy_string(pc, to, from, size);

	if (length < size)
		fill(pc, to + length + 1, 0, size - length - 1);
	return to + length;
}

char *__sooth_strncpy(char *restrict to, const char *restrict from, size_t size)
{
	if (!record_on())
		return strncpy(to, from, size);
	copy_field(RECORD_CALLER, to, from, size);
	return to;
}

char *__sooth_stpncpy(char *restrict to, const char *restrict from, size_t size)
{
	if (!record_on())
		return stpncpy(to, from, size);
	return copy_field(RECORD_CALLER, to, from, size);
}

char *__sooth_strcat(char *restrict to, const char *restrict from)
{
	uintptr_t pc = RECORD_CALLER;

	if (!record_on())
		return strcat(to, from);
	copy_string(pc, to + range_string_length(pc, to, SIZE_MAX), from, SIZE_MAX);
	return to;
}

/* At most `most` bytes, and always an end. */
static void append(uintptr_t pc, char *to, const char *from, size_t most)
{
	char *end = to + range_string_length(pc, to, SIZE_MAX);

	if (copy_string(pc, end, from, most) == most)
		fill(pc, end + most, 0, 1);
}

char *__sooth_strncat(char *restrict to, const char *restrict from, size_t most)
{
	if (!record_on())
		return strncat(to, from, most);
	append(RECORD_CALLER, to, from, most);
	return to;
}

/* As the C library does: the program may have a malloc of its own, and a free for what that gives. */
static char *allocate(size_t size, uintptr_t pc)
{
	heap_call_from(pc);
	char *block = malloc(size);
	heap_call_from(0);
	return block;
}

char *__sooth_strdup(const char *string)
{
	uintptr_t pc = RECORD_CALLER;

	if (!record_on())
		return strdup(string);
	size_t size = range_string_length(pc, string, SIZE_MAX) + 1;
	char *block = allocate(size, pc);
	if (block)
		copy(pc, block, string, size);
	return block;
}

char *__sooth_strndup(const char *string, size_t most)
{
	uintptr_t pc = RECORD_CALLER;

	if (!record_on())
		return strndup(string, most);
	size_t length = range_string_length(pc, string, most);
	char *block = allocate(length + 1, pc);
	if (!block)
		return NULL;
	copy(pc, block, string, length);
	fill(pc, block + length, 0, 1);
	return block;
}

/* ---- with the destination's size: the compiler's checks ----------------------------------- */

void *__sooth___memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
	if (!record_on() || size > room)
		return __memcpy_chk(to, from, size, room);
	copy(RECORD_CALLER, to, from, size);
	return to;
}

void *__sooth___memmove_chk(void *to, const void *from, size_t size, size_t room)
{
	if (!record_on() || size > room)
		return __memmove_chk(to, from, size, room);
	copy(RECORD_CALLER, to, from, size);
	return to;
}

void *__sooth___mempcpy_chk(void *to, const void *from, size_t size, size_t room)
{
	if (!record_on() || size > room)
		return __mempcpy_chk(to, from, size, room);
	copy(RECORD_CALLER, to, from, size);
	return (char *)to + size;
}

void *__sooth___memset_chk(void *to, int byte, size_t size, size_t room)
{
	if (!record_on() || size > room)
		return __memset_chk(to, byte, size, room);
	fill(RECORD_CALLER, to, byte, size);
	return to;
}

/* Bounded by the room: when the end did not come in it, the program is stopped as it would be. */
static size_t copy_checked(uintptr_t pc, char *to, const char *from, size_t room)
{
	size_t length = copy_string(pc, to, from, room);

	if (length == room)
		__chk_fail();
	return length;
}

char *__sooth___strcpy_chk(char *to, const char *from, size_t room)
{
	if (!record_on())
		return __strcpy_chk(to, from, room);
	copy_checked(RECORD_CALLER, to, from, room);
	return to;
}

char *__sooth___stpcpy_chk(char *to, const char *from, size_t room)
{
	if (!record_on())
		return __stpcpy_chk(to, from, room);
	return to + copy_checked(RECORD_CALLER, to, from, room);
}

char *__sooth___strncpy_chk(char *to, const char *from, size_t size, size_t room)
{
	if (!record_on() || size > room)
		return __strncpy_chk(to, from, size, room);
	copy_field(RECORD_CALLER, to, from, size);
	return to;
}

char *__sooth___strcat_chk(char *to, const char *from, size_t room)
{
	uintptr_t pc = RECORD_CALLER;

	if (!record_on())
		return __strcat_chk(to, from, room);
	size_t length = range_string_length(pc, to, room);
	copy_checked(pc, to + length, from, room - length);
	return to;
}

char *__sooth___strncat_chk(char *to, const char *from, size_t most, size_t room)
{
	uintptr_t pc = RECORD_CALLER;

	if (!record_on())
		return __strncat_chk(to, from, most, room);
	size_t length = range_string_length(pc, to, room);
	if (most >= room - length) {
		copy_checked(pc, to + length, from, room - length);
		return to;
	}
	if (copy_string(pc, to + length, from, most) == most)
		fill(pc, to + length + most, 0, 1);
	return to;
}
