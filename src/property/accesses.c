/*
 * Matches points about memory accesses. A global is matched by its address, a field (`o->f`) by the
 * path in the access site, and `*a` by the value of `a`, which is the address. In a text trace
 * variables are matched by their names: `x`, `p.f` and `p->f`.
 */
#include "property/reader.h"
#include "base/sort.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_read(uint8_t kind)
{
	return kind == EV_READ || kind == EV_ATOMIC_READ || kind == EV_ATOMIC_UPDATE;
}

static bool is_write(uint8_t kind)
{
	return kind == EV_WRITE || kind == EV_ATOMIC_WRITE || kind == EV_ATOMIC_UPDATE;
}

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * Does `path` name the field `field`, or a part of it? The field "*" stands for every field. Base
 * classes and unnamed members are empty steps in a path: "a..b" is a.b in the source.
 */
bool accesses_path_fits(const char *field, const char *path)
{
	if (!strcmp(field, "*"))
		return true;
	for (; *field; field++, path++) {
		while (*path == '.' && path[1] == '.')
			path++;
		if (*path != *field)
			return false;
	}
	return !*path || *path == '.';
}

/*
 * Returns the part of a site's path that follows the struct's tag: "refs" for "table.refs" and for
 * "Derived..refs". Returns NULL if the path does not start with this tag.
 */
static const char *path_after_tag(const char *path, const char *tag)
{
	size_t length = tag ? strlen(tag) : 0;

	if (!path || !tag || strncmp(path, tag, length) || path[length] != '.')
		return NULL;
	path += length;
	return path + strspn(path, ".");
}

const char *accesses_field(const char *path, const char *tag, const char *wanted)
{
	const char *field = path_after_tag(path, tag);

	return field && accesses_path_fits(wanted, field) ? field : NULL;
}

/* Text traces: is `name` the name of the global, followed by the path if the target has one? */
bool accesses_is_named(const struct spec_target *target, const char *name)
{
	size_t length = strlen(target->name);

	if (strncmp(name, target->name, length))
		return false;
	if (!target->path)
		return !name[length];
	name += length;
	name += *name == '.' && target->path[0] != '.';
	return !strcmp(name, target->path);
}

/*
 * Text traces: splits a name such as "o->f". Returns the length of the object's name, and sets
 * `rest` to the start of the field's name. Returns 0 if the name does not end in the field `field`.
 */
size_t accesses_split(const char *name, const char *field, const char **rest)
{
	for (const char *p = name + strlen(name); p > name; p--) {
		size_t mark = !strncmp(p, "->", 2) ? 2 : *p == '.';

		if (mark && p[mark] && accesses_path_fits(field, p + mark)) {
			*rest = p + mark;
			return (size_t)(p - name);
		}
	}
	return 0;
}

/* ---- indices --------------------------------------------------------------------------------- */

static bool in_ranges(const struct property_reader *r, struct reader_list ranges, uint64_t address)
{
	for (uint32_t i = ranges.start; i < ranges.start + ranges.count; i++) {
		const struct program_part *part = &r->ranges.items[i];

		if (address - part->address < (part->size ? part->size : 1))
			return true;
	}
	return false;
}

bool accesses_in_target(const struct property_reader *r, uint32_t number,
			const struct spec_target *target, uint64_t address)
{
	const struct reader_point *point = &r->points.items[number];

	return in_ranges(r, target == point->spec->holding ? point->holding_ranges : point->ranges,
			 address);
}

/*
 * Returns the address ranges of a global (or of the part that the path names) in the recorded
 * program.
 */
static struct reader_list find_ranges(struct property_reader *r, const struct spec_target *target)
{
	struct reader_list list = { (uint32_t)r->ranges.count, 0 };
	struct program_parts parts = { 0 };

	if (!target || target->kind != SPEC_GLOBAL || !r->program)
		return list;
	program_globals(r->program, target->name, target->path, &parts);
	vec_append(&r->ranges, parts.list.items, parts.list.count);
	list.count = (uint32_t)parts.list.count;
	vec_free(&parts.list);
	return list;
}

/*
 * Splits the ranges of all globals, which may overlap, at the start and end of every range. The
 * same points apply to all addresses of one such stretch.
 */
