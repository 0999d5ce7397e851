#include "simulated.h"

#include "event/event.h"

#include <assert.h>
#include <string.h>

/* Addresses in a log: variables are 8 bytes apart, objects further. */
enum {
	VARIABLES = 0x1000,
	LOCKS = 0x2000,
	CONDITIONS = 0x3000,
	SEMAPHORES = 0x4000,
	BARRIERS = 0x5000
};

void sim_start(const struct sim_program *program, struct sim_state *state)
{
	memset(state, 0, sizeof *state);
	memcpy(state->counts, program->counts, sizeof state->counts);
	state->threads[0].created = state->threads[0].begun = true;
	state->result = CONTROL_UNFINISHED;
}

static const struct sim_code *code_of(const struct sim_program *program,
				      const struct sim_state *state, uint32_t thread)
{
	return &program->code[thread][state->threads[thread].at];
}

/* ---- what a thread is about to do --------------------------------------------------------- */

static void describe(struct control_event *event, enum event_kind kind, uint64_t base, uint8_t at,
		     uint8_t flags)
{
	event->kind = (uint8_t)kind;
	event->address = base + 8u * at;
	event->flags = flags;
	event->size = base == VARIABLES ? 8 : 0;
}

bool sim_next(const struct sim_program *program, const struct sim_state *state, uint32_t thread,
	      struct control_event *event)
{
	const struct sim_thread *self = &state->threads[thread];
	const struct sim_code *code = code_of(program, state, thread);

	memset(event, 0, sizeof *event);
	event->thread = thread;
	event->step = self->step;
	event->site = 1 + thread * 100u + self->at * 2u + self->part;
	if (!self->created || self->over)
		return false;
	if (!self->begun) {
		event->kind = EV_BEGIN;
		return true;
	}
	switch ((enum sim_op)code->op) {
	case SIM_READ:
	case SIM_SPIN: describe(event, EV_READ, VARIABLES, code->b, 0); break;
	case SIM_WRITE:
	case SIM_STORE: describe(event, EV_WRITE, VARIABLES, code->b, 0); break;
	case SIM_ADD: describe(event, EV_ATOMIC_UPDATE, VARIABLES, code->b, 4); break;
	case SIM_SWAP:
		describe(event, state->variables[code->b] ? EV_ATOMIC_READ : EV_ATOMIC_UPDATE,
			 VARIABLES, code->b, 4);
		break;
	case SIM_LOCK: describe(event, EV_ACQUIRE, LOCKS, code->b, 0); break;
	case SIM_UNLOCK: describe(event, EV_RELEASE, LOCKS, code->b, 0); break;
	case SIM_TRYLOCK: describe(event, EV_ACQUIRE, LOCKS, code->b, CONTROL_EVENT_TRY); break;
	case SIM_TIMEDLOCK: describe(event, EV_ACQUIRE, LOCKS, code->b, CONTROL_EVENT_TIMED); break;
	case SIM_READ_LOCK: describe(event, EV_READ_ACQUIRE, LOCKS, code->b, 0); break;
	case SIM_READ_UNLOCK: describe(event, EV_READ_RELEASE, LOCKS, code->b, 0); break;
	case SIM_WAIT:
	case SIM_TIMEDWAIT:
		describe(event, self->part ? EV_WOKEN : EV_WAIT, CONDITIONS, code->b,
			 self->part && code->op == SIM_TIMEDWAIT ? CONTROL_EVENT_TIMED : 0);
		event->other = LOCKS + 8u * code->c;
		break;
	case SIM_SIGNAL: describe(event, EV_SIGNAL, CONDITIONS, code->b, 0); break;
	case SIM_BROADCAST: describe(event, EV_BROADCAST, CONDITIONS, code->b, 0); break;
	case SIM_POST: describe(event, EV_POST, SEMAPHORES, code->b, 0); break;
	case SIM_DOWN: describe(event, EV_DOWN, SEMAPHORES, code->b, 0); break;
	case SIM_TRYDOWN: describe(event, EV_DOWN, SEMAPHORES, code->b, CONTROL_EVENT_TRY); break;
	case SIM_BARRIER:
		describe(event, self->part ? EV_PASS : EV_ARRIVE, BARRIERS, code->b, 0);
		break;
	case SIM_INIT:
		describe(event, code->c ? EV_SEM_INIT : EV_BARRIER_INIT,
			 code->c ? SEMAPHORES : BARRIERS, code->b, 0);
		event->other = code->c ? program->counts[code->b] : program->meet;
		break;
	case SIM_CREATE:
		event->kind = EV_CREATE;
		event->address = code->b;
		break;
	case SIM_JOIN:
		event->kind = EV_JOIN;
		event->address = code->b;
		break;
	case SIM_END: event->kind = EV_END; break;
	default: assert(!"skipped when the instruction before it was done");
	}
	return true;
}

