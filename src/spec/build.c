/* Builds the nodes of expressions, patterns and extended regular expressions. See build.h. */
#include "spec/build.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *build_alloc(struct build *build, size_t size)
{
	return arena_alloc(&build->made->arena, size);
}

char *build_text(struct build *build, const char *text, uint32_t length)
{
	return arena_text(&build->made->arena, text, length);
}

char *build_source(struct build *build, uint32_t from, uint32_t to)
{
	assert(from <= to && to <= build->length);
	return build_text(build, build->file->text + from, to - from);
}

void build_complain(struct build *build, struct spec_location place, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	spec_report(build->file, build->messages, SPEC_ERROR, place, "%s", text);
}

void build_discard(struct build *build)
{
	build->parts.count = build->arguments.count = build->productions.count = 0;
	build->path.count = 0;
	build->now.lives = (struct build_lifetimes){ 0 };
	build->now.reset = false;
	build->now.reset_if = NULL;
	intern_free(&build->threads);
	intern_free(&build->regions);
}

/*
 * May the parser build another node above a tree of this depth? If not, reports an error, but only
 * once per file.
 */
static bool check_depth(struct build *build, uint16_t depth, const struct span *span)
{
	if (depth < SPEC_DEPTH)
		return true;
	if (!build->is_deep)
		build_complain(build, span->place, "this is nested too deeply");
	build->is_deep = true;
	return false;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static uint16_t max_depth(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

static uint16_t expr_depth(const struct spec_expr *expr)
{
	return expr ? expr->depth : 0;
}

struct spec_expr *build_expr(struct build *build, enum spec_operator operator,
			     const struct span * span, struct spec_expr *left,
			     struct spec_expr *right, struct spec_expr *third)
{
	uint16_t below =
		max_depth(max_depth(expr_depth(left), expr_depth(right)), expr_depth(third));

	if (!check_depth(build, below, span))
		return left;
	struct spec_expr *expr = build_alloc(build, sizeof *expr);
	*expr = (struct spec_expr){ .operator=(uint8_t) operator,
				    .place = span->place,
				    .left = left,
				    .right = right,
				    .third = third,
				    .parameter = SPEC_NONE,
				    .local = SPEC_NONE,
				    .event = SPEC_NONE,
				    .external = SPEC_NONE,
				    .depth = (uint16_t)(below + 1) };
	return expr;
}

struct spec_expr *build_number(struct build *build, const struct span *span, int64_t number)
{
	struct spec_expr *expr = build_expr(build, SPEC_NUMBER, span, NULL, NULL, NULL);

	expr->number = number;
	return expr;
}

struct spec_expr *build_real(struct build *build, const struct span *span, double real)
{
	struct spec_expr *expr = build_expr(build, SPEC_REAL, span, NULL, NULL, NULL);

	expr->real = real;
	return expr;
}

struct spec_expr *build_string(struct build *build, const struct span *span, struct build_text text)
{
	struct spec_expr *expr = build_expr(build, SPEC_TEXT, span, NULL, NULL, NULL);

	expr->text = text.text;
	expr->text_length = text.length;
	return expr;
}

/* Is the name a constant, whatever the file declares? Sets `number` to its value. */
static bool is_constant(const char *name, int64_t *number)
{
	*number = !strcmp(name, "true");
	return *number || !strcmp(name, "false") || !strcmp(name, "NULL") ||
	       !strcmp(name, "nullptr");
}

struct spec_expr *build_name(struct build *build, const struct span *span, const char *name)
{
	int64_t number;

	if (is_constant(name, &number))
		return build_number(build, span, number);
	struct spec_expr *expr = build_expr(build, SPEC_NAME, span, NULL, NULL, NULL);
	expr->text = name;
	expr->text_length = (uint32_t)strlen(name);
	return expr;
}

struct spec_expr *build_member(struct build *build, const struct span *span, struct spec_expr *left,
			       const char *member, bool arrow)
{
	struct spec_expr *expr = build_expr(build, SPEC_MEMBER, span, left, NULL, NULL);

	if (expr != left) {
		expr->arrow = arrow;
		expr->text = member;
		expr->text_length = (uint32_t)strlen(member);
	}
	return expr;
}

/* Until names.c resolves them, start(p) and end(p) in formulas are calls, too. */
struct spec_expr *build_call(struct build *build, const struct span *span, const char *name,
			     struct build_expressions arguments)
{
	if (!check_depth(build, arguments.depth, span)) {
		arguments.first->next = NULL;
		return arguments.first;
	}
	struct spec_expr *expr = build_expr(build, SPEC_CALL, span, arguments.first, NULL, NULL);
	expr->depth = (uint16_t)(arguments.depth + 1);
	expr->text = name;
	expr->text_length = (uint32_t)strlen(name);
	return expr;
}

struct build_expressions build_add_expr(struct build_expressions list, struct spec_expr *expr)
{
	BUILD_APPEND(&list, expr);
	list.depth = max_depth(list.depth, expr->depth);
	return list;
}

/* ---- patterns -------------------------------------------------------------------------------- */

void build_attributes_add(struct build *build, struct build_attributes *all,
			  const struct build_attributes *one)
{
	if (one->thread && all->thread)
		build_complain(build, one->thread_span.place,
			       "an event has only one thread; '%s' is given already", all->thread);
	if ((one->begins && all->begins) || (one->ends && all->ends))
		build_complain(build, one->begins ? one->begins_span.place : one->ends_span.place,
			       "an event %s at most one region", one->begins ? "begins" : "ends");
	if (one->thread)
		all->thread = one->thread, all->thread_span = one->thread_span;
	if (one->begins)
		all->begins = one->begins, all->begins_span = one->begins_span;
	if (one->ends)
		all->ends = one->ends, all->ends_span = one->ends_span;
}

static uint32_t intern_name(struct intern *names, const char *name)
{
	return name ? intern_put(names, name, strlen(name), NULL) : SPEC_NONE;
}

struct spec_pattern *build_leaf(struct build *build, const struct span *span, const char *event,
				const struct build_attributes *attributes)
{
	static const struct build_attributes none;
	const struct build_attributes *has = attributes ? attributes : &none;
	struct spec_pattern *leaf = build_alloc(build, sizeof *leaf);

	if ((has->begins || has->ends) && !has->thread)
		build_complain(build, has->begins ? has->begins_span.place : has->ends_span.place,
			       "a region needs a thread: write %s(THREAD, %s%s)", event,
			       has->begins ? "<" : ">", has->begins ? has->begins : has->ends);
	*leaf = (struct spec_pattern){ .kind = SPEC_LEAF,
				       .place = span->place,
				       .name = event,
				       .event = SPEC_NONE,
				       .thread = intern_name(&build->threads, has->thread),
				       .begins = intern_name(&build->regions, has->begins),
				       .ends = intern_name(&build->regions, has->ends),
				       .depth = 1 };
	return leaf;
}

struct build_patterns build_add_pattern(struct build_patterns list, struct spec_pattern *pattern)
{
	BUILD_APPEND(&list, pattern);
	list.depth = max_depth(list.depth, pattern->depth);
	return list;
}

static struct spec_pattern *wrap_pattern(struct build *build, enum spec_pattern_kind kind,
					 const struct span *span, struct spec_pattern *parts,
					 uint16_t depth)
{
	struct spec_pattern *whole = build_alloc(build, sizeof *whole);
	*whole = (struct spec_pattern){ .kind = (uint8_t)kind,
					.place = span->place,
					.parts = parts,
					.event = SPEC_NONE,
					.thread = SPEC_NONE,
					.begins = SPEC_NONE,
					.ends = SPEC_NONE,
					.depth = (uint16_t)(depth + 1) };
	return whole;
}

struct spec_pattern *build_pattern(struct build *build, enum spec_pattern_kind kind,
				   const struct span *span, struct build_patterns parts)
{
	if (parts.first == parts.last || !check_depth(build, parts.depth, span)) {
		parts.first->next = NULL;
		return parts.first;
	}
	return wrap_pattern(build, kind, span, parts.first, parts.depth);
}

struct spec_pattern *build_repeat(struct build *build, enum spec_pattern_kind kind,
				  const struct span *span, struct spec_pattern *part)
{
	if (!check_depth(build, part->depth, span))
		return part;
	return wrap_pattern(build, kind, span, part, part->depth);
}

/* ---- extended regular expressions ------------------------------------------------------------ */

struct spec_ere *build_ere_leaf(struct build *build, enum spec_ere_kind kind,
				const struct span *span, const char *event)
{
	struct spec_ere *leaf = build_alloc(build, sizeof *leaf);

	*leaf = (struct spec_ere){ .kind = (uint8_t)kind,
				   .place = span->place,
				   .name = event,
				   .event = SPEC_NONE,
				   .depth = 1 };
	return leaf;
}

struct build_eres build_add_ere(struct build_eres list, struct spec_ere *ere)
{
	BUILD_APPEND(&list, ere);
	list.depth = max_depth(list.depth, ere->depth);
	return list;
}

static struct spec_ere *wrap_ere(struct build *build, enum spec_ere_kind kind,
				 const struct span *span, struct spec_ere *parts, uint16_t depth)
{
	struct spec_ere *whole = build_ere_leaf(build, kind, span, NULL);

	whole->parts = parts;
	whole->depth = (uint16_t)(depth + 1);
	return whole;
}

struct spec_ere *build_ere(struct build *build, enum spec_ere_kind kind, const struct span *span,
			   struct build_eres parts)
{
	if (parts.first == parts.last || !check_depth(build, parts.depth, span)) {
		parts.first->next = NULL;
		return parts.first;
	}
	return wrap_ere(build, kind, span, parts.first, parts.depth);
}

struct spec_ere *build_ere_repeat(struct build *build, enum spec_ere_kind kind,
				  const struct span *span, struct spec_ere *part)
{
	if (!check_depth(build, part->depth, span))
		return part;
	return wrap_ere(build, kind, span, part, part->depth);
}
