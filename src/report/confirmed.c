/*
 * Texts about the controlled runs of a replay: what they showed or, if they did not show the
 * finding, why not.
 */
#include "report/confirmed.h"

#include "report/message.h"
#include "report/name.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the text of a value in memory: decimal if it is small, otherwise hexadecimal. */
static const char *value_text(struct describe *d, uint64_t value, uint64_t size)
{
	unsigned unused = size && size < 8 ? 64 - 8 * (unsigned)size : 0;
	int64_t number = (int64_t)(value << unused) >> unused;

	if (number > -(1ll << 40) && number < 1ll << 40)
		return describe_format(d, "%" PRId64, number);
	return describe_format(d, "0x%" PRIx64, value);
}

/* Describes how both threads of a race were about to access the memory at the same time. */
static const char *meeting_text(struct describe *d, const struct finding *f,
				const struct confirmation *c)
{
	const struct finding_event *a = &f->events.items[0], *b = &f->events.items[1];

	return describe_format(d,
			       "Replayed: at the same time, %s was about to %s at %s and %s to %s "
			       "at %s; %s was %s.",
			       describe_thread(d, c->met[0].thread), message_operation(a->kind),
			       name_event_site(d, describe_find(d, a->id)),
			       describe_thread(d, c->met[1].thread), message_operation(b->kind),
			       name_event_site(d, describe_find(d, b->id)), message_subject(d, a),
			       value_text(d, c->met[0].value, c->met[0].size));
}

/* Returns a text such as "exit status: 1 instead of 0", with `before` at its start. */
static const char *outcome_text(struct describe *d, const char *before,
				const struct run_outcome *effect)
{
	return describe_format(d, "%s%s%s%s", before, run_outcome_name(effect->kind),
			       effect->text[0] ? ": " : "", effect->text);
}

static const char *why_not(struct describe *d, const struct confirmation *c)
{
	if (c->verdict == CONFIRM_DIVERGED)
		return describe_format(d,
				       "Not confirmed: the replay diverged at step %" PRIu32 ": %s",
				       c->diverged.step, c->why);
	return describe_format(d, "Not confirmed: %s", c->why);
}

static const char *confirmed_text(struct describe *d, const struct finding *f,
				  const struct confirmation *c)
{
	const struct run_outcome *effect = &c->orders[0].effect;

	if (f->property || f->kind == FINDING_ATOMICITY)
		return outcome_text(d,
				    "Replayed: a run did this at the same code sites; its "
				    "outcome: ",
				    effect);
	if (finding_is_use_after_end(f) || f->kind == FINDING_MISUSE) {
		if (effect->kind == RUN_OUTCOME_NONE)
			return "Replayed: a run did this, and went on.";
		return outcome_text(d, "Replayed: ", effect);
	}
	return describe_format(d, "Replayed: %s", effect->text);
}

const char *confirmed_line(struct describe *d, const struct finding *f,
			   const struct confirmation *c, unsigned i)
{
	if (!c || (c->verdict == CONFIRM_NOT_TRIED && !c->why))
		return NULL;
	if (c->verdict != CONFIRM_DONE)
		return i ? NULL : why_not(d, c);
	if (f->property || f->kind != FINDING_RACE)
		return i ? NULL : confirmed_text(d, f, c);
	if (!i)
		return meeting_text(d, f, c);
	if (i > c->order_count)
		return NULL;
	return outcome_text(
		d, describe_format(d, "%s first: ", describe_thread(d, c->orders[i - 1].first)),
		&c->orders[i - 1].effect);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *verdict_name(enum confirm_verdict verdict)
{
	switch (verdict) {
	case CONFIRM_NOT_TRIED: return "not tried";
	case CONFIRM_DONE: return "confirmed";
	case CONFIRM_DIVERGED: return "diverged";
	case CONFIRM_NOT_ATTRIBUTED: return "not attributed";
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
	char address[24];

	snprintf(address, sizeof address, "0x%" PRIx64, stop->address);
	return json_pack("{s:I, s:I, s:s, s:I, s:I}", "thread", (json_int_t)stop->thread, "step",
			 (json_int_t)stop->actual_step, "address", address, "size",
			 (json_int_t)stop->size, "value", (json_int_t)stop->value);
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
