/*
 * Random computations and machines for tests of the lattice, and the correct results, found by
 * trying every run.
 */
#ifndef TEST_LATTICE_MAKE_H
#define TEST_LATTICE_MAKE_H

#include "base/map.h"
#include "monitor/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

#define MAKE_COLUMNS 6
#define MAKE_EVENTS 24
#define MAKE_MEMBERS 4
#define MAKE_OBJECTS 3
#define MAKE_LABELS 5 /* labels 1 to 4; 0 stands for an event without a label */

static inline uint64_t make_random(uint64_t *seed, uint64_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (*seed * 0x2545f4914f6cdd1du >> 20) % below;
}

/* Makes a lattice of columns without any order between them. */
static inline struct lattice *make_grid(const struct lattice_options *options, uint32_t columns,
					uint32_t events)
{
	struct lattice *lattice = lattice_new(options);

	for (uint32_t c = 0; c < columns; c++) {
		for (uint32_t i = 0; i < events; i++) {
			struct message message = { .column = c,
						   .position = i,
						   .label = 1 + (c * 7 + i * 3) % 4 };

			lattice_feed(lattice, &message);
		}
	}
	return lattice;
}

/* ---- computations ---------------------------------------------------------------------------- */

struct made_event {
	struct message message;
	uint32_t clock[MAKE_COLUMNS]; /* by column: number of events up to and including this one */
	struct message_need needs[MAKE_COLUMNS];
	struct message_member members[MAKE_MEMBERS];
};

/* A random computation. */
struct made {
	uint32_t columns, count;
	struct made_event events[MAKE_EVENTS];
	uint32_t observed[MAKE_EVENTS];
	/* [column][event]: position in the observed order */
	uint32_t place[MAKE_COLUMNS][MAKE_EVENTS];
	uint32_t counts[MAKE_COLUMNS];
};

struct make_options {
	uint32_t columns, events;
	unsigned needs; /* in percent: how often an event needs an event of another column */
	unsigned sets;	/* in percent: how often an event is a member of a set */
	bool shared;	/* the last object is a lock with a read side */
};

/* The state of an object while the run is generated. */
struct make_object {
	bool lock, rw;
	uint32_t sets;
	struct make_open {
		uint32_t number, opener, members, member[MAKE_EVENTS];
		bool shared;
	} open[MAKE_EVENTS]; /* several entries only if shared */
	uint32_t open_count;
};

static inline void make_after(struct made *made, struct made_event *event, uint32_t other)
{
	for (uint32_t c = 0; c < made->columns; c++) {
		if (made->events[other].clock[c] > event->clock[c])
			event->clock[c] = made->events[other].clock[c];
	}
}

static inline void make_member(struct made_event *event, uint32_t object,
			       const struct make_object *of, const struct make_open *open,
			       uint8_t role)
{
	event->members[event->message.member_count++] = (struct message_member){
		.object = object,
		.set = open->number,
		.role = role,
		.lock = of->lock,
		.shared = open->shared,
	};
}

static inline struct make_open *make_open_set(struct make_object *object, bool shared, uint32_t at)
{
	struct make_open *open = &object->open[object->open_count++];

	*open = (struct make_open){ object->sets++, at, 1, { at }, shared };
	return open;
}

/*
 * Adds an access of a variable: a write, a read, or an update, which closes one set and opens the
 * next.
 */
static inline void make_access(struct made *made, struct made_event *event, uint32_t at,
			       uint32_t number, struct make_object *object, uint64_t *seed)
{
	unsigned what = make_random(seed, 4);
	struct make_open *open = &object->open[0];

	if (what && object->open_count) {
		if (what == 1) {
			for (uint32_t i = 0; i < open->members; i++)
				make_after(made, event, open->member[i]);
		}
		make_after(made, event, open->opener);
		make_member(event, number, object, open, MESSAGE_JOINS);
		open->member[open->members++] = at;
		if (what > 1)
			return;
	}
	object->open_count = 0;
	make_member(event, number, object, make_open_set(object, false, at), MESSAGE_OPENS);
}

