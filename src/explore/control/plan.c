/* Making, copying and freeing plans. */
#include "explore/control/runner.h"

#include <string.h>

/* Empties a plan. Its vectors keep their memory, because a search makes thousands of plans. */
void plan_clear(struct plan *plan)
{
	plan->policy = CONTROL_STAY;
	plan->seed = 0;
	plan->options = 0;
	plan->most_steps = 0;
	plan->slices.count = 0;
	plan->rules.count = 0;
	plan->choices.count = 0;
	plan->stops.count = 0;
	plan->sleeps.count = 0;
}

void plan_free(struct plan *plan)
{
	vec_free(&plan->slices);
	vec_free(&plan->rules);
	vec_free(&plan->choices);
	vec_free(&plan->stops);
	vec_free(&plan->sleeps);
}

#define COPY(to, from)                                                                             \
	do {                                                                                       \
		(to)->count = 0;                                                                   \
		if ((from)->count)                                                                 \
			memcpy(vec_reserve(to, (from)->count), (from)->items,                      \
			       (from)->count * sizeof *(from)->items);                             \
		(to)->count = (from)->count;                                                       \
	} while (0)

void plan_copy(struct plan *to, const struct plan *from)
{
	to->policy = from->policy;
	to->seed = from->seed;
	to->options = from->options;
	to->most_steps = from->most_steps;
	COPY(&to->slices, &from->slices);
	COPY(&to->rules, &from->rules);
	COPY(&to->choices, &from->choices);
	COPY(&to->stops, &from->stops);
	COPY(&to->sleeps, &from->sleeps);
}

void plan_add_slice(struct plan *plan, uint32_t thread, uint32_t until)
{
	size_t count = plan->slices.count;
	struct control_slice *last = count ? &plan->slices.items[count - 1] : NULL;

	if (!last || last->thread != thread)
		*vec_push(&plan->slices) = (struct control_slice){ thread, until };
	else if (last->until < until)
		last->until = until;
}

void plan_add_event(struct plan *plan, const struct control_event *event)
{
	plan_add_slice(plan, event->thread, event->step + 1);
	if (event->flags & (CONTROL_EVENT_TIMED_OUT | CONTROL_EVENT_SPURIOUS))
		*vec_push(&plan->choices) = (struct control_choice){
			event->thread, event->step,
			event->flags & CONTROL_EVENT_SPURIOUS ? CONTROL_SPURIOUS : CONTROL_TIMEOUT
		};
}
