#include "brute_facts.h"

#include "brute_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool touches_memory(const struct event *e)
{
	return e->kind == READ || e->kind == WRITE || e->kind == UPDATE;
}

/* ---- what must come before what ----------------------------------------------------------- */

static void must(const struct facts *f, uint8_t need[MAX_THREADS], int before)
{
	const struct event *e = &f->text->events[before];

	if (need[e->thread] < e->index + 1)
		need[e->thread] = (uint8_t)(e->index + 1);
}

bool facts_begins(const struct event *e)
{
	return e->kind == ALLOC || e->kind == MAP || e->kind == FD_OPEN || e->kind == BEGIN;
}

/* Does the event create memory with unknown content? */
static bool is_blank(const struct event *e)
{
	return e->kind == ALLOC || e->kind == MAP;
}

bool facts_life(const struct text *text, const struct event *e, uint64_t *address, uint64_t *size)
{
	const struct event *begin = &text->events[text->of[e->thread][0]];

	if (e->kind == END && begin->kind == BEGIN)
		e = begin;
	if (!facts_begins(e) && e->kind != FREE && e->kind != UNMAP && e->kind != FD_CLOSE)
		return false;
	*address = e->address;
	*size = e->size;
	return e->size > 0;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* A request is not a use of its object. */
static bool is_request(const struct event *e)
{
	return e->kind == REQUEST || e->kind == READ_REQUEST || e->kind == DOWN_REQUEST;
}

bool facts_touches(const struct text *text, const struct event *e, uint64_t address, uint64_t size)
{
	uint64_t other, other_size;

	if (is_request(e))
		return false;
	if (facts_life(text, e, &other, &other_size))
		return overlap(address, size, other, other_size);
	if (e->mutex >= 0 && overlap(address, size, text->objects[e->mutex].address, 1))
		return true;
	return (touches_memory(e) || e->object >= 0 || e->kind == FD_USE) &&
	       overlap(address, size, e->address, e->size);
}

bool facts_begins_object(const struct event *e)
{
	return e->kind == LOCK_INIT || e->kind == COND_INIT || e->kind == SEM_INIT ||
	       e->kind == BARRIER_INIT;
}

bool facts_is_object_life(const struct event *e)
{
	return facts_begins_object(e) || e->kind == LOCK_DESTROY || e->kind == COND_DESTROY ||
	       e->kind == SEM_DESTROY || e->kind == BARRIER_DESTROY;
}

bool facts_uses(const struct event *e, int object)
{
	return object >= 0 && !is_request(e) && (e->object == object || e->mutex == object);
}

/* ---- why the later of two cannot happen unless the earlier has ---------------------------- */

static bool is_life_of_memory(const struct text *text, const struct event *a, const struct event *b)
{
	uint64_t address, size;

	return (facts_life(text, a, &address, &size) && facts_touches(text, b, address, size)) ||
	       (facts_life(text, b, &address, &size) && facts_touches(text, a, address, size));
}

static bool is_life_of_object(const struct event *a, const struct event *b)
{
	return (facts_is_object_life(a) && facts_uses(b, a->object)) ||
	       (facts_is_object_life(b) && facts_uses(a, b->object));
}

/* Does a begin the lifetime that b ends? */
static bool is_begin_of(const struct text *text, const struct event *a, const struct event *b)
{
	uint64_t address, size;

	if (facts_is_object_life(b))
		return facts_begins_object(a) && facts_uses(a, b->object);
	return facts_life(text, b, &address, &size) && facts_begins(a) &&
	       facts_touches(text, a, address, size);
}

static bool is_channel(const struct event *a, const struct event *b)
{
	if (a->channel < 0 || a->channel != b->channel)
		return false;
	return b->kind == RECEIVE || (a->kind == SEND && !b->told);
}

static bool is_frozen(const struct facts *f, int i, int j)
{
	const struct event *a = &f->text->events[i], *b = &f->text->events[j];

	if (is_request(a) || is_request(b))
		return false;
	if ((a->object >= 0 && f->frozen[a->object] && facts_uses(b, a->object)) ||
	    (a->mutex >= 0 && f->frozen[a->mutex] && facts_uses(b, a->mutex)))
		return true;
	if (!touches_memory(a) || !touches_memory(b))
		return false;
	for (int c = 0; c < f->cell_count; c++) {
		if (f->cells[c].frozen && c >= f->first_cell[i] &&
		    c < f->first_cell[i] + f->cells_of[i] && c >= f->first_cell[j] &&
		    c < f->first_cell[j] + f->cells_of[j])
			return true;
	}
	return false;
}

/*
 * Is it an operation on a frozen object? Unrecorded code uses the object, too, so the thread may
 * have waited for that code.
 */
static bool learns_of_others(const struct facts *f, const struct event *e)
{
	switch (e->kind) {
	case ACQUIRE:
	case ACQUIRE_FAIL:
	case READ_ACQUIRE:
	case READ_FAIL:
	case WOKEN:
	case DOWN:
	case DOWN_FAIL:
	case ONCE: break;
	default: return false;
	}
	return (e->object >= 0 && f->frozen[e->object]) || (e->mutex >= 0 && f->frozen[e->mutex]);
}

bool facts_is_behind_all(const struct facts *f, int event)
{
	const struct event *e = &f->text->events[event];

	return f->strange[event] || e->kind == SYNC || learns_of_others(f, e);
}

static void keep_order(struct facts *f, int i, int j)
{
	const struct text *text = f->text;
	const struct event *a = &text->events[i], *b = &text->events[j];
	bool always = facts_is_behind_all(f, j) || is_channel(a, b) || is_frozen(f, i, j);
	bool memory = is_life_of_memory(text, a, b), object = is_life_of_object(a, b);

	if (always || memory || object)
		must(f, f->need[j], i);
	if (always || memory)
		must(f, f->need_memory[j], i);
	if (always)
		must(f, f->need_unbound[j], i);
	if (always || is_begin_of(text, a, b))
		must(f, f->need_begun[j], i);
}

static void keep_orders(struct facts *f)
{
	for (int i = 0; i < f->text->event_count; i++) {
		for (int j = i + 1; j < f->text->event_count; j++)
			keep_order(f, i, j);
	}
}

/* ---- bytes -------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_touched(const struct text *text, uint64_t address)
{
	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (touches_memory(e) && address >= e->address && address < e->address + e->size)
			return true;
	}
	return false;
}

static bool make_cells(struct facts *f)
{
	static uint64_t edges[2 * (MAX_EVENTS + MAX_OBJECTS)];
	const struct text *text = f->text;
	size_t count = 0;

	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (touches_memory(e) || is_blank(e)) {
			edges[count++] = e->address;
			edges[count++] = e->address + e->size;
		}
	}
	for (int i = 0; i < text->initial_count; i++) {
		edges[count++] = text->initials[i].address;
		edges[count++] = text->initials[i].address + text->initials[i].size;
	}
	qsort(edges, count, sizeof edges[0], compare_numbers);
	for (size_t i = 0; i + 1 < count; i++) {
		if (edges[i] == edges[i + 1] || !is_touched(text, edges[i]))
			continue;
		if (f->cell_count == MAX_CELLS)
			return false;
		f->cells[f->cell_count++] =
			(struct cell){ edges[i], edges[i + 1] - edges[i], false };
	}
	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (!touches_memory(e) && !is_blank(e))
			continue;
		for (int c = f->cell_count - 1; c >= 0; c--) {
			if (overlap(e->address, e->size, f->cells[c].address, f->cells[c].size)) {
				f->first_cell[i] = (uint8_t)c;
				f->cells_of[i]++;
			}
		}
	}
	return true;
}

/* The values of one cell, numbered: equal bytes have equal numbers. */
struct values {
	int count;
	struct {
		uint8_t bytes[8];
	} known[2 * MAX_EVENTS + 2];
};

static int number_of(struct values *values, const uint8_t *bytes, uint64_t size)
{
	for (int i = 0; i < values->count; i++) {
		if (!memcmp(values->known[i].bytes, bytes, size))
			return i;
	}
	memcpy(values->known[values->count].bytes, bytes, size);
	return values->count++;
}

static int initial_value(const struct text *text, const struct cell *cell, struct values *values)
{
	static const uint8_t zero[8];
	const uint8_t *bytes = zero;

	for (int i = 0; i < text->initial_count; i++) {
		const struct initial *initial = &text->initials[i];

		if (overlap(cell->address, cell->size, initial->address, initial->size))
			bytes = initial->value + (cell->address - initial->address);
	}
	return number_of(values, bytes, cell->size);
}

/*
 * Judges a read of a cell in the base run. `last` is the last writer of the cell. `*told` is the
 * known value of the cell, or -1; a read with a value updates it.
 */
static void judge_read(struct facts *f, int i, int c, int value, uint8_t last, int *told)
{
	bool unknown = last != NONE && f->written[last][c] >= UNKNOWN;

	f->writer[i][c] = last;
	f->wanted[i][c] = PINNED;
	if (value < 0)
		return;
	/* the initial content of a block is unknown: its first read decides */
	if (unknown && is_blank(&f->text->events[last])) {
		f->written[last][c] = value;
		unknown = false;
	}
	if (!unknown)
		f->wanted[i][c] = value;
	if (*told >= 0 && *told != value) {
		f->cells[c].frozen = true;
		f->strange[i] = true;
		f->unexplained++;
	}
	*told = value;
}

static void judge_cell(struct facts *f, int c)
{
	const struct text *text = f->text;
	const struct cell *cell = &f->cells[c];
	struct values values = { 0 };
	uint8_t last = NONE;
	int told = f->initial[c] = initial_value(text, cell, &values);

	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];
		uint64_t offset = cell->address - e->address;
		const uint8_t *read = e->kind == UPDATE ? e->old : e->value;

		if (c < f->first_cell[i] || c >= f->first_cell[i] + f->cells_of[i])
			continue;
		f->before[i][c] = last != NONE && !text->events[last].valued ? -1 : told;
		if (e->environment) {
			f->cells[c].frozen = true;
			f->unexplained++;
		}
		if (e->kind == READ || e->kind == UPDATE)
			judge_read(f, i, c,
				   e->valued ? number_of(&values, read + offset, cell->size) : -1,
				   last, &told);
		if (e->kind == READ)
			continue;
		told = e->valued ? number_of(&values, e->value + offset, cell->size) : -1;
		f->written[i][c] = told < 0 ? UNKNOWN + i : told;
		last = (uint8_t)i;
	}
	for (int i = 0; f->cells[c].frozen && i < text->event_count; i++)
		f->wanted[i][c] = ANY;
}

