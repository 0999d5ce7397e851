/*
 * Lays out the shared file, writes plans into it and reads outcomes from it. The file has parts for
 * threads, blocked threads, events and plan; each starts at a page boundary.
 */
#include "explore/control/control_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void lay_out(struct control_file *file, uint32_t event_most, uint64_t plan_bytes)
{
	file->event_most = event_most;
	file->plan_bytes = whole_pages(plan_bytes);
	file->threads_at = whole_pages(sizeof(struct control));
	file->blocked_at =
		file->threads_at + whole_pages(CONTROL_THREADS * sizeof(struct control_thread));
	file->events_at =
		file->blocked_at + whole_pages(CONTROL_THREADS * sizeof(struct control_blocked));
	file->plan_at =
		file->events_at + whole_pages((uint64_t)event_most * sizeof(struct control_event));
	file->bytes = file->plan_at + file->plan_bytes;
}

bool control_file_open(struct control_file *file, uint32_t event_most, uint64_t plan_bytes,
		       struct err *err)
{
	void *memory;

	lay_out(file, event_most, plan_bytes);
	file->fd = memfd_create("sooth-control", MFD_CLOEXEC);
	if (file->fd < 0)
		return err_set_system(err, errno, "cannot create memory to share with the program");
	memory = ftruncate(file->fd, (off_t)file->bytes)
			 ? MAP_FAILED
			 : mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	if (memory == MAP_FAILED) {
		err_set_system(err, errno, "cannot create memory to share with the program");
		close(file->fd);
		return false;
	}
	snprintf(file->path, sizeof file->path, "/proc/%d/fd/%d", (int)getpid(), file->fd);
	file->control = memory;
	*file->control = (struct control){
		.magic = CONTROL_MAGIC,
		.version = CONTROL_VERSION,
		.bytes = file->bytes,
		.thread_count = 1, /* main */
		.diverged_slice = CONTROL_NONE,
	};
	((struct control_thread *)((char *)memory + file->threads_at))[0] =
		(struct control_thread){ CONTROL_NONE, 0 };
	return true;
}

void control_file_close(struct control_file *file)
{
	munmap(file->control, file->bytes);
	close(file->fd);
}

/* ---- input of the program -------------------------------------------------------------------- */

/*
 * Writes an array at offset `*at`, moves `*at` past it, and returns the offset where the array
 * starts.
 */
static uint64_t append_items(struct control_file *file, uint64_t *at, const void *items,
			     size_t bytes)
{
	uint64_t here = *at;

	if (bytes)
		memcpy((char *)file->control + here, items, bytes);
	*at = (here + bytes + 7) & ~7ull;
	assert(*at <= file->bytes);
	return here;
}

#define VEC_BYTES(v) ((v)->count * sizeof *(v)->items)
#define APPEND(v) append_items(file, &at, (v)->items, VEC_BYTES(v))

uint64_t control_file_plan_bytes(const struct plan *plan)
{
	return VEC_BYTES(&plan->slices) + VEC_BYTES(&plan->rules) + VEC_BYTES(&plan->choices) +
	       VEC_BYTES(&plan->sleeps) + 4 * sizeof(uint64_t);
}

static void forget_outcome(struct control *c)
{
	c->held = 0;
	c->child = 0;
	c->result = CONTROL_UNFINISHED;
	c->status = 0;
	c->event_count = c->events_lost = c->blocked_count = 0;
	c->slices_done = c->rules_broken = c->stops_met = c->diverged_kind = c->switches = 0;
	c->diverged_slice = CONTROL_NONE;
	c->steps = c->diverged_site = c->fault_address = c->fault_site = 0;
	c->fault_thread = c->fault_step = CONTROL_NONE;
	c->unfit_shared_memory = c->unordered = c->input_ended = 0;
	c->held_up_count = 0;
	c->text[0] = 0;
}

void control_file_set_plan(struct control_file *file, const struct plan *plan, uint32_t options)
{
	struct control *c = file->control;
	uint64_t at = file->plan_at;

	assert(plan->stops.count <= CONTROL_STOPS);
	forget_outcome(c);
	c->options = options;
	c->policy = plan->policy;
	c->seed = plan->seed;
	c->most_steps = plan->most_steps;
	c->run_count = (uint32_t)plan->slices.count;
	c->rule_count = (uint32_t)plan->rules.count;
	c->choice_count = (uint32_t)plan->choices.count;
	c->stop_count = (uint32_t)plan->stops.count;
	c->sleep_count = (uint32_t)plan->sleeps.count;
	c->event_most = file->event_most;
	c->threads_at = file->threads_at;
	c->events_at = file->events_at;
	c->blocked_at = file->blocked_at;
	c->slices_at = APPEND(&plan->slices);
	c->rules_at = APPEND(&plan->rules);
	c->choices_at = APPEND(&plan->choices);
	c->sleeps_at = APPEND(&plan->sleeps);
	for (size_t i = 0; i < plan->stops.count; i++)
		c->stops[i] = (struct control_stop){
			.thread = plan->stops.items[i].thread,
			.step = plan->stops.items[i].step,
			.site = plan->stops.items[i].site,
		};
}

void control_file_know_threads(struct control_file *file, const struct control_thread *threads,
			       uint32_t count)
{
	struct control *c = file->control;
	struct control_thread *known = (void *)((char *)c + file->threads_at);

	if (count > CONTROL_THREADS)
		count = CONTROL_THREADS;
	for (uint32_t i = c->thread_count; i < count; i++)
		known[i] = threads[i];
	if (c->thread_count < count)
		c->thread_count = count;
}

/* ---- output of the program ------------------------------------------------------------------- */

static uint32_t at_most(uint32_t count, uint32_t most)
{
	return count < most ? count : most;
}

void control_file_read(const struct control_file *file, struct outcome *outcome)
{
	const struct control *c = file->control;

	/* The program shares this memory and may have overwritten it, so limit all counts. */
	*outcome = (struct outcome){
		.result = c->result <= CONTROL_UNFIT ? c->result : CONTROL_UNFINISHED,
		.status = c->status,
		.control = c,
		.events = (const void *)((const char *)c + file->events_at),
		.event_count = at_most(c->event_count, file->event_most),
		.events_lost = c->events_lost || c->event_count > file->event_most,
		.blocked = (const void *)((const char *)c + file->blocked_at),
		.blocked_count = at_most(c->blocked_count, CONTROL_THREADS),
		.threads = (const void *)((const char *)c + file->threads_at),
		.thread_count = at_most(c->thread_count, CONTROL_THREADS),
	};
}
