/* What the files that make acts share: acts.c walks, the others know one kind of object each. */
#ifndef MONITOR_ACTS_H
#define MONITOR_ACTS_H

#include "monitor/act.h"
#include "monitor/survey.h"

#define ACTS_NO_SET UINT32_MAX

/* Who has a lock. */
struct acts_hold {
	uint32_t lane, depth, set;
};
struct acts_lock {
	struct acts_hold writer;
	VEC(struct acts_hold) readers;
};

struct acts_lane {
	uint32_t column;	 /* + 1; 0: none yet */
	VEC(uint32_t) spare;	 /* columns of threads that it joined */
	struct property_id last; /* its last event … */
	bool trails;		 /* … which no act stands for */
	uint32_t barrier;	 /* + 1: it arrived there, and nothing says that it passed */
	uint32_t waited;	 /* how deep it was in the mutex that it gave up */
};

struct acts_maker {
	struct acts *acts;
	struct survey survey;
	struct survey_lives lives;
	bool every;
	uint64_t place;
	uint32_t *cell_sets;	 /* by cell: the current set, + 1 */
	struct acts_lock *locks; /* by position in the survey's objects */
	struct acts_lane *lanes;
	VEC(uint32_t) positions; /* by column: how many acts */
	size_t *next_event;	 /* by property */
	struct trace_symbols *symbols;
	struct map globals; /* address: is it in a variable? + 1 */
};

/* One more touch of the act that is being made. */
void acts_touch(struct acts_maker *maker, const struct act_touch *touch);
uint32_t acts_new_set(struct acts_maker *maker);

/* Each says whether the event is counted in a lattice of all events. */
bool acts_see_access(struct acts_maker *maker, const struct trace_event *event);
bool acts_see_sync(struct acts_maker *maker, const struct trace_event *event, uint32_t lane);
void acts_see_descriptor(struct acts_maker *maker, const struct trace_event *event);
void acts_see_life(struct acts_maker *maker, const struct trace_event *event, uint32_t lane);

#endif