/* ---- can it? ------------------------------------------------------------------------------ */

static bool lock_free(const struct sim_state *state, uint8_t lock)
{
	return !state->locks[lock].writer && !state->locks[lock].readers;
}

static uint8_t first_token(const struct sim_condition *condition, uint8_t since)
{
	uint8_t i = 0;

	while (i < condition->token_count && condition->tokens[i] <= since)
		i++;
	return i;
}

static enum sim_can can_wake(const struct sim_state *state, const struct sim_code *code,
			     uint32_t thread)
{
	const struct sim_condition *condition = &state->conditions[code->b];

	if (!lock_free(state, code->c))
		return SIM_NO;
	if (first_token(condition, state->threads[thread].since) < condition->token_count)
		return SIM_YES;
	return code->op == SIM_TIMEDWAIT ? SIM_LATE : SIM_NO;
}

enum sim_can sim_can(const struct sim_program *program, const struct sim_state *state,
		     uint32_t thread)
{
	const struct sim_thread *self = &state->threads[thread];
	const struct sim_code *code = code_of(program, state, thread);

	if (!self->created || self->over || state->result)
		return SIM_NO;
	if (!self->begun || self->out)
		return SIM_YES;
	switch ((enum sim_op)code->op) {
	case SIM_LOCK: return lock_free(state, code->b) ? SIM_YES : SIM_NO;
	case SIM_TIMEDLOCK: return lock_free(state, code->b) ? SIM_YES : SIM_LATE;
	case SIM_READ_LOCK: return state->locks[code->b].writer ? SIM_NO : SIM_YES;
	case SIM_WAIT:
	case SIM_TIMEDWAIT: return self->part ? can_wake(state, code, thread) : SIM_YES;
	case SIM_DOWN: return state->counts[code->b] ? SIM_YES : SIM_NO;
	case SIM_BARRIER:
		return !self->part || state->arrived[code->b] >= (self->meeting + 1) * program->meet
			       ? SIM_YES
			       : SIM_NO;
	case SIM_JOIN: return state->threads[code->b].over ? SIM_YES : SIM_NO;
	case SIM_SPIN:
		return self->spun >= program->rounds && state->variables[code->b] != code->c
			       ? SIM_NO
			       : SIM_YES;
	default: return SIM_YES;
	}
}

/* ---- doing it ----------------------------------------------------------------------------- */

static void wait_on(struct sim_state *state, uint8_t at, uint32_t thread)
{
	struct sim_condition *condition = &state->conditions[at];

	assert(condition->waiter_count < SIM_WAITING);
	condition->waiters[condition->waiter_count++] = (uint8_t)thread;
	state->threads[thread].since = ++condition->now;
}

static void add_token(struct sim_condition *condition)
{
	if (condition->token_count < condition->waiter_count)
		condition->tokens[condition->token_count++] = ++condition->now;
}

static void drop(uint8_t *items, uint8_t *count, uint8_t at)
{
	memmove(&items[at], &items[at + 1], (size_t)(*count - at - 1));
	--*count;
}

static void wake_from(struct sim_state *state, uint8_t at, uint32_t thread, bool timed_out)
{
	struct sim_condition *condition = &state->conditions[at];
	uint8_t i = 0;

	while (condition->waiters[i] != thread)
		i++;
	drop(condition->waiters, &condition->waiter_count, i);
	if (!timed_out)
		drop(condition->tokens, &condition->token_count,
		     first_token(condition, state->threads[thread].since));
	while (condition->token_count > condition->waiter_count)
		drop(condition->tokens, &condition->token_count, 0);
	if (!condition->waiter_count)
		condition->now = 0;
}

/* Executes the skips and assertions after an operation: they belong to it. */
static void settle(const struct sim_program *program, struct sim_state *state, uint32_t thread)
{
	struct sim_thread *self = &state->threads[thread];

	for (;;) {
		const struct sim_code *code = code_of(program, state, thread);
		if (code->op == SIM_SKIP) {
			self->at++;
			for (uint8_t i = 0; i < code->c && self->registers[code->a] == code->b; i++)
				self->at += code_of(program, state, thread)->op != SIM_END;
		} else if (code->op == SIM_ASSERT) {
			if (self->registers[code->a] == code->b) {
				state->result = CONTROL_ASSERTION;
				state->failed_thread = (uint8_t)thread;
				state->failed_at = self->at;
				return;
			}
			self->at++;
		} else {
			return;
		}
	}
}

