/*
 * What a waiting kernel thread sees when it looks around: a turn that nobody has, since all the
 * others are in the kernel; or one whose owner sleeps there, in a call that we do not know may block.
 * That one then counts as outside, and others go on. It finds out at its next operation.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/host/libc_next.h"
#include "runtime/sched/timers.h"
#include "runtime/host/save_vectors.h"
#include "runtime/sched/virtual_time.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>

#define PATIENCE_NS 100000000ull /* without a decision, until a sleeping owner is suspected */
#define HUNG_NS 5000000000ull	 /* without a decision, until the run is given up */
#define UNKNOWN_NS 1000000000ull /* … until an owner is suspected whose state nobody tells */

static _Atomic uint64_t moves_seen, since;

static uint64_t real_time(void)
{
	struct timespec time;

	real()->clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/* The state of a thread, as /proc/self/task/N/stat has it behind the name in parentheses; 0: not known. */
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

/* It sleeps; or it has computed for so long that it may wait in a loop that we do not see. */
static bool is_stuck(int tid, uint64_t for_ns)
{
	char state = state_of(tid);

	return state == 'S' || (state == 'R' && for_ns > HUNG_NS) ||
	       (state == 0 && for_ns > UNKNOWN_NS);
}

/* It had the turn and slept. If it moved after all, it keeps it. */
static bool take_from(uint32_t owner, uint32_t self, uint64_t moves, uint64_t for_ns)
{
	struct sched_thread *t = &sched_threads[owner];
	uint32_t expected = owner;

	if (t->where != SCHED_RUNS || !is_stuck(t->tid, for_ns))
		return false;
	if (!atomic_compare_exchange_strong(&sched.holder, &expected, self))
		return false;
	if (sched.moves != moves || !is_stuck(t->tid, for_ns) || sched.held) {
		sched.holder = owner;
		return false;
	}
	sched.outside++;
	t->where = SCHED_OUTSIDE;
	return true;
}

/* Nobody has decided anything for long: is anybody to be expected? */
static void give_up_if_hung(uint64_t for_ns)
{
	if (!(sched.control->options & CONTROL_END_STUCK) || for_ns < HUNG_NS)
		return;
	sched_stuck_write_blocked(NULL);
	sched_end_run(CONTROL_HUNG, "", 0);
}

bool sched_waited_long(uint32_t self)
{
	uint64_t moves = sched.moves, now = real_time();
	uint32_t owner = sched.holder, nobody = SCHED_NOBODY;

	if (owner == SCHED_NOBODY)
		return atomic_compare_exchange_strong(&sched.holder, &nobody, self);
	if (moves != moves_seen) {
		moves_seen = moves;
		since = now;
		return false;
	}
	if (sched.held || now - since < PATIENCE_NS || owner == self)
		return false;
	return take_from(owner, self, moves, now - since);
}

static void look_whether_hung(void *unused)
{
	static uint64_t steps, from;
	uint64_t now = real_time();

	(void)unused;
	if (sched.control->steps != steps || !from) {
		steps = sched.control->steps;
		from = now;
	}
	give_up_if_hung(now - from);
}

/* ---- time that passes ------------------------------------------------------------------------ */

static void jump(void *time)
{
	uint64_t to = *(const uint64_t *)time, now = virtual_time_now();

	if (to > now)
		timers_pass(to - now);
	virtual_time_advance_to(to);
}

void sched_outside_pass(uint64_t time)
{
	if (__builtin_expect(timers_used, 0))
		save_vectors_call(jump, &time);
	else
		virtual_time_advance_to(time);
}

static void find_first(void *first)
{
	*(uint64_t *)first = timers_first();
}

bool sched_outside_timer(uint64_t time)
{
	uint64_t first, now = virtual_time_now();

	if (__builtin_expect(!timers_used, 1))
		return false;
	save_vectors_call(find_first, &first);
	if (first == UINT64_MAX || now + first > time)
		return false;
	sched_outside_pass(now + first);
	sched.idle = 0; /* whom it is for is there soon */
	return true;
}

/*
 * Time passes when all wait. Who is on its way into a call does not yet: its signal, say, would come
 * before it waits for that.
 */
static void look_whether_asleep(void *asleep)
{
	bool *all = asleep;

	for (uint32_t i = 0; i < sched.top && *all; i++) {
		const struct sched_thread *t = &sched_threads[i];
		*all = t->where != SCHED_OUTSIDE || state_of(t->tid) != 'R';
	}
}

bool sched_outside_asleep(void)
{
	bool all = true;

	save_vectors_call(look_whether_asleep, &all);
	return all;
}

void sched_outside_nobody(void)
{
	save_vectors_call(look_whether_hung, NULL);
}