/* Adds a lock operation: an acquire, a release, a failed try, or an acquire and release at once. */
static inline void make_locking(struct made *made, struct made_event *event, uint32_t at,
				uint32_t number, struct make_object *object, uint64_t *seed)
{
	bool shared = object->rw && make_random(seed, 3);
	unsigned what = make_random(seed, 4);

	if (!object->open_count || (what == 0 && shared && object->open[0].shared)) {
		struct make_open *open = make_open_set(object, shared, at);

		make_member(event, number, object, open,
			    what == 3 ? MESSAGE_PASSES : MESSAGE_OPENS);
		if (what == 3)
			object->open_count--;
	} else if (what < 2) {
		uint32_t which = make_random(seed, object->open_count);
		struct make_open *open = &object->open[which];

		for (uint32_t i = 0; i < open->members; i++)
			make_after(made, event, open->member[i]);
		make_member(event, number, object, open, MESSAGE_CLOSES);
		*open = object->open[--object->open_count];
	} else {
		struct make_open *open = &object->open[make_random(seed, object->open_count)];

		make_after(made, event, open->opener);
		make_member(event, number, object, open, MESSAGE_JOINS);
		open->member[open->members++] = at;
	}
}

static inline void make_event(struct made *made, const struct make_options *options,
			      struct make_object *objects, uint64_t *seed)
{
	uint32_t at = made->count++, column = make_random(seed, options->columns);
	struct made_event *event = &made->events[at];

	*event = (struct made_event){ .message = { .column = column,
						   .position = made->counts[column],
						   .label = make_random(seed, MAKE_LABELS) } };
	if (made->counts[column])
		make_after(made, event, made->place[column][made->counts[column] - 1]);
	if (at && make_random(seed, 100) < options->needs)
		make_after(made, event, make_random(seed, at));
	if (make_random(seed, 100) < options->sets) {
		uint32_t o = make_random(seed, MAKE_OBJECTS);

		if (objects[o].lock)
			make_locking(made, event, at, o, &objects[o], seed);
		else
			make_access(made, event, at, o, &objects[o], seed);
	}
	made->place[column][made->counts[column]] = at;
	event->clock[column] = ++made->counts[column];
	made->observed[at] = column;
}

static inline void make_computation(struct made *made, const struct make_options *options,
				    uint64_t *seed)
{
	struct make_object objects[MAKE_OBJECTS] = { 0 };

	*made = (struct made){ .columns = options->columns };
	objects[1].lock = objects[2].lock = true;
	objects[2].rw = options->shared;
	for (uint32_t i = 0; i < options->events; i++)
		make_event(made, options, objects, seed);
	for (uint32_t i = 0; i < made->count; i++) {
		struct made_event *event = &made->events[i];

		for (uint32_t c = 0; c < made->columns; c++) {
			if (c != event->message.column && event->clock[c])
				event->needs[event->message.need_count++] =
					(struct message_need){ c, event->clock[c] };
		}
		event->message.needs = event->needs;
		event->message.members = event->members;
	}
}

/* ---- machines -------------------------------------------------------------------------------- */

/* A random machine: each label leads from a state to one or two states. */
struct table {
	uint32_t states;
	uint32_t (*next)[MAKE_LABELS][2];
	bool *bad, *bad_at_end, *safe;
	struct machine machine;
};

static inline uint32_t table_initial(void *self)
{
	(void)self;
	return 0;
}
static inline bool table_step(void *self, uint32_t state, uint32_t label, machine_states *next,
			      struct err *err)
{
	const struct table *table = self;

	(void)err;
	*vec_push(next) = table->next[state][label][0];
	if (table->next[state][label][1] != table->next[state][label][0])
		*vec_push(next) = table->next[state][label][1];
	return true;
}
static inline bool table_is_bad(void *self, uint32_t state)
{
	return ((struct table *)self)->bad[state];
}
static inline bool table_is_bad_at_end(void *self, uint32_t state)
{
	return ((struct table *)self)->bad_at_end[state];
}
static inline bool table_is_safe(void *self, uint32_t state)
{
	return ((struct table *)self)->safe[state];
}

