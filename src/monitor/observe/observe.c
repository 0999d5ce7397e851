/*
 * Judges properties on all runs (observe.h): makes the machines of each computation, walks its
 * lattice, and collects findings, notes and statistics. Grammars are first judged on the recorded
 * run.
 */
#include "monitor/observe/observe.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "monitor/computation/formulas.h"
#include "monitor/grammar/grammar_machine.h"
#include "monitor/observe/observe_state.h"
#include "monitor/observe/unjudged.h"

#include <stdlib.h>
#include <string.h>

bool observe_judges(const struct spec_formula *formula)
{
	return formula->formalism != SPEC_PATTERN;
}

void observe_note(struct observe_state *o, const struct spec_property *property, const char *text)
{
	char *whole = mem_format("%s: %s", property->name, text);

	if (mem_has_text(o->result->notes.items, o->result->notes.count, whole))
		free(whole);
	else
		*vec_push(&o->result->notes) = whole;
}

const struct spec_property *observe_property(const struct observe_state *o, uint32_t number)
{
	return o->set->properties.items[number].property;
}

/* Records why a formula is not judged, once for each formula. */
static void add_unjudged(struct observe_state *o, uint32_t property, uint32_t formula,
			 const char *why)
{
	const struct spec_property *of = observe_property(o, property);

	for (size_t i = 0; i < o->result->unjudged.count; i++) {
		if (o->result->unjudged.items[i].property == of &&
		    o->result->unjudged.items[i].formula == formula)
			return;
	}
	*vec_push(&o->result->unjudged) = (struct observe_unjudged){
		.property = of, .formula = formula, .why = mem_copy_text(why, strlen(why))
	};
}

/* ---- machines -------------------------------------------------------------------------------- */

static void add_formulas(struct observe_state *o, const struct computation *computation,
			 uint32_t property, observe_judged_list *out)
{
	uint32_t number = 0;
	struct err err = { 0 };
	const char *why;

	for (const struct spec_formula *f = observe_property(o, property)->formulas; f;
	     f = f->next) {
		struct observe_judged judged = { property, ++number, f, NULL };

		if (!formulas_is_of_states(f))
			continue;
		why = unjudged_events(&o->set->properties.items[property], f);
		if (!why)
			why = unjudged_variables(&computation->labels,
						 observe_property(o, property), f);
		if (why) {
			add_unjudged(o, property, number, why);
			continue;
		}
		judged.machine = machine_of_formula(
			o->set, property, f, &computation->labels,
			o->options->directories ? o->options->directories[property] : NULL, &err);
		if (!judged.machine) {
			add_unjudged(o, property, number, err.text);
			continue;
		}
		*vec_push(out) = judged;
	}
}

/* A grammar that is not judged on the recorded run is not judged on others. */
static void add_grammars(struct observe_state *o, const struct computation *computation,
			 observe_judged_list *out)
{
	uint32_t property = computation->properties.items[0];
	struct err err = { 0 };

	for (size_t i = 0; i < o->grammars.list.count; i++) {
		const struct grammar_formula *s = &o->grammars.list.items[i];
		struct observe_judged judged = { property, s->number, NULL, NULL };

		if (s->property != property || s->why)
			continue;
		judged.formula = s->grammar->formula;
		judged.machine = grammar_formulas_machine(&o->grammars, s, computation, &err);
		if (judged.machine)
			*vec_push(out) = judged;
		else
			add_unjudged(o, property, s->number, err.text);
	}
}

/* Adds formulas whose events could not be seen. Properties without instances are included. */
static void add_unseen_formulas(struct observe_state *o)
{
	for (uint32_t i = 0; i < o->set->properties.count; i++) {
		const struct property_events *events = &o->set->properties.items[i];
		uint32_t number = 0;

		for (const struct spec_formula *f = events->property->formulas; f; f = f->next) {
			number++;
			if (formulas_is_of_states(f) && unjudged_events(events, f))
				add_unjudged(o, i, number, unjudged_events(events, f));
		}
	}
}

static void add_machines(struct observe_state *o, const struct computation *computation,
			 struct lattice *lattice, observe_judged_list *out)
{
	bool all = o->options->computation.events == COMPUTATION_ALL &&
		   !computation->binding.count && !computation->is_view;

	if (computation->is_view)
		add_grammars(o, computation, out);
	for (size_t i = 0; !computation->is_view && i < computation->properties.count; i++)
		add_formulas(o, computation, computation->properties.items[i], out);
	for (size_t i = 0; i < out->count; i++) {
		struct observe_judged *judged = &out->items[i];
		bool by_message = all && machine_needs_fences(judged->formula);

		if (by_message)
			judged->machine =
				machine_with_fences(judged->machine, computation->messages.items,
						    computation->messages.count);
		lattice_add_machine(lattice, judged->machine, by_message);
	}
}

/* ---- lattices -------------------------------------------------------------------------------- */

