#include "brute_rules.h"

#include <string.h>

void rules_start(const struct facts *f, struct state *state)
{
	(void)f;
	memset(state, 0, sizeof *state);
	memset(state->writer, NONE, sizeof state->writer);
}

bool rules_has_happened(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];

	return e->index < state->at[e->thread];
}

bool rules_is_created(const struct facts *f, const struct state *state, int thread)
{
	return f->create[thread] == NONE || rules_has_happened(f, state, f->create[thread]);
}

int rules_next(const struct facts *f, const struct state *state, int thread)
{
	int event;

	if (state->at[thread] == f->text->length[thread] || !rules_is_created(f, state, thread))
		return -1;
	event = f->text->of[thread][state->at[thread]];
	return rules_is_next(f, state, event,
			     event == f->early ? f->need_begun[event] : f->need[event])
		       ? event
		       : -1;
}

bool rules_is_next(const struct facts *f, const struct state *state, int event,
		   const uint8_t need[MAX_THREADS])
{
	const struct event *e = &f->text->events[event];

	if (state->at[e->thread] != e->index || !rules_is_created(f, state, e->thread))
		return false;
	for (int t = 0; t < f->text->thread_count; t++) {
		if (t != e->thread && state->at[t] < need[t])
			return false;
	}
	return true;
}

bool rules_is_race(const struct facts *f, int a, int b)
{
	const struct event *x = &f->text->events[a], *y = &f->text->events[b];
	bool x_access = x->kind == READ || x->kind == WRITE || x->kind == UPDATE;
	bool y_access = y->kind == READ || y->kind == WRITE || y->kind == UPDATE;

	return x_access && y_access && x->thread != y->thread &&
	       (x->kind != READ || y->kind != READ) && !(x->atomic && y->atomic) &&
	       x->address < y->address + y->size && y->address < x->address + x->size;
}

/* ---- sync objects at a state -------------------------------------------------------------- */

/* Has a lifetime of the object begun or ended after this event of the base run? */
static bool is_anew(const struct facts *f, const struct state *state, int object, int since)
{
	for (int i = since + 1; i < f->text->event_count; i++) {
		const struct event *e = &f->text->events[i];

		if (e->object == object && facts_is_object_life(e) &&
		    rules_has_happened(f, state, i))
			return true;
	}
	return false;
}

/* Returns the set of threads that hold a lock, as writer or (if `readers`) as reader. */
static unsigned holders(const struct facts *f, const struct state *state, int lock, bool readers)
{
	unsigned set = 0;

	for (int t = 0; t < f->text->thread_count; t++) {
		struct held held = f->held[t][state->at[t]][lock];

		if ((held.depth || (readers && held.readers)) &&
		    !is_anew(f, state, lock, held.since))
			set |= 1u << t;
	}
	return set;
}

static int count_left(const struct facts *f, const struct state *state, int life)
{
	int left = f->lives[life].initial;

	for (int i = 0; i < f->text->event_count; i++) {
		const struct event *e = &f->text->events[i];

		if (e->object == f->lives[life].object && f->life[i] == life &&
		    rules_has_happened(f, state, i))
			left += (e->kind == POST) - (e->kind == DOWN);
	}
	return left;
}

/* Could a request of the semaphore block now? A request refers to the current lifetime. */
static bool is_empty(const struct facts *f, const struct state *state, int object)
{
	int life = 0;

	while (f->lives[life].object != object)
		life++; /* start with the first lifetime */
	for (int i = 0; i < f->text->event_count; i++) {
		const struct event *e = &f->text->events[i];

		if (e->object == object && facts_is_object_life(e) &&
		    rules_has_happened(f, state, i))
			life = f->life[i];
	}
	return f->lives[life].known && count_left(f, state, life) == 0;
}

static bool is_complete(const struct facts *f, const struct state *state,
			const struct meeting *meeting)
{
	int here = 0;

	for (int i = 0; i < meeting->count; i++)
		here += rules_has_happened(f, state, meeting->arrivals[i]);
	return here == meeting->wanted;
}

bool rules_is_complete(const struct facts *f, const struct state *state, int arrival)
{
	return is_complete(f, state, &f->meetings[f->meeting[arrival]]);
}