static void act(struct sim_state *state, uint32_t thread, const struct sim_code *code, bool late,
		struct control_event *event)
{
	struct sim_thread *self = &state->threads[thread];
	uint8_t *variable = &state->variables[code->b % SIM_OBJECTS];
	struct sim_lock *lock = &state->locks[code->b % SIM_OBJECTS];

	switch ((enum sim_op)code->op) {
	case SIM_READ: self->registers[code->a] = *variable; break;
	case SIM_SPIN: break;
	case SIM_WRITE: *variable = code->c; break;
	case SIM_STORE: *variable = (uint8_t)((self->registers[code->a] + code->c) & 3); break;
	case SIM_ADD:
		self->registers[code->a] = *variable;
		*variable = (uint8_t)((*variable + code->c) & 3);
		break;
	case SIM_SWAP:
		self->registers[code->a] = !*variable;
		*variable = *variable ? *variable : code->c;
		break;
	case SIM_LOCK:
	case SIM_TRYLOCK:
	case SIM_TIMEDLOCK:
		if (lock->writer || lock->readers) {
			event->kind = EV_ACQUIRE_FAIL;
			event->flags |= late ? CONTROL_EVENT_TIMED_OUT : 0;
		} else {
			lock->writer = (uint8_t)(thread + 1);
		}
		self->registers[code->a] = event->kind == EV_ACQUIRE;
		break;
	case SIM_UNLOCK: lock->writer = 0; break;
	case SIM_READ_LOCK: lock->readers++; break;
	case SIM_READ_UNLOCK: lock->readers -= lock->readers > 0; break;
	case SIM_WAIT:
	case SIM_TIMEDWAIT:
		if (self->part) {
			wake_from(state, code->b, thread, late);
			event->flags |= late ? CONTROL_EVENT_TIMED_OUT : 0;
			self->registers[code->a] = !late;
		} else {
			wait_on(state, code->b, thread);
		}
		state->locks[code->c].writer = self->part ? (uint8_t)(thread + 1) : 0;
		break;
	case SIM_SIGNAL: add_token(&state->conditions[code->b]); break;
	case SIM_BROADCAST:
		for (int i = 0; i < SIM_WAITING; i++)
			add_token(&state->conditions[code->b]);
		break;
	case SIM_POST: state->counts[code->b]++; break;
	case SIM_DOWN:
	case SIM_TRYDOWN:
		self->registers[code->a] = state->counts[code->b] > 0;
		event->kind = state->counts[code->b] ? EV_DOWN : EV_DOWN_FAIL;
		state->counts[code->b] -= state->counts[code->b] > 0;
		break;
	case SIM_BARRIER: break;
	case SIM_CREATE: state->threads[code->b].created = true; break;
	default: break;
	}
}

bool sim_step(const struct sim_program *program, struct sim_state *state, uint32_t thread,
	      struct control_event *event)
{
	struct sim_thread *self = &state->threads[thread];
	const struct sim_code *code = code_of(program, state, thread);
	bool late = sim_can(program, state, thread) == SIM_LATE;

	if (self->out) {
		state->result = CONTROL_ENDED;
		return false;
	}
	sim_next(program, state, thread, event);
	self->step++;
	if (!self->begun) {
		self->begun = true;
		settle(program, state, thread);
		return true;
	}
	act(state, thread, code, late, event);
	if (event->size)
		event->other = state->variables[code->b];
	if (code->op == SIM_END) {
		self->over = thread != 0;
		self->out = thread == 0;
	} else if (code->op == SIM_SPIN && state->variables[code->b] != code->c) {
		self->spun++;
	} else if ((code->op == SIM_WAIT || code->op == SIM_TIMEDWAIT) && !self->part) {
		self->part = 1;
	} else if (code->op == SIM_BARRIER && !self->part) {
		self->meeting = (uint8_t)(state->arrived[code->b]++ / program->meet);
		self->part = 1;
	} else {
		self->part = self->spun = 0;
		self->at++;
		settle(program, state, thread);
	}
	return true;
}

