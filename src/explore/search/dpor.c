/*
 * Source-DPOR with sleep sets. The path (dpor_path.h) holds the current run. Each transition of the
 * path has a level, which stores the backtrack set and the sleep set of the state before that
 * transition. dpor_learn() pushes a run onto the path and adds a branch for each race of the run
 * (reversible_pair.h). dpor_next() takes the deepest level with an untried choice, cuts the path
 * back to it, and plans that choice.
 */
#include "explore/search/dpor.h"

#include "base/mem.h"
#include "event/event.h"
#include "explore/search/op_enabled.h"
#include "explore/search/reversible_pair.h"
#include "explore/search/spin_loops.h"

#include <assert.h>
#include <string.h>

/*
 * A thread that can be chosen at a level, with the events of its next transition. The events of a
 * longer transition are not kept: it is assumed to depend on everything.
 */
#define CHOICE_EVENTS 2
struct dpor_choice {
	uint32_t thread, count;
	struct control_event events[CHOICE_EVENTS];
	bool refused; /* the thread could not run there: it must not enter a sleep set */
};
typedef VEC(struct dpor_choice) choices;

/* A scheduling decision of the path: at level i, the thread of node i was chosen. */
struct dpor_level {
	choices chosen; /* the backtrack set; its first `tried` choices were explored */
	uint32_t tried;
	choices asleep;	      /* sleep set */
	uint32_t preemptions; /* number of preemptions in the path before this level */
	bool cut;
};

struct dpor {
	struct dpor_options options;
	struct dpor_stats stats;
	struct dpor_path path;
	VEC(struct dpor_level) levels; /* those beyond `level_count` are kept for reuse */
	uint32_t level_count;
	uint32_t branch; /* the level at which the current run leaves the path */
	bool started, branching;
	struct reversible_pair_finder finder;
	reversible_pair_nodes initials;
	use_list one, other;
	VEC(struct control_event) kept; /* a run's events by threads of the thread set */
};

/* ---- choices --------------------------------------------------------------------------------- */

static struct dpor_choice make_choice(const struct control_event *events, uint32_t count)
{
	struct dpor_choice choice = { .thread = events[0].thread, .count = count };

	memcpy(choice.events, events,
	       (count < CHOICE_EVENTS ? count : CHOICE_EVENTS) * sizeof *events);
	return choice;
}

static struct dpor_choice *find_choice(const choices *list, uint32_t thread)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].thread == thread)
			return &list->items[i];
	return NULL;
}

static void list_uses(struct dpor *dpor, const struct control_event *events, uint32_t count,
		      bool any_outcome, use_list *uses)
{
	uses->count = 0;
	for (uint32_t i = 0; i < count; i++)
		op_uses_of(&dpor->path.blocks, &events[i], any_outcome, uses);
}

/*
 * Does `sleeper` stay in the sleep set after `events`? The scheduler sees only the next operation
 * of a thread, so a transition of several operations cannot sleep.
 */
