/*
 * Uniform-cost search over the states of the learned model: states with few preemptions are
 * expanded first, and a state is expanded again only if it is reached at a lower cost. The best
 * goal (a failure, or a thread that sees something new) becomes a plan.
 */
#include "explore/search/model_search.h"

#include "base/hash.h"
#include "base/mem.h"
#include "explore/search/model_exec.h"
#include "explore/control/plan_play.h"

#include <string.h>

#define MOST_NODES 30000
#define MOST_BYTES (32u << 20) /* of states */
#define MOST_COST 4	       /* preemptions, and other deviations from the usual choice */

/* A state that was reached by one operation of a thread and the invisible operations after it. */
struct model_search_node {
	uint32_t parent;
	uint32_t thread, until; /* the thread that moved, and up to which step */
	uint8_t cost;
	bool late; /* by a time-out, at step `choice` */
	uint32_t choice;
};

struct goal {
	enum imagined what;
	uint32_t node, thread;
	uint8_t cost;
	bool late;
	uint64_t key;
};

struct model_search {
	struct learned_model known;
	struct model_exec machine;
	VEC(struct model_search_node) nodes;
	VEC(uint8_t) states; /* of the nodes, one after the other */
	VEC(uint32_t) open[MOST_COST + 1];
	struct map reached; /* from the hash of a state to 1 + the least cost */
	struct map tried;   /* keys of goals */
	struct goal best;   /* found by the last search, if nothing was learnt since */
	bool looked;
};

const char *imagined_name(enum imagined imagined)
{
	static const char *const names[] = { "nothing", "failure", "new result", "new sequence",
					     "new history" };

	return names[imagined];
}

