/*
 * Opens scripts, compiles pieces of Lua, calls them within the limits, and turns Lua's errors into
 * messages with a location in the property file. See script.h.
 */
#include "script/script_internal.h"
#include "script/lexeme.h"
#include "base/mem.h"

#include <assert.h>
#include <ctype.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this many would take years, and sums of such numbers do not overflow */
#define INSTRUCTIONS_MOST ((uint64_t)1 << 50)

/* ---- opening --------------------------------------------------------------------------------- */

/* Called if a Lua error happens outside a call: only a bug in sooth can cause this. */
static int abort_on_lua_error(lua_State *lua)
{
	fprintf(stderr, "sooth: Lua error outside a call: %s\n", lua_tostring(lua, -1));
	abort();
}

struct script *script_open(const struct script_limits *limits)
{
	struct script *s = mem_zalloc(1, sizeof *s);

	s->limits = limits ? *limits : (struct script_limits){ SCRIPT_INSTRUCTIONS, SCRIPT_MEMORY };
	assert(s->limits.instructions > 0);
	if (s->limits.instructions > INSTRUCTIONS_MOST)
		s->limits.instructions = INSTRUCTIONS_MOST;
	s->lua = lua_newstate(script_allocate, s);
	assert(s->lua);
	*(struct script **)lua_getextraspace(s->lua) = s;
	lua_atpanic(s->lua, abort_on_lua_error);
	script_open_library(s);
	return s;
}

void script_close(struct script *s)
{
	if (!s)
		return;
	lua_close(s->lua);
	vec_free_all(&s->files);
	vec_free_all(&s->reports);
	for (unsigned i = 0; i < SCRIPT_SHOWN_DEPTH; i++)
		vec_free(&s->keys[i]);
	vec_free(&s->seen.list);
	map_free(&s->seen.numbers);
	vec_free(&s->text);
	free(s);
}

lua_State *script_lua(struct script *s)
{
	return s->lua;
}

void script_push_environment(struct script *s)
{
	lua_createtable(s->lua, 0, 4);
	script_set_kind(s->lua, SCRIPT_ENVIRONMENT);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/*
 * Returns a number for the property file. A chunk is named SCRIPT_MARK followed by this number;
 * set_message() replaces both by the file's name.
 */
static uint32_t number_of_file(struct script *s, const char *file)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (!strcmp(s->files.items[i], file))
			return (uint32_t)i;
	*vec_push(&s->files) = mem_copy_text(file, strlen(file));
	return (uint32_t)s->files.count - 1;
}

