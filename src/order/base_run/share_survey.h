/*
 * A pass over the trace before windows are cut. It finds the memory and the events that another
 * thread can notice at all: they *count*, and only they become nodes. In a text trace everything
 * counts; the pass only collects the other data below.
 */
#ifndef ORDER_BASE_RUN_SHARE_SURVEY_H
#define ORDER_BASE_RUN_SHARE_SURVEY_H

#include "base/pages.h"
#include "base/vec.h"
#include "trace/trace.h"

#define SURVEY_GRANULE 8u
#define SURVEY_PAGE 4096u

struct survey_stream {
	uint64_t events;  /* number of events of the thread and its handlers */
	bool has_creator; /* the trace has a CREATE of this thread */
	bool stopped;	  /* the thread continued after its last recorded event */
	bool exits;	  /* the thread ended the process */
};

/* The memory of a block, of several blocks that overlap (at different times), or of a stack. */
struct survey_region {
	uint64_t low, high;
	uint32_t owner; /* owner + 1 of its ALLOCs and FREEs; SURVEY_MANY: different owners */
	bool noticed;	/* another thread accesses it */
};
#define SURVEY_MANY UINT32_MAX

struct share_survey {
	bool text;
	unsigned stops; /* bits 1 << enum event_stop: why streams end early */
	bool cancels;	/* threads were cancelled in the run */
	uint64_t events;
	uint32_t *owner_of; /* by position of a stream: position of its owner */
	uint32_t stream_count;
	struct survey_stream *streams;
	struct pages granules; /* address / SURVEY_GRANULE to the granule's users, 32 bits */
	struct map pages;      /* address / SURVEY_PAGE to users whose accesses cover the page */
	struct map objects;    /* address of a sync object to its users */
	VEC(struct survey_region) regions; /* sorted by address */
	struct map semaphores;		   /* address to the smallest possible count at the start */
	struct map reinitialised;	   /* addresses of semaphores with an INIT or a DESTROY */
	struct map opaque; /* address that an OPAQUE names: how many such events there are */
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
