/* The recording of this process: whether, where and with which options. */
#ifndef RUNTIME_HOST_PROCESS_H
#define RUNTIME_HOST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Starts the runtime unless it has started. May be called from any interposer at any time,
 * including constructors.
 */
void process_start(void);

void __tsan_init(void);

/* Has the runtime decided whether it records? Not yet in the very first code of a program. */
bool process_started(void);

/*
 * Returns false in the child of a vfork, which runs in this process's memory but has its own
 * descriptors.
 */
bool process_is_here(void);

/* Is anything recorded? */
bool process_recording(void);

/*
 * Are the records thrown away? In a controlled run without a trace, the runtime only empties full
 * buffers.
 */
bool process_discards(void);

/* Has the trace reached the maximum size that the user allows? */
bool process_over_limit(void);

/* Prints a line on stderr that begins with "sooth: ", unless the user has turned messages off. */
void process_say(const char *what, const char *which);

/*
 * To be called when a stream had to stop. `why` is an enum event_stop. Prints a message the first
 * time.
 */
void process_stopped(int why);

/*
 * Ends the recording with a message, because the segments of `module` cannot be distinguished from
 * those of another module.
 */
void process_unreadable(const char *module);

/* The trace's directory; valid while recording. */
const char *process_dir(void);

/*
 * Writes all buffers and marks the trace as ended. `how` is an enum event_process. Further calls do
 * nothing, except after EXEC: if exec failed, recording continues (process_exec_failed).
 */
void process_finish(int how, int64_t status);
void process_exec_failed(void);

/* To be called in the child of a fork: starts a separate trace. */
void process_after_fork(void);

#endif
