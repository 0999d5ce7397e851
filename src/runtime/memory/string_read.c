/* Functions that read: lengths, comparisons, searches. See range.h. */
#include "runtime/memory/range.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <ctype.h>
#include <stdbool.h>

#define FIRST_PIECE 64 /* most strings are short */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void range_read(uintptr_t pc, const void *at, const void *bytes, size_t size, unsigned flags)
{
	if (size)
		record_access(EV_READ, pc, at, bytes, size, flags);
}

/* ---- one range, forward, to the first byte of some set ------------------------------------ */

/* Two bytes that stop a scan, or a set of them. */
struct stop {
	unsigned char one, other;
	const bool *set; /* 256; NULL: only the two */
};

static size_t first_stop(const unsigned char *bytes, size_t size, struct stop stop)
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
 * Reads from `from` up to and including the first byte that stops, at most `most`. Returns how
 * many bytes come before it; `*hit` is the byte, or -1 when there was none.
 */
static size_t scan(uintptr_t pc, const char *from, size_t most, struct stop stop, int *hit)
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

static struct stop at_byte(int byte)
{
	return (struct stop){ (unsigned char)byte, (unsigned char)byte, NULL };
}

static struct stop at_byte_or_end(int byte)
{
	return (struct stop){ 0, (unsigned char)byte, NULL };
}

size_t range_string_length(uintptr_t pc, const char *string, size_t most)
{
	int hit;

	return scan(pc, string, most, at_byte(0), &hit);
}

size_t __sooth_strlen(const char *string)
{
	if (!record_on())
		return strlen(string);
	return range_string_length(RECORD_CALLER, string, SIZE_MAX);
}

size_t __sooth_strnlen(const char *string, size_t most)
{
	if (!record_on())
		return strnlen(string, most);
	return range_string_length(RECORD_CALLER, string, most);
}

void *__sooth_memchr(const void *from, int byte, size_t size)
{
	int hit;

	if (!record_on())
		return memchr(from, byte, size);
	size_t before = scan(RECORD_CALLER, from, size, at_byte(byte), &hit);
	return hit < 0 ? NULL : (char *)from + before;
}

void *__sooth_rawmemchr(const void *from, int byte)
{
	int hit;

	if (!record_on())
		return rawmemchr(from, byte);
	return (char *)from + scan(RECORD_CALLER, from, SIZE_MAX, at_byte(byte), &hit);
}

char *__sooth_strchrnul(const char *string, int byte)
{
	int hit;

	if (!record_on())
		return strchrnul(string, byte);
	return (char *)string + scan(RECORD_CALLER, string, SIZE_MAX, at_byte_or_end(byte), &hit);
}

char *__sooth_strchr(const char *string, int byte)
{
	int hit;

	if (!record_on())
		return strchr(string, byte);
	size_t before = scan(RECORD_CALLER, string, SIZE_MAX, at_byte_or_end(byte), &hit);
	return hit == (unsigned char)byte ? (char *)string + before : NULL;
}

/* ---- sets --------------------------------------------------------------------------------- */

/* The bytes of a string as a set; its end is left out. */
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

size_t __sooth_strspn(const char *string, const char *accept)
{
	bool set[256];
	int hit;

	if (!record_on())
		return strspn(string, accept);
	read_set(RECORD_CALLER, accept, set);
	for (int i = 0; i < 256; i++)
		set[i] = !set[i];
	return scan(RECORD_CALLER, string, SIZE_MAX, (struct stop){ .set = set }, &hit);
}

size_t __sooth_strcspn(const char *string, const char *reject)
{
	bool set[256];
	int hit;

	if (!record_on())
		return strcspn(string, reject);
	read_set(RECORD_CALLER, reject, set);
	set[0] = true;
	return scan(RECORD_CALLER, string, SIZE_MAX, (struct stop){ .set = set }, &hit);
}

char *__sooth_strpbrk(const char *string, const char *accept)
{
	bool set[256];
	int hit;

	if (!record_on())
		return strpbrk(string, accept);
	read_set(RECORD_CALLER, accept, set);
	set[0] = true;
	size_t before = scan(RECORD_CALLER, string, SIZE_MAX, (struct stop){ .set = set }, &hit);
	return hit > 0 ? (char *)string + before : NULL;
}

/* ---- the last one ------------------------------------------------------------------------- */

void *__sooth_memrchr(const void *from, int byte, size_t size)
{
	char piece[RANGE_PIECE];

	if (!record_on())
		return memrchr(from, byte, size);
	while (size > 0) {
		const char *end = (const char *)from + size;
		size_t room = ((uintptr_t)(end - 1) & 4095) + 1;
		size_t some = smaller(smaller(size, room), RANGE_PIECE);
		sched_before(EV_READ, end - some, (uint32_t)some, RECORD_CALLER);
		memcpy(piece, end - some, some);
		const char *last = memrchr(piece, byte, some);
		size_t skipped = last ? (size_t)(last - piece) : 0;
		range_read(RECORD_CALLER, end - some + skipped, piece + skipped, some - skipped, 0);
		if (last)
			return (char *)end - some + skipped;
		size -= some;
	}
	return NULL;
}

char *__sooth_strrchr(const char *string, int byte)
{
	const char *last = NULL;
	uintptr_t pc = RECORD_CALLER;
	int hit;

	if (!record_on())
		return strrchr(string, byte);
	do {
		string += scan(pc, string, SIZE_MAX, at_byte_or_end(byte), &hit);
		if (hit == (unsigned char)byte)
			last = string;
		string++;
	} while (hit != 0);
	return (char *)last;
}

/* ---- two ranges --------------------------------------------------------------------------- */

struct comparison {
	bool strings; /* ends with the string too */
	bool fold;    /* capitals are as small letters */
};

#define SHORT 16u

static int folded(unsigned char byte, bool fold)
{
	return fold ? tolower(byte) : byte;
}

/* The first place where the copies differ or both end; `size` when there is none. */
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

/* Each byte once, or twice if that is before it is looked at: the copy is what was seen. */
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

/* Keys of tables and names are mostly that short, and there the calls below are half of the cost. */
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

int __sooth_memcmp(const void *a, const void *b, size_t size)
{
	if (!record_on())
		return memcmp(a, b, size);
	if (is_short(a, b, size))
		return compare_short(RECORD_CALLER, a, b, size);
	return compare(RECORD_CALLER, a, b, size, (struct comparison){ 0 });
}

int __sooth_bcmp(const void *a, const void *b, size_t size)
{
	if (!record_on())
		return bcmp(a, b, size);
	if (is_short(a, b, size))
		return compare_short(RECORD_CALLER, a, b, size);
	return compare(RECORD_CALLER, a, b, size, (struct comparison){ 0 });
}

int __sooth_strcmp(const char *a, const char *b)
{
	if (!record_on())
		return strcmp(a, b);
	return compare(RECORD_CALLER, a, b, SIZE_MAX, (struct comparison){ .strings = true });
}

int __sooth_strncmp(const char *a, const char *b, size_t most)
{
	if (!record_on())
		return strncmp(a, b, most);
	return compare(RECORD_CALLER, a, b, most, (struct comparison){ .strings = true });
}

int __sooth_strcasecmp(const char *a, const char *b)
{
	if (!record_on())
		return strcasecmp(a, b);
	return compare(RECORD_CALLER, a, b, SIZE_MAX, (struct comparison){ true, true });
}

int __sooth_strncasecmp(const char *a, const char *b, size_t most)
{
	if (!record_on())
		return strncasecmp(a, b, most);
	return compare(RECORD_CALLER, a, b, most, (struct comparison){ true, true });
}
