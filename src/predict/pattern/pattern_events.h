/*
 * The events of one property in one window, with indices to choose among them: by event, and by
 * event and the value of a parameter.
 */
#ifndef PREDICT_PATTERN_PATTERN_EVENTS_H
#define PREDICT_PATTERN_PATTERN_EVENTS_H

#include "base/map.h"
#include "order/model/sources.h"
#include "predict/driver/analysis.h"
#include "predict/driver/must_precede.h"
#include "predict/pattern/pattern_past.h"

struct scene_event {
	uint32_t past;	 /* happened before the window: its rank there; then it has no nodes */
	uint32_t node;	 /* of a request, the moment before its anchor */
	uint32_t anchor; /* node */
	uint32_t thread; /* of the model; behind those, threads of the past that are not in it */
	uint32_t number; /* in the property's events */
	uint32_t next;	 /* of its thread, or ORDER_NONE */
	const struct property_event *event;
	const uint32_t *binding;
	uint64_t site;
};

/* Numbers of events, in the order of their nodes. */
struct scene_list {
	const uint32_t *items;
	uint32_t count;
};

struct scene {
	const struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	const struct pattern_set *set;
	const struct property_events *property;
	uint32_t property_number, parameters, types;
	const struct must_precede *needs;
	VEC(struct scene_event) events; /* by node, then those of the past that were asked for */
	const struct past_view *past;	/* NULL: none */
	struct map past_events;		/* number in the property's events: position in events */
	const uint32_t *thread_of;
	uint32_t **by_value; /* [type * (parameters + 1) + p]: by the value of p, then by node; the
				last p stands for none: by node alone */
	uint32_t *type_count;
	const struct map *node_of_keep;
	const struct order_sources *sources;
};

/* What all properties of a window share. */
struct scene_ground {
	struct must_precede needs;
	struct map node_of_keep; /* position in the set's keeps to node + 1, moments left out */
	struct order_sources sources;
	uint32_t *thread_of; /* by position of a thread's stream: in the model, or behind it */
};

void scene_ground_make(struct scene_ground *ground, const struct analysis *analysis);
void scene_ground_free(struct scene_ground *ground);

void scene_open(struct scene *scene, const struct analysis *analysis, uint32_t property,
		const struct scene_ground *ground);
void scene_close(struct scene *scene);

/* Those of an event; and those among them whose parameter has the value, or PROPERTY_NONE. */
struct scene_list scene_of_type(const struct scene *scene, uint32_t type);
struct scene_list scene_of_value(const struct scene *scene, uint32_t type, uint32_t parameter,
				 uint32_t value);

/* The event of the past, with its place there; and to choose it. */
struct scene_event scene_past_event(const struct scene *scene, uint32_t number);
uint32_t scene_add_past(struct scene *scene, uint32_t number);

/*
 * What must be inside for a node to be next, besides what that leans on: its thread's node before
 * it, and where edges into it come from, but for the end of the thread that it joins (a join is
 * next before that, and waits). One after the other, with *state from 0 on; ORDER_NONE at the end.
 */
uint32_t scene_before_next(const struct scene *scene, uint32_t node, uint32_t *state);

/* The node of an event, if the window has it as one; else ORDER_NONE. */
uint32_t scene_find_node(const struct scene *scene, struct event_id id);

#endif
