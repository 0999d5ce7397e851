/*
 * Threads. The parent records CREATE when the thread exists, and the thread waits for that before
 * it records BEGIN. END is the thread's very last record: it comes in the last round of the
 * destructors of thread-specific data, behind everything that is the program's.
 */
#include "runtime/thread.h"

#include "runtime/carrier.h"
#include "runtime/fiber.h"
#include "runtime/point_read.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/snapshot.h"
#include "runtime/sync.h"
#include "runtime/turn.h"
#include "runtime/vtime.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static SOOTH_TLS int tid;
static bool forked;

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

bool thread_was_forked(void)
{
	return forked;
}

/* ---- which pthread_t is which stream ------------------------------------------------------ */

/* What has become of a thread, as far as joining it goes. */
enum fate {
	JOINABLE,
	AWAITED, /* somebody is about to join it */
	JOINED,
	DETACHED,
};

/*
 * A thread that was joined or detached stays here until its pthread_t is used again, so that who
 * joins it once more can be told from who joins what was never seen. That may be as soon as the real
 * join or detach is done, before its entry says so: new entries come first, and one is named by its
 * stream's number too. There are as many as there were threads at a time.
 */
struct entry {
	struct entry *next;
	pthread_t thread;
	uint32_t stream;
	bool in_table; /* `numbered` */
	uint8_t fate;  /* enum fate */
};

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
	struct entry entry;
	struct start start;
} * numbered;

#define BUCKETS 512u /* 9 bits: see bucket_of */
/* A page, as far as restoring is concerned (each_run.h). */
static struct entry *buckets[BUCKETS] __attribute__((aligned(4096)));
static atomic_flag table_busy = ATOMIC_FLAG_INIT;

/* Fibers need no lock: nobody else runs, and none of them is switched in here. */
static void table_lock(void)
{
	if (fiber_on())
		return;
	while (atomic_flag_test_and_set_explicit(&table_busy, memory_order_acquire))
		sched_yield();
}

static void table_unlock(void)
{
	if (!fiber_on())
		atomic_flag_clear_explicit(&table_busy, memory_order_release);
}

static struct entry **bucket_of(pthread_t thread)
{
	/* Stacks lie megabytes apart: what differs is in the highest bits of the product. */
	return &buckets[(uint64_t)thread * 0x9e3779b97f4a7c15ull >> 55];
}

static void drop(struct entry **at)
{
	struct entry *entry = *at;

	*at = entry->next;
	if (!entry->in_table)
		real()->free(entry);
}

static void enter(struct entry *entry, pthread_t thread, uint32_t stream, enum fate fate)
{
	bool in_table = entry != NULL;

	if (!in_table)
		entry = real()->malloc(sizeof(*entry));
	if (!entry)
		return; /* its join will be noted as one we cannot name */
	table_lock();
	*entry = (struct entry){ *bucket_of(thread), thread, stream, in_table, (uint8_t)fate };
	*bucket_of(thread) = entry;
	for (struct entry **e = &entry->next; *e;) {
		if (pthread_equal((*e)->thread, thread) && (*e)->fate >= JOINED)
			drop(e);
		else
			e = &(*e)->next;
	}
	table_unlock();
}

/* The main thread was created by nobody, but it too can be joined. */
#define MAIN_STREAM 0u
#define NO_STREAM UINT32_MAX
static pthread_t main_thread;

__attribute__((constructor(101))) static void find_main(void)
{
	if (gettid() == getpid())
		main_thread = pthread_self();
}

struct known {
	uint32_t stream; /* NO_STREAM: nothing is known of it */
	enum fate fate;
};

static struct known look_up(pthread_t thread)
{
	struct known known = { NO_STREAM, JOINABLE };

	table_lock();
	for (struct entry *e = *bucket_of(thread); e; e = e->next) {
		if (pthread_equal(e->thread, thread)) {
			known = (struct known){ e->stream, e->fate };
			break;
		}
	}
	table_unlock();
	if (known.stream == NO_STREAM && main_thread && pthread_equal(thread, main_thread))
		known.stream = MAIN_STREAM;
	return known;
}

/* The stream of a thread that can be joined; NO_STREAM when it is not known. */
static uint32_t stream_of(pthread_t thread)
{
	struct known known = look_up(thread);

	return known.fate < JOINED ? known.stream : NO_STREAM;
}