static void build_stretches(struct property_reader *r)
{
	VEC(uint64_t) ends = { 0 };

	for (size_t g = 0; g < r->globals.count; g++) {
		struct reader_list ranges = r->points.items[r->globals.items[g]].ranges;

		for (uint32_t i = ranges.start; i < ranges.start + ranges.count; i++) {
			const struct program_part *part = &r->ranges.items[i];

			*vec_push(&ends) = part->address;
			*vec_push(&ends) = part->address + (part->size ? part->size : 1);
		}
	}
	vec_sort(&ends, sort_u64);
	for (size_t e = 0; e + 1 < ends.count; e++) {
		struct reader_stretch stretch = { ends.items[e],
						  ends.items[e + 1],
						  { (uint32_t)r->lists.count, 0 } };

		if (stretch.low == stretch.high)
			continue;
		for (size_t i = 0; i < r->globals.count; i++) {
			if (in_ranges(r, r->points.items[r->globals.items[i]].ranges, stretch.low))
				*vec_push(&r->lists) = r->globals.items[i];
		}
		stretch.points.count = (uint32_t)r->lists.count - stretch.points.start;
		if (stretch.points.count)
			*vec_push(&r->stretches) = stretch;
	}
	vec_free(&ends);
}

void accesses_prepare(struct property_reader *r)
{
	for (uint32_t i = 0; i < r->points.count; i++) {
		struct reader_point *point = &r->points.items[i];
		const struct spec_target *target = point->spec->target;

		point->ranges = find_ranges(r, target);
		point->holding_ranges = find_ranges(r, point->spec->holding);
		if (!target || !reader_is_access(point->spec))
			continue;
		if (target->kind == SPEC_GLOBAL)
			*vec_push(&r->globals) = i;
		else if (target->kind == SPEC_FIELD)
			*vec_push(&r->fields) = i;
		else
			*vec_push(&r->everywhere) = i;
	}
	build_stretches(r);
}

void accesses_free(struct property_reader *r)
{
	vec_free(&r->fields);
	vec_free(&r->globals);
	vec_free(&r->everywhere);
	vec_free(&r->site_lists);
	vec_free(&r->ranges);
	vec_free(&r->stretches);
	map_free(&r->sites);
	map_free(&r->forms);
	map_free(&r->bases);
}

/*
 * ---- points that an access may match ----------------------------------------------------------
 */

static void add_candidate(struct property_reader *r, const struct trace_event *event,
			  uint32_t number)
{
	const struct spec_point *spec = r->points.items[number].spec;

	if (event->flags & EF_LOOK)
		return;
	if (spec->kind == SPEC_POINT_READ ? is_read(event->kind) : is_write(event->kind))
		*vec_push(&r->candidates) = number;
}

static void add_candidates_in(struct property_reader *r, const struct trace_event *event,
			      struct reader_list list)
{
	for (uint32_t i = 0; i < list.count; i++)
		add_candidate(r, event, r->lists.items[list.start + i]);
}

/* Does the site access the field that the point is about, or an element of this field? */
static bool site_fits(struct property_reader *r, const struct reader_point *point,
		      const struct trace_event *event)
{
	const char *path = trace_site_path(r->trace, event->site), *field;
	char *whole;
	uint64_t shift;
	bool fits;

	if (accesses_field(path, point->tag, point->spec->target->path) ||
	    field_owners_find_base(r, point, event->site, &field, &shift))
		return true;
	if (!point->field_range.size)
		return false;
	whole = field_owners_without_index(point->spec->target->path);
	fits = accesses_field(path, point->tag, whole);
	free(whole);
	return fits;
}

static struct reader_list list_points_of_site(struct property_reader *r,
					      const struct trace_event *event)
{
	struct reader_list list = { (uint32_t)r->lists.count, 0 };

	for (size_t i = 0; i < r->fields.count; i++) {
		struct reader_point *point = &r->points.items[r->fields.items[i]];

		if (!site_fits(r, point, event))
			continue;
		point->visible = true;
		*vec_push(&r->lists) = r->fields.items[i];
	}
	list.count = (uint32_t)r->lists.count - list.start;
	return list;
}

static struct reader_list list_points_of_name(struct property_reader *r,
					      const struct trace_event *event)
{
	const char *name = trace_object_name(r->trace, event->address), *rest;
	struct reader_list list = { (uint32_t)r->lists.count, 0 };

	for (size_t i = 0; name && i < r->fields.count; i++) {
		struct reader_point *point = &r->points.items[r->fields.items[i]];

		if (!accesses_split(name, point->spec->target->path, &rest))
			continue;
		point->visible = true;
		*vec_push(&r->lists) = r->fields.items[i];
	}
	for (size_t i = 0; name && i < r->globals.count; i++) {
		struct reader_point *point = &r->points.items[r->globals.items[i]];

		if (!accesses_is_named(point->spec->target, name))
			continue;
		point->visible = true;
		*vec_push(&r->lists) = r->globals.items[i];
	}
	list.count = (uint32_t)r->lists.count - list.start;
	return list;
}

