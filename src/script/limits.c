/*
 * Limits of a call: instructions, processor time and memory (doc/grammars.md, "Lua").
 *
 * Lua's count hook counts instructions, STEP at a time. C functions and the allocator add their own
 * work, converted to instructions. This count alone does not bound the time: one instruction may
 * compare two long strings, move the whole stack (variable numbers of results and arguments),
 * rehash a large table or start the garbage collector. Therefore:
 *
 *	- A string has at most SCRIPT_TEXT_MOST bytes. Lua's stack has at most a million values.
 *	- Processor time is checked where instructions are counted and where a large block is
 *	  allocated. This stops only calls with slow instructions: an ordinary instruction takes
 *	  a fifth of its allowance. The thread's own CPU time counts, so machine load does not
 *	  matter.
 *	- When memory is full, Lua collects garbage, which is slow on a large heap. This happens at
 *	  most once per call.
 *
 * The allocator can only raise an error by refusing a block, and then Lua collects garbage first.
 * Where that is too expensive, the allocator grants the block and makes the hook raise the error at
 * the next instruction.
 */
#include "script/script_internal.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP 256
/* instructions charged for a new block, in addition to its size */
#define BLOCK_STEPS 4
#define LARGE ((size_t)64 << 10)	/* bytes; creating such a block takes long */
#define TIME_PER_INSTRUCTION 40		/* ns */
#define TIME_AT_LEAST INT64_C(20000000) /* ns */
/* ns between checks, because reading the CPU clock is a system call */
#define TIME_BETWEEN_LOOKS INT64_C(2000000)

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t time_limit(const struct script *s)
{
	int64_t time = (int64_t)s->limits.instructions * TIME_PER_INSTRUCTION;

	return time > TIME_AT_LEAST ? time : TIME_AT_LEAST;
}

/*
 * Has the call exceeded its time? The first check only starts the clock. Most calls end before
 * that, so the check costs them nothing.
 */