static bool stays_asleep(struct dpor *dpor, const struct dpor_choice *sleeper,
			 const struct control_event *events, uint32_t count, bool any_outcome)
{
	if (sleeper->refused || sleeper->count != 1 || count > CHOICE_EVENTS ||
	    sleeper->thread == events[0].thread)
		return false;
	list_uses(dpor, sleeper->events, 1, false, &dpor->one);
	list_uses(dpor, events, count, any_outcome, &dpor->other);
	return !op_uses_conflict(&dpor->one, &dpor->other);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static struct dpor_level *push_level(struct dpor *dpor)
{
	struct dpor_level *level;

	if (dpor->level_count == dpor->levels.count)
		*vec_push(&dpor->levels) = (struct dpor_level){ 0 };
	level = &dpor->levels.items[dpor->level_count++];
	level->chosen.count = level->asleep.count = 0;
	level->tried = 0;
	level->preemptions = 0;
	level->cut = false;
	return level;
}

/* Does choosing `thread` at level i preempt a thread that could continue? */
static bool is_preemption(const struct dpor *dpor, uint32_t i, uint32_t thread)
{
	uint32_t before = i ? dpor->path.nodes.items[i - 1].thread : thread;

	return before != thread && dpor->levels.items[i].chosen.items[0].thread == before;
}

/* Computes the sleep set of the state that `events`, the current choice of level i, leads to. */
static void pass_sleepers(struct dpor *dpor, uint32_t i, const struct control_event *events,
			  uint32_t count, bool any_outcome, choices *out)
{
	const struct dpor_level *level = &dpor->levels.items[i];

	out->count = 0;
	for (size_t s = 0; s < level->asleep.count; s++)
		if (stays_asleep(dpor, &level->asleep.items[s], events, count, any_outcome))
			*vec_push(out) = level->asleep.items[s];
	for (size_t s = 0; s + 1 < level->tried; s++)
		if (stays_asleep(dpor, &level->chosen.items[s], events, count, any_outcome) &&
		    !find_choice(out, level->chosen.items[s].thread))
			*vec_push(out) = level->chosen.items[s];
}

static bool is_interleaved(const struct dpor *dpor, uint32_t thread)
{
	return thread_set_has(&dpor->options.set, thread);
}

static void add_choice(struct dpor *dpor, uint32_t at, const struct dpor_choice *choice)
{
	struct dpor_level *level = &dpor->levels.items[at];

	if (is_interleaved(dpor, choice->thread) && !find_choice(&level->chosen, choice->thread) &&
	    !find_choice(&level->asleep, choice->thread))
		*vec_push(&level->chosen) = *choice;
}

/* ---- from races to branches ------------------------------------------------------------------ */

/*
 * Adds one of the initials of a race to the backtrack set of level `earlier`. Adds nothing if an
 * initial is in that set already, or in the sleep set: then it was explored elsewhere.
 */
static void add_branch(struct dpor *dpor, uint32_t earlier, const struct control_event *events,
		       uint32_t count, const dpor_path_clock *before)
{
	const struct dpor_path *path = &dpor->path;
	const struct dpor_level *level = &dpor->levels.items[earlier];
	uint32_t first = DPOR_PATH_NONE;
	struct dpor_choice choice;

	reversible_pair_initials(&dpor->finder, path, earlier, events[0].thread, before,
				 &dpor->initials);
	for (size_t i = 0; i < dpor->initials.count; i++) {
		uint32_t at = dpor->initials.items[i];
		uint32_t thread =
			at == path->depth ? events[0].thread : path->nodes.items[at].thread;
		if (find_choice(&level->chosen, thread) || find_choice(&level->asleep, thread))
			return;
		if (first == DPOR_PATH_NONE && is_interleaved(dpor, thread))
			first = at;
	}
	if (first == DPOR_PATH_NONE)
		return;
	if (first == path->depth)
		choice = make_choice(events, count);
	else
		choice = make_choice(&path->events.items[path->nodes.items[first].first],
				     path->nodes.items[first].count);
	add_choice(dpor, earlier, &choice);
}

static void branch_for_races(struct dpor *dpor, const struct control_event *events, uint32_t count,
			     const dpor_path_clock *before)
{
	const struct dpor_path *path = &dpor->path;
	uint32_t last;

	reversible_pair_find(&dpor->finder, path, events, count, before);
	last = dpor_path_last_of(path, events[0].thread);
	if (!is_interleaved(dpor, events[0].thread) || spin_loops_is_round(path, last, &events[0]))
		return;
	for (size_t i = 0; i < dpor->finder.races.count; i++) {
		uint32_t earlier = dpor->finder.races.items[i];
		uint32_t first = spin_loops_first(path, earlier);
		if (!is_interleaved(dpor, path->nodes.items[earlier].thread))
			continue;
		if (dpor_path_covers(before, &path->nodes.items[first]))
			first = earlier;
		add_branch(dpor, first, events, count, before);
	}
}

/* ---- learning from a run --------------------------------------------------------------------- */

static bool same_event(const struct control_event *a, const struct control_event *b)
{
	return a->thread == b->thread && a->step == b->step && a->kind == b->kind &&
	       a->address == b->address && a->size == b->size;
}

static bool repeats_prefix(const struct dpor *dpor, const struct outcome *outcome)
{
	const struct dpor_path *path = &dpor->path;

	if (outcome->event_count < path->events.count)
		return false;
	for (size_t i = 0; i < path->events.count; i++)
		if (!same_event(&path->events.items[i], &outcome->events[i]))
			return false;
	return true;
}

/*
 * Processes the top transition of the path: adds branches for its races, completes its clock, and
 * enters it in the histories of what it touches.
 */
static void process_top(struct dpor *dpor)
{
	struct dpor_path *path = &dpor->path;
	uint32_t top = path->depth - 1;
	struct dpor_path_node *node = &path->nodes.items[top];

	path->depth--; /* take the path as it was before this transition */
	branch_for_races(dpor, &path->events.items[node->first], node->count, &node->before);
	path->depth++;
	for (size_t i = 0; i < dpor->finder.conflicts.count; i++)
		dpor_path_join(&node->clock,
			       &path->nodes.items[dpor->finder.conflicts.items[i]].clock);
	dpor_path_touch_top(path);
}

/* Opens a level for the next transition. Its sleep set follows from that of the level before. */
static void open_level(struct dpor *dpor, bool branched)
{
	uint32_t at = dpor->level_count;
	struct dpor_level *level = push_level(dpor);
	const struct dpor_path_node *node;
	const struct dpor_choice *chosen;

	if (at == 0)
		return;
	node = &dpor->path.nodes.items[at - 1];
	chosen = &dpor->levels.items[at - 1].chosen.items[dpor->levels.items[at - 1].tried - 1];
	level->preemptions =
		dpor->levels.items[at - 1].preemptions + is_preemption(dpor, at - 1, node->thread);
	if (branched && chosen->count <= CHOICE_EVENTS)
		pass_sleepers(dpor, at - 1, chosen->events, chosen->count, true, &level->asleep);
	else
		pass_sleepers(dpor, at - 1, &dpor->path.events.items[node->first], node->count,
			      false, &level->asleep);
}

/* Pushes the events of a run, from outcome->events[at] on, onto the path. */
static void follow_run(struct dpor *dpor, const struct outcome *outcome, size_t at)
{
	bool branched = dpor->branching, redundant = false;
	struct dpor_path *path = &dpor->path;

	while (at < outcome->event_count) {
		struct dpor_path_node *node;
		struct dpor_level *level;
		if (!branched)
			open_level(dpor, dpor->branching && path->depth == dpor->branch + 1);
		node = dpor_path_push(path, outcome->events, outcome->event_count, &at);
		level = &dpor->levels.items[path->depth - 1];
		if (!branched) {
			redundant |= find_choice(&level->asleep, node->thread) != NULL;
			*vec_push(&level->chosen) =
				make_choice(&path->events.items[node->first], node->count);
			level->tried = 1;
		}
		branched = false;
		process_top(dpor);
	}
	dpor->stats.redundant += redundant;
	if (dpor->stats.deepest < path->depth)
		dpor->stats.deepest = path->depth;
}

static struct control_event pending_event(const struct control_blocked *blocked)
{
	return (struct control_event){ .thread = blocked->thread,
				       .step = blocked->step,
				       .kind = (uint8_t)blocked->kind,
				       .flags = (uint8_t)blocked->flags,
				       .address = blocked->address,
				       .other = blocked->other,
				       .site = blocked->site };
}

static void pending_past(const struct dpor *dpor, uint32_t thread, dpor_path_clock *before)
{
	const struct dpor_path *path = &dpor->path;
	uint32_t last = dpor_path_get(path->last.items, path->last.count, thread, DPOR_PATH_NONE);

	before->count = 0;
	if (last == DPOR_PATH_NONE)
		last = dpor_path_get(path->created.items, path->created.count, thread,
				     DPOR_PATH_NONE);
	if (last != DPOR_PATH_NONE)
		dpor_path_join(before, &path->nodes.items[last].clock);
}

/*
 * Processes the operations that threads were about to do when the run ended. A blocked thread's
 * operation races with the operation that blocks it. A thread that could still have run when the
 * process ended could have run before the end: instead of exit (which gets a level of its own on
 * top), or before the operation that failed. Blocked threads count even in a run that a sleep set
 * ended: a random test program showed that in the equivalent run, explored elsewhere, another
 * operation may block them.
 */
static void process_pending(struct dpor *dpor, const struct outcome *outcome)
{
	bool ended = outcome->result == CONTROL_ENDED;
	dpor_path_clock before = { 0 };

	if (ended)
		open_level(dpor, dpor->branching && dpor->path.depth == dpor->branch + 1);
	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *blocked = &outcome->blocked[i];
		struct control_event event = pending_event(blocked);
		struct dpor_choice choice = make_choice(&event, 1);
		if (!is_interleaved(dpor, blocked->thread) || blocked->kind == EV_NONE ||
		    blocked->how == CONTROL_BY_SPIN || blocked->how == CONTROL_BY_CALL ||
		    (blocked->how == CONTROL_BY_NOTHING && outcome->result == CONTROL_ASLEEP))
			continue;
		if (blocked->how != CONTROL_BY_NOTHING || !ended) {
			pending_past(dpor, blocked->thread, &before);
			branch_for_races(dpor, &event, 1, &before);
		}
		if (blocked->how == CONTROL_BY_NOTHING && dpor->level_count &&
		    (ended || op_enabled_without(&dpor->path, &event, dpor->level_count - 1)))
			add_choice(dpor, dpor->level_count - 1, &choice);
	}
	vec_free(&before);
}

