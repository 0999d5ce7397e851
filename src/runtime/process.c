#include "runtime/process.h"

#include "event/event.h"
#include "event/wire.h"
#include "runtime/global.h"
#include "runtime/lane.h"
#include "runtime/log.h"
#include "runtime/module.h"
#include "runtime/options.h"
#include "runtime/pattern.h"
#include "runtime/point.h"
#include "runtime/real.h"
#include "runtime/record.h"
#include "runtime/remains.h"
#include "runtime/ring.h"
#include "runtime/server.h"
#include "runtime/turn.h"
#include "runtime/vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum state { FRESH, STARTING, RECORDING, IDLE };

static struct {
	_Atomic enum state state;
	struct options options;
	char dir[OPTIONS_PATH_MAX + 32];
	pid_t pid;	       /* whose trace it is */
	_Atomic pid_t starter; /* the thread that is in process_start */
	_Atomic bool told;     /* that a stream had to stop */
	bool forked;	       /* it goes on with what another process did */
} process;

/* ---- words to the user: at most a line, on stderr, only when something is wrong ------------ */

/* What descriptor 2 was at the start: a program may close it and get it again for a file. */
static struct stat standard_error;

void process_say(const char *what, const char *which)
{
	struct iovec line[] = {
		{ "sooth: ", 7 },
		{ (char *)what, strlen(what) },
		{ (char *)which, strlen(which) },
		{ "\n", 1 },
	};
	struct stat now;

	if (process.options.quiet)
		return;
	if (fstat(2, &now) != 0 || now.st_dev != standard_error.st_dev ||
	    now.st_ino != standard_error.st_ino)
		return;
	if (writev(2, line, sizeof(line) / sizeof(line[0])) < 0)
		return;
}

/* ---- the trace's directory ------------------------------------------------------------------ */

/* The program may change its directory; the trace stays where it was asked for. */
static void make_absolute(char dir[OPTIONS_PATH_MAX])
{
	char here[OPTIONS_PATH_MAX];
	size_t length = strlen(dir);

	if (length == 0 || dir[0] == '/' || !getcwd(here, sizeof(here)))
		return;
	size_t prefix = strlen(here) + 1;
	if (prefix + length >= OPTIONS_PATH_MAX)
		return;
	memmove(dir + prefix, dir, length + 1);
	memcpy(dir, here, prefix - 1);
	dir[prefix - 1] = '/';
}

/* The first process of a recording has the name asked for; others put their pid into it. */
static bool make_dir(void)
{
	const char *asked = process.options.dir;
	size_t length = strlen(asked);
	const char *suffix = length > 6 && !strcmp(asked + length - 6, ".sooth") ? ".sooth" : "";
	int stem = (int)(length - strlen(suffix));

	snprintf(process.dir, sizeof(process.dir), "%s", asked);
	for (int again = 0; mkdir(process.dir, 0777) != 0; again++) {
		if (errno != EEXIST || again == 1000)
			return false;
		if (again == 0)
			snprintf(process.dir, sizeof(process.dir), "%.*s.%d%s", stem, asked,
				 (int)getpid(), suffix);
		else /* the same process after an exec */
			snprintf(process.dir, sizeof(process.dir), "%.*s.%d.%d%s", stem, asked,
				 (int)getpid(), again, suffix);
	}
	return true;
}