static bool takes_too_long(struct script *s)
{
	int64_t now = read_clock(CLOCK_MONOTONIC);

	if (s->started && now - s->looked < TIME_BETWEEN_LOOKS)
		return false;
	s->looked = now;
	if (!s->started) {
		s->started = read_clock(CLOCK_THREAD_CPUTIME_ID);
		return false;
	}
	return read_clock(CLOCK_THREAD_CPUTIME_ID) - s->started > time_limit(s);
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* Sets `stopped_at`. Must not allocate memory, because the allocator calls it. */
static void record_location(struct script *s)
{
	lua_Debug at;

	s->stopped_at[0] = 0;
	for (int level = 0; lua_getstack(s->lua, level, &at); level++) {
		lua_getinfo(s->lua, "Sl", &at);
		if (at.currentline > 0) {
			snprintf(s->stopped_at, sizeof s->stopped_at, "%s:%d: ", at.short_src,
				 at.currentline);
			return;
		}
	}
}

static void stop_call(struct script *s, enum script_stop why)
{
	s->stop = (uint8_t)why;
	record_location(s);
}

const char *script_stop_message(const struct script *s, char *text, size_t size)
{
	switch ((enum script_stop)s->stop) {
	case SCRIPT_STOP_INSTRUCTIONS:
		snprintf(text, size,
			 "stopped after %llu instructions: is there an endless loop or recursion?",
			 (unsigned long long)s->limits.instructions);
		break;
	case SCRIPT_STOP_TIME:
		snprintf(text, size,
			 "stopped after %.2g s of processor time: an action should do only a "
			 "little work",
			 (double)time_limit(s) / 1e9);
		break;
	case SCRIPT_STOP_TEXT:
		snprintf(text, size,
			 "string would be longer than %zu bytes: use strings for names only",
			 SCRIPT_TEXT_MOST);
		break;
	default:
		snprintf(text, size,
			 "more than %zu MB in use: end sessions with 'reset', and set what is no "
			 "longer needed to nil",
			 s->limits.memory >> 20);
	}
	return text;
}

static int raise_stop(struct script *s)
{
	char words[256];

	record_location(s);
	lua_pushfstring(s->lua, "%s%s", s->stopped_at, script_stop_message(s, words, sizeof words));
	return lua_error(s->lua);
}

int script_add_location(lua_State *lua)
{
	struct script *s = script_of(lua);
	const char *message = lua_tostring(lua, 1);

	if (!message || message[0] == SCRIPT_MARK[0])
		return 1;
	record_location(s);
	lua_pushfstring(lua, "%s%s", s->stopped_at, message);
	return 1;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static int hook_interval(const struct script *s)
{
	return s->limits.instructions < STEP ? (int)s->limits.instructions : STEP;
}

static void count_instructions(lua_State *lua, lua_Debug *at)
{
	struct script *s = script_of(lua);

	(void)at;
	if (!s->running) /* the hook remains installed after a call */
		return;
	s->budget -= hook_interval(s);
	if (!s->stop && s->budget <= 0)
		s->stop = SCRIPT_STOP_INSTRUCTIONS;
	else if (!s->stop && takes_too_long(s))
		s->stop = SCRIPT_STOP_TIME;
	if (s->stop)
		raise_stop(s);
}

void script_charge(lua_State *lua, uint64_t steps)
{
	struct script *s = script_of(lua);

	if (!s->running)
		return;
	s->budget = (int64_t)steps < s->budget ? s->budget - (int64_t)steps : 0;
	s->charged += steps;
	if (s->budget <= 0) {
		s->stop = SCRIPT_STOP_INSTRUCTIONS;
	} else if (s->charged >= STEP) {
		s->charged = 0;
		if (takes_too_long(s))
			s->stop = SCRIPT_STOP_TIME;
	}
	if (s->stop)
		raise_stop(s);
}

void script_begin_call(struct script *s, bool counted)
{
	assert(!s->running);
	s->running = true;
	s->stop = SCRIPT_NOT_STOPPED;
	s->collected = s->asking = false;
	s->started = 0;
	s->charged = 0;
	s->budget = (int64_t)s->limits.instructions;
	if (counted)
		lua_sethook(s->lua, count_instructions, LUA_MASKCOUNT, hook_interval(s));
}

void script_end_call(struct script *s)
{
	s->running = false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/*
 * Makes the next instruction raise the error. This is safe inside the allocator: lua_sethook() may
 * be called at any time.
 */
static void stop_at_next_instruction(struct script *s, enum script_stop why)
{
	if (!s->stop)
		stop_call(s, why);
	lua_sethook(s->lua, count_instructions, LUA_MASKCOUNT, 1);
}

static bool refuse_block(struct script *s, enum script_stop why)
{
	stop_call(s, why);
	return false;
}

/*
 * May a block be granted although it exceeds the memory limit? The first refusal in a call makes
 * Lua collect garbage and request the block again. If that request is refused, too, Lua raises an
 * error.
 */
static bool may_exceed_limit(struct script *s, size_t size)
{
	if (!s->collected) {
		s->collected = s->asking = true;
		record_location(s);
		return false;
	}
	if (s->asking || size > LARGE || s->used > s->limits.memory / 16 * 17)
		return refuse_block(s, SCRIPT_STOP_MEMORY);
	stop_at_next_instruction(s, SCRIPT_STOP_MEMORY);
	return true;
}

static bool may_allocate(struct script *s, bool is_text, size_t had, size_t size)
{
	if (is_text && size > SCRIPT_TEXT_MOST)
		return refuse_block(s, SCRIPT_STOP_TEXT);
	if (s->used - had + size > s->limits.memory)
		return may_exceed_limit(s, size);
	s->budget -= BLOCK_STEPS + (int64_t)(size / 32);
	s->asking = false;
	if (size >= LARGE && takes_too_long(s))
		stop_at_next_instruction(s, SCRIPT_STOP_TIME);
	return true;
}

/*
 * Lua's allocator. Outside calls no request is refused: the grammar engines use Lua's C API there,
 * and no handler would catch an error. The memory allocated there counts at the next call.
 */
void *script_allocate(void *script, void *old, size_t old_size, size_t size)
{
	struct script *s = script;
	size_t had = old ? old_size : 0;
	/* for a new block, old_size is the type of the Lua object */
	bool is_text = !old && old_size == LUA_TSTRING;
	void *made;

	if (!size) {
		s->used -= had;
		free(old);
		return NULL;
	}
	if (s->running && size > had && !may_allocate(s, is_text, had, size))
		return NULL;
	made = mem_resize(old, 1, size);
	s->used += size - had;
	return made;
}
