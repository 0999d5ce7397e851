/*
 * Calls that wait until a descriptor is ready: poll, select, epoll. If a descriptor is ready for
 * reading and its channel is known, it became ready by another thread's SEND, and a RECEIVE is
 * recorded. Any other readiness may result from anything that was done before, so SYNC is recorded.
 */
#include "runtime/io/readiness.h"

#include "runtime/io/descriptor.h"
#include "runtime/host/signal_mask.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/interposer.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/poll_empty.h"
#include "runtime/io/kernel_state.h"
#include "runtime/io/sleep.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <stdatomic.h>

#define READABLE (POLLIN | POLLRDNORM | POLLHUP | POLLRDHUP)

/* Records RECEIVE if the channel is known. Returns false if it is not. */
static bool record_receive(int fd, short events, uintptr_t pc)
{
	return !(events & ~READABLE) && channel_receive(descriptor_ends(fd).in, 0, pc);
}

/*
 * Is the channel known? The caller checks all ready descriptors before it records anything, because
 * a single SYNC covers all of them.
 */
static bool is_known_channel(int fd, short events)
{
	return !(events & ~READABLE) && channel_is_known(descriptor_ends(fd).in);
}

/* ---- calls without descriptors, which only sleep --------------------------------------------- */

#define NO_SLEEP (-1)

/* A sleep in virtual time (sleep.h). Returns 0 or EINTR. */
static int sleep_for(uint64_t length, uintptr_t pc)
{
	return sleep_controlled(virtual_time_now() + length, NULL, pc);
}

/*
 * Takes the turn back. If the timeout has expired in the kernel, the virtual clock is advanced past
 * it, too.
 */
static void return_to_schedule(int result, uint64_t began, uint64_t length)
{
	sched_return();
	if (result == 0 && length)
		virtual_time_advance_to(began + length);
}

static bool is_sleep(const fd_set *in, const fd_set *out, const fd_set *odd, int count)
{
	return sched_on() && (count == 0 || (!in && !out && !odd));
}

/* ---- poll ------------------------------------------------------------------------------------ */

static void record_poll_ready(const struct unknown_wait_call *call, const struct pollfd *fds,
			      nfds_t count)
{
	struct unknown_wait_call waited = { call->pc, UNKNOWN_WAIT_NOTHING };

	for (nfds_t i = 0; i < count; i++) {
		if (fds[i].revents && !is_known_channel(fds[i].fd, fds[i].revents))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	for (nfds_t i = 0; i < count && waited.how == UNKNOWN_WAIT_NOTHING; i++) {
		if (fds[i].revents && !record_receive(fds[i].fd, fds[i].revents, call->pc))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	unknown_wait_end(&waited);
}

/*
 * The cleanup of `call` records SYNC only if the thread is cancelled in the call. After a normal
 * return, `call.how` is NOTHING, and the results are recorded at the end.
 */
#define POLL(name, parameters, fds, count, may_wait, sleeps, length)                               \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		if (sched_on() && !(count) && (sleeps)) {                                          \
			int error = sleep_for(length, RECORD_CALLER);                              \
			call.how = UNKNOWN_WAIT_NOTHING;                                           \
			return sleep_result(error);                                                \
		}                                                                                  \
		uint64_t began = virtual_time_now();                                               \
		if (sched_on() && (may_wait) && real()->poll(fds, count, 0) == 0)                  \
			sched_leave(RECORD_CALLER);                                                \
		struct channel_snapshot snapshot = poll_empty_before_poll(fds, count);             \
		int result = real()->name(ARGUMENTS parameters);                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_active)                                                                  \
			return_to_schedule(result, began, (sleeps) ? (length) : 0);                \
		result = poll_empty_after_poll(&snapshot, result, fds, count, RECORD_CALLER);      \
		if (result > 0)                                                                    \
			record_poll_ready(&call, fds, count);                                      \
		return result;                                                                     \
	}

AND_CHECKED(POLL, poll, (struct pollfd *, fds, nfds_t, count, int, timeout), fds, count, timeout,
	    timeout >= 0, (uint64_t)timeout * 1000000u)
AND_CHECKED(POLL, ppoll,
	    (struct pollfd *, fds, nfds_t, count, const struct timespec *, timeout,
	     const sigset_t *, mask),
	    fds, count, sleep_may_wait(timeout), sleep_is_duration(timeout) && !mask,
	    virtual_time_length(timeout))

/* ---- select ---------------------------------------------------------------------------------- */

/*
 * Are any of the descriptors ready? Returns false if the sets are larger than FD_SETSIZE or at
 * invalid addresses; the call of the program then has to handle them.
 */
