/*
 * The first look at a trace: which memory and which objects several threads use, and where the
 * recording does not explain what happened. Only that can order anything.
 *
 * Bytes that are always accessed together are one *cell*. Cost: 8 bytes for each byte that was
 * accessed, one pass.
 */
#ifndef MONITOR_COMPUTATION_SURVEY_H
#define MONITOR_COMPUTATION_SURVEY_H

#include "base/map.h"
#include "base/pages.h"
#include "trace/trace.h"

enum survey_class {
	SURVEY_LOCK,
	SURVEY_CONDITION,
	SURVEY_SEMAPHORE,
	SURVEY_BARRIER,
	SURVEY_ONCE,
	SURVEY_CHANNEL,
	SURVEY_DESCRIPTOR,
	SURVEY_BLOCK, /* memory between borders of blocks and stacks: their begins and ends */
	SURVEY_CLASSES
};
#define SURVEY_NONE UINT32_MAX

struct survey_holder {
	uint32_t lane, depth;
};
struct survey_object {
	uint64_t address;
	uint32_t lane;	 /* + 1 */
	uint32_t number; /* of the object, when several threads use it; else SURVEY_NONE */
	uint8_t class;
	bool several, frozen;
	bool unexplained; /* somebody unseen operates on it, too (survey_unseen.c) */
	/* a lock, while it is looked at */
	struct survey_holder writer;
	VEC(struct survey_holder) readers;
};

enum survey_bit {
	SURVEY_SEVERAL = 1, /* threads */
	SURVEY_WRITTEN = 2,
	SURVEY_LIVED = 4,  /* in a block or a stack whose begin or end was recorded */
	SURVEY_BORDER = 8, /* an access begins here, or ended in front of it */
	SURVEY_KNOWN = 16, /* the value, while it is looked at */
	SURVEY_FROZEN = 32,
};
struct survey_byte {
	uint32_t cell; /* + 1; 0: nothing that orders anything */
	uint16_t lane; /* + 1 */
	uint8_t bits, value;
};

struct survey {
	const struct trace *trace;
	uint32_t lanes;
	uint32_t *lane_of; /* by position of a stream: the thread that it belongs to */
	bool *created;	   /* by lane: somebody created it */
	uint32_t *waited;  /* by lane: how deep it was in the mutex that it gave up to wait */
	struct pages bytes;
	struct map index[SURVEY_CLASSES];
	VEC(struct survey_object) objects; /* by class and address when all is read */
	struct map unexplained;		   /* places of reads that no recorded write explains */
	uint32_t cells, numbers;	   /* numbers: of cells and of objects that matter */
	bool stopped, aborted; /* something is missing; the process did not end by itself */
	bool forced;	       /* no order of the events fits all that was recorded */
};

void survey_make(const struct trace *trace, struct survey *survey);
void survey_free(struct survey *survey);

/* Is it an access of memory that has a size? */
bool survey_is_access(const struct trace_event *event);

struct survey_object *survey_object(struct survey *survey, enum survey_class class,
				    uint64_t address);
/* The first object of the class, or of one behind it, that is not in front of the address. */
size_t survey_first_object(const struct survey *survey, enum survey_class class, uint64_t address);

/*
 * In the order of the trace: notes which objects have operations that what was recorded does not
 * explain. Does the event learn of what was done to one of them?
 */
struct survey_unseen;
struct survey_unseen *survey_unseen_open(uint32_t lanes);
void survey_unseen_see(struct survey_unseen *unseen, struct survey *survey,
		       const struct trace_event *event, uint32_t lane);
void survey_unseen_close(struct survey_unseen *unseen);
bool survey_learns_of_unseen(struct survey *survey, const struct trace_event *event);

/* Heap blocks and stacks: what an event begins or ends the life of. */
struct survey_lives {
	struct map blocks; /* address: size + 1 */
	uint64_t *stacks;  /* by lane: low, high */
};
void survey_lives_open(struct survey_lives *lives, uint32_t lanes);
void survey_lives_close(struct survey_lives *lives);
/* False: it is no such event. */
bool survey_lives_range(struct survey_lives *lives, const struct trace_event *event, uint32_t lane,
			uint64_t *low, uint64_t *high);

#endif
