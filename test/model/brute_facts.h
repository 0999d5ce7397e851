/*
 * What the base run of a trace, the order of its lines, says about all other runs: what must come
 * before what, which bytes there are, who wrote what, what only the environment explains.
 * doc/prediction.md is the law.
 */
#ifndef MODEL_BRUTE_FACTS_H
#define MODEL_BRUTE_FACTS_H

#include "brute_text.h"

#define MAX_CELLS 96
#define MAX_LIVES 64

/* What a read must find in a cell, as numbers of values: */
#define ANY (-1)    /* not judged: the cell is frozen */
#define PINNED (-2) /* what the writer of the base run wrote */

struct held {
	uint8_t depth;	 /* as writer */
	uint8_t readers; /* how often as reader */
	uint8_t since;	 /* the event that took it first, if it is held */
};

struct life {
	int object;
	int initial; /* a semaphore's value at the start */
	bool known;  /* … is that for certain: it can block somebody */
};

struct meeting {
	int object, wanted, count;
	int arrivals[MAX_THREADS * 2];
};

struct facts {
	const struct text *text;
	int unexplained;
	bool strange[MAX_EVENTS]; /* a read that no recorded write explains: behind all before it */
	/* [event][thread]: so many of its events come before, by lives, channels, frozen orders */
	uint8_t need[MAX_EVENTS][MAX_THREADS];
	uint8_t need_memory[MAX_EVENTS][MAX_THREADS];  /* … lives of sync objects aside */
	uint8_t need_unbound[MAX_EVENTS][MAX_THREADS]; /* … all lives aside */
	uint8_t need_begun[MAX_EVENTS][MAX_THREADS];   /* … but for the begins of what it ends */
	int early;  /* the end of a life that comes before uses of it: has need_begun; -1 none */
	int rumour; /* the event of which others learn (struct state); -1 none */
	uint8_t create[MAX_THREADS]; /* the event, or NONE */

	/* Cells: ranges of bytes that no access splits. An access has those from first on. */
	int cell_count;
	struct cell {
		uint64_t address, size;
		bool frozen;
	} cells[MAX_CELLS];
	uint8_t first_cell[MAX_EVENTS], cells_of[MAX_EVENTS];
	int initial[MAX_CELLS];		       /* values, numbered for each cell */
	int written[MAX_EVENTS][MAX_CELLS];    /* [event][cell]: unknown values are unique */
	int wanted[MAX_EVENTS][MAX_CELLS];     /* [event][cell]: a value, ANY or PINNED */
	int before[MAX_EVENTS][MAX_CELLS];     /* [event][cell]: in the base run; -1 not known */
	uint8_t writer[MAX_EVENTS][MAX_CELLS]; /* [event][cell]: of the base run, for PINNED */

	bool frozen[MAX_OBJECTS], recursive[MAX_OBJECTS], robust[MAX_OBJECTS];
	/* [thread][how many events happened][lock] */
	struct held held[MAX_THREADS][MAX_EVENTS + 1][MAX_OBJECTS];
	bool not_held[MAX_EVENTS]; /* a release of what its thread does not hold */
	uint8_t waker[MAX_EVENTS]; /* of a WOKEN: what woke it in the base run, or NONE */
	int life_count;
	struct life lives[MAX_LIVES];
	uint8_t life[MAX_EVENTS]; /* of a semaphore's event */
	int meeting_count;
	struct meeting meetings[MAX_LIVES];
	uint8_t meeting[MAX_EVENTS];				/* of ARRIVE and PASS */
	uint8_t once_begin[MAX_OBJECTS], once_end[MAX_OBJECTS]; /* events, or NONE */
	char error[200];
};

#define UNKNOWN 10000 /* what an event without value wrote: this and its number */

/* The bytes whose life an event begins or ends; false: none. */
bool facts_life(const struct text *text, const struct event *event, uint64_t *address,
		uint64_t *size);
bool facts_begins(const struct event *event);	      /* … begins it */
bool facts_is_object_life(const struct event *event); /* of a sync object */
bool facts_begins_object(const struct event *event);
/* Does it begin or end behind the one event and before the other, in the base run? */
bool facts_is_anew(const struct facts *facts, int object, int from, int to);
/* Does it touch one of these bytes: an access, another life, an operation on an object there? */
bool facts_touches(const struct text *text, const struct event *event, uint64_t address,
		   uint64_t size);
bool facts_uses(const struct event *event,
		int object); /* or begins, or ends it; a request does not */

/* What the event's thread holds of a lock right before it, in the base run. */
struct held facts_held(const struct facts *facts, int event, int lock);
/* May it have waited for anything that came before it? */
bool facts_is_behind_all(const struct facts *facts, int event);

/* `facts` is large: not for the stack. False: the text is no run at all; `error` says why. */
bool facts_make(struct facts *facts, const struct text *text);

#endif
