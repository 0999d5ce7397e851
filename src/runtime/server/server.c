/*
 * The loop that waits for commands and starts runs, and the start of main in all controlled runs.
 * After a persistent run, or one in shared memory, the loop restores memory and resources. Since
 * main's stack is restored too, the loop has a stack of its own.
 */
#include "runtime/server/server.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/fiber.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/server/shared_vm_child.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/resources.h"
#include "runtime/server/server_fork.h"
#include "runtime/server/snapshot.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <x86intrin.h>

#define SERVER_STACK (256u << 10)
#define SPIN_TICKS 120000u /* some 50 µs: a command comes sooner, or only much later */

/* main, its arguments, and the address of its first frame. */
static struct {
	int (*routine)(int, char **, char **);
	int argc;
	char **argv, **envp;
	void *stack;
} program;

static struct control *control;
static cpu_set_t processors; /* the processors we may use: the carrier may choose one of them */

/* Not restored between runs. */
struct server {
	void *stack_pointer; /* of the server's loop, during a run */
	void *abandoned;
	uint64_t thread_pointer;
	pid_t pid;
	bool running;
	bool shares_memory; /* each run has its own process, in shared memory */
	uint32_t command;   /* the current command */
	int status;
};
static struct server *server;

/* ---- main ------------------------------------------------------------------------------------ */

static void *call_main(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)program.routine(program.argc, program.argv, program.envp);
}

/* Also the first function of a run, on a stack that fiber_prepare_stack() made. Does not return. */
static void run_main(void *unused)
{
	void *result;

	(void)unused;
	if (carrier != &carrier_fiber) {
		result = fiber_call(call_main, NULL, program.stack);
	} else if (!fiber_run_routine(call_main, NULL, program.stack, &result)) {
		fiber_destroy_variables(
			program.stack); /* returns only if no other thread is left */
		result = NULL;
	}
	exit((int)(intptr_t)result);
}

/*
 * Chooses the address of main's first frame. The address hardly depends on the environment, which
 * is above it on the stack. It is the same in all controlled runs, whatever function calls main.
 */
#define STACK_STEP (64ul << 10)
#define RUN_FRAMES 8192 /* room above this address for the functions that call main */
#define SMALL_STACK (16 * STACK_STEP)
static void *choose_main_stack(const void *frame)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_STACK, &most) == 0 && most.rlim_cur < SMALL_STACK)
		return (void *)(((uintptr_t)frame & ~15ul) - RUN_FRAMES);
	return (void *)(((uintptr_t)frame & ~(STACK_STEP - 1)) - STACK_STEP);
}

/* ---- commands -------------------------------------------------------------------------------- */

long server_futex(uint32_t *word, int operation, uint32_t value)
{
	return real()->syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void sleep_until_command(uint32_t done)
{
	__atomic_store_n(&control->command_awaited, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&control->command, __ATOMIC_SEQ_CST) == done)
		server_futex(&control->command, FUTEX_WAIT, done);
	__atomic_store_n(&control->command_awaited, 0, __ATOMIC_RELAXED);
}

/* rdtscp also returns the processor's number, which Linux stores next to the counter. */
uint32_t server_await_command(void)
{
	uint32_t done = control->done, command, processor;
	uint64_t since = __rdtscp(&processor);

	while ((command = __atomic_load_n(&control->command, __ATOMIC_ACQUIRE)) == done) {
		if (__rdtsc() - since < SPIN_TICKS)
			_mm_pause();
		else
			sleep_until_command(done);
	}
	if (command == CONTROL_NONE)
		real()->_exit(0);
	__rdtscp(&processor);
	__atomic_store_n(&control->processor, processor, __ATOMIC_RELAXED);
	return command;
}

void server_report(uint32_t command, int status)
{
	control->status = status;
	__atomic_store_n(&control->done, command, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&control->done_awaited, __ATOMIC_SEQ_CST))
		server_futex(&control->done, FUTEX_WAKE, INT_MAX);
}

static void report_unfit(const char *why)
{
	strncpy(control->text, why, sizeof(control->text) - 1);
	control->result = CONTROL_UNFIT;
	control->unfit_shared_memory = server && server->shares_memory;
}

void server_refuse_all(const char *why)
{
	if (control) {
		bool serves = control->options & CONTROL_SERVER;
		uint32_t command = serves ? server_await_command() : 0;
		report_unfit(why);
		if (serves)
			server_report(command, 0);
	}
	real()->_exit(0);
	__builtin_unreachable();
}

/* ---- what happened before main --------------------------------------------------------------- */

/*
 * The program's constructors are part of each run, but execute only once. So their events are kept
 * here, and each run starts with them in its log. (The tool may have moved the log.)
 */
static struct {
	struct control_event *events;
	uint32_t event_count, switches;
	uint64_t steps;
} before_main;

static struct control_event *event_log(void)
{
	return (struct control_event *)((char *)control + control->events_at);
}