/* Does the model have runs, of not too many threads? (Runs that are too long are not learnt.) */
static bool is_able(const struct model_search *im)
{
	return im->known.threads && im->known.threads <= MODEL_EXEC_THREADS;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static model_exec_state *state_of(const struct model_search *im, uint32_t node)
{
	return (model_exec_state *)(im->states.items + node * im->machine.bytes);
}

/* Appends a node after `parent` with a copy of its state; it is not open yet. */
static uint32_t push_node(struct model_search *im, uint32_t parent)
{
	uint32_t node = (uint32_t)im->nodes.count;

	*vec_push(&im->nodes) = (struct model_search_node){ .parent = parent };
	(void)vec_reserve(&im->states, im->machine.bytes);
	im->states.count += im->machine.bytes;
	if (node == 0)
		model_exec_start(&im->machine, state_of(im, 0));
	else
		memcpy(state_of(im, node), state_of(im, parent), im->machine.bytes);
	return node;
}

static void pop_node(struct model_search *im)
{
	im->nodes.count--;
	im->states.count -= im->machine.bytes;
}

/* Executes the operations of the node's thread that other threads cannot see. */
static void go_alone(struct model_search *im, uint32_t node)
{
	model_exec_state *state = state_of(im, node);
	struct model_search_node *at = &im->nodes.items[node];
	const struct learned_model_op *op;

	while (model_exec_can(&im->machine, state, at->thread) == MODEL_EXEC_GOES &&
	       !model_exec_is_shared(&im->machine,
				     model_exec_at(&im->machine, state, at->thread))) {
		op = model_exec_at(&im->machine, state, at->thread);
		if (model_exec_uses_freed(&im->machine, state, at->thread) ||
		    !model_exec_do(&im->machine, state, at->thread))
			return;
		at->until = op->step + 1;
	}
}

static void open_node(struct model_search *im, uint32_t node)
{
	uint64_t *reached = map_put(&im->reached,
				    hash_mix(model_exec_hash(&im->machine, state_of(im, node)),
					     im->nodes.items[node].thread),
				    NULL);
	uint8_t cost = im->nodes.items[node].cost;

	if (*reached && *reached <= cost + 1u) {
		pop_node(im);
		return;
	}
	*reached = cost + 1u;
	*vec_push(&im->open[cost]) = node;
}

/* ---- goals ----------------------------------------------------------------------------------- */

static void take_goal(struct model_search *im, const struct goal *goal)
{
	const struct goal *best = &im->best;

	if (map_get(&im->tried, goal->key))
		return;
	if (best->what == IMAGINED_NOTHING || goal->what < best->what ||
	    (goal->what == best->what && goal->cost < best->cost))
		im->best = *goal;
}

static uint64_t failure_of(const struct model_search *im, uint32_t node)
{
	return model_exec_hash(&im->machine, state_of(im, node));
}

/* Offers a goal: a thread that would see something new at this node. */
static void take_news(struct model_search *im, uint32_t node, uint32_t thread, uint8_t cost,
		      bool late)
{
	const model_exec_state *state = state_of(im, node);
	const struct learned_model_op *op = model_exec_at(&im->machine, state, thread);
	uint64_t result = model_exec_result(&im->machine, state, thread);
	enum learned_model_news news =
		learned_model_news(&im->known, op, result, model_exec_last(state, thread));

	take_goal(im, &(struct goal){ .what = IMAGINED_RESULT + (news - LEARNED_MODEL_NEW_RESULT),
				      .node = node,
				      .thread = thread,
				      .cost = cost,
				      .late = late,
				      .key = hash_mix(model_exec_view(state, thread),
						      learned_model_behind(1, op, result)) });
}

/* ---- searching ------------------------------------------------------------------------------- */

static void move(struct model_search *im, uint32_t node, uint32_t thread, uint8_t cost, bool late)
{
	model_exec_state *state = state_of(im, node);
	const struct learned_model_op *op = model_exec_at(&im->machine, state, thread);
	uint32_t child;

	if (model_exec_uses_freed(&im->machine, state, thread)) {
		take_goal(im, &(struct goal){ IMAGINED_FAILURE, node, thread, cost, late,
					      hash_mix(failure_of(im, node), thread) });
		return;
	}
	child = push_node(im, node);
	if (!model_exec_do(&im->machine, state_of(im, child), thread)) {
		pop_node(im);
		take_news(im, node, thread, cost, late);
		return;
	}
	im->nodes.items[child] = (struct model_search_node){ .parent = node,
							     .thread = thread,
							     .until = op->step + 1,
							     .cost = cost,
							     .late = late,
							     .choice = op->step };
	go_alone(im, child);
	open_node(im, child);
}

/*
 * Expands a node. Continuing with the last thread, or with the next one that can run if it cannot,
 * costs nothing; any other choice costs 1.
 */
static void expand(struct model_search *im, uint32_t node)
{
	const struct model_exec *m = &im->machine;
	uint32_t last = im->nodes.items[node].thread, usual = LEARNED_MODEL_NONE, left = 0;
	bool any_late = false, any_unknown = false;

	if (model_exec_ended(m, state_of(im, node)))
		return;
	for (uint32_t i = 0; i < m->threads; i++) {
		uint32_t t = (last + i) % m->threads;
		enum model_exec_can can = model_exec_can(m, state_of(im, node), t);
		left += can != MODEL_EXEC_OVER;
		any_late |= can == MODEL_EXEC_LATE;
		any_unknown |= can == MODEL_EXEC_UNKNOWN;
		if (can == MODEL_EXEC_GOES && usual == LEARNED_MODEL_NONE)
			usual = t;
	}
	if (usual == LEARNED_MODEL_NONE && !any_late) {
		if (left && !any_unknown)
			take_goal(im, &(struct goal){ IMAGINED_FAILURE, node, LEARNED_MODEL_NONE,
						      im->nodes.items[node].cost, false,
						      failure_of(im, node) });
		return;
	}
	for (uint32_t t = 0; t < m->threads; t++) {
		enum model_exec_can can = model_exec_can(m, state_of(im, node), t);
		uint8_t cost =
			im->nodes.items[node].cost + (t != usual && usual != LEARNED_MODEL_NONE);
		if ((can == MODEL_EXEC_GOES || can == MODEL_EXEC_LATE) && cost <= MOST_COST)
			move(im, node, t, cost, can == MODEL_EXEC_LATE);
	}
}

static void forget(struct model_search *im)
{
	im->nodes.count = im->states.count = 0;
	for (int i = 0; i <= MOST_COST; i++)
		im->open[i].count = 0;
	map_free(&im->reached);
	im->reached = (struct map){ 0 };
	model_exec_free(&im->machine);
	im->best = (struct goal){ 0 };
}

static void look(struct model_search *im)
{
	forget(im);
	model_exec_make(&im->machine, &im->known);
	push_node(im, 0);
	go_alone(im, 0);
	open_node(im, 0);
	for (int cost = 0; cost <= MOST_COST; cost++)
		for (size_t i = 0; i < im->open[cost].count; i++) {
			if (im->best.what == IMAGINED_FAILURE || im->nodes.count > MOST_NODES ||
			    im->states.count > MOST_BYTES)
				return;
			expand(im, im->open[cost].items[i]);
		}
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void plan_to(const struct model_search *im, uint32_t node, struct plan *plan)
{
	const struct model_search_node *at = &im->nodes.items[node];

	if (node)
		plan_to(im, at->parent, plan);
	if (at->late)
		*vec_push(&plan->choices) =
			(struct control_choice){ at->thread, at->choice, CONTROL_TIMEOUT };
	*vec_push(&plan->slices) = (struct control_slice){ at->thread, at->until };
}

static void plan_goal(struct model_search *im, struct plan *plan)
{
	const struct goal *goal = &im->best;
	const struct learned_model_op *op;

	plan_to(im, goal->node, plan);
	if (goal->thread == LEARNED_MODEL_NONE)
		return;
	op = model_exec_at(&im->machine, state_of(im, goal->node), goal->thread);
	*vec_push(&plan->slices) = (struct control_slice){ goal->thread, op->step + 1 };
	if (goal->late)
		*vec_push(&plan->choices) =
			(struct control_choice){ goal->thread, op->step, CONTROL_TIMEOUT };
}

/* ---- following a plan ------------------------------------------------------------------------ */

struct following {
	const struct model_exec *machine;
	model_exec_state *state;
};

/* A thread that may time out, or whose next operation is not known, counts as one that can run. */
static bool goes_on(const void *context, uint32_t thread)
{
	const struct following *f = context;

	return model_exec_can(f->machine, f->state, thread) >= MODEL_EXEC_LATE;
}

static uint32_t step_of(const void *context, uint32_t thread)
{
	return model_exec_step(((const struct following *)context)->state, thread);
}

/* Plays the plan. Returns false as soon as a thread comes to something unknown, or to a failure. */
static bool follow(struct following *f, const struct plan *plan)
{
	const struct model_exec *m = f->machine;
	struct plan_player player = {
		.plan = plan, .threads = m->threads, .can = goes_on, .step = step_of, .context = f
	};

	while (!model_exec_ended(m, f->state)) {
		uint32_t thread = plan_pick(&player);
		if (thread == PLAN_NOBODY ||
		    model_exec_can(m, f->state, thread) != MODEL_EXEC_GOES ||
		    model_exec_uses_freed(m, f->state, thread) ||
		    !model_exec_do(m, f->state, thread))
			return false;
	}
	return true;
}

bool model_search_knows(struct model_search *im, const struct plan *plan)
{
	struct model_exec machine;
	bool knows;

	if (!is_able(im))
		return false;
	model_exec_make(&machine, &im->known);
	model_exec_state *state = mem_alloc(machine.bytes);
	model_exec_start(&machine, state);
	knows = follow(&(struct following){ &machine, state }, plan);
	free(state);
	model_exec_free(&machine);
	return knows;
}

/* ---- opening, learning, searching ------------------------------------------------------------ */

struct model_search *model_search_open(void)
{
	return mem_zalloc(1, sizeof(struct model_search));
}

void model_search_close(struct model_search *im)
{
	forget(im);
	for (int i = 0; i <= MOST_COST; i++)
		vec_free(&im->open[i]);
	vec_free(&im->nodes);
	vec_free(&im->states);
	map_free(&im->tried);
	learned_model_free(&im->known);
	free(im);
}

bool model_search_learn(struct model_search *im, const struct outcome *outcome)
{
	bool new = learned_model_learn(&im->known, outcome);

	if (new)
		im->looked = false;
	return new;
}

enum imagined model_search_next(struct model_search *im, enum imagined least, struct plan *plan)
{
	enum imagined what;

	if (!is_able(im))
		return IMAGINED_NOTHING;
	if (!im->looked)
		look(im);
	im->looked = true;
	what = im->best.what;
	if (what == IMAGINED_NOTHING || what > least)
		return IMAGINED_NOTHING;
	plan_goal(im, plan);
	map_put(&im->tried, im->best.key, NULL);
	im->looked = false;
	return what;
}
