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
 * What gdb does first: for each thread it goes up to the program's own frame, past the scheduler
 * that holds it, and says who stands where. Threads are told by the runtime's number of them.
 */
static const char script[] =
	"set confirm off\n"
	"set pagination off\n"
	"python\n"
	"import gdb\n"
	"def own_frame():\n"
	"    frame = gdb.newest_frame()\n"
	"    while frame is not None:\n"
	"        library = gdb.solib_name(frame.pc()) or ''\n"
	"        if not any(w in library for w in ('libsooth', 'libc.so', 'libpthread', "
	"'ld-linux')):\n"
	"            return frame\n"
	"        frame = frame.older()\n"
	"    return None\n"
	"def number_of():\n"
	"    try:\n"
	"        return int(gdb.parse_and_eval('lane_self.stream'))\n"
	"    except gdb.error:\n"
	"        return None\n"
	"standing = {}\n"
	"for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):\n"
	"    thread.switch()\n"
	"    frame = own_frame()\n"
	"    if frame is None:\n"
	"        continue\n"
	"    frame.select()\n"
	"    where = frame.find_sal()\n"
	"    name = number_of()\n"
	"    standing[name] = (thread, frame)\n"
	"    print('T%s is gdb thread %d: %s at %s:%s' % ('?' if name is None else name, "
	"thread.num,\n"
	"        frame.name(), where.symtab.filename if where.symtab else '?', where.line))\n"
	"def go_to(name):\n"
	"    if name in standing:\n"
	"        standing[name][0].switch()\n"
	"        frame = own_frame()\n"
	"        if frame is not None:\n"
	"            frame.select()\n"
	"end\n";

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
			" goes first.\\n",
			control->stops[0].thread, control->stops[1].thread,
			control->stops[0].thread);
	else
		fprintf(file, "this is where it ends.\\n");
	fputs("echo `frame` and `bt` show where, `thread N` goes to another, `next` and `continue` "
	      "go on, `quit` lets it run.\\n\n",
	      file);
	if (control->stops_met)
		fprintf(file, "python go_to(%" PRIu32 ")\nframe\n", control->stops[0].thread);
	else if (control->blocked_count)
		fprintf(file, "frame\n");
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
