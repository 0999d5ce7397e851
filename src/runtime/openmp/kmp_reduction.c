/*
 * Reductions by tasks, of libomp. Each thread has copies of the variables of a taskgroup. When the
 * group ends, the thread that began it combines them: the library calls functions of the program,
 * `combine` and then `finish`, for each copy. These calls are made inside the library. So it gets
 * functions of ours in their place, which find the program's by the address of the variable.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/host/interposer.h"
#include "runtime/openmp/openmp_library.h"

/* What the program says of a variable. */
struct kmp_reduction {
	void *variable, *original;
	size_t size;
	void (*initialise)(void *copy, void *original);
	void (*finish)(void *copy);
	openmp_copy *combine;
	unsigned flags;
};

/* The variables of the thread's last reductions. */
#define VARIABLES_MOST 32u
static SOOTH_TLS struct kmp_reduction variables[VARIABLES_MOST];
static SOOTH_TLS unsigned next_variable;
static SOOTH_TLS const struct kmp_reduction *combined; /* the one that was combined last */

/* The latest entry counts: a variable can be in several reductions, one after the other. */
static const struct kmp_reduction *find_variable(const void *variable)
{
	for (unsigned i = 1; i <= VARIABLES_MOST; i++) {
		const struct kmp_reduction *one = &variables[(next_variable - i) % VARIABLES_MOST];
		if (one->variable == variable)
			return one;
	}
	return NULL;
}

static void run_combine(void *to, void *from)
{
	struct openmp_callback callback = openmp_come_out();

	combined = find_variable(to);
	if (openmp_self.group) /* all tasks of the group have ended */
		openmp_receive(openmp_self.group, RECORD_CALLER);
	if (combined)
		combined->combine(to, from);
	openmp_go_back(callback, RECORD_CALLER);
}

static void run_finish(void *copy)
{
	struct openmp_callback callback = openmp_come_out();

	if (combined && combined->finish)
		combined->finish(copy);
	openmp_go_back(callback, RECORD_CALLER);
}

DEFINE(void *, __kmpc_taskred_init, int thread, int count, void *data)
{
	struct kmp_reduction ours[VARIABLES_MOST];
	const struct kmp_reduction *given = data;

	if (!record_on() || count < 0 || (unsigned)count > VARIABLES_MOST)
		return openmp_library()->__kmpc_taskred_init(thread, count, data);
	for (int i = 0; i < count; i++) {
		variables[next_variable++ % VARIABLES_MOST] = ours[i] = given[i];
		ours[i].combine = run_combine;
		ours[i].finish = given[i].finish ? run_finish : NULL;
	}
	return openmp_library()->__kmpc_taskred_init(thread, count, ours);
}

/*
 * A reduction by tasks of a whole loop or region is combined by any of its threads, at a barrier
 * inside the library.
 */
DEFINE(void *, __kmpc_taskred_modifier_init, void *position, int thread, int loop, int count,
       void *data)
{
	if (record_on())
		openmp_unmodelled("reduction(task, ...)", RECORD_CALLER);
	return openmp_library()->__kmpc_taskred_modifier_init(position, thread, loop, count, data);
}

DEFINE(void, __kmpc_task_reduction_modifier_fini, void *position, int thread, int loop)
{
	openmp_library()->__kmpc_task_reduction_modifier_fini(position, thread, loop);
	if (record_on())
		openmp_unmodelled("reduction(task, ...)", RECORD_CALLER);
}
