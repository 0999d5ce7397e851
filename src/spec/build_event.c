/*
 * Builds events: their points, the clauses that follow a point (holding, if, new, end, reset), and
 * the targets of reads, writes and lock operations. See build.h.
 */
#include "spec/build.h"

#include <ctype.h>
#include <string.h>

/* ---- points ---------------------------------------------------------------------------------- */

static struct spec_argument make_argument(struct spec_expr *value)
{
	struct spec_argument made = { .place = value->place,
				      .parameter = SPEC_NONE,
				      .local = SPEC_NONE };
	struct spec_expr *left = value->left;

	if (value->operator== SPEC_NAME && !strcmp(value->text, "_")) {
		made.slot = SPEC_ANY;
	} else if (value->operator== SPEC_NAME) {
		made.slot = SPEC_BINDS;
		made.name = value->text;
	} else if (value->operator== SPEC_DEREF && left->operator== SPEC_NAME &&
		   strcmp(left->text, "_") != 0) {
		made.slot = SPEC_BINDS_POINTED;
		made.name = left->text;
	} else {
		made.slot = SPEC_EQUALS;
		made.value = value;
	}
	return made;
}

void build_add_argument(struct build *build, struct spec_expr *value)
{
	*vec_push(&build->arguments) = make_argument(value);
}

struct spec_argument *build_result(struct build *build, struct spec_expr *value)
{
	struct spec_argument made = make_argument(value);

	return arena_copy(&build->made->arena, &made, sizeof made);
}

static struct spec_point *new_point(struct build *build, enum spec_point_kind kind,
				    const struct span *span)
{
	struct spec_point *made = build_alloc(build, sizeof *made);

	made->kind = (uint8_t)kind;
	made->place = span->place;
	return made;
}

struct spec_point *build_function(struct build *build, enum spec_point_kind kind,
				  const struct span *span, const char *library,
				  const char *function, bool rest)
{
	struct spec_point *made = new_point(build, kind, span);
	size_t size = build->arguments.count * sizeof(struct spec_argument);

	made->library = library;
	made->function = function;
	made->arguments = arena_copy(&build->made->arena, build->arguments.items, size);
	made->argument_count = (uint32_t)build->arguments.count;
	made->rest = rest;
	build->arguments.count = 0;
	return made;
}

struct spec_point *build_access(struct build *build, enum spec_point_kind kind,
				const struct span *span, struct spec_target *target)
{
	struct spec_point *made = new_point(build, kind, span);

	made->target = target;
	return made;
}

void build_step(struct build *build, const char *sign, const char *member)
{
	bool first = !build->path.count;

	if (first)
		build->path_arrow = !strcmp(sign, "->");
	for (const char *c = first ? "" : sign; *c; c++)
		*vec_push(&build->path) = *c;
	for (; *member; member++)
		if (!isspace((unsigned char)*member))
			*vec_push(&build->path) = *member;
}

struct spec_target *build_target(struct build *build, enum spec_target_kind kind,
				 const struct span *span, const char *name)
{
	struct spec_target *target = build_alloc(build, sizeof *target);

	*target = (struct spec_target){ .kind = (uint8_t)kind,
					.place = span->place,
					.name = name,
					.parameter = SPEC_NONE,
					.local = SPEC_NONE };
	if (build->path.count) {
		target->path = build_text(build, build->path.items, (uint32_t)build->path.count);
		target->arrow = build->path_arrow;
	}
	build->path.count = 0;
	return target;
}

/*
 * ---- clauses after a point --------------------------------------------------------------------
 */

struct build_lifetimes build_lifetime(struct build *build, const struct span *span,
				      const char *name, bool ends)
{
	struct spec_lifetime *life = build_alloc(build, sizeof *life);

	*life = (struct spec_lifetime){
		.parameter = SPEC_NONE, .ends = ends, .place = span->place, .name = name
	};
	return (struct build_lifetimes){ life, life };
}

static void add_lives(struct build_lifetimes *list, struct build_lifetimes more)
{
	if (!more.first)
		return;
	if (list->last)
		list->last->next = more.first;
	else
		list->first = more.first;
	list->last = more.last;
}

void build_tail_add(struct build *build, struct build_tail *tail, struct build_tail one,
		    const struct span *span)
{
	if (one.holding && tail->holding)
		build_complain(build, span->place, "a point can have only one 'holding'");
	if (one.filter && tail->filter)
		build_complain(build, span->place,
			       "a point can have only one filter; join the conditions with &&");
	if (one.reset && tail->reset)
		build_complain(build, span->place, "a point can have only one 'reset'");
	if (one.holding) {
		tail->holding = one.holding;
		tail->own = one.own;
	}
	if (one.filter)
		tail->filter = one.filter;
	if (one.reset) {
		tail->reset = true;
		tail->reset_if = one.reset_if;
		tail->reset_span = one.reset_span;
		tail->condition_span = one.condition_span;
	}
	add_lives(&tail->lives, one.lives);
}

/* Returns the source text with each run of white space replaced by one blank. */
static const char *copy_source_as_one_line(struct build *build, const struct span *span)
{
	char *text = build_source(build, span->from, span->to), *out = text;

	for (const char *in = text; *in; in++)
		if (!isspace((unsigned char)*in))
			*out++ = *in;
		else if (out > text && out[-1] != ' ')
			*out++ = ' ';
	*out = 0;
	return text;
}

struct spec_point *build_tailed(struct build *build, struct spec_point *made,
				const struct build_tail *tail, const struct span *span)
{
	struct build_property *now = &build->now;
	struct span text = *span;

	if (tail->holding && tail->own.to > text.to)
		text.to = tail->own.to;
	made->text = copy_source_as_one_line(build, &text);
	made->holding = tail->holding;
	made->filter = tail->filter;
	add_lives(&now->lives, tail->lives);
	if (tail->reset && now->reset)
		build_complain(build, tail->reset_span.place, "an event can have only one 'reset'");
	if (tail->reset) {
		now->reset = true;
		now->reset_if = tail->reset_if;
		now->reset_place = build_inside(&tail->condition_span);
	}
	return made;
}

struct build_points build_add_point(struct build_points list, struct spec_point *more)
{
	BUILD_APPEND(&list, more);
	return list;
}

void build_event(struct build *build, const struct span *span, const char *name,
		 struct spec_point *points)
{
	struct build_property *now = &build->now;

	*vec_push(&now->events) = (struct spec_event){ .name = name,
						       .place = span->place,
						       .points = points,
						       .lives = now->lives.first,
						       .reset = now->reset,
						       .reset_if = now->reset_if,
						       .reset_place = now->reset_place };
	build_discard(build);
}
