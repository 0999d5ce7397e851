/*
 * The tables that the compiler plugin left in each module, read from the file `modules`. They are
 * copied, checked once, and prepared so that the cursor finds a row with one subtraction and
 * decodes its elements without resolving a reference again.
 */
#include "base/mem.h"
#include "trace/store.h"

#include <inttypes.h>
#include <string.h>

/* ---- references ------------------------------------------------------------------------------ */

const struct store_module *store_module_of_site(const struct trace *trace,
						const struct wire_element *site)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *m = &trace->modules.items[i];

		if ((uintptr_t)site - (uintptr_t)m->seg < m->seg_bytes)
			return m;
	}
	return NULL;
}

/* Returns the address that a self-relative field refers to. */
static uint64_t resolve_reference(const struct store_module *m, const int32_t *field)
{
	return m->seg_address + (uint64_t)((const uint8_t *)field - m->seg) + (uint64_t)*field;
}

static const char *resolve_text(const struct store_module *m, const int32_t *field)
{
	uint64_t at;

	if (!m || !*field)
		return NULL;
	at = resolve_reference(m, field) - m->str_address;
	return at < m->str_bytes ? m->str + at : NULL;
}

const char *trace_site_name(const struct trace *trace, const struct wire_element *site)
{
	return site ? resolve_text(store_module_of_site(trace, site), &site->name_ref) : NULL;
}

const char *trace_site_path(const struct trace *trace, const struct wire_element *site)
{
	return site ? resolve_text(store_module_of_site(trace, site), &site->path_ref) : NULL;
}

/* Returns the next word of "function\tfile\tline\tfunction…". `*cursor` is NULL after the last. */
static struct trace_span next_word(const char **cursor)
{
	struct trace_span span = { *cursor ? *cursor : "", 0 };

	if (*cursor) {
		size_t length = strcspn(*cursor, "\t");

		span.length = length > 4096 ? 4096 : (int)length;
		*cursor = (*cursor)[length] ? *cursor + length + 1 : NULL;
	}
	return span;
}

static const char *place_text(const struct trace *trace, const struct wire_element *site)
{
	const struct store_point *point = store_point_of_site(trace, site);

	return point ? point->place
		     : resolve_text(store_module_of_site(trace, site), &site->site_ref);
}

unsigned trace_site_lines(const struct trace *trace, const struct wire_element *site,
			  struct trace_source_line *places, unsigned most)
{
	const char *cursor = site ? place_text(trace, site) : NULL;
	uint32_t line = site ? site->line : 0, column = site ? site->column : 0;
	unsigned count = 0;

	while (cursor && count < most) {
		struct trace_source_line *place = &places[count++];

		place->function = next_word(&cursor);
		place->file = next_word(&cursor);
		place->line = line;
		place->column = column;
		line = (uint32_t)strtoul(next_word(&cursor).text, NULL, 10);
		column = 0;
	}
	return count;
}

/* ---- checking and preparing the rows --------------------------------------------------------- */

/* Returns what is wrong with an element that sets a slot, or NULL. */
static const char *check_slot_definition(const struct wire_segment *row,
					 const struct wire_element *e)
{
	if (e->address_slot >= WIRE_SLOTS)
		return "a definition of a slot that does not exist";
	if (e->value_form == WIRE_NONE && e->address_form == WIRE_PAYLOAD)
		return e->address_at + WIRE_ADDRESS_BYTES > row->bytes
			       ? "an address outside the payload"
			       : NULL;
	if (e->value_form == WIRE_PAYLOAD && e->address_form == WIRE_NONE) {
		if (e->size > 8)
			return "a number of more than 8 bytes";
		return e->value_at + e->size > row->bytes ? "a number outside the payload" : NULL;
	}
	if (e->value_form == WIRE_SLOT && e->address_form == WIRE_NONE)
		return e->value_slot < WIRE_SLOTS ? NULL : "a value slot that does not exist";
	if (e->value_form != WIRE_INDEX ||
	    (e->address_form != WIRE_SLOT && e->address_form != WIRE_CONST))
		return "a definition of a slot with an invalid combination of forms";
	if (e->value_slot >= WIRE_SLOTS ||
	    (e->address_form == WIRE_SLOT && e->address_at >= WIRE_SLOTS))
		return "an array element computed from slots that do not exist";
	if (e->size != 1 && e->size != 2 && e->size != 4 && e->size != 8)
		return "an index whose size is not 1, 2, 4 or 8 bytes";
	return NULL;
}

