#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *some(void *p)
{
	static const char text[] = "sooth: out of memory\n";

	if (p)
		return p;
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		abort();
	_exit(2);
}

void *mem_alloc(size_t size)
{
	return some(malloc(size ? size : 1));
}

void *mem_zalloc(size_t count, size_t size)
{
	return some(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
	return some(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *mem_copy_text(const char *text, size_t length)
{
	char *copy = mem_alloc(length + 1);

	if (length)
		memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}
