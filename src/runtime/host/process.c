/*
 * The start and end of a recording: options, the directory of the trace and its files `meta` and
 * `maps`, and what happens at exit, exec and fork. See process.h.
 */
#include "runtime/host/process.h"

#include "event/event.h"
#include "event/wire.h"
#include "runtime/log/file_io.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/log/log.h"
#include "runtime/host/module.h"
#include "runtime/host/options.h"
#include "runtime/sync/lock_pattern.h"
#include "runtime/point/point.h"
#include "runtime/opaque/opaque.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/host/final_memory.h"
#include "runtime/log/ring.h"
#include "runtime/server/server.h"
#include "runtime/sched/sched.h"
#include "runtime/host/save_vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
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
	char meta[OPTIONS_PATH_MAX + 48], maps[OPTIONS_PATH_MAX + 48]; /* file paths */
	struct file_io_file meta_file;
	pid_t pid;	       /* the process that the trace belongs to */
	_Atomic pid_t starter; /* the thread that is in process_start() */
	_Atomic bool told;     /* a message has reported that a stream had to stop */
	bool forked;	       /* this process is the child of a fork */
} process;

/* ---- messages to the user: at most one line, on stderr, only if something is wrong ----------- */

/*
 * The file that descriptor 2 refers to at the start. The program may later close the descriptor and
 * reuse its number.
 */
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

/* ---- the trace's directory ------------------------------------------------------------------- */

/*
 * The program may change its working directory. An absolute path keeps the trace where the user
 * requested it.
 */
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

/*
 * Creates the directory of the trace. The first process of a recording gets the requested name;
 * other processes add their pid to the name.
 */
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

/* Appends to the file `name`. Returns false if a part was not written. */
static bool append_to(const char *name, struct iovec *parts, int count)
{
	int fd = file_io_use(&process.meta_file, name, O_WRONLY | O_CREAT | O_APPEND);
	bool ok = fd >= 0 && file_io_write_parts(fd, parts, count);

	file_io_done(&process.meta_file, fd);
	return ok;
}

/*
 * Appends the line that says how the process ended. The text is not copied to the stack: a process
 * may end or fork in a thread that has almost no stack left.
 */
static void meta_end(const char *text)
{
	struct iovec line[] = { { "end: ", 5 }, { (char *)text, strlen(text) }, { "\n", 1 } };

	append_to(process.meta, line, 3);
}

/*
 * The lines of the file `meta`. Only one thread composes them, in process_start() or in the child
 * of a fork.
 */
static struct {
	char text[4 * OPTIONS_PATH_MAX];
	size_t used;
} lines;

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
	size_t room = sizeof(lines.text) - lines.used;
	va_list values;

	va_start(values, format);
	int length = vsnprintf(lines.text + lines.used, room, format, values);
	va_end(values);
	if (length > 0 && (size_t)length < room)
		lines.used += (size_t)length;
}

/*
 * Adds the line `command`: arguments separated by spaces, with ambiguous characters written as
 * \xNN.
 */
static void line_of_command(void)
{
	static char raw[1024], text[4 * sizeof(raw) + 1];
	int fd = file_io_open("/proc/self/cmdline", O_RDONLY);
	ssize_t length = fd < 0 ? 0 : file_io_read(fd, raw, sizeof(raw));
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
	line("command: %s\n", text);
}

/*
 * Writes the complete file under another name and then renames it, because a trace whose `meta` is
 * incomplete cannot be read.
 */
static bool write_meta(void)
{
	static char path[OPTIONS_PATH_MAX];
	char fresh[sizeof(process.meta) + 4];
	ssize_t length;

	lines.used = 0;
	line("sooth-trace: %d\npid: %d\n", WIRE_VERSION, (int)getpid());
	line_of_command();
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = 0;
	line("program: %s\n", path);
	if (getcwd(path, sizeof(path)))
		line("directory: %s\n", path);
	line("time: %lld\nticks: %llu\n", (long long)time(NULL), (unsigned long long)__rdtsc());
	if (process.forked)
		line("forked: 1\n");
	if (process.options.limit)
		line("limit: %llu\n", (unsigned long long)process.options.limit);
	snprintf(fresh, sizeof(fresh), "%s.new", process.meta);
	if (append_to(fresh, &(struct iovec){ lines.text, lines.used }, 1) &&
	    rename(fresh, process.meta) == 0)
		return true;
	unlink(fresh);
	return false;
}

static void put_line(const char *line, size_t length, void *fd)
{
	file_io_write(*(int *)fd, line, length);
}

/*
 * Writes which file is, or was, mapped at which addresses. The reader needs this to find the sites
 * of return addresses.
 */
