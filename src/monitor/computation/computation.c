/*
 * Makes the computations of a trace: one pool for all, then a projection for each property,
 * instance and view.
 */
#include "monitor/computation/computation.h"

#include "base/mem.h"
#include "monitor/computation/formulas.h"
#include "monitor/computation/instances.h"
#include "monitor/computation/project.h"
#include "monitor/computation/relevant.h"

#include <stdlib.h>
#include <string.h>

/* Limit for the objects that get a view. Each view costs a pass over all entries of the pool. */
#define VIEWS_MOST 2000u

/* Shared by all computations of a run. */
struct computation_source {
	struct run_ops ops;
	struct message_pool relevant, all;
};

static struct message_pool *get_pool(struct computations *out,
				     const struct computation_options *options, bool every)
{
	struct computation_source *source = out->owned;
	struct message_pool *pool = every ? &source->all : &source->relevant;

	if (!pool->ops)
		message_pool_make(&source->ops,
				  &(struct message_pool_options){ .strong = options->causality ==
									    COMPUTATION_STRONG,
								  .every = every },
				  pool);
	return pool;
}

static void add_computation(struct computations *out, const struct computation_options *options,
			    struct computation *computation, bool every)
{
	struct message_pool *pool = get_pool(out, options, every);
	uint32_t *labels;

	relevant_start(pool->ops, computation);
	labels = relevant_labels(pool, computation, every);
	computation->labels.binding = computation->binding.items;
	project_make(pool, labels, computation);
	free(labels);
	*vec_push(&out->list) = *computation;
}

/* Adds the view of an object or, for PROPERTY_NONE, the global view. */
static void add_view(struct computations *out, const struct computation_options *options,
		     const struct property_events *events, uint32_t property, uint32_t object)
{
	struct computation computation = { .is_view = true };

	*vec_push(&computation.properties) = property;
	for (uint32_t p = 0; object != PROPERTY_NONE && p < events->parameters; p++)
		*vec_push(&computation.binding) =
			p == events->property->view_parameter ? object : PROPERTY_NONE;
	add_computation(out, options, &computation, false);
}

static uint32_t object_of(const struct property_events *events, size_t event)
{
	return events->bindings
		.items[events->events.items[event].bindings + events->property->view_parameter];
}

/* Adds the views of all objects that several threads use. */
static void add_object_views(struct computations *out, const struct computation_options *options,
			     const struct property_events *events, uint32_t property)
{
	/* by object: 1 + the first stream that uses it; 0: none yet */
	uint32_t *stream = mem_zalloc(events->values.count + 1, sizeof *stream);
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
	if (count > VIEWS_MOST)
		*vec_push(&out->problems) = mem_format(
			"property %s: in runs other than the recorded one, only the first %u "
			"of the %zu objects that several threads use are checked",
			events->property->name, VIEWS_MOST, count);
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
		add_computation(out, options, &computation, false);
	}
	if (instances.cut)
		*vec_push(&out->problems) =
			mem_format("property %s: only its first %u instances are checked",
				   events->property->name, INSTANCES_MOST);
	instances_free(&instances);
}

bool computations_read(const struct trace *trace, const struct property_set *set,
		       const struct computation_options *options, struct computations *out,
		       struct err *err)
{
	bool every = options->events == COMPUTATION_ALL;
	struct computation_source *source = mem_zalloc(1, sizeof *source);
	struct computation together = { 0 };

	*out = (struct computations){ .owned = source };
	run_ops_read(trace, set, every, &source->ops);
	if (source->ops.list.count >= UINT32_MAX || source->ops.touches.count >= UINT32_MAX) {
		computations_free(out);
		return err_set(err, "%s: too many events for one computation", trace_path(trace));
	}
	out->ended = source->ops.ended;
	for (size_t i = 0; i < source->ops.problems.count; i++) {
		const char *text = source->ops.problems.items[i];

		*vec_push(&out->problems) = mem_copy_text(text, strlen(text));
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
			add_computation(out, options, &computation, false);
		}
	}
	if (together.properties.count)
		add_computation(out, options, &together, true);
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
			add_object_views(out, options, events, i);
		else
			add_view(out, options, events, i, PROPERTY_NONE);
	}
	return true;
}

void computations_free(struct computations *computations)
{
	struct computation_source *source = computations->owned;

	for (size_t i = 0; i < computations->list.count; i++) {
		struct computation *computation = &computations->list.items[i];

		project_free(computation);
		labels_free(&computation->labels);
		vec_free(&computation->properties);
		vec_free(&computation->binding);
	}
	vec_free(&computations->list);
	vec_free_all(&computations->problems);
	if (source) {
		if (source->relevant.ops)
			message_pool_free(&source->relevant);
		if (source->all.ops)
			message_pool_free(&source->all);
		run_ops_free(&source->ops);
		free(source);
	}
	computations->owned = NULL;
}
