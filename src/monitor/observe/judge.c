/*
 * Presents violating runs to the checker (judge.h): converts property events, variables and
 * schedules to the checker's own types.
 */
#include "monitor/observe/judge.h"

#include "base/map.h"
#include "base/mem.h"
#include "check/grammar.h"
#include "monitor/grammar/grammar_tokens.h"
#include "property/raw_value.h"
#include "trace/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct judge {
	const struct trace *trace;
	const struct property_set *set;
	struct checker *checker; /* NULL: not opened yet */
	struct err broken;	 /* why nothing can be checked, if `entered` is false */
	bool entered;
	struct checker_property *events; /* by property */
	struct script_value **
		*values; /* by property and event: the values of its token; NULL: not needed yet */
};

/* ---- properties for the checker -------------------------------------------------------------- */

static struct checker_property checker_property_of(const struct property_events *all)
{
	struct checker_occurrence *occurrences =
		mem_alloc(all->events.count * sizeof *occurrences + 1);

	for (size_t i = 0; i < all->events.count; i++) {
		const struct property_event *e = &all->events.items[i];

		occurrences[i] = (struct checker_occurrence){ .anchor = e->id,
							      .before = e->before,
							      .event = e->event,
							      .bindings = e->bindings };
	}
	return (struct checker_property){ .parameters = all->parameters,
					  .occurrences = occurrences,
					  .count = all->events.count,
					  .bindings = all->bindings.items };
}

/* Returns the attribute values of each event of a property, for grammars. */
static struct script_value *const *values_of_events(struct judge *judge, uint32_t property)
{
	const struct property_events *all = &judge->set->properties.items[property];
	struct script_value **values = judge->values[property];

	if (values)
		return values;
	judge->values[property] = values = mem_zalloc(all->events.count + 1, sizeof *values);
	for (size_t i = 0; i < all->events.count; i++) {
		grammar_token_values of_event = { 0 };

		values[i] = grammar_tokens_of_event(all, &all->events.items[i], &of_event);
	}
	return values;
}

static void free_values(struct judge *judge, size_t property)
{
	struct script_value **values = judge->values[property];

	for (size_t i = 0; values && i < judge->set->properties.items[property].events.count; i++)
		free(values[i]);
	free(values);
}

struct judge *judge_open(const struct trace *trace, const struct property_set *set)
{
	struct judge *judge = mem_zalloc(1, sizeof *judge);
	size_t count = set->properties.count;

	judge->trace = trace;
	judge->set = set;
	judge->events = mem_zalloc(count + 1, sizeof *judge->events);
	judge->values = mem_zalloc(count + 1, sizeof *judge->values);
	for (size_t i = 0; i < count; i++)
		judge->events[i] = checker_property_of(&set->properties.items[i]);
	return judge;
}

void judge_close(struct judge *judge)
{
	if (!judge)
		return;
	checker_close(judge->checker);
	for (size_t i = 0; i < judge->set->properties.count; i++)
		free((void *)judge->events[i].occurrences);
	for (size_t i = 0; i < judge->set->properties.count; i++)
		free_values(judge, i);
	free(judge->values);
	free(judge->events);
	free(judge);
}

/* Enters the whole trace as one window, because a run starts at its beginning. */
static void enter_trace(struct judge *judge)
{
	VEC(struct checker_slice) runs = { 0 };
	struct trace_order *order = trace_order_open(judge->trace);
	struct trace_event event;

	while (trace_order_next(order, &event)) {
		struct checker_slice *last = runs.count ? &runs.items[runs.count - 1] : NULL;

		if (event.index == TRACE_NO_INDEX)
			continue;
		if (!last || last->stream != event.stream)
			*vec_push(&runs) = (struct checker_slice){ event.stream, event.index + 1 };
		else
			last->end = event.index + 1;
	}
	trace_order_close(order);
	judge->checker = checker_open(judge->trace);
	judge->entered =
		checker_enter(judge->checker, NULL, 0, runs.items, runs.count, &judge->broken);
	vec_free(&runs);
}

static bool ensure_entered(struct judge *judge, struct err *err)
{
	if (!judge->checker)
		enter_trace(judge);
	if (!judge->entered)
		*err = judge->broken;
	return judge->entered;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Must a creation, begin or join of a thread come between the two messages? */
static bool is_fenced(const struct message *before, const struct message *message)
{
	for (uint32_t i = 0; before && i < message->fence_count; i++) {
		if (message->fences[i].column == before->column)
			return before->position < message->fences[i].count;
	}
	return false;
}

typedef VEC(struct checker_moment) moment_list;

static void make_moments(const struct computation *computation, computation_messages *messages,
			 moment_list *out)
{
	const struct message *before = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < messages->count; i++) {
		const struct message *m = &computation->messages.items[messages->items[i]];

		if (m->label == LABEL_SILENT)
			continue;
		*vec_push(out) = (struct checker_moment){ .anchor = m->parts[m->anchor],
							  .before = m->before,
							  .paused = is_fenced(before, m) };
		before = m;
		messages->items[kept++] = messages->items[i];
	}
	messages->count = kept;
}