/* Makes a random machine. `bad` in 1000 of its states are bad. */
static inline void make_table(struct table *table, uint32_t states, bool doubtful, unsigned bad,
			      uint64_t *seed)
{
	bool more = true;

	table->states = states;
	table->next = calloc(states, sizeof *table->next);
	table->bad = calloc(states, 1);
	table->bad_at_end = calloc(states, 1);
	table->safe = calloc(states, 1);
	for (uint32_t s = 0; s < states; s++) {
		for (uint32_t l = 1; l < MAKE_LABELS; l++) {
			uint32_t *next = table->next[s][l];

			next[0] = make_random(seed, states);
			next[1] = doubtful && !make_random(seed, 4) ? make_random(seed, states)
								    : next[0];
		}
		table->bad[s] = make_random(seed, 1000) < (s ? bad : bad / 10);
		table->bad_at_end[s] = make_random(seed, 1000) < bad;
		table->safe[s] = !table->bad[s] && !table->bad_at_end[s];
	}
	while (more) {
		more = false;
		for (uint32_t s = 0; s < states; s++) {
			for (uint32_t i = 2; i < 2 * MAKE_LABELS && table->safe[s]; i++) {
				table->safe[s] = table->safe[table->next[s][i / 2][i % 2]];
				more |= !table->safe[s];
			}
		}
	}
	table->machine = (struct machine){ .self = table,
					   .initial = table_initial,
					   .step = table_step,
					   .is_bad = table_is_bad,
					   .is_bad_at_end = table_is_bad_at_end,
					   .is_safe = table_is_safe };
}

static inline void free_table(struct table *table)
{
	free(table->next);
	free(table->bad);
	free(table->bad_at_end);
	free(table->safe);
}

/* ---- the truth ------------------------------------------------------------------------------- */

static inline bool made_has(const struct made *made, const uint32_t *cut, uint32_t at)
{
	return cut[made->events[at].message.column] > made->events[at].message.position;
}

/*
 * Is a set open in this cut? It is if the cut has some but not all of its members. The set of a
 * lock is closed only by its closing event.
 */
static inline bool made_is_open(const struct made *made, const uint32_t *cut, uint32_t object,
				uint32_t set, bool *shared)
{
	bool some = false, all = true, lock = false, closes = false;

	for (uint32_t i = 0; i < made->count; i++) {
		const struct message *m = &made->events[i].message;

		for (uint32_t j = 0; j < m->member_count; j++) {
			const struct message_member *member = &m->members[j];

			if (member->object != object || member->set != set)
				continue;
			some |= made_has(made, cut, i);
			all &= made_has(made, cut, i);
			lock = member->lock;
			*shared = member->shared;
			closes |= member->role == MESSAGE_CLOSES || member->role == MESSAGE_PASSES;
		}
	}
	return some && !(all && (closes || !lock));
}

/* Can the next event of the column follow the cut? By the definition in doc/lattice.md. */
static inline bool made_allows(const struct made *made, const uint32_t *cut, uint32_t column)
{
	const struct made_event *event;

	if (cut[column] == made->counts[column])
		return false;
	event = &made->events[made->place[column][cut[column]]];
	for (uint32_t c = 0; c < made->columns; c++) {
		if (c != column && cut[c] < event->clock[c])
			return false;
	}
	for (uint32_t i = 0; i < event->message.member_count; i++) {
		const struct message_member *own = &event->members[i];

		for (uint32_t set = 0; set < MAKE_EVENTS; set++) {
			bool mine = false, shared = false;

			for (uint32_t j = 0; j < event->message.member_count; j++)
				mine |= event->members[j].object == own->object &&
					event->members[j].set == set;
			if (!mine && made_is_open(made, cut, own->object, set, &shared) &&
			    !(shared && own->shared))
				return false;
		}
	}
	return true;
}

#define TRUTH_MACHINES 3
#define TRUTH_STATES 256
#define TRUTH_TRIES 60000

struct truth {
	const struct made *made;
	struct table *tables;
	uint32_t table_count;
	bool ended;

