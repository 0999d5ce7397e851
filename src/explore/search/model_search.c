/*
 * Uniform-cost search over the states of the learned model. States with few preemptions are
 * expanded first. A state is expanded again only if it is reached at a lower cost. The best goal (a
 * failure, or a thread that sees something new) becomes a plan.
 */
#include "explore/search/model_search.h"

#include "base/hash.h"
#include "base/mem.h"
#include "explore/search/model_exec.h"
#include "explore/control/plan_play.h"

#include <string.h>

#define MOST_NODES 30000
#define MOST_BYTES (32u << 20) /* for the states of all nodes */
#define MOST_COST 4 /* number of preemptions and other deviations from the usual choice */

/*
 * A state, reached from its parent by one operation of a thread and the operations after it that
 * other threads cannot see.
 */
struct model_search_node {
	uint32_t parent;
	uint32_t thread, until; /* the thread that moved; its number of steps so far */
	uint8_t cost;
	bool timed_out; /* the operation, step `choice`, timed out */
	uint32_t choice;
};

struct model_search_goal {
	enum model_goal what;
	uint32_t node, thread;
	uint8_t cost;
	bool timed_out;
	uint64_t key;
};

struct model_search {
	struct learned_model model;
	struct model_exec machine;
	VEC(struct model_search_node) nodes;
	VEC(uint8_t) states; /* the states of all nodes, one after the other */
	VEC(uint32_t) open[MOST_COST + 1];
	struct map reached; /* from the hash of a state to 1 + the least cost of reaching it */
	struct map tried;   /* set of the keys of goals that were returned */
	struct model_search_goal best; /* the best goal of the last search */
	bool searched;
};

const char *model_goal_name(enum model_goal goal)
{
	static const char *const names[] = { "nothing", "failure", "new result", "new sequence",
					     "new history" };

	return names[goal];
}

