/*
 * Finds the callee and the caller of an event, for grammars. Both are names of functions as written
 * in the source.
 *
 * The caller of an access, a lock operation or a call is the function whose code contains the
 * event. trace_site_lines() finds it for access sites and points, even if the function was inlined.
 * If this function is in a system header, the nearest enclosing function outside of system headers
 * is used instead: a std::lock_guard takes its lock in a system header, and the caller is the
 * function that declares the guard.
 *
 * A BODY and its RETURN are recorded in the called function. Its caller comes from debugging
 * information if the body was inlined, and otherwise from the return address of its frame. The
 * result is the same at each level of optimisation. Functions that were not recorded are skipped as
 * well, because names inside libraries depend on how the libraries were built: if qsort calls a
 * function of the program, the caller of that function is the function that called qsort. A
 * thread's start function and main have no caller.
 *
 * Results are cached for each site and return address, so finding a name costs two or three lookups
 * per event.
 */
#include "property/reader.h"

#include "base/demangle.h"
#include "base/mem.h"
#include "trace/symbol.h"

#include <string.h>

#define FRAMES 8u

/*
 * The functions that contain one site or code address. Numbers are 1 + index in `names`; 0 if
 * unknown.
 */
struct functions_names {
	uint32_t innermost;
	uint32_t user;	       /* the innermost function that is not in a system header */
	const char *outermost; /* linker name of the function that the others were inlined into */
};

struct functions {
	const struct trace *trace;
	struct trace_symbols *symbols;
	struct intern names;
	VEC(struct functions_names) places;
	struct map sites, codes; /* by site and by return address: 1 + index in `places` */
	/* pc of a point: 1 + name of the function that its function was inlined into */
	struct map inlined;
	/*
	 * linker names of the functions with a RETURN so far; the next vector has an entry for each
	 */
	struct intern returning;
	VEC(bool) returns_first; /* its RETURN is recorded before its EXIT */
};

struct functions *functions_open(const struct trace *trace)
{
	struct functions *f = mem_zalloc(1, sizeof *f);

	f->trace = trace;
	f->symbols = trace_symbols_open(trace);
	return f;
}

void functions_close(struct functions *f)
{
	if (!f)
		return;
	trace_symbols_close(f->symbols);
	intern_free(&f->names);
	vec_free(&f->places);
	map_free(&f->sites);
	map_free(&f->codes);
	map_free(&f->inlined);
	intern_free(&f->returning);
	vec_free(&f->returns_first);
	free(f);
}

/* ---- names ----------------------------------------------------------------------------------- */

static struct spec_value text_value(const char *name, size_t length)
{
	return (struct spec_value){ .type = SPEC_VALUE_TEXT,
				    .text = name,
				    .length = (uint32_t)length };
}

static struct spec_value name_value(const struct functions *f, uint32_t name)
{
	if (!name)
		return (struct spec_value){ .type = SPEC_VALUE_UNKNOWN };
	return text_value(intern_text(&f->names, name - 1), f->names.items.items[name - 1].length);
}

/*
 * Returns the length of the name without the suffixes of copies that the compiler made: f.isra.0,
 * f.constprop.1.
 */
static size_t own_length(const char *name)
{
	return *name ? 1 + strcspn(name + 1, ".") : 0;
}

static bool same_function(const char *a, const char *b)
{
	return a && b && own_length(a) == own_length(b) && !memcmp(a, b, own_length(a));
}

/* Stores the source name that belongs to a linker name; returns 1 + its index. */
static uint32_t add_symbol_name(struct functions *f, const char *name)
{
	char *own, *plain;
	uint32_t number;

	if (!name || !*name)
		return 0;
	own = mem_copy_text(name, own_length(name));
	plain = demangle_name(own);
	number = intern_put(&f->names, plain ? plain : own, strlen(plain ? plain : own), NULL);
	free(plain);
	free(own);
	return number + 1;
}

/* Is the file a system header, or unknown (a library without debugging information)? */
static bool is_system(const char *file, size_t length)
{
	return !file || (length >= 5 && !memcmp(file, "/usr/", 5));
}

/*
 * ---- functions at a site or code address ------------------------------------------------------
 */

static struct functions_names find_site_names(struct functions *f, const struct wire_element *site)
{
	struct trace_source_line places[FRAMES];
	unsigned count = trace_site_lines(f->trace, site, places, FRAMES);
	struct functions_names names = { 0 };

