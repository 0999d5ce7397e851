/*
 * Creation and end of threads. The creating thread records CREATE once the new thread exists; the
 * new thread waits for that and then records BEGIN. END is the last record of a thread: it is
 * written in the last round of the destructors of thread-specific data, after all of the program's
 * code.
 */
#include "runtime/sync/thread.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/fiber.h"
#include "runtime/sync/keys.h"
#include "runtime/point/point_read.h"
#include "runtime/host/process.h"
#include "runtime/openmp/openmp.h"
#include "runtime/openmp/openmp_thread.h"
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
static bool is_fork_child;
static _Atomic bool any_created; /* a thread has been created */

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

bool thread_any_created(void)
{
	return atomic_load_explicit(&any_created, memory_order_relaxed);
}

bool thread_was_forked(void)
{
	return is_fork_child;
}

/* The argument of begin_thread(). */
struct thread_start {
	struct thread_routine routine;
	void *argument;
	uint32_t creator, stream;
	sigset_t mask;	   /* the signals that the thread will block after BEGIN */
	_Atomic int state; /* enum start_state; a futex */
	bool turns;	   /* controlled run: it begins when it gets the turn */
	bool in_table;
	bool stack_given; /* the program supplied the stack */
};

/*
 * In a controlled run no two threads have the same number, so the data of a thread is in a table,
 * indexed by number. The table is kept between runs. Allocating heap blocks instead took a tenth of
 * the cost of a thread.
 */
static struct thread_slot {
	struct thread_entry entry;
	struct thread_start start;
} * thread_slots;

void thread_after_fork(void)
{
	tid = 0;
	is_fork_child = true;
	thread_table_after_fork();
}

/* ---- the end of a thread --------------------------------------------------------------------- */

static pthread_key_t end_key;
static _Atomic int end_key_made; /* 1: yes; -1: failed, the program has used up all keys */
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

void thread_end(void)
{
	thread_buffer_settle(); /* the thread may have been cancelled at any instruction */
	if (record_on()) {
		sched_before(EV_END, NULL, 0, 0);
		record(EV_END, 0, (struct record_fields){ 0 });
	}
	thread_buffer_end();
	sched_end_thread();
}

/*
 * The destructor of `end_key`. `round` counts its calls in this thread; the library makes
 * PTHREAD_DESTRUCTOR_ITERATIONS rounds. In the last round, the library would run the destructors of
 * higher keys after this one. They are the program's and must run before END, so they are run here.
 */
static void end_thread(void *round)
{
	uintptr_t next = (uintptr_t)round + 1;

	if (next <= PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, (void *)next))
		return;
	keys_run_destructors(end_key + 1, end_key);
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
	if (!thread_slots)
		thread_slots = snapshot_lasting(CONTROL_THREADS * sizeof(*thread_slots));
	real()->pthread_once(&end_key_once, make_end_key);
}

bool thread_prepare_end(void)
{
	if (!end_key_made)
		real()->pthread_once(&end_key_once, make_end_key);
	if (end_key_made < 0)
		return false;
	return pthread_getspecific(end_key) || pthread_setspecific(end_key, (void *)1) == 0;
}

/*
 * Prepares END first: it is not yet prepared in the main thread, and in threads whose creation the
 * runtime did not see.
 */
void thread_exit(void *result)
{
	if (__builtin_expect(openmp_self.inside, 0))
		openmp_leave();
	if (record_on()) {
		thread_buffer_self.quiet = true;
		thread_prepare_end();
		thread_buffer_self.quiet = false;
	}
	real()->pthread_exit(result);
	__builtin_unreachable();
}

SOOTH_API void pthread_exit(void *result)
{
	thread_exit(result);
}

/* ---- the beginning of a thread --------------------------------------------------------------- */

enum start_state { CREATED, CREATED_AND_WAITING, RECORDED };

#define WAIT_TRIES 100
#define WAIT_NS 10000000 /* 10 ms per try, one second in all */

