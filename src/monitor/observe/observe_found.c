/*
 * Turns violations into findings: makes a run for each, has the checker verify it, and keeps one
 * finding per code site.
 */
#include "monitor/observe/observe_state.h"

#include "base/mem.h"
#include "check/grammar.h"
#include "trace/order.h"
#include "trace/sites.h"

#include <stdlib.h>

/* ---- findings -------------------------------------------------------------------------------- */

static struct event_id anchor_of(const struct message *message)
{
	return message->parts[message->anchor];
}

static void copy_binding(const struct observe_state *o, const struct computation *computation,
			 struct observe_finding *finding)
{
	const struct property_events *events =
		&o->set->properties.items[computation->properties.items[0]];

	for (size_t p = 0; p < computation->binding.count; p++) {
		uint32_t value = computation->binding.items[p];

		*vec_push(&finding->binding) =
			value == PROPERTY_NONE ? (struct property_value){ .type = OBSERVE_UNBOUND }
					       : events->values.items[value];
	}
}

static struct observe_finding make_finding(const struct observe_state *o,
					   const struct computation *computation,
					   const struct observe_judged *judged,
					   const struct lattice_violation *violation)
{
	struct observe_finding finding = {
		.property = observe_property(o, judged->property),
		.formula = judged->number,
		.observed = violation->observed,
		.at_end = violation->column == LATTICE_END,
		.at_start = violation->column == LATTICE_START,
		.count = 1,
	};

	if (!finding.at_end && violation->column != LATTICE_START) {
		const struct message *m = &computation->messages.items[computation_message(
			computation, violation->column, violation->position)];

		finding.event = anchor_of(m);
		finding.before = m->before;
		for (uint32_t i = 0; i < computation->labels.list.items[m->label].event_count;
		     i++) {
			const struct label_event *e =
				&computation->labels.list.items[m->label].events[i];

			if (e->property == judged->property)
				*vec_push(&finding.events) = e->event;
		}
	} else if (computation->messages.count) {
		finding.event =
			anchor_of(&computation->messages.items[computation->messages.count - 1]);
	}
	copy_binding(o, computation, &finding);
	return finding;
}

static void free_story(struct observe_states *story)
{
	vec_free(&story->steps);
	subformulas_free(&story->values);
}

static void free_word(struct observe_word *sentence)
{
	if (!sentence)
		return;
	grammar_violation_free(&sentence->violation);
	free(sentence->assertion);
	vec_free(&sentence->session);
	free(sentence);
}

void observe_finding_free(struct observe_finding *finding)
{
	free_story(&finding->violating);
	free_story(&finding->recorded);
	free_word(finding->sentence);
	vec_free(&finding->binding);
	vec_free(&finding->steps);
	vec_free(&finding->run);
	vec_free(&finding->events);
}

/*
 * Fills in the run and the values of its subformulas, for the report. `messages`: those that the
 * monitor sees, in the order of the run.
 */
static void fill_story(const struct observe_state *o, const struct computation *computation,
		       const struct observe_judged *judged, const uint32_t *messages, size_t count,
		       bool ended, struct observe_states *story)
{
	uint32_t *word = mem_alloc((count + 1) * sizeof *word);
	struct err err;

	for (size_t i = 0; i < count && count <= OBSERVE_SHOWN; i++) {
		const struct message *m = &computation->messages.items[messages[i]];

		word[i] = m->label;
		*vec_push(&story->steps) = anchor_of(m);
	}
	if (count <= OBSERVE_SHOWN &&
	    !subformulas_read(o->set, judged->property, judged->formula, &computation->labels, word,
			      count, ended, &story->values, &err))
		story->values = (struct subformulas){ 0 };
	free(word);
}

static struct grammar_formula *grammar_of_formula(struct observe_state *o,
						  const struct observe_judged *judged)
{
	return grammar_formulas_find(&o->grammars, judged->property, judged->number);
}

static void explain_violation(struct observe_state *o, const struct computation *computation,
			      const struct observe_judged *judged,
			      const computation_messages *messages, struct observe_finding *finding)
{
	computation_messages recorded = { 0 };

	if (judged->formula->formalism == SPEC_MONITOR)
		return;
	if (judged->formula->formalism == SPEC_GRAMMAR) {
		if (!finding->sentence)
			finding->sentence = grammar_formulas_explain_word(
				&o->grammars, grammar_of_formula(o, judged), computation,
				messages->items, messages->count, finding->at_end);
		return;
	}
	for (size_t i = 0; i < computation->messages.count; i++) {
		if (computation->messages.items[i].label != LABEL_SILENT)
			*vec_push(&recorded) = (uint32_t)i;
	}
	fill_story(o, computation, judged, messages->items, messages->count, finding->at_end,
		   &finding->violating);
	fill_story(o, computation, judged, recorded.items, recorded.count, o->ended,
		   &finding->recorded);
	vec_free(&recorded);
}

