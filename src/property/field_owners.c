/*
 * Finds the object that a field belongs to where the access site does not say which: fields of base
 * classes, elements of arrays, and locks that are locked by library code.
 */
#include "property/reader.h"
#include "base/sort.h"

#include "base/mem.h"
#include "trace/sites.h"

#include <stdlib.h>
#include <string.h>

bool field_owners_is_element(const struct property_reader *r, const struct wire_element *site)
{
	const char *name = trace_site_name(r->trace, site);

	return name && *name && name[strlen(name) - 1] == ']';
}

char *field_owners_without_index(const char *path)
{
	return mem_copy_text(path, strcspn(path, "["));
}

/* ---- by address ------------------------------------------------------------------------------ */

/* For a target `o->f`: returns the name that sites use for the struct that `o` points to. */
static const char *struct_tag(struct property_reader *r, const struct reader_point *point,
			      const struct spec_target *target)
{
	const struct spec_property *property = r->props.items[point->prop].property;
	const char *pointee, *tag;

	if (!target || target->kind != SPEC_FIELD || target->parameter == SPEC_NONE)
		return NULL;
	pointee = property->parameters[target->parameter].pointee;
	tag = pointee && r->program ? program_tag(r->program, pointee) : NULL;
	return tag ? tag : pointee;
}

/*
 * Returns the offset and size of the field in its struct if the sites do not say which object an
 * access belongs to; otherwise returns size 0. Sites do not say so in two cases. The mutex in a
 * std::mutex is locked by library code, which does not know the struct that contains it. The
 * address of an array element does not tell where the array starts. In both cases the object is
 * searched for among the objects that other events bind.
 */
static struct field_range find_field_range(struct property_reader *r,
					   const struct spec_target *target, const char *tag,
					   bool lock)
{
	struct field_range field_range = { 0 };
	struct program_part part;
	char *field = field_owners_without_index(target->path);
	bool told = false, elements = false;

	for (size_t i = 0; i < trace_site_count(r->trace); i++) {
		const struct wire_element *site = trace_site_number(r->trace, i);

		if ((site->kind == EV_SITE) != lock ||
		    !accesses_field(trace_site_path(r->trace, site), tag, field))
			continue;
		told = true;
		elements |= field_owners_is_element(r, site);
	}
	free(field);
	if ((lock ? !told : elements) && strcmp(target->path, "*") &&
	    program_member(r->program, tag, target->path, &part) && part.size)
		field_range = (struct field_range){ part.offset, part.size };
	return field_range;
}

static bool prepare_target(struct property_reader *r, struct reader_point *point,
			   const struct spec_target *target, bool lock, const char **tag,
			   struct field_range *field_range)
{
	struct reader_property *prop = &r->props.items[point->prop];

	*tag = struct_tag(r, point, target);
	if (!*tag || !r->program || !trace_has_sites(r->trace))
		return false;
	*field_range = find_field_range(r, target, *tag, lock);
	if (field_range->size && !prop->known)
		prop->known = mem_zalloc(prop->parameters, sizeof *prop->known);
	return field_range->size != 0;
}

void field_owners_open_point(struct property_reader *r, struct reader_point *point)
{
	const struct spec_point *spec = point->spec;

	prepare_target(r, point, spec->target, reader_is_lock(spec), &point->tag,
		       &point->field_range);
	prepare_target(r, point, spec->holding, true, &point->holding_tag,
		       &point->holding_field_range);
}

static void sort_known(struct reader_known *known, const struct values *values)
{
	for (size_t i = 0; i < known->numbers.count; i++)
		*vec_push(&known->addresses) =
			values->entries.items[known->numbers.items[i]].value.bits;
	vec_sort(&known->addresses, sort_u64);
}

bool field_owners_match(const struct match *m, const struct spec_target *target,
			struct field_range field_range, uint64_t address)
{
	struct property_reader *r = m->reader;
	struct reader_property *prop = &r->props.items[m->point->prop];
	struct reader_known *known = &prop->known[target->parameter];
	size_t after;
	struct property_raw raw;

	if (r->first_walk || !known->numbers.count)
		return false;
	if (!known->addresses.count)
		sort_known(known, &prop->values);
	/* find the last object whose field starts at or before the address */
	SEARCH_FIRST(after, known->addresses.count,
		     known->addresses.items[after] + field_range.offset > address);
	if (!after ||
	    address - field_range.offset - known->addresses.items[after - 1] >= field_range.size)
		return false;
	raw = raw_value_number(known->addresses.items[after - 1]);
	return match_parameter(m, target->parameter, target->local, &raw);
}

/* ---- by base class --------------------------------------------------------------------------- */

bool field_owners_find_base(struct property_reader *r, const struct reader_point *point,
			    const struct wire_element *site, const char **field, uint64_t *shift)
{
	const char *path = trace_site_path(r->trace, site);
	const char *dots = path ? strstr(path, "..") : NULL;
	struct program_part part;
	bool fresh, found;
	uint64_t *known;
	char *derived;

	if (!dots || !point->tag || !r->program)
		return false;
	*field = dots + strspn(dots, ".");
	if (!accesses_path_fits(point->spec->target->path, *field))
		return false;
	known = map_put(&r->bases, (uintptr_t)site ^ (uint64_t)(point - r->points.items) << 48,
			&fresh);
	if (fresh) {
		derived = mem_copy_text(path, (size_t)(dots - path));
		found = program_base(r->program, derived, point->tag, shift) &&
			program_member(r->program, point->tag, *field, &part) &&
			part.offset + *shift == site->field_offset;
		*known = found ? *shift + 1 : 0;
		free(derived);
	}
	*shift = *known - 1;
	return *known != 0;
}
