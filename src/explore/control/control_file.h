/*
 * The file through which the tool and a controlled program communicate (event/control.h). The tool
 * creates it with room for plans and logs. It exists only in memory and has no name in the file
 * system: the program opens it as a descriptor of the tool's process, so nothing is left over
 * however the tool ends. Pages that are never touched cost nothing, so the file can be generous.
 */
#ifndef EXPLORE_CONTROL_CONTROL_FILE_H
#define EXPLORE_CONTROL_CONTROL_FILE_H

#include "explore/control/runner.h"

struct control_file {
	int fd;
	struct control *control;
	uint64_t bytes;
	/* offsets of the parts; copies, because the program may overwrite those in the file */
	uint64_t threads_at, blocked_at, events_at, plan_at;
	uint64_t plan_bytes;
	uint32_t event_most;
	char path[64]; /* the path under which the program opens the file */
};

bool control_file_open(struct control_file *file, uint32_t event_most, uint64_t plan_bytes,
		       struct err *err);
void control_file_close(struct control_file *file);

/* Returns the number of bytes that a plan takes, of the plan_bytes that the file has. */
uint64_t control_file_plan_bytes(const struct plan *plan);

/*
 * control_file_set_plan() writes a plan into the file; `options` are bits of enum control_option.
 * control_file_read() reads the outcome of the last run.
 */
void control_file_set_plan(struct control_file *file, const struct plan *plan, uint32_t options);
void control_file_read(const struct control_file *file, struct outcome *outcome);

/* Enters the creators of threads 0 to `count` - 1. Entries that exist already are not changed. */
void control_file_know_threads(struct control_file *file, const struct control_thread *threads,
			       uint32_t count);

#endif
