/*
 * Threads outside. A waiting kernel thread looks around now and then (carrier_kernel.c). If no
 * thread has the turn, because the others are in the kernel, the waiting thread claims it. If the
 * thread with the turn sleeps in a call that we did not expect to block, the waiting thread takes
 * the turn from it. The sleeping thread then counts as outside; it notices this at its next
 * operation.
 *
 * Also here: advancing virtual time, and the kernel's timers with it.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/host/libc_next.h"
#include "runtime/sched/timers.h"
#include "runtime/host/save_vectors.h"
#include "runtime/sched/virtual_time.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>

/* Time without progress until ... */
#define PATIENCE_NS 100000000ull /* we check whether the thread with the turn sleeps */
#define UNKNOWN_NS 1000000000ull /* the turn is taken from a thread whose state is unknown */
#define HUNG_NS 5000000000ull	 /* the run is given up */

static _Atomic uint64_t progress_seen, progress_since, processor_time_seen;

static uint64_t real_time(void)
{
	struct timespec time;

	real()->clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/*
 * Returns the state of a thread, a letter that follows the name in parentheses in
 * /proc/self/task/N/stat. 0: unknown.
 */
static char state_of(int tid)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = real()->read(fd, text, sizeof(text) - 1);
	close(fd);
	for (ssize_t i = n - 1; i > 1; i--)
		if (text[i - 2] == ')')
			return text[i];
	return 0;
}

/*
 * Returns the processor time that a thread has used, or 0 if it is unknown. A thread that gets no
 * processor, because others use it or because the process was stopped, is no thread that waits in a
 * loop: so its own time counts.
 */
static uint64_t processor_time_of(int tid)
{
	const clockid_t clock = (clockid_t)((~(uint32_t)tid << 3) | 6); /* as in the kernel's ABI */
	struct timespec time;

	if (real()->clock_gettime(clock, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/*
 * Does the thread sleep, or has it run for so long that it may wait in a loop that we do not see?
 */
static bool is_without_progress(int tid, uint64_t for_ns)
{
	char state = state_of(tid);

	if (state == 'R')
		return for_ns > HUNG_NS && processor_time_of(tid) - processor_time_seen > HUNG_NS;
	return state == 'S' || (state == 0 && for_ns > UNKNOWN_NS);
}

/* Tells the tool that this thread waited for something that is not recorded. */
static void note_held_up(uint32_t thread)
{
	struct control *control = sched.control;

	if (control->held_up_count < CONTROL_HELD_UP)
		control->held_up[control->held_up_count] = thread;
	control->held_up_count++;
}

/*
 * Takes the turn from a thread that sleeps in the kernel. If the thread made progress in the
 * meantime, it keeps the turn.
 *
 * The owner may wake up at any moment, and it must not go on without the turn. At its next
 * operation it first says that the scheduler works in it, and then looks at `holder`. Here,
 * `holder` changes first, and the owner's state is looked at again after that, which takes longer
 * than it takes a store to become visible. So either the owner is seen at work and keeps the turn,
 * or it notices that it is not the holder. It then waits until this function has decided
 * (come_back() in sched.c).
 *
 * The owner's slice ends here: what it does after it has come back is placed after what others do
 * until then.
 */
static bool take_turn_from(uint32_t owner, uint32_t self, uint64_t progress, uint64_t for_ns)
{
	struct sched_thread *t = &sched_threads[owner];
	uint32_t expected = owner;

	if (t->state != SCHED_RUNNING || !is_without_progress(t->tid, for_ns))
		return false;
	if (!atomic_compare_exchange_strong(&sched.holder, &expected, self))
		return false;
	if (!is_without_progress(t->tid, for_ns) || sched.progress != progress || t->work_depth ||
	    sched.inspected) {
		expected = self; /* unless the owner has handed the turn over just now */
		atomic_compare_exchange_strong(&sched.holder, &expected, owner);
		return false;
	}
	sched_log_switch(t); /* what it did so far comes before what others do from now on */
	sched.outside++;
	t->state = SCHED_OUTSIDE;
	note_held_up(owner);
	return true;
}

bool sched_try_claim_turn(uint32_t self)
{
	uint64_t progress = sched.progress, now = real_time();
	uint32_t owner = sched.holder, no_thread = SCHED_NO_THREAD;

	if (owner == SCHED_NO_THREAD)
		return atomic_compare_exchange_strong(&sched.holder, &no_thread, self);
	if (progress != progress_seen) {
		progress_seen = progress;
		progress_since = now;
		processor_time_seen = processor_time_of(sched_threads[owner].tid);
		return false;
	}
	if (sched.inspected || now - progress_since < PATIENCE_NS || owner == self)
		return false;
	return take_turn_from(owner, self, progress, now - progress_since);
}

/* Ends the run if there has been no step for HUNG_NS. */
static void end_if_hung(void *unused)
{
	static uint64_t steps, from;
	uint64_t now = real_time();

	(void)unused;
	if (sched.control->steps != steps || !from) {
		steps = sched.control->steps;
		from = now;
	}
	if (!(sched.control->options & CONTROL_END_STUCK) || now - from < HUNG_NS)
		return;
	sched_stuck_write_blocked(NULL);
	sched_end_run(CONTROL_HUNG, "", 0);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void advance_with_timers(void *time)
{
	uint64_t to = *(const uint64_t *)time, now = virtual_time_now();

	if (to > now)
		timers_bring_forward(to - now);
	virtual_time_advance_to(to);
}

void sched_outside_advance_time(uint64_t time)
{
	if (__builtin_expect(timers_used, 0))
		save_vectors_call(advance_with_timers, &time);
	else
		virtual_time_advance_to(time);
}

static void find_first_timer(void *first)
{
	*(uint64_t *)first = timers_until_first();
}

bool sched_outside_expire_timer(uint64_t time)
{
	uint64_t first, now = virtual_time_now();

	if (__builtin_expect(!timers_used, 1))
		return false;
	save_vectors_call(find_first_timer, &first);
	if (first == UINT64_MAX || now + first > time)
		return false;
	sched_outside_advance_time(now + first);
	sched.idle_decisions = 0; /* the thread that waits for the timer comes back soon */
	return true;
}

/*
 * Clears `*asleep` if a thread that is outside is running: it may still be on its way into its
 * call. Virtual time must not advance then. For example, a timer's signal would arrive before the
 * thread waits for that signal.
 */
static void check_all_asleep(void *asleep)
{
	bool *all = asleep;

	for (uint32_t i = 0; i < sched.top && *all; i++) {
		const struct sched_thread *t = &sched_threads[i];
		*all = t->state != SCHED_OUTSIDE || state_of(t->tid) != 'R';
	}
}

bool sched_outside_all_asleep(void)
{
	bool all = true;

	save_vectors_call(check_all_asleep, &all);
	return all;
}

void sched_outside_check_hung(void)
{
	save_vectors_call(end_if_hung, NULL);
}
