/*
 * The parser's actions: functions that build the tree of a property file (tree.h) while parser.y
 * reads it. The whole tree lives in the file's arena. The functions report mistakes that are
 * visible within one statement; names.c and check.c find the others.
 */
#ifndef SPEC_BUILD_H
#define SPEC_BUILD_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"
#include "spec/context.h"
#include "spec/spec.h"

/* A file and the arena that holds its tree. spec_free() frees both. */
struct build_file {
	struct spec_file file;
	struct arena arena;
};

/* Appends an item to a list: a struct with `first` and `last`, linked by `next`. */
#define BUILD_APPEND(list, item)                                                                   \
	do {                                                                                       \
		*((list)->last ? &(list)->last->next : &(list)->first) = (item);                   \
		(list)->last = (item);                                                             \
	} while (0)

struct build_part { /* one part of a declaration: a word of the type, the name, or a star */
	const char *text;
	struct span span;
};
struct build_lifetimes {
	struct spec_lifetime *first, *last;
};

/* The property that is being read. */
struct build_property {
	struct spec_property *property;
	VEC(struct spec_parameter) parameters;
	VEC(struct spec_event) events;
	struct spec_formula **next_formula;
	/* the parameters could not be read, so names in the property cannot be resolved */
	bool broken;
	/*
	 * Lifetimes and reset of the event that is being read, collected from the clauses of its
	 * points.
	 */
	struct build_lifetimes lives;
	bool reset;
	const char *reset_if;
	struct spec_location reset_place;
};

struct build {
	struct build_file *made;
	struct spec_file *file; /* points into `made` */
	uint32_t length;	/* bytes in the text */
	struct spec_messages *messages;
	struct context context;
	struct build_property now;
	VEC(struct build_part) parts; /* words of the declaration that is being read */
	VEC(struct spec_parameter) externs;
	VEC(struct spec_argument) arguments;	 /* arguments of the point that is being read */
	VEC(struct spec_production) productions; /* productions of the grammar that is being read */
	VEC(char) path;				 /* path of the target that is being read */
	bool path_arrow;
	struct intern threads, regions; /* names in the pattern that is being read */
	struct spec_property **next_property;
	struct spec_use **next_use;
	bool is_deep; /* "nested too deeply" has been reported; it is reported once */
};

/* ---- memory and errors ----------------------------------------------------------------------- */

void *build_alloc(struct build *build, size_t size);
char *build_text(struct build *build, const char *text, uint32_t length);
/* Returns a copy of the source text [from, to). */
char *build_source(struct build *build, uint32_t from, uint32_t to);
void build_complain(struct build *build, struct spec_location place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Discards everything read so far of the current statement. Called after a syntax error and at the
 * end of each event and formula.
 */
void build_discard(struct build *build);

/* ---- expressions ----------------------------------------------------------------------------- */

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
/* The thread and the regions in parentheses after an event of a pattern. */
struct build_attributes {
	const char *thread, *begins, *ends;
	struct span thread_span, begins_span, ends_span;
};

void build_attributes_add(struct build *build, struct build_attributes *all,
			  const struct build_attributes *one);
struct spec_pattern *build_leaf(struct build *build, const struct span *span, const char *event,
				const struct build_attributes *attributes);
struct build_patterns build_add_pattern(struct build_patterns list, struct spec_pattern *pattern);
/* Makes one pattern of the list. If the list has only one member, returns this member. */
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
/* The clauses that follow a point, in any order. */
struct build_tail {
	struct spec_target *holding;
	struct spec_expr *filter;
	struct build_lifetimes lives;
	bool reset;
	const char *reset_if;
	struct span reset_span, condition_span;
	/* location of the `holding` clause, which belongs to the point's own text */
	struct span own;
};

struct spec_point *build_function(struct build *build, enum spec_point_kind kind,
				  const struct span *span, const char *library,
				  const char *function, bool rest);
struct spec_point *build_access(struct build *build, enum spec_point_kind kind,
				const struct span *span, struct spec_target *target);
/*
 * Appends one step to the path of the current target: "->" or "." followed by a member, or an index
 * in brackets.
 */
void build_step(struct build *build, const char *sign, const char *member);
struct spec_target *build_target(struct build *build, enum spec_target_kind kind,
				 const struct span *span, const char *name);
void build_add_argument(struct build *build, struct spec_expr *value);
struct spec_argument *build_result(struct build *build, struct spec_expr *value);
struct build_lifetimes build_lifetime(struct build *build, const struct span *span,
				      const char *name, bool ends);
void build_tail_add(struct build *build, struct build_tail *tail, struct build_tail one,
		    const struct span *span);
/*
 * Adds the clauses of `tail` to the point, whose text is at `span`. Clauses that apply to the whole
 * event (lifetimes, reset) are kept in `build->now` until build_event() is called.
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
/* `bracket` is the location of the ( or { that opens the Lua code. */
struct spec_item *build_code(struct build *build, enum spec_item_kind kind, const struct span *span,
			     const char *lua, const struct span *bracket);
/* Returns the location just after an opening bracket, where its contents start. */
struct spec_location build_inside(const struct span *bracket);
struct build_items build_add_item(struct build_items list, struct spec_item *item);
struct build_alternatives build_add_alternative(struct build *build, struct build_alternatives list,
						const struct span *span, struct spec_item *items);
void build_production(struct build *build, const struct span *span, const char *name,
		      struct spec_alternative *alternatives);

/* ---- statements ------------------------------------------------------------------------------ */

void build_part(struct build *build, const char *text, const struct span *span);
void build_parameter(struct build *build, const struct span *span);
/*
 * Declares a global. In `extern int a, b;` this is called for each name: the first declaration has
 * the type, and the following ones reuse it.
 */
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
/* Builds a view statement from the words in `build->parts`. */
void build_view(struct build *build, const struct span *span);
void build_violation(struct build *build, const struct span *span, const char *what,
		     const char *lua, const struct span *bracket);
void build_use(struct build *build, const struct span *span, const char *name, const char *option,
	       const struct span *option_span, int64_t value);

#endif