/* Returns what is wrong with an element, or NULL. */
static const char *check_element(const struct wire_segment *row, const struct wire_element *e,
				 const struct wire_element *before)
{
	if (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_ENTER &&
	    e->kind != EV_EXIT && e->kind != EV_SITE && e->kind != EV_NONE)
		return "an element of a kind that segments do not have";
	if (e->kind == EV_NONE)
		return check_slot_definition(row, e);
	if (e->address_form > WIRE_CONST || e->value_form > WIRE_SAME)
		return "an element of an unknown form";
	if (e->address_form == WIRE_PAYLOAD && e->address_at + WIRE_ADDRESS_BYTES > row->bytes)
		return "an address outside the payload";
	if (e->value_form == WIRE_PAYLOAD && e->value_at + e->size > row->bytes)
		return "a value outside the payload";
	if ((e->address_form == WIRE_PAYLOAD || e->address_form == WIRE_SLOT) &&
	    e->address_slot >= WIRE_SLOTS &&
	    (e->address_form == WIRE_SLOT || e->address_slot != WIRE_NO_SLOT))
		return "an address slot that does not exist";
	if ((e->value_form == WIRE_PAYLOAD || e->value_form == WIRE_SLOT) &&
	    e->value_slot >= WIRE_SLOTS &&
	    (e->value_form == WIRE_SLOT || e->value_slot != WIRE_NO_SLOT))
		return "a value slot that does not exist";
	if (e->value_form == WIRE_SLOT && e->size > 8)
		return "a value of more than 8 bytes in a slot";
	if (e->value_form == WIRE_SAME &&
	    (!before || before->value_form == WIRE_NONE || before->size < e->size))
		return "a copy of a value that is not there";
	return NULL;
}

static struct store_step prepare_element(const struct store_module *m, const struct wire_element *e)
{
	struct store_step step = {
		.kind = e->kind,
		.flags = e->flags,
		.address_form = e->address_form,
		.value_form = e->value_form,
		.size = e->size,
		.address_slot = e->address_slot,
		.value_slot = e->value_slot,
		.address_at = e->address_at,
		.value_at = e->value_at,
		.value = e->value,
		.site = e,
	};

	if (e->address_form == WIRE_CONST)
		step.address = resolve_reference(m, &e->address_ref) & WIRE_ADDRESS_MASK;
	else
		step.address = (uint64_t)(int64_t)e->address_ref;
	return step;
}

/* Prepares the row at offset `at` of the table. Returns its size, or 0 with the reason in `why`. */
static size_t prepare_row(struct trace *trace, struct store_module *m, size_t at, const char **why)
{
	const struct wire_segment *row = (const void *)(m->seg + at);
	const struct wire_element *e = (const void *)(row + 1);
	size_t left = m->seg_bytes - at, size;

	*why = "a row that runs past the table";
	if (left < sizeof *row)
		return 0;
	size = sizeof *row + row->count * sizeof *e;
	if (left < size)
		return 0;
	*why = "a row with too much payload";
	if (row->bytes + 4u > WIRE_SEGMENT_MAX)
		return 0;
	*vec_push(&trace->plans) = (struct store_plan){
		.first = (uint32_t)trace->steps.count,
		.count = row->count,
		.bytes = row->bytes,
		.function = resolve_text(m, &row->function_ref),
	};
	for (unsigned i = 0; i < row->count; i++) {
		*why = check_element(row, &e[i], i ? &e[i - 1] : NULL);
		if (*why)
			return 0;
		*vec_push(&trace->steps) = prepare_element(m, &e[i]);
	}
	m->rows[at / 4] = (uint32_t)trace->plans.count;
	return size;
}

/* Prepares all rows. The linker may leave zeros between the rows of different object files. */
static void prepare_rows(struct trace *trace, struct store_module *m)
{
	for (size_t at = 0; at + sizeof(struct wire_segment) <= m->seg_bytes;) {
		static const uint8_t nothing[8];
		const char *why;
		size_t size;

		if (!memcmp(m->seg + at, nothing, sizeof nothing)) {
			at += sizeof nothing;
			continue;
		}
		size = prepare_row(trace, m, at, &why);
		if (!size) {
			store_problem(trace,
				      "modules: %s: table offset %#zx: %s; the rest of this table "
				      "is not used",
				      m->path, at, why);
			return;
		}
		at += size;
	}
}

