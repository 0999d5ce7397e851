/*
 * generate DIRECTORY COUNT SEED
 *
 * Writes COUNT random text traces of up to about 16 events, with 2 to 4 threads, as NUMBER.std.
 * Each trace uses only a few kinds of operations (swarm testing, Groce et al., ISSTA 2012), so rare
 * combinations are frequent enough. The same seed gives the same traces.
 */
#include "generate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
uint64_t generate_random(struct machine *m, uint64_t below)
{
	uint64_t z = m->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % below;
}

static bool chance(struct machine *m, unsigned percent)
{
	return generate_random(m, 100) < percent;
}

void generate_line(struct machine *m, int thread, const char *format, ...)
{
	struct thread *t = &m->threads[thread];
	va_list list;

	if (t->forked && t->has_begin && !t->begun) {
		t->stack = m->groups & STACKS;
		if (t->stack) /* two threads share one stack, one after the other */
			fprintf(m->out, "T%d|begin(0x%x,0x%x)|\n", thread,
				0x5000 + 0x40 * (thread % 2), 0x5040 + 0x40 * (thread % 2));
		else
			fprintf(m->out, "T%d|begin|\n", thread);
		m->events++;
	}
	t->begun = true;
	fprintf(m->out, "%c%d|", t->handler ? 'H' : 'T', thread);
	va_start(list, format);
	vfprintf(m->out, format, list);
	va_end(list);
	fprintf(m->out, "|f.c:%d\n", m->place_same ? m->events % 3 : m->events);
	m->events++;
}

static void choose_groups(struct machine *m)
{
	/*
	 * combinations of groups that make sense: a condition needs a mutex; groups other than
	 * memory are rarer
	 */
	static const unsigned mixes[] = {
		MEMORY,
		MEMORY | MUTEXES,
		MEMORY | MUTEXES,
		MUTEXES,
		MEMORY | ATOMICS,
		MUTEXES | CONDITIONALS,
		MUTEXES | CONDITIONALS,
		MUTEXES | CONDITIONALS | MEMORY,
		RWLOCKS,
		MEMORY | RWLOCKS,
		MUTEXES | RWLOCKS,
		SEMAPHORAL,
		MEMORY | SEMAPHORAL,
		MUTEXES | SEMAPHORAL,
		BARRIERS | MEMORY,
		BARRIERS | MUTEXES,
		ONCES | MUTEXES,
		ONCES | MEMORY,
		HEAP | MEMORY,
		HEAP | MEMORY | MUTEXES,
		HEAP | MEMORY | ATOMICS,
		HEAP | MEMORY | MUTEXES | ATOMICS,
		HEAP | MEMORY | SEMAPHORAL,
		CHANNELS | MEMORY,
		CHANNELS | MEMORY | HEAP,
		MAPPINGS,
		MAPPINGS | MEMORY,
		MAPPINGS | MUTEXES | MEMORY,
		OBJECTS | MUTEXES,
		OBJECTS | MUTEXES | CONDITIONALS,
		OBJECTS | SEMAPHORAL,
		OBJECTS | BARRIERS,
		OBJECTS | MUTEXES | HEAP | MEMORY,
		REGIONS | MEMORY,
		REGIONS | MEMORY | MUTEXES,
		REGIONS | MEMORY | ATOMICS | MUTEXES,
		REGIONS | MEMORY,
		REGIONS | MEMORY | CHANNELS | ATOMICS,
		REGIONS | MEMORY | HEAP | MUTEXES,
		REGIONS | MEMORY | OBJECTS | BARRIERS,
		REGIONS | MEMORY | SEMAPHORAL | ONCES,
		MEMORY | MUTEXES | ATOMICS,
		STACKS | FORKS | MEMORY,
	};

	m->groups = mixes[generate_random(m, sizeof mixes / sizeof mixes[0])];
	while (chance(m, 25))
		m->groups |= 1u << generate_random(m, 10);
	while (chance(m, 10))
		m->groups |= CHANNELS << generate_random(m, 4);
	if (m->groups & CONDITIONALS)
		m->groups |= MUTEXES;
	if (m->groups & REGIONS)
		m->groups |= MEMORY;
	if (chance(m, 35))
		m->groups |= FORKS;
	if (chance(m, 4) || (m->groups & REGIONS && chance(m, 20)))
		m->groups |= NOISE;
	if (chance(m, m->groups & REGIONS ? 10 : 4))
		m->groups |= HANDLERS | MEMORY;
	m->handlers_sync = m->groups & HANDLERS && chance(m, 50);
	m->abuses = m->groups & OBJECTS && chance(m, 30);
}

static void choose(struct machine *m)
{
	static const int ranges[] = { 2, 2, 3, 100 };

	choose_groups(m);
	m->thread_count = 2 + (int)generate_random(m, 3);
	m->lock_count = 1 + (int)generate_random(m, LOCKS);
	m->variable_count = 1 + (int)generate_random(m, 3);
	m->most = 6 + (int)generate_random(m, 8);
	m->value_mode = (int)generate_random(m, 3);
	m->value_range = ranges[generate_random(m, 4)];
	m->overlap = chance(m, 15);
	m->place_same = chance(m, 30);
	m->by_fork = m->groups & FORKS;
	m->barrier_size = 2 + (m->thread_count > 2 && chance(m, 40));
	for (int i = 0; i < LOCK_COUNT; i++)
		m->recursive[i] = (i < LOCKS || i == HEAP_LOCK) && chance(m, 20);
	for (int i = 0; i < m->thread_count; i++) {
		m->threads[i].has_begin = m->by_fork && chance(m, m->groups & STACKS ? 90 : 50);
		m->threads[i].doing = i && m->by_fork && chance(m, 85) ? ABSENT : RUNNING;
	}
}