/* ---- sync objects ------------------------------------------------------------------------- */

static void unexplained(struct facts *f, int object)
{
	f->frozen[object] = true;
	f->unexplained++;
}

bool facts_is_anew(const struct facts *f, int object, int from, int to)
{
	for (int i = from + 1; i < to; i++) {
		const struct event *e = &f->text->events[i];

		if (e->object == object && facts_is_object_life(e))
			return true;
	}
	return false;
}

struct held facts_held(const struct facts *f, int event, int lock)
{
	const struct event *e = &f->text->events[event];
	struct held held = f->held[e->thread][e->index][lock];

	if ((held.depth || held.readers) && facts_is_anew(f, lock, held.since, event))
		return (struct held){ 0 };
	return held;
}

/*
 * Computes the locks that a thread holds after each of its events, unless the lock's lifetime ends
 * or begins in between.
 */
static void make_held(struct facts *f, int t)
{
	const struct text *text = f->text;
	uint8_t saved = 0;

	memset(f->held[t][0], 0, sizeof f->held[t][0]);
	for (int i = 0; i < text->length[t]; i++) {
		const struct event *e = &text->events[text->of[t][i]];
		int lock = e->kind == WAIT || e->kind == WOKEN ? e->mutex : e->object;
		struct held *held;

		memcpy(f->held[t][i + 1], f->held[t][i], sizeof f->held[t][i]);
		if (lock < 0)
			continue;
		held = &f->held[t][i + 1][lock];
		*held = facts_held(f, text->of[t][i], lock);
		switch (e->kind) {
		case ACQUIRE:
			if (!held->depth++)
				held->since = (uint8_t)text->of[t][i];
			break;
		case READ_ACQUIRE:
			if (!held->readers++)
				held->since = (uint8_t)text->of[t][i];
			break;
		case RELEASE:
		case READ_RELEASE:
			if (e->kind == RELEASE && held->depth)
				held->depth--;
			else if (e->kind == READ_RELEASE && held->readers)
				held->readers--;
			else
				unexplained(f, lock);
			break;
		case WAIT:
			if (!held->depth)
				unexplained(f, lock);
			saved = held->depth;
			held->depth = 0;
			break;
		case WOKEN:
			held->depth = saved;
			held->since = (uint8_t)text->of[t][i];
			break;
		case LOCK_INIT:
		case LOCK_DESTROY: *held = (struct held){ 0 }; break;
		default: break;
		}
	}
}

