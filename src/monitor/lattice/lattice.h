/*
 * The lattice of a computation, level by level, with the states of monitors at each cut.
 *
 * Feeding is apart from walking: messages come in any order; the walk starts when all are there (a
 * live observer will walk as far as it knows). A level is kept sorted by packed cuts: the successors by
 * one column are the level plus a constant, so the next level is a merge, without a hash.
 */
#ifndef MONITOR_LATTICE_LATTICE_H
#define MONITOR_LATTICE_LATTICE_H

#include "monitor/formula/machine.h"
#include "monitor/computation/message.h"

struct lattice;

struct lattice_options {
	uint64_t breadth; /* cuts that go on from a level; 0: all */
	bool count;	  /* runs, and violating ones */
	unsigned jobs;	  /* threads; 1 or more */
	uint64_t memory; /* bytes for levels; 0: no limit. Beyond it breadth is lowered, and said */
	/*
	 * Successors to look at in the whole walk, about; beyond it breadth is lowered, and said. 0: no
	 * limit.
	 */
	uint64_t effort;
	bool ended; /* complete runs are at an end: is_bad_at_end counts */
	/*
	 * The observed run: the columns of its steps. For breadth, and for `observed` of a
	 * violation. NULL: the messages are fed in that order.
	 */
	const uint32_t *observed;
	size_t observed_count;
	void (*progress)(void *context, uint64_t level, uint64_t levels, uint64_t cuts);
	void *context;
};

struct lattice *lattice_new(const struct lattice_options *options);
void lattice_free(struct lattice *lattice);

/*
 * Machines are asked with the label of each message, or, `by_message`, with 1 + its place in the
 * observed run (machine_with_fences); silent messages are silent all the same. They stay the caller's.
 */
void lattice_add_machine(struct lattice *lattice, struct machine *machine, bool by_message);
/* Keys of at least so many words: for tests of wide ones. */
void lattice_widen_keys(struct lattice *lattice, uint32_t words);
/* Copies what it needs. */
void lattice_feed(struct lattice *lattice, const struct message *message);

/* The first cut of a violation at an event, for each machine and each event at which there is one. */
struct lattice_violation {
	uint32_t machine;
	/* the event; instead of a column: LATTICE_START before anything, LATTICE_END at an end */
	uint32_t column, position;
	uint64_t level; /* events of the run up to it, with it */
	/* the run: columns of its steps, `level` of them; NULL if not asked for */
	uint32_t *run;
	bool observed; /* the observed run violates there: then `run` is that run */
};
#define LATTICE_END UINT32_MAX
#define LATTICE_START (UINT32_MAX - 1)

/* A count of runs, exact: limbs of 64 bits, lowest first. */
struct lattice_count {
	uint64_t *limbs;
	uint32_t limb_count;
};

struct lattice_result {
	uint64_t cuts, levels, widest; /* of cuts that went on */
	uint64_t dropped;	       /* cuts beside these, that breadth cut off */
	uint64_t columns, events;
	bool complete; /* the cut of everything was reached */
	bool counted;  /* `runs` holds; false: not asked for, or no memory for it */
	struct lattice_count runs;
	VEC(struct lattice_count) violating; /* by machine; only complete runs */
	struct lattice_count violating_any;  /* of some machine */
	VEC(struct lattice_violation) violations;
	VEC(char *) notes; /* what was cut or left out, in words */
	double seconds;
};

/*
 * Walks. False: a machine failed, messages do not fit together (`err`). At most `most` violations
 * of each machine get a run.
 */
bool lattice_walk(struct lattice *lattice, size_t most, struct lattice_result *result,
		  struct err *err);
void lattice_result_free(struct lattice_result *result);

void lattice_count_add(struct lattice_count *sum, const struct lattice_count *count);
/* Decimal digits; to be freed. */
char *lattice_count_text(const struct lattice_count *count);

#endif
