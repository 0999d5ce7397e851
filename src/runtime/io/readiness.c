/*
 * Calls that wait until a descriptor is ready. That something can be read from a channel that is known
 * was somebody's SEND; readiness of anything else, or for writing, may come of whatever was done
 * before.
 */
#include "runtime/io/readiness.h"

#include "runtime/io/descriptor.h"
#include "runtime/host/signal_mask.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/poll_empty.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <stdatomic.h>

#define READABLE (POLLIN | POLLRDNORM | POLLHUP | POLLRDHUP)

/* RECEIVE, where it is known of what. False: not. */
static bool is_explained(int fd, short events, uintptr_t pc)
{
	return !(events & ~READABLE) && channel_receive(descriptor_ends(fd).in, 0, pc);
}

/* Is it known? Asked before anything is recorded: one SYNC says all. */
static bool is_known(int fd, short events)
{
	return !(events & ~READABLE) && channel_is_known(descriptor_ends(fd).in);
}

/* ---- sleeping with nothing to wait for -------------------------------------------------------------- */

/* In turn it is a sleep as any other (blocking_calls.c), not a wait outside. 0, or EINTR. */
#define NO_SLEEP (-1)
static int sleep_in_turn(uint64_t length, uintptr_t pc)
{
	bool slept = sched_sleep(virtual_time_now() + length, pc);

	real()->pthread_testcancel();
	return slept ? 0 : EINTR;
}

static int fail_if(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* Takes the turn again. A time that is over for the kernel is so on the virtual clock, too. */
static void come_back(int result, uint64_t began, uint64_t length)
{
	sched_return();
	if (result == 0 && length)
		virtual_time_advance_to(began + length);
}

static bool is_sleep(const fd_set *in, const fd_set *out, const fd_set *odd, int count)
{
	return sched_on() && (count == 0 || (!in && !out && !odd));
}

/* ---- poll --------------------------------------------------------------------------------------- */

static void polled(const struct unknown_wait_call *call, const struct pollfd *fds, nfds_t count)
{
	struct unknown_wait_call waited = { call->pc, UNKNOWN_WAIT_NOTHING };

	for (nfds_t i = 0; i < count; i++) {
		if (fds[i].revents && !is_known(fds[i].fd, fds[i].revents))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	for (nfds_t i = 0; i < count && waited.how == UNKNOWN_WAIT_NOTHING; i++) {
		if (fds[i].revents && !is_explained(fds[i].fd, fds[i].revents, call->pc))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	unknown_wait_end(&waited);
}

/* The cleanup stands for cancellation; what a call that came back has learned is recorded behind it. */
#define POLL(name, parameters, arguments, may_wait, sleeps, length)                                \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		if (sched_on() && !count && (sleeps)) {                                            \
			int error = sleep_in_turn(length, RECORD_CALLER);                          \
			call.how = UNKNOWN_WAIT_NOTHING;                                           \
			return fail_if(error);                                                     \
		}                                                                                  \
		uint64_t began = virtual_time_now();                                               \
		if (sched_on() && (may_wait) && real()->poll(fds, count, 0) == 0)                  \
			sched_leave(RECORD_CALLER);                                                \
		struct channel_look look = poll_empty_of_poll(fds, count);                         \
		int result = real()->name arguments;                                               \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_taking)                                                                  \
			come_back(result, began, (sleeps) ? (length) : 0);                         \
		result = poll_empty_polled(&look, result, fds, count, RECORD_CALLER);              \
		if (result > 0)                                                                    \
			polled(&call, fds, count);                                                 \
		return result;                                                                     \
	}

static bool is_long(const struct timespec *time)
{
	return !time ||
	       (safe_read_can_read(time, sizeof(*time)) && (time->tv_sec || time->tv_nsec));
}

static bool has_end(const struct timespec *time)
{
	return safe_read_can_read(time, sizeof(*time)) && sync_object_time_valid(time) &&
	       time->tv_sec >= 0;
}

POLL(poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout), timeout,
     timeout >= 0, (uint64_t)timeout * 1000000u)
POLL(__poll_chk, (struct pollfd * fds, nfds_t count, int timeout, size_t room),
     (fds, count, timeout, room), timeout, timeout >= 0, (uint64_t)timeout * 1000000u)
POLL(ppoll,
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (fds, count, timeout, mask), is_long(timeout), has_end(timeout) && !mask,
     virtual_time_length(timeout))
POLL(__ppoll_chk,
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
      size_t room),
     (fds, count, timeout, mask, room), is_long(timeout), has_end(timeout) && !mask,
     virtual_time_length(timeout))

/* ---- select -------------------------------------------------------------------------------------- */

/* As much of a set as the call looks at: there need not be more of it. */
static bool copy_set(fd_set *to, const fd_set *from, int count)
{
	size_t words = ((size_t)count + NFDBITS - 1) / NFDBITS;

	return !from || safe_read(to, from, words * sizeof(fd_mask));
}

