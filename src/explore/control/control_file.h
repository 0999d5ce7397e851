/*
 * The file through which the tool and a controlled program communicate (event/control.h). It is
 * created here, with room for plans and logs, and is never on a disk. It has no name in the file
 * system either: the program opens it as a descriptor of this process, so nothing is left over
 * however the tool ends. Pages that are never touched cost nothing, so the file can be generous.
 */
#ifndef EXPLORE_CONTROL_CONTROL_FILE_H
#define EXPLORE_CONTROL_CONTROL_FILE_H

#include "explore/control/runner.h"

struct control_file {
	int fd;
	struct control *control;
	uint64_t bytes;
	/* Our own copies: the program may overwrite the offsets in the file. */
	uint64_t threads_at, blocked_at, events_at, plan_at;
	uint64_t plan_bytes;
	uint32_t event_most;
	char path[64]; /* by which the program opens it */
};

bool control_file_open(struct control_file *file, uint32_t event_most, uint64_t plan_bytes,
		       struct err *err);
void control_file_close(struct control_file *file);

/* Returns how much of plan_bytes a plan needs. */
uint64_t control_file_plan_bytes(const struct plan *plan);

/*
 * Writes a plan into the file (`options`: enum control_option), and reads the outcome of the last
 * run.
 */
void control_file_set_plan(struct control_file *file, const struct plan *plan, uint32_t options);
void control_file_read(const struct control_file *file, struct outcome *outcome);

/* Enters threads, from 0 on. Entries that exist already are not changed. */
void control_file_know_threads(struct control_file *file, const struct control_thread *threads,
			       uint32_t count);

#endif
