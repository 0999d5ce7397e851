/* Makes random programs, small enough that all their schedules can be enumerated. */
#include "simulated.h"

#include "event/event.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1dull) >> 33) % below;
}

struct maker {
	struct sim_program *program;
	uint32_t thread, at;
	uint32_t flavour; /* bit set of the kinds of operations */
};

enum {
	MEMORY = 1,
	ATOMIC = 2,
	LOCKS = 4,
	TRIES = 8,
	SHARED = 16,
	CONDITIONS = 32,
	SEMAPHORES = 64,
	BARRIERS = 128,
	TIMED = 256,
	SPINS = 512
};

static void put(struct maker *maker, enum sim_op op, uint32_t a, uint32_t b, uint32_t c)
{
	if (maker->at < SIM_CODE)
		maker->program->code[maker->thread][maker->at++] =
			(struct sim_code){ (uint8_t)op, (uint8_t)a, (uint8_t)b, (uint8_t)c };
}

static void put_access(struct maker *maker)
{
	uint32_t variable = draw(2), reg = draw(2);

	switch (draw(maker->flavour & ATOMIC ? 5 : 3)) {
	case 0:
		put(maker, SIM_READ, reg, variable, 0);
		if (draw(3) == 0)
			put(maker, SIM_SKIP, reg, draw(2), 1);
		else if (draw(3) == 0)
			put(maker, SIM_ASSERT, reg, 1 + draw(2), 0);
		break;
	case 1: put(maker, SIM_WRITE, 0, variable, 1 + draw(2)); break;
	case 2: put(maker, SIM_STORE, reg, variable, draw(2)); break;
	case 3: put(maker, SIM_ADD, reg, variable, 1); break;
	case 4: put(maker, SIM_SWAP, reg, variable, 1 + draw(2)); break;
	}
}

static void put_locked(struct maker *maker)
{
	uint32_t lock = draw(2), how = draw(4);

	if (how == 1 && (maker->flavour & SHARED)) {
		put(maker, SIM_READ_LOCK, 0, lock, 0);
		put_access(maker);
		put(maker, SIM_READ_UNLOCK, 0, lock, 0);
	} else if (how == 2 && (maker->flavour & (TRIES | TIMED))) {
		put(maker, maker->flavour & TIMED ? SIM_TIMEDLOCK : SIM_TRYLOCK, 0, lock, 0);
		put(maker, SIM_SKIP, 0, 0, 2);
		put(maker, SIM_WRITE, 0, draw(2), 1 + draw(2));
		put(maker, SIM_UNLOCK, 0, lock, 0);
	} else {
		put(maker, SIM_LOCK, 0, lock, 0);
		if (draw(4) == 0)
			put(maker, SIM_LOCK, 0, 1 - lock, 0);
		else if (draw(2))
			put_access(maker);
		if (draw(8))
			put(maker, SIM_UNLOCK, 0, lock, 0);
	}
}

static void put_condition(struct maker *maker)
{
	switch (draw(3)) {
	case 0:
		put(maker, SIM_LOCK, 0, 0, 0);
		put(maker, draw(2) && (maker->flavour & TIMED) ? SIM_TIMEDWAIT : SIM_WAIT, 1, 0, 0);
		put(maker, SIM_UNLOCK, 0, 0, 0);
		break;
	case 1: put(maker, draw(2) ? SIM_SIGNAL : SIM_BROADCAST, 0, 0, 0); break;
	case 2:
		put(maker, SIM_LOCK, 0, 0, 0);
		put(maker, draw(3) ? SIM_SIGNAL : SIM_BROADCAST, 0, 0, 0);
		put(maker, SIM_UNLOCK, 0, 0, 0);
		break;
	}
}