/* Finds the releases, in the base run, of a lock that the releasing thread does not hold. */
static void find_wrong_releases(struct facts *f, int lock)
{
	const struct text *text = f->text;
	int writer = -1, depth = 0, saved[MAX_THREADS] = { 0 }, readers[MAX_THREADS] = { 0 };

	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];
		bool on_condition = e->kind == WAIT || e->kind == WOKEN;
		int t = e->thread, other = 0;

		if ((on_condition ? e->mutex : e->object) != lock)
			continue;
		if (e->kind == LOCK_INIT || e->kind == LOCK_DESTROY) {
			depth = 0;
			memset(readers, 0, sizeof readers);
		} else if (e->kind == ACQUIRE || e->kind == WOKEN) {
			if (!depth || writer != t) {
				depth = 0;
				memset(readers, 0, sizeof readers);
			}
			depth += e->kind == WOKEN && saved[t] ? saved[t] : 1;
			writer = t;
		} else if (e->kind == READ_ACQUIRE) {
			readers[t]++;
		} else if (e->kind == RELEASE || e->kind == READ_RELEASE || e->kind == WAIT) {
			bool writes = depth && writer == t;

			f->not_held[i] = e->kind != WAIT && !writes && !readers[t];
			saved[t] = writes ? depth : 1;
			while (other < MAX_THREADS - 1 && !readers[other])
				other++;
			if (e->kind == READ_RELEASE ? !readers[other] && depth : depth)
				depth = writes && e->kind != WAIT ? depth - 1 : 0;
			else if (readers[readers[t] ? t : other])
				readers[readers[t] ? t : other]--;
		}
	}
}

