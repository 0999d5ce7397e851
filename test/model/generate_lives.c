#include "generate.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static bool chance(struct machine *m, unsigned percent)
{
	return generate_random(m, 100) < percent;
}

/* ---- channels ----------------------------------------------------------------------------- */

static bool send(struct machine *m, int t)
{
	int channel = chance(m, 70) ? 0 : 1;

	m->sent[channel]++;
	generate_line(m, t, channel ? "send(d)=told" : "send(c)");
	return true;
}

static bool receive(struct machine *m, int t)
{
	int channel = chance(m, 70) ? 0 : 1;

	if (!m->sent[channel])
		return false;
	if (!chance(m, 30)) /* poll() takes nothing out */
		m->sent[channel]--;
	generate_line(m, t, channel ? "receive(d)=told" : "receive(c)");
	return true;
}

static bool find_nothing(struct machine *m, int t)
{
	if (m->sent[0])
		return false;
	generate_line(m, t, "receive(c)=nothing");
	return true;
}

static bool be_deaf(struct machine *m, int t)
{
	if (!chance(m, 50))
		return false;
	generate_line(m, t, "send(c)=deaf");
	return true;
}

static bool wait_somewhere(struct machine *m, int t)
{
	if (!chance(m, 15))
		return false;
	generate_line(m, t, chance(m, 50) ? "sync" : "opaque(library)");
	return true;
}

/* ---- lives of sync objects ---------------------------------------------------------------- */

/* Is the object not in use by any thread? Then its lifetime may begin or end. */
static bool is_idle(const struct machine *m, int object)
{
	if (object == 0)
		return !generate_lock_is_used(m, 0);
	for (int i = 0; i < m->thread_count; i++) {
		const struct thread *thread = &m->threads[i];

		if ((object == 1 && thread->doing == WAITING && thread->what == 0) ||
		    (object == 2 && thread->doing == ASKING && thread->ask == ASK_DOWN &&
		     thread->what == 0) ||
		    (object == 3 && thread->doing == MEETING))
			return false;
	}
	return object != 3 || !m->barrier_here;
}

static bool pick_object(struct machine *m, int *object)
{
	static const unsigned groups[OBJECTS_OF] = { MUTEXES, CONDITIONALS, SEMAPHORAL, BARRIERS };

	*object = (int)generate_random(m, OBJECTS_OF);
	if (!(m->groups & groups[*object]))
		return false;
	if (m->abuses && chance(m, 50)) /* but not a lock that is held */
		return *object || !generate_lock_is_held(m, 0);
	return is_idle(m, *object);
}

static bool begin_object(struct machine *m, int t)
{
	int object;

	if (!pick_object(m, &object))
		return false;
	switch (object) {
	case 0: generate_line(m, t, "init(l)=%s", m->recursive[0] ? "recursive" : "normal"); break;
	case 1: generate_line(m, t, "cinit(c)"); break;
	case 2:
		m->semaphore[0] = (int)generate_random(m, 3);
		generate_line(m, t, "sinit(s,%d)", m->semaphore[0]);
		break;
	case 3:
		m->barrier_here = 0; /* threads that arrived at the old barrier stay there */
		generate_line(m, t, "binit(b,%d)", m->barrier_size + (m->abuses && chance(m, 10)));
		break;
	}
	m->object_ended[object] = false;
	return true;
}

static bool end_object(struct machine *m, int t)
{
	static const char *const lines[OBJECTS_OF] = { "destroy(l)", "cdestroy(c)", "sdestroy(s)",
						       "bdestroy(b)" };
	int object;

	if (!pick_object(m, &object) || m->object_ended[object])
		return false;
	m->object_ended[object] = true;
	if (object == 2)
		m->semaphore[0] = 0; /* its value is lost */
	if (object == 3)
		m->barrier_here = 0;
	generate_line(m, t, "%s", lines[object]);
	return true;
}

/* ---- threads that are detached, calls that were wrong --------------------------------------- */

static bool detach(struct machine *m, int t)
{
	int i = chance(m, 50) ? t : (int)generate_random(m, (uint64_t)m->thread_count);
	struct thread *other = &m->threads[i];

	if (!other->forked || other->detached || other->doing == GONE || !chance(m, 40))
		return false;
	other->detached = true;
	generate_line(m, t, "detach(T%d)", i);
	return true;
}

static bool misuse(struct machine *m, int t)
{
	static const char *const sorts[] = { "notheld", "destroyinuse", "destroyed", "notinit" };

	if (!chance(m, 5))
		return false;
	generate_line(m, t, "misuse(%s,l)", sorts[generate_random(m, 4)]);
	return true;
}

/* ---- blocks that are handed over ---------------------------------------------------------- */

/*
 * Offsets in memory: the variable x says whether the block exists, and y counts its users. They
 * have values, because otherwise they would fix no order.
 */
