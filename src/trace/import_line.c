/*
 * Turns one line of a text trace into a record: finds the operation in the tables of text.h, reads
 * its arguments, and assigns a number or an address to each thread, object and place in the line.
 */
#include "trace/import_line.h"

#include "base/mem.h"
#include "trace/point_text.h"
#include "trace/text.h"

#include <stdio.h>
#include <string.h>

#define SPACING 65536ull
#define VALUE_MAX 4000

/* ---- names ----------------------------------------------------------------------------------- */

/* Copies a part of the line to im->word, undoes the escapes, and returns the new length. */
static size_t unescape(struct importer *im, struct parse_slice s)
{
	if (im->word_room < s.length + 1) {
		im->word_room = s.length * 2 + 64;
		im->word = mem_resize(im->word, im->word_room, 1);
	}
	memcpy(im->word, s.text, s.length);
	im->word[names_unescape(im->word, s.length)] = 0;
	return strlen(im->word);
}

static uint32_t find_or_add_thread(struct importer *im, struct parse_slice name)
{
	bool fresh;
	size_t length = unescape(im, name);
	uint32_t stream = intern_put(&im->threads, im->word, length, &fresh);

	if (fresh) {
		names_add_thread(&im->names, stream, im->word);
		*vec_push(&im->creators) = 0;
	}
	return stream;
}

static uint64_t find_or_add_place(struct importer *im, struct parse_slice place,
				  struct parse_slice call)
{
	char *text, *both;
	bool fresh;
	uint32_t number;

	if (!place.length && !call.text)
		return 0;
	unescape(im, place);
	text = mem_copy_text(im->word, strlen(im->word));
	unescape(im, call.text ? call : (struct parse_slice){ "", 0 });
	both = mem_format("%s\t%c%s", text, call.text ? 'c' : '-', im->word);
	number = intern_put(&im->places, both, strlen(both), &fresh);
	if (fresh)
		names_add_place(&im->names, text, call.text ? im->word : NULL);
	free(both);
	free(text);
	return number + 1;
}

/* Finds the address of a name. A new name gets an unused address with space for `room` bytes. */
static bool find_or_add_address(struct importer *im, enum text_class class, struct parse_slice name,
				uint64_t room, uint64_t *address, struct err *err)
{
	char *key;
	size_t length;
	bool fresh;
	uint32_t number;

	if (!name.length)
		return parse_fail(&im->line, name.text, err, "expected a name");
	if (name.length > 2 && !strncmp(name.text, "0x", 2) && parse_number(name, address)) {
		if (*address >= IMPORT_FIRST_ADDRESS)
			return parse_fail(&im->line, name.text, err,
					  "addresses must be below 2^47");
		return true;
	}
	length = unescape(im, name);
	number = intern_put(&im->given, im->word, length, &fresh);
	if (fresh)
		*vec_push(&im->given_addresses) = 0;
	else if (im->given_addresses.items[number]) {
		*address = im->given_addresses.items[number];
		return true;
	}
	key = mem_format("%c%s", 'a' + (int)class, im->word);
	number = intern_put(&im->objects, key, strlen(key), &fresh);
	free(key);
	if (fresh) {
		*vec_push(&im->addresses) = im->next_address;
		names_add_object(&im->names, im->next_address, im->word, false);
		room = room < SPACING ? SPACING : (room + SPACING - 1) / SPACING * SPACING;
		im->next_address += room < 1ull << 40 ? room : 1ull << 40;
	} else if (room > SPACING) {
		return parse_fail(&im->line, name.text, err,
				  "a size above 64 KiB must be given where the name is first used");
	}
	*address = im->addresses.items[number];
	return true;
}

/* ---- lines of the thread "-" ----------------------------------------------------------------- */

static bool read_at(struct importer *im, struct err *err)
{
	const struct parse_line *line = &im->line;
	uint64_t address;
	size_t length;
	bool fresh;

	if (line->count != 2 || line->has_result)
		return parse_fail(line, line->op.text, err, "expected at(name,address)");
	if (!parse_number(line->arguments[1], &address) || !address ||
	    address >= IMPORT_FIRST_ADDRESS)
		return parse_fail(line, line->arguments[1].text, err,
				  "expected an address, not 0 and below 2^47");
	length = unescape(im, line->arguments[0]);
	intern_put(&im->given, im->word, length, &fresh);
	if (!fresh)
		return parse_fail(
			line, line->arguments[0].text, err,
			"the name was used above; its address must come before its first use");
	if (map_get(&im->names.by_address, address))
		return parse_fail(line, line->arguments[1].text, err,
				  "another name already has this address");
	*vec_push(&im->given_addresses) = address;
	names_add_object(&im->names, address, im->word, true);
	return true;
}

