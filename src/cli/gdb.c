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
 * What gdb does first. A thread that is held stands in the scheduler, called from right before its
 * operation: for each thread it goes up to the program's own frame and says who stands where. The
 * frames below are left out of backtraces, and `go` takes a thread back into its own frame, so that
 * `next` and `step` mean the program's lines. Threads are told by the runtime's number of them.
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
	"    'The selected thread goes back into its own code, if it is its turn.'\n"
	"    def __init__(self):\n"
	"        super().__init__('go', gdb.COMMAND_RUNNING)\n"
	"    def invoke(self, words, tty):\n"
	"        frame = own_frame()\n"
	"        if frame is not None and frame.newer() is not None:\n"
	"            frame.newer().select()\n"
	"            gdb.execute('finish')\n"
	"Go()\n"
	"standing = {}\n"
	"def stand(thread):\n"
	"    thread.switch()\n"
	"    frame = own_frame()\n"
	"    if frame is None:\n"
	"        return\n"
	"    frame.select()\n"
	"    where = frame.find_sal()\n"
	"    name = number_of()\n"
	"    standing[name] = thread\n"
	"    print('T%s is gdb thread %d: %s at %s:%s' % ('?' if name is None else name,\n"
	"        thread.num, frame.name(), where.symtab.filename if where.symtab else '?',\n"
	"        where.line))\n"
	"for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):\n"
	"    stand(thread)\n"
	"def go_to(name):\n"
	"    if name in standing:\n"
	"        standing[name].switch()\n"
	"        if own_frame() is not None:\n"
	"            own_frame().select()\n"
	"end\n";

/* The one to look at first. */
static uint32_t first_thread(const struct control *control)
{
	if (control->stops_met)
		return control->stops[0].thread;
	return control->fault_thread != CONTROL_NONE ? control->fault_thread : 0;
}

/* The words for the user; the finding's first thread is the selected one. */
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
			"T%" PRIu32 " and T%" PRIu32 " stand right before their accesses; T%" PRIu32
			" goes first.\\n\n",
			control->stops[0].thread, control->stops[1].thread,
			control->stops[0].thread);
	else
		fputs("this is how it ends.\\n\n", file);
	fputs("echo `bt` shows where, `thread N` goes to another; `go` and then `next` make one "
	      "go on,\\n\necho `continue` all of them; `quit` leaves them alone.\\n\n",
	      file);
	fprintf(file, "python go_to(%" PRIu32 ")\nframe\n", first_thread(control));
	fclose(file);
}

/* In /proc/PID/task/TID/stat: "TID (NAME) STATE …". */
static bool is_traced(int pid, const char *task)
{
	char path[320], text[512];
	const char *behind;
	FILE *file;
	size_t n;

	snprintf(path, sizeof path, "/proc/%d/task/%s/stat", pid, task);
	file = fopen(path, "re");
	n = file ? fread(text, 1, sizeof text - 1, file) : 0;
	text[n] = 0;
	if (file)
		fclose(file);
	behind = strrchr(text, ')');
	return !behind || behind[1] != ' ' || behind[2] == 't';
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