void observe_add_finding(struct observe_state *o, struct observe_accepted *found, bool accepted,
			 const struct err *err)
{
	if (accepted) {
		*vec_push(&o->accepted) = *found;
		return;
	}
	*vec_push(&o->result->faults) =
		mem_format("%s, formula %u: %s", found->finding.property->name,
			   found->finding.formula, err->text);
	observe_finding_free(&found->finding);
}

/* Lets the checker decide, and keeps the finding if it is accepted. */
static void check_violation(struct observe_state *o, const struct computation *computation,
			    const struct observe_judged *judged,
			    const struct lattice_violation *violation,
			    struct observe_accepted *found)
{
	struct observe_finding *finding = &found->finding;
	computation_schedule schedule = { 0 };
	computation_messages messages = { 0 };
	struct err err = { 0 };
	bool ok = judge_accepts(o->judge,
				&(struct judge_claim){ .computation = computation,
						       .property = judged->property,
						       .formula = judged->formula,
						       .columns = violation->run,
						       .count = violation->level,
						       .at_end = finding->at_end,
						       .sentence = grammar_of_formula(o, judged),
						       .stream = finding->sentence
									 ? finding->sentence->stream
									 : UINT32_MAX },
				&schedule, &messages, &err);

	judge_make_steps(&schedule, &finding->steps);
	for (size_t i = 0; i < messages.count; i++)
		*vec_push(&finding->run) =
			anchor_of(&computation->messages.items[messages.items[i]]);
	explain_violation(o, computation, judged, &messages, finding);
	if (finding->at_end && finding->run.count &&
	    !found->site) /* otherwise an event of the word itself is known */
		finding->event = finding->run.items[finding->run.count - 1];
	observe_add_finding(o, found, ok, &err);
	vec_free(&schedule);
	vec_free(&messages);
}

static void note_unchecked(struct observe_state *o, const struct observe_judged *judged,
			   size_t count)
{
	char *text;

	if (!count)
		return;
	text = mem_format(
		"runs violate formula %u at more than %u events: %zu more were not checked",
		judged->number, OBSERVE_RUNS_CHECKED, count);
	observe_note(o, observe_property(o, judged->property), text);
	free(text);
}

void observe_check_violations(struct observe_state *o, const struct computation *computation,
			      const observe_judged_list *judged,
			      const struct lattice_result *walked)
{
	size_t *unchecked = mem_zalloc(judged->count, sizeof *unchecked);

	for (size_t i = 0; i < walked->violations.count; i++) {
		const struct lattice_violation *violation = &walked->violations.items[i];
		const struct observe_judged *of = &judged->items[violation->machine];
		struct observe_accepted found;

		/* The recorded run's violations of grammars have already been taken. */
		if (violation->observed && of->formula->formalism == SPEC_GRAMMAR)
			continue;
		if (!violation->run) {
			unchecked[violation->machine]++;
			continue;
		}
		found = (struct observe_accepted){ make_finding(o, computation, of, violation), 0 };
		check_violation(o, computation, of, violation, &found);
	}
	for (size_t i = 0; i < judged->count; i++)
		note_unchecked(o, &judged->items[i], unchecked[i]);
	free(unchecked);
}

/* ---- grammars on the recorded run ------------------------------------------------------------ */

/*
 * Finds the computation of a word and the message of the violating event. Returns false if no
 * computation has such a message.
 */
static bool find_word(const struct computations *computations, const struct grammar_found *found,
		      const struct computation **computation, size_t *message)
{
	for (size_t i = 0; i < computations->list.count; i++) {
		const struct computation *c = &computations->list.items[i];

		if (!c->is_view || c->properties.items[0] != found->property)
			continue; /* a thread's word is in a computation of all threads */
		for (size_t m = 0; m < c->messages.count; m++) {
			const struct message *at = &c->messages.items[m];
			struct event_id id = anchor_of(at);

			if (at->label != LABEL_SILENT && id.stream == found->event.stream &&
			    id.index == found->event.index && at->before == found->before) {
				*computation = c;
				*message = m;
				return true;
			}
		}
	}
	return false;
}

/*
 * Returns a run that follows the recorded order: up to the violation or, if `at_end`, to its end.
 */
static struct lattice_violation recorded_run(const struct computation *computation, size_t message,
					     bool at_end)
{
	size_t count = at_end ? computation->messages.count : message + 1;
	struct lattice_violation violation = {
		.column = at_end ? LATTICE_END : computation->messages.items[message].column,
		.position = computation->messages.items[message].position,
		.level = count,
		.run = mem_alloc((count + 1) * sizeof *violation.run),
		.observed = true,
	};

	for (size_t i = 0; i < count; i++)
		violation.run[i] = computation->messages.items[i].column;
	return violation;
}

