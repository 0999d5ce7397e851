// A program with a memcpy of its own, instrumented: the runtime must not use it for its records.
// build: -fno-builtin
// gcc: -fno-tree-loop-distribute-patterns
// stdout: copied
#include <stdio.h>
#include <string.h>

void *memcpy(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;
	while (size--)
		*t++ = *f++;
	return to;
}

size_t strlen(const char *text)
{
	size_t length = 0;
	while (text[length])
		length++;
	return length;
}

char from[3000], to[3000];

int main(void)
{
	strcpy(from, "copied");
	for (int i = 0; i < 50; i++)
		memmove(to, from, sizeof(from));
	memcpy(to, from, strlen(from));
	puts(to);
	return 0;
}
