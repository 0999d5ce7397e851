/* Making the tree while the parser reads. All of it goes to the file's arena. */
#ifndef SPEC_BUILD_H
#define SPEC_BUILD_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"
#include "spec/context.h"
#include "spec/spec.h"

/* A file and what it lives in; spec_free frees both. */
struct build_file {
	struct spec_file file;
	struct arena arena;
};

struct build_part { /* of a declaration: a word of its type, its name, or a star */
	const char *text;
	struct span span;
};
struct build_lives {
	struct spec_life *first, *last;
};

/* What belongs to the property that is being read. */
struct build_property {
	struct spec_property *property;
	VEC(struct spec_parameter) parameters;
	VEC(struct spec_event) events;
	struct spec_formula **next_formula;
	bool broken; /* its parameters could not be read: names in it mean nothing */
	/* of the event that is being read: its lives and reset, from the tails of its points */
	struct build_lives lives;
	bool reset;
	const char *reset_if;
	struct spec_place reset_place;
};

struct build {
	struct build_file *made;
	struct spec_file *file; /* of `made` */
	uint32_t length;	/* of the text */
	struct spec_messages *messages;
	struct context context;
	struct build_property now;
	VEC(struct build_part) parts; /* of the declaration that is being read */
	VEC(struct spec_parameter) externs;
	VEC(struct spec_argument) arguments;	 /* of a point */
	VEC(struct spec_production) productions; /* of a grammar */
	VEC(char) path;				 /* of a target */
	bool path_arrow;
	struct intern threads, regions; /* of a pattern */
	struct spec_property **next_property;
	struct spec_use **next_use;
	bool is_deep; /* something was nested too deeply: said once */
};

/* ---- memory and complaints ------------------------------------------------------------------ */

