/* Converts between sites, their addresses, and keys that are the same in other recordings. */
#include "trace/sites.h"

#include "base/file.h"
#include "base/hash.h"
#include "trace/store.h"

#include <string.h>

uint64_t trace_site_address(const struct trace *trace, const struct wire_element *site)
{
	const struct store_module *m = site ? store_module_of_site(trace, site) : NULL;
	const struct store_point *point = site ? store_point_of_site(trace, site) : NULL;

	if (point) /* a controlled run identifies a point by the return address of its call */
		return point->pc;
	return m ? m->seg_address + (uint64_t)((const uint8_t *)site - m->seg) : 0;
}

static bool is_in_module(const struct trace *trace, uint64_t pc)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *m = &trace->modules.items[i];

		if (pc >= m->base && pc < m->end)
			return true;
	}
	return false;
}

/*
 * In a controlled run, the scheduler knows only the pc of an operation in a library that recorded
 * code calls by a wrapper.
 */
uint64_t trace_event_site(const struct trace *trace, const struct trace_event *event)
{
	if (!event->site ||
	    (event->site->kind == EV_SITE && event->site->size & WIRE_SITE_WRAPPER &&
	     !is_in_module(trace, event->pc)))
		return event->pc;
	return trace_site_address(trace, event->site);
}

/*
 * Is there an element at this offset of the table? The elements of a row follow the row directly,
 * and the rows were checked when they were loaded.
 */
static bool is_element(const struct trace *trace, const struct store_module *m, uint64_t at)
{
	for (uint64_t row = at & ~3ull;; row -= 4) {
		uint32_t number = m->rows[row / 4];

		if (number) {
			uint64_t first = row + sizeof(struct wire_segment), count;

			count = trace->plans.items[number - 1].count;
			return at >= first && (at - first) % sizeof(struct wire_element) == 0 &&
			       (at - first) / sizeof(struct wire_element) < count;
		}
		if (!row)
			return false;
	}
}

const struct wire_element *trace_site_at(const struct trace *trace, uint64_t address)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *m = &trace->modules.items[i];
		uint64_t at = address - m->seg_address;

		if (at < m->seg_bytes && is_element(trace, m, at))
			return (const void *)(m->seg + at);
	}
	const struct store_point *point = store_point_at(trace, address);
	return point ? &point->site : NULL;
}

size_t trace_site_count(const struct trace *trace)
{
	return trace->steps.count;
}

const struct wire_element *trace_site_number(const struct trace *trace, size_t i)
{
	return trace->steps.items[i].site;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/*
 * A module may have another path in another recording, so only the file name is used. The size of
 * the table distinguishes modules with the same file name.
 */
static uint64_t module_key(const struct store_module *m, uint64_t address)
{
	const char *name = path_name(m->path);

	return hash_bytes(HASH_FNV_START, name, strlen(name)) + m->seg_bytes * HASH_GOLDEN +
	       (address - m->base);
}

uint64_t trace_site_key(const struct trace *trace, uint64_t address)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		const struct store_module *m = &trace->modules.items[i];

		if (address - m->base < m->end - m->base)
			return module_key(m, address);
	}
	return address;
}

uint64_t trace_event_key(const struct trace *trace, const struct trace_event *event)
{
	return trace_site_key(trace, trace_event_site(trace, event));
}

/*
 * Returns the address of the text that a self-relative reference refers to. A compilation unit has
 * each text once, so equal texts have equal addresses.
 */
static uint64_t reference_target(const int32_t *ref)
{
	return *ref ? (uintptr_t)ref + (uint64_t)(int64_t)*ref : 0;
}

uint64_t trace_site_line_key(const struct trace *trace, uint64_t site)
{
	const struct wire_element *e = (const void *)(uintptr_t)site;

	if (!site || !store_module_of_site(trace, e) || !e->line)
		return 0;
	const uint64_t parts[] = { reference_target(&e->site_ref), reference_target(&e->name_ref),
				   reference_target(&e->path_ref),
				   (uint64_t)e->line << 32 | (uint64_t)e->column << 16 | e->size,
				   (uint64_t)e->kind << 8 | e->flags };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		hash = hash_mix(hash, parts[i]);
	return hash | 1;
}

/* ---- modules --------------------------------------------------------------------------------- */

static const struct store_module *find_module(const struct trace *trace, const char *path)
{
	for (size_t i = 0; i < trace->modules.count; i++) {
		if (!strcmp(trace->modules.items[i].path, path))
			return &trace->modules.items[i];
	}
	return NULL;
}

/* If the modules have no build ids, compares their tables. */
static bool same_build(const struct store_module *a, const struct store_module *b)
{
	if (a->build_id_bytes != b->build_id_bytes || a->seg_bytes != b->seg_bytes)
		return false;
	return a->build_id_bytes ? !memcmp(a->build_id, b->build_id, a->build_id_bytes)
				 : !memcmp(a->seg, b->seg, a->seg_bytes);
}

bool trace_same_builds(const struct trace *a, const struct trace *b, const char **path)
{
	for (size_t i = 0; i < a->modules.count; i++) {
		const struct store_module *m = &a->modules.items[i];
		const struct store_module *other = find_module(b, m->path);

		if (other && !same_build(m, other)) {
			*path = m->path;
			return false;
		}
	}
	return true;
}