static void put_something(struct maker *maker)
{
	switch (draw(6)) {
	case 0:
		if (maker->flavour & LOCKS)
			put_locked(maker);
		break;
	case 1:
		if (maker->flavour & CONDITIONS)
			put_condition(maker);
		break;
	case 2:
		if (maker->flavour & SEMAPHORES)
			put(maker,
			    draw(2) ? SIM_POST : (maker->flavour & TRIES ? SIM_TRYDOWN : SIM_DOWN),
			    draw(2), draw(2), 0);
		break;
	case 3:
		if ((maker->flavour & BARRIERS) && draw(2))
			put(maker, SIM_BARRIER, 0, 0, 0);
		break;
	case 4:
		if ((maker->flavour & SPINS) && draw(2))
			put(maker, SIM_SPIN, 0, draw(2), 1);
		break;
	default:
		if (maker->flavour & MEMORY)
			put_access(maker);
	}
}

void sim_make(struct sim_program *program, uint64_t seed)
{
	struct maker maker = { .program = program };
	uint32_t length, count;

	random_state = seed * 0x9e3779b97f4a7c15ull + 1;
	memset(program, 0, sizeof *program);
	for (int i = 0; i < 8; i++)
		draw(2);
	maker.flavour = draw(1024) | (draw(4) ? MEMORY : 0);
	program->threads = 2 + draw(3);
	program->meet = 2;
	program->rounds = 1;
	program->spins = false;
	program->leaves = draw(6) == 0;
	for (int i = 0; i < SIM_OBJECTS; i++)
		program->counts[i] = (uint8_t)draw(2);
	length = program->threads == 2 ? 9 : program->threads == 3 ? 6 : 3;
	for (uint32_t t = 1; t < program->threads; t++) {
		maker.thread = t;
		maker.at = 0;
		count = 2 + draw(length);
		while (maker.at < count)
			put_something(&maker), count -= draw(6) == 0 && count > 0;
		put(&maker, SIM_END, 0, 0, 0);
	}
	maker.thread = 0;
	maker.at = 0;
	if (maker.flavour & BARRIERS)
		put(&maker, SIM_INIT, 0, 0, 0);
	for (uint32_t i = 0; i < 2 && (maker.flavour & SEMAPHORES); i++)
		put(&maker, SIM_INIT, 0, i, 1);
	for (uint32_t t = 1; t < program->threads; t++)
		put(&maker, SIM_CREATE, 0, t, 0);
	for (count = draw(3); count > 0; count--)
		put_something(&maker);
	for (uint32_t t = 1; t < program->threads && !program->leaves; t++)
		put(&maker, SIM_JOIN, 0, t, 0);
	for (uint32_t t = 0; t < program->threads; t++) {
		program->code[t][SIM_CODE].op = SIM_END;
		for (int i = 0; i < SIM_CODE; i++)
			program->spins |= program->code[t][i].op == SIM_SPIN;
	}
	count = 1;
	for (int i = 0; i < SIM_CODE; i++) {
		program->leaves |= program->code[0][i].op == SIM_SKIP; /* it may skip a join */
		count += program->code[0][i].op == SIM_JOIN;
	}
	program->leaves |= count < program->threads;
	put(&maker, SIM_END, 0, 0, 0);
}

void sim_print(const struct sim_program *program)
{
	static const char *const names[] = {
		"read",	     "write",	  "store",  "add",	"swap",	   "lock",	"unlock",
		"trylock",   "timedlock", "rdlock", "rdunlock", "wait",	   "timedwait", "signal",
		"broadcast", "post",	  "down",   "trydown",	"barrier", "init",	"create",
		"join",	     "spin",	  "skip",   "assert",	"end"
	};

	printf("semaphores %u %u\n", program->counts[0], program->counts[1]);
	for (uint32_t t = 0; t < program->threads; t++) {
		printf("%u:", t);
		for (int i = 0; i <= SIM_CODE; i++) {
			const struct sim_code *code = &program->code[t][i];
			printf(" %s(%u,%u,%u)", names[code->op], code->a, code->b, code->c);
			if (code->op == SIM_END)
				break;
		}
		printf("\n");
	}
}
