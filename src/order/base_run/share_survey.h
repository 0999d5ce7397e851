/*
 * The pass before the windows: which memory, which events another thread can notice at all. In a
 * text trace everything counts, and only the numbers below are found out.
 */
#ifndef ORDER_BASE_RUN_SHARE_SURVEY_H
#define ORDER_BASE_RUN_SHARE_SURVEY_H

#include "base/pages.h"
#include "base/vec.h"
#include "trace/trace.h"

#define SURVEY_GRANULE 8u
#define SURVEY_PAGE 4096u

struct survey_lane {
	uint64_t events;  /* of the thread and its handlers */
	bool has_creator; /* there is a CREATE of it */
	bool stopped;	  /* it went on unseen behind its last event */
	bool exits;	  /* it ended the process */
};

/* Memory that was allocated as one block or in overlapping ones; stacks too. */
struct survey_region {
	uint64_t low, high;
	uint32_t lane; /* + 1: of all that allocated and freed it; SURVEY_MANY */
	bool noticed;  /* by another than that one */
};
#define SURVEY_MANY UINT32_MAX

struct share_survey {
	bool text;
	bool cancels; /* threads were cancelled in the run */
	uint64_t events;
	uint32_t *lane_of; /* by position of a stream */
	uint32_t lane_count;
	struct survey_lane *lanes;
	struct pages granules; /* address / SURVEY_GRANULE: who touched it, 32 bits */
	struct map pages;      /* address / SURVEY_PAGE, whole ones touched by large accesses */
	struct map objects;    /* address of a sync object: who touched it */
	VEC(struct survey_region) regions; /* by address */
	struct map semaphores; /* address: the smallest count it can have started with */
	struct map turned;     /* addresses of semaphores with an INIT or a DESTROY */
};

void share_survey_make(struct share_survey *survey, const struct trace *trace);
void share_survey_free(struct share_survey *survey);

/* Can another thread notice an access of these bytes? */
bool share_survey_shares(const struct share_survey *survey, uint64_t address, uint64_t size);
/* … or that the block at this address is allocated or freed? */
bool share_survey_shares_block(const struct share_survey *survey, uint64_t address);

/*
 * The first stretch of [*low, high) that counts: moves *low to its start and returns its end, or 0
 * when there is none.
 */
uint64_t share_survey_stretch(const struct share_survey *survey, uint64_t *low, uint64_t high);

#endif