static struct observe_word *explain_recorded_violation(struct grammar_found *found)
{
	struct observe_word *sentence = mem_zalloc(1, sizeof *sentence);

	sentence->stream = found->stream;
	grammar_formulas_take_violation(sentence, &found->violation);
	vec_append(&sentence->session, found->session.items, found->session.count);
	sentence->session_length = found->session_length;
	return sentence;
}

static void check_recorded_violation(struct observe_state *o, const struct computation *computation,
				     size_t message, struct grammar_found *found)
{
	const struct grammar_formula *s =
		grammar_formulas_find(&o->grammars, found->property, found->formula);
	struct observe_judged judged = { found->property, found->formula, s->grammar->formula,
					 NULL };
	struct lattice_violation violation = recorded_run(computation, message, found->at_end);
	struct observe_accepted accepted = { make_finding(o, computation, &judged, &violation),
					     found->site };

	accepted.finding.event = found->event;
	accepted.finding.sentence = explain_recorded_violation(found);
	check_violation(o, computation, &judged, &violation, &accepted);
	free(violation.run);
}

bool observe_has_word(const struct computations *computations, const struct grammar_found *found)
{
	const struct computation *computation;
	size_t message;

	return find_word(computations, found, &computation, &message);
}

static bool is_too_long(struct observe_state *o, const struct grammar_found *found)
{
	return found->session_length > CHECKER_SESSION &&
	       !grammar_formulas_find(&o->grammars, found->property, found->formula)
			->grammar->is_ll1;
}

void observe_check_recorded(struct observe_state *o, const struct computations *computations,
			    const struct computations *more)
{
	for (size_t i = 0; i < o->grammars.run.found.count; i++) {
		struct grammar_found *found = &o->grammars.run.found.items[i];
		const struct computation *computation;
		size_t message;

		if (is_too_long(o, found))
			observe_note(
				o, observe_property(o, found->property),
				"a violation is in a session too long for the checker and is not "
				"reported; an LL(1) grammar has no such limit");
		else if (find_word(computations, found, &computation, &message) ||
			 find_word(more, found, &computation, &message))
			check_recorded_violation(o, computation, message, found);
		else
			observe_note(
				o, observe_property(o, found->property),
				"a violation comes after the part of the recording that could be "
				"ordered and is not reported");
	}
}

/* ---- grouping by site ------------------------------------------------------------------------ */

static uint64_t event_key(struct event_id id)
{
	return (uint64_t)id.stream << 44 ^ id.index;
}

/* Finds the code sites of the violating events. */
static void find_sites(struct observe_state *o)
{
	struct map sites = { 0 };
	struct trace_order *order;
	struct trace_event event;
	bool fresh;

	if (!o->accepted.count)
		return;
	for (size_t i = 0; i < o->accepted.count; i++)
		*map_put(&sites, event_key(o->accepted.items[i].finding.event), &fresh) = 0;
	order = trace_order_open(o->trace);
	while (trace_order_next(order, &event)) {
		uint64_t *site =
			map_get(&sites, event_key((struct event_id){ event.stream, event.index }));

		if (event.index != TRACE_NO_INDEX && site)
			*site = trace_event_site(o->trace, &event);
	}
	trace_order_close(order);
	for (size_t i = 0; i < o->accepted.count; i++)
		o->accepted.items[i].site =
			*map_get(&sites, event_key(o->accepted.items[i].finding.event));
	map_free(&sites);
}

static bool is_same_finding(const struct observe_accepted *a, const struct observe_accepted *b)
{
	return a->finding.property == b->finding.property &&
	       a->finding.formula == b->finding.formula && a->finding.at_end == b->finding.at_end &&
	       a->finding.at_start == b->finding.at_start &&
	       (a->finding.at_end || a->finding.at_start || a->site == b->site);
}

/* Keeps the first finding of each formula and site, but prefers an observed one. */
void observe_group_by_site(struct observe_state *o)
{
	VEC(struct observe_accepted) kept = { 0 };

	find_sites(o);
	for (size_t i = 0; i < o->accepted.count; i++) {
		struct observe_accepted *a = &o->accepted.items[i], *k = NULL;

		for (size_t n = 0; n < kept.count && !k; n++) {
			if (is_same_finding(&kept.items[n], a))
				k = &kept.items[n];
		}
		if (!k) {
			*vec_push(&kept) = *a;
			continue;
		}
		a->finding.count = ++k->finding.count;
		if (a->finding.observed && !k->finding.observed) {
			struct observe_accepted swap = *k;

			*k = *a;
			*a = swap;
		}
		observe_finding_free(&a->finding);
	}
	for (size_t i = 0; i < kept.count; i++)
		*vec_push(&o->result->findings) = kept.items[i].finding;
	vec_free(&kept);
	vec_free(&o->accepted);
}
