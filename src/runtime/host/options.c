/* Parses SOOTH_OPTIONS: see options.h. */
#include "runtime/host/options.h"

#include <stddef.h>
#include <string.h>

static bool is_separator(char c)
{
	return c == ' ' || c == ',' || c == ':' || c == '\t' || c == '\n';
}

static uint64_t read_number(const char *text, size_t length)
{
	uint64_t number = 0;

	for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		number = number * 10 + (uint64_t)(text[i] - '0');
	return number;
}

static uint64_t read_size(const char *text, size_t length)
{
	uint64_t size = 0;
	size_t i = 0;

	for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		size = size * 10 + (uint64_t)(text[i] - '0');
	if (i < length) {
		switch (text[i] | 32) {
		case 'k': return size << 10;
		case 'm': return size << 20;
		case 'g': return size << 30;
		}
	}
	return size;
}

static void set(struct options *o, const char *key, size_t key_length, const char *value,
		size_t length)
{
#define IS(name) (key_length == sizeof(name) - 1 && !memcmp(key, name, key_length))
	if (IS("dir") && length < sizeof(o->dir)) {
		memcpy(o->dir, value, length);
		o->dir[length] = 0;
	} else if (IS("limit")) {
		o->limit = read_size(value, length);
	} else if (IS("quiet")) {
		o->quiet = read_size(value, length) != 0;
	} else if (IS("control") && length < sizeof(o->control)) {
		memcpy(o->control, value, length);
		o->control[length] = 0;
	} else if (IS("points") && length < sizeof(o->points)) {
		memcpy(o->points, value, length);
		o->points[length] = 0;
	} else if (IS("serial")) {
		o->serial = read_size(value, length) != 0;
	} else if (IS("seed")) {
		o->has_seed = true;
		o->seed = read_number(value, length);
	} else if (IS("verbosity")) {
		o->verbosity = (int)read_size(value, length);
	} else if (IS("patterns")) {
		o->patterns = read_size(value, length) != 0;
	} else if (IS("remains")) {
		o->remains = read_size(value, length) != 0;
	} else if (IS("opaque")) {
		o->opaque = read_size(value, length) != 0;
	}
#undef IS
}

/*
 * Values may be quoted with " or ', as in TSAN_OPTIONS. Unknown keys are ignored: they belong to
 * other tools.
 */
void options_read(struct options *options, const char *text)
{
	*options = (struct options){ .opaque = true };
	while (text && *text) {
		while (is_separator(*text))
			text++;
		const char *key = text;
		while (*text && *text != '=' && !is_separator(*text))
			text++;
		if (*text != '=')
			continue;
		size_t key_length = (size_t)(text - key);
		char quote = text[1] == '"' || text[1] == '\'' ? text[1] : 0;
		const char *value = text + 1 + (quote != 0);
		for (text = value; *text && (quote ? *text != quote : !is_separator(*text));)
			text++;
		set(options, key, key_length, value, (size_t)(text - value));
		if (*text)
			text++;
	}
}