/*
 * Waits until the creator has recorded CREATE, which it nearly always has already. But the creator
 * may be delayed, or leave a signal handler by longjmp, and no thread may hang because of a record.
 * After a second, returns false: the new thread continues without freeing `start`, which the
 * creator may still use.
 */
static bool wait_for_creator(struct thread_start *start)
{
	static const struct timespec patience = { .tv_nsec = WAIT_NS };
	int state = CREATED;

	atomic_compare_exchange_strong(&start->state, &state, CREATED_AND_WAITING);
	for (int i = 0; i < WAIT_TRIES && start->state != RECORDED; i++)
		real()->syscall(SYS_futex, &start->state, FUTEX_WAIT_PRIVATE, CREATED_AND_WAITING,
				&patience, NULL, 0);
	return start->state == RECORDED;
}

static void announce_created(struct thread_start *start)
{
	if (atomic_exchange(&start->state, RECORDED) == CREATED_AND_WAITING)
		real()->syscall(SYS_futex, &start->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Finds the stack of the calling thread. The thread-local variables are at its upper end. */
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

/*
 * A stack that the program supplied has no lifetime of its own: it is memory of the program before
 * and after the thread, and its block or mapping has a lifetime.
 */
static void store_own_stack(struct record_fields *fields, bool given)
{
	void *low;
	size_t bytes;

	if (!find_stack(&low, &bytes))
		return;
	point_read_stack((uintptr_t)low, (uintptr_t)low + bytes);
	if (given)
		return;
	fields->a = (uintptr_t)low;
	fields->b = (uintptr_t)low + bytes;
}

/*
 * Blocks signals around the creation of a thread. A signal may be sent to a thread as soon as the
 * thread exists. Its handler would not find the stream of the thread that it interrupts; it would
 * be recorded as a separate thread, and would seem to race with its own thread. So threads are
 * created with signals blocked, and unblock them after BEGIN. This does not work for attributes
 * with a signal mask, because the library sets that mask before the first instruction of
 * begin_thread(). SIGSEGV and SIGBUS of the creator stay unblocked, because a handler may map the
 * stack that the program passed. Fibers get no signals (fiber_limits.c). This costs two system
 * calls in the creator and one in the new thread, as many as the library makes for the same
 * purpose.
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

static void *run_routine(const struct thread_start *start)
{
	if (start->routine.c11)
		return (void *)(intptr_t)start->routine.c11(start->argument);
	return start->routine.posix(start->argument);
}

static void *begin_thread(void *argument)
{
	struct thread_start *given = argument;

	thread_buffer_self.quiet = true;
	if (given->turns)
		sched_begin_thread(given->stream);
	bool in_time = given->turns || wait_for_creator(given);
	struct thread_start start = *given;
	struct record_fields fields = { .n = start.creator };

	thread_buffer_hold();
	if (in_time && !given->in_table)
		real()->free(given);
	store_own_stack(&fields, start.stack_given);
	bool in_destructor = thread_prepare_end();
	thread_buffer_begin(start.stream);
	thread_buffer_self.quiet = false;
	if (record_on())
		record(EV_BEGIN,
		       start.routine.c11 ? (uintptr_t)start.routine.c11
					 : (uintptr_t)start.routine.posix,
		       fields);
	errno = 0; /* as in every new thread */
	restore_signals(&start.mask);

	void *result = run_routine(&start);
	if (!in_destructor)
		thread_end();
	return result;
}

/*
 * A C11 routine can be called as a POSIX routine: its result is in the lower half of the same
 * register.
 */
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

/* Do the attributes name a stack? If not, pthread_attr_getstack() gives the address 0 - size. */
static bool has_given_stack(const pthread_attr_t *attributes)
{
	void *low = NULL;
	size_t bytes = 0;

	return attributes && pthread_attr_getstack(attributes, &low, &bytes) == 0 && low &&
	       (uintptr_t)low + bytes != 0;
}

/*
 * END is prepared when a thread begins, but main begins without us. If it is cancelled, it ends as
 * other threads do, and then its turn must go to another thread. It can prepare this only before.
 */
static void prepare_end_of_creator(void)
{
	if (fiber_on() || !sched_may_cancel())
		return;
	thread_buffer_self.quiet = true;
	thread_prepare_end();
	thread_buffer_self.quiet = false;
}

static int create_controlled(pthread_t *thread, const pthread_attr_t *attributes,
			     struct thread_start *start)
{
	if (start->stream == CONTROL_NONE) {
		process_say("the run ends, it has more threads than a controlled run can have: ",
			    "4096");
		sched_end_run(CONTROL_UNFIT, "it creates more than 4096 threads", 127 << 8);
	}
	prepare_end_of_creator();
	int result = carrier->create(start->stream, thread, attributes, begin_thread, start);
	if (result != 0)
		sched_thread_created(CONTROL_NONE);
	return result;
}

/*
 * While the library creates a thread, it may reuse the stack of an ended thread, and free that
 * thread's dynamic thread-local variables. These blocks come from the loader and are not recorded:
 * their lifetimes are inside the library, which knows that the thread has ended.
 */
static int create_quietly(pthread_t *thread, const pthread_attr_t *attributes,
			  struct thread_start *start)
{
	bool quiet = thread_buffer_self.quiet;

	thread_buffer_self.quiet = true;
	int result = real()->pthread_create(thread, attributes, begin_thread, start);
	thread_buffer_self.quiet = quiet;
	return result;
}

/*
 * Creates a thread. The library stores `*thread` before the new thread runs. It is read here before
 * the program's routine runs in the new thread, because the variable may not exist after that. If
 * no thread can be created, a stream number stays unused.
 */
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		  struct thread_routine routine, void *argument, uintptr_t pc)
{
	int error = errno;
	any_created = true;
	bool joinable = is_joinable(attributes); /* read now; the attributes may not exist later */
	bool turns = sched_on();
	sched_before(EV_CREATE, NULL, 0, pc);
	uint32_t stream = turns ? sched_new_thread() : CONTROL_NONE;
	if (stream == CONTROL_NONE && !(turns && sched_refuses_more_threads())) {
		turns = false;
		stream = thread_buffer_new_stream();
	}
	struct thread_slot *own =
		turns && stream < CONTROL_THREADS && thread_slots ? &thread_slots[stream] : NULL;
	struct thread_start *start = own ? &own->start : real()->malloc(sizeof(*start));
	if (!start) { /* the new thread will have no known creator */
		errno = error;
		return real()->pthread_create(thread, attributes, as_posix(routine), argument);
	}
	*start = (struct thread_start){ .routine = routine,
					.argument = argument,
					.creator = thread_buffer_self.stream,
					.stream = stream,
					.turns = turns,
					.in_table = own != NULL,
					.stack_given = has_given_stack(attributes) };
	sigset_t before;
	block_signals(attributes, &before, &start->mask);
	int result = turns ? create_controlled(thread, attributes, start)
			   : create_quietly(thread, attributes, start);
	restore_signals(&before);
	if (result != 0) {
		if (!own)
			real()->free(start);
		return result;
	}
	thread_table_add(own ? &own->entry : NULL, *thread, stream,
			 joinable ? THREAD_JOINABLE : THREAD_DETACHED);
	record(EV_CREATE, pc, (struct record_fields){ .n = stream });
	start->creator = thread_buffer_self
				 /* known now, even if this was the thread's first record */
				 .stream;
	if (turns)
		sched_thread_created(stream);
	else
		announce_created(start);
	errno = error;
	return 0;
}

SOOTH_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			     void *(*routine)(void *), void *restrict argument)
{
	if (__builtin_expect(openmp_self.inside, 0))
		return openmp_create_thread(thread, attributes, routine, argument, RECORD_CALLER);
	if (!record_on())
		return real()->pthread_create(thread, attributes, routine, argument);
	return thread_create(thread, attributes, (struct thread_routine){ .posix = routine },
			     argument, RECORD_CALLER);
}