#define FLAG_AT 0
#define COUNT_AT 8
#define BLOCK_AT 32

static uint64_t load(const struct machine *m, int at)
{
	uint64_t value;

	memcpy(&value, m->memory + at, sizeof value);
	return value;
}

static void store(struct machine *m, int at, uint64_t value)
{
	memcpy(m->memory + at, &value, sizeof value);
}

static bool is_atomic(struct machine *m)
{
	return m->groups & ATOMICS && chance(m, 70);
}

/* Takes the lock l for the following operations, in most cases if it is free. */
static bool enter(struct machine *m, int t)
{
	if (!(m->groups & MUTEXES) || generate_lock_is_used(m, 0) || chance(m, 25))
		return false;
	generate_line(m, t, "acq(l)");
	return true;
}

static void leave(struct machine *m, int t, bool entered)
{
	if (entered)
		generate_line(m, t, "rel(l)");
}

static bool hand_over(struct machine *m, int t)
{
	bool entered;

	if (m->overlap || m->block_live)
		return false;
	m->block_live = true;
	for (int i = 0; i < 16; i++)
		m->memory[BLOCK_AT + i] = (uint8_t)generate_random(m, (uint64_t)m->value_range);
	generate_line(m, t, "alloc(p,16)");
	entered = enter(m, t);
	store(m, FLAG_AT, 1);
	generate_line(m, t, is_atomic(m) ? "wa(x)=1" : "w(x)=1");
	if (chance(m, 40) && m->variable_count > 1) {
		store(m, COUNT_AT, 2);
		generate_line(m, t, "wa(y)=2");
	}
	leave(m, t, entered);
	return true;
}

static bool use_handed(struct machine *m, int t)
{
	bool entered;

	if (m->overlap || !m->block_live || !load(m, FLAG_AT))
		return false;
	entered = enter(m, t);
	generate_line(m, t, "%s(x)=%" PRIu64, is_atomic(m) ? "ra" : "r", load(m, FLAG_AT));
	generate_line(m, t, chance(m, 50) ? "r(p@4)" : "r(q@4)");
	leave(m, t, entered);
	return true;
}

static bool free_handed(struct machine *m, int t)
{
	bool entered;

	if (m->overlap || !m->block_live || generate_lock_is_used(m, HEAP_LOCK))
		return false;
	entered = enter(m, t);
	if (chance(m, 70)) {
		store(m, FLAG_AT, 0);
		generate_line(m, t, is_atomic(m) ? "wa(x)=0" : "w(x)=0");
	}
	m->block_live = false;
	generate_line(m, t, "free(p)");
	leave(m, t, entered);
	return true;
}

static bool drop_reference(struct machine *m, int t)
{
	uint64_t count = load(m, COUNT_AT);

	if (m->overlap || m->variable_count < 2 || !m->block_live || !count || count > 2 ||
	    generate_lock_is_used(m, HEAP_LOCK))
		return false;
	if (chance(m, 60))
		generate_line(m, t, "r(p@4)");
	store(m, COUNT_AT, count - 1);
	generate_line(m, t, "u(y)=%" PRIu64 ",%" PRIu64, count, count - 1);
	if (count == 1) {
		m->block_live = false;
		generate_line(m, t, "free(p)");
	}
	return true;
}

/* ---- regions ------------------------------------------------------------------------------ */

static bool begin_region(struct machine *m, int t)
{
	int region = chance(m, 80) ? 0 : 1;

	if (m->threads[t].regions >> region & 1 && !chance(m, 20))
		return false;
	m->threads[t].regions |= 1 << region;
	generate_line(m, t, "probe sooth:atomic_begin(%c)", "fg"[region]);
	return true;
}

static bool end_region(struct machine *m, int t)
{
	int region = chance(m, 80) ? 0 : 1;

	if (!(m->threads[t].regions >> region & 1) || chance(m, 40))
		return false;
	m->threads[t].regions &= ~(1 << region);
	generate_line(m, t, "probe sooth:atomic_end(%c)", "fg"[region]);
	return true;
}

const struct operation generate_lives[] = {
	{ CHANNELS, 4, false, send },
	{ CHANNELS, 4, false, receive },
	{ CHANNELS, 3, false, find_nothing },
	{ CHANNELS, 3, false, be_deaf },
	{ CHANNELS, 1, false, wait_somewhere },
	{ OBJECTS, 4, false, begin_object },
	{ OBJECTS, 4, true, end_object },
	{ OBJECTS, 1, false, misuse },
	{ FORKS, 1, false, detach },
	{ REGIONS, 3, false, begin_region },
	{ REGIONS, 3, true, end_region },
	{ HEAP, 3, false, hand_over },
	{ HEAP, 4, false, use_handed },
	{ HEAP, 3, false, free_handed },
	{ HEAP, 3, false, drop_reference },
	{ 0, 0, false, NULL },
};