/* Writes addresses, initial values, kinds of locks and values of semaphores. */
static void write_head(struct machine *m)
{
	static const int offsets[] = { 0, 4, 2 };
	int value;

	if (m->overlap) {
		for (int i = 0; i < m->variable_count; i++)
			fprintf(m->out, "-|at(%c,0x%x)|\n", "xyz"[i], 0x1000 + offsets[i]);
	}
	if (m->groups & HEAP)
		fprintf(m->out, "-|at(p,0x2000)|\n-|at(q,0x2004)|\n-|at(h,0x2008)|\n");
	if (m->groups & MAPPINGS)
		fprintf(m->out, "-|at(M,0x3000)|\n-|at(N,0x3020)|\n");
	if (chance(m, 15) && m->groups & (MEMORY | ATOMICS)) {
		m->memory[0] = 1;
		fprintf(m->out, "-|init(x)=1|\n");
	}
	for (int i = 0; i < m->lock_count; i++) {
		if (m->recursive[i] && m->groups & MUTEXES)
			generate_line(m, 0, "init(%c)=recursive", "lmn"[i]);
	}
	for (int i = 0; i < SEMAPHORES && m->groups & SEMAPHORAL; i++) {
		if (!chance(m, 60))
			/*
			 * unknown: the reader of the trace infers the least value that the run
			 * allows
			 */
			continue;
		value = (int)generate_random(m, 3);
		m->semaphore[i] = value;
		generate_line(m, 0, "sinit(%c,%d)", "st"[i], value);
	}
}

/*
 * Lists the operations that are possible for this trace at the moment. In most traces a handler
 * only accesses memory.
 */
static int list_operations(const struct machine *m, bool handler, const struct operation **rows,
			   int *sum)
{
	const struct operation *const tables[] = { generate_memory, generate_locks, generate_others,
						   generate_lives };
	int count = 0;

	*sum = 0;
	for (int i = 0; i < (handler && !m->handlers_sync ? 1 : 4); i++) {
		for (const struct operation *row = tables[i]; row->try; row++) {
			if (!(row->group & m->groups) || (m->tidy && !row->tidies && !handler))
				continue;
			rows[count++] = row;
			*sum += row->weight;
		}
	}
	return count;
}

static bool do_something(struct machine *m, int t)
{
	const struct operation *rows[96];
	struct thread *thread = &m->threads[t];
	int sum, count;

	if (m->groups & HANDLERS && thread->begun && !thread->handler && chance(m, 15)) {
		fprintf(m->out, "H%d|handler(T%d,10)|\n", t, t);
		thread->handler = 1 + (int)generate_random(m, 2);
	}
	count = list_operations(m, thread->handler, rows, &sum);
	for (int tries = 0; sum && tries < 8; tries++) {
		int pick = (int)generate_random(m, (uint64_t)sum), i = 0;

		while (i < count && (pick -= rows[i]->weight) >= 0)
			i++;
		if (!rows[i]->try(m, t))
			continue;
		if (thread->doing != RUNNING)
			return true; /* a handler that waits has not ended */
		if (thread->handler && !--thread->handler)
			fprintf(m->out, "H%d|handlerend|\n", t);
		return true;
	}
	return false;
}

/* Lets random threads do operations, until the trace is long enough or no thread can continue. */
static void run(struct machine *m, int most)
{
	int idle = 0, t = 0;

	while (m->events < most && idle < 24) {
		struct thread *thread;

		if (idle || chance(m, 60))
			t = (int)generate_random(m, (uint64_t)m->thread_count);
		thread = &m->threads[t];
		if (thread->doing == RUNNING ? do_something(m, t) : generate_resume(m, t))
			idle = 0;
		else
			idle++;
	}
}

static void generate(FILE *out, uint64_t seed)
{
	struct machine m = { .random = seed, .out = out };

	generate_random(&m, 2);
	choose(&m);
	write_head(&m);
	run(&m, m.most);
	if (chance(&m, 85)) {
		m.tidy = true;
		run(&m, m.most + 7);
	}
}

int main(int argc, char **argv)
{
	long count;
	uint64_t seed;

	if (argc != 4)
		return fprintf(stderr, "usage: generate DIRECTORY COUNT SEED\n"), 2;
	count = strtol(argv[2], NULL, 10);
	seed = strtoull(argv[3], NULL, 10);
	for (long i = 0; i < count; i++) {
		char path[4096];
		FILE *out;

		snprintf(path, sizeof path, "%s/%06ld.std", argv[1], i);
		out = fopen(path, "w");
		if (!out)
			return perror(path), 2;
		generate(out, seed * 1000003u + (uint64_t)i);
		if (fclose(out))
			return perror(path), 2;
	}
	return 0;
}