/* Sets `err` to the message on one line: "\0013:12: reason" becomes "FILE:12: reason". */
static bool set_message(struct script *s, const char *message, struct err *err)
{
	const char *file = "", *what = message;
	char *end, *eof;

	if (message[0] == SCRIPT_MARK[0]) {
		unsigned long number = strtoul(message + 1, &end, 10);

		if (number < s->files.count && *end == ':') {
			file = s->files.items[number];
			what = end;
		}
	}
	err_set(err, "%s%s", file, what);
	for (char *c = err->text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	eof = strstr(err->text, "near <eof>"); /* "near <eof>" is always the end of the message */
	if (eof)
		strcpy(eof, "at the end");
	return false;
}

/*
 * Sets `err` from the error that lua_pcall() left on the stack, and pops it. Lua's out-of-memory
 * errors have no location (the text "not enough memory" is that of Lua's string buffers), so their
 * location is `stopped_at`.
 */
static bool fail_with_lua_error(struct script *s, int status, struct err *err)
{
	char message[512], words[256];
	const char *text = lua_tostring(s->lua, -1);

	if (status == LUA_ERRMEM || (text && !strcmp(text, "not enough memory"))) {
		snprintf(message, sizeof message, "%s%s", s->stopped_at,
			 script_stop_message(s, words, sizeof words));
		set_message(s, message, err);
	} else {
		set_message(s, text ? text : "error without a message", err);
	}
	lua_pop(s->lua, 1);
	return false;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/*
 * The pieces of a chunk, which Lua reads one after the other: the head of the wrapper function,
 * newlines that give the text the same line numbers as in the property file, the text, and the tail
 * of the wrapper function.
 */
struct chunk_pieces {
	const char *head, *text, *tail;
	uint32_t newlines;
	unsigned next;
};

static const char *read_piece(lua_State *lua, void *context, size_t *size)
{
	static const char newlines[] =
		"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
	struct chunk_pieces *p = context;
	const char *piece = NULL;

	(void)lua;
	while (p->next < 3 && (!piece || !*piece)) {
		if (p->next == 1 && p->newlines) {
			*size = p->newlines < sizeof newlines - 1 ? p->newlines
								  : sizeof newlines - 1;
			p->newlines -= (uint32_t)*size;
			return newlines;
		}
		piece = p->next == 0 ? p->head : p->next == 1 ? p->text : p->tail;
		p->next++;
	}
	*size = piece ? strlen(piece) : 0;
	return *size ? piece : NULL;
}

static bool load_chunk(struct script *s, const char *head, const char *text, const char *tail,
		       const struct script_location *location, struct err *err)
{
	struct chunk_pieces pieces = { .head = head,
				       .text = text,
				       .tail = tail,
				       .newlines = location->line ? location->line - 1 : 0 };
	char name[32];
	int status;

	snprintf(name, sizeof name, "=" SCRIPT_MARK "%u", number_of_file(s, location->file));
	status = lua_load(s->lua, read_piece, &pieces, name, "t");
	return status == LUA_OK || fail_with_lua_error(s, status, err);
}

static bool is_identifier(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/* Rejects names that cannot be parameters of the wrapper function. */
static bool are_valid_names(const char *const *names, size_t count,
			    const struct script_location *location, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!is_identifier(names[i]) || script_is_keyword(names[i]))
			return err_set(err,
				       "%s:%u: '%s' is not a valid name in Lua: give it a label",
				       location->file, location->line, names[i]);
	return true;
}

/*
 * Rejects locals called _ENV. Such a local would be a second environment, which copies and keys do
 * not include, and Lua 5.4.4 has generated wrong code for it.
 */
static bool leaves_env_alone(const char *text, const struct script_location *location,
			     struct err *err)
{
	script_names names = { 0 };
	uint32_t line = location->line;
	bool found = false;

	script_find_names(text, &names);
	for (size_t i = 0; i < names.count && !found; i++) {
		found = !strcmp(names.items[i].name, "_ENV");
		for (size_t at = 0; found && at < names.items[i].at; at++)
			line += text[at] == '\n';
	}
	script_names_free(&names);
	if (found)
		return err_set(err, "%s:%u: actions must not use _ENV", location->file, line);
	return true;
}

/*
 * Compiles the text without the wrapper function. Text that compiles alone cannot contain an `end`
 * that closes the wrapper early.
 */
static bool parses_alone(struct script *s, const char *text, const struct script_location *location,
			 bool expression, struct err *err)
{
	if (!load_chunk(s, expression ? "local _ = " : "", text, "", location, err))
		return false;
	lua_pop(s->lua, 1);
	return true;
}

bool script_compile(struct script *s, const char *text, const struct script_location *location,
		    const char *const *names, size_t count, bool expression, int *reference,
		    struct err *err)
{
	script_buffer head = { 0 };
	bool done;

	if (!are_valid_names(names, count, location, err) ||
	    !leaves_env_alone(text, location, err) ||
	    !parses_alone(s, text, location, expression, err))
		return false;
	script_append(&head, "return function(_ENV");
	for (size_t i = 0; i < count; i++) {
		script_append(&head, ", ");
		script_append(&head, names[i]);
	}
	script_append(&head, expression ? ") return (" : ") ");
	*vec_push(&head) = 0;
	done = load_chunk(s, head.items, text, expression ? "\n) end" : "\nend", location, err);
	vec_free(&head);
	if (!done)
		return false;
	lua_call(s->lua, 0, 1);
	*reference = luaL_ref(s->lua, LUA_REGISTRYINDEX);
	return true;
}

/* ---- calling --------------------------------------------------------------------------------- */

/*
 * Checks the memory limit before a call. The allocator enforces the limit only during calls, but
 * the grammar engines also store values between calls.
 */
static bool fits_in_memory(struct script *s, struct err *err)
{
	char words[256];

	if (s->used <= s->limits.memory)
		return true;
	lua_gc(s->lua, LUA_GCCOLLECT);
	if (s->used <= s->limits.memory)
		return true;
	s->stop = SCRIPT_STOP_MEMORY;
	return err_set(err, "%s: %s", s->files.count ? s->files.items[0] : "Lua",
		       script_stop_message(s, words, sizeof words));
}

static bool call_within_limits(struct script *s, int arguments, int results, bool counted,
			       struct err *err)
{
	int handler = lua_gettop(s->lua) - arguments, status;

	if (!fits_in_memory(s, err)) {
		lua_pop(s->lua, arguments + 1);
		return false;
	}
	lua_checkstack(s->lua, 2);
	lua_pushcfunction(s->lua, script_add_location);
	lua_insert(s->lua, handler);
	script_begin_call(s, counted);
	status = lua_pcall(s->lua, arguments, results, handler);
	script_end_call(s);
	lua_remove(s->lua, handler);
	return status == LUA_OK || fail_with_lua_error(s, status, err);
}

bool script_call(struct script *s, int arguments, int results, struct err *err)
{
	return call_within_limits(s, arguments, results, true, err);
}

bool script_call_plain(struct script *s, int arguments, int results, struct err *err)
{
	return call_within_limits(s, arguments, results, false, err);
}

void script_take_reports(struct script *s, script_reports *out)
{
	vec_append(out, s->reports.items, s->reports.count);
	s->reports.count = 0;
}
