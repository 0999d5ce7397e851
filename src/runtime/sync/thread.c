/*
 * Threads. The parent records CREATE when the thread exists, and the thread waits for that before
 * it records BEGIN. END is the thread's very last record: it comes in the last round of the
 * destructors of thread-specific data, behind everything that is the program's.
 */
#include "runtime/sync/thread.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/fiber.h"
#include "runtime/sync/keys.h"
#include "runtime/point/point_read.h"
#include "runtime/host/process.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/server/snapshot.h"
#include "runtime/sync/thread_table.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static SOOTH_TLS int tid;
static bool forked;
static _Atomic bool any; /* was made */

int thread_tid(void)
{
	if (!tid)
		tid = gettid();
	return tid;
}

void thread_forget_tid(void)
{
	tid = 0;
}

bool thread_made_any(void)
{
	return atomic_load_explicit(&any, memory_order_relaxed);
}

bool thread_was_forked(void)
{
	return forked;
}

/* What a thread begins with. */
struct start {
	struct thread_routine routine;
	void *argument;
	uint32_t creator, stream;
	sigset_t mask;	   /* the signals it blocks when its BEGIN is recorded */
	_Atomic int state; /* enum start_state; a futex */
	bool turns;	   /* it begins when it is its turn */
	bool in_table;
};

/*
 * Those that take turns have a number that no other thread of the run gets: what they need lies in a
 * table, which outlives runs. Blocks of the heap were a tenth of what a thread costs there.
 */
static struct numbered {
	struct thread_entry entry;
	struct start start;
} * numbered;

void thread_after_fork(void)
{
	tid = 0;
	forked = true;
	thread_table_after_fork();
}

/* ---- the end of a thread ------------------------------------------------------------------ */

static pthread_key_t end_key;
static _Atomic int end_key_made; /* 1 yes, -1 the program has used them all up */
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

void thread_end(void)
{
	thread_buffer_settle(); /* it may have been cancelled anywhere */
	if (record_on()) {
		sched_before(EV_END, NULL, 0, 0);
		record(EV_END, 0, (struct record_fields){ 0 });
	}
	thread_buffer_end();
	sched_end_thread();
}

/*
 * `round` counts the calls in this thread: the library makes PTHREAD_DESTRUCTOR_ITERATIONS. In the last
 * it would go on with the keys of higher numbers: they are the program's, and come before END.
 */
static void end_thread(void *round)
{
	uintptr_t next = (uintptr_t)round + 1;

	if (next <= PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, (void *)next))
		return;
	keys_destroy(end_key + 1, end_key);
	thread_end();
}

unsigned thread_end_key(void)
{
	return end_key_made > 0 ? end_key : PTHREAD_KEYS_MAX;
}

static void make_end_key(void)
{
	end_key_made = pthread_key_create(&end_key, end_thread) == 0 ? 1 : -1;
}

void thread_prepare(void)
{
	if (!numbered)
		numbered = snapshot_lasting(CONTROL_THREADS * sizeof(*numbered));
	real()->pthread_once(&end_key_once, make_end_key);
}

bool thread_expect_end(void)
{
	if (!end_key_made)
		real()->pthread_once(&end_key_once, make_end_key);
	if (end_key_made < 0)
		return false;
	return pthread_getspecific(end_key) || pthread_setspecific(end_key, (void *)1) == 0;
}

/* For the main thread, and those made behind our back. */
void thread_exit(void *result)
{
	if (record_on()) {
		thread_buffer_self.quiet = true;
		thread_expect_end();
		thread_buffer_self.quiet = false;
	}
	real()->pthread_exit(result);
	__builtin_unreachable();
}

SOOTH_API void pthread_exit(void *result)
{
	thread_exit(result);
}

/* ---- the beginning of a thread ------------------------------------------------------------ */

enum start_state { CREATED, CREATED_AND_WAITING, RECORDED };

#define PATIENCE_TRIES 100
#define PATIENCE_NS 10000000 /* of each: a second in all */

/*
 * Waits until CREATE is recorded; it nearly always is. But the creator may be held up, or jump
 * away out of a signal handler, and nobody must hang for a record: after a second the thread goes
 * on, and leaves `start` alone, which the creator may still touch.
 */
static bool wait_for_creator(struct start *start)
{
	static const struct timespec patience = { .tv_nsec = PATIENCE_NS };
	int state = CREATED;

	atomic_compare_exchange_strong(&start->state, &state, CREATED_AND_WAITING);
	for (int i = 0; i < PATIENCE_TRIES && start->state != RECORDED; i++)
		real()->syscall(SYS_futex, &start->state, FUTEX_WAIT_PRIVATE, CREATED_AND_WAITING,
				&patience, NULL, 0);
	return start->state == RECORDED;
}

