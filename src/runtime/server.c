#include "runtime/server.h"

#include "runtime/carrier.h"
#include "runtime/fiber.h"
#include "runtime/lane.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/resources.h"
#include "runtime/snapshot.h"
#include "runtime/turn.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <x86intrin.h>

#define SERVER_STACK (256u << 10)
#define SPIN_TICKS 60000u /* some 20 µs: a command comes sooner, or the tool is thinking */

/* main and where its first frame is. */
static struct {
	int (*routine)(int, char **, char **);
	int argc;
	char **argv, **envp;
	void *stack;
} program;

static struct control *control;

/* Outlives the runs. */
struct server {
	void *stack_pointer; /* of the loop, while a run is on */
	void *abandoned;
	uint64_t thread_pointer;
	pid_t pid;
	bool running;
	int status;
};
static struct server *server;

/*
 * What the C library loads when a thread is ended by pthread_exit is loaded before, in all controlled
 * runs alike: persistent ones cannot have it done in a run.
 */
void server_start(struct control *given)
{
	control = given;
	dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
}

/* ---- main ----------------------------------------------------------------------------------- */

static void *call_main(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)program.routine(program.argc, program.argv, program.envp);
}

/* Also where a run begins, on a stack that fiber_prepare_stack made. Does not return. */
static void run_main(void *unused)
{
	void *result;

	(void)unused;
	if (carrier != &carrier_fiber) {
		result = fiber_call(call_main, NULL, program.stack);
	} else if (!fiber_run_routine(call_main, NULL, program.stack, &result)) {
		fiber_destroy_variables(
			program.stack); /* the turn goes to others, unless none is left */
		result = NULL;
	}
	exit((int)(intptr_t)result);
}

/*
 * main's first frame is at an address that hardly depends on the environment, which stands above it.
 * All controlled runs have it there, whatever calls main.
 */
#define STACK_STEP (64ul << 10)
#define RUN_FRAMES 8192 /* above it: what calls main */
static void *place_main(const void *frame)
{
	return (void *)(((uintptr_t)frame & ~(STACK_STEP - 1)) - STACK_STEP);
}

/* ---- commands ---------------------------------------------------------------------------------- */

static long futex(uint32_t *word, int operation, uint32_t value)
{
	return real()->syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static uint32_t await_command(void)
{
	uint32_t done = control->done, command;
	uint64_t since = __rdtsc();

	while ((command = __atomic_load_n(&control->command, __ATOMIC_ACQUIRE)) == done) {
		if (__rdtsc() - since < SPIN_TICKS)
			_mm_pause();
		else
			futex(&control->command, FUTEX_WAIT, done);
	}
	if (command == CONTROL_NONE)
		real()->_exit(0);
	return command;
}

static void report(uint32_t command, int status)
{
	control->status = status;
	__atomic_store_n(&control->done, command, __ATOMIC_RELEASE);
	futex(&control->done, FUTEX_WAKE, INT_MAX);
}

static void say_unfit(const char *why)
{
	strncpy(control->text, why, sizeof(control->text) - 1);
	control->result = CONTROL_UNFIT;
}

void server_refuse_all(const char *why)
{
	if (control) {
		say_unfit(why);
		if (control->options & CONTROL_SERVER)
			report(await_command(), 0);
	}
	real()->_exit(0);
	__builtin_unreachable();
}

/* ---- what was before main ---------------------------------------------------------------------- */

/*
 * Constructors of the program are part of each run, but happen once: each run starts with their
 * events in its log, which the tool may have put elsewhere.
 */
static struct {
	struct control_event *events;
	uint32_t event_count, switches;
	uint64_t steps;
} before_main;

static struct control_event *log_of(void)
{
	return (struct control_event *)((char *)control + control->events_at);
}

static void remember_start(void)
{
	before_main.event_count = control->event_count;
	before_main.switches = control->switches;
	before_main.steps = control->steps;
	size_t bytes = control->event_count * sizeof(struct control_event);
	if (bytes == 0 || !(control->options & CONTROL_LOG))
		return;
	before_main.events = snapshot_lasting(bytes);
	if (!before_main.events)
		server_refuse_all("no memory for what happened before main");
	memcpy(before_main.events, log_of(), bytes);
}

static void start_run(void)
{
	control->event_count = before_main.event_count;
	control->switches = before_main.switches;
	control->steps = before_main.steps;
	if (before_main.events && before_main.event_count <= control->event_most)
		memcpy(log_of(), before_main.events,
		       before_main.event_count * sizeof(struct control_event));
	turn_read_plan();
}

/* ---- a process for each run ------------------------------------------------------------------ */

/* Returns in each child. */
static void fork_for_each(void)
{
	for (;;) {
		uint32_t command = await_command();
		pid_t child = real()->_Fork();
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			start_run();
			return;
		}
		int status = 0;
		if (child < 0)
			say_unfit("the program cannot be forked");
		else
			while (real()->wait4(child, &status, 0, NULL) < 0 && errno == EINTR)
				;
		report(command, status);
	}
}

