/*
 * memcpy, memset, memcmp and others for the runtime's own use, including the calls that the
 * compiler generates. They are hidden symbols, so all calls in this library use them. Otherwise
 * they would use a memcpy that the program defines. If that one is instrumented, it would write
 * into the record that the runtime is just filling with its help.
 *
 * `rep movsb` is as fast as anything else from a few hundred bytes on, but takes 15 ns to start.
 * Short copies, such as those of structs, are therefore loops over words.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
int bcmp(const void *left, const void *right, size_t size);
size_t strlen(const char *text);

typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half __attribute__((aligned(1), may_alias));

/* Keeps gcc from turning the loop inside memcpy into a call of memcpy. */
#ifdef __clang__ /* -fno-builtin is enough for clang */
#define PLAIN
#else
#define PLAIN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

PLAIN void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *t = to;
	const uint8_t *f = from;
	void *start = to;

	if (size >= 8 && size <= 192) {
		word last = *(const word *)(f + size - 8);
		for (size_t i = 0; i + 8 < size; i += 8)
			*(word *)(t + i) = *(const word *)(f + i);
		*(word *)(t + size - 8) = last;
	} else if (size >= 4 && size < 8) {
		half first = *(const half *)f, last = *(const half *)(f + size - 4);
		*(half *)t = first;
		*(half *)(t + size - 4) = last;
	} else if (size < 4) {
		if (size)
			t[0] = f[0];
		if (size > 1) { /* of 2 bytes, the second is also the last */
			uint8_t last = f[size - 1];
			t[1] = f[1];
			t[size - 1] = last;
		}
	} else {
		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	}
	return start;
}

PLAIN void *memmove(void *to, const void *from, size_t size)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	if ((uintptr_t)t - (uintptr_t)f >= size)
		return memcpy(to, from, size);
	while (size--)
		t[size] = f[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	void *start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return start;
}

PLAIN int memcmp(const void *left, const void *right, size_t size)
{
	const uint8_t *l = left, *r = right;
	size_t i = 0;

	while (i + 8 <= size && *(const word *)(l + i) == *(const word *)(r + i))
		i += 8;
	for (; i < size; i++)
		if (l[i] != r[i])
			return l[i] - r[i];
	return 0;
}

int bcmp(const void *left, const void *right, size_t size)
{
	return memcmp(left, right, size);
}

PLAIN size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}