static bool may_arrive(const struct facts *f, const struct state *state, int event)
{
	const struct meeting *own = &f->meetings[f->meeting[event]];

	for (const struct meeting *m = f->meetings; m < own; m++) {
		if (m->object != own->object)
			continue;
		for (int i = 0; i < m->count; i++) {
			if (!rules_has_happened(f, state, m->arrivals[i]))
				return false;
		}
	}
	return true;
}

bool rules_allows_object(const struct facts *f, const struct state *state, int event, int *wrong)
{
	const struct event *e = &f->text->events[event];
	int lock = e->kind == WOKEN ? e->mutex : e->object;
	unsigned self = 1u << e->thread;

	*wrong = lock;
	switch (e->kind) {
	case ACQUIRE: return !holders(f, state, lock, true) || facts_held(f, event, lock).depth;
	case READ_ACQUIRE: return !holders(f, state, lock, false);
	case ACQUIRE_FAIL: return e->how == TIMED || holders(f, state, lock, true);
	case READ_FAIL: return e->how == TIMED || holders(f, state, lock, false);
	case WOKEN: return !(holders(f, state, lock, true) & ~self);
	case DOWN: return count_left(f, state, f->life[event]) > 0;
	case DOWN_FAIL: return e->how == TIMED || count_left(f, state, f->life[event]) == 0;
	case ARRIVE: return may_arrive(f, state, event);
	case PASS: return is_complete(f, state, &f->meetings[f->meeting[event]]);
	case ONCE:
		return f->once_end[lock] == NONE || rules_has_happened(f, state, f->once_end[lock]);
	default: return true;
	}
}

/* ---- steps -------------------------------------------------------------------------------- */

static bool allows_memory(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];

	if (e->kind != READ && e->kind != UPDATE)
		return true;
	for (int c = f->first_cell[event]; c < f->first_cell[event] + f->cells_of[event]; c++) {
		int wanted = f->wanted[event][c], writer = state->writer[c];
		int value = writer == NONE ? f->initial[c] : f->written[writer][c];

		if (wanted == PINNED ? writer != f->writer[event][c]
				     : wanted != ANY && wanted != value)
			return false;
	}
	return true;
}

/*
 * Does the channel allow the event? A receive that found nothing must come before later sends. A
 * send must come before the other end is found closed.
 */
static bool allows_channel(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];
	bool looks = e->kind == RECEIVE && e->how == TRY, puts = e->kind == SEND && !e->told;

	for (int i = event + 1; (looks || puts) && i < f->text->event_count; i++) {
		const struct event *later = &f->text->events[i];
		bool disturbs = looks ? !later->told : later->how == TRY;

		if (later->kind == SEND && disturbs && later->channel == e->channel &&
		    rules_has_happened(f, state, i))
			return false;
	}
	return true;
}

static bool allows(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];
	int wrong;

	if (e->kind == JOIN)
		return state->at[e->other] == f->text->length[e->other];
	if (!allows_memory(f, state, event) || !allows_channel(f, state, event))
		return false;
	if (!rules_allows_object(f, state, event, &wrong) && !f->frozen[wrong])
		return false;
	return e->kind != WOKEN || e->how == TIMED || f->frozen[e->object] ||
	       (state->wait[e->thread] & 3) == WAIT_WOKEN;
}

bool rules_waits_on(const struct facts *f, const struct state *state, int thread, int condition)
{
	const struct text *text = f->text;

	return (state->wait[thread] & 3) == WAIT_DEAF &&
	       text->events[text->of[thread][state->at[thread] - 1]].object == condition;
}

/* Does the thread wait on the condition until a signal wakes it? */
static bool listens(const struct facts *f, const struct state *state, int thread, int condition)
{
	const struct text *text = f->text;
	int at = state->at[thread];

	return rules_waits_on(f, state, thread, condition) &&
	       (at == text->length[thread] || text->events[text->of[thread][at]].how != TIMED);
}

static void wake(struct state *state, int thread)
{
	state->wait[thread] = (uint8_t)((state->wait[thread] & WAIT_LATE) | WAIT_WOKEN);
}

