#include "monitor/observe.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/seconds.h"
#include "monitor/judge.h"
#include "monitor/unjudged.h"
#include "trace/order.h"
#include "trace/sites.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Events of a lattice at which runs violate a formula and for which a run is made and checked. That
 * there are more is said; without a checked run they are nothing that could be reported or counted.
 */
#define RUNS_CHECKED 64u

/* A formula of one of the properties of a computation. */
struct judged {
	uint32_t property; /* in the set */
	uint32_t number;   /* of the formula, from 1 */
	const struct spec_formula *formula;
	struct machine *machine;
};
typedef VEC(struct judged) judged_list;

/* A violation whose run was accepted, until all are grouped by their sites. */
struct accepted {
	struct observe_finding finding;
	uint64_t site;
};

struct observing {
	const struct trace *trace;
	const struct property_set *set;
	const struct observe_options *options;
	struct observe_result *result;
	struct judge *judge;
	VEC(struct accepted) accepted;
	const char *at; /* the property that is walked, for progress */
	bool ended;
};

bool observe_judges(const struct spec_formula *formula)
{
	return formula->formalism != SPEC_PATTERN && formula->formalism != SPEC_GRAMMAR;
}

static void note(struct observing *o, const struct spec_property *property, const char *text)
{
	char *whole;

	if (asprintf(&whole, "%s: %s", property->name, text) < 0)
		abort();
	for (size_t i = 0; i < o->result->notes.count; i++) {
		if (!strcmp(o->result->notes.items[i], whole)) {
			free(whole);
			return;
		}
	}
	*vec_push(&o->result->notes) = whole;
}

static const struct spec_property *property_of(const struct observing *o, uint32_t number)
{
	return o->set->properties.items[number].property;
}

/* Says once of a formula why it is not judged. */
static void leave(struct observing *o, uint32_t property, uint32_t formula, const char *why)
{
	const struct spec_property *of = property_of(o, property);

	for (size_t i = 0; i < o->result->unjudged.count; i++) {
		if (o->result->unjudged.items[i].property == of &&
		    o->result->unjudged.items[i].formula == formula)
			return;
	}
	*vec_push(&o->result->unjudged) = (struct observe_unjudged){
		.property = of, .formula = formula, .why = mem_copy_text(why, strlen(why))
	};
}

/* ---- machines ---------------------------------------------------------------------------------- */

static void add_formulas(struct observing *o, const struct computation *computation,
			 uint32_t property, judged_list *out)
{
	uint32_t number = 0;
	struct err err = { 0 };
	const char *why;

	for (const struct spec_formula *f = property_of(o, property)->formulas; f; f = f->next) {
		struct judged judged = { property, ++number, f, NULL };

		if (!observe_judges(f))
			continue;
		why = unjudged_events(&o->set->properties.items[property], f);
		if (!why)
			why = unjudged_variables(&computation->labels, property_of(o, property), f);
		if (why) {
			leave(o, property, number, why);
			continue;
		}
		judged.machine = machine_of_formula(
			o->set, property, f, &computation->labels,
			o->options->directories ? o->options->directories[property] : NULL, &err);
		if (!judged.machine) {
			leave(o, property, number, err.text);
			continue;
		}
		*vec_push(out) = judged;
	}
}

/* Also of properties that have no instance, because what they are about was not seen. */
static void leave_unseen(struct observing *o)
{
	for (uint32_t i = 0; i < o->set->properties.count; i++) {
		const struct property_events *events = &o->set->properties.items[i];
		uint32_t number = 0;

		for (const struct spec_formula *f = events->property->formulas; f; f = f->next) {
			number++;
			if (observe_judges(f) && unjudged_events(events, f))
				leave(o, i, number, unjudged_events(events, f));
		}
	}
}

static void add_machines(struct observing *o, const struct computation *computation,
			 struct lattice *lattice, judged_list *out)
{
	bool all = o->options->computation.events == COMPUTATION_ALL && !computation->binding.count;

	for (size_t i = 0; i < computation->properties.count; i++)
		add_formulas(o, computation, computation->properties.items[i], out);
	for (size_t i = 0; i < out->count; i++) {
		struct judged *judged = &out->items[i];
		bool by_message = all && machine_minds_neighbours(judged->formula);

		if (by_message)
			judged->machine =
				machine_with_fences(judged->machine, computation->messages.items,
						    computation->messages.count);
		lattice_add_machine(lattice, judged->machine, by_message);
	}
}

