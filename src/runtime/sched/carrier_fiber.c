/*
 * Fibers as carriers: all threads are fibers of one kernel thread. A switch is a function call of
 * some 20 ns instead of two system calls. To create a thread, only its thread-local variables are
 * copied.
 *
 * The program may call something that fibers cannot do. Those calls are recognised (fiber_refuse()
 * and its callers) and end the run with CONTROL_UNFIT; the tool then uses kernel threads.
 */
#include "runtime/sched/carrier.h"

#include "event/control.h"
#include "runtime/server/per_run.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/server.h"
#include "runtime/server/snapshot.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"
#include "runtime/host/save_vectors.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#define DEFAULT_STACK (8u << 20)

struct fiber {
	void *stack_pointer; /* valid while the fiber does not run */
	uint64_t thread_pointer;
	void *(*routine)(void *);
	void *argument;
	void *first_frame;
	void *result;
	void *stack;
	size_t stack_bytes;
	bool detached;
};
static struct fiber fibers[CONTROL_THREADS]; /* by thread number */

PER_RUN static uint32_t last; /* the highest number created; 0 is main */

bool fiber_any_created(void)
{
	return last > 0;
}

/* ---- switching ------------------------------------------------------------------------------- */

struct switch_fibers {
	struct fiber *from, *to;
};

static void switch_fibers(void *data)
{
	const struct switch_fibers *switch_fibers = data;

	fiber_switch(&switch_fibers->from->stack_pointer, switch_fibers->to->stack_pointer,
		     switch_fibers->to->thread_pointer);
}

static void pass(uint32_t from, uint32_t to)
{
	struct switch_fibers data = { &fibers[from], &fibers[to] };

	if (carrier_vectors_live) {
		save_vectors_call(switch_fibers, &data);
		carrier_vectors_live = true;
	} else {
		switch_fibers(&data);
		carrier_vectors_live = false;
	}
}

static void await_turn(uint32_t self)
{
	(void)self; /* a fiber starts to run when it gets its first turn */
}

/* ---- creating and joining -------------------------------------------------------------------- */

static void *exit_process(void *unused)
{
	(void)unused;
	exit(0);
}

/*
 * The first function of a fiber. fiber_destroy_variables() ends the thread, and returns only if no
 * thread is left. Then the process ends.
 */
static void run_fiber(void *argument)
{
	struct fiber *self = argument;

	carrier_vectors_live = false;
	fiber_run_routine(self->routine, self->argument, self->first_frame, &self->result);
	fiber_destroy_variables(self->first_frame);
	fiber_call(exit_process, NULL, self->first_frame);
}

/*
 * Stacks are kept, so that the next persistent run uses them without a system call. This table is
 * not restored between runs.
 */
static struct stack {
	void *low;
	size_t bytes, guard;
} * stacks;

/* Finds the stack that the attributes name, or else the one at this thread's fixed address. */
static bool find_stack(uint32_t number, const pthread_attr_t *attributes, void **low, size_t *bytes)
{
	struct stack *stack = &stacks[number];
	size_t guard = 4096;

	*low = NULL;
	*bytes = DEFAULT_STACK;
	/* If the attributes name no stack, pthread_attr_getstack() gives the address 0 - size. */
	if (attributes && pthread_attr_getstack(attributes, low, bytes) == 0) {
		if (*low && (uintptr_t)*low + *bytes != 0)
			return true;
		pthread_attr_getstacksize(attributes, bytes);
		pthread_attr_getguardsize(attributes, &guard);
	}
	if (stack->bytes != *bytes || stack->guard != guard)
		*stack = (struct stack){ det_heap_stack(number, *bytes, guard), *bytes, guard };
	*low = stack->low;
	return *low != NULL;
}

static bool is_detached(const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (attributes)
		pthread_attr_getdetachstate(attributes, &state);
	return state == PTHREAD_CREATE_DETACHED;
}

static int create(uint32_t number, pthread_t *thread, const pthread_attr_t *attributes,
		  void *(*routine)(void *), void *argument)
{
	struct fiber *fiber = &fibers[number];
	struct fiber_layout layout;
	void *low;
	size_t bytes;

	assert(number < CONTROL_THREADS);
	if (last < number)
		last = number;
	if (!find_stack(number, attributes, &low, &bytes))
		return EAGAIN;
	if (!fiber_make_tls(number, low, bytes, &layout))
		return EINVAL;
	*fiber = (struct fiber){
		.thread_pointer = layout.thread_pointer,
		.routine = routine,
		.argument = argument,
		.first_frame = layout.first_frame,
		.stack = low,
		.stack_bytes = bytes,
		.detached = is_detached(attributes),
	};
	fiber->stack_pointer = fiber_prepare_stack(layout.start, run_fiber, fiber);
	*thread = (pthread_t)layout.thread_pointer;
	return 0;
}

static int join(uint32_t number, pthread_t thread, void **result)
{
	(void)thread;
	if (number == sched_self())
		return EDEADLK;
	if (result)
		*result = fibers[number].result;
	return 0;
}