/* ---- one process for all --------------------------------------------------------------------- */

bool server_persistent(void)
{
	return server != NULL;
}

void server_end(int status)
{
	if (!server || !server->running || server->pid != getpid())
		return;
	server->status = status;
	fiber_switch(&server->abandoned, server->stack_pointer, server->thread_pointer);
}

void server_refuse(const char *what)
{
	if (server && server->running && turn_taking)
		turn_end_run(CONTROL_UNFIT, what, 0);
}

static void check_resources(void)
{
	const char *why;

	if (!resources_kept(&why))
		say_unfit(why);
}

/* On the server's own stack. */
static void run_each(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t command = await_command();
		lane_restart();
		start_run();
		server->running = true;
		fiber_switch(
			&server->stack_pointer,
			fiber_prepare_stack((char *)program.stack + RUN_FRAMES, run_main, NULL),
			server->thread_pointer);
		server->running = false;
		check_resources();
		report(command, server->status);
		/* The tool looks at what came of it meanwhile. */
		resources_restore();
		snapshot_restore();
	}
}

static void persist(const void *frame)
{
	const char *why = "no memory for a snapshot";

	struct server *lasting = snapshot_lasting(sizeof(*lasting));
	uint8_t *stack = snapshot_lasting(SERVER_STACK);
	if (!lasting || !stack)
		server_refuse_all(why);
	lasting->pid = getpid();
	lasting->thread_pointer = (uint64_t)pthread_self();
	server = lasting;
	if (!resources_take(&why) || !snapshot_take(frame, &why))
		server_refuse_all(why);
	fiber_switch(&lasting->abandoned, fiber_prepare_stack(stack + SERVER_STACK, run_each, NULL),
		     lasting->thread_pointer);
}

/* ---- instead of main --------------------------------------------------------------------------- */

static bool is_alone(void)
{
	struct stat tasks;

	if (carrier == &carrier_fiber)
		return !fiber_any_created();
	return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink == 3;
}

static int controlled_main(int argc, char **argv, char **envp)
{
	void *frame = __builtin_frame_address(0);

	program.argc = argc;
	program.argv = argv;
	program.envp = envp;
	program.stack = place_main(frame);
	if (control && control->options & CONTROL_SERVER) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!is_alone())
			server_refuse_all("threads are created before main");
		remember_start();
		if (control->options & CONTROL_PERSISTENT)
			persist(frame);
		fork_for_each();
	} else if (is_alone()) {
		turn_read_plan(); /* as with a server: random decisions do not depend on constructors */
	}
	run_main(NULL);
	return 0;
}

int __libc_start_main(int (*routine)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end);

/* The program's first function calls it, with main. */
SOOTH_API int __libc_start_main(int (*routine)(int, char **, char **), int argc, char **argv,
				void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
				void *stack_end)
{
	process_start();
	if (turn_taking) {
		program.routine = routine;
		routine = controlled_main;
	}
	return real()->__libc_start_main(routine, argc, argv, init, fini, rtld_fini, stack_end);
}
