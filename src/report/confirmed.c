#include "report/confirmed.h"

#include "report/message.h"
#include "report/name.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *keep(struct describe *d, char *text)
{
	const char *kept = describe_keep(d, text, strlen(text));

	free(text);
	return kept;
}

/* "as number": what memory held, as far as it fits. */
static void print_value(char text[32], uint64_t value, uint64_t size)
{
	unsigned unused = size && size < 8 ? 64 - 8 * (unsigned)size : 0;
	int64_t number = (int64_t)(value << unused) >> unused;

	if (number > -(1ll << 40) && number < 1ll << 40)
		snprintf(text, 32, "%" PRId64, number);
	else
		snprintf(text, 32, "0x%" PRIx64, value);
}

/* Both stood there at once. */
static const char *meeting(struct describe *d, const struct finding *f,
			   const struct confirmation *c)
{
	const struct described *a = describe_find(d, f->events.items[0].id);
	const struct described *b = describe_find(d, f->events.items[1].id);
	char value[32], *text;

	print_value(value, c->met[0].value, c->met[0].size);
	if (asprintf(
		    &text,
		    "Replayed: %s stood before the %s at %s and %s before the %s at %s, %s was %s.",
		    describe_thread(d, c->met[0].thread),
		    message_operation(f->events.items[0].kind), name_place(d, name_frame(a)),
		    describe_thread(d, c->met[1].thread),
		    message_operation(f->events.items[1].kind), name_place(d, name_frame(b)),
		    message_subject(d, &f->events.items[0]), value) < 0)
		abort();
	return keep(d, text);
}

static const char *order(struct describe *d, const struct confirm_order *o)
{
	bool more = o->effect.text[0];
	char *text;

	if (asprintf(&text, "%s first: %s%s%s", describe_thread(d, o->first),
		     run_outcome_name(o->effect.kind), more ? ": " : "", o->effect.text) < 0)
		abort();
	return keep(d, text);
}

static const char *blocked(struct describe *d, const struct confirmation *c)
{
	char *text;

	if (asprintf(&text, "Replayed: %s", c->orders[0].effect.text) < 0)
		abort();
	return keep(d, text);
}

/* A use of what is over: the run was ended there, or went on. */
static const char *used(struct describe *d, const struct confirmation *c)
{
	const struct run_outcome *effect = &c->orders[0].effect;
	bool more = effect->text[0];
	char *text;
	int made =
		effect->kind == RUN_OUTCOME_NONE
			? asprintf(&text, "Replayed: a run of the program did that, and went on.")
			: asprintf(&text, "Replayed: %s%s%s", run_outcome_name(effect->kind),
				   more ? ": " : "", effect->text);

	if (made < 0)
		abort();
	return keep(d, text);
}

/* A pattern: the run has it, and what came of that. */
static const char *matched(struct describe *d, const struct confirmation *c)
{
	const struct run_outcome *effect = &c->orders[0].effect;
	bool more = effect->text[0];
	char *text;

	if (asprintf(&text,
		     "Replayed: a run of the program did that at these places; beyond that: %s%s%s",
		     run_outcome_name(effect->kind), more ? ": " : "", effect->text) < 0)
		abort();
	return keep(d, text);
}

static const char *why_not(struct describe *d, const struct confirmation *c)
{
	char *text;
	int made = c->verdict == CONFIRM_DIVERGED
			   ? asprintf(&text,
				      "Not confirmed: the replay diverged at step %" PRIu32 ": %s",
				      c->diverged.step, c->why)
			   : asprintf(&text, "Not confirmed: %s", c->why);

	if (made < 0)
		abort();
	return keep(d, text);
}

const char *confirmed_line(struct describe *d, const struct finding *f,
			   const struct confirmation *c, unsigned i)
{
	if (!c || c->verdict == CONFIRM_NOT_TRIED)
		return i || !c || !c->why ? NULL : why_not(d, c);
	if (c->verdict != CONFIRM_DONE)
		return i ? NULL : why_not(d, c);
	if (f->property || f->kind == FINDING_ATOMICITY)
		return i ? NULL : matched(d, c);
	if (finding_is_of_life(f) || f->kind == FINDING_MISUSE)
		return i ? NULL : used(d, c);
	if (f->kind != FINDING_RACE)
		return i ? NULL : blocked(d, c);
	if (!i)
		return meeting(d, f, c);
	return i <= c->order_count ? order(d, &c->orders[i - 1]) : NULL;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char *verdict_name(enum confirm_verdict verdict)
{
	switch (verdict) {
	case CONFIRM_NOT_TRIED: return "not tried";
	case CONFIRM_DONE: return "confirmed";
	case CONFIRM_DIVERGED: return "diverged";
	case CONFIRM_CANNOT: return "impossible";
	}
	return NULL;
}

static json_t *order_json(const struct confirm_order *o)
{
	json_t *object = json_object();

	if (o->first != CONTROL_NONE) {
		json_object_set_new(object, "first", json_integer(o->first));
		json_object_set_new(object, "second", json_integer(o->second));
	}
	json_object_set_new(object, "effect", json_string(run_outcome_name(o->effect.kind)));
	json_object_set_new(object, "text", report_json_text(o->effect.text));
	return object;
}

static json_t *met_json(const struct control_stop *stop)
{
	json_t *object = json_object();
	char address[24];

	snprintf(address, sizeof address, "0x%" PRIx64, stop->address);
	json_object_set_new(object, "thread", json_integer(stop->thread));
	json_object_set_new(object, "step", json_integer(stop->actual_step));
	json_object_set_new(object, "address", json_string(address));
	json_object_set_new(object, "size", json_integer((json_int_t)stop->size));
	json_object_set_new(object, "value", json_integer((json_int_t)stop->value));
	return object;
}

json_t *confirmed_json(const struct confirmation *c)
{
	json_t *object, *orders, *met;

	if (!c || (c->verdict == CONFIRM_NOT_TRIED && !c->why))
		return json_null();
	object = json_object();
	orders = json_array();
	json_object_set_new(object, "verdict", json_string(verdict_name(c->verdict)));
	json_object_set_new(object, "runs", json_integer(c->runs));
	json_object_set_new(object, "why", report_json_text(c->why));
	if (c->verdict == CONFIRM_DIVERGED && c->diverged.thread != CONTROL_NONE) {
		json_object_set_new(object, "thread", json_integer(c->diverged.thread));
		json_object_set_new(object, "step", json_integer(c->diverged.step));
	}
	for (unsigned i = 0; i < c->order_count; i++)
		json_array_append_new(orders, order_json(&c->orders[i]));
	json_object_set_new(object, "orders", orders);
	if (c->verdict == CONFIRM_DONE && c->order_count && c->orders[0].first != CONTROL_NONE) {
		met = json_array();
		for (unsigned i = 0; i < 2; i++)
			json_array_append_new(met, met_json(&c->met[i]));
		json_object_set_new(object, "met", met);
	}
	return object;
}