/* ---- replacements for the C library's functions on threads ----------------------------------- */

/* Returns the thread's number, or CONTROL_NONE if it is not a fiber. */
static uint32_t fiber_number(pthread_t thread)
{
	uint32_t self = sched_self();

	if (self != CONTROL_NONE && fibers[self].thread_pointer == (uint64_t)thread)
		return self;
	for (uint32_t i = 0; i <= last; i++) {
		if (fibers[i].thread_pointer == (uint64_t)thread)
			return i;
	}
	return CONTROL_NONE;
}

/* Like the C library, reads the memory at an invalid handle, which may crash. */
static int reject_handle(pthread_t thread)
{
	(void)*(const volatile char *)thread;
	return ESRCH;
}

/* The three join functions are called only after the scheduler has seen the end of the thread. */
static int join_real(pthread_t thread, void **result)
{
	uint32_t number = fiber_number(thread);

	return number == CONTROL_NONE ? reject_handle(thread) : join(number, thread, result);
}

static int join_timed(pthread_t thread, void **result, const struct timespec *until)
{
	(void)until;
	return join_real(thread, result);
}

static int join_clocked(pthread_t thread, void **result, clockid_t clock,
			const struct timespec *until)
{
	(void)clock;
	(void)until;
	return join_real(thread, result);
}

static int detach(pthread_t thread)
{
	uint32_t number = fiber_number(thread);

	if (number == CONTROL_NONE)
		return reject_handle(thread);
	if (fibers[number].detached)
		return EINVAL;
	fibers[number].detached = true;
	return 0;
}

/* ---- the runtime's own allocations ----------------------------------------------------------- */

/*
 * The C library's malloc would map an arena for each new thread, and nothing would unmap it after a
 * persistent run.
 */
static __typeof__(real_table.malloc) library_malloc;
static __typeof__(real_table.free) library_free;

static void *own_malloc(size_t size)
{
	void *block = det_heap_alloc(size, 16, true);

	return block ? block : library_malloc(size);
}

static void own_free(void *block)
{
	if (!det_heap_contains((uintptr_t)block))
		library_free(block);
	else if (det_heap_state(block) == DET_HEAP_LIVE)
		det_heap_free(block);
}

/* The alternate stack for the crash handler, which cannot run on a stack that has overflowed. */
#define HANDLER_STACK (64u << 10)
static void make_handler_stack(void)
{
	stack_t stack = { .ss_sp = snapshot_lasting(HANDLER_STACK), .ss_size = HANDLER_STACK };

	if (stack.ss_sp)
		sigaltstack(&stack, NULL);
}

static void start(void)
{
	const char *why;

	stacks = snapshot_lasting(CONTROL_THREADS * sizeof(*stacks));
	if (!stacks)
		server_refuse_all("no memory for fibers");
	if (!fiber_learn(&why))
		server_refuse_all(why);
	make_handler_stack();
	fibers[0].thread_pointer = (uint64_t)pthread_self();
	fiber_replace_exit();
	library_malloc = real()->malloc;
	library_free = real()->free;
	real_table.malloc = own_malloc;
	real_table.free = own_free;
	real_table.pthread_join = join_real;
	real_table.pthread_tryjoin_np = join_real;
	real_table.pthread_timedjoin_np = join_timed;
	real_table.pthread_clockjoin_np = join_clocked;
	real_table.pthread_detach = detach;
}

const struct carrier carrier_fiber = {
	.pass = pass,
	.pass_last = pass,
	.await_turn = await_turn,
	.create = create,
	.join = join,
	.start = start,
};

bool fiber_on(void)
{
	return sched_active && carrier == &carrier_fiber;
}

unsigned long fiber_main_thread(void)
{
	return fibers[0].thread_pointer;
}

int fiber_tid(void)
{
	return fiber_tls_tid((uint64_t)pthread_self());
}

bool fiber_get_attributes(pthread_t thread, pthread_attr_t *attributes)
{
	uint32_t number = fiber_on() ? fiber_number(thread) : 0;

	if (number == 0 || number == CONTROL_NONE || pthread_attr_init(attributes) != 0)
		return false;
	const struct fiber *fiber = &fibers[number];
	pthread_attr_setstack(attributes, fiber->stack, fiber->stack_bytes);
	pthread_attr_setdetachstate(attributes, fiber->detached ? PTHREAD_CREATE_DETACHED
								: PTHREAD_CREATE_JOINABLE);
	return true;
}

bool fiber_own_stack(void **low, size_t *bytes)
{
	uint32_t self = sched_self();

	if (self == 0 || self == CONTROL_NONE)
		return false;
	*low = fibers[self].stack;
	*bytes = fibers[self].stack_bytes;
	return true;
}

void fiber_refuse(const char *what)
{
	if (fiber_on())
		sched_end_run(CONTROL_UNFIT, what, 0);
}
