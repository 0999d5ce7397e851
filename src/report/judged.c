/*
 * Computes the verdict on each property. "Not violated" means something only if all events of the
 * property could be seen, so the report always lists the events that could not be seen.
 *
 * A formula is not judged if every match of it needs an event that could not be seen, or if there
 * is no engine for formulas of its kind. A property is not judged if none of its formulas is
 * judged.
 */
#include "report/report.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum judged_verdict { VIOLATED, NOT_VIOLATED, NOT_VIOLATED_BY_WHAT_WAS_SEEN, NOT_JUDGED };
static const char *const verdicts[] = {
	[VIOLATED] = "violated",
	[NOT_VIOLATED] = "not violated",
	[NOT_VIOLATED_BY_WHAT_WAS_SEEN] = "not violated by what was seen",
	[NOT_JUDGED] = "not judged",
};

/* A property with its verdict over all processes. */
struct judged {
	const struct spec_property *property;
	const struct spec_file *file;
	uint64_t events, findings;
	uint8_t verdict; /* enum judged_verdict */
	bool read;	 /* in some process, the events of the property could be read */
	bool whole;    /* all formulas were judged on all schedules, and all events could be seen */
	bool withheld; /* NOT_JUDGED, although the program has all that the property needs */
	const char *failed; /* why a grammar was given up: error in its code, limit, or ambiguity */
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

/* Is the event that `text` describes unseen in every process? */
static bool is_unseen_by_all(const struct report *reports, size_t count,
			     const struct spec_property *property, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		const struct property_events *events = events_of(&reports[i], property);

		if (events && !mem_has_text(events->unseen.items, events->unseen.count, text))
			return false;
	}
	return true;
}

static bool has_number(const uint32_t *numbers, size_t count, uint32_t wanted)
{
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == wanted)
			return true;
	}
	return false;
}

/*
 * Is this an event that could not be seen in any process? With `withheld`, the event must
 * also exist in one of the programs, although it was not recorded.
 */
static bool is_blind(const struct report *reports, size_t count, const struct judged *j,
		     uint32_t event, bool withheld)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct property_events *e = events_of(&reports[i], j->property);

		if (!e)
			continue;
		if (!has_number(e->blind.items, e->blind.count, event))
			return false;
		any |= !withheld || has_number(e->withheld.items, e->withheld.count, event);
	}
	return any;
}

/* Does every match of the pattern need an event that could not be seen (see is_blind())? */
static bool needs_blind(const struct report *reports, size_t count, const struct judged *j,
			const struct spec_pattern *pattern, bool withheld)
{
	bool all = true, some = false;

	if (pattern->kind == SPEC_LEAF)
		return is_blind(reports, count, j, pattern->event, withheld);
	if (pattern->kind == SPEC_STAR || pattern->kind == SPEC_MAYBE)
		return false;
	for (const struct spec_pattern *p = pattern->parts; p; p = p->next) {
		bool needs = needs_blind(reports, count, j, p, withheld);

		all &= needs;
		some |= needs;
	}
	return pattern->kind == SPEC_EITHER ? all : some;
}

static void count_events(const struct report *reports, size_t count, struct judged *j)
{
	const struct property_events *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct property_events *events = events_of(&reports[i], j->property);

		if (!events)
			continue;
		if (!first)
			first = events;
		j->read = true;
		j->events += events->events.count;
		for (size_t k = 0; k < reports[i].result->findings.count; k++) {
			const struct finding *f = &reports[i].result->findings.items[k];

			j->findings += f->property == j->property;
		}
	}
	for (size_t i = 0; first && i < first->unseen.count; i++) {
		if (is_unseen_by_all(reports, count, j->property, first->unseen.items[i]))
			*vec_push(&j->unseen) = first->unseen.items[i];
	}
}

/* Returns why a formula was not judged in any process; NULL: it was judged. */
static const char *why_unjudged(const struct report *reports, size_t count,
				const struct spec_property *property,
				const struct spec_formula *formula, uint32_t number)
{
	const char *why = "no events could be read";

	for (size_t i = 0; i < count; i++) {
		const struct observe_result *o = reports[i].observation;
		size_t k = 0;

		if (formula->formalism == SPEC_PATTERN) {
			if (!reports[i].observed_only)
				return NULL;
			why = "patterns are checked by sooth predict";
			continue;
		}
		if (!o)
			continue;
		while (k < o->unjudged.count && (o->unjudged.items[k].property != property ||
						 o->unjudged.items[k].formula != number))
			k++;
		if (k == o->unjudged.count)
			return NULL;
		why = o->unjudged.items[k].why;
	}
	return why;
}

/* Returns why a grammar was given up although no event is missing; NULL: it was not given up. */
static const char *why_failed(const struct report *reports, size_t count,
			      const struct spec_property *property,
			      const struct spec_formula *formula, uint32_t number)
{
	for (size_t i = 0; i < count && formula->formalism == SPEC_GRAMMAR; i++) {
		const struct observe_result *o = reports[i].observation;
		const struct property_events *events = events_of(&reports[i], property);

		if (!o || !events || events->doubtful.count || o->forked)
			continue;
		for (size_t k = 0; k < o->unjudged.count; k++) {
			if (o->unjudged.items[k].property == property &&
			    o->unjudged.items[k].formula == number)
				return o->unjudged.items[k].why;
		}
	}
	return NULL;
}

/*
 * Is the verdict on the property incomplete because cuts were left out, values were unknown, or the
 * checker rejected witnesses?
 */
