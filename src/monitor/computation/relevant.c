/* Labels the entries of a pool for one computation (relevant.h). */
#include "monitor/computation/relevant.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct label_maker {
	const struct run_ops *ops;
	struct computation *computation;
	uint32_t *variable_of; /* by variable of the run: 1 + its index in the labels; 0: none */
	uint8_t *chosen;       /* by property: it belongs to the computation */
	VEC(struct label_write) writes;
	VEC(struct label_event) events;
};

/* ---- variables ------------------------------------------------------------------------------- */

static bool has_monitor(const struct spec_property *property)
{
	for (const struct spec_formula *f = property->formulas; f; f = f->next) {
		if (f->formalism == SPEC_MONITOR)
			return true;
	}
	return false;
}

static void add_variable(struct labels *labels, const struct label_variable *variable)
{
	for (size_t i = 0; i < labels->variables.count; i++) {
		if (!strcmp(labels->variables.items[i].name, variable->name))
			return;
	}
	*vec_push(&labels->variables) = *variable;
}

void relevant_start(const struct run_ops *ops, struct computation *computation)
{
	bool rich = computation->is_view;

	for (size_t i = 0; i < computation->properties.count; i++)
		rich |= has_monitor(
			ops->set->properties.items[computation->properties.items[i]].property);
	labels_init(&computation->labels, rich);
	for (size_t i = 0; i < computation->properties.count; i++) {
		const struct variables_of *of =
			&ops->variables.of.items[computation->properties.items[i]];

		for (size_t k = 0; k < of->list.count; k++)
			add_variable(&computation->labels,
				     &ops->variables.list.items[of->list.items[k]]);
	}
}

static void map_variables(struct label_maker *c)
{
	const struct labels *labels = &c->computation->labels;

	c->variable_of = mem_zalloc(c->ops->variables.list.count + 1, sizeof *c->variable_of);
	for (size_t i = 0; i < c->ops->variables.list.count; i++) {
		for (uint32_t k = 0; k < labels->variables.count; k++) {
			/* equal names are one string, so the pointers can be compared */
			if (labels->variables.items[k].name == c->ops->variables.list.items[i].name)
				c->variable_of[i] = k + 1;
		}
	}
}

/* ---- labels ---------------------------------------------------------------------------------- */

/*
 * Does the event belong to the computation? An event belongs to an instance that has all values
 * that the event binds. It belongs to the view of an object that it binds.
 */
static bool is_about_computation(const struct computation *computation,
				 const struct property_events *events,
				 const struct property_event *event)
{
	const uint32_t *binding = events->bindings.items + event->bindings;
	const uint32_t *of = computation->binding.items;

	for (uint32_t p = 0; computation->binding.count && p < events->parameters; p++) {
		bool matters =
			computation->is_view ? of[p] != PROPERTY_NONE : binding[p] != PROPERTY_NONE;

		if (matters && binding[p] != of[p])
			return false;
	}
	return true;
}

static void add_events(struct label_maker *c, const struct run_op *op)
{
	for (uint32_t i = 0; i < op->event_count; i++) {
		const struct run_op_event *about = &c->ops->events.items[op->events + i];
		const struct property_events *events =
			&c->ops->set->properties.items[about->property];
		const struct property_event *event = &events->events.items[about->number];

		if (c->chosen[about->property] &&
		    is_about_computation(c->computation, events, event))
			*vec_push(&c->events) = (struct label_event){
				about->property, event->event,
				trace_stream(c->ops->trace, op->thread)->number, event->bindings,
				c->computation->is_view ? about->number : 0
			};
	}
}

static void add_writes(struct label_maker *c, const struct run_op *op)
{
	for (uint32_t i = 0; i < op->write_count; i++) {
		struct label_write write = c->ops->writes.items[op->writes + i];

		write.variable = c->variable_of[write.variable] - 1;
		if (write.variable != UINT32_MAX)
			*vec_push(&c->writes) = write;
	}
}

static uint32_t label_op(struct label_maker *c, const struct run_op *op, bool every)
{
	struct label meaning;

	c->writes.count = c->events.count = 0;
	add_writes(c, op);
	add_events(c, op);
	meaning = (struct label){ c->writes.items, (uint32_t)c->writes.count, c->events.items,
				  (uint32_t)c->events.count };
	if (meaning.write_count || meaning.event_count)
		return labels_put(&c->computation->labels, &meaning);
	return every && (op->flags & RUN_OP_COUNTED) ? LABEL_NOTHING : LABEL_SILENT;
}

uint32_t *relevant_labels(const struct message_pool *pool, struct computation *computation,
			  bool every)
{
	struct label_maker c = { .ops = pool->ops, .computation = computation };
	uint32_t *labels = mem_alloc((pool->entries.count + 1) * sizeof *labels);

	c.chosen = mem_zalloc(c.ops->set->properties.count + 1, 1);
	for (size_t i = 0; i < computation->properties.count; i++)
		c.chosen[computation->properties.items[i]] = 1;
	map_variables(&c);
	for (size_t i = 0; i < pool->entries.count; i++)
		labels[i] = label_op(&c, &c.ops->list.items[pool->entries.items[i].op], every);
	free(c.chosen);
	free(c.variable_of);
	vec_free(&c.writes);
	vec_free(&c.events);
	return labels;
}