static bool read_initial(struct importer *im, struct err *err)
{
	const struct parse_line *line = &im->line;
	struct parse_slice name = line->arguments[0];
	uint64_t size = TEXT_SIZE, address;
	uint8_t value[VALUE_MAX];
	const char *wrong;

	if (line->count != 1 || !line->has_result)
		return parse_fail(line, line->op.text, err, "expected init(x)=value");
	if (!parse_cut_size(&name, &size) || !size || size > VALUE_MAX)
		return parse_fail(line, name.text, err, "expected a size from 1 to %d after '@'",
				  VALUE_MAX);
	wrong = parse_value(line->result, size, value);
	if (wrong)
		return parse_fail(line, line->result.text, err, "%s", wrong);
	if (!find_or_add_address(im, TEXT_MEMORY, name, size, &address, err))
		return false;
	names_add_initial(&im->names, address, (uint32_t)size, value);
	return true;
}

static bool read_declaration(struct importer *im, struct err *err)
{
	if (parse_is(im->line.op, "at"))
		return read_at(im, err);
	if (parse_is(im->line.op, "init"))
		return read_initial(im, err);
	if (parse_is(im->line.op, "points") && !im->line.has_arguments) {
		im->has_points = true;
		return true;
	}
	return parse_fail(&im->line, im->line.op.text, err,
			  "thread '-' has only the operations init, at and points");
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool is_fill(struct parse_slice s)
{
	return s.length > 1 && s.text[s.length - 1] == '*';
}

/* Reads one value of an access: a number, or a byte and a star, which repeats the byte. */
static bool read_value(struct importer *im, struct parse_slice s, uint64_t size, uint8_t *out,
		       struct err *err)
{
	const char *wrong;

	if (is_fill(s)) {
		wrong = parse_value((struct parse_slice){ s.text, s.length - 1 }, 1, out);
		if (!wrong && size <= VALUE_MAX)
			memset(out, out[0], size);
		else if (!wrong)
			wrong = "only a plain write can have a repeated byte of this size";
	} else {
		wrong = size <= VALUE_MAX ? parse_value(s, size, out) : "the value is too long";
	}
	return wrong ? parse_fail(&im->line, s.text, err, "%s", wrong) : true;
}

/* Reads the arguments after the name: the memory order of an atomic, and flags. */
static bool read_qualifiers(struct importer *im, bool atomic, uint64_t *mode, struct err *err)
{
	uint64_t order = TEXT_SEQ_CST, flags = 0;

	for (unsigned i = 1; i < im->line.count; i++) {
		struct parse_slice s = im->line.arguments[i];
		int found = atomic && i == 1 ? text_order(s.text, s.length) : -1;

		if (found >= 0) {
			order = (uint64_t)found;
			continue;
		}
		found = text_flag(s.text, s.length);
		if (found < 0)
			return parse_fail(&im->line, s.text, err,
					  "expected %sa flag (volatile, bitfield, …)",
					  atomic ? "a memory order or " : "");
		flags |= 1ull << found;
	}
	*mode = atomic ? order | flags << EVENT_ORDER_BITS : flags;
	return true;
}

static bool read_access(struct importer *im, const struct text_row *row, struct write_record *r,
			uint8_t *bytes, struct err *err)
{
	const struct parse_line *line = &im->line;
	struct parse_slice name = line->arguments[0], value = line->result, old;
	uint64_t size = TEXT_SIZE;

	if (line->count < 1)
		return parse_fail(line, line->op.text, err, "expected %s(name)", row->op);
	if (!parse_cut_size(&name, &size))
		return parse_fail(line, name.text, err, "expected a size after '@'");
	if (!find_or_add_address(im, TEXT_MEMORY, name, size, &r->a, err) ||
	    !read_qualifiers(im, row->shape == TEXT_ATOMIC, &r->m, err))
		return false;
	r->n = size;
	if (!line->has_result)
		return true;
	if (row->kind == EV_WRITE && !r->m && is_fill(value)) {
		r->kind = EV_FILL;
		return read_value(im, value, 1, bytes, err) ? (r->m = bytes[0], true) : false;
	}
	r->bytes = bytes;
	r->size = size;
	if (row->kind == EV_ATOMIC_UPDATE) {
		const char *comma = memchr(value.text, ',', value.length);

		if (!comma)
			return parse_fail(line, value.text + value.length, err, "expected old,new");
		if (size > VALUE_MAX / 2)
			return parse_fail(line, name.text, err, "atomic access too large");
		old = (struct parse_slice){ value.text, (size_t)(comma - value.text) };
		value = (struct parse_slice){ comma + 1, value.length - old.length - 1 };
		r->size = size * 2;
		if (!read_value(im, old, size, bytes, err))
			return false;
		bytes += size;
	}
	return read_value(im, value, size, bytes, err);
}

static bool expect_arguments(struct importer *im, unsigned count, const char *form, struct err *err)
{
	if (im->line.count == count)
		return true;
	return parse_fail(&im->line, im->line.op.text, err, "expected %.*s%s",
			  (int)im->line.op.length, im->line.op.text, form);
}

static bool read_numbered(struct importer *im, const struct text_row *row, struct write_record *r,
			  struct err *err)
{
	const struct parse_line *line = &im->line;

	if (!expect_arguments(im, 2, "(name,number)", err))
		return false;
	if (!parse_number(line->arguments[1], &r->n))
		return parse_fail(line, line->arguments[1].text, err, "expected a number");
	return find_or_add_address(im, row->class, line->arguments[0],
				   row->kind == EV_ALLOC || row->kind == EV_MAP ? r->n : 0, &r->a,
				   err);
}

static bool read_begin(struct importer *im, uint32_t stream, struct write_record *r,
		       struct err *err)
{
	const struct parse_line *line = &im->line;

	r->n = im->creators.items[stream] ? im->creators.items[stream] - 1 : 0;
	if (line->count < 2) /* begin, begin(), begin(T) */
		return true;
	if (!expect_arguments(im, 2, "(low,high)", err))
		return false;
	if (!parse_number(line->arguments[0], &r->a) || !parse_number(line->arguments[1], &r->b))
		return parse_fail(line, line->arguments[0].text, err, "expected two addresses");
	return true;
}

static bool read_fence(struct importer *im, struct write_record *r, struct err *err)
{
	const struct parse_line *line = &im->line;
	int order = TEXT_SEQ_CST;

	if (line->count)
		order = text_order(line->arguments[0].text, line->arguments[0].length);
	if (order < 0 || line->count > 1)
		return parse_fail(line, line->op.text, err, "expected fence(memory order)");
	r->m = (uint64_t)order;
	return true;
}

static bool read_handler(struct importer *im, uint32_t stream, struct write_record *r,
			 struct err *err)
{
	struct trace_position at;
	uint32_t host;

	if (!expect_arguments(im, 2, "(thread,signal)", err))
		return false;
	if (!parse_number(im->line.arguments[1], &r->n))
		return parse_fail(&im->line, im->line.arguments[1].text, err, "expected a number");
	host = find_or_add_thread(im, im->line.arguments[0]);
	if (host == stream)
		return parse_fail(
			&im->line, im->line.arguments[0].text, err,
			"a handler needs its own thread name; it cannot interrupt itself");
	at = trace_writer_position(im->writer, host);
	trace_writer_set_host(im->writer, stream, host);
	r->a = at.block;
	r->b = at.offset;
	return true;
}

#define DESCRIPTOR_MAX (1u << 30)

static bool read_descriptor(struct importer *im, struct parse_slice s, struct write_record *r,
			    struct err *err)
{
	uint64_t number;

	if (!parse_number(s, &number) || number >= DESCRIPTOR_MAX)
		return parse_fail(&im->line, s.text, err, "expected a descriptor number");
	r->a = EVENT_FD + number;
	return true;
}

/* Returns the class that the name already has, or TEXT_LOCK if it is new. */
static enum text_class find_class(struct importer *im, struct parse_slice name)
{
	unescape(im, name);
	for (enum text_class class = TEXT_LOCK; class <= TEXT_ONCE; class ++) {
		char *key = mem_format("%c%s", 'a' + (int)class, im->word);
		uint32_t found = intern_find(&im->objects, key, strlen(key));

		free(key);
		if (found != UINT32_MAX)
			return class;
	}
	return TEXT_LOCK;
}

static bool read_misuse(struct importer *im, struct write_record *r, struct err *err)
{
	const struct parse_line *line = &im->line;
	int sort;

	if (!expect_arguments(im, 2, "(kind,object)", err))
		return false;
	sort = text_misuse(line->arguments[0].text, line->arguments[0].length);
	if (sort < 0)
		return parse_fail(line, line->arguments[0].text, err,
				  "expected a kind of misuse (notheld, destroyed, …)");
	r->m = (uint64_t)sort;
	switch (sort) {
	case EVENT_MISUSE_JOIN_TWICE:
	case EVENT_MISUSE_JOIN_DETACHED:
		r->n = find_or_add_thread(im, line->arguments[1]);
		return true;
	case EVENT_MISUSE_CLOSED: return read_descriptor(im, line->arguments[1], r, err);
	}
	return find_or_add_address(im, find_class(im, line->arguments[1]), line->arguments[1], 0,
				   &r->a, err);
}

/* Is the text that follows the operation's name stored in the record itself, not with the place? */
static bool is_text_in_record(const struct text_row *row)
{
	return row->kind == EV_PROBE || row->kind == EV_POINT;
}

static bool read_operation(struct importer *im, const struct text_row *row, uint32_t stream,
			   struct write_record *r, uint8_t *bytes, struct err *err)
{
	const struct parse_line *line = &im->line;

	switch (row->shape) {
	case TEXT_ACCESS:
	case TEXT_ATOMIC: return read_access(im, row, r, bytes, err);
	case TEXT_FENCE: return read_fence(im, r, err);
	case TEXT_NUMBERED: return read_numbered(im, row, r, err);
	case TEXT_OBJECT:
	case TEXT_MODE:
		r->m = row->mode;
		return expect_arguments(im, 1, "(name)", err) &&
		       find_or_add_address(im, row->class, line->arguments[0], 0, &r->a, err);
	case TEXT_PAIR:
		r->m = row->mode;
		return expect_arguments(im, 2, "(condition,mutex)", err) &&
		       find_or_add_address(im, row->class, line->arguments[0], 0, &r->a, err) &&
		       find_or_add_address(im, TEXT_LOCK, line->arguments[1], 0, &r->b, err);
	case TEXT_THREAD:
		if (!expect_arguments(im, 1, "(thread)", err))
			return false;
		r->n = find_or_add_thread(im, line->arguments[0]);
		if (row->kind == EV_CREATE)
			im->creators.items[r->n] = stream + 1;
		return true;
	case TEXT_BEGIN: return read_begin(im, stream, r, err);
	case TEXT_HANDLER: return read_handler(im, stream, r, err);
	case TEXT_DESCRIPTOR:
		return expect_arguments(im, 1, "(number)", err) &&
		       read_descriptor(im, line->arguments[0], r, err);
	case TEXT_MISUSE: return read_misuse(im, r, err);
	case TEXT_CALL:
		if (!line->call.text)
			return parse_fail(line, line->op.text + line->op.length, err,
					  "expected a space and a name");
		if (is_text_in_record(row)) {
			r->size = unescape(im, line->call);
			if (r->size > VALUE_MAX)
				return parse_fail(line, line->call.text, err, "too long");
			if (row->kind == EV_POINT && !point_is_line(im->word, r->size))
				return parse_fail(line, line->call.text, err,
						  "expected call, exec, return or probe, and f(…)");
			memcpy(bytes, im->word, r->size);
			r->bytes = bytes;
		}
		return true;
	}
	return true; /* TEXT_BARE */
}

/* Finds the row of an operation by its name and result. `*known` says whether the name exists. */
static const struct text_row *find_row(const struct parse_line *line, bool *known)
{
	*known = false;
	for (size_t i = 0; i < text_row_count; i++) {
		const struct text_row *row = &text_rows[i];

		if (!parse_is(line->op, row->op))
			continue;
		*known = true;
		if (row->shape != TEXT_MODE && row->shape != TEXT_PAIR)
			return row;
		if (row->result ? line->has_result && parse_is(line->result, row->result)
				: !line->has_result)
			return row;
	}
	return NULL;
}

static bool read_event(struct importer *im, struct err *err)
{
	const struct parse_line *line = &im->line;
	uint8_t bytes[VALUE_MAX + 8];
	struct write_record r = { .time = line->number, .sequence = line->number };
	bool known, takes_result;
	const struct text_row *row = find_row(line, &known);
	uint32_t stream;

	if (!known)
		return parse_fail(line, line->op.text, err, "unknown operation '%.*s'",
				  (int)line->op.length, line->op.text);
	if (!row)
		return parse_fail(line, line->has_result ? line->result.text : line->op.text, err,
				  "'%.*s' cannot have this result", (int)line->op.length,
				  line->op.text);
	takes_result = row->shape == TEXT_ACCESS || row->shape == TEXT_ATOMIC || row->result;
	if (line->has_result && !takes_result)
		return parse_fail(line, line->result.text, err, "'%s' cannot have a result",
				  row->op);
	r.kind = row->kind;
	stream = find_or_add_thread(im, line->thread);
	if (!read_operation(im, row, stream, &r, bytes, err))
		return false;
	r.pc = find_or_add_place(im, line->place,
				 is_text_in_record(row) ? (struct parse_slice){ 0 } : line->call);
	if (row->kind == EV_POINT) /* its record has no pc, so the number of the place is in `n` */
		r.n = r.pc;
	trace_write(im->writer, stream, &r);
	return true;
}

bool import_line(struct importer *im, struct err *err)
{
	if (!parse_line(&im->line, err))
		return false;
	return parse_is(im->line.thread, "-") ? read_declaration(im, err) : read_event(im, err);
}