void *build_alloc(struct build *build, size_t size);
char *build_text(struct build *build, const char *text, uint32_t length);
char *build_source(struct build *build, uint32_t from, uint32_t to); /* a piece of the file */
void build_complain(struct build *build, struct spec_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* After a mistake: what had been read of the statement. */
void build_forget(struct build *build);

/* ---- expressions ---------------------------------------------------------------------------- */

struct build_text {
	const char *text;
	uint32_t length;
};
struct build_expressions {
	struct spec_expr *first, *last;
	uint16_t depth;
};

struct spec_expr *build_expr(struct build *build, enum spec_operator operator,
			     const struct span * span, struct spec_expr *left,
			     struct spec_expr *right, struct spec_expr *third);
struct spec_expr *build_number(struct build *build, const struct span *span, int64_t number);
struct spec_expr *build_real(struct build *build, const struct span *span, double real);
struct spec_expr *build_string(struct build *build, const struct span *span,
			       struct build_text text);
struct spec_expr *build_name(struct build *build, const struct span *span, const char *name);
struct spec_expr *build_member(struct build *build, const struct span *span, struct spec_expr *left,
			       const char *member, bool arrow);
struct spec_expr *build_call(struct build *build, const struct span *span, const char *name,
			     struct build_expressions arguments);
struct build_expressions build_add_expr(struct build_expressions list, struct spec_expr *expr);

/* ---- patterns and extended regular expressions ----------------------------------------------- */

struct build_patterns {
	struct spec_pattern *first, *last;
	uint16_t depth;
};
struct build_eres {
	struct spec_ere *first, *last;
	uint16_t depth;
};
/* What stands in parentheses behind an event of a pattern. */
struct build_attributes {
	const char *thread, *begins, *ends;
	struct span thread_span, begins_span, ends_span;
};

void build_attributes_add(struct build *build, struct build_attributes *all,
			  const struct build_attributes *one);
struct spec_pattern *build_leaf(struct build *build, const struct span *span, const char *event,
				const struct build_attributes *attributes);
struct build_patterns build_add_pattern(struct build_patterns list, struct spec_pattern *pattern);
/* The list as one pattern; a list of one is its member. */
struct spec_pattern *build_pattern(struct build *build, enum spec_pattern_kind kind,
				   const struct span *span, struct build_patterns parts);
struct spec_pattern *build_repeat(struct build *build, enum spec_pattern_kind kind,
				  const struct span *span, struct spec_pattern *part);

struct spec_ere *build_ere_leaf(struct build *build, enum spec_ere_kind kind,
				const struct span *span, const char *event);
struct build_eres build_add_ere(struct build_eres list, struct spec_ere *ere);
struct spec_ere *build_ere(struct build *build, enum spec_ere_kind kind, const struct span *span,
			   struct build_eres parts);
struct spec_ere *build_ere_repeat(struct build *build, enum spec_ere_kind kind,
				  const struct span *span, struct spec_ere *part);

/* ---- events ---------------------------------------------------------------------------------- */

struct build_points {
	struct spec_point *first, *last;
};
/* What stands behind a point, in any order. */
struct build_tail {
	struct spec_target *holding;
	struct spec_expr *filter;
	struct build_lives lives;
	bool reset;
	const char *reset_if;
	struct span reset_span, condition_span;
	struct span own; /* what belongs to the point's own text */
};

struct spec_point *build_function(struct build *build, enum spec_point_kind kind,
				  const struct span *span, const char *library,
				  const char *function, bool rest);
struct spec_point *build_access(struct build *build, enum spec_point_kind kind,
				const struct span *span, struct spec_target *target);
/* One more step of a path: "->" or "." and a member, or an index. */
void build_step(struct build *build, const char *sign, const char *member);
struct spec_target *build_target(struct build *build, enum spec_target_kind kind,
				 const struct span *span, const char *name);
void build_add_argument(struct build *build, struct spec_expr *value);
struct spec_argument *build_result(struct build *build, struct spec_expr *value);
struct build_lives build_life(struct build *build, const struct span *span, const char *name,
			      bool ends);
void build_tail_add(struct build *build, struct build_tail *tail, struct build_tail one,
		    const struct span *span);
/*
 * The point, which stands at `span`, with what stands behind it; what belongs to its event waits for
 * build_event.
 */
struct spec_point *build_tailed(struct build *build, struct spec_point *point,
				const struct build_tail *tail, const struct span *span);
struct build_points build_add_point(struct build_points list, struct spec_point *point);
void build_event(struct build *build, const struct span *span, const char *name,
		 struct spec_point *points);

/* ---- grammars -------------------------------------------------------------------------------- */

struct build_items {
	struct spec_item *first, *last;
};
struct build_alternatives {
	struct spec_alternative *first, *last;
};
struct spec_item *build_symbol(struct build *build, const struct span *span, const char *label,
			       const char *name);
/* `bracket` is where the Lua starts with its ( or {. */
struct spec_item *build_code(struct build *build, enum spec_item_kind kind, const struct span *span,
			     const char *lua, const struct span *bracket);
/* The place behind a bracket: that of what is in it. */
struct spec_place build_inside(const struct span *bracket);
struct build_items build_add_item(struct build_items list, struct spec_item *item);
struct build_alternatives build_add_alternative(struct build *build, struct build_alternatives list,
						const struct span *span, struct spec_item *items);
void build_production(struct build *build, const struct span *span, const char *name,
		      struct spec_alternative *alternatives);

/* ---- statements ------------------------------------------------------------------------------ */

void build_part(struct build *build, const char *text, const struct span *span);
void build_parameter(struct build *build, const struct span *span);
/* The first of `extern int a, b;` has the type in front; the others take it over. */
void build_extern(struct build *build, const struct span *span);

void build_property_begin(struct build *build, const struct span *span, const char *name);
void build_property_end(struct build *build);
struct spec_formula *build_formula(struct build *build, enum spec_formalism formalism,
				   const struct span *span, const struct span *text);
/* always EXPR, never EXPR */
void build_temporal(struct build *build, const struct span *word, const struct span *span,
		    struct spec_expr *expr, bool never);
void build_monitor(struct build *build, const struct span *span, struct build_text path);
void build_grammar(struct build *build, const struct span *span, const char *attributes,
		   const struct span *bracket);
/* Of the words in `parts`. */
void build_view(struct build *build, const struct span *span);
void build_violation(struct build *build, const struct span *span, const char *what,
		     const char *lua, const struct span *bracket);
void build_use(struct build *build, const struct span *span, const char *name, const char *option,
	       const struct span *option_span, int64_t value);

#endif
