/*
 * What came of each property. Silence is an answer only if all that the property speaks of could be
 * seen: what could not is told with it, always.
 */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

/* One property, over all processes. */
struct judged {
	const struct spec_property *property;
	const struct spec_file *file;
	uint64_t events, findings;
	bool blind; /* an event of it could not be seen at all */
	bool open;  /* some of its formulas have no engine */
	VEC(const char *) unseen;
};
typedef VEC(struct judged) judged_list;

static const struct property_events *events_of(const struct report *r,
					       const struct spec_property *property)
{
	for (size_t i = 0; r->properties && i < r->properties->properties.count; i++) {
		if (r->properties->properties.items[i].property == property)
			return &r->properties->properties.items[i];
	}
	return NULL;
}

static bool has_unseen(const struct property_events *events, const char *text)
{
	for (size_t i = 0; i < events->unseen.count; i++) {
		if (!strcmp(events->unseen.items[i], text))
			return true;
	}
	return false;
}

/* What one process could not see another one may have seen. */
static bool unseen_by_all(const struct report *reports, size_t count,
			  const struct spec_property *property, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		const struct property_events *events = events_of(&reports[i], property);

		if (events && !has_unseen(events, text))
			return false;
	}
	return true;
}

static void judge(const struct report *reports, size_t count, struct judged *j)
{
	size_t blind = 0, read = 0;
	const struct property_events *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct property_events *events = events_of(&reports[i], j->property);

		if (!events)
			continue;
		if (!first)
			first = events;
		read++;
		blind += events->blind.count > 0;
		j->events += events->events.count;
		for (size_t k = 0; k < reports[i].result->findings.count; k++) {
			const struct finding *f = &reports[i].result->findings.items[k];

			j->findings += f->kind == FINDING_PATTERN && f->property == j->property;
		}
	}
	j->blind = blind == read;
	for (size_t i = 0; first && i < first->unseen.count; i++) {
		if (unseen_by_all(reports, count, j->property, first->unseen.items[i]))
			*vec_push(&j->unseen) = first->unseen.items[i];
	}
	for (const struct spec_formula *f = j->property->formulas; f; f = f->next)
		j->open |= f->formalism != SPEC_PATTERN;
}

static void judge_all(const struct report *reports, size_t count, judged_list *list)
{
	const struct report *first = count ? &reports[0] : NULL;

	for (size_t i = 0; first && i < first->file_count; i++) {
		const struct spec_property *p = first->files[i]->properties;

		for (; p; p = p->next) {
			struct judged *j = vec_push(list);

			*j = (struct judged){ .property = p, .file = first->files[i] };
			judge(reports, count, j);
		}
	}
}

/* Of sooth's own files the name is enough. */
static const char *shown_path(const struct judged *j)
{
	static const char own[] = "/share/sooth/properties/";
	const char *at = strstr(j->file->path, own);

	return at ? at + strlen(own) : j->file->path;
}

static void free_all(judged_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		vec_free(&list->items[i].unseen);
	vec_free(list);
}

static bool is_judged(const struct judged *j)
{
	return !j->blind && !j->open && !j->unseen.count;
}

/* ---- formulas --------------------------------------------------------------------------------- */

static const char *formalism_name(const struct spec_formula *f)
{
	switch (f->formalism) {
	case SPEC_TEMPORAL: return f->never ? "never" : "always";
	case SPEC_LTL: return "ltl";
	case SPEC_PATTERN: return "pattern";
	case SPEC_ERE: return "ere";
	case SPEC_GRAMMAR: return "grammar";
	case SPEC_MONITOR: return "monitor";
	}
	return "?";
}

/* ---- text ------------------------------------------------------------------------------------- */

static void print_verdict(const struct judged *j, FILE *out)
{
	bool patterns = false;

	for (const struct spec_formula *f = j->property->formulas; f; f = f->next)
		patterns |= f->formalism == SPEC_PATTERN;
	if (j->findings)
		fprintf(out, "violated, %" PRIu64 " finding%s", j->findings,
			j->findings == 1 ? "" : "s");
	else if (j->blind || !patterns)
		fputs("NOT JUDGED", out);
	else if (is_judged(j))
		fputs("not violated", out);
	else
		fputs("not violated by what was seen", out);
	fprintf(out, " (%" PRIu64 " event%s)\n", j->events, j->events == 1 ? "" : "s");
}

void report_print_properties(const struct report *reports, size_t count, FILE *out)
{
	judged_list list = { 0 };

	judge_all(reports, count, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct judged *j = &list.items[i];
		uint32_t number = 0;

		fprintf(out, "property %s (%s): ", j->property->name, shown_path(j));
		print_verdict(j, out);
		for (size_t k = 0; k < j->unseen.count; k++)
			fprintf(out, "  not seen: %s\n", j->unseen.items[k]);
		for (const struct spec_formula *f = j->property->formulas; f; f = f->next) {
			number++;
			if (f->formalism != SPEC_PATTERN)
				fprintf(out,
					"  not judged: formula %" PRIu32
					" (%s): this kind is read but has no engine yet\n",
					number, formalism_name(f));
		}
	}
	free_all(&list);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static json_t *open_formulas(const struct spec_property *property)
{
	json_t *list = json_array();
	uint32_t number = 0;

	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		number++;
		if (f->formalism != SPEC_PATTERN)
			json_array_append_new(list, json_pack("{s:i, s:s}", "formula", (int)number,
							      "kind", formalism_name(f)));
	}
	return list;
}

json_t *report_json_properties(const struct report *reports, size_t count)
{
	judged_list list = { 0 };
	json_t *all = json_array();

	judge_all(reports, count, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct judged *j = &list.items[i];
		json_t *object = json_object(), *unseen = json_array();

		for (size_t k = 0; k < j->unseen.count; k++)
			json_array_append_new(unseen, report_json_text(j->unseen.items[k]));
		json_object_set_new(object, "name", report_json_text(j->property->name));
		json_object_set_new(object, "file", report_json_text(shown_path(j)));
		json_object_set_new(object, "events", json_integer((json_int_t)j->events));
		json_object_set_new(object, "findings", json_integer((json_int_t)j->findings));
		json_object_set_new(object, "judged", json_boolean(is_judged(j)));
		json_object_set_new(object, "unseen", unseen);
		json_object_set_new(object, "not_judged", open_formulas(j->property));
		json_array_append_new(all, object);
	}
	free_all(&list);
	return all;
}