static uint8_t begin_wait(const struct facts *f, const struct state *state, const struct event *e)
{
	const struct text *text = f->text;
	int woken = e->index + 1 < text->length[e->thread] ? text->of[e->thread][e->index + 1] : -1;
	bool late = woken >= 0 && f->waker[woken] != NONE &&
		    rules_has_happened(f, state, f->waker[woken]);

	return (uint8_t)(WAIT_DEAF | (late ? WAIT_LATE : 0));
}

/* ---- the rumour --------------------------------------------------------------------------- */

/* Has the event happened, in a thread that knew of the rumour by then? */
static bool is_told(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];

	return rules_has_happened(f, state, event) && state->told_threads >> e->thread & 1 &&
	       e->index >= state->told_at[e->thread];
}

/* Does the event need another thread's event that knew of the rumour? */
static bool is_behind_told(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];

	for (int t = 0; t < f->text->thread_count; t++) {
		int need = f->need[event][t];

		if (t != e->thread && need && is_told(f, state, f->text->of[t][need - 1]))
			return true;
	}
	for (int m = 0; e->kind == ARRIVE && m < f->meeting[event]; m++) {
		for (int i = 0; f->meetings[m].object == e->object && i < f->meetings[m].count;
		     i++) {
			if (is_told(f, state, f->meetings[m].arrivals[i]))
				return true;
		}
	}
	return false;
}

static bool hears(const struct facts *f, const struct state *state, int event)
{
	const struct event *e = &f->text->events[event];
	int object = e->kind == RECEIVE ? e->channel : e->object;

	if (event == f->rumour || (state->told_threads | state->told_created) >> e->thread & 1)
		return true;
	if (facts_is_behind_all(f, event))
		return rules_has_happened(f, state, f->rumour);
	if (is_behind_told(f, state, event))
		return true;
	switch (e->kind) {
	case WOKEN:
	case DOWN:
	case PASS:
	case ONCE:
	case RECEIVE: return state->told_objects >> object & 1;
	case JOIN: return state->told_threads >> e->other & 1;
	case READ:
	case UPDATE: break;
	default: return false;
	}
	for (int c = f->first_cell[event]; c < f->first_cell[event] + f->cells_of[event]; c++) {
		if (state->writer[c] != NONE && is_told(f, state, state->writer[c]))
			return true;
	}
	return false;
}

/*
 * Updates who knows of the rumour. Locks pass on nothing. Any signal or post passes it on, because
 * it is open which one woke the thread.
 */
static void tell(const struct facts *f, const struct state *before, int event, struct state *state)
{
	const struct event *e = &f->text->events[event];
	bool told = hears(f, before, event);

	if (told && !(state->told_threads >> e->thread & 1)) {
		state->told_threads |= (uint16_t)(1u << e->thread);
		state->told_at[e->thread] = (uint8_t)e->index;
	}
	switch (e->kind) {
	case CREATE: state->told_created |= (uint16_t)(told << e->other); break;
	case SIGNAL:
	case BROADCAST:
	case POST:
	case ARRIVE:
	case ONCE_END: state->told_objects |= (uint64_t)told << e->object; break;
	case SEND: state->told_objects |= (uint64_t)told << e->channel; break;
	default: break;
	}
}

/* ------------------------------------------------------------------------------------------- */

int rules_step(const struct facts *f, const struct state *state, int event, struct state *out)
{
	const struct event *e = &f->text->events[event];
	int count = 0;

	if (!allows(f, state, event))
		return 0;
	out[0] = *state;
	out[0].at[e->thread]++;
	switch (e->kind) {
	case WRITE:
	case UPDATE:
	case ALLOC:
	case MAP: memset(out[0].writer + f->first_cell[event], event, f->cells_of[event]); break;
	case WAIT: out[0].wait[e->thread] = begin_wait(f, state, e); break;
	case WOKEN: out[0].wait[e->thread] = WAIT_NOT; break;
	case BROADCAST:
		for (int t = 0; t < f->text->thread_count; t++) {
			if (rules_waits_on(f, state, t, e->object))
				wake(&out[0], t);
		}
		break;
	case SIGNAL:
		for (int t = 0; t < f->text->thread_count; t++) {
			if (!listens(f, state, t, e->object))
				continue;
			out[count] = *state;
			out[count].at[e->thread]++;
			wake(&out[count++], t);
		}
		break;
	default: break;
	}
	count = count ? count : 1;
	for (int i = 0; i < count && f->rumour >= 0; i++)
		tell(f, state, event, &out[i]);
	return count;
}

