/*
 * Tasks. A task comes after its creation. Its end comes before the next wait for it: a taskwait of
 * its parent, the end of a taskgroup, the barrier at which it was executed, and the start of tasks
 * that depend on it.
 */
#include "runtime/openmp/openmp.h"

/* ---- dependences ----------------------------------------------------------------------------- */

/*
 * The channels of an address: tasks that write it send on the first when they end, the others on
 * the second.
 */
static uint64_t writers_of(uint64_t address)
{
	return EVENT_OPENMP_DEPEND + 2 * address;
}

static uint64_t readers_of(uint64_t address)
{
	return writers_of(address) + 1;
}

#define ALL_ADDRESSES 0 /* the address of tasks with too many dependences */

void openmp_task_depend(struct openmp_task *task, const void *address, bool out)
{
	if (task->depends < OPENMP_DEPENDS)
		task->depend[task->depends++] = (struct openmp_depend){ (uintptr_t)address, out };
	else
		task->depends = OPENMP_DEPENDS + 1;
}

static void receive_from(const struct openmp_depend *depend, uintptr_t pc)
{
	openmp_receive(writers_of(depend->address), pc);
	if (depend->out)
		openmp_receive(readers_of(depend->address), pc);
}

/*
 * A task with too many dependences to keep is ordered by its recorded position: every task with
 * dependences tells it when it ends, and it does what it would do for all addresses.
 */
void openmp_depend_ended(const struct openmp_task *task)
{
	if (task->depends > OPENMP_DEPENDS)
		receive_from(&(struct openmp_depend){ ALL_ADDRESSES, true }, task->pc);
	else if (task->depends)
		openmp_receive(readers_of(ALL_ADDRESSES), task->pc);
	for (uint32_t i = 0; i < task->depends && i < OPENMP_DEPENDS; i++)
		receive_from(&task->depend[i], task->pc);
}

static void send_depends(const struct openmp_task *task)
{
	if (task->depends)
		openmp_send(writers_of(ALL_ADDRESSES), task->pc);
	if (task->depends > OPENMP_DEPENDS)
		openmp_send(readers_of(ALL_ADDRESSES), task->pc);
	for (uint32_t i = 0; i < task->depends && i < OPENMP_DEPENDS; i++) {
		const struct openmp_depend *depend = &task->depend[i];
		openmp_send(depend->out ? writers_of(depend->address) : readers_of(depend->address),
			    task->pc);
	}
}

/* ---- creation and execution ------------------------------------------------------------------ */

static uint64_t own_number(void)
{
	if (!openmp_self.task)
		openmp_self.task = openmp_number();
	return openmp_self.task;
}

void openmp_task_create(struct openmp_task *task, uintptr_t pc)
{
	task->number = openmp_number();
	task->parent = own_number() + EVENT_OPENMP_CHILDREN;
	task->group = openmp_self.group;
	task->pc = pc;
	task->depends = 0;
	openmp_send(task->number + EVENT_OPENMP_START, pc);
}

struct openmp_run openmp_task_begin(const struct openmp_task *task)
{
	struct openmp_run run = { .task = task, .callback = openmp_come_out() };

	run.outer = openmp_self.task;
	run.outer_group = openmp_self.group;
	openmp_self.task = task->number;
	openmp_self.group = task->group;
	openmp_receive(task->number + EVENT_OPENMP_START, task->pc);
	openmp_depend_ended(task);
	return run;
}

void openmp_task_end(const struct openmp_run *run)
{
	const struct openmp_task *task = run->task;

	send_depends(task);
	openmp_send(task->parent, task->pc);
	if (task->group)
		openmp_send(task->group, task->pc);
	if (openmp_self.waits_at)
		openmp_send(openmp_self.waits_at, task->pc);
	openmp_self.task = run->outer;
	openmp_self.group = run->outer_group;
	openmp_go_back(run->callback, task->pc);
}

/* ---- waiting --------------------------------------------------------------------------------- */

void openmp_children_ended(uintptr_t pc)
{
	openmp_receive(own_number() + EVENT_OPENMP_CHILDREN, pc);
}

/* The outer groups of the thread's groups. Tasks that a thread executes nest like calls. */
#define GROUPS_MOST 64u
static SOOTH_TLS uint64_t outer_groups[GROUPS_MOST];
static SOOTH_TLS unsigned groups_open;

/* A group that is nested too deeply becomes part of its outer group. */
void openmp_group_begin(void)
{
	if (groups_open < GROUPS_MOST) {
		outer_groups[groups_open] = openmp_self.group;
		openmp_self.group = openmp_number() + EVENT_OPENMP_GROUP;
	}
	groups_open++;
}

void openmp_group_end(uintptr_t pc)
{
	if (openmp_self.group)
		openmp_receive(openmp_self.group, pc);
	if (groups_open && --groups_open < GROUPS_MOST)
		openmp_self.group = outer_groups[groups_open];
}