static bool select_ready(int count, const fd_set *in, const fd_set *out, const fd_set *odd)
{
	fd_set a, b, c;
	struct timeval none = { 0 };
	int error = errno;

	if (count < 0 || count > FD_SETSIZE || !poll_empty_copy_set(&a, in, count) ||
	    !poll_empty_copy_set(&b, out, count) || !poll_empty_copy_set(&c, odd, count))
		return false;
	int ready = real()->select(count, in ? &a : NULL, out ? &b : NULL, odd ? &c : NULL, &none);
	errno = error;
	return ready != 0;
}

static bool has_any(int count, const fd_set *set)
{
	for (int fd = 0; set && fd < count && fd < FD_SETSIZE; fd++) {
		if (FD_ISSET(fd, set))
			return true;
	}
	return false;
}

static void record_select_ready(const struct unknown_wait_call *call, int count, const fd_set *in,
				const fd_set *out, const fd_set *odd)
{
	struct unknown_wait_call waited = { call->pc, UNKNOWN_WAIT_NOTHING };

	if (count > FD_SETSIZE || has_any(count, out) || has_any(count, odd))
		waited.how = UNKNOWN_WAIT_WAITED;
	for (int fd = 0; in && fd < count && waited.how == UNKNOWN_WAIT_NOTHING; fd++) {
		if (FD_ISSET(fd, in) && !is_known_channel(fd, POLLIN))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	for (int fd = 0; in && fd < count && waited.how == UNKNOWN_WAIT_NOTHING; fd++) {
		if (FD_ISSET(fd, in) && !record_receive(fd, POLLIN, call->pc))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	unknown_wait_end(&waited);
}

static bool is_time(const struct timeval *time)
{
	return safe_read_can_read(time, sizeof(*time)) && time->tv_sec >= 0 &&
	       (unsigned long)time->tv_usec < 1000000u;
}

static uint64_t length_of(const struct timeval *time)
{
	return is_time(time)
		       ? (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u
		       : 0;
}

/*
 * Performs a select that only sleeps. Returns NO_SLEEP if the timeout is not valid. Otherwise
 * stores the remaining time in `timeout`, as the kernel does.
 */
static int sleep_as_select(struct timeval *timeout, uintptr_t pc)
{
	if (!is_time(timeout))
		return NO_SLEEP;
	uint64_t until = virtual_time_now() + length_of(timeout);
	int error = sleep_for(length_of(timeout), pc);
	uint64_t now = virtual_time_now(), left = until > now ? (until - now) / 1000u : 0;
	*timeout = (struct timeval){ .tv_sec = (time_t)(left / 1000000u),
				     .tv_usec = (suseconds_t)(left % 1000000u) };
	return error;
}

static int sleep_as_pselect(const struct timespec *timeout, uintptr_t pc)
{
	return sleep_is_duration(timeout) ? sleep_for(virtual_time_length(timeout), pc) : NO_SLEEP;
}

#define SELECT(name, parameters, count, in, out, odd, may_wait, sleeps, length)                    \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		int error = is_sleep(in, out, odd, count) ? (sleeps) : NO_SLEEP;                   \
		if (error != NO_SLEEP) {                                                           \
			call.how = UNKNOWN_WAIT_NOTHING;                                           \
			return sleep_result(error);                                                \
		}                                                                                  \
		uint64_t began = virtual_time_now(), most = sched_on() ? (length) : 0;             \
		if (sched_on() && (may_wait) && !select_ready(count, in, out, odd))                \
			sched_leave(RECORD_CALLER);                                                \
		struct poll_empty_sets asked;                                                      \
		poll_empty_before_select(&asked, count, in, out, odd);                             \
		int result = real()->name(ARGUMENTS parameters);                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_active)                                                                  \
			return_to_schedule(result, began, most);                                   \
		result = poll_empty_after_select(&asked, result, count, in, out, odd,              \
						 RECORD_CALLER);                                   \
		if (result > 0)                                                                    \
			record_select_ready(&call, count, in, out, odd);                           \
		return result;                                                                     \
	}

SELECT(select, (int, count, fd_set *, in, fd_set *, out, fd_set *, odd, struct timeval *, timeout),
       count, in, out, odd, !(is_time(timeout) && !length_of(timeout)),
       sleep_as_select(timeout, RECORD_CALLER), length_of(timeout))
SELECT(pselect,
       (int, count, fd_set *, in, fd_set *, out, fd_set *, odd, const struct timespec *, timeout,
	const sigset_t *, mask),
       count, in, out, odd, sleep_may_wait(timeout),
       mask ? NO_SLEEP : sleep_as_pselect(timeout, RECORD_CALLER),
       sleep_is_duration(timeout) ? virtual_time_length(timeout) : 0)

/* ---- epoll ----------------------------------------------------------------------------------- */

/*
 * Registrations with epoll. They are kept because an epoll event contains the data that the program
 * registered, not the descriptor. If there are more registrations than fit into this table, no
 * event can be attributed to a descriptor.
 */
#define WATCHES_MOST 512
static struct watch {
	int epoll, fd; /* each is the descriptor + 1; 0: free */
	uint32_t events;
	uint64_t data;
	uint64_t name; /* what arms the registration comes before its events (kernel_state.h) */
} watches[WATCHES_MOST];
static _Atomic bool watches_lost; /* there was no room for a registration */
static _Atomic unsigned watch_count;
static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Signals are blocked while the lock is held: a signal handler that leaves by longjmp must not
 * interrupt its holder.
 */
static struct signal_mask lock_watches(void)
{
	struct signal_mask before = signal_mask_all();

	real()->pthread_mutex_lock(&watches_lock);
	return before;
}

static void unlock_watches(struct signal_mask before)
{
	real()->pthread_mutex_unlock(&watches_lock);
	signal_mask_restore(before);
}

static struct watch *find_watch(int epoll, int fd)
{
	for (int i = 0; i < WATCHES_MOST; i++) {
		if (watches[i].epoll == epoll + 1 && (fd < 0 || watches[i].fd == fd + 1))
			return &watches[i];
	}
	return NULL;
}

/* Returns the entry for a descriptor, or a free one, or NULL if all are in use. */
static struct watch *entry_for(int epoll, int fd)
{
	struct watch *at = find_watch(epoll, fd);

	for (int i = 0; !at && i < WATCHES_MOST; i++)
		at = watches[i].epoll ? NULL : &watches[i];
	return at;
}

/* Stores `watch` in the entry for the descriptor. Returns what the entry contained. */
static struct watch replace_watch(int epoll, int fd, struct watch watch)
{
	struct signal_mask before = lock_watches();
	struct watch old = { 0 }, *at = entry_for(epoll, fd);

	if (at) {
		old = *at;
		*at = watch;
		watch_count += (watch.epoll != 0) - (old.epoll != 0);
	} else if (watch.epoll) {
		watches_lost = true;
	}
	unlock_watches(before);
	return old;
}

/* Finds the registration with `data`. Returns false if there is not exactly one. */
static bool find_watched(int epoll, uint64_t data, struct watch *found)
{
	int count = 0;

	struct signal_mask before = lock_watches();
	for (int i = 0; i < WATCHES_MOST && !watches_lost; i++) {
		if (watches[i].epoll != epoll + 1 || watches[i].data != data)
			continue;
		*found = watches[i];
		count++;
	}
	unlock_watches(before);
	return count == 1;
}

void readiness_forget(int fd)
{
	if (!watch_count || thread_buffer_self.depth)
		return;
	struct signal_mask before = lock_watches();
	for (int i = 0; i < WATCHES_MOST; i++) {
		if (watches[i].epoll && (watches[i].fd == fd + 1 || watches[i].epoll == fd + 1)) {
			watches[i] = (struct watch){ 0 };
			watch_count--;
		}
	}
	unlock_watches(before);
}

void readiness_after_fork(void)
{
	watches_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/*
 * A registration is reported only after it was added and, if it reports one event only
 * (EPOLLONESHOT), after it was armed again. So what a thread did before EPOLL_CTL_ADD or
 * EPOLL_CTL_MOD comes before the events of the registration, which other threads may get before the
 * call returns.
 */
static int arm_watch(int epoll, int operation, int fd, struct epoll_event *event, uintptr_t pc)
{
	struct epoll_event wanted = { 0 };
	struct watch old = replace_watch(epoll, fd, (struct watch){ 0 });
	uint64_t name = old.epoll ? old.name : kernel_state_new_name();

	safe_read(&wanted, event, sizeof(wanted));
	kernel_state_change(name, pc);
	replace_watch(epoll, fd,
		      (struct watch){ epoll + 1, fd + 1, wanted.events, wanted.data.u64, name });
	int result = real()->epoll_ctl(epoll, operation, fd, event);
	if (result != 0)
		replace_watch(epoll, fd, old);
	return result;
}

SOOTH_API int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	bool seen = record_on() && thread_buffer_self.depth == 0;

	descriptor_use(epoll, RECORD_CALLER);
	if (seen && (operation == EPOLL_CTL_ADD || operation == EPOLL_CTL_MOD))
		return arm_watch(epoll, operation, fd, event, RECORD_CALLER);
	int result = real()->epoll_ctl(epoll, operation, fd, event);
	if (result == 0 && seen)
		replace_watch(epoll, fd, (struct watch){ 0 });
	else if (result == 0)
		watches_lost = true;
	return result;
}

/* Finds a watch for reading, starting at index `*next`, to which none of the events belongs. */
static bool find_watch_without_event(int epoll, const struct epoll_event *events, int count,
				     int *next, struct watch *found_watch)
{
	struct signal_mask before = lock_watches();
	bool found = false;

	for (; *next < WATCHES_MOST && !found; ++*next) {
		*found_watch = watches[*next];
		found = found_watch->epoll == epoll + 1 && (found_watch->events & EPOLLIN);
		for (int i = 0; i < count && found; i++)
			found = events[i].data.u64 != found_watch->data;
	}
	unlock_watches(before);
	return found;
}

static void check_watched(struct channel_snapshot *snapshot, int epoll)
{
	struct watch watch;

	if (!watch_count || thread_buffer_self.depth)
		return;
	for (int next = 0; find_watch_without_event(epoll, NULL, 0, &next, &watch);)
		channel_snapshot_check(snapshot, descriptor_ends(watch.fd - 1).in);
}

/*
 * An edge-triggered event is reported once only, so a descriptor without an event may still have
 * something to read.
 */
static bool record_watched_empty(const struct channel_snapshot *snapshot, int epoll,
				 const struct epoll_event *events, int count, uintptr_t pc)
{
	struct watch watch;
	bool sure = true;

	if (!watch_count || thread_buffer_self.depth || !record_on())
		return true;
	for (int next = 0; find_watch_without_event(epoll, events, count, &next, &watch);)
		sure &= channel_found_nothing(snapshot, descriptor_ends(watch.fd - 1).in,
					      !(watch.events & (EPOLLET | EPOLLONESHOT)), pc);
	return sure;
}

/*
 * Records that the descriptors without an event had nothing to read, unless the array of events is
 * full and may lack some. A call that has returned events cannot be repeated, because some events
 * are reported only once; so its result is recorded even if the order is not known.
 */
static int record_epoll_empty(struct channel_snapshot *snapshot, int result, int epoll,
			      struct epoll_event *events, int most, uintptr_t pc)
{
	int error = errno;

	if (result > 0)
		snapshot->times = CHANNEL_RETRIES_MOST;
	while (result >= 0 && result < most &&
	       !record_watched_empty(snapshot, epoll, events, result, pc)) {
		channel_snapshot_retry(snapshot);
		check_watched(snapshot, epoll);
		result = real()->epoll_wait(epoll, events, most, 0);
		if (result > 0)
			snapshot->times = CHANNEL_RETRIES_MOST;
	}
	if (result >= 0)
		errno = error;
	return result;
}

static short poll_events(uint32_t events)
{
	return events & ~(uint32_t)(EPOLLIN | EPOLLRDNORM | EPOLLHUP | EPOLLRDHUP) ? POLLOUT
										   : POLLIN;
}

/*
 * The number of a registered descriptor may refer to another file in the meantime. That case is
 * ignored.
 */
static void record_epoll_ready(const struct unknown_wait_call *call, int epoll,
			       const struct epoll_event *events, int count)
{
	struct unknown_wait_call waited = { call->pc, UNKNOWN_WAIT_NOTHING };

	for (int i = 0; i < count && waited.how == UNKNOWN_WAIT_NOTHING; i++) {
		struct watch watch;
		bool known = !thread_buffer_self.depth &&
			     find_watched(epoll, events[i].data.u64, &watch);
		if (known)
			kernel_state_look(watch.name, call->pc);
		if (!known ||
		    !record_receive(watch.fd - 1, poll_events(events[i].events), call->pc))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	unknown_wait_end(&waited);
}

#define EPOLL(name, parameters, fd, events, count, may_wait, length)                               \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		uint64_t began = virtual_time_now();                                               \
		if (sched_on() && (may_wait) && transfer_is_empty(fd))                             \
			sched_leave(RECORD_CALLER);                                                \
		struct channel_snapshot snapshot = channel_snapshot_take();                        \
		check_watched(&snapshot, fd);                                                      \
		int result = real()->name(ARGUMENTS parameters);                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_active)                                                                  \
			return_to_schedule(result, began, length);                                 \
		result = record_epoll_empty(&snapshot, result, fd, events, count, RECORD_CALLER);  \
		if (result > 0 && record_on())                                                     \
			record_epoll_ready(&call, fd, events, result);                             \
		return result;                                                                     \
	}

EPOLL(epoll_wait, (int, fd, struct epoll_event *, events, int, count, int, timeout), fd, events,
      count, timeout, timeout > 0 ? (uint64_t)timeout * 1000000u : 0)
EPOLL(epoll_pwait,
      (int, fd, struct epoll_event *, events, int, count, int, timeout, const sigset_t *, mask), fd,
      events, count, timeout, timeout > 0 ? (uint64_t)timeout * 1000000u : 0)
EPOLL(epoll_pwait2,
      (int, fd, struct epoll_event *, events, int, count, const struct timespec *, timeout,
       const sigset_t *, mask),
      fd, events, count, sleep_may_wait(timeout),
      sleep_is_duration(timeout) ? virtual_time_length(timeout) : 0)
