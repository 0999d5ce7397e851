/*
 * What only a look at the whole trace tells: which threads are created by somebody, with how much
 * a semaphore must have started whose initial value was not recorded, which bytes are shared, and
 * which a lock guards. Made when it is first asked for, as most traces need none of it.
 */
#ifndef CHECK_SURVEY_H
#define CHECK_SURVEY_H

#include "trace/trace.h"

struct checker_survey;

struct checker_survey *checker_survey_open(const struct trace *trace);
void checker_survey_close(struct checker_survey *survey);

/* Is there a CREATE of the stream with this number? */
bool checker_survey_creates(struct checker_survey *survey, uint32_t number);

/* The least with which the semaphore can start so that no DOWN before its first SEM_INIT or
 * SEM_DESTROY comes at 0. */
uint64_t checker_survey_semaphore(struct checker_survey *survey, uint64_t address);
/* Is there a SEM_INIT or a SEM_DESTROY of it? */
bool checker_survey_turns(struct checker_survey *survey, uint64_t address);

/*
 * Is the byte judged: do two threads access it, or its neighbours in an aligned word, or an atomic operation, or is
 * the word static, or in a mapping? What unrecorded code leaves elsewhere is the doing of the thread itself. In a
 * text all are.
 */
bool checker_survey_shares(struct checker_survey *survey, uint64_t address);

/* Do two threads access the byte while they hold the lock, for writing or reading? */
bool checker_survey_guards(struct checker_survey *survey, uint64_t lock, uint64_t address);

#endif
