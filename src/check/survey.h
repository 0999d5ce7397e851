/*
 * Facts that need a look at the whole trace: which threads have a CREATE, the least initial value
 * of a semaphore for which none was recorded, which bytes are shared, and which bytes a lock
 * guards. Each is computed at the first query, because most traces need none of them.
 */
#ifndef CHECK_SURVEY_H
#define CHECK_SURVEY_H

#include "trace/trace.h"

struct checker_survey;

struct checker_survey *checker_survey_open(const struct trace *trace);
void checker_survey_close(struct checker_survey *survey);

/* Is there a CREATE of the stream with this number? */
bool checker_survey_creates(struct checker_survey *survey, uint32_t number);

/*
 * Returns the least initial value of the semaphore with which none of its DOWNs happens at 0. Only
 * the DOWNs before its first SEM_INIT or SEM_DESTROY count.
 */
uint64_t checker_survey_semaphore(struct checker_survey *survey, uint64_t address);
/* Is the semaphore ever initialised or destroyed in the trace? */
bool checker_survey_reinitialises(struct checker_survey *survey, uint64_t address);

/*
 * Is the byte judged? It is if two threads access its aligned word, if an atomic operation accesses
 * that word, or if the word is static or in a mapping. In all other memory, what unrecorded code
 * leaves is attributed to the thread itself. In a text trace all bytes are judged.
 */
bool checker_survey_shares(struct checker_survey *survey, uint64_t address);

/* How often a stream holds a lock, for writing and for reading. */
struct checker_lock_depth {
	uint32_t writes, reads;
	uint32_t saved; /* `writes` before a wait */
};
/* Updates the depth after the stream's next operation on the lock. */
void checker_lock_depth_follow(struct checker_lock_depth *depth, uint8_t kind);

/* Do two threads access the byte while they hold the lock (for writing or reading)? */
bool checker_survey_guards(struct checker_survey *survey, uint64_t lock, uint64_t address);

#endif