/*
 * Marks the branch as refused: its thread could not run there, or the run did not repeat the
 * prefix.
 */
static void refuse_branch(struct dpor *dpor)
{
	struct dpor_level *level = &dpor->levels.items[dpor->branch];

	level->chosen.items[level->tried - 1].refused = true;
}

/*
 * With a thread set, drops the events of all other threads. Those run when they have to, and are
 * not part of any prefix.
 */
static void keep_interleaved(struct dpor *dpor, struct outcome *outcome)
{
	if (!dpor->options.set.threads)
		return;
	dpor->kept.count = 0;
	for (uint32_t i = 0; i < outcome->event_count; i++)
		if (is_interleaved(dpor, outcome->events[i].thread))
			*vec_push(&dpor->kept) = outcome->events[i];
	outcome->events = dpor->kept.items;
	outcome->event_count = (uint32_t)dpor->kept.count;
}

/*
 * Limit on the bytes that a run accesses. Every eight bytes have a history of their own, so a
 * larger run would take seconds and gigabytes.
 */
#define MOST_BYTES (16u << 20)

void dpor_learn(struct dpor *dpor, const struct outcome *whole)
{
	size_t at = dpor->path.events.count;
	struct outcome seen = *whole, *outcome = &seen;
	bool too_large, world = false, opaque = false;

	dpor->stats.runs++;
	keep_interleaved(dpor, outcome);
	op_uses_learn_blocks(&dpor->path.blocks, outcome->events, outcome->event_count);
	if (outcome->events_lost || outcome->result == CONTROL_LIMIT ||
	    outcome->result == CONTROL_HUNG || outcome->result == CONTROL_UNFINISHED)
		dpor->stats.lost++;
	dpor->stats.unordered += outcome->control && outcome->control->unordered;
	for (uint32_t i = 0; i < outcome->event_count; i++)
		switch (outcome->events[i].kind) {
		case EV_SYNC:
		case EV_RECEIVE: world = true; break;
		case EV_OPAQUE: opaque = true; break;
		}
	dpor->stats.world += world;
	dpor->stats.opaque += opaque;
	too_large = op_uses_count_bytes(outcome->events, outcome->event_count) > MOST_BYTES;
	if (too_large || !repeats_prefix(dpor, outcome)) {
		dpor->stats.lost += too_large;
		dpor->stats.diverged += !too_large;
		if (dpor->branching)
			refuse_branch(dpor);
		return;
	}
	if (dpor->branching) {
		const struct dpor_level *level = &dpor->levels.items[dpor->branch];
		if (at == outcome->event_count ||
		    outcome->events[at].thread != level->chosen.items[level->tried - 1].thread) {
			dpor->stats.refused++;
			refuse_branch(dpor);
			return;
		}
	}
	follow_run(dpor, outcome, at);
	dpor->stats.asleep += outcome->result == CONTROL_ASLEEP;
	process_pending(dpor, outcome);
}

