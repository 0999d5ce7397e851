/*
 * Texts for events of properties. Such an event is shown by its name in the property and by its
 * point or object.
 */
#include "report/matched.h"

#include "report/message.h"
#include "report/name.h"

#include <inttypes.h>
#include <string.h>

/* ---- events ---------------------------------------------------------------------------------- */

const char *matched_name(const struct finding *f, const struct finding_event *e)
{
	return e->named < f->property->event_count ? f->property->events[e->named].name : "?";
}

static const char *point_of(struct describe *d, const struct finding_event *e)
{
	const struct described *one = describe_find(d, e->id);

	return one ? one->point : NULL;
}

const char *matched_operation(struct describe *d, const struct finding_event *e)
{
	const char *point = point_of(d, e);

	if (point)
		return describe_keep(d, point, strcspn(point, " "));
	switch (e->kind) {
	case EV_RELEASE: return "release";
	case EV_READ_RELEASE: return "read-release";
	case EV_CREATE: return "spawn";
	}
	if (e->before)
		return "request";
	return message_operation(e->kind);
}

/* Of a point "call \"libm\":sin(0)", the subject is "sin". */
const char *matched_subject(struct describe *d, const struct finding_event *e)
{
	const char *point = point_of(d, e), *name;

	if (!point)
		return message_subject(d, e);
	name = point + strcspn(point, " ");
	name += *name == ' ';
	if (*name == '"') {
		const char *end = strstr(name, "\":");

		name = end ? end + 2 : name;
	}
	return describe_keep(d, name, strcspn(name, "("));
}

const char *matched_event(struct describe *d, const struct finding_event *e)
{
	const char *point = point_of(d, e);

	if (point)
		return point;
	return describe_format(d, "%s%s of %s", message_is_atomic(e->kind) ? "atomic " : "",
			       matched_operation(d, e), matched_subject(d, e));
}

const char *matched_cell(struct describe *d, const struct finding *f, const struct finding_event *e)
{
	bool named = e->named != ORDER_NONE;

	return describe_format(d, ">> %s%s%s %s", named ? matched_name(f, e) : "",
			       named ? ": " : "", matched_operation(d, e), matched_subject(d, e));
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void print_quoted(FILE *out, const struct property_value *value)
{
	fputc('"', out);
	for (uint32_t i = 0; i < value->length; i++) {
		unsigned char c = (unsigned char)value->text[i];

		if (c < ' ' || c == 0x7f)
			fprintf(out, "\\%03o", c);
		else
			fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	fputc('"', out);
}

const char *matched_value(struct describe *d, const struct finding *f, uint32_t parameter)
{
	const struct property_value *value = &f->binding.items[parameter];
	struct text_stream text;
	double real;
	FILE *out;

	if (value->type == FINDING_UNBOUND)
		return NULL;
	out = text_begin(&text);
	switch (value->type) {
	case SPEC_STRING: print_quoted(out, value); break;
	case SPEC_INT: fprintf(out, "%" PRId64, (int64_t)value->bits); break;
	case SPEC_THREAD: fputs(describe_thread(d, (uint32_t)value->bits), out); break;
	case SPEC_FLOATING:
		memcpy(&real, &value->bits, sizeof real);
		fprintf(out, "%g", real);
		break;
	default:
		if (value->text) /* in text traces, values are names */
			fprintf(out, "%.*s", (int)value->length, value->text);
		else
			fputs(name_object(d, value->bits, NULL), out);
	}
	return text_end(&text, d);
}

/* ---- messages -------------------------------------------------------------------------------- */

const struct spec_formula *matched_formula(const struct finding *f)
{
	const struct spec_formula *formula = f->property->formulas;

	for (uint32_t i = 1; formula && i < f->formula; i++)
		formula = formula->next;
	return formula;
}

const char *matched_message(struct describe *d, const struct finding *f)
{
	const struct spec_formula *formula = matched_formula(f);
	uint8_t kind = formula && formula->pattern ? formula->pattern->kind : SPEC_LEAF;
	bool seen = f->status == FINDING_OBSERVED;
	struct text_stream text;
	FILE *out = text_begin(&text);

	fprintf(out, "%s %s violated:", f->property->name, seen ? "is" : "can be");
	if (f->at_start) {
		fputs(" in the initial state", out);
		return text_end(&text, d);
	}
	if (f->kind != FINDING_PATTERN) {
		const struct finding_event *e = &f->events.items[0];

		if (f->at_end)
			fputs(" at the end of the run, after", out);
		fprintf(out, " %s in %s",
			e->named == ORDER_NONE ? matched_event(d, e) : matched_name(f, e),
			describe_thread(d, e->id.stream));
		return text_end(&text, d);
	}
	for (size_t i = 0; i < f->events.count; i++) {
		const struct finding_event *e = &f->events.items[i];
		bool last = i + 1 == f->events.count;

		if (i && kind == SPEC_PARALLEL && last)
			fputs(" and", out);
		else if (i)
			fputs(kind == SPEC_SEQUENCE ? ", then" : ",", out);
		fprintf(out, " %s in %s", matched_name(f, e), describe_thread(d, e->id.stream));
	}
	if (kind == SPEC_PARALLEL)
		fputs(" at the same time", out);
	else if (kind == SPEC_INVERTED)
		fputs(", in a different order", out);
	return text_end(&text, d);
}
