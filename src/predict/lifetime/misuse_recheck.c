/*
 * Waits behind which nobody looks again (doc/prediction.md, NO_RECHECK): the thread has the mutex again,
 * and gives it back, or waits once more, without having read anything that it read under the mutex
 * before it began to wait. A wake-up without a signal, which POSIX allows, finds it unprepared.
 *
 * That is a lead and no finding: what was read may not have been the condition, or need not hold. A
 * run in which the wait does wake without a signal shows it (explore/confirm/plan_finding.c): the recorded
 * order up to the wait, and then its thread goes on.
 *
 * Only what another thread can notice is a node, so of reads only those of shared memory are seen, as
 * the law has it. Each wait costs what its two sections are long.
 */
#include "predict/driver/analysis.h"

#define SECTION_MOST 4096 /* nodes of a section that are looked at; longer ones are not judged */

struct misuse_recheck_range {
	uint64_t low, high;
};

struct recheck {
	const struct window *window;
	const struct order_model *model;
	VEC(struct misuse_recheck_range) reads; /* before the wait */
};

static bool reads(const struct window_node *node)
{
	return (node->kind == EV_READ || node->kind == EV_ATOMIC_READ ||
		node->kind == EV_ATOMIC_UPDATE) &&
	       !(node->flags & EF_LOOK);
}

/* Does the section of the mutex begin here? */
static bool takes(const struct window_node *node, uint64_t mutex)
{
	return (node->kind == EV_ACQUIRE && node->address == mutex) ||
	       (node->kind == EV_WOKEN && node->other == mutex);
}

static bool gives_up(const struct window_node *node, uint64_t mutex)
{
	return (node->kind == EV_RELEASE && node->address == mutex) ||
	       (node->kind == EV_WAIT && node->other == mutex);
}

/* What the thread read under the mutex before it waits; false: that is not all in the window. */
static bool list_reads(struct recheck *r, uint32_t wait)
{
	uint64_t mutex = r->window->nodes.items[wait].other;
	uint32_t n = wait;

	r->reads.count = 0;
	for (unsigned i = 0; i < SECTION_MOST; i++) {
		const struct window_node *node;

		n = order_model_previous(r->model, n);
		if (n == ORDER_NONE)
			return false;
		node = &r->window->nodes.items[n];
		if (takes(node, mutex))
			return true;
		if (reads(node))
			*vec_push(&r->reads) =
				(struct misuse_recheck_range){ node->address,
							       node->address + node->size };
	}
	return false;
}

static bool was_read(const struct recheck *r, const struct window_node *node)
{
	for (size_t i = 0; i < r->reads.count; i++) {
		if (node->address < r->reads.items[i].high &&
		    r->reads.items[i].low < node->address + node->size)
			return true;
	}
	return false;
}

/* True: the section ends in the window, and nothing of that was read in it. */
static bool is_blind(const struct recheck *r, uint32_t woken)
{
	uint64_t mutex = r->window->nodes.items[woken].other;
	uint32_t n = woken;

	for (unsigned i = 0; i < SECTION_MOST; i++) {
		const struct window_node *node;

		n = order_model_next(r->model, n);
		if (n == ORDER_NONE)
			return false;
		node = &r->window->nodes.items[n];
		if (gives_up(node, mutex))
			return true;
		if (reads(node) && was_read(r, node))
			return false;
	}
	return false;
}

/* The recorded order, up to and with the wait. */
static void add_lead(struct analysis *analysis, uint32_t wait, uint32_t woken)
{
	struct analysis_claim *claim = vec_push(&analysis->claims);
	uint64_t sites[2] = { analysis->window->nodes.items[woken].site,
			      1ull << 62 | EVENT_MISUSE_NO_RECHECK };

	*claim = (struct analysis_claim){ .kind = FINDING_MISUSE,
					  .claim = CHECKER_MISUSE,
					  .status = FINDING_WARNING,
					  .misuse = EVENT_MISUSE_NO_RECHECK,
					  .key = analysis_key(FINDING_MISUSE, sites, 2) };
	*vec_push(&claim->events) = woken;
	for (uint32_t n = 0; n <= wait; n++)
		*vec_push(&claim->steps) = n;
}

void predict_no_recheck(struct analysis *analysis)
{
	const struct window *window = analysis->window;
	struct recheck r = { .window = window, .model = &window->model };

	for (uint32_t n = window->fresh; n < window->model.node_count; n++) {
		const struct window_node *node = &window->nodes.items[n];
		uint32_t wait = order_model_previous(&window->model, n);

		/* Who only waits for time to pass has nothing to look at. */
		if (node->kind != EV_WOKEN || node->moment || node->mode || wait == ORDER_NONE ||
		    window->nodes.items[wait].kind != EV_WAIT ||
		    window->nodes.items[wait].mode == EVENT_TIMED)
			continue;
		if (list_reads(&r, wait) && is_blind(&r, n))
			add_lead(analysis, wait, n);
	}
	vec_free(&r.reads);
}