/* ---- ends --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

uint64_t sim_hash_end(const struct sim_program *program, const struct sim_state *state)
{
	uint64_t hash = mix(1, state->result);

	for (uint32_t t = 0; t < program->threads; t++) {
		const struct sim_thread *self = &state->threads[t];
		hash = mix(hash, self->at * 4u + self->part * 2u + self->over);
		hash = mix(hash, self->registers[0] * 256u + self->registers[1]);
	}
	for (int i = 0; i < SIM_OBJECTS; i++)
		hash = mix(hash, state->variables[i]);
	return hash | 1;
}

uint64_t sim_hash_failure(const struct sim_state *state)
{
	if (state->result == CONTROL_ASSERTION)
		return mix(7, 1000 + state->failed_thread * 100u + state->failed_at);
	return state->result == CONTROL_STUCK ? 3 : 0;
}

/* ---- along a plan ------------------------------------------------------------------------- */

struct sleeper {
	bool asleep;
	struct control_event event;
};

/* Do two operations depend on each other? Written independently from doc/controlled-runs.md. */
static bool depends(const struct control_event *a, const struct control_event *b)
{
	bool memory = a->size && b->size, sync;
	uint64_t of_a[2] = { a->address, 0 }, of_b[2] = { b->address, 0 };

	if (memory)
		return a->address == b->address &&
		       !((a->kind == EV_READ || a->kind == EV_ATOMIC_READ) &&
			 (b->kind == EV_READ || b->kind == EV_ATOMIC_READ));
	sync = a->address >= LOCKS && b->address >= LOCKS;
	if (!sync)
		return false;
	of_a[1] = a->kind == EV_WAIT || a->kind == EV_WOKEN ? a->other : 0;
	of_b[1] = b->kind == EV_WAIT || b->kind == EV_WOKEN ? b->other : 0;
	if (a->kind == EV_READ_ACQUIRE && b->kind == EV_READ_ACQUIRE)
		return false;
	if ((a->kind == EV_ACQUIRE_FAIL || a->kind == EV_DOWN_FAIL) && a->kind == b->kind)
		return false;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (of_a[i] && of_a[i] == of_b[k])
				return true;
	return false;
}

struct running {
	const struct plan *plan;
	struct sleeper sleepers[SIM_THREADS];
	uint32_t last;
	size_t run;
	bool sleeping; /* all slices have been executed */
	/*
	 * rules: `alone`: a thread that waits for all others may run; `free`: all rules are given
	 * up
	 */
	bool alone, free;
	uint64_t draws;
};

/* Puts threads to sleep, with the event that each would do next: a dependent event wakes it. */
static void fall_asleep(const struct sim_program *program, const struct sim_state *state,
			struct running *running)
{
	running->sleeping = true;
	for (size_t i = 0; i < running->plan->sleeps.count; i++) {
		uint32_t thread = running->plan->sleeps.items[i];
		struct sim_state copy = *state;
		if (!sim_can(program, state, thread))
			/* the thread cannot run, so the plan could not be followed: it spins */
			continue;
		running->sleepers[thread].asleep = true;
		sim_step(program, &copy, thread, &running->sleepers[thread].event);
	}
}

static bool timed_out(const struct plan *plan, const struct control_event *event)
{
	for (size_t i = 0; i < plan->choices.count; i++)
		if (plan->choices.items[i].thread == event->thread &&
		    plan->choices.items[i].step == event->step)
			return true;
	return false;
}

/* Does a rule hold this thread back? `alone`: no other thread can continue. */
static bool held_back(const struct sim_state *state, const struct running *running, uint32_t thread,
		      bool alone)
{
	for (size_t i = 0; i < running->plan->rules.count && !running->free; i++) {
		const struct control_rule *rule = &running->plan->rules.items[i];
		if (rule->after_thread == thread &&
		    rule->after_step == state->threads[thread].step &&
		    (rule->before_step == CONTROL_NONE
			     ? !alone
			     : state->threads[rule->before_thread].step <= rule->before_step))
			return true;
	}
	return false;
}

static uint32_t pick_by_plan(const struct sim_program *program, const struct sim_state *state,
			     struct running *running)
{
	while (running->run < running->plan->slices.count) {
		const struct control_slice *run = &running->plan->slices.items[running->run];
		if (state->threads[run->thread].step >= run->until) {
			running->run++;
			continue;
		}
		for (size_t i = running->run; i < running->plan->slices.count; i++) {
			run = &running->plan->slices.items[i];
			if (state->threads[run->thread].step < run->until &&
			    !state->threads[run->thread].out &&
			    !held_back(state, running, run->thread, running->alone) &&
			    sim_can(program, state, run->thread))
				return run->thread;
		}
		return CONTROL_NONE;
	}
	return CONTROL_NONE;
}

