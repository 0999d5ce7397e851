/* Memory allocation that stops the tool when no memory is left. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void mem_exhausted(void)
{
	static const char text[] = "sooth: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		abort();
	_exit(2);
}

static void *stop_if_null(void *p)
{
	if (!p)
		mem_exhausted();
	return p;
}

void *mem_alloc(size_t size)
{
	return stop_if_null(malloc(size ? size : 1));
}

void *mem_zalloc(size_t count, size_t size)
{
	return stop_if_null(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
	return stop_if_null(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *mem_copy_text(const char *text, size_t length)
{
	char *copy = mem_alloc(length + 1);

	if (length)
		memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

char *mem_format(const char *format, ...)
{
	char *text;
	va_list arguments;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		mem_exhausted();
	return text;
}

FILE *mem_stream(char **text, size_t *length)
{
	return stop_if_null(open_memstream(text, length));
}

void mem_stream_close(FILE *stream)
{
	if (fclose(stream))
		mem_exhausted();
}

bool mem_has_text(char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i], text))
			return true;
	}
	return false;
}
