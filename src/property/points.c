/* Matches points about functions: calls, bodies, returns and the program's own probes. */
#include "property/reader.h"
#include "base/mem.h"

#include "base/demangle.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * ---- points that a function may match ---------------------------------------------------------
 */

bool points_name_fits(const char *glob, const char *function)
{
	char *plain;
	bool fits;

	if (!fnmatch(glob, function, 0))
		return true;
	plain = demangle_name(function);
	fits = plain && !fnmatch(glob, plain, 0);
	free(plain);
	return fits;
}

/*
 * Can a recorded point of kind `kind` match? For a recorded function, the BODY stands for the call
 * as well. `both`: the event is `call f(a)` in a text trace, which is both the call and the start
 * of the body.
 */
static bool kind_fits(const struct spec_point *spec, uint8_t kind, bool both)
{
	switch (spec->kind) {
	case SPEC_POINT_CALL: return kind == POINT_CALL || kind == POINT_BODY;
	case SPEC_POINT_EXEC: return kind == POINT_BODY || (both && kind == POINT_CALL);
	case SPEC_POINT_RETURN: return kind == POINT_RETURN;
	default: return kind == POINT_PROBE;
	}
}

/*
 * Does the function's name match? In a text trace the name of a probe may lack its application
 * ("app:"), and functions have no library.
 */
static bool name_fits(const struct property_reader *r, const struct spec_point *spec,
		      const struct trace_point *point)
{
	const char *colon = strchr(spec->function, ':');

	if (spec->kind == SPEC_POINT_PROBE && r->text && colon && !strchr(point->function, ':'))
		return !fnmatch(colon + 1, point->function, 0);
	if (spec->library && (point->library || !r->text) &&
	    (!point->library || fnmatch(spec->library, point->library, 0)))
		return false;
	return (point->plain && !fnmatch(spec->function, point->plain, 0)) ||
	       points_name_fits(spec->function, point->function);
}

bool points_row_fits(const struct property_reader *r, const struct spec_point *spec,
		     const struct trace_point_row *row)
{
	struct trace_point point = {
		.function = row->function,
		.plain = row->plain,
		.library = row->library,
	};

	return kind_fits(spec, row->kind, false) && name_fits(r, spec, &point);
}

static struct reader_list list_points_of(struct property_reader *r, const struct trace_point *point,
					 bool both)
{
	struct reader_list list = { (uint32_t)r->lists.count, 0 };

	for (size_t i = 0; i < r->functions.count; i++) {
		struct reader_point *known = &r->points.items[r->functions.items[i]];

		if (!kind_fits(known->spec, point->kind, both) || !name_fits(r, known->spec, point))
			continue;
		known->visible = true;
		*vec_push(&r->lists) = r->functions.items[i];
	}
	list.count = (uint32_t)r->lists.count - list.start;
	return list;
}

static uint64_t add_function_list(struct property_reader *r, const struct trace_point *point,
				  bool both)
{
	*vec_push(&r->function_lists) = list_points_of(r, point, both);
	return r->function_lists.count;
}

/*
 * Sets a key that identifies the function without decoding the event: the point's number, or the
 * position of the call or ret in a text trace. Returns false for a probe in a text trace, which
 * must be decoded.
 */
static bool function_key(const struct property_reader *r, const struct trace_event *event,
			 uint64_t *key)
{
	if (!r->text) {
		*key = event->number;
		return event->kind == EV_POINT;
	}
	*key = event->pc << 1 | (event->kind == EV_EXIT);
	return event->kind == EV_ENTER || event->kind == EV_EXIT;
}

/*
 * Text traces: returns the number of the list of points that may match this probe or point. Lists
 * are found by name.
 */
static uint64_t find_by_name(struct property_reader *r, const struct trace_point *point)
{
	uint32_t number;
	bool fresh;
	char *key = mem_format("%c%s\"%s", '0' + point->kind, point->function,
			       point->library ? point->library : "");

	number = intern_put(&r->words, key, strlen(key), &fresh);
	free(key);
	if (fresh)
		*vec_push(&r->word_lists) = (uint32_t)add_function_list(r, point, false);
	return r->word_lists.items[number];
}

static void add_candidates(struct property_reader *r, struct reader_list list)
{
	for (uint32_t i = 0; i < list.count; i++)
		*vec_push(&r->candidates) = r->lists.items[list.start + i];
}

bool points_find_candidates(struct property_reader *r, const struct trace_event *event,
			    struct trace_point *point)
{
	uint64_t *known = NULL, key, list;
	bool keyed = function_key(r, event, &key), fresh = true;

