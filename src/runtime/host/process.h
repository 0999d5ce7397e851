/* The recording of this process: whether, where, with which options. */
#ifndef RUNTIME_HOST_PROCESS_H
#define RUNTIME_HOST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the runtime if it has not started. Safe from any hook at any time, constructors included. */
void process_start(void);

void __tsan_init(void);

/* Is it decided whether anything is recorded? Not so in the very first code of a program. */
bool process_started(void);

/* Not the child of a vfork, which runs in our memory and has descriptors of its own. */
bool process_is_here(void);

/* Is anything recorded? */
bool process_recording(void);

/* Does nobody want what is recorded? A controlled run without a trace: lanes are emptied only. */
bool process_discards(void);

/* Has the trace reached the size the user allows? */
bool process_over_limit(void);

/* A line on stderr that begins with "sooth: ", unless the user wants none. */
void process_say(const char *what, const char *which);

/* A stream had to stop (enum event_stop): says so once. */
void process_stopped(int why);

/* This module's sites could not be told from another's: recording ends here, and that is said. */
void process_unreadable(const char *module);

/* The trace's directory; valid while recording. */
const char *process_dir(void);

/* Writes everything out and marks the trace as ended. `how` is an enum event_process. Idempotent
 * but for EXEC, after which recording goes on if exec failed (process_exec_failed). */
void process_finish(int how, int64_t status);
void process_exec_failed(void);

/* In a fork child: gives it a trace of its own. */
void process_after_fork(void);

#endif
