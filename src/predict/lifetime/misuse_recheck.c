/*
 * Waits after which the condition is not checked again (doc/prediction.md, NO_RECHECK): the thread
 * has the mutex again, and releases it or waits once more, without having read anything that it
 * read under the mutex before it began to wait. POSIX allows a spurious wake-up, which such a
 * thread does not handle.
 *
 * This is a lead, not a finding: what the thread read may not have been the condition, or the
 * thread may not need the condition to hold. It is proved by a run in which the wait wakes up
 * without a signal (explore/confirm/plan_finding.c): that run follows the recorded order up to the
 * wait; then the waiting thread continues.
 *
 * Only events that another thread can notice are nodes, so only reads of shared memory are seen, as
 * doc/prediction.md demands. Each wait costs as much as its two sections are long.
 */
#include "predict/driver/analysis.h"

#define SECTION_MOST 4096 /* nodes of a section that are examined; longer sections are not judged */

struct read_range {
	uint64_t low, high;
};

struct recheck {
	const struct window *window;
	const struct order_model *model;
	VEC(struct read_range) reads; /* read under the mutex before the wait */
};

static bool is_read(const struct window_node *node)
{
	return (node->kind == EV_READ || node->kind == EV_ATOMIC_READ ||
		node->kind == EV_ATOMIC_UPDATE) &&
	       !(node->flags & EF_LOOK);
}

/* Does a section of the mutex begin here? */
static bool takes_mutex(const struct window_node *node, uint64_t mutex)
{
	return (node->kind == EV_ACQUIRE && node->address == mutex) ||
	       (node->kind == EV_WOKEN && node->other == mutex);
}

static bool releases_mutex(const struct window_node *node, uint64_t mutex)
{
	return (node->kind == EV_RELEASE && node->address == mutex) ||
	       (node->kind == EV_WAIT && node->other == mutex);
}

/*
 * Lists what the thread read under the mutex before the wait. Returns false if the window does not
 * contain the whole section.
 */
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
		if (takes_mutex(node, mutex))
			return true;
		if (is_read(node))
			*vec_push(&r->reads) =
				(struct read_range){ node->address, node->address + node->size };
	}
	return false;
}

static bool was_read_before(const struct recheck *r, const struct window_node *node)
{
	for (size_t i = 0; i < r->reads.count; i++) {
		if (node->address < r->reads.items[i].high &&
		    r->reads.items[i].low < node->address + node->size)
			return true;
	}
	return false;
}

/* Returns true if the section ends in the window and reads none of the listed memory. */
static bool lacks_recheck(const struct recheck *r, uint32_t woken)
{
	uint64_t mutex = r->window->nodes.items[woken].other;
	uint32_t n = woken;

	for (unsigned i = 0; i < SECTION_MOST; i++) {
		const struct window_node *node;

		n = order_model_next(r->model, n);
		if (n == ORDER_NONE)
			return false;
		node = &r->window->nodes.items[n];
		if (releases_mutex(node, mutex))
			return true;
		if (is_read(node) && was_read_before(r, node))
			return false;
	}
	return false;
}

/* The steps are the recorded order up to and including the wait. */
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

		/*
		 * Timed waits are left out: a thread that only waits for time to pass has no
		 * condition.
		 */
		if (node->kind != EV_WOKEN || node->moment || node->mode || wait == ORDER_NONE ||
		    window->nodes.items[wait].kind != EV_WAIT ||
		    window->nodes.items[wait].mode == EVENT_TIMED)
			continue;
		if (list_reads(&r, wait) && lacks_recheck(&r, n))
			add_lead(analysis, wait, n);
	}
	vec_free(&r.reads);
}