/*
 * Adds the points that may match the access's site, or in a text trace its address. The list of
 * these points is computed once for each site or address.
 */
static void add_site_candidates(struct property_reader *r, const struct trace_event *event,
				uint64_t key)
{
	bool fresh;
	uint64_t *list = map_put(&r->sites, key, &fresh);

	if (fresh) {
		*vec_push(&r->site_lists) =
			r->text ? list_points_of_name(r, event) : list_points_of_site(r, event);
		*list = r->site_lists.count;
	}
	add_candidates_in(r, event, r->site_lists.items[*list - 1]);
}

/* Adds the points of all stretches that the access overlaps, and each point only once. */
static void add_global_candidates(struct property_reader *r, const struct trace_event *event)
{
	uint64_t end = event->address + event->size;
	size_t at, count = r->stretches.count, first = r->candidates.count;

	if (event->address >= r->stretches.items[count - 1].high ||
	    end <= r->stretches.items[0].low)
		return;
	SEARCH_FIRST(at, count, r->stretches.items[at].high > event->address);
	for (; at < count && r->stretches.items[at].low < end; at++) {
		struct reader_list list = r->stretches.items[at].points;

		for (uint32_t i = 0; i < list.count; i++) {
			uint32_t number = r->lists.items[list.start + i];
			size_t k = first;

			while (k < r->candidates.count && r->candidates.items[k] != number)
				k++;
			if (k == r->candidates.count)
				add_candidate(r, event, number);
		}
	}
}

void accesses_find_candidates(struct property_reader *r, const struct trace_event *event)
{
	for (size_t i = 0; i < r->everywhere.count; i++)
		add_candidate(r, event, r->everywhere.items[i]);
	if (r->text && (r->fields.count || r->globals.count))
		add_site_candidates(r, event, event->address);
	else if (!r->text && r->fields.count && event->site)
		add_site_candidates(r, event, (uintptr_t)event->site);
	if (r->stretches.count)
		add_global_candidates(r, event);
}

/* ---- matching -------------------------------------------------------------------------------- */

/* Returns `size` bytes of the accessed value, from `offset` on. A FILL repeats its unit. */
static struct property_raw access_value(const struct match *m, uint64_t offset, uint64_t size,
					enum raw_value_form form)
{
	const struct trace_event *ev = m->happening->event;
	const uint8_t *bytes = ev->value;
	uint8_t copy[8];

	if (ev->kind == EV_ATOMIC_UPDATE && m->point->spec->kind == SPEC_POINT_READ)
		bytes = ev->old;
	if (!bytes || !ev->unit || !size || size > sizeof copy || offset + size > ev->size)
		return (struct property_raw){ 0 };
	for (uint64_t i = 0; i < size; i++)
		copy[i] = bytes[(offset + i) % ev->unit];
	return raw_value_bytes(copy, size, form);
}

static bool match_value(const struct match *m, const struct property_raw *raw)
{
	const struct spec_argument *slot = m->point->spec->result;

	return !slot || match_slot(m, slot, raw);
}

/* The variable's value is known only if the access covers the whole variable. */
static bool match_global(const struct match *m)
{
	const struct trace_event *ev = m->happening->event;
	struct reader_list ranges = m->point->ranges;
	struct property_raw raw = { 0 };

	if (m->reader->text) {
		raw = access_value(m, 0, ev->size, RAW_VALUE_SIGNED);
		return match_value(m, &raw);
	}
	for (uint32_t i = ranges.start; i < ranges.start + ranges.count; i++) {
		const struct program_part *part = &m->reader->ranges.items[i];

		if (ev->address <= part->address && !part->bits &&
		    part->address + part->size <= ev->address + ev->size)
			raw = access_value(m, part->address - ev->address, part->size, part->form);
	}
	return match_value(m, &raw);
}

/* Binds the field that `o->*` matched to the implicit parameter of `o`. */
static bool match_wildcard_field(const struct match *m, const char *field)
{
	const struct reader_property *prop = &m->reader->props.items[m->point->prop];
	const struct spec_target *target = m->point->spec->target;
	struct property_raw raw = { .known = true,
				    .text = field,
				    .length = (uint32_t)strlen(field) };

	if (strcmp(target->path, "*") || target->parameter == SPEC_NONE)
		return true;
	return match_parameter(m, prop->hidden[target->parameter], SPEC_NONE, &raw);
}

