/* The recording of this process: whether, where and with which options. */
#ifndef RUNTIME_HOST_PROCESS_H
#define RUNTIME_HOST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Starts the runtime unless it has started. Safe in any hook at any time, including constructors.
 */
void process_start(void);

void __tsan_init(void);

/* Is it decided whether anything is recorded? Not yet in the very first code of a program. */
bool process_started(void);

/* False in the child of a vfork, which runs in this memory but has descriptors of its own. */
bool process_is_here(void);

/* Is anything recorded? */
bool process_recording(void);

/* Is the recording thrown away? In a controlled run without a trace, buffers are only emptied. */
bool process_discards(void);

/* Has the trace reached the maximum size that the user allows? */
bool process_over_limit(void);

/* Prints a line on stderr that begins with "sooth: ", unless the user has turned messages off. */
void process_say(const char *what, const char *which);

/* To be called when a stream had to stop (enum event_stop): prints a message, once. */
void process_stopped(int why);

/*
 * Ends the recording with a message: the sites of this module cannot be distinguished from
 * another's.
 */
void process_unreadable(const char *module);

/* The trace's directory; valid while recording. */
const char *process_dir(void);

/*
 * Writes everything and marks the trace as ended. `how` is an enum event_process. Idempotent,
 * except for EXEC, after which recording continues if exec failed (process_exec_failed).
 */
void process_finish(int how, int64_t status);
void process_exec_failed(void);

/* In the child of a fork: starts a trace of its own. */
void process_after_fork(void);

#endif