/* ---- blocked ------------------------------------------------------------------------------ */

/* Returns the operation that a request at the end of a thread waits for. */
static enum kind asked_for(enum kind request)
{
	switch (request) {
	case REQUEST: return ACQUIRE;
	case READ_REQUEST: return READ_ACQUIRE;
	case DOWN_REQUEST: return DOWN;
	case JOIN_REQUEST: return JOIN;
	case WAIT: return WOKEN;
	case ARRIVE: return PASS;
	default: return NOTHING;
	}
}

static bool hangs(const struct text *text, int thread)
{
	int length = text->length[thread];

	return length && asked_for(text->events[text->of[thread][length - 1]].kind) != NOTHING;
}

/* Is the thread in a wait that only a signal can end, and has no signal come? */
static bool is_deaf(const struct facts *f, const struct state *state, int thread)
{
	const struct text *text = f->text;
	int at = state->at[thread];
	const struct event *wait = &text->events[text->of[thread][at - 1]];

	if (wait->how == TIMED || f->frozen[wait->object])
		return false;
	return listens(f, state, thread, wait->object);
}

/*
 * Is the thread blocked at the event? `kind` is the event's kind, or the operation that it
 * requests. Sets the owners.
 */
static bool is_blocked(const struct facts *f, const struct state *state, int event, enum kind kind,
		       unsigned *owners)
{
	const struct event *e = &f->text->events[event];
	int object = kind == WOKEN ? e->mutex : e->object, other;
	unsigned self = 1u << e->thread;
	bool judged = object < 0 || !f->frozen[object], pending = kind != e->kind;

	*owners = 0;
	switch (kind) {
	case ACQUIRE:
	case READ_ACQUIRE:
		if (!judged)
			return false;
		*owners = holders(f, state, object, kind == ACQUIRE) & ~self;
		if (pending && kind == ACQUIRE && !f->recursive[object] &&
		    holders(f, state, object, false) & self)
			*owners |= self;
		return *owners;
	case WOKEN:
		if (judged)
			*owners = holders(f, state, object, true) & ~self;
		return *owners || is_deaf(f, state, e->thread);
	case JOIN:
		other = e->other;
		if (state->at[other] == f->text->length[other] && !hangs(f->text, other))
			return false;
		*owners = 1u << other;
		return true;
	case DOWN: return judged && is_empty(f, state, object);
	case PASS: return judged && !is_complete(f, state, &f->meetings[f->meeting[event]]);
	case ONCE:
		if (!judged || f->once_begin[object] == NONE ||
		    !rules_has_happened(f, state, f->once_begin[object]) ||
		    (f->once_end[object] != NONE &&
		     rules_has_happened(f, state, f->once_end[object])))
			return false;
		*owners = 1u << f->text->events[f->once_begin[object]].thread & ~self;
		return *owners;
	default: return false;
	}
}

struct stand rules_stand(const struct facts *f, const struct state *state, int thread)
{
	const struct text *text = f->text;
	int length = text->length[thread];
	bool done = state->at[thread] == length;
	struct stand stand = { .standing = GOES_ON };
	enum kind kind;

	if (!rules_is_created(f, state, thread))
		return (struct stand){ .standing = ABSENT };
	if (done && !hangs(text, thread))
		return (struct stand){ .standing = OVER };
	stand.event = done ? text->of[thread][length - 1] : rules_next(f, state, thread);
	if (stand.event < 0)
		return stand;
	kind = text->events[stand.event].kind;
	if (!done && text->events[stand.event].how != PLAIN && kind != WOKEN)
		return stand;
	if (is_blocked(f, state, stand.event, done ? asked_for(kind) : kind, &stand.owners)) {
		stand.standing = BLOCKED;
		stand.late = state->wait[thread] & WAIT_LATE && is_deaf(f, state, thread);
	}
	return stand;
}