/* ---- reading the file ------------------------------------------------------------------------ */

static void *copy_bytes(const struct file_view *view, size_t *at, size_t bytes, size_t extra)
{
	uint8_t *copy = mem_alloc(bytes + extra);

	if (bytes)
		memcpy(copy, view->data + *at, bytes);
	memset(copy + bytes, 0, extra);
	*at += bytes;
	return copy;
}

/* A library that was closed and opened again at the same address is the same module. */
static bool is_same_table(const struct store_module *a, const struct store_module *b)
{
	return a->seg_address == b->seg_address && a->seg_bytes == b->seg_bytes &&
	       a->str_address == b->str_address && a->str_bytes == b->str_bytes &&
	       !memcmp(a->seg, b->seg, a->seg_bytes) && !memcmp(a->str, b->str, a->str_bytes);
}

/*
 * Does the table overlap with another module's table, modulo 4 GiB? A segment's header word has
 * only the low 32 bits of the row's address.
 */
static bool overlaps_other_table(const struct trace *trace, const struct store_module *m)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *other = &trace->modules.items[i];
		uint32_t apart = (uint32_t)m->seg_address - (uint32_t)other->seg_address;

		if ((apart < other->seg_bytes || (uint32_t)-apart < m->seg_bytes) &&
		    !is_same_table(m, other))
			return true;
	}
	return false;
}

static void add_module(struct trace *trace, const struct file_view *view, size_t at,
		       const struct wire_module *head)
{
	struct store_module m = {
		.base = head->base,
		.end = head->end,
		.seg_address = head->seg_address,
		.str_address = head->str_address,
		.seg_bytes = head->seg_bytes & ~7u,
		.str_bytes = head->str_bytes,
		.build_id_bytes = head->build_id_bytes,
	};

	m.path = copy_bytes(view, &at, head->path_bytes, 1);
	m.build_id = copy_bytes(view, &at, head->build_id_bytes, 0);
	m.seg = copy_bytes(view, &at, head->seg_bytes, 0);
	m.str = copy_bytes(view, &at, head->str_bytes, 1);
	m.rows = mem_zalloc(m.seg_bytes / 4, sizeof *m.rows);
	if (head->seg_address & 7)
		store_problem(trace, "modules: %s: its table is at the unaligned address %#" PRIx64,
			      m.path, head->seg_address);
	else if (overlaps_other_table(trace, &m))
		store_problem(trace,
			      "modules: %s: its table overlaps that of another module, modulo "
			      "4 GiB",
			      m.path);
	else
		prepare_rows(trace, &m);
	*vec_push(&trace->modules) = m;
}

void store_load_modules(struct trace *trace, const struct file_view *view)
{
	for (size_t at = 0; at < view->size;) {
		struct wire_module head;
		uint64_t bytes;

		if (view->size - at < sizeof head) {
			store_problem(trace, "modules: offset %#zx: the file ends inside a header",
				      at);
			return;
		}
		memcpy(&head, view->data + at, sizeof head);
		if (head.magic != WIRE_MODULE_MAGIC) {
			store_problem(trace, "modules: offset %#zx: no module here", at);
			return;
		}
		bytes = (uint64_t)head.path_bytes + head.build_id_bytes + head.seg_bytes +
			head.str_bytes;
		if (bytes > view->size - at - sizeof head) {
			store_problem(trace, "modules: offset %#zx: the file ends inside a module",
				      at);
			return;
		}
		add_module(trace, view, at + sizeof head, &head);
		at += sizeof head + bytes;
	}
}

void store_free_modules(struct trace *trace)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		struct store_module *m = &trace->modules.items[i];

		free(m->path);
		free(m->build_id);
		free(m->seg);
		free(m->str);
		free(m->rows);
	}
	vec_free(&trace->modules);
	vec_free(&trace->plans);
	vec_free(&trace->steps);
}

bool trace_is_static(const struct trace *trace, uint64_t address)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		if (address - trace->modules.items[i].base <
		    trace->modules.items[i].end - trace->modules.items[i].base)
			return true;
	}
	return false;
}

bool trace_has_sites(const struct trace *trace)
{
	return trace->modules.count > 0;
}