static void save_constructor_events(void)
{
	before_main.event_count = control->event_count;
	before_main.switches = control->switches;
	before_main.steps = control->steps;
	size_t bytes = control->event_count * sizeof(struct control_event);
	if (bytes == 0 || !(control->options & CONTROL_LOG))
		return;
	before_main.events = snapshot_lasting(bytes);
	if (!before_main.events)
		server_refuse_all("no memory for the events before main");
	memcpy(before_main.events, event_log(), bytes);
}

static void start_run(void)
{
	bool ours = server && !server->shares_memory;

	thread_forget_tid(); /* the run may have a process of its own, not the server's */
	control->event_count = before_main.event_count;
	control->switches = before_main.switches;
	control->steps = before_main.steps;
	if (before_main.events && before_main.event_count <= control->event_most)
		memcpy(event_log(), before_main.events,
		       before_main.event_count * sizeof(struct control_event));
	sched_read_plan(ours ? server->pid : getpid()); /* a system call is 150 ns */
}

/* ---- a process for each run ------------------------------------------------------------------ */

uint32_t server_own_command; /* in the process of a single run: its command */

static void report_unrestorable(void)
{
	const char *why;

	if (!resources_can_restore(&why))
		report_unfit(why);
}

/*
 * Binds the kernel threads of a run to one processor, which may differ between runs. Forked
 * children alternate, since one runs while the next is prepared. A run in shared memory stays on
 * the server's processor, from which the tool does not poll.
 */
void server_choose_processor(void)
{
	int count = CPU_COUNT(&processors), here = sched_getcpu();
	cpu_set_t one;

	if (carrier != &carrier_kernel || count < 2)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++) {
		bool chosen =
			server ? cpu == here : n == (int)(server_own_command % (uint32_t)count);
		n += CPU_ISSET(cpu, &processors) != 0;
		if (CPU_ISSET(cpu, &processors) && chosen)
			CPU_SET(cpu, &one);
	}
	sched_setaffinity(0, sizeof(one), &one);
}

static void end_child(int status)
{
	uint32_t command = server_own_command;

	server_own_command = 0; /* from here on the result has been reported */
	if (server)		/* shared memory: the server waits until this process exits */
		report_unrestorable();
	server_report(command, status);
	if (!server)
		server_fork_done(command, control->thread_count);
	real()->_exit(0);
}

/* ---- one process for all runs ---------------------------------------------------------------- */

bool server_restores(void)
{
	return server != NULL;
}

void server_end(int status)
{
	if (server_own_command && control->child == (uint32_t)getpid())
		end_child(status);
	if (!server || !server->running || server->shares_memory || server->pid != getpid())
		return;
	server->status = status;
	fiber_switch(&server->abandoned, server->stack_pointer, server->thread_pointer);
}

/*
 * Does what exit() does after its last handler, which is ours: flushes stdio. Does not flush if
 * another thread has locked the output, because that thread would never unlock it.
 */
void server_exit(int status)
{
	if (!server_own_command && !server)
		return;
	if (real()->ftrylockfile(stdout) == 0) {
		real()->funlockfile(stdout);
		fflush(NULL);
	}
	server_end((status & 255) << 8);
}

void server_refuse(const char *what)
{
	if (server && server->running && !server->shares_memory && sched_active)
		sched_end_run(CONTROL_UNFIT, what, 0);
}

void server_refuse_mapping(const char *what)
{
	if (!server || !server->running || !sched_active)
		return;
	control->unfit_shared_memory = server->shares_memory;
	sched_end_run(CONTROL_UNFIT, what, 0);
}

/* Serves persistent runs, on the server's own stack. */
static void serve_persistent(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t command = server_await_command();
		thread_buffer_restart();
		start_run();
		server->running = true;
		fiber_switch(
			&server->stack_pointer,
			fiber_prepare_stack((char *)program.stack + RUN_FRAMES, run_main, NULL),
			server->thread_pointer);
		server->running = false;
		report_unrestorable();
		server_report(command, server->status);
		/* While memory is restored here, the tool evaluates the result. */
		resources_restore();
		snapshot_restore(snapshot_touched());
	}
}

/* The first function of a process in shared memory, on main's stack. */
static int run_in_shared_memory(void *unused)
{
	server_own_command = server->command;
	shared_vm_child_begin();
	server_choose_processor();
	thread_buffer_restart();
	start_run();
	run_main(unused);
	return 0;
}

/*
 * A program that maps memory in a way that we do not see does so in its first runs already. So the
 * check is done less often as the number of runs grows.
 */
static bool is_check_due(uint32_t command)
{
	return (command & (command - 1)) == 0 || command % 1024 == 0;
}

/* Serves runs in shared memory, on the server's own stack. */
static void serve_shared_memory(void *unused)
{
	bool touched = true;
	int status = 0;

	(void)unused;
	for (;;) {
		server->command = server_await_command();
		server->running = true;
		if (!shared_vm_child_run(run_in_shared_memory, (char *)program.stack + RUN_FRAMES,
					 &status, &touched))
			server_refuse_all("cannot create a process that shares memory");
		server->running = false;
		/* the process died in its run without reporting */
		if (control->done != server->command)
			server_report(server->command, status);
		resources_restore_mappings();
		shared_vm_child_restore();
		snapshot_restore(touched);
		if (is_check_due(server->command)) {
			if (!shared_vm_child_mappings_unchanged())
				server_refuse_all(
					"it maps memory without a call that the runtime sees");
			snapshot_restore(true);
		}
	}
}

