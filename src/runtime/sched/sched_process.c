/*
 * The start and the end of a controlled run: maps the control file, reads the plan, and writes the
 * result when the program ends by exit, a failed assertion, abort or a crash.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/sched/carrier.h"
#include "runtime/host/caller_instrumented.h"
#include "runtime/host/imports.h"
#include "runtime/host/options.h"
#include "runtime/sched/access_patch.h"
#include "runtime/host/process.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* ---- the control file ------------------------------------------------------------------------ */

static struct control *map_control_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct control head;

	if (fd < 0)
		return NULL;
	ssize_t n = real()->read(fd, &head, sizeof(head));
	struct control *control = MAP_FAILED;
	if (n == (ssize_t)sizeof(head) && head.magic == CONTROL_MAGIC &&
	    head.version == CONTROL_VERSION && head.bytes >= sizeof(head))
		control = mmap(NULL, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return control == MAP_FAILED ? NULL : control;
}

/*
 * The control file is for the first process that opens it. Programs that this process executes do
 * not run under the scheduler.
 */
static bool claim_control_file(struct control *control)
{
	uint32_t no_process = 0, us = (uint32_t)getpid();

	return __atomic_compare_exchange_n(&control->owner, &no_process, us, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* For `sooth record --serial`: no tool reads the control structure, so it is private memory. */
static struct control *make_private_control(const struct options *options)
{
	size_t bytes = sizeof(struct control) + CONTROL_THREADS * sizeof(struct control_thread);
	struct control *control =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (control == MAP_FAILED)
		return NULL;
	control->magic = CONTROL_MAGIC;
	control->version = CONTROL_VERSION;
	control->bytes = bytes;
	control->threads_at = sizeof(struct control);
	control->policy = options->has_seed ? CONTROL_PRIORITIES : CONTROL_STAY;
	control->seed = options->seed;
	control->thread_count = 1;
	return control;
}

static void *control_array(uint64_t at)
{
	return (char *)sched.control + at;
}

static void start_log(void)
{
	const struct control *control = sched.control;
	struct control_event *events = control_array(control->events_at);

	sched.event = &sched_unlogged;
	sched.events_end = NULL;
	if (!(control->options & CONTROL_LOG))
		return;
	sched.events_end = events + control->event_most;
	if (control->event_count < control->event_most)
		sched.event = events + control->event_count;
}

bool sched_is_own_process(void)
{
	return sched_active && sched_threads[0].tid == getpid();
}

void sched_read_plan(int pid)
{
	struct control *control = sched.control;

	sched.paths = control_array(control->threads_at);
	sched.slices = control_array(control->slices_at);
	sched.rules = control_array(control->rules_at);
	sched.choices = control_array(control->choices_at);
	sched.sleeps = control_array(control->sleeps_at);
	start_log();
	sched.random = control->seed * 0x9e3779b97f4a7c15ull + 1;
	if (control->thread_count == 0)
		control->thread_count = 1;
	control->child = (uint32_t)pid;
	sched_threads[0].tid = pid; /* the run may have a process of its own, not the server's */
	control->result = CONTROL_UNFINISHED;
	control->events_lost = 0;
	control->unordered = 0;
	control->held_up_count = 0;
	control->blocked_count = 0;
	control->slices_done = 0;
	control->rules_broken = 0;
	control->stops_met = 0;
	control->held = 0;
	control->diverged_slice = CONTROL_NONE;
	control->diverged_kind = 0;
	control->diverged_site = 0;
	control->fault_address = control->fault_site = 0;
	control->fault_thread = CONTROL_NONE;
	control->fault_step = 0;
	control->text[0] = 0;
	sched.current_slice = 0;
	sched.next_decision = 0;
	sched.finished = false;
	sched_plan_start();
	sched_spin_start();
}

/* ---- the start ------------------------------------------------------------------------------- */

static void install_crash_handlers(void);

void sched_start(const struct options *options)
{
	struct control *control = NULL;

	if (options->control[0])
		control = map_control_file(options->control);
	else if (options->serial)
		control = make_private_control(options);
	if (!control || gettid() != getpid())
		return;
	if (!claim_control_file(control))
		return;
	sched.control = control;
	server_start(control);
	sched_object_start();
	sched_become_main();
	control->event_count = 0;
	control->steps = 0;
	control->switches = 0;
	sched_read_plan(getpid());
	caller_instrumented_start();
	sched.may_cancel = imports_name("pthread_cancel");
	carrier = control->options & CONTROL_FIBERS ? &carrier_fiber : &carrier_kernel;
	if (carrier->start)
		carrier->start();
	sched_log_start(process_discards() ? NULL : process_dir());
	install_crash_handlers();
	sched_active = true;
	access_patch_start();
}

/* ---- the end --------------------------------------------------------------------------------- */

void sched_input_ended(void)
{
	if (sched_active)
		sched.control->input_ended = 1;
}

/*
 * With CONTROL_HOLD, a process whose run has failed stops here, so that a debugger can inspect it.
 */
void sched_finish(enum control_result result, const char *text)
{
	struct control *control = sched.control;

	if (!sched_active || sched.finished)
		return;
	sched.finished = true;
	uint32_t self = sched_self();
	if (self != CONTROL_NONE) {
		sched_log_switch(&sched_threads[self]);
		if (control->fault_thread == CONTROL_NONE) {
			control->fault_thread = self;
			control->fault_step = sched_threads[self].step;
		}
	}
	sched_count_slices();
	if (feof_unlocked(stdin))
		sched_input_ended();
	if (!control->blocked_count)
		sched_stuck_write_blocked(NULL);
	sched_log_end();
	strncpy(control->text, text ? text : "", sizeof(control->text) - 1);
	__atomic_store_n(&control->result, result, __ATOMIC_RELEASE);
	if (control->options & CONTROL_HOLD && control_is_failure(result))
		sched_wait_for_tool();
}

void sched_end_run(enum control_result result, const char *text, int status)
{
	sched_finish(result, text);
	server_end(status);
	if (status & 127) {
		real()->sigaction(status & 127, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		raise(status & 127);
	}
	real()->_exit(status >> 8 & 255);
	__builtin_unreachable();
}

void sched_fault(enum control_result result, uint64_t address, uint64_t site)
{
	struct control *control = sched_control();

	if (!control || !(control->options & CONTROL_CHECK_HEAP) || sched.finished)
		return;
	control->fault_address = address;
	control->fault_site = site;
	sched_end_run(result, "", SIGSEGV);
}

void sched_after_fork(void)
{
	sched_active = false;
	sched_stop_taking_turns();
}

/* ---- crashes --------------------------------------------------------------------------------- */

/*
 * Signals that report a fault of the program itself. As long as the program has no handler of its
 * own, ours writes the result and then lets the signal take its default action.
 */
static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP };

/*
 * A load of SCHED_LOAD, and where to continue if it faults. Each is an address relative to the
 * field that holds it.
 */
struct fallible_read {
	int32_t at, resume;
};
extern const struct fallible_read __start_sooth_reads[] __attribute__((visibility("hidden")));
extern const struct fallible_read __stop_sooth_reads[] __attribute__((visibility("hidden")));

bool sched_skip_read(void *context)
{
	greg_t *at = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	for (const struct fallible_read *r = __start_sooth_reads; r < __stop_sooth_reads; r++) {
		if (*at != (greg_t)((intptr_t)&r->at + r->at))
			continue;
		*at = (greg_t)((intptr_t)&r->resume + r->resume);
		return true;
	}
	return false;
}

static void handle_crash(int number, siginfo_t *info, void *context)
{
	struct control *control = sched.control;
	const ucontext_t *machine = context;

	if (sched_skip_read(context))
		return;
	control->status = number;
	control->fault_address = (uint64_t)info->si_addr;
	control->fault_site = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
	sched_finish(CONTROL_CRASHED, "");
	server_end(number);
	real()->sigaction(number, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (info->si_code <= 0) /* a process sent the signal: it would not occur again by itself */
		raise(number);
}

bool sched_is_crash_handler(sighandler_t handler)
{
	return handler == (sighandler_t)(void (*)(void))handle_crash;
}

static void install_crash_handlers(void)
{
	for (unsigned i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++) {
		struct sigaction now, ours = { .sa_sigaction = handle_crash,
					       .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
		if (real()->sigaction(crash_signals[i], NULL, &now) == 0 &&
		    now.sa_handler == SIG_DFL)
			real()->sigaction(crash_signals[i], &ours, NULL);
	}
}
