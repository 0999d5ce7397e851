/* Reads, keeps and prints the file `names`, and percent escapes in names. */
#include "trace/names.h"

#include "base/mem.h"
#include "trace/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- escapes --------------------------------------------------------------------------------- */

void names_escape(FILE *out, const char *text, size_t length, const char *also)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c == 127 || c == '%' || (c && strchr(also, c)))
			fprintf(out, "%%%02X", c);
		else
			putc_unlocked(c, out);
	}
}

size_t names_unescape(char *text, size_t length)
{
	size_t to = 0;

	for (size_t i = 0; i < length; i++) {
		bool escape = text[i] == '%' && i + 2 < length;
		int high = escape ? parse_hex_digit(text[i + 1]) : -1;
		int low = escape ? parse_hex_digit(text[i + 2]) : -1;

		if (high >= 0 && low >= 0) {
			text[to++] = (char)(high << 4 | low);
			i += 2;
		} else {
			text[to++] = text[i];
		}
	}
	return to;
}

/* ---- adding names ---------------------------------------------------------------------------- */

void names_add_thread(struct names *names, uint32_t stream, const char *name)
{
	*vec_push(&names->thread_names) =
		(struct names_thread){ stream, mem_copy_text(name, strlen(name)) };
	*map_put(&names->threads, stream, NULL) = names->thread_names.count;
}

void names_add_object(struct names *names, uint64_t address, const char *name, bool given)
{
	*vec_push(&names->objects) = (struct names_object){
		.address = address, .name = mem_copy_text(name, strlen(name)), .given = given
	};
	*map_put(&names->by_address, address, NULL) = names->objects.count;
}

uint64_t names_add_place(struct names *names, const char *text, const char *call)
{
	*vec_push(&names->places) = (struct names_place){
		.text = mem_copy_text(text, strlen(text)),
		.call = call ? mem_copy_text(call, strlen(call)) : NULL,
	};
	return names->places.count;
}

void names_add_initial(struct names *names, uint64_t address, uint32_t size, const uint8_t *value)
{
	struct names_initial *initial = vec_push(&names->initials);

	*initial = (struct names_initial){ .address = address,
					   .size = size,
					   .value = mem_alloc(size) };
	memcpy(initial->value, value, size);
}

/* ---- reading and printing the file ----------------------------------------------------------- */

#define WORDS 4

/* Splits a line at tabs and undoes escapes. Returns the number of words; WORDS + 1 if more. */
static unsigned split_line(char *line, char *words[WORDS])
{
	unsigned count = 0;
	char *next = line;

	while (next && count < WORDS) {
		char *word = next;

		next = strchr(word, '\t');
		if (next)
			*next++ = 0;
		word[names_unescape(word, strlen(word))] = 0;
		words[count++] = word;
	}
	return next ? WORDS + 1 : count;
}

static bool read_number(const char *word, int base, uint64_t *out)
{
	char *end;

	if (!isxdigit((unsigned char)word[0]))
		return false;
	*out = strtoull(word, &end, base);
	return !*end;
}

static bool read_initial(struct names *names, char *words[WORDS])
{
	uint64_t address, size;
	uint8_t *value;

	if (!read_number(words[1], 16, &address) || !read_number(words[2], 10, &size) ||
	    size > 65535 || strlen(words[3]) != size * 2)
		return false;
	value = mem_alloc(size);
	for (size_t i = 0; i < size; i++) {
		int high = parse_hex_digit(words[3][2 * i]),
		    low = parse_hex_digit(words[3][2 * i + 1]);

		if (high < 0 || low < 0) {
			free(value);
			return false;
		}
		value[i] = (uint8_t)(high << 4 | low);
	}
	names_add_initial(names, address, (uint32_t)size, value);
	free(value);
	return true;
}

static bool read_line(struct names *names, char *line)
{
	char *words[WORDS] = { 0 };
	unsigned count = split_line(line, words);
	uint64_t n;

	if (count < 3)
		return false;
	if (!strcmp(words[0], "init"))
		return count == 4 && read_initial(names, words);
	if (!strcmp(words[0], "place")) {
		if (!read_number(words[1], 10, &n) || n != names->places.count + 1 || count > 4)
			return false;
		names_add_place(names, words[2], words[3]);
		return true;
	}
	if (count != 3)
		return false;
	if (!strcmp(words[0], "thread")) {
		if (!read_number(words[1], 10, &n) || n >= UINT32_MAX)
			return false;
		names_add_thread(names, (uint32_t)n, words[2]);
		return true;
	}
	if (strcmp(words[0], "object") && strcmp(words[0], "at"))
		return false;
	if (!read_number(words[1], 16, &n))
		return false;
	names_add_object(names, n, words[2], words[0][0] == 'a');
	return true;
}

bool names_read(struct names *names, const char *file, const char *text, size_t size,
		struct err *err)
{
	struct names fresh = { 0 };
	size_t line = 1;

	for (size_t at = 0; at < size; line++) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - text) - at : size - at;
		char *copy = mem_copy_text(text + at, length);
		bool ok = read_line(&fresh, copy);

		free(copy);
		if (!ok) {
			names_free(&fresh);
			return err_set(err, "%s:%zu: not a line of a names file", file, line);
		}
		at += length + 1;
	}
	*names = fresh;
	return true;
}

static void print_word(FILE *out, const char *text)
{
	names_escape(out, text, strlen(text), "\t");
}

void names_print(const struct names *names, FILE *out)
{
	for (size_t i = 0; i < names->thread_names.count; i++) {
		fprintf(out, "thread\t%" PRIu32 "\t", names->thread_names.items[i].stream);
		print_word(out, names->thread_names.items[i].name);
		fputc('\n', out);
	}
	for (size_t i = 0; i < names->objects.count; i++) {
		const struct names_object *o = &names->objects.items[i];

		fprintf(out, "%s\t%" PRIx64 "\t", o->given ? "at" : "object", o->address);
		print_word(out, o->name);
		fputc('\n', out);
	}
	for (size_t i = 0; i < names->places.count; i++) {
		const struct names_place *p = &names->places.items[i];

		fprintf(out, "place\t%zu\t", i + 1);
		print_word(out, p->text);
		if (p->call) {
			fputc('\t', out);
			print_word(out, p->call);
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < names->initials.count; i++) {
		const struct names_initial *v = &names->initials.items[i];

		fprintf(out, "init\t%" PRIx64 "\t%" PRIu32 "\t", v->address, v->size);
		for (uint32_t k = 0; k < v->size; k++)
			fprintf(out, "%02x", v->value[k]);
		fputc('\n', out);
	}
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->thread_names.count; i++)
		free(names->thread_names.items[i].name);
	for (size_t i = 0; i < names->objects.count; i++)
		free(names->objects.items[i].name);
	for (size_t i = 0; i < names->places.count; i++) {
		free(names->places.items[i].text);
		free(names->places.items[i].call);
	}
	for (size_t i = 0; i < names->initials.count; i++)
		free(names->initials.items[i].value);
	vec_free(&names->thread_names);
	vec_free(&names->objects);
	vec_free(&names->places);
	vec_free(&names->initials);
	map_free(&names->threads);
	map_free(&names->by_address);
}