	uint64_t cuts, runs, levels, widest;
	uint64_t violating[TRUTH_MACHINES], any;
	/*
	 * by the event's position in the observed run, and for the end of the run: the lowest level
	 * at which a machine becomes bad there, or UINT64_MAX
	 */
	uint64_t level[TRUTH_MACHINES][MAKE_EVENTS + 1];
	bool at_start[TRUTH_MACHINES];
	uint64_t tried, width[MAKE_EVENTS + 1];
	struct map seen;
};

/* The states of each machine after a part of one run. */
struct truth_run {
	bool in[TRUTH_MACHINES][TRUTH_STATES];
	bool violated[TRUTH_MACHINES];
};

static inline void truth_bad(struct truth *truth, struct truth_run *run, uint32_t machine,
			     uint32_t where, uint64_t level)
{
	run->violated[machine] = true;
	if (level < truth->level[machine][where])
		truth->level[machine][where] = level;
}

static inline void truth_step(struct truth *truth, const struct truth_run *from,
			      struct truth_run *to, uint32_t at, uint64_t level)
{
	uint32_t label = truth->made->events[at].message.label;

	*to = *from;
	for (uint32_t m = 0; label && m < truth->table_count; m++) {
		const struct table *table = &truth->tables[m];

		memset(to->in[m], 0, sizeof to->in[m]);
		for (uint32_t s = 0; s < table->states; s++) {
			for (uint32_t i = 0; from->in[m][s] && i < 2; i++) {
				uint32_t next = table->next[s][label][i];

				if (table->bad[next])
					truth_bad(truth, to, m, at, level);
				else
					to->in[m][next] = true;
			}
		}
	}
}

static inline void truth_end(struct truth *truth, struct truth_run *run)
{
	bool some = false;

	truth->runs++;
	for (uint32_t m = 0; m < truth->table_count; m++) {
		const struct table *table = &truth->tables[m];

		for (uint32_t s = 0; s < table->states && truth->ended; s++) {
			if (run->in[m][s] && table->bad_at_end[s])
				truth_bad(truth, run, m, MAKE_EVENTS, truth->made->count);
		}
		truth->violating[m] += run->violated[m];
		some |= run->violated[m];
	}
	truth->any += some;
}

static inline void truth_try(struct truth *truth, uint32_t *cut, uint64_t level,
			     const struct truth_run *run)
{
	uint64_t key = 1;
	bool fresh;
	struct truth_run next;

	for (uint32_t c = 0; c < truth->made->columns; c++)
		key = key * (MAKE_EVENTS + 1) + cut[c];
	map_put(&truth->seen, key, &fresh);
	if (fresh) {
		truth->cuts++;
		truth->width[level]++;
	}
	if (++truth->tried > TRUTH_TRIES)
		return;
	if (level == truth->made->count) {
		next = *run;
		truth_end(truth, &next);
		return;
	}
	for (uint32_t c = 0; c < truth->made->columns; c++) {
		if (!made_allows(truth->made, cut, c))
			continue;
		truth_step(truth, run, &next, truth->made->place[c][cut[c]], level + 1);
		cut[c]++;
		truth_try(truth, cut, level + 1, &next);
		cut[c]--;
	}
}

/* Computes the correct results. Returns false if there are too many runs. */
static inline bool find_truth(const struct made *made, struct table *tables, uint32_t table_count,
			      bool ended, struct truth *truth)
{
	uint32_t cut[MAKE_COLUMNS] = { 0 };
	struct truth_run run = { 0 };

	*truth = (struct truth){
		.made = made, .tables = tables, .table_count = table_count, .ended = ended
	};
	memset(truth->level, 0xff, sizeof truth->level);
	for (uint32_t m = 0; m < table_count; m++) {
		truth->at_start[m] = tables[m].bad[0];
		run.violated[m] = tables[m].bad[0];
		run.in[m][0] = !tables[m].bad[0];
	}
	truth_try(truth, cut, 0, &run);
	map_free(&truth->seen);
	for (uint32_t l = 0; l <= made->count; l++) {
		truth->levels += truth->width[l] > 0;
		if (truth->width[l] > truth->widest)
			truth->widest = truth->width[l];
	}
	return truth->tried <= TRUTH_TRIES;
}

#endif
