#include "monitor/computation/computation.h"

#include "base/mem.h"
#include "monitor/computation/formulas.h"
#include "monitor/computation/instances.h"
#include "monitor/computation/project.h"
#include "monitor/computation/relevant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects of a view; each costs a look at all events of the pool. */
#define VIEWS_MOST 2000u

/* What all computations of a run stand on. */
struct source {
	struct run_ops acts;
	struct message_pool relevant, all;
};

static struct message_pool *pool_of(struct computations *out,
				    const struct computation_options *options, bool every)
{
	struct source *source = out->owned;
	struct message_pool *pool = every ? &source->all : &source->relevant;

	if (!pool->acts)
		message_pool_make(&source->acts,
				  &(struct message_pool_options){ .strong = options->causality ==
									    COMPUTATION_STRONG,
								  .every = every },
				  pool);
	return pool;
}

static void finish(struct computations *out, const struct computation_options *options,
		   struct computation *computation, bool every)
{
	struct message_pool *pool = pool_of(out, options, every);
	uint32_t *labels;

	relevant_start(pool->acts, computation);
	labels = relevant_labels(pool, computation, every);
	computation->labels.binding = computation->binding.items;
	project_make(pool, labels, computation);
	free(labels);
	*vec_push(&out->list) = *computation;
}

static void say(struct computations *out, char *text)
{
	if (text)
		*vec_push(&out->problems) = text;
}

/* Of an object, or, PROPERTY_NONE, of everything. */
static void add_view(struct computations *out, const struct computation_options *options,
		     const struct property_events *events, uint32_t property, uint32_t object)
{
	struct computation computation = { .is_view = true };

	*vec_push(&computation.properties) = property;
	for (uint32_t p = 0; object != PROPERTY_NONE && p < events->parameters; p++)
		*vec_push(&computation.binding) =
			p == events->property->view_parameter ? object : PROPERTY_NONE;
	finish(out, options, &computation, false);
}

static uint32_t object_of(const struct property_events *events, size_t event)
{
	return events->bindings
		.items[events->events.items[event].bindings + events->property->view_parameter];
}

/* Objects that several threads use. */
static void add_objects(struct computations *out, const struct computation_options *options,
			const struct property_events *events, uint32_t property)
{
	uint32_t *stream = mem_zalloc(events->values.count + 1, sizeof *stream); /* + 1 */
	uint8_t *added = mem_zalloc(events->values.count + 1, 1);
	size_t count = 0;

	for (size_t i = 0; i < events->events.count; i++) {
		uint32_t value = object_of(events, i), by = events->events.items[i].id.stream + 1;

		if (value == PROPERTY_NONE || added[value])
			continue;
		if (!stream[value])
			stream[value] = by;
		if (stream[value] == by)
			continue;
		added[value] = 1;
		if (++count <= VIEWS_MOST)
			add_view(out, options, events, property, value);
	}
	free(stream);
	free(added);
	if (count > VIEWS_MOST) {
		char *text = NULL;

		if (asprintf(&text,
			     "property %s: on other runs than the recorded one only the first %u "
			     "of its %zu objects that several threads use are judged",
			     events->property->name, VIEWS_MOST, count) >= 0)
			say(out, text);
	}
}

static void add_instances(struct computations *out, const struct computation_options *options,
			  const struct property_events *events, uint32_t property)
{
	struct instances instances;

	instances_find(events, &instances);
	for (size_t i = 0; i < instances.count; i++) {
		struct computation computation = { 0 };

		*vec_push(&computation.properties) = property;
		for (uint32_t p = 0; p < events->parameters; p++)
			*vec_push(&computation.binding) =
				instances.values.items[i * events->parameters + p];
		finish(out, options, &computation, false);
	}
	if (instances.cut) {
		char *text = NULL;

		if (asprintf(&text, "property %s: only the first %u of its instances are judged",
			     events->property->name, INSTANCES_MOST) >= 0)
			say(out, text);
	}
	instances_free(&instances);
}

bool computations_read(const struct trace *trace, const struct property_set *set,
		       const struct computation_options *options, struct computations *out,
		       struct err *err)
{
	bool every = options->events == COMPUTATION_ALL;
	struct source *source = mem_zalloc(1, sizeof *source);
	struct computation together = { 0 };

	*out = (struct computations){ .owned = source };
	run_ops_read(trace, set, every, &source->acts);
	if (source->acts.list.count >= UINT32_MAX || source->acts.touches.count >= UINT32_MAX) {
		computations_free(out);
		return err_set(err, "%s: more events than a computation can have",
			       trace_path(trace));
	}
	out->ended = source->acts.ended;
	for (size_t i = 0; i < source->acts.problems.count; i++) {
		const char *text = source->acts.problems.items[i];

		say(out, mem_copy_text(text, strlen(text)));
	}
	for (uint32_t i = 0; i < set->properties.count; i++) {
		const struct property_events *events = &set->properties.items[i];

		if (options->words || !formulas_has_states(events->property))
			continue;
		if (events->property->parameter_count) {
			add_instances(out, options, events, i);
		} else if (every) {
			*vec_push(&together.properties) = i;
		} else {
			struct computation computation = { 0 };

			*vec_push(&computation.properties) = i;
			finish(out, options, &computation, false);
		}
	}
	if (together.properties.count)
		finish(out, options, &together, true);
	for (size_t i = 0; i < options->word_count; i++) {
		const struct computation_word *word = &options->words[i];

		add_view(out, options, &set->properties.items[word->property], word->property,
			 word->object);
	}
	for (uint32_t i = 0; !options->words && i < set->properties.count; i++) {
		const struct property_events *events = &set->properties.items[i];

		if (!formulas_has_grammar(events->property) ||
		    events->property->view == SPEC_VIEW_THREAD)
			continue;
		if (events->property->view == SPEC_VIEW_OBJECT)
			add_objects(out, options, events, i);
		else
			add_view(out, options, events, i, PROPERTY_NONE);
	}
	return true;
}

void computations_free(struct computations *computations)
{
	struct source *source = computations->owned;

	for (size_t i = 0; i < computations->list.count; i++) {
		struct computation *computation = &computations->list.items[i];

		project_free(computation);
		labels_free(&computation->labels);
		vec_free(&computation->properties);
		vec_free(&computation->binding);
	}
	vec_free(&computations->list);
	for (size_t i = 0; i < computations->problems.count; i++)
		free(computations->problems.items[i]);
	vec_free(&computations->problems);
	if (source) {
		if (source->relevant.acts)
			message_pool_free(&source->relevant);
		if (source->all.acts)
			message_pool_free(&source->all);
		run_ops_free(&source->acts);
		free(source);
	}
	computations->owned = NULL;
}