	if (!r->functions.count || (!r->text && !keyed))
		return false;
	if (keyed) {
		known = map_put(&r->rows, key, &fresh);
		if (!fresh && !r->function_lists.items[*known - 1].count)
			return false;
	}
	if (!trace_read_point(trace_order_cursor(r->order), event, point)) {
		if (keyed && fresh) {
			*vec_push(&r->function_lists) = (struct reader_list){ 0 };
			*known = r->function_lists.count;
		}
		return false;
	}
	if (keyed && fresh)
		*known = add_function_list(r, point, event->kind == EV_ENTER);
	list = keyed ? *known : find_by_name(r, point);
	add_candidates(r, r->function_lists.items[list - 1]);
	return r->candidates.count > 0;
}

void points_free(struct property_reader *r)
{
	vec_free(&r->functions);
	vec_free(&r->function_lists);
	vec_free(&r->word_lists);
	map_free(&r->rows);
	map_free(&r->memory);
	intern_free(&r->words);
	intern_free(&r->names);
}

/*
 * ---- dereferenced arguments -------------------------------------------------------------------
 */

/*
 * Text traces: returns the key under which `memory` has the value of a variable for one thread. A
 * variable without a name is identified by its address. Each thread has its own entry, because only
 * the value that the thread itself last read or wrote is the same in every order.
 */
static uint64_t variable_key(struct property_reader *r, uint32_t stream,
			     const struct property_raw *raw)
{
	uint32_t number;
	char *key = raw->word ? mem_format("%" PRIu32 " %.*s", stream, (int)raw->length, raw->text)
			      : mem_format("%" PRIu32 "@%" PRIx64, stream, raw->bits);

	number = intern_put(&r->names, key, strlen(key), NULL);
	free(key);
	return number;
}

void points_remember(struct property_reader *r, const struct trace_event *event)
{
	struct property_raw raw = raw_value_address(r->text, event->address), value;

	if (!event->value || event->unit < event->size || event->size > 8)
		return;
	value = raw_value_bytes(event->value, event->size, RAW_VALUE_SIGNED);
	*map_put(&r->memory, variable_key(r, event->stream, &raw), NULL) = value.bits;
}

/*
 * Returns the value that the argument pointed to when the point happened. In a text trace this is
 * the value that the thread itself last read or wrote there.
 */
static struct property_raw pointed_value(const struct match *m, uint32_t i, uint8_t type)
{
	struct property_reader *r = m->reader;
	const struct trace_value *argument = &m->happening->point->arguments[i];
	struct property_raw raw;
	const uint64_t *value;

	if (!r->text)
		return raw_value_argument(NULL, &m->happening->point->pointed[i], type);
	raw = raw_value_argument(r->text, argument, SPEC_POINTER);
	if (!raw.known)
		return raw;
	value = map_get(&r->memory, variable_key(r, m->happening->event->stream, &raw));
	if (!value)
		return (struct property_raw){ 0 };
	return type == SPEC_POINTER || type == SPEC_LOCK ? raw_value_address(r->text, *value)
							 : raw_value_number(*value);
}

/* ---- matching -------------------------------------------------------------------------------- */

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/*
 * Does the number of arguments match? If not, it is a doubt for a plain function name, but not for
 * a glob, which may match functions with different numbers of arguments.
 */
static bool arity_fits(const struct match *m)
{
	const struct spec_point *spec = m->point->spec;
	const struct trace_point *point = m->happening->point;
	bool fits = spec->argument_count <= point->count &&
		    (spec->rest || (spec->argument_count == point->count && !point->more));

	return fits || (is_glob(spec->function) ? false : match_doubt(m, DOUBT_ARITY));
}

bool points_match(const struct match *m)
{
	const struct spec_point *spec = m->point->spec;
	const struct trace_point *point = m->happening->point;
	const struct trace *text = m->reader->text;
	struct property_raw raw;

	if (!arity_fits(m))
		return false;
	for (uint32_t i = 0; i < spec->argument_count; i++) {
		const struct spec_argument *slot = &spec->arguments[i];
		uint8_t type =
			slot->slot == SPEC_EQUALS ? SPEC_STRING : match_type(m, slot->parameter);

		if (slot->slot == SPEC_ANY)
			continue;
		raw = slot->slot == SPEC_BINDS_POINTED
			      ? pointed_value(m, i, type)
			      : raw_value_argument(text, &point->arguments[i], type);
		if (!match_slot(m, slot, &raw))
			return false;
	}
	if (!spec->result || spec->result->slot == SPEC_ANY)
		return true;
	raw = raw_value_argument(text, &point->result,
				 spec->result->slot == SPEC_EQUALS
					 ? SPEC_STRING
					 : match_type(m, spec->result->parameter));
	return match_slot(m, spec->result, &raw);
}