static void settle(pthread_t thread, uint32_t stream, enum fate fate)
{
	bool newest = true;

	table_lock();
	for (struct entry **e = bucket_of(thread); *e; e = &(*e)->next) {
		if (!pthread_equal((*e)->thread, thread))
			continue;
		if ((*e)->stream != stream) {
			newest = false;
			continue;
		}
		if (newest)
			(*e)->fate = (uint8_t)fate;
		else
			drop(e);
		break;
	}
	table_unlock();
}

void thread_after_fork(void)
{
	tid = 0;
	forked = true;
	main_thread = pthread_self();
	for (unsigned i = 0; i < BUCKETS; i++)
		buckets[i] = NULL; /* lost, with the threads: their memory may be half changed */
	table_unlock();
}

/* ---- the end of a thread ------------------------------------------------------------------ */

static pthread_key_t end_key;
static _Atomic int end_key_made; /* 1 yes, -1 the program has used them all up */
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

void thread_end(void)
{
	if (record_on()) {
		turn_before(EV_END, NULL, 0, 0);
		record(EV_END, 0, (struct record_fields){ 0 });
	}
	lane_end();
	turn_end_thread();
}

/* `round` counts the calls in this thread: the library makes PTHREAD_DESTRUCTOR_ITERATIONS. */
static void end_thread(void *round)
{
	uintptr_t next = (uintptr_t)round + 1;

	if (next <= PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, (void *)next))
		return;
	thread_end();
}

bool thread_is_end_key(unsigned key)
{
	return end_key_made > 0 && key == end_key;
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

/* Lets the calling thread record its END. False when there is no way but to do it by hand. */
static bool expect_end(void)
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
		lane_self.quiet = true;
		expect_end();
		lane_self.quiet = false;
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
 * gave as a stack may be mapped by a handler. Fibers get no signals (limits.c). Two system calls for
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

	lane_self.quiet = true;
	if (given->turns)
		turn_begin_thread(given->stream);
	bool in_time = given->turns || wait_for_creator(given);
	struct start start = *given;
	struct record_fields fields = { .n = start.creator };

	lane_hold();
	if (in_time && !given->in_table)
		real()->free(given);
	say_stack(&fields);
	bool in_destructor = expect_end();
	lane_begin(start.stream);
	lane_self.quiet = false;
	if (record_on())
		record(EV_BEGIN,
		       start.routine.c11 ? (uintptr_t)start.routine.c11
					 : (uintptr_t)start.routine.posix,
		       fields);
	restore_signals(&start.mask);

	void *result = run_routine(&start);
	if (!in_destructor)
		thread_end();
	return result;
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
		turn_end_run(CONTROL_UNFIT, "it makes more than 4096 threads", 127 << 8);
	}
	int result = carrier->create(start->stream, thread, attributes, begin_thread, start);
	if (result != 0)
		turn_created(CONTROL_NONE);
	return result;
}