/*
 * Finds what woke each wait: the first broadcast after it, or the first signal that has woken no
 * other thread.
 */
static void find_wakers(struct facts *f)
{
	const struct text *text = f->text;
	bool used[MAX_EVENTS] = { false };

	memset(f->waker, NONE, sizeof f->waker);
	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];
		int s;

		if (e->kind != WOKEN || e->how == TIMED)
			continue;
		for (s = text->of[e->thread][e->index - 1] + 1; s < i; s++) {
			const struct event *signal = &text->events[s];

			if (signal->object == e->object &&
			    (signal->kind == BROADCAST || (signal->kind == SIGNAL && !used[s])))
				break;
		}
		if (s == i) {
			unexplained(f, e->object);
			continue;
		}
		used[s] = true;
		f->waker[i] = (uint8_t)s;
	}
}

static int add_life(struct facts *f, int object, int initial, bool known)
{
	f->lives[f->life_count] = (struct life){ object, initial, known };
	return f->life_count++;
}

/*
 * Finds the lifetimes and initial values of a semaphore. Without a known value, it starts with the
 * least value that allows every down. If the text has no lifetimes of the semaphore, this value is
 * certain; otherwise the values before the first and after the last lifetime are unknown.
 */
static bool find_semaphores(struct facts *f, int object)
{
	const struct text *text = f->text;
	int life = add_life(f, object, 0, !facts_is_anew(f, object, -1, text->event_count));
	int left = 0;
	bool first = true;

	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (e->object != object)
			continue;
		if (f->life_count == MAX_LIVES)
			return false;
		if (facts_is_object_life(e)) {
			bool begins = e->kind == SEM_INIT;

			first = false;
			life = add_life(f, object, begins ? (int)e->number : 0, begins);
		}
		f->life[i] = (uint8_t)life;
		left += (e->kind == POST) - (e->kind == DOWN);
		if (first && f->lives[life].initial < -left)
			f->lives[life].initial = -left;
	}
	return true;
}