	for (unsigned i = 0; i < count && !names.user; i++) {
		struct trace_span function = places[i].function, file = places[i].file;
		uint32_t name =
			1 + intern_put(&f->names, function.text, (size_t)function.length, NULL);

		if (!names.innermost)
			names.innermost = name;
		if (!is_system(file.text, (size_t)file.length))
			names.user = name;
	}
	return names;
}

static struct functions_names find_code_names(struct functions *f, uint64_t pc)
{
	struct trace_symbol symbols[FRAMES];
	unsigned count = trace_symbols_find(f->symbols, pc, symbols, FRAMES);
	struct functions_names names = { 0 };

	for (unsigned i = 0; i < count && !names.user; i++) {
		uint32_t name = add_symbol_name(f, symbols[i].function);

		if (!names.innermost)
			names.innermost = name;
		if (!is_system(symbols[i].file, symbols[i].file ? strlen(symbols[i].file) : 0))
			names.user = name;
	}
	names.outermost = count ? symbols[count - 1].function : NULL;
	return names;
}

static struct functions_names site_names(struct functions *f, const struct wire_element *site)
{
	bool fresh;
	uint64_t *number;

	if (!site)
		return (struct functions_names){ 0 };
	number = map_put(&f->sites, (uintptr_t)site, &fresh);
	if (fresh) {
		*vec_push(&f->places) = find_site_names(f, site);
		*number = f->places.count;
	}
	return f->places.items[*number - 1];
}

static struct functions_names code_names(struct functions *f, uint64_t pc)
{
	bool fresh;
	uint64_t *number;

	if (!pc)
		return (struct functions_names){ 0 };
	number = map_put(&f->codes, pc, &fresh);
	if (fresh) {
		*vec_push(&f->places) = find_code_names(f, pc);
		*number = f->places.count;
	}
	return f->places.items[*number - 1];
}

/*
 * ---- the function that contains an event ------------------------------------------------------
 */

static uint32_t find_containing_function(struct functions *f, const struct trace_cursor *cursor,
					 const struct trace_event *event)
{
	struct functions_names names =
		event->site ? site_names(f, event->site) : code_names(f, event->pc);
	uint32_t innermost = names.innermost;
	const struct trace_frame *frames;

	for (size_t i = trace_cursor_stack(cursor, &frames); i-- > 0 && !names.user;) {
		names = site_names(f, frames[i].site);
		if (!names.user && i > 0)
			names = code_names(f, frames[i].return_address);
	}
	return names.user ? names.user : innermost;
}

/*
 * ---- the caller of the function that contains an event ----------------------------------------
 */

/*
 * Searches the scopes of inlined functions at `pc` in the debugging information, the innermost
 * first. Returns the name of the function into which `function` was inlined, or 0.
 */
static uint32_t find_inlined_caller(struct functions *f, uint64_t pc, const char *function)
{
	struct trace_symbol symbols[FRAMES];
	unsigned count = trace_symbols_find(f->symbols, pc, symbols, FRAMES);

	for (unsigned i = 0; i + 1 < count; i++) {
		if (same_function(symbols[i].function, function))
			return add_symbol_name(f, symbols[i + 1].function);
	}
	return 0;
}

static uint32_t inlined_caller(struct functions *f, uint64_t pc, const char *function)
{
	bool fresh;
	uint64_t *name = map_put(&f->inlined, pc, &fresh);

	if (fresh)
		*name = find_inlined_caller(f, pc, function);
	return (uint32_t)*name;
}

/*
 * Returns the frame that the function left just before its RETURN, or NULL if the frame is still on
 * the stack. Without optimisation a function's EXIT is recorded before its RETURN, so at the RETURN
 * the frame is gone. With optimisation an EXIT just before the RETURN belongs to a call inside the
 * function. If the function calls itself, the two cases look alike. They differ at the innermost
 * RETURN, which is recorded first: with optimisation it has no EXIT just before it.
 */
static const struct trace_frame *find_left_frame(const struct match *m,
						 const struct trace_cursor *cursor)
{
	struct functions *f = m->reader->functions_known;
	const struct trace_event *event = m->happening->event;
	const struct trace_point *point = m->happening->point;
	const struct trace_frame *left = trace_cursor_last_exit(cursor);
	uint32_t stream = trace_find_stream(m->reader->trace, event->stream);
	bool fresh;
	uint32_t number;

	if (point->kind != POINT_RETURN)
		return NULL;
	number = intern_put(&f->returning, point->function, strlen(point->function), &fresh);
	if (fresh)
		*vec_push(&f->returns_first) = false;
	if (!left || m->reader->streams[stream].next_of_exit != event->index ||
	    !same_function(left->function, point->function))
		f->returns_first.items[number] = true;
	return f->returns_first.items[number] ? NULL : left;
}