static bool ready(const struct sim_program *program, const struct sim_state *state,
		  const struct running *running, uint32_t thread, enum sim_can at_least)
{
	return sim_can(program, state, thread) >= at_least && !running->sleepers[thread].asleep &&
	       !held_back(state, running, thread, running->alone);
}

static uint32_t pick_by_policy(const struct sim_program *program, const struct sim_state *state,
			       struct running *running)
{
	uint32_t first = running->last;

	if (running->plan->policy != CONTROL_STAY) {
		running->draws = running->draws * 6364136223846793005ull + running->plan->seed + 1;
		first = (uint32_t)(running->draws >> 33) % program->threads;
	}
	for (enum sim_can at_least = SIM_YES; at_least > SIM_NO; at_least--) {
		if (ready(program, state, running, first, at_least))
			return first;
		for (uint32_t t = 0; t < program->threads; t++)
			if (ready(program, state, running, t, at_least))
				return t;
	}
	return CONTROL_NONE;
}

static uint32_t pick(const struct sim_program *program, const struct sim_state *state,
		     struct running *running)
{
	for (running->alone = false;; running->alone = true) {
		uint32_t thread = pick_by_plan(program, state, running);
		if (thread != CONTROL_NONE)
			return thread;
		if (!running->sleeping && running->run == running->plan->slices.count)
			fall_asleep(program, state, running);
		thread = pick_by_policy(program, state, running);
		if (thread != CONTROL_NONE)
			return thread;
		if (running->alone && running->free)
			return CONTROL_NONE;
		running->free = running->alone;
	}
}

static enum control_result end_of(const struct sim_program *program, const struct sim_state *state)
{
	if (state->result)
		return state->result;
	for (uint32_t t = 0; t < program->threads; t++)
		if (sim_can(program, state, t))
			return CONTROL_ASLEEP;
	return CONTROL_STUCK;
}

static void list_blocked(struct simulated *simulated, const struct sim_state *state,
			 struct outcome *outcome)
{
	for (uint32_t t = 0; t < simulated->program->threads; t++) {
		struct control_event event;
		struct sim_state open = *state;
		open.result = CONTROL_UNFINISHED;
		if (state->threads[t].out ||
		    (state->result == CONTROL_ASSERTION && state->failed_thread == t) ||
		    !sim_next(simulated->program, state, t, &event))
			continue;
		simulated->blocked[outcome->blocked_count++] = (struct control_blocked){
			.thread = t,
			.step = event.step,
			.kind = event.kind,
			.address = event.address,
			.other = event.other,
			.flags = event.flags,
			.how = sim_can(simulated->program, &open, t)
				       ? CONTROL_BY_NOTHING
				       : (event.kind == EV_READ ? CONTROL_BY_SPIN
								: CONTROL_BY_NOBODY),
		};
	}
}

static bool run_simulated(struct executor *executor, const struct plan *plan,
			  struct outcome *outcome, struct err *err)
{
	struct simulated *simulated = (struct simulated *)executor;
	const struct sim_program *program = simulated->program;
	struct running running = { .plan = plan };
	struct sim_state state;

	(void)err;
	simulated->runs++;
	*outcome = (struct outcome){ .events = simulated->events,
				     .blocked = simulated->blocked,
				     .threads = simulated->threads,
				     .thread_count = program->threads };
	sim_start(program, &state);
	while (!state.result) {
		struct control_event *event = &simulated->events[outcome->event_count];
		uint32_t thread = pick(program, &state, &running);
		if (thread == CONTROL_NONE)
			break;
		assert(outcome->event_count < SIM_EVENTS);
		sim_next(program, &state, thread, event);
		assert(!timed_out(plan, event) || sim_can(program, &state, thread) == SIM_LATE);
		running.last = thread;
		if (!sim_step(program, &state, thread, event))
			continue;
		for (uint32_t t = 0; t < program->threads; t++)
			if (running.sleepers[t].asleep &&
			    depends(&running.sleepers[t].event, event))
				running.sleepers[t].asleep = false;
		outcome->event_count++;
	}
	outcome->result = end_of(program, &state);
	state.result = outcome->result;
	simulated->end = state;
	list_blocked(simulated, &state, outcome);
	return true;
}

void simulated_open(struct simulated *simulated, const struct sim_program *program)
{
	*simulated = (struct simulated){ .executor.run = run_simulated, .own = *program };
	simulated->own.rounds = 6;
	simulated->program = &simulated->own;
}
