/*
 * Functions that only read: lengths, searches for bytes, comparisons. They read as range.h
 * describes.
 */
#include "runtime/memory/range.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <ctype.h>
#include <stdbool.h>

#define FIRST_PIECE 64 /* smaller than RANGE_PIECE, because most strings are short */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void range_read(uintptr_t pc, const void *at, const void *bytes, size_t size, unsigned flags)
{
	if (size)
		record_access(EV_READ, pc, at, bytes, size, flags);
}

/* ---- searches for the first byte of a set ---------------------------------------------------- */

/* The bytes at which a scan stops: `one` and `other`, or the bytes of a set. */
struct scan_stop {
	unsigned char one, other;
	const bool *set; /* 256 entries, indexed by byte; NULL: stop at `one` or `other` */
};

static size_t first_stop(const unsigned char *bytes, size_t size, struct scan_stop stop)
{
	const unsigned char *at;
	size_t i = 0;

	if (stop.set) {
		while (i < size && !stop.set[bytes[i]])
			i++;
		return i;
	}
	if ((at = memchr(bytes, stop.one, size)))
		size = (size_t)(at - bytes);
	if (stop.other != stop.one && (at = memchr(bytes, stop.other, size)))
		size = (size_t)(at - bytes);
	return size;
}

/*
 * Reads at most `most` bytes from `from`, up to and including the first byte at which the scan
 * stops. Returns the number of bytes before that one. Stores the byte in `*hit`, or -1 if the scan
 * did not stop.
 */
static size_t scan_to_stop(uintptr_t pc, const char *from, size_t most, struct scan_stop stop,
			   int *hit)
{
	unsigned char piece[RANGE_PIECE];
	size_t want = FIRST_PIECE;

	*hit = -1;
	for (size_t done = 0; done < most; want = RANGE_PIECE) {
		size_t size = range_on_page(from + done, smaller(want, most - done));
		sched_before(EV_READ, from + done, (uint32_t)size, pc);
		memcpy(piece, from + done, size);
		size_t before = first_stop(piece, size, stop);
		range_read(pc, from + done, piece, smaller(before + 1, size), 0);
		if (before < size) {
			*hit = piece[before];
			return done + before;
		}
		done += size;
	}
	return most;
}

static struct scan_stop at_byte(int byte)
{
	return (struct scan_stop){ (unsigned char)byte, (unsigned char)byte, NULL };
}

static struct scan_stop at_byte_or_end(int byte)
{
	return (struct scan_stop){ 0, (unsigned char)byte, NULL };
}

size_t range_string_length(uintptr_t pc, const char *string, size_t most)
{
	return scan_to_stop(pc, string, most, at_byte(0), &(int){ 0 });
}

static void *find_byte(uintptr_t pc, const void *from, size_t size, int byte)
{
	int hit;
	size_t before = scan_to_stop(pc, from, size, at_byte(byte), &hit);

	return hit < 0 ? NULL : (char *)from + before;
}

static char *find_byte_or_end(uintptr_t pc, const char *string, int byte, int *hit)
{
	return (char *)string + scan_to_stop(pc, string, SIZE_MAX, at_byte_or_end(byte), hit);
}

static char *find_byte_in_string(uintptr_t pc, const char *string, int byte)
{
	int hit;
	char *found = find_byte_or_end(pc, string, byte, &hit);

	return hit == (unsigned char)byte ? found : NULL;
}

RANGE_FUNCTION(size_t, strlen, (const char *, string), true, pc,
	       range_string_length(pc, string, SIZE_MAX))
RANGE_FUNCTION(size_t, strnlen, (const char *, string, size_t, most), true, pc,
	       range_string_length(pc, string, most))
RANGE_FUNCTION(void *, memchr, (const void *, from, int, byte, size_t, size), true, pc,
	       find_byte(pc, from, size, byte))
RANGE_FUNCTION(void *, rawmemchr, (const void *, from, int, byte), true, pc,
	       (char *)from + scan_to_stop(pc, from, SIZE_MAX, at_byte(byte), &(int){ 0 }))
RANGE_FUNCTION(char *, strchrnul, (const char *, string, int, byte), true, pc,
	       find_byte_or_end(pc, string, byte, &(int){ 0 }))
