/*
 * Limits of a call: instructions, processor time, memory. doc/grammars.md, "Lua".
 *
 * Instructions are counted by Lua's count hook, STEP at a time; functions in C and the allocator add
 * what they do, as much as instructions would take. That alone does not bound the time: one instruction
 * may compare two long texts, move all of the stack (results and arguments of variable number), build
 * a large table anew, or make the collector run. So
 *
 *	- a text has at most SCRIPT_TEXT_MOST bytes; Lua's stack has a million values at most;
 *	- the processor's time is looked at where instructions are counted and where a large block is
 *	  asked for. It ends a call only if its instructions are slow ones: a plain one takes a fifth
 *	  of what it may. It is the thread's own time: a busy machine changes nothing.
 *	- a full memory makes Lua collect, which takes long when there is much of it: once in a call.
 *
 * The allocator cannot raise an error but by refusing, and then Lua collects first. Where that is
 * too expensive it gives the block and has the hook called at the next instruction.
 */
#include "script/script_internal.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP 256
#define BLOCK_STEPS 4			    /* what a new block counts, beside its size */
#define LARGE ((size_t)64 << 10)	    /* a block whose making takes long */
#define TIME_PER_INSTRUCTION 40		    /* ns */
#define TIME_AT_LEAST INT64_C(20000000)	    /* ns */
#define TIME_BETWEEN_LOOKS INT64_C(2000000) /* the processor's clock costs a system call */

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t time_of(const struct script *s)
{
	int64_t time = (int64_t)s->limits.instructions * TIME_PER_INSTRUCTION;

	return time > TIME_AT_LEAST ? time : TIME_AT_LEAST;
}

/* A call's time starts with the first look: most calls end before it, and pay nothing. */
static bool takes_too_long(struct script *s)
{
	int64_t now = clock_of(CLOCK_MONOTONIC);

	if (s->started && now - s->looked < TIME_BETWEEN_LOOKS)
		return false;
	s->looked = now;
	if (!s->started) {
		s->started = clock_of(CLOCK_THREAD_CPUTIME_ID);
		return false;
	}
	return clock_of(CLOCK_THREAD_CPUTIME_ID) - s->started > time_of(s);
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* Allocates nothing: it is called from inside the allocator. */
static void note_place(struct script *s)
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

static void stop(struct script *s, enum script_stop why)
{
	s->stop = (uint8_t)why;
	note_place(s);
}

const char *script_stop_words(const struct script *s, char *text, size_t size)
{
	switch ((enum script_stop)s->stop) {
	case SCRIPT_STOP_INSTRUCTIONS:
		snprintf(text, size,
			 "it was stopped after %llu instructions: a loop or recursion without end?",
			 (unsigned long long)s->limits.instructions);
		break;
	case SCRIPT_STOP_TIME:
		snprintf(
			text, size,
			"it was stopped after %.2g s: an action is for a little work at each event",
			(double)time_of(s) / 1e9);
		break;
	case SCRIPT_STOP_TEXT:
		snprintf(text, size, "a text would be longer than %zu bytes: texts are for names",
			 SCRIPT_TEXT_MOST);
		break;
	default:
		snprintf(
			text, size,
			"more than %zu MB are in use: 'reset' ends a session, and nil removes what "
			"is not needed any more",
			s->limits.memory >> 20);
	}
	return text;
}

static int raise_stop(struct script *s)
{
	char words[256];

	note_place(s);
	lua_pushfstring(s->lua, "%s%s", s->stopped_at, script_stop_words(s, words, sizeof words));
	return lua_error(s->lua);
}

int script_add_place(lua_State *lua)
{
	struct script *s = script_of(lua);
	const char *message = lua_tostring(lua, 1);

	if (!message || message[0] == SCRIPT_MARK[0])
		return 1;
	note_place(s);
	lua_pushfstring(lua, "%s%s", s->stopped_at, message);
	return 1;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static int step_of(const struct script *s)
{
	return s->limits.instructions < STEP ? (int)s->limits.instructions : STEP;
}

static void count(lua_State *lua, lua_Debug *at)
{
	struct script *s = script_of(lua);

	(void)at;
	if (!s->running) /* it stays set behind a call */
		return;
	s->budget -= step_of(s);
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

void script_begin(struct script *s, bool counted)
{
	assert(!s->running);
	s->running = true;
	s->stop = SCRIPT_GOES_ON;
	s->collected = s->asking = false;
	s->started = 0;
	s->charged = 0;
	s->budget = (int64_t)s->limits.instructions;
	if (counted)
		lua_sethook(s->lua, count, LUA_MASKCOUNT, step_of(s));
}

void script_end(struct script *s)
{
	s->running = false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The next instruction raises the error. lua_sethook may be called at any moment. */
static void stop_soon(struct script *s, enum script_stop why)
{
	if (!s->stop)
		stop(s, why);
	lua_sethook(s->lua, count, LUA_MASKCOUNT, 1);
}

static bool refuse(struct script *s, enum script_stop why)
{
	stop(s, why);
	return false;
}

/* Beyond the limit. Refused for the first time Lua collects and asks again; then it is an error. */
static bool may_exceed(struct script *s, size_t size)
{
	if (!s->collected) {
		s->collected = s->asking = true;
		note_place(s);
		return false;
	}
	if (s->asking || size > LARGE || s->used > s->limits.memory / 16 * 17)
		return refuse(s, SCRIPT_STOP_MEMORY);
	stop_soon(s, SCRIPT_STOP_MEMORY);
	return true;
}

static bool may_grow(struct script *s, bool is_text, size_t had, size_t size)
{
	if (is_text && size > SCRIPT_TEXT_MOST)
		return refuse(s, SCRIPT_STOP_TEXT);
	if (s->used - had + size > s->limits.memory)
		return may_exceed(s, size);
	s->budget -= BLOCK_STEPS + (int64_t)(size / 32);
	s->asking = false;
	if (size >= LARGE && takes_too_long(s))
		stop_soon(s, SCRIPT_STOP_TIME);
	return true;
}

/*
 * Outside of calls nothing is refused: engines use Lua's functions there, and an error would have
 * nobody to go to. What they keep counts at the next call.
 */
void *script_allocate(void *script, void *old, size_t old_size, size_t size)
{
	struct script *s = script;
	size_t had = old ? old_size : 0;
	bool is_text = !old && old_size == LUA_TSTRING; /* of a new block it is what Lua makes */
	void *made;

	if (!size) {
		s->used -= had;
		free(old);
		return NULL;
	}
	if (s->running && size > had && !may_grow(s, is_text, had, size))
		return NULL;
	made = mem_resize(old, 1, size);
	s->used += size - had;
	return made;
}
