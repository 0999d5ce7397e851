/*
 * The file through which the tool and a controlled program talk (event/control.h): made here, with
 * room for plans and logs, and never on a disk. It has no name of its own either: the program
 * opens it as a descriptor of this process, so that nothing is left behind however we end. Pages
 * that nobody touches cost nothing, which is why there is plenty of room.
 */
#ifndef EXPLORE_CONTROL_CONTROL_FILE_H
#define EXPLORE_CONTROL_CONTROL_FILE_H

#include "explore/control/session.h"

struct control_file {
	int fd;
	struct control *control;
	uint64_t bytes;
	/* Ours: what the program does to its copy of the offsets does not mislead us. */
	uint64_t threads_at, blocked_at, events_at, plan_at;
	uint64_t plan_bytes;
	uint32_t event_most;
	char path[64]; /* by which the program opens it */
};

bool control_file_open(struct control_file *file, uint32_t event_most, uint64_t plan_bytes,
		       struct err *err);
void control_file_close(struct control_file *file);

/* How much of plan_bytes a plan takes. */
uint64_t control_file_plan_bytes(const struct plan *plan);

/* Puts a plan in and takes the outcome of the last run out; `options` as enum control_option. */
void control_file_set_plan(struct control_file *file, const struct plan *plan, uint32_t options);
void control_file_read(const struct control_file *file, struct outcome *outcome);

/* Threads by path, from 0 on; those that were known before stay what they are. */
void control_file_know_threads(struct control_file *file, const struct control_thread *threads,
			       uint32_t count);

#endif
