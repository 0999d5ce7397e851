/* Chooses the best known name of an object: from symbols, from sites, or else its address. */
#include "report/name.h"

#include "base/mem.h"
#include "base/demangle.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/*
 * Demangles C++ names and removes the numbers that gcc adds: "head.3->v" becomes "head->v", and
 * "buffer.0", a static variable of a function, becomes "buffer".
 */
static const char *clean_name(struct describe *d, const char *name)
{
	char text[512], *cxx = demangle_name(name);
	size_t n = 0;

	if (cxx)
		name = cxx;
	for (const char *p = name; *p && n < sizeof text - 1; p++) {
		if (*p == '.' && isdigit((unsigned char)p[1]) && n)
			p += strspn(p + 1, "0123456789");
		else
			text[n++] = *p;
	}
	free(cxx);
	return describe_keep(d, text, n);
}

const char *name_expression(struct describe *d, const struct trace_event *event)
{
	const char *name = event ? trace_site_name(describe_trace(d), event->site) : NULL;

	return name && *name ? clean_name(d, name) : NULL;
}

const char *name_field(struct describe *d, const struct trace_event *event)
{
	const char *path = event ? trace_site_path(describe_trace(d), event->site) : NULL;

	return path && *path ? describe_keep(d, path, strlen(path)) : NULL;
}

/* Does the expression begin with the variable itself, as "table.refs" begins with "table"? */
static bool begins_with(const char *expression, const char *variable)
{
	size_t n = strlen(variable);

	return expression && !strncmp(expression, variable, n) &&
	       !isalnum((unsigned char)expression[n]) && expression[n] != '_' &&
	       expression[n] != '-' && expression[n] != '[';
}

/* Is the object an element of an array of numbers? The expression is then "table[]". */
static bool is_element(const char *expression, const char *variable, uint64_t offset,
		       const struct trace_event *event)
{
	size_t n = strlen(variable);

	return expression && !strncmp(expression, variable, n) && !strcmp(expression + n, "[]") &&
	       event->size && offset % event->size == 0;
}

/*
 * Returns the accessed field, ".refs", if the address has the same offset in the variable as the
 * field has in its struct: then the variable is that struct or begins with it. Otherwise returns
 * NULL.
 */
static const char *field_of(struct describe *d, uint64_t address, uint64_t offset,
			    const struct trace_event *event)
{
	const char *path = name_field(d, event);
	const char *dot = path ? strchr(path, '.') : NULL;

	return dot && event->address == address && event->site->field_offset == offset ? dot : NULL;
}

static const char *name_openmp(struct describe *d, uint64_t channel)
{
	static const char *const names[16] = {
		[EVENT_OPENMP_FORK] = "start of a region",
		[EVENT_OPENMP_JOIN] = "end of a region",
		[EVENT_OPENMP_BARRIER] = "barrier",
		[EVENT_OPENMP_BARRIER + 1] = "barrier",
		[EVENT_OPENMP_ORDERED] = "ordered",
		[EVENT_OPENMP_DOACROSS] = "ordered iterations",
		[EVENT_OPENMP_START] = "start of a task",
		[EVENT_OPENMP_CHILDREN] = "end of a task",
		[EVENT_OPENMP_GROUP] = "end of a taskgroup",
	};

	if (channel >= EVENT_OPENMP_DEPEND)
		return "dependence of tasks";
	const char *name = names[channel & 15];
	return name ? name : describe_format(d, "0x%" PRIx64, channel);
}

/*
 * Is the expression one of the C++ library, for which each mutex is *__mutex, or this->_M_mutex?
 * The last part of the expression shows that.
 */
static bool is_of_library(const char *expression)
{
	const char *last = expression;

	for (const char *p = expression; *p; p++)
		if (*p == '.' || *p == '>' || *p == '*')
			last = p + 1;
	return !strncmp(last, "__", 2) || !strncmp(last, "_M_", 3);
}

const char *name_object(struct describe *d, uint64_t address, const struct trace_event *event)
{
	const char *known = trace_symbols_object(describe_symbols(d), address);
	const char *expression = name_expression(d, event), *around, *field;
	uint64_t offset = 0;

	if (address >= EVENT_FD && address - EVENT_FD < 1u << 31)
		return describe_format(d, "descriptor %" PRIu64, address - EVENT_FD);
	if (address >= EVENT_OPENMP && !trace_is_text(describe_trace(d)))
		return name_openmp(d, address);
	if (trace_is_text(describe_trace(d)))
		return known ? known : describe_format(d, "0x%" PRIx64, address);
	around = trace_symbols_around(describe_symbols(d), address, &offset);
	if (around)
		around = clean_name(d, around);
	if (around && begins_with(expression, around))
		return expression;
	if (around && is_element(expression, around, offset, event))
		return describe_format(d, "%s[%" PRIu64 "]", around, offset / event->size);
	if (around && (field = field_of(d, address, offset, event)))
		return describe_format(d, "%s%s", around, field);
	if (known && !offset)
		return clean_name(d, known);
	if (around)
		return offset ? describe_format(d, "%s+%" PRIu64, around, offset) : around;
	if (event && event_group(event->kind) == EG_LOCK && event->address == address)
		return describe_lock(d, address,
				     expression && is_of_library(expression) ? NULL : expression);
	return expression ? expression : describe_format(d, "0x%" PRIx64, address);
}

const char *name_lock(struct describe *d, uint64_t address, struct event_id acquired)
{
	const struct described *one = describe_find(d, acquired);

	/* A wait acquires its mutex, but the event's address is that of the condition. */
	return name_object(d, address, one && one->event.address == address ? &one->event : NULL);
}

const char *name_subject(struct describe *d, const struct trace_event *event)
{
	switch (event->kind) {
	case EV_JOIN:
	case EV_JOIN_REQUEST:
	case EV_DETACH:
	case EV_CREATE: return describe_thread(d, (uint32_t)event->number);
	case EV_MISUSE:
		if (event->mode == EVENT_MISUSE_JOIN_TWICE ||
		    event->mode == EVENT_MISUSE_JOIN_DETACHED)
			return describe_thread(d, (uint32_t)event->number);
		break;
	case EV_BEGIN:
	case EV_END: return describe_thread(d, event->stream);
	}
	return name_object(d, event->address, event);
}

const char *name_site(struct describe *d, const struct describe_frame *frame)
{
	if (!frame || (!frame->file && !frame->function))
		return "?";
	if (!frame->file)
		return frame->function;
	if (!frame->function)
		return describe_format(d, "%s:%u", frame->file, frame->line);
	return describe_format(d, "%s:%u (%s)", frame->file, frame->line, frame->function);
}

const char *name_event_site(struct describe *d, const struct described *one)
{
	return name_site(d, one ? describe_innermost(one->stack.items, one->stack.count) : NULL);
}