/* Sets that are larger than ours, or nowhere, are left to the call itself. */
static bool select_ready(int count, const fd_set *in, const fd_set *out, const fd_set *odd)
{
	fd_set a, b, c;
	struct timeval none = { 0 };
	int error = errno;

	if (count < 0 || count > FD_SETSIZE || !copy_set(&a, in, count) ||
	    !copy_set(&b, out, count) || !copy_set(&c, odd, count))
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

static void selected(const struct unknown_wait_call *call, int count, const fd_set *in,
		     const fd_set *out, const fd_set *odd)
{
	struct unknown_wait_call waited = { call->pc, UNKNOWN_WAIT_NOTHING };

	if (count > FD_SETSIZE || has_any(count, out) || has_any(count, odd))
		waited.how = UNKNOWN_WAIT_WAITED;
	for (int fd = 0; in && fd < count && waited.how == UNKNOWN_WAIT_NOTHING; fd++) {
		if (FD_ISSET(fd, in) && !is_known(fd, POLLIN))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	for (int fd = 0; in && fd < count && waited.how == UNKNOWN_WAIT_NOTHING; fd++) {
		if (FD_ISSET(fd, in) && !is_explained(fd, POLLIN, call->pc))
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

/* How has it slept, if it has? What is left of the time is told, as the kernel does. */
static int slept(struct timeval *timeout, uintptr_t pc)
{
	if (!is_time(timeout))
		return NO_SLEEP;
	uint64_t until = virtual_time_now() + length_of(timeout);
	int error = sleep_in_turn(length_of(timeout), pc);
	uint64_t now = virtual_time_now(), left = until > now ? (until - now) / 1000u : 0;
	*timeout = (struct timeval){ .tv_sec = (time_t)(left / 1000000u),
				     .tv_usec = (suseconds_t)(left % 1000000u) };
	return error;
}

static int slept_for(const struct timespec *timeout, uintptr_t pc)
{
	return has_end(timeout) ? sleep_in_turn(virtual_time_length(timeout), pc) : NO_SLEEP;
}

#define SELECT(name, parameters, arguments, may_wait, sleeps, length)                              \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		int error = is_sleep(in, out, odd, count) ? (sleeps) : NO_SLEEP;                   \
		if (error != NO_SLEEP) {                                                           \
			call.how = UNKNOWN_WAIT_NOTHING;                                           \
			return fail_if(error);                                                     \
		}                                                                                  \
		uint64_t began = virtual_time_now(), most = sched_on() ? (length) : 0;             \
		if (sched_on() && (may_wait) && !select_ready(count, in, out, odd))                \
			sched_leave(RECORD_CALLER);                                                \
		struct poll_empty_sets asked;                                                      \
		poll_empty_of_select(&asked, count, in, out, odd);                                 \
		int result = real()->name arguments;                                               \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_taking)                                                                  \
			come_back(result, began, most);                                            \
		result = poll_empty_selected(&asked, result, count, in, out, odd, RECORD_CALLER);  \
		if (result > 0)                                                                    \
			selected(&call, count, in, out, odd);                                      \
		return result;                                                                     \
	}

SELECT(select,
       (int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
	struct timeval *restrict timeout),
       (count, in, out, odd, timeout), !(is_time(timeout) && !length_of(timeout)),
       slept(timeout, RECORD_CALLER), length_of(timeout))
SELECT(pselect,
       (int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
	const struct timespec *restrict timeout, const sigset_t *restrict mask),
       (count, in, out, odd, timeout, mask), is_long(timeout),
       mask ? NO_SLEEP : slept_for(timeout, RECORD_CALLER),
       has_end(timeout) ? virtual_time_length(timeout) : 0)

/* ---- epoll ---------------------------------------------------------------------------------------- */

/*
 * An event says what the program asked to be told, not of which descriptor it is: so what was asked is
 * kept. Of more descriptors than fit nothing is known.
 */
#define WATCHES_MOST 512
static struct watch {
	int epoll, fd; /* + 1; 0: free */
	uint32_t events;
	uint64_t data;
} watches[WATCHES_MOST];
static _Atomic bool watches_lost; /* there was no room for one */
static _Atomic unsigned watch_count;
static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;

/* `close` and epoll may be called where a handler cuts in that jumps away: not out of here. */
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

static void watch(int epoll, int operation, int fd, const struct epoll_event *event)
{
	struct signal_mask before = lock_watches();
	struct watch *at = find_watch(epoll, fd);
	if (operation == EPOLL_CTL_DEL) {
		if (at) {
			*at = (struct watch){ 0 };
			watch_count--;
		}
	} else {
		for (int i = 0; !at && i < WATCHES_MOST; i++) {
			at = watches[i].epoll ? NULL : &watches[i];
			watch_count += at != NULL;
		}
		if (at)
			*at = (struct watch){ epoll + 1, fd + 1, event->events, event->data.u64 };
		else
			watches_lost = true;
	}
	unlock_watches(before);
}

/* The descriptor that the event is of; -1: more than one may be. */
static int watched(int epoll, uint64_t data)
{
	int found = -1;

	struct signal_mask before = lock_watches();
	for (int i = 0; i < WATCHES_MOST && !watches_lost; i++) {
		if (watches[i].epoll != epoll + 1 || watches[i].data != data)
			continue;
		if (found >= 0) {
			found = -1;
			break;
		}
		found = watches[i].fd - 1;
	}
	unlock_watches(before);
	return found;
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

SOOTH_API int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	descriptor_use(epoll, RECORD_CALLER);
	int result = real()->epoll_ctl(epoll, operation, fd, event);

	if (result == 0 && record_on() && thread_buffer_self.depth == 0)
		watch(epoll, operation, fd, event);
	else if (result == 0)
		watches_lost = true;
	return result;
}

/* The watches from `*next` on: one for reading that none of the events is of. */
static bool find_silent(int epoll, const struct epoll_event *events, int count, int *next,
			struct watch *silent)
{
	struct signal_mask before = lock_watches();
	bool found = false;

	for (; *next < WATCHES_MOST && !found; ++*next) {
		*silent = watches[*next];
		found = silent->epoll == epoll + 1 && (silent->events & EPOLLIN);
		for (int i = 0; i < count && found; i++)
			found = events[i].data.u64 != silent->data;
	}
	unlock_watches(before);
	return found;
}

static void look_at_watched(struct channel_look *look, int epoll)
{
	struct watch watch;

	if (!watch_count || thread_buffer_self.depth)
		return;
	for (int next = 0; find_silent(epoll, NULL, 0, &next, &watch);)
		channel_look_at(look, descriptor_ends(watch.fd - 1).in);
}

/* An edge is told once: who is not told of it may still have left something there. */
static bool record_unwatched(const struct channel_look *look, int epoll,
			     const struct epoll_event *events, int count, uintptr_t pc)
{
	struct watch watch;
	bool sure = true;

	if (!watch_count || thread_buffer_self.depth || !record_on())
		return true;
	for (int next = 0; find_silent(epoll, events, count, &next, &watch);)
		sure &= channel_found_nothing(look, descriptor_ends(watch.fd - 1).in,
					      !(watch.events & (EPOLLET | EPOLLONESHOT)), pc);
	return sure;
}

/*
 * Of whom there was no event there was nothing to tell, unless there was no room for more events. Events are
 * told once, so who has got some cannot ask again, and it is as it is.
 */
static int poll_empty_told(struct channel_look *look, int result, int epoll,
			   struct epoll_event *events, int most, uintptr_t pc)
{
	int error = errno;

	if (result > 0)
		look->times = CHANNEL_LOOKS_MOST;
	while (result >= 0 && result < most && !record_unwatched(look, epoll, events, result, pc)) {
		channel_look_again(look);
		look_at_watched(look, epoll);
		result = real()->epoll_wait(epoll, events, most, 0);
		if (result > 0)
			look->times = CHANNEL_LOOKS_MOST;
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

/* The numbers of descriptors may have come to mean others since they were asked for; then so it is. */
static void told(const struct unknown_wait_call *call, int epoll, const struct epoll_event *events,
		 int count)
{
	struct unknown_wait_call waited = { call->pc, UNKNOWN_WAIT_NOTHING };

	for (int i = 0; i < count && waited.how == UNKNOWN_WAIT_NOTHING; i++) {
		int fd = thread_buffer_self.depth ? -1 : watched(epoll, events[i].data.u64);
		if (fd < 0 || !is_explained(fd, poll_events(events[i].events), call->pc))
			waited.how = UNKNOWN_WAIT_WAITED;
	}
	unknown_wait_end(&waited);
}

#define EPOLL(name, parameters, arguments, may_wait, length)                                       \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		uint64_t began = virtual_time_now();                                               \
		if (sched_on() && (may_wait) && transfer_is_empty(fd))                             \
			sched_leave(RECORD_CALLER);                                                \
		struct channel_look look = channel_look();                                         \
		look_at_watched(&look, fd);                                                        \
		int result = real()->name arguments;                                               \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_taking)                                                                  \
			come_back(result, began, length);                                          \
		result = poll_empty_told(&look, result, fd, events, count, RECORD_CALLER);         \
		if (result > 0 && record_on())                                                     \
			told(&call, fd, events, result);                                           \
		return result;                                                                     \
	}

EPOLL(epoll_wait, (int fd, struct epoll_event *events, int count, int timeout),
      (fd, events, count, timeout), timeout, timeout > 0 ? (uint64_t)timeout * 1000000u : 0)
EPOLL(epoll_pwait,
      (int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
      (fd, events, count, timeout, mask), timeout, timeout > 0 ? (uint64_t)timeout * 1000000u : 0)
EPOLL(epoll_pwait2,
      (int fd, struct epoll_event *events, int count, const struct timespec *timeout,
       const sigset_t *mask),
      (fd, events, count, timeout, mask), is_long(timeout),
      has_end(timeout) ? virtual_time_length(timeout) : 0)