RANGE_FUNCTION(char *, strchr, (const char *, string, int, byte), true, pc,
	       find_byte_in_string(pc, string, byte))

/* ---- sets of bytes --------------------------------------------------------------------------- */

/* Makes a set of the bytes of a string, without the terminating null. */
static void read_set(uintptr_t pc, const char *string, bool set[256])
{
	unsigned char piece[RANGE_PIECE];
	size_t size, before;

	memset(set, 0, 256);
	do {
		size = range_on_page(string, FIRST_PIECE);
		sched_before(EV_READ, string, (uint32_t)size, pc);
		memcpy(piece, string, size);
		before = first_stop(piece, size, at_byte(0));
		range_read(pc, string, piece, smaller(before + 1, size), 0);
		for (size_t i = 0; i < before; i++)
			set[piece[i]] = true;
		string += size;
	} while (before == size);
}

/*
 * Returns the length of the initial part of `string` that has only bytes of the set (`inside` is
 * true), or only bytes outside the set.
 */
static size_t span(uintptr_t pc, const char *string, const char *bytes, bool inside, int *hit)
{
	bool set[256];

	read_set(pc, bytes, set);
	set[0] = !inside;
	for (int i = 0; inside && i < 256; i++)
		set[i] = !set[i];
	return scan_to_stop(pc, string, SIZE_MAX, (struct scan_stop){ .set = set }, hit);
}

static char *find_byte_of_set(uintptr_t pc, const char *string, const char *accept)
{
	int hit;
	size_t before = span(pc, string, accept, false, &hit);

	return hit > 0 ? (char *)string + before : NULL;
}

RANGE_FUNCTION(size_t, strspn, (const char *, string, const char *, accept), true, pc,
	       span(pc, string, accept, true, &(int){ 0 }))
RANGE_FUNCTION(size_t, strcspn, (const char *, string, const char *, reject), true, pc,
	       span(pc, string, reject, false, &(int){ 0 }))
RANGE_FUNCTION(char *, strpbrk, (const char *, string, const char *, accept), true, pc,
	       find_byte_of_set(pc, string, accept))

/* ---- searches for the last byte -------------------------------------------------------------- */

static void *find_last_byte(uintptr_t pc, const char *from, int byte, size_t size)
{
	char piece[RANGE_PIECE];

	while (size > 0) {
		const char *end = from + size;
		size_t room = ((uintptr_t)(end - 1) & 4095) + 1;
		size_t some = smaller(smaller(size, room), RANGE_PIECE);
		sched_before(EV_READ, end - some, (uint32_t)some, pc);
		memcpy(piece, end - some, some);
		const char *last = memrchr(piece, byte, some);
		size_t skipped = last ? (size_t)(last - piece) : 0;
		range_read(pc, end - some + skipped, piece + skipped, some - skipped, 0);
		if (last)
			return (char *)end - some + skipped;
		size -= some;
	}
	return NULL;
}

static char *find_last_byte_in_string(uintptr_t pc, const char *string, int byte)
{
	const char *last = NULL;
	int hit;

	do {
		string = find_byte_or_end(pc, string, byte, &hit);
		if (hit == (unsigned char)byte)
			last = string;
		string++;
	} while (hit != 0);
	return (char *)last;
}

RANGE_FUNCTION(void *, memrchr, (const void *, from, int, byte, size_t, size), true, pc,
	       find_last_byte(pc, from, byte, size))
RANGE_FUNCTION(char *, strrchr, (const char *, string, int, byte), true, pc,
	       find_last_byte_in_string(pc, string, byte))

/* ---- comparisons ----------------------------------------------------------------------------- */

struct comparison {
	bool strings; /* the comparison ends where the strings end */
	bool fold;    /* upper and lower case letters are equal */
};

#define SHORT 16u

static int folded(unsigned char byte, bool fold)
{
	return fold ? tolower(byte) : byte;
}

/* Returns the index at which the copies differ or both strings end, or `size` if there is none. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t size,
			       struct comparison how)
{
	size_t i = 0;

	if (!how.strings && memcmp(a, b, size) == 0)
		return size;
	while (i < size && folded(a[i], how.fold) == folded(b[i], how.fold) &&
	       !(how.strings && a[i] == 0))
		i++;
	return i;
}

static bool is_short(const char *a, const char *b, size_t size)
{
	return size && size <= SHORT && range_on_page(a, range_on_page(b, size)) == size;
}

/*
 * Copies with overlapping loads, so some bytes are read twice. Only the copy is examined, so the
 * record has the bytes that the comparison has seen.
 */