/* Has the model learnt a run, and does it have few enough threads? */
static bool is_usable(const struct model_search *s)
{
	return s->model.threads && s->model.threads <= MODEL_EXEC_THREADS;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static model_exec_state *state_of(const struct model_search *s, uint32_t node)
{
	return (model_exec_state *)(s->states.items + node * s->machine.bytes);
}

/*
 * Appends a child of `parent` with a copy of the parent's state. The caller changes the state and
 * then opens the node. Node 0 gets the start state.
 */
static uint32_t push_node(struct model_search *s, uint32_t parent)
{
	uint32_t node = (uint32_t)s->nodes.count;

	*vec_push(&s->nodes) = (struct model_search_node){ .parent = parent };
	(void)vec_reserve(&s->states, s->machine.bytes);
	s->states.count += s->machine.bytes;
	if (node == 0)
		model_exec_start(&s->machine, state_of(s, 0));
	else
		memcpy(state_of(s, node), state_of(s, parent), s->machine.bytes);
	return node;
}

static void pop_node(struct model_search *s)
{
	s->nodes.count--;
	s->states.count -= s->machine.bytes;
}

/* Executes those next operations of the node's thread that other threads cannot see. */
static void run_invisible_ops(struct model_search *s, uint32_t node)
{
	model_exec_state *state = state_of(s, node);
	struct model_search_node *at = &s->nodes.items[node];
	const struct learned_model_op *op;

	while (model_exec_can(&s->machine, state, at->thread) == MODEL_EXEC_READY &&
	       !model_exec_is_shared(&s->machine,
				     model_exec_next_op(&s->machine, state, at->thread))) {
		op = model_exec_next_op(&s->machine, state, at->thread);
		if (model_exec_uses_freed(&s->machine, state, at->thread) ||
		    !model_exec_execute(&s->machine, state, at->thread))
			return;
		at->until = op->step + 1;
	}
}

static void open_node(struct model_search *s, uint32_t node)
{
	uint64_t *reached = map_put(&s->reached,
				    hash_mix(model_exec_hash(&s->machine, state_of(s, node)),
					     s->nodes.items[node].thread),
				    NULL);
	uint8_t cost = s->nodes.items[node].cost;

	if (*reached && *reached <= cost + 1u) {
		pop_node(s);
		return;
	}
	*reached = cost + 1u;
	*vec_push(&s->open[cost]) = node;
}

/* ---- goals ----------------------------------------------------------------------------------- */

static void offer_goal(struct model_search *s, const struct model_search_goal *goal)
{
	const struct model_search_goal *best = &s->best;

	if (map_get(&s->tried, goal->key))
		return;
	if (best->what == MODEL_GOAL_NONE || goal->what < best->what ||
	    (goal->what == best->what && goal->cost < best->cost))
		s->best = *goal;
}

static uint64_t failure_of(const struct model_search *s, uint32_t node)
{
	return model_exec_hash(&s->machine, state_of(s, node));
}

/* Offers a goal: the next operation of `thread` would have a result that no run showed. */
static void offer_news(struct model_search *s, uint32_t node, uint32_t thread, uint8_t cost,
		       bool timed_out)
{
	const model_exec_state *state = state_of(s, node);
	const struct learned_model_op *op = model_exec_next_op(&s->machine, state, thread);
	uint64_t result = model_exec_result(&s->machine, state, thread);
	enum learned_model_news news =
		learned_model_news(&s->model, op, result, model_exec_last(state, thread));

	offer_goal(s, &(struct model_search_goal){
			      .what = MODEL_GOAL_NEW_RESULT + (news - LEARNED_MODEL_NEW_RESULT),
			      .node = node,
			      .thread = thread,
			      .cost = cost,
			      .timed_out = timed_out,
			      .key = hash_mix(model_exec_view(state, thread),
					      learned_model_after(1, op, result)) });
}

/* ---- searching ------------------------------------------------------------------------------- */

static void try_move(struct model_search *s, uint32_t node, uint32_t thread, uint8_t cost,
		     bool timed_out)
{
	model_exec_state *state = state_of(s, node);
	const struct learned_model_op *op = model_exec_next_op(&s->machine, state, thread);
	uint32_t child;

	if (model_exec_uses_freed(&s->machine, state, thread)) {
		offer_goal(s, &(struct model_search_goal){ MODEL_GOAL_FAILURE, node, thread, cost,
							   timed_out,
							   hash_mix(failure_of(s, node), thread) });
		return;
	}
	child = push_node(s, node);
	if (!model_exec_execute(&s->machine, state_of(s, child), thread)) {
		pop_node(s);
		offer_news(s, node, thread, cost, timed_out);
		return;
	}
	s->nodes.items[child] = (struct model_search_node){ .parent = node,
							    .thread = thread,
							    .until = op->step + 1,
							    .cost = cost,
							    .timed_out = timed_out,
							    .choice = op->step };
	run_invisible_ops(s, child);
	open_node(s, child);
}

/*
 * Expands a node. It costs nothing to continue the last thread or, if it cannot run, the next
 * thread that can. Any other choice costs 1.
 */
static void expand_node(struct model_search *s, uint32_t node)
{
	const struct model_exec *m = &s->machine;
	uint32_t last = s->nodes.items[node].thread, usual = LEARNED_MODEL_NONE, left = 0;
	bool any_late = false, any_unknown = false;

	if (model_exec_ended(m, state_of(s, node)))
		return;
	for (uint32_t i = 0; i < m->threads; i++) {
		uint32_t t = (last + i) % m->threads;
		enum model_exec_can can = model_exec_can(m, state_of(s, node), t);
		left += can != MODEL_EXEC_OVER;
		any_late |= can == MODEL_EXEC_MAY_TIME_OUT;
		any_unknown |= can == MODEL_EXEC_UNKNOWN;
		if (can == MODEL_EXEC_READY && usual == LEARNED_MODEL_NONE)
			usual = t;
	}
	if (usual == LEARNED_MODEL_NONE && !any_late) {
		if (left && !any_unknown)
			offer_goal(s, &(struct model_search_goal){ MODEL_GOAL_FAILURE, node,
								   LEARNED_MODEL_NONE,
								   s->nodes.items[node].cost, false,
								   failure_of(s, node) });
		return;
	}
	for (uint32_t t = 0; t < m->threads; t++) {
		enum model_exec_can can = model_exec_can(m, state_of(s, node), t);
		uint8_t cost =
			s->nodes.items[node].cost + (t != usual && usual != LEARNED_MODEL_NONE);
		if ((can == MODEL_EXEC_READY || can == MODEL_EXEC_MAY_TIME_OUT) &&
		    cost <= MOST_COST)
			try_move(s, node, t, cost, can == MODEL_EXEC_MAY_TIME_OUT);
	}
}

static void reset_search(struct model_search *s)
{
	s->nodes.count = s->states.count = 0;
	for (int i = 0; i <= MOST_COST; i++)
		s->open[i].count = 0;
	map_free(&s->reached);
	s->reached = (struct map){ 0 };
	model_exec_free(&s->machine);
	s->best = (struct model_search_goal){ 0 };
}

static void search_states(struct model_search *s)
{
	reset_search(s);
	model_exec_make(&s->machine, &s->model);
	push_node(s, 0);
	run_invisible_ops(s, 0);
	open_node(s, 0);
	for (int cost = 0; cost <= MOST_COST; cost++)
		for (size_t i = 0; i < s->open[cost].count; i++) {
			if (s->best.what == MODEL_GOAL_FAILURE || s->nodes.count > MOST_NODES ||
			    s->states.count > MOST_BYTES)
				return;
			expand_node(s, s->open[cost].items[i]);
		}
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void plan_to(const struct model_search *s, uint32_t node, struct plan *plan)
{
	const struct model_search_node *at = &s->nodes.items[node];

	if (node)
		plan_to(s, at->parent, plan);
	if (at->timed_out)
		*vec_push(&plan->choices) =
			(struct control_choice){ at->thread, at->choice, CONTROL_TIMEOUT };
	*vec_push(&plan->slices) = (struct control_slice){ at->thread, at->until };
}

static void plan_goal(struct model_search *s, struct plan *plan)
{
	const struct model_search_goal *goal = &s->best;
	const struct learned_model_op *op;

	plan_to(s, goal->node, plan);
	if (goal->thread == LEARNED_MODEL_NONE)
		return;
	op = model_exec_next_op(&s->machine, state_of(s, goal->node), goal->thread);
	*vec_push(&plan->slices) = (struct control_slice){ goal->thread, op->step + 1 };
	if (goal->timed_out)
		*vec_push(&plan->choices) =
			(struct control_choice){ goal->thread, op->step, CONTROL_TIMEOUT };
}

/* ---- following a plan ------------------------------------------------------------------------ */

struct plan_playing {
	const struct model_exec *machine;
	model_exec_state *state;
};

/* Counts a thread as able to run if it may time out or if its next operation is not known. */
static bool may_run(const void *context, uint32_t thread)
{
	const struct plan_playing *f = context;

	return model_exec_can(f->machine, f->state, thread) >= MODEL_EXEC_MAY_TIME_OUT;
}

static uint32_t step_of(const void *context, uint32_t thread)
{
	return model_exec_step(((const struct plan_playing *)context)->state, thread);
}

/*
 * Plays the plan on the model. Returns false at the first unknown operation, time-out or failure.
 */
static bool play_plan(struct plan_playing *f, const struct plan *plan)
{
	const struct model_exec *m = f->machine;
	struct plan_player player = {
		.plan = plan, .threads = m->threads, .can = may_run, .step = step_of, .context = f
	};

	while (!model_exec_ended(m, f->state)) {
		uint32_t thread = plan_pick(&player);
		if (thread == PLAN_NO_THREAD ||
		    model_exec_can(m, f->state, thread) != MODEL_EXEC_READY ||
		    model_exec_uses_freed(m, f->state, thread) ||
		    !model_exec_execute(m, f->state, thread))
			return false;
	}
	return true;
}

bool model_search_knows(struct model_search *s, const struct plan *plan)
{
	struct model_exec machine;
	bool knows;

	if (!is_usable(s))
		return false;
	model_exec_make(&machine, &s->model);
	model_exec_state *state = mem_alloc(machine.bytes);
	model_exec_start(&machine, state);
	knows = play_plan(&(struct plan_playing){ &machine, state }, plan);
	free(state);
	model_exec_free(&machine);
	return knows;
}

/* ---- opening, learning, searching ------------------------------------------------------------ */

struct model_search *model_search_open(void)
{
	return mem_zalloc(1, sizeof(struct model_search));
}

void model_search_close(struct model_search *s)
{
	reset_search(s);
	for (int i = 0; i <= MOST_COST; i++)
		vec_free(&s->open[i]);
	vec_free(&s->nodes);
	vec_free(&s->states);
	map_free(&s->tried);
	learned_model_free(&s->model);
	free(s);
}

bool model_search_learn(struct model_search *s, const struct outcome *outcome)
{
	bool new = learned_model_learn(&s->model, outcome);

	if (new)
		s->searched = false;
	return new;
}

enum model_goal model_search_next(struct model_search *s, enum model_goal least, struct plan *plan)
{
	enum model_goal what;

	if (!is_usable(s))
		return MODEL_GOAL_NONE;
	if (!s->searched)
		search_states(s);
	s->searched = true;
	what = s->best.what;
	if (what == MODEL_GOAL_NONE || what > least)
		return MODEL_GOAL_NONE;
	plan_goal(s, plan);
	map_put(&s->tried, s->best.key, NULL);
	s->searched = false;
	return what;
}