static void serve_restored_runs(const void *frame)
{
	const char *why = "no memory for a snapshot";

	struct server *lasting = snapshot_lasting(sizeof(*lasting));
	uint8_t *stack = snapshot_lasting(SERVER_STACK);
	if (!lasting || !stack)
		server_refuse_all(why);
	lasting->pid = getpid();
	lasting->thread_pointer = (uint64_t)pthread_self();
	lasting->shares_memory = !(control->options & CONTROL_PERSISTENT);
	server = lasting;
	if (lasting->shares_memory) {
		det_heap_share_guards();
		sched_setaffinity(0, sizeof(processors), &processors);
		if (!shared_vm_child_start(&why))
			server_refuse_all(why);
	}
	if (!resources_save(lasting->shares_memory, &why) || !snapshot_save(frame, &why))
		server_refuse_all(why);
	fiber_switch(&lasting->abandoned,
		     fiber_prepare_stack(
			     stack + SERVER_STACK,
			     lasting->shares_memory ? serve_shared_memory : serve_persistent, NULL),
		     lasting->thread_pointer);
}

/* ---- instead of main ------------------------------------------------------------------------- */

static bool is_single_threaded(void)
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
	program.stack = choose_main_stack(frame);
	thread_prepare(); /* in all controlled runs, so that keys have the same numbers */
	if (control && control->options & CONTROL_SERVER) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!is_single_threaded())
			server_refuse_all("threads are created before main");
		thread_buffer_serve();
		save_constructor_events();
		if (control->options & (CONTROL_PERSISTENT | CONTROL_SHARED_MEMORY))
			serve_restored_runs(frame);
		server_fork_for_each(control, &processors);
		start_run();
	} else if (is_single_threaded()) {
		/*
		 * Begin again, as a server does, so that random decisions do not depend on
		 * constructors.
		 */
		sched_read_plan(getpid());
	}
	run_main(NULL);
	return 0;
}

/*
 * The program's first function calls the C library's __libc_start_main, with main as an argument,
 * through a word in its table of addresses. In controlled runs, that word is redirected to
 * start_controlled(). (If we exported that name, the linker would find it instead of the C
 * library's.)
 */
typedef int start_main(int (*routine)(int, char **, char **), int argc, char **argv,
		       void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		       void *stack_end);
static start_main *library_start_main;

static int start_controlled(int (*routine)(int, char **, char **), int argc, char **argv,
			    void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
			    void *stack_end)
{
	program.routine = routine;
	return library_start_main(controlled_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static bool redirect_start_main(uintptr_t *word)
{
	uintptr_t page = (uintptr_t)word & ~4095ul;
	start_main *ours = start_controlled;

	if (real()->mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0)
		return false;
	library_start_main = (start_main *)*word;
	*word = (uintptr_t)ours;
	return true;
}

static bool find_start_main(void)
{
	const struct link_map *map = _r_debug.r_map;
	const Elf64_Rela *tables[2] = { NULL, NULL };
	size_t bytes[2] = { 0, 0 };
	const Elf64_Sym *symbols = NULL;
	const char *names = NULL;

	for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_RELA: tables[0] = (const Elf64_Rela *)d->d_un.d_ptr; break;
		case DT_RELASZ: bytes[0] = d->d_un.d_val; break;
		case DT_JMPREL: tables[1] = (const Elf64_Rela *)d->d_un.d_ptr; break;
		case DT_PLTRELSZ: bytes[1] = d->d_un.d_val; break;
		case DT_SYMTAB: symbols = (const Elf64_Sym *)d->d_un.d_ptr; break;
		case DT_STRTAB: names = (const char *)d->d_un.d_ptr; break;
		}
	}
	for (int t = 0; t < 2; t++) {
		for (size_t i = 0; i < bytes[t] / sizeof(Elf64_Rela); i++) {
			const Elf64_Rela *r = &tables[t][i];
			const char *name = names + symbols[ELF64_R_SYM(r->r_info)].st_name;
			if (ELF64_R_SYM(r->r_info) && !strcmp(name, "__libc_start_main"))
				return redirect_start_main(
					(uintptr_t *)(map->l_addr + r->r_offset));
		}
	}
	return false;
}

/*
 * Loads libgcc_s, which the C library would otherwise load when pthread_exit() first ends a thread:
 * a persistent run must not load libraries. Other controlled runs load it, too, so that all begin
 * alike.
 */
void server_start(struct control *given)
{
	control = given;
	unsetenv("LD_BIND_NOW"); /* set by the tool */
	sched_getaffinity(0, sizeof(processors), &processors);
	real()->dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!find_start_main() && control->options & CONTROL_SERVER)
		server_refuse_all("its call of __libc_start_main was not found");
}