/*
 * `thread` is written by the library before the new thread runs, and read here before the program's
 * part of it does: after that it may be gone. A stream's number is wasted when there is no thread.
 */
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		  struct thread_routine routine, void *argument, uintptr_t pc)
{
	bool joinable = is_joinable(attributes); /* the attributes, too, may be gone afterwards */
	bool turns = turn_on();
	turn_before(EV_CREATE, NULL, 0, pc);
	uint32_t stream = turns ? turn_new_thread() : lane_new_stream();
	struct numbered *own =
		turns && stream < CONTROL_THREADS && numbered ? &numbered[stream] : NULL;
	struct start *start = own ? &own->start : real()->malloc(sizeof(*start));
	if (!start)
		return EAGAIN;
	*start = (struct start){ .routine = routine,
				 .argument = argument,
				 .creator = lane_self.stream,
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
	enter(own ? &own->entry : NULL, *thread, stream, joinable ? JOINABLE : DETACHED);
	record(EV_CREATE, pc, (struct record_fields){ .n = stream });
	start->creator =
		lane_self.stream; /* known now even if this was the thread's first record */
	if (turns)
		turn_created(stream);
	else
		let_go(start);
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

/* ---- join and detach ---------------------------------------------------------------------- */

static void misuse(enum event_misuse which, uintptr_t pc, uint32_t stream)
{
	record(EV_MISUSE, pc, (struct record_fields){ .n = stream, .m = which });
}

/* Says so when a join has failed because another was before it, or a detach. */
static void blame_join(struct known known, uintptr_t pc, int result)
{
	if (known.stream == NO_STREAM || (result != EINVAL && result != ESRCH))
		return;
	misuse(known.fate == DETACHED ? EVENT_MISUSE_JOIN_DETACHED : EVENT_MISUSE_JOIN_TWICE, pc,
	       known.stream);
}

static int joined(pthread_t thread, struct known known, uintptr_t pc, int result)
{
	if (result != 0) {
		blame_join(known, pc, result);
		return result;
	}
	if (known.stream != NO_STREAM && known.fate < JOINED) {
		settle(thread, known.stream, JOINED);
		record(EV_JOIN, pc, (struct record_fields){ .n = known.stream });
	} else {
		record_unmodelled(pc, "join of a thread whose creation was not seen");
		sync_end(&(struct sync_call){ pc, SYNC_WAITED });
	}
	return 0;
}

/* From here on to the end of the scope the caller is the one who joins it. */
struct claim {
	pthread_t thread;
	uint32_t stream; /* NO_STREAM: none */
};
#define CLAIM __attribute__((cleanup(give_claim_up)))

static struct claim claim_thread(pthread_t thread, struct known known)
{
	if (known.stream == NO_STREAM || known.fate != JOINABLE)
		return (struct claim){ thread, NO_STREAM };
	settle(thread, known.stream, AWAITED);
	return (struct claim){ thread, known.stream };
}

/* Also when the join is cancelled. What was joined, or detached meanwhile, stays so. */
static void give_claim_up(struct claim *claim)
{
	struct known known = look_up(claim->thread);

	if (claim->stream != NO_STREAM && known.stream == claim->stream && known.fate == AWAITED)
		settle(claim->thread, claim->stream, JOINABLE);
}

/*
 * In turn the real join is only called when the other is over, and it is not for the library to say what
 * becomes of a second one: the same as it says otherwise. 0: it can be joined.
 */
static int refuse_in_turn(struct known known, enum event_how how)
{
	if (known.stream == NO_STREAM || known.fate == JOINABLE)
		return 0;
	if (how == EVENT_TRY && (known.fate == JOINED || !turn_is_over(known.stream)))
		return EBUSY;
	return known.fate == JOINED ? ESRCH : EINVAL;
}

/*
 * In turn: the scheduler knows when the other is over, and the real join then need not wait but for
 * the last steps of the library. A thread whose number is not known is waited for outside.
 */
static int join_in_turn(pthread_t thread, struct known known, void **result, uintptr_t pc,
			enum event_how how, uint64_t until)
{
	struct turn_want want = turn_want(EV_JOIN, NULL, pc);
	uint32_t stream = known.stream;
	int status = refuse_in_turn(known, how);

	if (status != 0)
		return joined(thread, known, pc, status);
	if (stream == NO_STREAM) {
		turn_leave(pc);
		status = real()->pthread_join(thread, result);
		turn_return();
		return joined(thread, known, pc, status);
	}
	if (how == EVENT_PLAIN && stream != turn_self())
		record(EV_JOIN_REQUEST, pc, (struct record_fields){ .n = stream });
	struct claim claim CLAIM = { thread, NO_STREAM };
	if (how != EVENT_TRY && stream != turn_self())
		claim = claim_thread(thread, known);
	want.object = stream;
	want.how = how;
	want.until = until;
	enum turn_answer answer = turn_take(&want);
	if (answer == TURN_TIMED_OUT)
		return ETIMEDOUT;
	if (turn_cancelled()) {
		real()->pthread_testcancel();
		give_claim_up(&claim);
		return join_in_turn(thread, look_up(thread), result, pc, how, until);
	}
	if (how == EVENT_TRY && !turn_is_over(stream))
		return EBUSY;
	status = carrier->join(stream, thread, result);
	return joined(thread, known, pc, status);
}

int thread_join(pthread_t thread, void **result, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_join(thread, result);
	struct known known = look_up(thread);
	if (turn_on())
		return join_in_turn(thread, known, result, pc, EVENT_PLAIN, 0);
	/* Also where it need not wait: to find out would be a call of its own. One's own fails. */
	bool own = pthread_equal(thread, pthread_self());
	if (known.stream != NO_STREAM && known.fate < JOINED && !own)
		record(EV_JOIN_REQUEST, pc, (struct record_fields){ .n = known.stream });
	struct claim claim CLAIM = { thread, NO_STREAM };
	if (!own)
		claim = claim_thread(thread, known);
	struct sync_call call SYNC_CALL = { pc, SYNC_CANCELLED };
	int status = real()->pthread_join(thread, result);
	call.how = SYNC_NOTHING;
	return joined(thread, known, pc, status);
}

SOOTH_API int pthread_join(pthread_t thread, void **result)
{
	return thread_join(thread, result, RECORD_CALLER);
}

SOOTH_API int pthread_tryjoin_np(pthread_t thread, void **result)
{
	if (!record_on())
		return real()->pthread_tryjoin_np(thread, result);
	struct known known = look_up(thread);
	if (turn_on() && known.stream != NO_STREAM)
		return join_in_turn(thread, known, result, RECORD_CALLER, EVENT_TRY, 0);
	return joined(thread, known, RECORD_CALLER, real()->pthread_tryjoin_np(thread, result));
}

SOOTH_API int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	if (!record_on())
		return real()->pthread_timedjoin_np(thread, result, until);
	struct known known = look_up(thread);
	if (turn_on())
		return join_in_turn(thread, known, result, RECORD_CALLER, EVENT_TIMED,
				    vtime_of(CLOCK_REALTIME, until));
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	int status = real()->pthread_timedjoin_np(thread, result, until);
	call.how = SYNC_NOTHING;
	return joined(thread, known, RECORD_CALLER, status);
}

SOOTH_API int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
				   const struct timespec *until)
{
	if (!record_on())
		return real()->pthread_clockjoin_np(thread, result, clock, until);
	struct known known = look_up(thread);
	if (turn_on())
		return join_in_turn(thread, known, result, RECORD_CALLER, EVENT_TIMED,
				    vtime_of(clock, until));
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	int status = real()->pthread_clockjoin_np(thread, result, clock, until);
	call.how = SYNC_NOTHING;
	return joined(thread, known, RECORD_CALLER, status);
}