static void let_go(struct start *start)
{
	if (atomic_exchange(&start->state, RECORDED) == CREATED_AND_WAITING)
		real()->syscall(SYS_futex, &start->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The stack of the calling thread; its thread-local variables are at the upper end. */
static bool find_stack(void **low, size_t *bytes)
{
	pthread_attr_t attributes;

	if (fiber_on() && fiber_own_stack(low, bytes))
		return true;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return false;
	bool ok = pthread_attr_getstack(&attributes, low, bytes) == 0;
	pthread_attr_destroy(&attributes);
	return ok;
}

static void say_stack(struct record_fields *fields)
{
	void *low;
	size_t bytes;

	if (find_stack(&low, &bytes)) {
		fields->a = (uintptr_t)low;
		fields->b = (uintptr_t)low + bytes;
		point_read_stack(fields->a, fields->b);
	}
}

/*
 * A signal may be sent to a thread as soon as there is one. Its handler would find nobody whom it cuts
 * in on, and be a thread of its own, which races with the one it belongs to. So threads are made with
 * signals blocked, and let them in behind BEGIN. Not those of attributes that come with a mask: the
 * library has it in force before our first instruction. Faults of the creator stay its own: what it
 * gave as a stack may be mapped by a handler. Fibers get no signals (fiber_limits.c). Two system calls for
 * the creator and one for the thread: what the library spends on the same purpose.
 */
static void block_signals(const pthread_attr_t *attributes, sigset_t *before, sigset_t *begins_with)
{
	sigset_t all;

	if (fiber_on())
		return;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &all, before);
	if (!attributes || pthread_attr_getsigmask_np(attributes, begins_with) != 0)
		*begins_with = *before;
}

static void restore_signals(const sigset_t *mask)
{
	if (!fiber_on())
		pthread_sigmask(SIG_SETMASK, mask, NULL);
}

static void *run_routine(const struct start *start)
{
	if (start->routine.c11)
		return (void *)(intptr_t)start->routine.c11(start->argument);
	return start->routine.posix(start->argument);
}

static void *begin_thread(void *argument)
{
	struct start *given = argument;

	thread_buffer_self.quiet = true;
	if (given->turns)
		sched_begin_thread(given->stream);
	bool in_time = given->turns || wait_for_creator(given);
	struct start start = *given;
	struct record_fields fields = { .n = start.creator };

	thread_buffer_hold();
	if (in_time && !given->in_table)
		real()->free(given);
	say_stack(&fields);
	bool in_destructor = thread_expect_end();
	thread_buffer_begin(start.stream);
	thread_buffer_self.quiet = false;
	if (record_on())
		record(EV_BEGIN,
		       start.routine.c11 ? (uintptr_t)start.routine.c11
					 : (uintptr_t)start.routine.posix,
		       fields);
	errno = 0; /* as a thread begins */
	restore_signals(&start.mask);

	void *result = run_routine(&start);
	if (!in_destructor)
		thread_end();
	return result;
}

/* The library takes the lower half of what it returns for the result: the same register. */
static void *(*as_posix(struct thread_routine routine))(void *)
{
	return routine.c11 ? (void *(*)(void *))(void *)routine.c11 : routine.posix;
}

static bool is_joinable(const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (attributes)
		pthread_attr_getdetachstate(attributes, &state);
	return state == PTHREAD_CREATE_JOINABLE;
}

static int create_in_turn(pthread_t *thread, const pthread_attr_t *attributes, struct start *start)
{
	if (start->stream == CONTROL_NONE) {
		process_say("it makes more threads than can take turns, and ends here: ", "4096");
		sched_end_run(CONTROL_UNFIT, "it makes more than 4096 threads", 127 << 8);
	}
	int result = carrier->create(start->stream, thread, attributes, begin_thread, start);
	if (result != 0)
		sched_created(CONTROL_NONE);
	return result;
}

/*
 * `thread` is written by the library before the new thread runs, and read here before the program's
 * part of it does: after that it may be gone. A stream's number is wasted when there is no thread.
 */
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		  struct thread_routine routine, void *argument, uintptr_t pc)
{
	int error = errno;
	any = true;
	bool joinable = is_joinable(attributes); /* the attributes, too, may be gone afterwards */
	bool turns = sched_on();
	sched_before(EV_CREATE, NULL, 0, pc);
	uint32_t stream = turns ? sched_new_thread() : thread_buffer_new_stream();
	struct numbered *own =
		turns && stream < CONTROL_THREADS && numbered ? &numbered[stream] : NULL;
	struct start *start = own ? &own->start : real()->malloc(sizeof(*start));
	if (!start) { /* it will be a thread that nobody is seen to create */
		errno = error;
		return real()->pthread_create(thread, attributes, as_posix(routine), argument);
	}
	*start = (struct start){ .routine = routine,
				 .argument = argument,
				 .creator = thread_buffer_self.stream,
				 .stream = stream,
				 .turns = turns,
				 .in_table = own != NULL };
	sigset_t before;
	block_signals(attributes, &before, &start->mask);
	int result = turns ? create_in_turn(thread, attributes, start)
			   : real()->pthread_create(thread, attributes, begin_thread, start);
	restore_signals(&before);
	if (result != 0) {
		if (!own)
			real()->free(start);
		return result;
	}
	thread_table_enter(own ? &own->entry : NULL, *thread, stream,
			   joinable ? THREAD_JOINABLE : THREAD_DETACHED);
	record(EV_CREATE, pc, (struct record_fields){ .n = stream });
	start->creator = thread_buffer_self
				 .stream; /* known now even if this was the thread's first record */
	if (turns)
		sched_created(stream);
	else
		let_go(start);
	errno = error;
	return 0;
}

SOOTH_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			     void *(*routine)(void *), void *restrict argument)
{
	if (!record_on())
		return real()->pthread_create(thread, attributes, routine, argument);
	return thread_create(thread, attributes, (struct thread_routine){ .posix = routine },
			     argument, RECORD_CALLER);
}