/* ---- findings ---------------------------------------------------------------------------------- */

/* The message of an event: the so-manieth of its column. */
static uint32_t find_message(const struct computation *computation, uint32_t column,
			     uint32_t position)
{
	for (size_t i = 0; i < computation->messages.count; i++) {
		const struct message *m = &computation->messages.items[i];

		if (m->column == column && m->position == position)
			return (uint32_t)i;
	}
	assert(!"a violation is at an event of its computation");
	return 0;
}

static struct property_id anchor_of(const struct message *message)
{
	return message->parts[message->anchor];
}

static void take_binding(const struct observing *o, const struct computation *computation,
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

static struct observe_finding make_finding(const struct observing *o,
					   const struct computation *computation,
					   const struct judged *judged,
					   const struct lattice_violation *violation)
{
	struct observe_finding finding = {
		.property = property_of(o, judged->property),
		.formula = judged->number,
		.observed = violation->observed,
		.at_end = violation->column == LATTICE_END,
		.at_start = violation->column == LATTICE_START,
		.count = 1,
	};

	if (!finding.at_end && violation->column != LATTICE_START) {
		const struct message *m = &computation->messages.items[find_message(
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
	take_binding(o, computation, &finding);
	return finding;
}

static void free_story(struct observe_story *story)
{
	vec_free(&story->steps);
	subformulas_free(&story->values);
}

static void free_finding(struct observe_finding *finding)
{
	free_story(&finding->violating);
	free_story(&finding->recorded);
	vec_free(&finding->binding);
	vec_free(&finding->steps);
	vec_free(&finding->run);
	vec_free(&finding->events);
}

/* `messages`: numbers of those that the monitor sees, in the order of the run. */
static void tell_story(const struct observing *o, const struct computation *computation,
		       const struct judged *judged, const uint32_t *messages, size_t count,
		       bool ended, struct observe_story *story)
{
	uint32_t *word = mem_alloc((count + 1) * sizeof *word);
	struct err err;

	for (size_t i = 0; i < count && count <= OBSERVE_STORY; i++) {
		const struct message *m = &computation->messages.items[messages[i]];

		word[i] = m->label;
		*vec_push(&story->steps) = anchor_of(m);
	}
	if (count <= OBSERVE_STORY &&
	    !subformulas_read(o->set, judged->property, judged->formula, &computation->labels, word,
			      count, ended, &story->values, &err))
		story->values = (struct subformulas){ 0 };
	free(word);
}

static void tell_stories(const struct observing *o, const struct computation *computation,
			 const struct judged *judged, const judge_messages *messages,
			 struct observe_finding *finding)
{
	judge_messages recorded = { 0 };

	if (judged->formula->formalism == SPEC_MONITOR)
		return;
	for (size_t i = 0; i < computation->messages.count; i++) {
		if (computation->messages.items[i].label != LABEL_SILENT)
			*vec_push(&recorded) = (uint32_t)i;
	}
	tell_story(o, computation, judged, messages->items, messages->count, finding->at_end,
		   &finding->violating);
	tell_story(o, computation, judged, recorded.items, recorded.count, o->ended,
		   &finding->recorded);
	vec_free(&recorded);
}

/* Asks the checker; true: the finding has its witness. */
static bool check_violation(struct observing *o, const struct computation *computation,
			    const struct judged *judged, const struct lattice_violation *violation,
			    struct observe_finding *finding)
{
	computation_schedule schedule = { 0 };
	judge_messages messages = { 0 };
	struct err err = { 0 };
	bool ok = judge_accepts(o->judge,
				&(struct judge_claim){ .computation = computation,
						       .property = judged->property,
						       .formula = judged->formula,
						       .columns = violation->run,
						       .count = violation->level,
						       .at_end = finding->at_end },
				&schedule, &messages, &err);

	for (size_t i = 0; i < schedule.count; i++) {
		if (!schedule.items[i].before)
			*vec_push(&finding->steps) = schedule.items[i].id;
	}
	for (size_t i = 0; i < messages.count; i++)
		*vec_push(&finding->run) =
			anchor_of(&computation->messages.items[messages.items[i]]);
	tell_stories(o, computation, judged, &messages, finding);
	if (finding->at_end && finding->run.count)
		finding->event = finding->run.items[finding->run.count - 1];
	if (!ok) {
		char *fault;

		if (asprintf(&fault, "%s, formula %u: %s", finding->property->name,
			     finding->formula, err.text) < 0)
			abort();
		*vec_push(&o->result->faults) = fault;
	}
	vec_free(&schedule);
	vec_free(&messages);
	return ok;
}

static void tell_unchecked(struct observing *o, const struct judged *judged, size_t count)
{
	char text[160];

	if (!count)
		return;
	snprintf(text, sizeof text,
		 "runs violate formula %u at more than %u events: %zu more were not checked",
		 judged->number, RUNS_CHECKED, count);
	note(o, property_of(o, judged->property), text);
}

static void take_violations(struct observing *o, const struct computation *computation,
			    const judged_list *judged, const struct lattice_result *walked)
{
	size_t *unchecked = mem_zalloc(judged->count, sizeof *unchecked);

	for (size_t i = 0; i < walked->violations.count; i++) {
		const struct lattice_violation *violation = &walked->violations.items[i];
		const struct judged *of = &judged->items[violation->machine];
		struct accepted found;

		if (!violation->run) {
			unchecked[violation->machine]++;
			continue;
		}
		found = (struct accepted){ make_finding(o, computation, of, violation), 0 };
		if (check_violation(o, computation, of, violation, &found.finding))
			*vec_push(&o->accepted) = found;
		else
			free_finding(&found.finding);
	}
	for (size_t i = 0; i < judged->count; i++)
		tell_unchecked(o, &judged->items[i], unchecked[i]);
	free(unchecked);
}

/* ---- lattices ---------------------------------------------------------------------------------- */

static struct observe_lattice *lattice_of(struct observing *o,
					  const struct computation *computation)
{
	const struct spec_property *property =
		computation->properties.count == 1
			? property_of(o, computation->properties.items[0])
			: NULL;
	struct observe_lattice *last =
		o->result->lattices.count
			? &o->result->lattices.items[o->result->lattices.count - 1]
			: NULL;

	if (property && last && last->property == property)
		return last;
	last = vec_push(&o->result->lattices);
	*last = (struct observe_lattice){ .property = property, .counted = true };
	return last;
}

static void add_lattice(struct observing *o, const struct computation *computation,
			const struct lattice_result *walked)
{
	struct observe_lattice *l = lattice_of(o, computation);

	l->instances++;
	l->cuts += walked->cuts;
	l->levels += walked->levels;
	l->widest = walked->widest > l->widest ? walked->widest : l->widest;
	l->dropped += walked->dropped;
	l->events += walked->events;
	l->silent += computation->silent;
	l->counted &= walked->counted;
	if (!l->counted)
		return;
	lattice_count_add(&l->runs, &walked->runs);
	lattice_count_add(&l->violating, &walked->violating_any);
}

static void tell_progress(void *context, uint64_t level, uint64_t levels, uint64_t cuts)
{
	struct observing *o = context;

	if (o->options->progress)
		o->options->progress(o->options->context, o->at, level, levels, cuts);
}

static void tell_doubts(struct observing *o, const judged_list *judged)
{
	for (size_t i = 0; i < judged->count; i++) {
		const struct machine *m = judged->items[i].machine;
		const char *doubt = m->doubt ? m->doubt(m->self) : NULL;

		if (doubt)
			note(o, property_of(o, judged->items[i].property), doubt);
	}
}

static void walk(struct observing *o, const struct computation *computation)
{
	struct lattice *lattice = lattice_new(&(struct lattice_options){
		.breadth = o->options->breadth,
		.effort = o->options->effort,
		.count = o->options->count,
		.jobs = o->options->jobs,
		.memory = o->options->memory,
		.ended = o->ended,
		.progress = tell_progress,
		.context = o,
	});
	struct lattice_result walked = { 0 };
	judged_list judged = { 0 };
	struct err err = { 0 };

	o->at = property_of(o, computation->properties.items[0])->name;
	add_machines(o, computation, lattice, &judged);
	if (!judged.count) {
		lattice_free(lattice);
		return;
	}
	for (size_t i = 0; i < computation->messages.count; i++)
		lattice_feed(lattice, &computation->messages.items[i]);
	if (lattice_walk(lattice, RUNS_CHECKED, &walked, &err)) {
		add_lattice(o, computation, &walked);
		take_violations(o, computation, &judged, &walked);
	} else {
		for (size_t i = 0; i < judged.count; i++)
			leave(o, judged.items[i].property, judged.items[i].number, err.text);
	}
	tell_doubts(o, &judged);
	for (size_t i = 0; i < walked.notes.count; i++)
		note(o, property_of(o, computation->properties.items[0]), walked.notes.items[i]);
	lattice_result_free(&walked);
	lattice_free(lattice);
	for (size_t i = 0; i < judged.count; i++)
		machine_close(judged.items[i].machine);
	vec_free(&judged);
}

/* ---- by sites ---------------------------------------------------------------------------------- */

static uint64_t key_of(struct property_id id)
{
	return (uint64_t)id.stream << 44 ^ id.index;
}

/* Where the violating events are in the code. */
static void find_sites(struct observing *o)
{
	struct map sites = { 0 };
	struct trace_order *order;
	struct trace_event event;
	bool fresh;

	if (!o->accepted.count)
		return;
	for (size_t i = 0; i < o->accepted.count; i++)
		*map_put(&sites, key_of(o->accepted.items[i].finding.event), &fresh) = 0;
	order = trace_order_open(o->trace);
	while (trace_order_next(order, &event)) {
		uint64_t *site =
			map_get(&sites, key_of((struct property_id){ event.stream, event.index }));

		if (event.index != TRACE_NO_INDEX && site)
			*site = trace_event_site(o->trace, &event);
	}
	trace_order_close(order);
	for (size_t i = 0; i < o->accepted.count; i++)
		o->accepted.items[i].site =
			*map_get(&sites, key_of(o->accepted.items[i].finding.event));
	map_free(&sites);
}

static bool is_same_finding(const struct accepted *a, const struct accepted *b)
{
	return a->finding.property == b->finding.property &&
	       a->finding.formula == b->finding.formula && a->finding.at_end == b->finding.at_end &&
	       a->finding.at_start == b->finding.at_start &&
	       (a->finding.at_end || a->finding.at_start || a->site == b->site);
}

/* Of one formula and site the first is told; an observed one is better. */
static void group(struct observing *o)
{
	VEC(struct accepted) kept = { 0 };

	for (size_t i = 0; i < o->accepted.count; i++) {
		struct accepted *a = &o->accepted.items[i], *k = NULL;

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
			struct accepted swap = *k;

			*k = *a;
			*a = swap;
		}
		free_finding(&a->finding);
	}
	for (size_t i = 0; i < kept.count; i++)
		*vec_push(&o->result->findings) = kept.items[i].finding;
	vec_free(&kept);
	vec_free(&o->accepted);
}

/* -------------------------------------------------------------------------------------------------- */

bool observe_run(const struct trace *trace, const struct property_set *set,
		 const struct observe_options *options, struct observe_result *result,
		 struct err *err)
{
	struct observing o = { .trace = trace, .set = set, .options = options, .result = result };
	struct computations computations = { 0 };
	double start = seconds_now();

	*result = (struct observe_result){ 0 };
	if (!computations_read(trace, set, &options->computation, &computations, err))
		return false;
	o.ended = computations.ended;
	o.judge = judge_open(trace, set);
	leave_unseen(&o);
	for (size_t i = 0; i < computations.list.count; i++)
		walk(&o, &computations.list.items[i]);
	find_sites(&o);
	group(&o);
	for (size_t i = 0; i < computations.problems.count; i++)
		*vec_push(&result->notes) = mem_copy_text(computations.problems.items[i],
							  strlen(computations.problems.items[i]));
	judge_close(o.judge);
	computations_free(&computations);
	result->seconds = seconds_now() - start;
	return true;
}

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

void observe_result_free(struct observe_result *result)
{
	for (size_t i = 0; i < result->findings.count; i++)
		free_finding(&result->findings.items[i]);
	vec_free(&result->findings);
	for (size_t i = 0; i < result->lattices.count; i++) {
		free(result->lattices.items[i].runs.limbs);
		free(result->lattices.items[i].violating.limbs);
	}
	vec_free(&result->lattices);
	for (size_t i = 0; i < result->unjudged.count; i++)
		free(result->unjudged.items[i].why);
	vec_free(&result->unjudged);
	free_texts(result->notes.items, result->notes.count);
	free_texts(result->faults.items, result->faults.count);
	*result = (struct observe_result){ 0 };
}
