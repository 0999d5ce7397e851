/*
 * The facts about all other runs that follow from the base run, which is the order of the lines:
 * what must come before what, which bytes exist, which write each read saw, and what only the
 * environment explains. The rules are those of doc/prediction.md.
 */
#ifndef MODEL_BRUTE_FACTS_H
#define MODEL_BRUTE_FACTS_H

#include "brute_text.h"

#define MAX_CELLS 96
#define MAX_LIVES 64

/* What a read must find in a cell: the number of a value, or */
#define ANY (-1)    /* anything: the cell is frozen */
#define PINNED (-2) /* the value of the same writer as in the base run */

struct held {
	uint8_t depth;	 /* how often held as writer */
	uint8_t readers; /* how often held as reader */
	uint8_t since;	 /* the event that acquired it first, if it is held */
};

struct life {
	int object;
	int initial; /* value of a semaphore at the start */
	bool known;  /* is the initial value certain? Then the semaphore can block */
};

struct meeting {
	int object, wanted, count;
	int arrivals[MAX_THREADS * 2];
};

struct facts {
	const struct text *text;
	int unexplained;
	bool strange[MAX_EVENTS]; /* an unexplained read: it comes after everything before it */
	/*
	 * [event][thread]: number of the thread's events that must come before, because of
	 * lifetimes, channels and frozen orders
	 */
	uint8_t need[MAX_EVENTS][MAX_THREADS];
	/* the same without lifetimes of sync objects */
	uint8_t need_memory[MAX_EVENTS][MAX_THREADS];
	uint8_t need_unbound[MAX_EVENTS][MAX_THREADS]; /* the same without any lifetimes */
	/* the same, but with the begin of what the event ends */
	uint8_t need_begun[MAX_EVENTS][MAX_THREADS];
	/* the end of a lifetime that comes before its uses, and has need_begun; -1: none */
	int early;
	int rumour; /* the event that other threads may learn of (struct state); -1: none */
	uint8_t create[MAX_THREADS]; /* the event that creates the thread, or NONE */

	/*
	 * Cells: ranges of bytes that no access splits. An access has `cells_of` cells, from
	 * `first_cell` on.
	 */
	int cell_count;
	struct cell {
		uint64_t address, size;
		bool frozen;
	} cells[MAX_CELLS];
	uint8_t first_cell[MAX_EVENTS], cells_of[MAX_EVENTS];
	int initial[MAX_CELLS]; /* number of the initial value of each cell */
	/* [event][cell]: number of the written value; an unknown value is unique */
	int written[MAX_EVENTS][MAX_CELLS];
	/* [event][cell]: what a read must find: a value, ANY or PINNED */
	int wanted[MAX_EVENTS][MAX_CELLS];
	/* [event][cell]: value before the event in the base run; -1: unknown */
	int before[MAX_EVENTS][MAX_CELLS];
	/* [event][cell]: last writer in the base run, for PINNED */
	uint8_t writer[MAX_EVENTS][MAX_CELLS];

	bool frozen[MAX_OBJECTS], recursive[MAX_OBJECTS], robust[MAX_OBJECTS];
	/* [thread][number of events that have happened][lock] */
	struct held held[MAX_THREADS][MAX_EVENTS + 1][MAX_OBJECTS];
	bool not_held[MAX_EVENTS]; /* a release of a lock that its thread does not hold */
	uint8_t waker[MAX_EVENTS]; /* WOKEN: the event that woke it in the base run, or NONE */
	int life_count;
	struct life lives[MAX_LIVES];
	uint8_t life[MAX_EVENTS]; /* event of a semaphore: index of the lifetime */
	int meeting_count;
	struct meeting meetings[MAX_LIVES];
	/* ARRIVE and PASS: index of the meeting */
	uint8_t meeting[MAX_EVENTS];
	/* by object: these events, or NONE */
	uint8_t once_begin[MAX_OBJECTS], once_end[MAX_OBJECTS];
	char error[200];
};

/* number of the unknown value that an event wrote: this plus the event's number */
#define UNKNOWN 10000

/* Sets the bytes whose lifetime an event begins or ends. Returns false if there are none. */
bool facts_life(const struct text *text, const struct event *event, uint64_t *address,
		uint64_t *size);
bool facts_begins(const struct event *event); /* does it begin the lifetime of memory? */
/* does it begin or end the lifetime of a sync object? */
bool facts_is_object_life(const struct event *event);
bool facts_begins_object(const struct event *event);
/*
 * Does a lifetime of the object begin or end after event `from` and before event `to`, in the base
 * run?
 */
bool facts_is_anew(const struct facts *facts, int object, int from, int to);
/*
 * Does the event touch one of these bytes, by an access, by another lifetime, or by an operation on
 * an object there?
 */
bool facts_touches(const struct text *text, const struct event *event, uint64_t address,
		   uint64_t size);
bool facts_uses(const struct event *event,
		int object); /* Does the event use, begin or end the object? A request does not. */

/* Returns how the event's thread holds a lock just before the event, in the base run. */
struct held facts_held(const struct facts *facts, int event, int lock);
/* May the event have waited for anything that came before it? */
bool facts_is_behind_all(const struct facts *facts, int event);

/*
 * Computes the facts. `facts` is too large for the stack. Returns false if the text is no valid
 * run; `error` has the reason.
 */
bool facts_make(struct facts *facts, const struct text *text);

#endif
