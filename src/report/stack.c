/* Builds a stack from the innermost frame to the outermost. */
#include "report/stack.h"

#include "base/mem.h"
#include "base/demangle.h"

#include <string.h>
#include <unistd.h>

struct stack_maker {
	struct describe *describe;
	const struct trace *trace;
	struct trace_symbols *symbols;
	const char *text;
	char here[4096]; /* the current directory, with a slash at its end; "": not known */
};

struct stack_maker *stack_open(struct describe *describe, const char *text)
{
	struct stack_maker *m = mem_zalloc(1, sizeof *m);

	m->describe = describe;
	m->trace = describe_trace(describe);
	m->symbols = describe_symbols(describe);
	m->text = text;
	if (getcwd(m->here, sizeof m->here - 1) && m->here[0] == '/')
		strcat(m->here, "/");
	else
		m->here[0] = 0;
	return m;
}

void stack_close(struct stack_maker *m)
{
	free(m);
}

static const char *keep_text(struct stack_maker *m, const char *text)
{
	return text ? describe_keep(m->describe, text, strlen(text)) : NULL;
}

static const char *keep_function(struct stack_maker *m, const char *name)
{
	char *plain = name ? demangle_name(name) : NULL;
	const char *kept = keep_text(m, plain ? plain : name);

	free(plain);
	return kept;
}

static const char *keep_span(struct stack_maker *m, struct trace_span span)
{
	return span.length ? describe_keep(m->describe, span.text, (size_t)span.length) : NULL;
}

/* ---- text traces ----------------------------------------------------------------------------- */

/* Reads a site "a.c:12" of a text trace. */
static void read_site(struct stack_maker *m, uint64_t place, struct describe_frame *frame)
{
	const char *text = trace_place_text(m->trace, place);
	const char *colon = text ? strrchr(text, ':') : NULL;

	if (!colon || colon == text || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return;
	frame->file = describe_keep(m->describe, text, (size_t)(colon - text));
	frame->line = (unsigned)strtoul(colon + 1, NULL, 10);
}

/* Returns the function of a call: "f" for "f(a, b)". */
static const char *called_function(struct stack_maker *m, uint64_t place)
{
	const char *call = trace_call_text(m->trace, place);

	return call ? describe_keep(m->describe, call, strcspn(call, "(= ")) : NULL;
}

static size_t text_stack(struct stack_maker *m, const struct trace_frame *calls, size_t depth,
			 const struct trace_event *ev, struct describe_frame *frames)
{
	size_t count = 1;

	frames[0] = (struct describe_frame){ 0 };
	if (m->text) {
		frames[0].file = keep_text(m, m->text);
		frames[0].line = (unsigned)ev->time;
	} else {
		read_site(m, ev->pc, &frames[0]);
	}
	for (size_t i = depth; i-- > 0 && count < STACK_FRAMES; count++) {
		frames[count - 1].function = called_function(m, calls[i].pc);
		frames[count] = (struct describe_frame){ 0 };
		if (!m->text)
			read_site(m, calls[i].pc, &frames[count]);
	}
	/* The site of the outermost call's caller is usually not known. */
	return count > 1 && !frames[count - 1].file ? count - 1 : count;
}

/* ---- recordings ------------------------------------------------------------------------------ */

static bool ends_with(const char *path, const char *tail)
{
	size_t a = strlen(path), b = strlen(tail);

	return a > b && path[a - b - 1] == '/' && !strcmp(path + a - b, tail);
}

/*
 * Returns the name under which a report shows a file. Debugging information has absolute names,
 * sites have names as given to the compiler. If `file` ends with `like`, returns `like`, so that a
 * file has only one name; otherwise removes the current directory.
 */
static const char *file_name(struct stack_maker *m, const char *file, const char *like)
{
	size_t here = strlen(m->here);

	if (!file)
		return NULL;
	if (like && ends_with(file, like))
		return like;
	if (here && !strncmp(file, m->here, here))
		file += here;
	return keep_text(m, file);
}

static size_t site_frames(struct stack_maker *m, const struct wire_element *site,
			  struct describe_frame *frames, size_t room)
{
	struct trace_source_line places[STACK_FRAMES];
	unsigned count = trace_site_lines(m->trace, site, places, (unsigned)room);

	for (unsigned i = 0; i < count; i++) {
		frames[i] = (struct describe_frame){ keep_span(m, places[i].function),
						     keep_span(m, places[i].file), places[i].line };
		frames[i].file = file_name(m, frames[i].file, NULL);
	}
	return count;
}

static size_t code_frames(struct stack_maker *m, uint64_t pc, const char *like,
			  struct describe_frame *frames, size_t room)
{
	struct trace_symbol symbols[STACK_FRAMES];
	unsigned count = trace_symbols_find(m->symbols, pc, symbols, (unsigned)room);

	for (unsigned i = 0; i < count; i++)
		frames[i] = (struct describe_frame){ keep_function(m, symbols[i].function),
						     file_name(m, symbols[i].file, like),
						     symbols[i].line };
	return count;
}

/*
 * Are these names of the same function? The compiler appends to the names of a function's copies:
 * f.isra.0, f.constprop.1.
 */
static bool same_function(const char *a, const char *b)
{
	size_t n = a && b ? strcspn(a, ".") : 0;

	return n && n == strcspn(b, ".") && !memcmp(a, b, n);
}

/*
 * Finds the frames of a caller from its return address. The return address may be in code that was
 * not recorded (qsort that calls back). Then the recorded function that called that code, `below`,
 * gets a frame of its own, with its first line.
 */
static size_t caller_frames(struct stack_maker *m, uint64_t pc, const struct trace_frame *below,
			    struct describe_frame *frames, size_t room)
{
	struct trace_source_line place;
	const char *like = NULL, *function;
	size_t count;

	if (below && trace_site_lines(m->trace, below->site, &place, 1))
		like = file_name(m, keep_span(m, place.file), NULL);
	count = code_frames(m, pc, like, frames, room);
	function = below ? keep_function(m, below->function) : NULL;
	if (below && count < room &&
	    (!count || !same_function(frames[count - 1].function, function)))
		frames[count++] = (struct describe_frame){ function, like, like ? place.line : 0 };
	return count;
}

size_t stack_make(struct stack_maker *m, const struct trace_cursor *cursor,
		  const struct trace_event *ev, struct describe_frame frames[STACK_FRAMES])
{
	const struct trace_frame *calls = NULL;
	size_t depth = cursor ? trace_cursor_stack(cursor, &calls) : 0, count;

	if (trace_is_text(m->trace))
		return text_stack(m, calls, depth, ev, frames);
	count = site_frames(m, ev->site, frames, STACK_FRAMES);
	if (!count &&
	    ev->kind == EV_BEGIN) /* `pc` is the thread's function, not a return address */
		return code_frames(m, ev->pc + 1, NULL, frames, STACK_FRAMES);
	if (!count)
		count = caller_frames(m, ev->pc, depth ? &calls[depth - 1] : NULL, frames,
				      STACK_FRAMES);
	/* Leaves out the caller of the outermost function, which is the runtime or libc. */
	for (size_t i = depth; i-- > 1 && count < STACK_FRAMES;)
		count += caller_frames(m, calls[i].return_address, &calls[i - 1], frames + count,
				       STACK_FRAMES - count);
	return count;
}