static inline void copy_short(unsigned char to[SHORT], const char *from, size_t size)
{
	if (size >= 8) {
		__builtin_memcpy(to, from, 8);
		__builtin_memcpy(to + size - 8, from + size - 8, 8);
	} else if (size >= 4) {
		__builtin_memcpy(to, from, 4);
		__builtin_memcpy(to + size - 4, from + size - 4, 4);
	} else {
		for (size_t i = 0; i < size; i++)
			to[i] = (unsigned char)from[i];
	}
}

static inline size_t first_difference_of_words(const unsigned char a[SHORT],
					       const unsigned char b[SHORT], size_t size)
{
	for (size_t at = 0; at < size; at += 8) {
		uint64_t x, y;

		__builtin_memcpy(&x, a + at, 8);
		__builtin_memcpy(&y, b + at, 8);
		if (x != y)
			return at + (size_t)__builtin_ctzll(x ^ y) / 8;
	}
	return size;
}

/*
 * Most keys and names have at most SHORT bytes. For them, the calls in compare() would be half of
 * the cost.
 */
static int compare_short(uintptr_t pc, const char *a, const char *b, size_t size)
{
	unsigned char from_a[SHORT] = { 0 }, from_b[SHORT] = { 0 };

	sched_before(EV_READ, a, (uint32_t)size, pc);
	copy_short(from_a, a, size);
	copy_short(from_b, b, size);
	size_t i = first_difference_of_words(from_a, from_b, size), seen = smaller(i + 1, size);
	range_read(pc, a, from_a, seen, 0);
	range_read(pc, b, from_b, seen, 0);
	return i < size ? from_a[i] - from_b[i] : 0;
}

static int compare(uintptr_t pc, const char *a, const char *b, size_t most, struct comparison how)
{
	unsigned char from_a[RANGE_PIECE], from_b[RANGE_PIECE];
	size_t want = FIRST_PIECE;

	for (size_t done = 0; done < most; want = RANGE_PIECE) {
		size_t size = smaller(want, most - done);
		size = range_on_page(a + done, range_on_page(b + done, size));
		sched_before(EV_READ, a + done, (uint32_t)size, pc);
		memcpy(from_a, a + done, size);
		memcpy(from_b, b + done, size);
		size_t i = first_difference(from_a, from_b, size, how);
		range_read(pc, a + done, from_a, smaller(i + 1, size), 0);
		range_read(pc, b + done, from_b, smaller(i + 1, size), 0);
		if (i < size)
			return folded(from_a[i], how.fold) - folded(from_b[i], how.fold);
		done += size;
	}
	return 0;
}

static inline __attribute__((always_inline)) int compare_memory(uintptr_t pc, const void *a,
								const void *b, size_t size)
{
	return is_short(a, b, size) ? compare_short(pc, a, b, size)
				    : compare(pc, a, b, size, (struct comparison){ 0 });
}

RANGE_FUNCTION(int, memcmp, (const void *, a, const void *, b, size_t, size), true, pc,
	       compare_memory(pc, a, b, size))
RANGE_FUNCTION(int, bcmp, (const void *, a, const void *, b, size_t, size), true, pc,
	       compare_memory(pc, a, b, size))

static const struct comparison as_strings = { .strings = true };
static const struct comparison ignoring_case = { .strings = true, .fold = true };

RANGE_FUNCTION(int, strcmp, (const char *, a, const char *, b), true, pc,
	       compare(pc, a, b, SIZE_MAX, as_strings))
RANGE_FUNCTION(int, strncmp, (const char *, a, const char *, b, size_t, most), true, pc,
	       compare(pc, a, b, most, as_strings))
RANGE_FUNCTION(int, strcasecmp, (const char *, a, const char *, b), true, pc,
	       compare(pc, a, b, SIZE_MAX, ignoring_case))
RANGE_FUNCTION(int, strncasecmp, (const char *, a, const char *, b, size_t, most), true, pc,
	       compare(pc, a, b, most, ignoring_case))
