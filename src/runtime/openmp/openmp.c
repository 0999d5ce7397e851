/*
 * What all of OpenMP shares: numbers, channels, and being inside the OpenMP library. Also the
 * creation of the library's threads: a worker is inside whenever it does not execute the program.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/host/libc_next.h"
#include "runtime/host/process.h"
#include "runtime/openmp/openmp_thread.h"
#include "runtime/sched/sched.h"
#include "runtime/sync/sync_object.h"

#include <errno.h>
#include <stdatomic.h>

SOOTH_TLS struct openmp_self openmp_self;
static SOOTH_TLS uint32_t numbers_drawn;

uint64_t openmp_number(void)
{
	return EVENT_OPENMP + ((uint64_t)thread_buffer_self.stream << 36) +
	       ((uint64_t)++numbers_drawn << 4);
}

static void record_channel(enum event_kind kind, uint64_t channel, uintptr_t pc)
{
	const void *object = (const void *)(uintptr_t)channel;

	sched_before(kind, object, 0, pc);
	sync_object_record_next(kind, pc, object, EVENT_CHANNEL_TOLD);
}

void openmp_send(uint64_t channel, uintptr_t pc)
{
	record_channel(EV_SEND, channel, pc);
}

void openmp_receive(uint64_t channel, uintptr_t pc)
{
	record_channel(EV_RECEIVE, channel, pc);
}

/* ---- inside the library ---------------------------------------------------------------------- */

static void go_in(bool waits, uintptr_t pc)
{
	if (waits)
		sched_leave(pc);
	thread_buffer_self.quiet = true;
	openmp_self.left = waits;
	openmp_self.inside = true;
}

/* The scheduler may have taken the turn away even if the call was not expected to wait. */
static void go_out(void)
{
	openmp_self.inside = openmp_self.left = false;
	thread_buffer_self.quiet = false;
	sched_return();
}

void openmp_enter(bool waits, uintptr_t pc)
{
	int error = errno;

	go_in(waits, pc);
	errno = error;
}

void openmp_leave(void)
{
	int error = errno;

	go_out();
	errno = error;
}

struct openmp_callback openmp_come_out(void)
{
	struct openmp_callback callback = { openmp_self.inside, openmp_self.left };

	if (callback.inside)
		openmp_leave();
	return callback;
}

void openmp_go_back(struct openmp_callback callback, uintptr_t pc)
{
	if (callback.inside)
		openmp_enter(callback.left, pc);
}

/* ---- threads of the library ------------------------------------------------------------------ */

struct worker_start {
	void *(*routine)(void *);
	void *argument;
};

static void *openmp_worker(void *argument)
{
	struct worker_start start = *(struct worker_start *)argument;

	real()->free(argument);
	if (!record_on())
		return start.routine(start.argument);
	openmp_enter(true, (uintptr_t)start.routine);
	void *result = start.routine(start.argument);
	openmp_leave();
	return result;
}

int openmp_create_thread(pthread_t *thread, const pthread_attr_t *attributes,
			 void *(*routine)(void *), void *argument, uintptr_t pc)
{
	struct worker_start *start = real()->malloc(sizeof(*start));

	if (!start)
		return EAGAIN;
	*start = (struct worker_start){ routine, argument };
	struct openmp_callback callback = openmp_come_out();
	int result = thread_create(thread, attributes,
				   (struct thread_routine){ .posix = openmp_worker }, start, pc);
	openmp_go_back(callback, pc);
	if (result != 0)
		real()->free(start);
	return result;
}

/* ---- what is not modelled -------------------------------------------------------------------- */

void openmp_unmodelled(const char *what, uintptr_t pc)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		process_say("this part of OpenMP is not modelled, findings around it are missed: ",
			    what);
	record_unmodelled(pc, what);
	sched_before(EV_SYNC, NULL, 0, pc);
	record(EV_SYNC, pc, (struct record_fields){ 0 });
}