/* ---- the next run ---------------------------------------------------------------------------- */

/*
 * Returns the index of an untried choice of the level that the preemption bound allows; their
 * number if there is none.
 */
static size_t find_untried(struct dpor *dpor, uint32_t at)
{
	struct dpor_level *level = &dpor->levels.items[at];
	size_t i = level->tried;

	while (i < level->chosen.count &&
	       level->preemptions + is_preemption(dpor, at, level->chosen.items[i].thread) >
		       dpor->options.bound) {
		dpor->stats.cut += !level->cut;
		level->cut = true;
		i++;
	}
	return i;
}

/* Picks that choice, and counts it as tried. */
static void choose_untried(struct dpor *dpor, uint32_t at)
{
	struct dpor_level *level = &dpor->levels.items[at];
	size_t i = find_untried(dpor, at);
	struct dpor_choice choice = level->chosen.items[i];

	level->chosen.items[i] = level->chosen.items[level->tried];
	level->chosen.items[level->tried++] = choice;
}

/*
 * Plans the events of the path, which ends at level `at`, followed by the current choice of that
 * level.
 */
static void plan_branch(struct dpor *dpor, uint32_t at, struct plan *plan)
{
	const struct dpor_level *level = &dpor->levels.items[at];
	const struct dpor_choice *choice = &level->chosen.items[level->tried - 1];
	choices asleep = { 0 };

	for (size_t i = 0; i < dpor->path.events.count; i++)
		plan_add_event(plan, &dpor->path.events.items[i]);
	*vec_push(&plan->slices) =
		(struct control_slice){ choice->thread, choice->events[0].step + 1 };
	if (choice->count <= CHOICE_EVENTS)
		pass_sleepers(dpor, at, choice->events, choice->count, true, &asleep);
	for (size_t i = 0; i < asleep.count; i++)
		*vec_push(&plan->sleeps) = asleep.items[i].thread;
	vec_free(&asleep);
}