static size_t checker_variables_of(const struct labels *labels, struct checker_variable *out)
{
	static const uint8_t forms[] = { [RAW_VALUE_SIGNED] = CHECKER_SIGNED,
					 [RAW_VALUE_UNSIGNED] = CHECKER_UNSIGNED,
					 [RAW_VALUE_FLOATING] = CHECKER_FLOATING };
	size_t count = 0;

	for (size_t i = 0; i < labels->variables.count; i++) {
		const struct label_variable *v = &labels->variables.items[i];

		if (!v->known)
			continue;
		out[count] = (struct checker_variable){ .name = v->name,
							.address = v->address,
							.size = v->size,
							.form = forms[v->form] };
		memcpy(out[count++].initial, v->initial, sizeof v->initial);
	}
	return count;
}

/*
 * Checks the word of a formula. The verdict of a plug-in cannot be checked; then only the run is
 * checked to be feasible.
 */
static bool check_formula(struct judge *judge, const struct judge_claim *claim,
			  const computation_steps *steps, const moment_list *moments,
			  struct err *err)
{
	const struct computation *computation = claim->computation;
	struct checker_variable *variables =
		mem_alloc((computation->labels.variables.count + 1) * sizeof *variables);
	struct checker_formula_claim word = {
		.property = judge->set->properties.items[claim->property].property,
		.formula = claim->formula,
		.events = &judge->events[claim->property],
		.binding = computation->binding.count ? computation->binding.items : NULL,
		.variables = variables,
		.variable_count = checker_variables_of(&computation->labels, variables),
		.moments = moments->items,
		.moment_count = moments->count,
		.at_end = claim->at_end,
	};
	bool plays_only = claim->formula->formalism == SPEC_MONITOR;
	bool ok = checker_accepts(
		judge->checker,
		&(struct checker_witness){ .claim = plays_only ? CHECKER_PREFIX : CHECKER_FORMULA,
					   .steps = steps->items,
					   .step_count = steps->count,
					   .word = &word },
		err);

	free(variables);
	return ok;
}

bool judge_accepts_word(struct judge *judge, const struct judge_grammar_word *claim,
			struct err *err)
{
	uint32_t property = claim->sentence->property;
	struct checker_grammar_claim sentence = {
		.file = claim->sentence->file,
		.property = judge->set->properties.items[property].property,
		.formula = claim->sentence->grammar->formula,
		.events = &judge->events[property],
		.values = (const struct script_value *const *)values_of_events(judge, property),
		.moments = claim->moments,
		.moment_count = claim->moment_count,
		.stream = claim->stream,
		.binding = claim->binding,
		.at_end = claim->at_end,
	};

	return ensure_entered(judge, err) &&
	       checker_accepts(judge->checker,
			       &(struct checker_witness){ .claim = CHECKER_GRAMMAR,
							  .steps = claim->steps,
							  .step_count = claim->step_count,
							  .sentence = &sentence },
			       err);
}

void judge_make_steps(const computation_schedule *schedule, computation_steps *out)
{
	struct map next = { 0 }; /* by stream: index of its next event */

	for (size_t i = 0; i < schedule->count; i++) {
		struct event_id id = schedule->items[i].id;
		uint64_t end = id.index + !schedule->items[i].before;
		uint64_t *at = map_put(&next, id.stream, NULL);

		if (*at >= end)
			continue;
		*at = end;
		*vec_push(out) = (struct event_id){ id.stream, end - 1 };
	}
	map_free(&next);
}

static bool check_claim(struct judge *judge, const struct judge_claim *claim,
			const computation_schedule *schedule, const moment_list *moments,
			struct err *err)
{
	const struct computation *computation = claim->computation;
	computation_steps steps = { 0 };
	bool ok;

	judge_make_steps(schedule, &steps);
	if (claim->sentence)
		ok = judge_accepts_word(judge,
					&(struct judge_grammar_word){
						.sentence = claim->sentence,
						.stream = claim->stream,
						.binding = computation->binding.count
								   ? computation->binding.items
								   : NULL,
						.steps = steps.items,
						.step_count = steps.count,
						.moments = moments->items,
						.moment_count = moments->count,
						.at_end = claim->at_end },
					err);
	else
		ok = check_formula(judge, claim, &steps, moments, err);
	vec_free(&steps);
	return ok;
}

bool judge_accepts(struct judge *judge, const struct judge_claim *claim,
		   computation_schedule *schedule, computation_messages *messages, struct err *err)
{
	moment_list moments = { 0 };
	bool ok;

	computation_find_messages(claim->computation, claim->columns, claim->count, messages);
	make_moments(claim->computation, messages, &moments);
	computation_schedule_run(claim->computation, claim->columns, claim->count, schedule);
	ok = ensure_entered(judge, err) && check_claim(judge, claim, schedule, &moments, err);
	vec_free(&moments);
	return ok;
}