static bool find_meetings(struct facts *f, int object)
{
	const struct text *text = f->text;
	struct meeting *meeting = NULL;
	uint64_t size = 0; /* 0: unknown */

	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (e->object != object)
			continue;
		if (facts_is_object_life(e)) {
			if (meeting && meeting->count < meeting->wanted)
				unexplained(f, object);
			meeting = NULL;
			size = e->kind == BARRIER_INIT ? e->number : 0;
		}
		if (e->kind == PASS)
			f->meeting[i] = f->meeting[text->of[e->thread][e->index - 1]];
		if (e->kind != ARRIVE)
			continue;
		if (size && size != e->number)
			unexplained(f, object);
		size = e->number;
		if (!meeting || meeting->count == meeting->wanted) {
			if (f->meeting_count == MAX_LIVES || e->number < 1 ||
			    e->number > MAX_THREADS)
				return false;
			meeting = &f->meetings[f->meeting_count++];
			*meeting = (struct meeting){ object, (int)e->number, 0, { 0 } };
		}
		meeting->arrivals[meeting->count++] = i;
		f->meeting[i] = (uint8_t)(meeting - f->meetings);
	}
	return true;
}

static bool find_objects(struct facts *f)
{
	const struct text *text = f->text;

	memset(f->once_begin, NONE, sizeof f->once_begin);
	memset(f->once_end, NONE, sizeof f->once_end);
	for (int t = 0; t < text->thread_count; t++)
		make_held(f, t);
	find_wakers(f);
	for (int o = 0; o < text->object_count; o++) {
		if (text->objects[o].class == LOCK)
			find_wrong_releases(f, o);
		if (f->life_count == MAX_LIVES)
			return false;
		if ((text->objects[o].class == SEMAPHORE && !find_semaphores(f, o)) ||
		    (text->objects[o].class == BARRIER && !find_meetings(f, o)))
			return false;
	}
	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (e->kind == ONCE_BEGIN)
			f->once_begin[e->object] = (uint8_t)i;
		if (e->kind == ONCE_END)
			f->once_end[e->object] = (uint8_t)i;
		if (e->kind == ACQUIRE && facts_held(f, i, e->object).depth)
			f->recursive[e->object] = true;
		if (e->kind == LOCK_INIT && e->recursive)
			f->recursive[e->object] = true;
		if (e->kind == LOCK_INIT && e->robust)
			f->robust[e->object] = true;
	}
	return true;
}

/* ---- the base run ------------------------------------------------------------------------- */

/*
 * Does the condition begin or end while a thread waits on it? Then it is unknown what the thread
 * waits for.
 */
static bool turns_in_use(const struct facts *f, const struct state *state, const struct event *e)
{
	const struct text *text = f->text;

	for (int t = 0; t < text->thread_count; t++) {
		int at = state->at[t];
		const struct event *last = at ? &text->events[text->of[t][at - 1]] : NULL;

		if (last && last->kind == WAIT && last->object == e->object)
			return e->kind == COND_INIT || e->kind == COND_DESTROY;
	}
	return false;
}

/* Plays the lines in their order. Whatever the rules do not allow was caused by the environment. */
static bool play(struct facts *f)
{
	const struct text *text = f->text;
	struct state state;

	rules_start(f, &state);
	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];
		int wrong = -1;

		if (!rules_is_created(f, &state, e->thread) ||
		    (e->kind == JOIN && state.at[e->other] < text->length[e->other])) {
			snprintf(f->error, sizeof f->error, "line %d: the thread %s", e->line,
				 e->kind == JOIN ? "joined is not over" : "was not created");
			return false;
		}
		if (turns_in_use(f, &state, e))
			unexplained(f, e->object);
		if (!rules_allows_object(f, &state, i, &wrong) && !f->frozen[wrong])
			unexplained(f, wrong);
		state.at[e->thread]++;
	}
	return true;
}

bool facts_make(struct facts *f, const struct text *text)
{
	memset(f, 0, sizeof *f);
	f->text = text;
	f->early = f->rumour = -1;
	memset(f->create, NONE, sizeof f->create);
	for (int i = 0; i < text->event_count; i++) {
		const struct event *e = &text->events[i];

		if (e->kind == CREATE)
			f->create[e->other] = (uint8_t)i;
	}
	if (!make_cells(f) || !find_objects(f)) {
		snprintf(f->error, sizeof f->error, "too large");
		return false;
	}
	for (int c = 0; c < f->cell_count; c++)
		judge_cell(f, c);
	if (!play(f))
		return false;
	keep_orders(f);
	return true;
}