static void append_file(const char *name, const char *text, size_t length)
{
	char path[sizeof(process.dir) + 16];

	snprintf(path, sizeof(path), "%s/%s", process.dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	while (length) {
		ssize_t n = write(fd, text, length);
		if (n <= 0)
			break;
		text += n;
		length -= (size_t)n;
	}
	close(fd);
}

static void meta_line(const char *key, const char *value)
{
	char line[OPTIONS_PATH_MAX + 256];
	int length = snprintf(line, sizeof(line), "%s: %s\n", key, value);

	if (length > 0)
		append_file("meta", line,
			    (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

static void meta_number(const char *key, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	meta_line(key, text);
}

/* Arguments separated by spaces; what could be mistaken is shown as \xNN. */
static void meta_command(void)
{
	char raw[1024], text[4 * sizeof(raw) + 1];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : real()->read(fd, raw, sizeof(raw));
	char *p = text;

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)raw[i];
		if (c == 0)
			*p++ = ' ';
		else if (c > ' ' && c < 127 && c != '\\')
			*p++ = (char)c;
		else
			p += sprintf(p, "\\x%02x", c);
	}
	*p = 0;
	meta_line("command", text);
}

static void write_meta(void)
{
	char path[OPTIONS_PATH_MAX];
	ssize_t length;

	meta_number("sooth-trace", WIRE_VERSION);
	meta_number("pid", getpid());
	meta_command();
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = 0;
	meta_line("program", path);
	if (getcwd(path, sizeof(path)))
		meta_line("directory", path);
	meta_number("time", (long long)time(NULL));
	meta_number("ticks", (long long)__rdtsc());
	if (process.forked)
		meta_number("forked", 1);
	meta_line("log", process.options.global_log ? "global" : "thread");
	if (process.options.limit)
		meta_number("limit", (long long)process.options.limit);
}

/* Which file is where in memory: for the places of return addresses. */
static void write_maps(void)
{
	char buffer[8192];
	char path[sizeof(process.dir) + 8];
	int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	snprintf(path, sizeof(path), "%s/maps", process.dir);
	if (from < 0)
		return;
	unlink(path);
	while ((n = real()->read(from, buffer, sizeof(buffer))) > 0)
		append_file("maps", buffer, (size_t)n);
	close(from);
}

/* ---- start ---------------------------------------------------------------------------------- */

static bool open_trace(void)
{
	if (process.options.dir[0] == 0)
		return false;
	if (!make_dir()) {
		process_say("cannot make the trace's directory, nothing is recorded: ",
			    process.dir);
		return false;
	}
	process.pid = getpid();
	log_open(process.dir);
	if (!ring_open(process.dir) || (process.options.global_log && !global_open())) {
		process_say("cannot write the trace, nothing is recorded: ", process.dir);
		return false;
	}
	write_meta();
	write_maps();
	if (process.options.verbosity > 0)
		process_say("recording to ", process.dir);
	return true;
}

void process_start(void)
{
	enum state fresh = FRESH;

	if (__builtin_expect(atomic_load(&process.state) >= RECORDING, 1))
		return;
	if (!environ) /* in .preinit_array: the C library does not know its environment yet */
		return;
	if (!atomic_compare_exchange_strong(&process.state, &fresh, STARTING)) {
		/* This thread is at it and was called back: go on without. Or another is: wait. */
		while (atomic_load(&process.state) == STARTING && process.starter != gettid())
			sched_yield();
		return;
	}
	int error = errno;
	process.starter = gettid();
	bool quiet = lane_self.quiet;
	lane_self.quiet = true;
	fstat(2, &standard_error);
	options_read(&process.options, getenv("SOOTH_OPTIONS"));
	make_absolute(process.options.dir);
	bool recording = open_trace();
	if (recording || process_discards())
		turn_start(&process.options);
	if (turn_taking)
		lane_number_streams_from(CONTROL_THREADS);
	if (turn_taking && process_discards())
		recording = ring_open(NULL);
	pattern_on = recording && process.options.patterns;
	atomic_store(&process.state, recording ? RECORDING : IDLE);
	if (recording)
		point_start(process.options.points);
	lane_start();
	lane_self.quiet = quiet;
	errno = error;
}

bool process_started(void)
{
	return atomic_load_explicit(&process.state, memory_order_relaxed) >= RECORDING;
}

/* Every unit compiled with the sanitizer's flag has a constructor that calls this. */
SOOTH_API void __tsan_init(void)
{
	process_start();
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	turn_exit();
	turn_finish(CONTROL_ENDED, "");
	process_finish(EVENT_PROCESS_EXIT, status);
	server_exit(status);
}

/*
 * Before the constructors of the program, which come after those of the libraries it needs. What
 * is registered here, before the C library registers the destructors, runs after all of them.
 */
__attribute__((constructor(101))) static void begin(void)
{
	vectors_prepare();
	process_start();
	on_exit(at_exit, NULL);
}

bool process_recording(void)
{
	return atomic_load_explicit(&process.state, memory_order_relaxed) == RECORDING;
}

const char *process_dir(void)
{
	return process.dir;
}

bool process_discards(void)
{
	return process.options.dir[0] == 0;
}

bool process_over_limit(void)
{
	return process.options.limit && log_bytes() >= process.options.limit;
}

void process_stopped(int why)
{
	static const char *const text[] = {
		[EVENT_STOP_LIMIT] =
			"size limit reached; recording ends here, the program goes on: ",
		[EVENT_STOP_NO_SPACE] =
			"no space left for the trace; recording ends here, the program goes on: ",
		[EVENT_STOP_IO] =
			"the trace cannot be written; recording ends here, the program goes on: ",
	};

	if (!atomic_exchange(&process.told, true))
		process_say(text[why], process.dir);
}

/* ---- end ------------------------------------------------------------------------------------ */

static const char *const ends[] = {
	[EVENT_PROCESS_EXIT] = "exit",
	[EVENT_PROCESS_EXEC] = "exec",
	[EVENT_PROCESS_FORK] = "fork",
	[EVENT_PROCESS_ABORT] = "abort",
};

/* The child of a vfork runs in our memory but is not us: its end is not ours. */
static bool is_ours(void)
{
	return process_recording() && !process_discards() && process.pid == getpid();
}

void process_finish(int how, int64_t status)
{
	char text[48];
	int cancel;

	if (!is_ours())
		return;
	if (record_on())
		record(EV_PROCESS, 0,
		       (struct record_fields){ .n = (uint64_t)status, .m = (uint64_t)how });
	lane_self.quiet = true;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* or an open() ends the thread */
	write_maps();
	if (how == EVENT_PROCESS_EXIT && process.options.remains)
		remains_write();
	if (how != EVENT_PROCESS_EXEC)
		lane_close();
	if (how == EVENT_PROCESS_EXIT)
		snprintf(text, sizeof(text), "exit %lld", (long long)status);
	else
		snprintf(text, sizeof(text), "%s", ends[how]);
	meta_line("end", text);
	if (how == EVENT_PROCESS_EXEC) {
		lane_self.quiet = false;
		pthread_setcancelstate(cancel, NULL);
		return; /* the ring holds the rest; exec may fail */
	}
	if (global_on())
		global_close();
	if (!ring_in_use())
		ring_remove();
	atomic_store(&process.state, IDLE);
	pthread_setcancelstate(cancel, NULL);
}

void process_exec_failed(void)
{
	int cancel;

	if (!is_ours())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	meta_line("end", "exec failed");
	pthread_setcancelstate(cancel, NULL);
}

void process_unreadable(const char *module)
{
	process_say(
		"two modules cannot be told apart in the trace; nothing is recorded. Run it under "
		"`sooth record`: ",
		module);
	meta_line("end", "unreadable");
	atomic_store(&process.state, IDLE);
}

void process_after_fork(void)
{
	if (atomic_load(&process.state) == FRESH)
		return;
	bool recording = process_recording() && !process_discards();
	turn_after_fork();
	log_forget();
	global_forget();
	lane_after_fork();
	record_after_fork();
	atomic_store(&process.told, false);
	if (!recording) {
		atomic_store(&process.state, IDLE);
		return;
	}
	lane_self.quiet = true;
	process.forked = true;
	atomic_store(&process.state, open_trace() ? RECORDING : IDLE);
	module_write_all();
	lane_self.quiet = false;
}