static bool match_text_field(const struct match *m)
{
	const struct trace_event *ev = m->happening->event;
	const struct spec_target *target = m->point->spec->target;
	const char *name = trace_object_name(m->reader->trace, ev->address), *field = NULL;
	size_t length = accesses_split(name, target->path, &field);
	struct property_raw raw = {
		.known = true, .word = true, .text = name, .length = (uint32_t)length
	};

	assert(length);
	if (!match_parameter(m, target->parameter, target->local, &raw) ||
	    !match_wildcard_field(m, field))
		return false;
	raw = access_value(m, 0, ev->size, RAW_VALUE_SIGNED);
	return match_value(m, &raw);
}

/* Returns how to interpret the bytes of a site's field. Computed once for each site. */
static enum raw_value_form field_form(struct property_reader *r, const struct wire_element *site,
				      const char *tag, const char *field)
{
	struct program_part part;
	bool fresh;
	uint64_t *form = map_put(&r->forms, (uintptr_t)site, &fresh);

	if (fresh)
		*form = program_member(r->program, tag, field, &part) ? part.form
								      : RAW_VALUE_SIGNED;
	return (enum raw_value_form) * form;
}

/*
 * Is the point about one element, such as `o->list[2]`, and does the access touch another element
 * of the list of a known object?
 */
static bool is_other_element_of_known(const struct match *m, uint64_t address)
{
	const struct spec_target *target = m->point->spec->target;
	char *whole = field_owners_without_index(target->path);
	struct program_part part;
	bool is_known = strchr(target->path, '[') &&
			program_member(m->reader->program, m->point->tag, whole, &part) &&
			field_owners_match(m, target,
					   (struct field_range){ part.offset, part.size }, address);

	free(whole);
	return is_known;
}

/*
 * Matches an access to an array element. The element's object must be one that another event binds;
 * otherwise the object is unknown, which counts as a doubt.
 */
static bool match_element(const struct match *m, uint64_t address)
{
	struct property_reader *r = m->reader;
	const struct trace_event *ev = m->happening->event;
	const char *field = path_after_tag(trace_site_path(r->trace, ev->site), m->point->tag);
	struct property_raw raw;

	if (r->first_walk)
		return false;
	if (!m->point->field_range.size || !field)
		return match_doubt(m, DOUBT_ELEMENT);
	if (!field_owners_match(m, m->point->spec->target, m->point->field_range, address))
		return !is_other_element_of_known(m, address) && match_doubt(m, DOUBT_ELEMENT);
	if (!match_wildcard_field(m, field))
		return false;
	raw = access_value(m, 0, ev->size, field_form(r, ev->site, m->point->tag, field));
	return match_value(m, &raw);
}

/*
 * Matches an access to a field. The object's address is the accessed address minus the offset of
 * the field.
 */
static bool match_field(const struct match *m)
{
	struct property_reader *r = m->reader;
	const struct trace_event *ev = m->happening->event;
	const struct spec_target *target = m->point->spec->target;
	const char *field = path_after_tag(trace_site_path(r->trace, ev->site), m->point->tag);
	struct property_raw raw = raw_value_number(ev->address - ev->site->field_offset);
	uint64_t shift;

	if (field_owners_is_element(r, ev->site))
		return match_element(m, ev->address);
	if (!field) {
		if (!field_owners_find_base(r, m->point, ev->site, &field, &shift))
			return false;
		raw.bits += shift;
	}
	if (!match_parameter(m, target->parameter, target->local, &raw) ||
	    !match_wildcard_field(m, field))
		return false;
	if (!m->point->spec->result)
		return true;
	raw = (struct property_raw){ 0 };
	if (!(ev->flags & EF_BITFIELD) &&
	    (!strcmp(target->path, field) || !strcmp(target->path, "*")))
		raw = access_value(m, 0, ev->size, field_form(r, ev->site, m->point->tag, field));
	return match_value(m, &raw);
}

bool accesses_match(const struct match *m)
{
	const struct spec_target *target = m->point->spec->target;
	const struct trace_event *ev = m->happening->event;
	struct property_raw raw;

	if (target->kind == SPEC_GLOBAL)
		return match_global(m);
	if (target->kind == SPEC_FIELD)
		return m->reader->text ? match_text_field(m) : match_field(m);
	raw = raw_value_address(m->reader->text, ev->address);
	if (!match_parameter(m, target->parameter, target->local, &raw))
		return false;
	raw = access_value(m, 0, ev->size, RAW_VALUE_SIGNED);
	return match_value(m, &raw);
}
