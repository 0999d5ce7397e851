/*
 * The lattice of a computation, walked level by level, with the states of the monitors at each cut.
 *
 * Feeding is separate from walking: messages come in any order, and the walk starts when all have
 * come. A level is a list of cuts, sorted by their packed keys. A step of one column adds a
 * constant to the key. So the next level is a merge of one sorted list for each column and needs no
 * hash table.
 */
#ifndef MONITOR_LATTICE_LATTICE_H
#define MONITOR_LATTICE_LATTICE_H

#include "monitor/formula/machine.h"
#include "monitor/computation/message.h"

struct lattice;

struct lattice_options {
	uint64_t breadth; /* --breadth: cuts of a level that are kept; 0: all */
	bool count;	  /* count all runs and the violating ones */
	unsigned jobs;	  /* threads, at least 1 */
	/* bytes for levels; 0: no limit. At the limit the walk keeps fewer cuts, with a note */
	uint64_t memory;
	/*
	 * About how many successors to compute in the whole walk; 0: no limit. At the limit the
	 * walk keeps fewer cuts, with a note.
	 */
	uint64_t effort;
	bool ended; /* the program ended here, so complete runs are also judged by is_bad_at_end */
	/*
	 * The columns of the observed run's steps. `breadth` always keeps the cuts of this run, and
	 * a violation on it is marked `observed`. NULL: the observed run is the order of feeding.
	 */
	const uint32_t *observed;
	size_t observed_count;
	void (*progress)(void *context, uint64_t level, uint64_t levels, uint64_t cuts);
	void *context;
};

struct lattice *lattice_new(const struct lattice_options *options);
void lattice_free(struct lattice *lattice);

/*
 * Adds a machine; the caller still owns it. A step of the machine gets the label of the message or,
 * with `by_message`, 1 + the message's position in the observed run (machine_with_fences()). Silent
 * messages do not step it in either case.
 */
void lattice_add_machine(struct lattice *lattice, struct machine *machine, bool by_message);
/* For tests of wide keys: keys have at least `words` words. */
void lattice_widen_keys(struct lattice *lattice, uint32_t words);
/* Copies everything that the lattice needs of the message. */
void lattice_feed(struct lattice *lattice, const struct message *message);

/* A violation. There is one for each machine and each event at which the machine is violated. */
struct lattice_violation {
	uint32_t machine;
	/*
	 * The event. If there is none, `column` is LATTICE_START (violated before anything
	 * happened) or LATTICE_END (at the end of a complete run).
	 */
	uint32_t column, position;
	uint64_t level; /* number of events of the run, up to and including the violating one */
	/* The run as the columns of its `level` steps; NULL if it was not asked for. */
	uint32_t *run;
	bool observed; /* the observed run is violated at this event, and `run` is that run */
};
#define LATTICE_END UINT32_MAX
#define LATTICE_START (UINT32_MAX - 1)

/* An exact count of runs: 64-bit limbs, lowest first. */
struct lattice_count {
	uint64_t *limbs;
	uint32_t limb_count;
};

struct lattice_result {
	uint64_t cuts, levels, widest; /* without the cuts that were pruned */
	uint64_t dropped;	       /* number of cuts that were pruned */
	uint64_t columns, events;
	bool complete; /* the walk reached the cut of all events */
	bool counted;  /* `runs` is valid; false: not asked for, or not enough memory */
	struct lattice_count runs;
	VEC(struct lattice_count) violating; /* by machine; complete runs only */
	struct lattice_count violating_any;  /* runs that violate at least one machine */
	VEC(struct lattice_violation) violations;
	VEC(char *) notes; /* what was pruned or left out, as text */
	double seconds;
};

/*
 * Walks the lattice. Returns false with `err` set if a machine fails or the messages are
 * inconsistent. At most `most` violations of each machine get a run.
 */
bool lattice_walk(struct lattice *lattice, size_t most, struct lattice_result *result,
		  struct err *err);
void lattice_result_free(struct lattice_result *result);

void lattice_count_add(struct lattice_count *sum, const struct lattice_count *count);
/* Returns the decimal digits, which the caller frees. */
char *lattice_count_text(const struct lattice_count *count);

#endif