static uint32_t find_caller(const struct match *m, const struct trace_cursor *cursor)
{
	struct functions *f = m->reader->functions_known;
	const char *function = m->happening->point->function;
	const struct trace_frame *frames, *own = find_left_frame(m, cursor);
	/* number of frames below the function's own frame */
	size_t below = trace_cursor_stack(cursor, &frames);
	uint32_t name = inlined_caller(f, m->happening->event->pc, function);
	struct functions_names names;

	if (name)
		return name;
	if (!own && below)
		own = &frames[--below];
	if (!own)
		return 0;
	/* the function was inlined, and debugging information does not say into which one */
	if (!same_function(own->function, function))
		return site_names(f, own->site).innermost;
	if (!below)
		return 0;
	names = code_names(f, own->return_address);
	return same_function(names.outermost, frames[below - 1].function)
		       ? names.innermost
		       : site_names(f, frames[below - 1].site).innermost;
}

/* ---- text traces ----------------------------------------------------------------------------- */

/* The function name of an open call: f of "f(a, b)". */
static struct spec_value called_function(const struct trace *trace, const struct trace_frame *frame)
{
	const char *call = trace_call_text(trace, frame->pc);

	return call ? text_value(call, strcspn(call, "(= "))
		    : (struct spec_value){ .type = SPEC_VALUE_UNKNOWN };
}

static bool is_point_function(struct spec_value name, const struct trace_point *point)
{
	return name.type == SPEC_VALUE_TEXT && strlen(point->function) == name.length &&
	       !memcmp(point->function, name.text, name.length);
}

/*
 * Returns the caller of an event of a text trace. A `call` opens its frame before the event is
 * matched, so the caller of a `call` is one frame further down.
 */
static struct spec_value text_caller(const struct match *m, const struct trace_cursor *cursor)
{
	const struct trace_point *point = m->happening->point;
	const struct trace_event *event = m->happening->event;
	const struct trace *trace = m->reader->trace;
	const struct trace_frame *frames;
	size_t depth = trace_cursor_stack(cursor, &frames);
	bool in_body = event->kind == EV_ENTER || (point && event->kind == EV_POINT &&
						   (point->kind == POINT_BODY || point->is_body));

	if (in_body && depth &&
	    is_point_function(called_function(trace, &frames[depth - 1]), point))
		depth--;
	return depth ? called_function(trace, &frames[depth - 1])
		     : (struct spec_value){ .type = SPEC_VALUE_UNKNOWN };
}

/*
 * ---- both kinds of traces ---------------------------------------------------------------------
 */

/*
 * Returns the callee of a lock operation: the end of the pthread function's name, for example
 * "trylock". Other libraries' functions for the same operation get the same name.
 */
static const char *lock_name(const struct trace_event *event)
{
	static const char *const plain[] = { "lock", "trylock", "timedlock" };
	static const char *const shared[] = { "rdlock", "tryrdlock", "timedrdlock" };
	uint64_t how = event->mode <= EVENT_TIMED ? event->mode : EVENT_PLAIN;

	switch (event->kind) {
	case EV_REQUEST: return "lock";
	case EV_READ_REQUEST: return "rdlock";
	case EV_ACQUIRE: return plain[how];
	case EV_READ_ACQUIRE: return shared[how];
	case EV_RELEASE:
	case EV_READ_RELEASE: return "unlock";
	case EV_WAIT:
	case EV_WOKEN: return "wait";
	}
	return NULL;
}

struct spec_value functions_callee(const struct match *m)
{
	const struct trace_point *point = m->happening->point;
	const char *name = point ? point->plain ? point->plain : point->function
				 : lock_name(m->happening->event);

	return name ? text_value(name, strlen(name))
		    : (struct spec_value){ .type = SPEC_VALUE_UNKNOWN };
}

struct spec_value functions_caller(const struct match *m)
{
	struct functions *f = m->reader->functions_known;
	const struct trace_cursor *cursor = trace_order_cursor(m->reader->order);
	const struct trace_point *point = m->happening->point;

	if (m->reader->text)
		return text_caller(m, cursor);
	if (point && (point->kind == POINT_BODY || point->is_body))
		return name_value(f, find_caller(m, cursor));
	return name_value(f, find_containing_function(f, cursor, m->happening->event));
}