bool dpor_is_finished(struct dpor *dpor)
{
	uint32_t *count = &dpor->level_count;

	while (*count &&
	       find_untried(dpor, *count - 1) == dpor->levels.items[*count - 1].chosen.count)
		--*count;
	return dpor->started && !*count;
}

bool dpor_next(struct dpor *dpor, struct plan *plan)
{
	plan_clear(plan);
	plan->policy = CONTROL_STAY;
	plan->options = dpor->options.plan_options;
	plan->most_steps = dpor->options.most_steps;
	if (!dpor->started) {
		dpor->started = true;
		return true;
	}
	if (dpor_is_finished(dpor))
		return false;
	choose_untried(dpor, dpor->level_count - 1);
	dpor->branch = dpor->level_count - 1;
	dpor->branching = true;
	dpor_path_cut(&dpor->path, dpor->branch);
	plan_branch(dpor, dpor->branch, plan);
	return true;
}

/* ---- opening and closing --------------------------------------------------------------------- */

struct dpor *dpor_open(const struct dpor_options *options)
{
	struct dpor *dpor = mem_zalloc(1, sizeof *dpor);

	dpor->options = *options;
	return dpor;
}

void dpor_close(struct dpor *dpor)
{
	for (size_t i = 0; i < dpor->levels.count; i++) {
		vec_free(&dpor->levels.items[i].chosen);
		vec_free(&dpor->levels.items[i].asleep);
	}
	vec_free(&dpor->levels);
	dpor_path_free(&dpor->path);
	reversible_pair_free(&dpor->finder);
	vec_free(&dpor->initials);
	vec_free(&dpor->one);
	vec_free(&dpor->other);
	vec_free(&dpor->kept);
	free(dpor);
}

const struct dpor_stats *dpor_stats(const struct dpor *dpor)
{
	return &dpor->stats;
}

bool dpor_complete(const struct dpor *dpor)
{
	const struct dpor_stats *stats = &dpor->stats;

	return dpor->started && !dpor->level_count && !stats->cut && !stats->lost &&
	       !stats->diverged && !stats->world && !stats->opaque && !stats->unordered &&
	       !dpor->options.set.threads;
}