static bool has_gaps(const struct report *reports, size_t count, const struct judged *j)
{
	size_t length = strlen(j->property->name);

	for (size_t i = 0; i < count; i++) {
		const struct observe_result *o = reports[i].observation;

		if (o && o->forked)
			return true;
		for (size_t k = 0; o && k < o->lattices.count; k++) {
			const struct observe_lattice *l = &o->lattices.items[k];

			if (l->dropped && (!l->property || l->property == j->property))
				return true;
		}
		for (size_t k = 0; o && k < o->faults.count; k++) {
			if (!strncmp(o->faults.items[k], j->property->name, length) &&
			    o->faults.items[k][length] == ',')
				return true;
		}
		for (size_t k = 0; o && k < o->notes.count; k++) {
			if (!strncmp(o->notes.items[k], j->property->name, length) &&
			    o->notes.items[k][length] == ':')
				return true;
		}
	}
	return false;
}

static void judge_property(const struct report *reports, size_t count, struct judged *j)
{
	uint32_t formulas = 0, done = 0;

	count_events(reports, count, j);
	for (const struct spec_formula *f = j->property->formulas; f; f = f->next) {
		formulas++;
		if (f->formalism != SPEC_PATTERN) {
			done += !why_unjudged(reports, count, j->property, f, formulas);
			if (!j->failed)
				j->failed = why_failed(reports, count, j->property, f, formulas);
			continue;
		}
		if (why_unjudged(reports, count, j->property, f, formulas))
			continue;
		if (!needs_blind(reports, count, j, f->pattern, false))
			done++;
		else
			j->withheld |= needs_blind(reports, count, j, f->pattern, true);
	}
	j->whole = done == formulas && !j->unseen.count && !has_gaps(reports, count, j);
	if (j->findings)
		j->verdict = VIOLATED;
	else if (!done || !j->read)
		j->verdict = NOT_JUDGED;
	else
		j->verdict = j->whole ? NOT_VIOLATED : NOT_VIOLATED_BY_WHAT_WAS_SEEN;
	j->withheld &= j->verdict == NOT_JUDGED;
}

static void judge_all(const struct report *reports, size_t count, judged_list *list)
{
	const struct report *first = count ? &reports[0] : NULL;

	for (size_t i = 0; first && i < first->file_count; i++) {
		const struct spec_property *p = first->files[i]->properties;

		for (; p; p = p->next) {
			struct judged *j = vec_push(list);

			*j = (struct judged){ .property = p, .file = first->files[i] };
			judge_property(reports, count, j);
		}
	}
}

/* Returns the path of the property's file. If the file comes with sooth, returns only its name. */
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

/* ---- sentences about properties that were not judged ----------------------------------------- */

static char *why_not(const struct judged *j)
{
	const char *why = j->failed	    ? j->failed
			  : j->unseen.count ? j->unseen.items[0]
					    : "the events that it needs could not be seen";

	return mem_format("%s: property %s was not judged%s: %s", shown_path(j), j->property->name,
			  j->verdict == NOT_JUDGED ? "" : " completely", why);
}

/* Is no property of a file judged? `all` starts with the file's first property. */
static bool is_unjudged_file(const struct judged *all, size_t count)
{
	for (size_t i = 0; i < count && all[i].file == all->file; i++) {
		if (all[i].verdict != NOT_JUDGED)
			return false;
	}
	return true;
}

void report_unjudged(const struct report *reports, size_t count, struct report_sentences *out)
{
	judged_list list = { 0 };

	judge_all(reports, count, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct judged *j = &list.items[i];

		if (j->withheld || j->failed)
			*vec_push(&out->list) = why_not(j);
	}
	free_all(&list);
}

void report_unfit(const struct report *reports, size_t count, struct report_sentences *out)
{
	judged_list list = { 0 };

	judge_all(reports, count, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct judged *j = &list.items[i];

		if (!j->withheld && !j->failed && (!i || j[-1].file != j->file) &&
		    is_unjudged_file(j, list.count - i))
			*vec_push(&out->list) =
				mem_format("%s: none of its properties was judged", shown_path(j));
	}
	free_all(&list);
}

void report_sentences_free(struct report_sentences *sentences)
{
	vec_free_all(&sentences->list);
}

/* ---- output ---------------------------------------------------------------------------------- */

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

static void print_verdict(const struct judged *j, FILE *out)
{
	if (j->verdict == VIOLATED)
		fprintf(out, "violated, %" PRIu64 " finding%s", j->findings,
			j->findings == 1 ? "" : "s");
	else if (j->verdict == NOT_JUDGED)
		fputs("NOT JUDGED", out);
	else
		fputs(verdicts[j->verdict], out);
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
			const char *why = why_unjudged(reports, count, j->property, f, ++number);

			if (why)
				fprintf(out, "  not judged: formula %" PRIu32 " (%s): %s\n", number,
					formalism_name(f), why);
		}
	}
	free_all(&list);
}

static json_t *unjudged_formulas(const struct report *reports, size_t count,
				 const struct spec_property *property)
{
	json_t *list = json_array();
	uint32_t number = 0;

	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		const char *why = why_unjudged(reports, count, property, f, ++number);

		if (why)
			json_array_append_new(
				list, json_pack("{s:i, s:s, s:o}", "formula", (int)number, "kind",
						formalism_name(f), "why", report_json_text(why)));
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
		json_t *unseen = json_array();

		for (size_t k = 0; k < j->unseen.count; k++)
			json_array_append_new(unseen, report_json_text(j->unseen.items[k]));
		json_array_append_new(
			all,
			json_pack("{s:o, s:o, s:I, s:I, s:s, s:b, s:o, s:o}", "name",
				  report_json_text(j->property->name), "file",
				  report_json_text(shown_path(j)), "events", (json_int_t)j->events,
				  "findings", (json_int_t)j->findings, "verdict",
				  verdicts[j->verdict], "judged", (int)j->whole, "unseen", unseen,
				  "not_judged", unjudged_formulas(reports, count, j->property)));
	}
	free_all(&list);
	return all;
}
