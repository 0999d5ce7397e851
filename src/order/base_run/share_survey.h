/*
 * A pass over the trace before windows are cut: finds out which memory and which events another
 * thread can notice at all. Only those become nodes. In a text trace everything counts, and only
 * the numbers below are found out.
 */
#ifndef ORDER_BASE_RUN_SHARE_SURVEY_H
#define ORDER_BASE_RUN_SHARE_SURVEY_H

#include "base/pages.h"
#include "base/vec.h"
#include "trace/trace.h"

#define SURVEY_GRANULE 8u
#define SURVEY_PAGE 4096u

struct survey_stream {
	uint64_t events;  /* of the thread and its handlers */
	bool has_creator; /* there is a CREATE of it */
	bool stopped;	  /* it ran on after its last recorded event */
	bool exits;	  /* it ended the process */
};

/* Memory that was allocated as one block or as overlapping ones; stacks, too. */
struct survey_region {
	uint64_t low, high;
	uint32_t owner; /* owner + 1 of all threads that allocated and freed it; SURVEY_MANY */
	bool noticed;	/* by another thread than that one */
};
#define SURVEY_MANY UINT32_MAX

struct share_survey {
	bool text;
	bool cancels; /* threads were cancelled in the run */
	uint64_t events;
	uint32_t *owner_of; /* for each stream, by position */
	uint32_t stream_count;
	struct survey_stream *streams;
	struct pages granules; /* address / SURVEY_GRANULE: its users, 32 bits */
	struct map pages;      /* address / SURVEY_PAGE: users of whole pages, by large accesses */
	struct map objects;    /* address of a sync object: its users */
	VEC(struct survey_region) regions; /* sorted by address */
	struct map semaphores;	  /* address: the smallest count it can have started with */
	struct map reinitialised; /* addresses of semaphores with an INIT or a DESTROY */
	struct map opaque;	  /* address that an OPAQUE names: how many such events there are */
};

void share_survey_make(struct share_survey *survey, const struct trace *trace);
void share_survey_free(struct share_survey *survey);

/* Can another thread notice an access to these bytes? */
bool share_survey_shares(const struct share_survey *survey, uint64_t address, uint64_t size);
/* Can another thread notice that the block at this address is allocated or freed? */
bool share_survey_shares_block(const struct share_survey *survey, uint64_t address);

/* Finds the first part of [*low, high) that counts: sets *low, returns its end, or 0 if none. */
uint64_t share_survey_next_part(const struct share_survey *survey, uint64_t *low, uint64_t high);

#endif