static void write_maps(void)
{
	char buffer[2048];
	int from = file_io_open("/proc/self/maps", O_RDONLY);
	ssize_t n;

	if (from < 0)
		return;
	int to = file_io_open(process.maps, O_WRONLY | O_CREAT | O_TRUNC);
	while (to >= 0 && (n = file_io_read(from, buffer, sizeof(buffer))) > 0)
		if (!file_io_write(to, buffer, (size_t)n))
			break;
	if (to >= 0) {
		module_each_gone(put_line, &to);
		close(to);
	}
	close(from);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Removes the files of a trace to which nothing was recorded. */
static void discard_trace(void)
{
	ring_remove();
	log_remove_empty();
	unlink(process.meta);
	unlink(process.maps);
	rmdir(process.dir);
}

static bool open_trace(void)
{
	if (process.options.dir[0] == 0)
		return false;
	if (!make_dir()) {
		process_say("cannot create the directory of the trace; nothing is recorded: ",
			    process.dir);
		return false;
	}
	process.pid = getpid();
	snprintf(process.meta, sizeof(process.meta), "%s/meta", process.dir);
	snprintf(process.maps, sizeof(process.maps), "%s/maps", process.dir);
	log_open(process.dir);
	if (!ring_open(process.dir) || !write_meta()) {
		process_say("cannot write the trace; nothing is recorded: ", process.dir);
		discard_trace();
		return false;
	}
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
	if (!environ) /* in .preinit_array: the C library does not know the environment yet */
		return;
	if (real_searching) /* the program's malloc calls us while dlsym runs */
		return;
	if (!atomic_compare_exchange_strong(&process.state, &fresh, STARTING)) {
		/*
		 * If this thread is already starting the runtime, it has been called back and
		 * continues without recording. If another thread is starting the runtime, wait
		 * until it has finished.
		 */
		while (atomic_load(&process.state) == STARTING && process.starter != gettid())
			sched_yield();
		return;
	}
	int error = errno;
	process.starter = gettid();
	bool quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	fstat(2, &standard_error);
	options_read(&process.options, getenv("SOOTH_OPTIONS"));
	make_absolute(process.options.dir);
	bool recording = open_trace();
	if (recording || process_discards())
		sched_start(&process.options);
	if (sched_active)
		thread_buffer_number_streams_from(CONTROL_THREADS);
	if (sched_active && process_discards())
		recording = ring_open(NULL);
	lock_pattern_on = recording && process.options.patterns;
	atomic_store(&process.state, recording ? RECORDING : IDLE);
	if (recording)
		point_start(process.options.points);
	opaque_start(recording && process.options.opaque);
	thread_buffer_start();
	thread_buffer_self.quiet = quiet;
	errno = error;
}

bool process_started(void)
{
	return atomic_load_explicit(&process.state, memory_order_relaxed) >= RECORDING;
}

/* Every source file compiled with -fsanitize=thread has a constructor that calls this. */
SOOTH_API void __tsan_init(void)
{
	process_start();
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	sched_exit();
	sched_finish(CONTROL_ENDED, "");
	process_finish(EVENT_PROCESS_EXIT, status);
	server_exit(status);
}

/*
 * Runs before the constructors of the program, and after those of its libraries. The exit handler
 * is registered before the C library registers the destructors of the program, so it runs after all
 * of them.
 */
__attribute__((constructor(101))) static void begin(void)
{
	save_vectors_prepare();
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
			"size limit reached; recording ends here, the program continues: ",
		[EVENT_STOP_NO_SPACE] =
			"no space left for the trace; recording ends here, the program continues: ",
		[EVENT_STOP_IO] =
			"the trace cannot be written; recording ends here, the program continues: ",
	};

	if (!atomic_exchange(&process.told, true))
		process_say(text[why], process.dir);
}

/* ---- end ------------------------------------------------------------------------------------- */

static const char *const ends[] = {
	[EVENT_PROCESS_EXIT] = "exit",
	[EVENT_PROCESS_EXEC] = "exec",
	[EVENT_PROCESS_FORK] = "fork",
	[EVENT_PROCESS_ABORT] = "abort",
};

/*
 * Does the trace belong to this process? The child of a vfork runs in the same memory, but its end
 * is not the end of this process.
 */
static bool is_ours(void)
{
	return process_recording() && !process_discards() && process.pid == getpid();
}

void process_finish(int how, int64_t status)
{
	char text[48];

	if (!is_ours())
		return;
	if (record_on())
		record(EV_PROCESS, 0,
		       (struct record_fields){ .n = (uint64_t)status, .m = (uint64_t)how });
	/* otherwise open() could cancel the thread */
	struct cancel_before before = cancel_forbid();
	thread_buffer_self.quiet = true;
	write_maps();
	if (how == EVENT_PROCESS_EXIT && process.options.remains)
		final_memory_write();
	if (how != EVENT_PROCESS_EXEC)
		thread_buffer_close();
	if (how == EVENT_PROCESS_EXIT)
		snprintf(text, sizeof(text), "exit %lld", (long long)status);
	else
		snprintf(text, sizeof(text), "%s", ends[how]);
	meta_end(text);
	if (how == EVENT_PROCESS_EXEC) {
		thread_buffer_self.quiet = false;
		cancel_allow(before);
		return; /* unwritten records stay in the ring: exec may fail */
	}
	if (!ring_in_use())
		ring_remove();
	log_remove_empty();
	atomic_store(&process.state, IDLE);
	cancel_allow(before);
}

void process_exec_failed(void)
{
	if (!is_ours())
		return;
	struct cancel_before before = cancel_forbid();
	meta_end("exec failed");
	cancel_allow(before);
}

void process_unreadable(const char *module)
{
	atomic_store(&process.told, true);
	process_say("two modules cannot be distinguished in the trace; recording ends here, the "
		    "program continues. Run it with `sooth record`: ",
		    module);
	thread_buffer_give_up(EVENT_STOP_IO);
}

void process_after_fork(void)
{
	if (atomic_load(&process.state) == FRESH)
		return;
	bool recording = process_recording() && !process_discards();
	thread_buffer_self.quiet = true; /* the buffer still belongs to the parent */
	sched_after_fork();
	log_forget();
	file_io_forget(&process.meta_file);
	thread_buffer_after_fork();
	record_after_fork();
	atomic_store(&process.told, false);
	process.forked = true;
	recording = recording && open_trace();
	atomic_store(&process.state, recording ? RECORDING : IDLE);
	if (recording)
		module_write_all();
	thread_buffer_self.quiet = false;
}
