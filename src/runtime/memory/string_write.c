/*
 * Functions that write: copies of memory and strings, and fills. The bytes are copied from the
 * source into the record and from there to the destination, so the record has exactly the bytes
 * that were copied (range.h).
 */
#include "runtime/memory/heap.h"
#include "runtime/memory/range.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <stdbool.h>
#include <stdlib.h>

void __chk_fail(void) __attribute__((noreturn));

/* ---- memory ---------------------------------------------------------------------------------- */

static void sched_before_copy(uintptr_t pc, const char *to, const char *from, size_t size)
{
	if (sched_on()) {
		struct sched_op want = sched_op(EV_COPY, to, pc);
		want.other = (uintptr_t)from;
		want.size = (uint32_t)size;
		sched_wait_until_enabled(&want);
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

/*
 * Copies as memmove does: if the destination begins inside the source, copies the last piece first.
 */
static void copy_range(uintptr_t pc, char *to, const char *from, size_t size)
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

static void fill_range(uintptr_t pc, void *to, int byte, size_t size)
{
	if (size == 0)
		return;
	sched_before(EV_FILL, to, (uint32_t)size, pc);
	record(EV_FILL, pc,
	       (struct record_fields){ .a = (uintptr_t)to, .n = size, .m = (unsigned char)byte });
	memset(to, byte, size);
}

RANGE_FUNCTION(void *, memcpy, (void *, to, const void *, from, size_t, size), true, pc,
	       (copy_range(pc, to, from, size), to))
RANGE_FUNCTION(void *, memmove, (void *, to, const void *, from, size_t, size), true, pc,
	       (copy_range(pc, to, from, size), to))
RANGE_FUNCTION(void *, mempcpy, (void *, to, const void *, from, size_t, size), true, pc,
	       (copy_range(pc, to, from, size), (char *)to + size))
RANGE_FUNCTION(void *, memset, (void *, to, int, byte, size_t, size), true, pc,
	       (fill_range(pc, to, byte, size), to))

void __sooth_bcopy(const void *from, void *to, size_t size)
{
	if (record_on())
		copy_range(RECORD_CALLER, to, from, size);
	else
		memmove(to, from, size);
}

void __sooth_bzero(void *to, size_t size)
{
	if (record_on())
		fill_range(RECORD_CALLER, to, 0, size);
	else
		memset(to, 0, size);
}

/* ---- strings --------------------------------------------------------------------------------- */

/*
 * Copies at most `most` bytes of a string, including its terminating null. Returns the number of
 * bytes before the null, or `most` if there is none among these bytes; in that case, none is
 * written.
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

/*
 * Copies a string and fills the rest of the field with zeros. Returns the end of the string in the
 * field.
 */
static char *copy_field(uintptr_t pc, char *to, const char *from, size_t size)
{
	size_t length = copy_string(pc, to, from, size);

	if (length < size)
		fill_range(pc, to + length + 1, 0, size - length - 1);
	return to + length;
}

static char *append_string(uintptr_t pc, char *to, const char *from)
{
	copy_string(pc, to + range_string_length(pc, to, SIZE_MAX), from, SIZE_MAX);
	return to;
}

/* Appends at most `most` bytes and a terminating null to a string that ends at `end`. */
static void append_bytes(uintptr_t pc, char *end, const char *from, size_t most)
{
	if (copy_string(pc, end, from, most) == most)
		fill_range(pc, end + most, 0, 1);
}

RANGE_FUNCTION(char *, strcpy, (char *, to, const char *, from), true, pc,
	       (copy_string(pc, to, from, SIZE_MAX), to))
RANGE_FUNCTION(char *, stpcpy, (char *, to, const char *, from), true, pc,
	       to + copy_string(pc, to, from, SIZE_MAX))
RANGE_FUNCTION(char *, strncpy, (char *, to, const char *, from, size_t, size), true, pc,
	       (copy_field(pc, to, from, size), to))
RANGE_FUNCTION(char *, stpncpy, (char *, to, const char *, from, size_t, size), true, pc,
	       copy_field(pc, to, from, size))
RANGE_FUNCTION(char *, strcat, (char *, to, const char *, from), true, pc,
	       append_string(pc, to, from))
RANGE_FUNCTION(char *, strncat, (char *, to, const char *, from, size_t, most), true, pc,
	       (append_bytes(pc, to + range_string_length(pc, to, SIZE_MAX), from, most), to))

/*
 * Calls malloc by name, as the C library does. The program may define its own malloc, and will pass
 * the block to the matching free.
 */
static char *allocate(size_t size, uintptr_t pc)
{
	heap_call_from(pc);
	char *block = malloc(size);
	heap_call_from(0);
	return block;
}

static char *duplicate(uintptr_t pc, const char *string)
{
	size_t size = range_string_length(pc, string, SIZE_MAX) + 1;
	char *block = allocate(size, pc);

	if (block)
		copy_range(pc, block, string, size);
	return block;
}

static char *duplicate_part(uintptr_t pc, const char *string, size_t most)
{
	size_t length = range_string_length(pc, string, most);
	char *block = allocate(length + 1, pc);

	if (!block)
		return NULL;
	copy_range(pc, block, string, length);
	fill_range(pc, block + length, 0, 1);
	return block;
}

RANGE_FUNCTION(char *, strdup, (const char *, string), true, pc, duplicate(pc, string))
RANGE_FUNCTION(char *, strndup, (const char *, string, size_t, most), true, pc,
	       duplicate_part(pc, string, most))

/* ---- variants that check the size of the destination ----------------------------------------- */

/* Copies a string. If it does not fit into the room, ends the program, as the C library does. */
static size_t copy_checked(uintptr_t pc, char *to, const char *from, size_t room)
{
	size_t length = copy_string(pc, to, from, room);

	if (length == room)
		__chk_fail();
	return length;
}

/*
 * Appends at most `most` bytes of a string. If the result does not fit into the room, ends the
 * program.
 */
static char *append_checked(uintptr_t pc, char *to, const char *from, size_t most, size_t room)
{
	size_t length = range_string_length(pc, to, room);

	if (most >= room - length)
		copy_checked(pc, to + length, from, room - length);
	else
		append_bytes(pc, to + length, from, most);
	return to;
}

RANGE_FUNCTION(void *, __memcpy_chk, (void *, to, const void *, from, size_t, size, size_t, room),
	       size <= room, pc, (copy_range(pc, to, from, size), to))
RANGE_FUNCTION(void *, __memmove_chk, (void *, to, const void *, from, size_t, size, size_t, room),
	       size <= room, pc, (copy_range(pc, to, from, size), to))
RANGE_FUNCTION(void *, __mempcpy_chk, (void *, to, const void *, from, size_t, size, size_t, room),
	       size <= room, pc, (copy_range(pc, to, from, size), (char *)to + size))
RANGE_FUNCTION(void *, __memset_chk, (void *, to, int, byte, size_t, size, size_t, room),
	       size <= room, pc, (fill_range(pc, to, byte, size), to))
RANGE_FUNCTION(char *, __strcpy_chk, (char *, to, const char *, from, size_t, room), true, pc,
	       (copy_checked(pc, to, from, room), to))
RANGE_FUNCTION(char *, __stpcpy_chk, (char *, to, const char *, from, size_t, room), true, pc,
	       to + copy_checked(pc, to, from, room))
RANGE_FUNCTION(char *, __strncpy_chk, (char *, to, const char *, from, size_t, size, size_t, room),
	       size <= room, pc, (copy_field(pc, to, from, size), to))
RANGE_FUNCTION(char *, __strcat_chk, (char *, to, const char *, from, size_t, room), true, pc,
	       append_checked(pc, to, from, SIZE_MAX, room))
RANGE_FUNCTION(char *, __strncat_chk, (char *, to, const char *, from, size_t, most, size_t, room),
	       true, pc, append_checked(pc, to, from, most, room))
