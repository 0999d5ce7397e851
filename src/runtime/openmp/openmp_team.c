/*
 * Parallel regions and barriers.
 *
 * Consecutive barriers of a team use two channels in turn. The third barrier can use the channel of
 * the first again: a thread reaches the third only after all have reached the second, and so have
 * left the first.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/sched/sched.h"

/*
 * In a controlled run, waits until all threads of the team are here. They come back from the
 * library in an order that we do not control; after this, the scheduler decides again.
 */
static void meet_team(struct openmp_team *team, uintptr_t pc)
{
	if (!sched_on() || team->size < 2)
		return;
	team->met++;
	sched_meet(&team->met, (uint64_t)++openmp_self.met * team->size, pc);
}

/* ---- regions --------------------------------------------------------------------------------- */

void openmp_region_begin(struct openmp_region *region, uintptr_t pc)
{
	region->pc = pc;
	region->outer = openmp_self;
	openmp_send((region->team.number = openmp_number()) + EVENT_OPENMP_FORK, pc);
	region->team.master = thread_buffer_self.stream;
	region->team.size = 0;
	region->team.met = 0;
	openmp_enter(true, pc);
}

void openmp_region_end(struct openmp_region *region)
{
	openmp_leave();
	openmp_self = region->outer;
	openmp_receive(region->team.number + EVENT_OPENMP_JOIN, region->pc);
}

static bool is_master(const struct openmp_region *region)
{
	return region->team.master == thread_buffer_self.stream;
}

struct openmp_part openmp_part_begin(struct openmp_region *region, unsigned size)
{
	struct openmp_part part = { .region = region, .callback = openmp_come_out() };

	part.outer = openmp_self;
	region->team.size = size; /* all threads store the same number */
	openmp_self = (struct openmp_self){ .team = &region->team, .task = openmp_number() };
	meet_team(&region->team, region->pc);
	if (!is_master(region))
		openmp_receive(region->team.number + EVENT_OPENMP_FORK, region->pc);
	return part;
}

/*
 * The thread now waits at the barrier that ends the region. The tasks that it executes there end
 * before the region does.
 */
void openmp_part_end(const struct openmp_part *part)
{
	const struct openmp_region *region = part->region;
	uint64_t join = region->team.number + EVENT_OPENMP_JOIN;

	if (!is_master(region))
		openmp_send(join, region->pc);
	openmp_self = part->outer;
	openmp_self.waits_at = join;
	openmp_go_back(part->callback, region->pc);
}

/* ---- barriers -------------------------------------------------------------------------------- */

struct openmp_barrier openmp_barrier_begin(uintptr_t pc)
{
	struct openmp_team *team = openmp_self.team;
	struct openmp_barrier barrier = { .pc = pc };

	if (team && team->size > 1) {
		barrier.channel =
			team->number + EVENT_OPENMP_BARRIER + (openmp_self.barriers++ & 1);
		openmp_send(barrier.channel, pc);
		openmp_self.waits_at = barrier.channel;
	}
	openmp_enter(true, pc);
	return barrier;
}

void openmp_barrier_end(const struct openmp_barrier *barrier, bool all)
{
	openmp_leave();
	if (!barrier->channel)
		return;
	openmp_self.waits_at = 0;
	if (all)
		meet_team(openmp_self.team, barrier->pc);
	openmp_receive(barrier->channel, barrier->pc);
}

void openmp_barrier_not_reached(const struct openmp_barrier *barrier)
{
	openmp_leave();
	if (!barrier->channel)
		return;
	openmp_self.waits_at = 0;
	openmp_self.barriers--;
}
