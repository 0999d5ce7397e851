/* Starts gdb with a Python script that shows the threads in the program's own code. */
#include "cli/gdb.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The script with gdb's first commands. A stopped thread is inside the scheduler, which was called
 * right before the thread's operation. For each thread the script selects the innermost frame that
 * is not in the runtime or libc, and prints where it is. Backtraces leave out frames of the runtime
 * and libc. The command `go` finishes the frames inside the selected frame, so that `next` and
 * `step` continue in the program's own lines. Threads have the numbers that the runtime gives them.
 */
static const char script[] =
	"set confirm off\n"
	"set pagination off\n"
	"python\n"
	"import gdb\n"
	"OTHERS = ('libsooth', 'libc.so', 'libpthread', 'ld-linux')\n"
	"def is_own(frame):\n"
	"    library = gdb.solib_name(frame.pc()) or ''\n"
	"    return not any(word in library for word in OTHERS)\n"
	"def own_frame():\n"
	"    frame = gdb.newest_frame()\n"
	"    while frame is not None and not is_own(frame):\n"
	"        frame = frame.older()\n"
	"    return frame\n"
	"def number_of():\n"
	"    try:\n"
	"        return int(gdb.parse_and_eval('thread_buffer_self.stream'))\n"
	"    except gdb.error:\n"
	"        return None\n"
	"class OwnFrames:\n"
	"    name, priority, enabled = 'sooth', 100, True\n"
	"    def filter(self, frames):\n"
	"        return (f for f in frames if is_own(f.inferior_frame()))\n"
	"gdb.frame_filters['sooth'] = OwnFrames()\n"
	"class Go(gdb.Command):\n"
	"    'Let the selected thread return to its own code, if it has the turn.'\n"
	"    def __init__(self):\n"
	"        super().__init__('go', gdb.COMMAND_RUNNING)\n"
	"    def invoke(self, words, tty):\n"
	"        frame = own_frame()\n"
	"        if frame is not None and frame.newer() is not None:\n"
	"            frame.newer().select()\n"
	"            gdb.execute('finish')\n"
	"Go()\n"
	"stopped = {}\n"
	"def show(thread):\n"
	"    thread.switch()\n"
	"    frame = own_frame()\n"
	"    if frame is None:\n"
	"        return\n"
	"    frame.select()\n"
	"    where = frame.find_sal()\n"
	"    name = number_of()\n"
	"    stopped[name] = thread\n"
	"    print('T%s is gdb thread %d: %s at %s:%s' % ('?' if name is None else name,\n"
	"        thread.num, frame.name(), where.symtab.filename if where.symtab else '?',\n"
	"        where.line))\n"
	"for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):\n"
	"    show(thread)\n"
	"def go_to(name):\n"
	"    if name in stopped:\n"
	"        stopped[name].switch()\n"
	"        if own_frame() is not None:\n"
	"            own_frame().select()\n"
	"end\n";

/* Returns the thread to select first. */
static uint32_t first_thread(const struct control *control)
{
	if (control->stops_met)
		return control->stops[0].thread;
	return control->fault_thread != CONTROL_NONE ? control->fault_thread : 0;
}

/*
 * Writes the script, and a text for the user. The script selects the first thread of the finding.
 */
static void write_script(struct gdb *g, const struct control *control)
{
	FILE *file;
	int fd;

	strcpy(g->script, "/tmp/sooth-gdb-XXXXXX");
	fd = mkstemp(g->script);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file)
		return;
	fputs(script, file);
	fprintf(file, "echo \\n%s: ", g->id);
	if (control->stops_met)
		fprintf(file,
			"T%" PRIu32 " and T%" PRIu32 " are right before their accesses; T%" PRIu32
			" runs first.\\n\n",
			control->stops[0].thread, control->stops[1].thread,
			control->stops[0].thread);
	else
		fputs("the threads have stopped at the end of the schedule.\\n\n", file);
	fputs("echo `bt` shows the stack, `thread N` selects a thread; `go` and then `next` run it "
	      "alone,\\n\necho `continue` runs all threads; `quit` leaves gdb.\\n\n",
	      file);
	fprintf(file, "python go_to(%" PRIu32 ")\nframe\n", first_thread(control));
	fclose(file);
}

/* Is the thread traced by a debugger? Reads "TID (NAME) STATE ..." in /proc/PID/task/TID/stat. */
static bool is_traced(int pid, const char *task)
{
	char path[320], text[512];
	const char *rest;
	FILE *file;
	size_t n;

	snprintf(path, sizeof path, "/proc/%d/task/%s/stat", pid, task);
	file = fopen(path, "re");
	n = file ? fread(text, 1, sizeof text - 1, file) : 0;
	text[n] = 0;
	if (file)
		fclose(file);
	rest = strrchr(text, ')');
	return !rest || rest[1] != ' ' || rest[2] == 't';
}

static bool all_traced(int pid)
{
	char path[64];
	DIR *tasks;
	bool all = true;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	tasks = opendir(path);
	for (struct dirent *entry; tasks && all && (entry = readdir(tasks));)
		all = entry->d_name[0] == '.' || is_traced(pid, entry->d_name);
	if (tasks)
		closedir(tasks);
	return tasks && all;
}

void gdb_attach(void *context, int pid, const struct control *control)
{
	struct gdb *g = context;
	struct timespec moment = { .tv_nsec = 20000000 };
	char number[16];
	int status;

	if (g->pid || g->failed)
		return;
	write_script(g, control);
	snprintf(number, sizeof number, "%d", pid);
	fflush(stdout);
	g->pid = fork();
	if (!g->pid) {
		execlp("gdb", "gdb", "-q", "-nx", "-p", number, "-x", g->script, NULL);
		fprintf(stderr, "sooth replay: gdb: %s\n", strerror(errno));
		_exit(127);
	}
	while (g->pid > 0 && !all_traced(pid)) {
		if (waitpid(g->pid, &status, WNOHANG) == g->pid) {
			g->failed = true;
			g->pid = 0;
			unlink(g->script);
			return;
		}
		nanosleep(&moment, NULL);
	}
}

void gdb_wait(struct gdb *g)
{
	int status;

	if (g->pid <= 0)
		return;
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	unlink(g->script);
	g->pid = 0;
}
