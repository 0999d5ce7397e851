/*
 * Reports what a property needs but the recording does not contain. If something is missing, "no
 * finding" does not mean that the property holds.
 *
 * A point that matches nothing in the program cannot happen. It is reported only if this is true of
 * all points of its event, because properties list alternatives (malloc, calloc, aligned_alloc,
 * ...) and a program uses only some of them. A point that exists in the program but was not
 * recorded is always reported. So is an event if the recording could not decide whether it matches.
 */
#include "property/reader.h"

#include "base/file.h"
#include "base/mem.h"
#include "trace/sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Why a point was not recorded. `lacks`: nothing in the program matches the point. */
struct not_recorded_reason {
	char *text; /* NULL: the point was recorded */
	bool lacks;
	bool partly; /* other functions that match the point were recorded */
};

static struct not_recorded_reason make_reason(bool lacks, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static struct not_recorded_reason make_reason(bool lacks, const char *format, ...)
{
	struct not_recorded_reason reason = { .lacks = lacks };
	va_list args;

	va_start(args, format);
	if (vasprintf(&reason.text, format, args) < 0)
		mem_exhausted();
	va_end(args);
	return reason;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Reads a file of the recording as text. Returns NULL if the file does not exist. */
static char *read_trace_file(const struct trace *trace, const char *name)
{
	struct file_view view;
	char *path = mem_format("%s/%s", trace_path(trace), name), *text = NULL;
	struct stat st;
	struct err err;

	if (!stat(path, &st) && file_map(path, &view, &err)) {
		text = mem_copy_text(view.data ? (const char *)view.data : "", view.size);
		file_unmap(&view);
	}
	free(path);
	return text;
}

/* Does the selection contain this line? */
static bool has_line(const char *text, const char *wanted)
{
	size_t length = strlen(wanted);

	for (const char *line = text; *line;) {
		size_t all = strcspn(line, "\n");

		if (all == length && !memcmp(line, wanted, length))
			return true;
		line += all + (line[all] != 0);
	}
	return false;
}

/* Splits a line of `points_missed`: "REASON\tKIND\tLIBRARY\tFUNCTION". */
static bool split_line(char *line, char *words[4])
{
	for (unsigned i = 0; i < 4; i++) {
		words[i] = line;
		line = i < 3 && line ? strchr(line, '\t') : NULL;
		if (i < 3 && !line)
			return false;
		if (line)
			*line++ = 0;
	}
	return true;
}

/*
 * Is this line of `points_missed` about the point? If the program has no such function, the line
 * repeats the point's line of the selection. If the function exists but could not be recorded, the
 * line has the function's name, and no library.
 */
static bool is_missed(const struct spec_point *spec, const char *kind, char *const words[4])
{
	bool lacks = !strncmp(words[0], "nothing", 7);
	const char *library = spec->library ? spec->library : "-";

	if (strcmp(words[1], kind))
		return false;
	if (!strcmp(words[3], spec->function) && !strcmp(words[2], library))
		return true;
	return !lacks && !strcmp(words[2], "-") && points_name_fits(spec->function, words[3]);
}

static struct not_recorded_reason find_missed_reason(const struct spec_point *spec,
						     const char *kind, char *text)
{
	char *rest = NULL, *words[4];
	struct not_recorded_reason reason = { 0 };

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && !reason.text;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (split_line(line, words) && is_missed(spec, kind, words))
			reason = make_reason(!strncmp(words[0], "nothing", 7), "%s", words[0]);
	}
	return reason;
}

/* Does the recording contain some function that the point matches? */
static bool has_recorded_function(const struct property_reader *r, const struct reader_point *point)
{
	for (size_t i = 0; i < trace_point_row_count(r->trace); i++) {
		struct trace_point_row row = trace_point_row(r->trace, i);

		if (points_row_fits(r, point->spec, &row))
			return true;
	}
	return false;
}

static struct not_recorded_reason find_function_reason(const struct property_reader *r,
						       const struct reader_point *point)
{
	const struct spec_property *property = r->props.items[point->prop].property;
	struct not_recorded_reason reason = { 0 };
	char *selected, *lost, *line;

	if (r->text)
		return point->visible
			       ? reason
			       : make_reason(true, "the trace has no function with this name");
	line = selection_line(property, point->spec);
	selected = read_trace_file(r->trace, "points");
	lost = read_trace_file(r->trace, "points_missed");
	if (!selected)
		reason = make_reason(false,
				     "not recorded: the recording was made without properties "
				     "(sooth record -p)");
	else if (!has_line(selected, line))
		reason = make_reason(false, "not recorded: the recording was made with other "
					    "properties");
	else {
		line[strcspn(line, "\t")] = 0;
		reason = find_missed_reason(point->spec, line, lost);
		reason.partly = reason.text && has_recorded_function(r, point);
	}
	free(line);
	free(selected);
	free(lost);
	return reason;
}

/* ---- memory and locks ------------------------------------------------------------------------ */

static bool has_field(const struct property_reader *r, const char *tag, const char *field,
		      bool locks)
{
	for (size_t i = 0; i < trace_site_count(r->trace); i++) {
		const struct wire_element *site = trace_site_number(r->trace, i);

		if ((site->kind == EV_SITE) >= locks &&
		    accesses_field(trace_site_path(r->trace, site), tag, field))
			return true;
	}
	return false;
}

/* Does any event bind a value to the target's parameter? */
static bool has_known_object(const struct property_reader *r, const struct reader_point *point,
			     const struct spec_target *target)
{
	const struct reader_known *known = r->props.items[point->prop].known;

	return known && known[target->parameter].numbers.count;
}

static struct not_recorded_reason find_target_reason(const struct property_reader *r,
						     const struct reader_point *point,
						     const struct spec_target *target,
						     const char *tag, struct reader_list ranges,
						     struct field_range field_range)
{
	bool lock = target == point->spec->holding || reader_is_lock(point->spec);

	if (target->kind == SPEC_GLOBAL && !r->text && !ranges.count)
		return make_reason(true, "the program has no variable `%s%s%s`", target->name,
				   target->path ? target->path[0] == '[' ? "" : "." : "",
				   target->path ? target->path : "");
	if (target->kind != SPEC_FIELD && target->kind != SPEC_GLOBAL)
		return (struct not_recorded_reason){ 0 };
	if (r->text)
		return point->visible ? (struct not_recorded_reason){ 0 }
				      : make_reason(true, "the trace has no %s with this name",
						    lock ? "lock" : "variable");
	if (target->kind == SPEC_GLOBAL)
		return (struct not_recorded_reason){ 0 };
	if (!trace_has_sites(r->trace))
		return make_reason(
			false,
			"the recording has no compiler tables: build the program with sooth cc");
	if (field_range.size)
		return has_known_object(r, point, target)
			       ? (struct not_recorded_reason){ 0 }
			       : make_reason(
					 false,
					 "it is unknown which object the field `%s` belongs to, "
					 "and no other event binds one",
					 target->path);
	if (!point->visible && (!tag || !has_field(r, tag, target->path, lock)))
		return make_reason(true, "no recorded code %s a field `%s` of `%s`",
				   lock ? "uses a lock in" : "accesses", target->path,
				   tag ? tag : target->name);
	return (struct not_recorded_reason){ 0 };
}

/*
 * Does the property have a pattern or a grammar? These cannot use `becomes`, which is not an event
 * of the trace. Other formulas can: src/monitor derives it from the values of the states.
 */
static bool chooses_events(const struct spec_property *property)
{
	for (const struct spec_formula *f = property->formulas; f; f = f->next)
		if (f->formalism == SPEC_PATTERN || f->formalism == SPEC_GRAMMAR)
			return true;
	return false;
}

static struct not_recorded_reason find_reason(const struct property_reader *r,
					      const struct reader_point *point)
{
	const struct spec_point *spec = point->spec;
	struct not_recorded_reason reason = { 0 };

	if (spec->kind == SPEC_POINT_BECOMES)
		return chooses_events(r->props.items[point->prop].property)
			       ? make_reason(false, "patterns and grammars cannot use `becomes`")
			       : reason;
	if (reader_is_function(spec))
		reason = find_function_reason(r, point);
	else if (spec->target)
		reason = find_target_reason(r, point, spec->target, point->tag, point->ranges,
					    point->field_range);
	if (!reason.text && spec->holding)
		reason = find_target_reason(r, point, spec->holding, point->holding_tag,
					    point->holding_ranges, point->holding_field_range);
	return reason;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void add_message(struct property_events *out, const struct reader_point *point,
			const char *why)
{
	*vec_push(&out->unseen) = mem_format("event %s: %s: %s", point->event->name,
					     point->spec->text ? point->spec->text : "?", why);
}

static void add_doubt_messages(struct property_events *out, const struct reader_point *point)
{
	static const char *const words[DOUBTS] = {
		[DOUBT_UNKNOWN] = "a value that it needs was not recorded",
		[DOUBT_CUT] = "only the start of a string was recorded",
		[DOUBT_NO_TEXT] = "a string could not be read",
		[DOUBT_TYPE] = "a value does not have the parameter's type",
		[DOUBT_FILTER] = "its filter could not be decided",
		[DOUBT_ELEMENT] = "it is unknown which object an array element belongs to",
		[DOUBT_ARITY] = "argument count differs; use `...` for the rest",
	};

	for (unsigned i = 0; i < DOUBTS; i++) {
		char text[256];

		if (!point->doubts[i])
			continue;
		snprintf(text, sizeof text, "%s (%" PRIu64 " time%s)", words[i], point->doubts[i],
			 point->doubts[i] == 1 ? "" : "s");
		add_message(out, point, text);
	}
}

static void report_event(const struct property_reader *r, size_t first, size_t end,
			 struct property_events *out)
{
	struct not_recorded_reason *reasons = mem_zalloc(end - first, sizeof *reasons);
	bool blind = true, withheld = false;
	size_t told = out->unseen.count;

	for (size_t i = first; i < end; i++) {
		reasons[i - first] = find_reason(r, &r->points.items[i]);
		blind &= reasons[i - first].text && !reasons[i - first].partly;
		withheld |= reasons[i - first].text && !reasons[i - first].lacks;
	}
	for (size_t i = first; i < end; i++) {
		const struct reader_point *point = &r->points.items[i];
		struct not_recorded_reason *reason = &reasons[i - first];

		if (reason->text && (blind || !reason->lacks))
			add_message(out, point, reason->text);
		free(reason->text);
		add_doubt_messages(out, point);
		if (point->guesses.count && point->event->lives)
			add_message(
				out, point,
				"`new` and `end` have no effect where a filter chooses parameters");
	}
	if (blind)
		*vec_push(&out->blind) = r->points.items[first].number;
	if (out->unseen.count > told)
		*vec_push(&out->doubtful) = r->points.items[first].number;
	if (blind && withheld)
		*vec_push(&out->withheld) = r->points.items[first].number;
	free(reasons);
}

void not_recorded_report(struct property_reader *r, uint32_t prop, struct property_events *out)
{
	for (size_t i = 0; i < r->points.count;) {
		size_t end = i + 1;

		while (end < r->points.count &&
		       r->points.items[end].event == r->points.items[i].event)
			end++;
		if (r->points.items[i].prop == prop)
			report_event(r, i, end, out);
		i = end;
	}
}
