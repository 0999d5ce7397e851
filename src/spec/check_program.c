/*
 * Checks the names that refer to the program: its functions, probes, variables and struct members.
 * Also checks that the files of `monitor` formulas exist.
 */
#include "spec/message.h"
#include "spec/spelling.h"
#include "base/intern.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct check_program_checker {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_event *event; /* NULL while a formula is checked */
	const struct spec_names *names; /* NULL: nothing is known about the program */
	struct spec_messages *messages;
	struct intern said; /* names of this property that have been reported */
};

#define COMPLAIN(c, place, ...)                                                                    \
	spec_report((c)->file, (c)->messages, (c)->names ? SPEC_ERROR : SPEC_NOTE, (place),        \
		    __VA_ARGS__)

static struct spelling_hint hint_from_program(const struct check_program_checker *c,
					      enum spec_point_kind kind, const char *name)
{
	const struct spec_names *n = c->names;

	/* function names are no useful hints for a probe */
	if (!n || !n->nearest || kind == SPEC_POINT_PROBE)
		return spelling_hint(NULL);
	return spelling_hint(n->nearest(n->context, kind, name));
}

static bool mark_reported(struct check_program_checker *c, const char *name)
{
	bool fresh;

	intern_put(&c->said, name, strlen(name), &fresh);
	return !fresh;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Returns a hint with the most similar name that the file itself declares. */
static struct spelling_hint hint_from_file(const struct check_program_checker *c, const char *name)
{
	struct spelling near;

	spelling_start(&near, name);
	if (message_is_full(c->messages, c->names ? SPEC_ERROR : SPEC_NOTE))
		return spelling_hint(NULL);
	for (uint32_t i = 0; i < c->property->parameter_count; i++)
		spelling_try(&near, c->property->parameters[i].name);
	for (uint32_t i = 0; c->event && i < c->event->local_count; i++)
		spelling_try(&near, c->event->locals[i]);
	for (uint32_t i = 0; !c->event && i < c->property->event_count; i++)
		spelling_try(&near, c->property->events[i].name);
	for (uint32_t i = 0; i < c->file->extern_count; i++)
		spelling_try(&near, c->file->externs[i].name);
	return spelling_hint(near.best);
}

static void check_global(struct check_program_checker *c, struct spec_location place,
			 const char *name, bool declared)
{
	const struct spec_names *n = c->names;
	uint8_t type;

	if (n ? !n->global || n->global(n->context, name, &type) : declared)
		return;
	if (mark_reported(c, name))
		return;
	struct spelling_hint hint = hint_from_file(c, name);
	if (n && !hint.text[0])
		hint = hint_from_program(c, SPEC_POINT_READ, name);
	if (n)
		COMPLAIN(c, place, "the program has no variable '%s'%s", name, hint.text);
	else
		COMPLAIN(c, place, "'%s' is assumed to be a variable of the program%s", name,
			 hint.text);
}

static void check_expr(struct check_program_checker *c, const struct spec_expr *e)
{
	for (; e; e = e->next) {
		if (e->operator== SPEC_NAME && e->parameter == SPEC_NONE && e->local == SPEC_NONE)
			check_global(c, e->place, e->text, e->external != SPEC_NONE);
		check_expr(c, e->left);
		check_expr(c, e->right);
		check_expr(c, e->third);
	}
}

/* ---- points ---------------------------------------------------------------------------------- */

static void check_field(struct check_program_checker *c, const struct spec_target *t)
{
	const struct spec_names *n = c->names;
	const char *type = c->property->parameters[t->parameter].pointee;

	if (!n || !n->field || !type || n->field(n->context, type, t->path))
		return;
	const char *near = n->nearest_field ? n->nearest_field(n->context, type, t->path) : NULL;
	if (!strcmp(t->path, "*"))
		COMPLAIN(c, t->place, "the program has no struct '%s'", type);
	else
		COMPLAIN(c, t->place, "the program has no '%s' with a member '%s'%s", type, t->path,
			 spelling_hint(near).text);
}

static void check_target(struct check_program_checker *c, const struct spec_target *t)
{
	char name[512];

	if (!t)
		return;
	if (t->kind == SPEC_FIELD)
		check_field(c, t);
	if (t->kind != SPEC_GLOBAL || !c->names)
		return;
	snprintf(name, sizeof name, "%s%s%s", t->name, t->path && t->path[0] != '[' ? "." : "",
		 t->path ? t->path : "");
	check_global(c, t->place, name, false);
}

static bool is_function_point(const struct spec_point *p)
{
	return p->kind == SPEC_POINT_CALL || p->kind == SPEC_POINT_EXEC ||
	       p->kind == SPEC_POINT_RETURN || p->kind == SPEC_POINT_PROBE;
}

static bool program_has_point(const struct check_program_checker *c, const struct spec_point *p,
			      int *parameters)
{
	const struct spec_names *n = c->names;

	*parameters = -1;
	if (p->kind == SPEC_POINT_PROBE)
		return !n->probe || n->probe(n->context, p->function);
	return !n->function || n->function(n->context, p->library, p->function, parameters);
}

static void check_arguments(struct check_program_checker *c, const struct spec_point *p,
			    int parameters)
{
	if (parameters < 0)
		return;
	if (p->argument_count > (uint32_t)parameters)
		COMPLAIN(c, p->place, "'%s' has %d parameter%s, not %u", p->function, parameters,
			 parameters == 1 ? "" : "s", p->argument_count);
	else if (p->argument_count < (uint32_t)parameters && !p->rest)
		COMPLAIN(c, p->place, "'%s' has %d parameter%s, not %u; use ... for the rest",
			 p->function, parameters, parameters == 1 ? "" : "s", p->argument_count);
}

/*
 * Reports functions that the program does not have. The points of an event are alternatives. So a
 * missing function is an error only if the program has none of the event's functions; otherwise it
 * is a note.
 */
static void check_functions(struct check_program_checker *c, const struct spec_event *e)
{
	bool any = false;
	int parameters;

	for (const struct spec_point *p = e->points; p; p = p->next)
		any |= !is_function_point(p) || program_has_point(c, p, &parameters);
	for (const struct spec_point *p = e->points; p; p = p->next) {
		if (!is_function_point(p))
			continue;
		if (program_has_point(c, p, &parameters)) {
			check_arguments(c, p, parameters);
			continue;
		}
		spec_report(c->file, c->messages, any ? SPEC_NOTE : SPEC_ERROR, p->place,
			    "the program has no %s '%s'%s%s%s",
			    p->kind == SPEC_POINT_PROBE ? "probe" : "function", p->function,
			    p->library ? " of " : "", p->library ? p->library : "",
			    hint_from_program(c, p->kind, p->function).text);
	}
}

static void check_event(struct check_program_checker *c, const struct spec_event *e)
{
	c->event = e;
	if (c->names)
		check_functions(c, e);
	for (const struct spec_point *p = e->points; p; p = p->next) {
		check_target(c, p->target);
		check_target(c, p->holding);
		check_expr(c, p->filter);
		check_expr(c, p->becomes);
	}
	c->event = NULL;
}

/* ---- monitors -------------------------------------------------------------------------------- */

/*
 * Checks that the file of a `monitor` formula exists. A relative path starts at the directory of
 * the property file.
 */
static void check_monitor(struct check_program_checker *c, const struct spec_formula *f)
{
	const char *slash = strrchr(c->file->path, '/');
	int length = f->text[0] != '/' && slash ? (int)(slash - c->file->path) + 1 : 0;
	char *path = mem_format("%.*s%s", length, c->file->path, f->text);

	if (access(path, R_OK))
		COMPLAIN(c, f->place, "there is no file '%s'", path);
	free(path);
}

void spec_check(const struct spec_file *file, const struct spec_names *names,
		struct spec_messages *messages)
{
	struct check_program_checker c = { .file = file, .names = names, .messages = messages };
	size_t first = messages->list.count;

	for (c.property = file->properties; c.property; c.property = c.property->next) {
		for (uint32_t i = 0; i < c.property->event_count; i++)
			check_event(&c, &c.property->events[i]);
		for (const struct spec_formula *f = c.property->formulas; f; f = f->next) {
			check_expr(&c, f->expr);
			if (f->formalism == SPEC_MONITOR)
				check_monitor(&c, f);
		}
		intern_free(&c.said);
	}
	message_sort(messages, first);
}