static struct observe_lattice *find_or_add_lattice(struct observe_state *o,
						   const struct computation *computation)
{
	const struct spec_property *property =
		computation->properties.count == 1
			? observe_property(o, computation->properties.items[0])
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

static void add_lattice(struct observe_state *o, const struct computation *computation,
			const struct lattice_result *walked)
{
	struct observe_lattice *l = find_or_add_lattice(o, computation);

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

static void report_progress(void *context, uint64_t level, uint64_t levels, uint64_t cuts)
{
	struct observe_state *o = context;

	if (o->options->progress)
		o->options->progress(o->options->context, o->at, level, levels, cuts);
}

static void note_doubts(struct observe_state *o, const observe_judged_list *judged)
{
	for (size_t i = 0; i < judged->count; i++) {
		const struct machine *m = judged->items[i].machine;
		const char *doubt = m->doubt ? m->doubt(m->self) : NULL;

		if (doubt)
			observe_note(o, observe_property(o, judged->items[i].property), doubt);
	}
}

/* Limits for the walk of a view: each step of its machine runs Lua. */
#define VIEW_BREADTH 20000u
#define VIEW_EFFORT 2000000u

static struct lattice_options lattice_options_for(struct observe_state *o,
						  const struct computation *computation)
{
	struct lattice_options options = {
		.breadth = o->options->breadth,
		.effort = o->options->effort,
		.count = o->options->count,
		.jobs = o->options->jobs,
		.memory = o->options->memory,
		.ended = o->ended,
		.progress = report_progress,
		.context = o,
	};

	if (computation->is_view && options.effort > VIEW_EFFORT) {
		options.effort = VIEW_EFFORT;
		if (options.breadth > VIEW_BREADTH)
			options.breadth = VIEW_BREADTH;
	}
	return options;
}

static bool is_machine_full(const struct computation *computation,
			    const observe_judged_list *judged)
{
	for (size_t i = 0; computation->is_view && i < judged->count; i++) {
		if (grammar_machine_is_full(judged->items[i].machine))
			return true;
	}
	return false;
}

/*
 * Returns false if a grammar has too many words, or too large ones, for this breadth: then less
 * breadth may do.
 */
static bool walk_once(struct observe_state *o, const struct computation *computation,
		      const struct lattice_options *options)
{
	struct lattice *lattice = lattice_new(options);
	struct lattice_result walked = { 0 };
	observe_judged_list judged = { 0 };
	struct err err = { 0 };
	bool done, too_many_states = false;

	add_machines(o, computation, lattice, &judged);
	for (size_t i = 0; judged.count && i < computation->messages.count; i++)
		lattice_feed(lattice, &computation->messages.items[i]);
	done = judged.count && lattice_walk(lattice, OBSERVE_RUNS_CHECKED, &walked, &err);
	if (done) {
		add_lattice(o, computation, &walked);
		observe_check_violations(o, computation, &judged, &walked);
	} else if (is_machine_full(computation, &judged)) {
		too_many_states = options->breadth != 1;
		if (!too_many_states)
			observe_note(o, observe_property(o, computation->properties.items[0]),
				     "its words are too large to be judged on runs other than "
				     "the recorded one");
	} else {
		for (size_t i = 0; i < judged.count; i++)
			add_unjudged(o, judged.items[i].property, judged.items[i].number, err.text);
	}
	note_doubts(o, &judged);
	for (size_t i = 0; i < walked.notes.count; i++)
		observe_note(o, observe_property(o, computation->properties.items[0]),
			     walked.notes.items[i]);
	lattice_result_free(&walked);
	lattice_free(lattice);
	for (size_t i = 0; i < judged.count; i++)
		machine_close(judged.items[i].machine);
	vec_free(&judged);
	return !too_many_states;
}

/* Does each message come after the previous one? Then the recorded run is the only one. */
static bool is_chain(const struct computation *computation)
{
	for (size_t i = 1; i < computation->messages.count; i++) {
		const struct message *m = &computation->messages.items[i], *before = m - 1;
		bool follows = m->column == before->column;

		for (uint32_t n = 0; !follows && n < m->need_count; n++)
			follows = m->needs[n].column == before->column &&
				  m->needs[n].count > before->position;
		if (!follows)
			return false;
	}
	return true;
}

/*
 * The recorded run of a view has already been judged. If it is the only run, there is nothing to
 * walk.
 */
static void count_chain(struct observe_state *o, const struct computation *computation)
{
	uint64_t one = 1, events = computation->messages.count;

	add_lattice(o, computation,
		    &(struct lattice_result){ .cuts = events + 1,
					      .levels = events + 1,
					      .widest = 1,
					      .events = events,
					      .complete = true,
					      .counted = true,
					      .runs = { &one, 1 } });
}

static void walk_lattice(struct observe_state *o, const struct computation *computation)
{
	struct lattice_options options = lattice_options_for(o, computation);

	if (computation->is_view && is_chain(computation)) {
		count_chain(o, computation);
		return;
	}
	o->at = observe_property(o, computation->properties.items[0])->name;
	while (!walk_once(o, computation, &options))
		options.breadth = !options.breadth || options.breadth > VIEW_BREADTH
					  ? VIEW_BREADTH
					  : (options.breadth + 7) / 8;
}

/* ---- grammars on the recorded run ------------------------------------------------------------ */

typedef VEC(struct computation_word) word_list;

/*
 * Returns the object of the word to which an event belongs; PROPERTY_NONE if it is not the word of
 * an object.
 */
static uint32_t object_of_word(const struct property_events *events, struct event_id id)
{
	if (events->property->view != SPEC_VIEW_OBJECT)
		return PROPERTY_NONE;
	for (size_t i = 0; i < events->events.count; i++) {
		const struct property_event *e = &events->events.items[i];

		if (e->id.stream == id.stream && e->id.index == id.index)
			return events->bindings
				.items[e->bindings + events->property->view_parameter];
	}
	return PROPERTY_NONE;
}

/* Lists the words of the recorded run that violate a grammar and are in no computation yet. */
static void list_missing_words(const struct observe_state *o,
			       const struct computations *computations, word_list *out)
{
	for (size_t i = 0; i < o->grammars.run.found.count; i++) {
		const struct grammar_found *found = &o->grammars.run.found.items[i];
		struct computation_word word = {
			found->property,
			object_of_word(&o->set->properties.items[found->property], found->event)
		};
		bool known = false;

		for (size_t k = 0; k < out->count; k++)
			known |= out->items[k].property == word.property &&
				 out->items[k].object == word.object;
		if (!known && !observe_has_word(computations, found))
			*vec_push(out) = word;
	}
}

static bool judge_recorded_run(struct observe_state *o, const struct computations *computations,
			       struct err *err)
{
	struct computation_options options = o->options->computation;
	struct computations more = { 0 };
	word_list words = { 0 };
	bool done;

	grammar_formulas_open(&o->grammars, o->set, o->options->files, o->options->file_count);
	done = grammar_formulas_judge_recorded(&o->grammars, o->trace, o->options->files,
					       o->options->file_count, o->ended, err);
	list_missing_words(o, computations, &words);
	options.words = words.items;
	options.word_count = words.count;
	if (done && words.count)
		done = computations_read(o->trace, o->set, &options, &more, err);
	vec_free(&words);
	for (size_t i = 0; i < o->grammars.list.count; i++) {
		const struct grammar_formula *s = &o->grammars.list.items[i];

		if (s->why)
			add_unjudged(o, s->property, s->number, s->why);
	}
	if (done)
		observe_check_recorded(o, computations, &more);
	computations_free(&more);
	return done;
}

/* ---- the interface --------------------------------------------------------------------------- */

/*
 * A forked child continues the run of its parent, but its recording lacks what the parent did: the
 * beginning of words and states is missing.
 */
static void add_all_formulas_unjudged(struct observe_state *o)
{
	for (uint32_t i = 0; i < o->set->properties.count; i++) {
		uint32_t number = 0;

		for (const struct spec_formula *f = observe_property(o, i)->formulas; f;
		     f = f->next) {
			number++;
			if (observe_judges(f))
				add_unjudged(
					o, i, number,
					"the recording of a forked child does not have what its "
					"parent did before the fork");
		}
	}
}

bool observe_run(const struct trace *trace, const struct property_set *set,
		 const struct observe_options *options, struct observe_result *result,
		 struct err *err)
{
	struct observe_state o = {
		.trace = trace, .set = set, .options = options, .result = result
	};
	struct computations computations = { 0 };
	double start = seconds_now();
	bool done;

	*result = (struct observe_result){ 0 };
	if (trace_meta(trace, "forked")) {
		add_all_formulas_unjudged(&o);
		result->forked = true;
		return true;
	}
	if (!computations_read(trace, set, &options->computation, &computations, err))
		return false;
	o.ended = computations.ended;
	o.judge = judge_open(trace, set);
	add_unseen_formulas(&o);
	done = judge_recorded_run(&o, &computations, err);
	for (size_t i = 0; done && i < computations.list.count; i++)
		walk_lattice(&o, &computations.list.items[i]);
	if (done)
		observe_check_schedules(&o);
	observe_group_by_site(&o);
	for (size_t i = 0; i < computations.problems.count; i++)
		*vec_push(&result->notes) = mem_copy_text(computations.problems.items[i],
							  strlen(computations.problems.items[i]));
	judge_close(o.judge);
	grammar_formulas_close(&o.grammars);
	computations_free(&computations);
	result->seconds = seconds_now() - start;
	return done;
}

static void free_text_list(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

void observe_result_free(struct observe_result *result)
{
	for (size_t i = 0; i < result->findings.count; i++)
		observe_finding_free(&result->findings.items[i]);
	vec_free(&result->findings);
	for (size_t i = 0; i < result->lattices.count; i++) {
		free(result->lattices.items[i].runs.limbs);
		free(result->lattices.items[i].violating.limbs);
	}
	vec_free(&result->lattices);
	for (size_t i = 0; i < result->unjudged.count; i++)
		free(result->unjudged.items[i].why);
	vec_free(&result->unjudged);
	free_text_list(result->notes.items, result->notes.count);
	free_text_list(result->faults.items, result->faults.count);
	*result = (struct observe_result){ 0 };
}