/* What it waits for in turn, at a cancellation point, it finds at once. */
SOOTH_API int pthread_cancel(pthread_t thread)
{
	fiber_refuse("pthread_cancel");
	if (record_on())
		record(EV_PROCESS, RECORD_CALLER,
		       (struct record_fields){ .n = stream_of(thread), .m = EVENT_PROCESS_CANCEL });
	int result = real()->pthread_cancel(thread);

	if (result == 0 && turn_on()) {
		turn_disordered();
		turn_cancel(stream_of(thread));
	}
	return result;
}

/* In turn the library does not know yet who joins, and no more of who was joined: see above. */
static int detach_in_turn(pthread_t thread, struct known known)
{
	switch (known.fate) {
	case JOINED: return ESRCH;
	case DETACHED: return EINVAL;
	case AWAITED: return 0; /* who joins it goes on to do so */
	case JOINABLE: break;
	}
	return real()->pthread_detach(thread);
}

int thread_detach(pthread_t thread, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_detach(thread);
	bool turns = turn_on();
	turn_before(EV_DETACH, NULL, 0, pc);
	struct known known = look_up(thread);
	int result = turns ? detach_in_turn(thread, known) : real()->pthread_detach(thread);
	if (known.stream == NO_STREAM)
		return result;
	if (known.fate == AWAITED || (known.fate == JOINED && result != 0))
		misuse(EVENT_MISUSE_JOIN_DETACHED, pc, known.stream);
	if (result == 0 && known.fate < JOINED) {
		if (known.fate == JOINABLE)
			settle(thread, known.stream, DETACHED);
		record(EV_DETACH, pc, (struct record_fields){ .n = known.stream });
	}
	return result;
}

SOOTH_API int pthread_detach(pthread_t thread)
{
	return thread_detach(thread, RECORD_CALLER);
}
