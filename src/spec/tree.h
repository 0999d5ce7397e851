/*
 * A property file as a tree. All nodes live in the file's arena. Strings end in NUL. Lists are
 * linked by `next` in source order. After names.c has resolved the names, references to events,
 * parameters and locals are also stored as indices.
 */
#ifndef SPEC_TREE_H
#define SPEC_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define SPEC_NONE UINT32_MAX

/*
 * The parser builds no deeper tree, whatever the file contains, so functions may recurse over a
 * tree.
 */
#define SPEC_DEPTH 1000

struct spec_location {
	/* line and column count from 1; column and length are in bytes */
	uint32_t line, column, length;
};

/* ---- expressions: as in C, on integers, doubles, pointers and strings ------------------------ */

enum spec_operator {
	SPEC_NUMBER,
	SPEC_REAL,
	SPEC_TEXT,
	SPEC_NAME,   /* a parameter, a local of an event, or a global of the program */
	SPEC_MEMBER, /* left -> text or left . text: member of a global */
	SPEC_INDEX,  /* left [ right ] */
	SPEC_CALL,   /* strstr strcmp strncmp strlen startswith: `text` is the function's name */
	SPEC_DEREF,
	SPEC_ADDRESS,
	SPEC_NOT,
	SPEC_COMPLEMENT,
	SPEC_NEGATE,
	SPEC_MULTIPLY,
	SPEC_DIVIDE,
	SPEC_MODULO,
	SPEC_ADD,
	SPEC_SUBTRACT,
	SPEC_SHIFT_LEFT,
	SPEC_SHIFT_RIGHT,
	SPEC_LESS,
	SPEC_LESS_EQUAL,
	SPEC_GREATER,
	SPEC_GREATER_EQUAL,
	SPEC_EQUAL,
	SPEC_UNEQUAL,
	SPEC_BIT_AND,
	SPEC_BIT_XOR,
	SPEC_BIT_OR,
	SPEC_AND,
	SPEC_OR,
	SPEC_CONDITIONAL,
	/* the following are only in temporal formulas */
	SPEC_IMPLIES,
	SPEC_IFF,
	SPEC_EVENT, /* event number `event` of the property happens */
	SPEC_PREV,
	SPEC_ONCE,
	SPEC_SOFAR,
	SPEC_SINCE,
	SPEC_START,
	SPEC_END,
	SPEC_INTERVAL,
	SPEC_ALWAYS,
	SPEC_EVENTUALLY,
	SPEC_NEXT,
	SPEC_UNTIL,
};

struct spec_expr {
	uint8_t operator; /* enum spec_operator */
	struct spec_location place;
	/* CALL: the arguments are in `left`, linked by `next` */
	struct spec_expr *left, *right, *third;
	struct spec_expr *next;
	const char *text;
	uint32_t text_length; /* TEXT may contain NULs */
	int64_t number;
	double real;
	uint32_t parameter; /* NAME: index in the property's parameters, or SPEC_NONE */
	/*
	 * NAME: index in the event's locals, or SPEC_NONE. The name is a global if `parameter` is
	 * SPEC_NONE, too
	 */
	uint32_t local;
	uint32_t event;	   /* EVENT: index in the property's events */
	uint32_t external; /* NAME: index of the `extern` declaration of a global, or SPEC_NONE */
	uint16_t depth;	   /* depth of the tree below this node: 1 for a leaf, at most SPEC_DEPTH */
	bool arrow;	   /* MEMBER: written with -> */
};

/* ---- events ---------------------------------------------------------------------------------- */

enum spec_type {
	SPEC_INT, /* any integer or enum */
	SPEC_FLOATING,
	SPEC_POINTER, /* a pointer: an object, which has lifetimes */
	SPEC_ADDR,    /* `addr`: an address, not an object */
	SPEC_LOCK,    /* `mutex` */
	SPEC_STRING,  /* compared by content */
	SPEC_THREAD,  /* `thread` */
};

struct spec_parameter {
	const char *name, *type_text; /* "struct table *" */
	const char *pointee;	      /* POINTER: the tag or typedef name, "table"; "void" */
	uint8_t type;
	struct spec_location place;
};

enum spec_slot {
	SPEC_ANY,   /* _ */
	SPEC_BINDS, /* a name: parameter or local */
	/* *name: the value that the argument points to when the point happens */
	SPEC_BINDS_POINTED,
	SPEC_EQUALS, /* an expression without names of the event, for example 0 */
};
/* An argument or a result of a function, or a value that is read or written. */
struct spec_argument {
	uint8_t slot;
	struct spec_location place;
	const char *name;
	/* BINDS, BINDS_POINTED: one of the two is set, the other is SPEC_NONE */
	uint32_t parameter, local;
	struct spec_expr *value; /* EQUALS */
};

enum spec_point_kind {
	SPEC_POINT_CALL,
	SPEC_POINT_EXEC,
	SPEC_POINT_RETURN,
	SPEC_POINT_PROBE,
	SPEC_POINT_READ,
	SPEC_POINT_WRITE,
	SPEC_POINT_BECOMES,
	SPEC_POINT_REQUEST,
	SPEC_POINT_ACQUIRE,
	SPEC_POINT_RELEASE,
	SPEC_POINT_SPAWN,
	SPEC_POINT_JOIN,
};

/* The memory that is read or written, or the lock. */
enum spec_target_kind {
	SPEC_GLOBAL,  /* name and path: "config", "config.limits.most" or "a[3]" */
	SPEC_FIELD,   /* o->path: `parameter` is o; the path "*" is any field */
	SPEC_POINTED, /* *name: the memory at the parameter's address */
	SPEC_OBJECT,  /* a lock parameter itself: `acquire m` */
};
struct spec_target {
	uint8_t kind;
	struct spec_location place;
	const char *name; /* name of the global or of the parameter */
	const char *path; /* the members, as written after -> or . ; NULL if there are none */
	uint32_t parameter, local;
	bool arrow; /* `path` is written after -> */
};

struct spec_point {
	struct spec_point *next;
	uint8_t kind;
	struct spec_location place;
	const char *library;  /* glob or NULL */
	const char *function; /* glob; "app:name" for a probe */
	struct spec_argument *arguments;
	uint32_t argument_count;
	bool rest; /* `...`: there may be more arguments */
	/* the `= v` of return, read and write; NULL if there is none */
	struct spec_argument *result;
	struct spec_target *target, *holding;
	struct spec_expr *becomes, *filter;
	const char *text; /* source text without the filter, for example "call use_*(r, ...)" */
};

struct spec_lifetime { /* new i, end i */
	struct spec_lifetime *next;
	uint32_t parameter;
	bool ends;
	struct spec_location place;
	const char *name; /* name of the parameter */
};

struct spec_event {
	const char *name;
	struct spec_location place;
	struct spec_point *points;
	struct spec_lifetime *lives;
	/*
	 * Names that the event's points bind and that are not parameters. Also `tid` (the thread's
	 * number, unique in the run) and `atomic` (1 for an access by an atomic operation), which
	 * have a value at every point. These two are listed if a filter uses the name, no point
	 * binds it, and no `extern` declares it.
	 */
	const char **locals;
	uint32_t local_count;
	bool reset; /* the event ends a session of the grammar */
	/* condition of the reset as written, in C or Lua; NULL: always */
	const char *reset_if;
	struct spec_location reset_place; /* location of the first byte of `reset_if` */
};

/* ---- formulas -------------------------------------------------------------------------------- */

enum spec_pattern_kind {
	SPEC_LEAF,
	SPEC_SEQUENCE,
	SPEC_EITHER,
	SPEC_BOTH,
	SPEC_PARALLEL, /* members in `parts` */
	SPEC_STAR,
	SPEC_PLUS,
	SPEC_MAYBE,
	SPEC_INVERTED, /* `parts` has one member */
};
struct spec_pattern {
	uint8_t kind;
	struct spec_location place;
	struct spec_pattern *parts, *next; /* `parts` is the first part, `next` the next sibling */
	uint32_t event;			   /* LEAF: index of the event in the property */
	uint32_t thread;		   /* LEAF: index in the formula's threads, or SPEC_NONE */
	/* LEAF: indices in the formula's regions, or SPEC_NONE */
	uint32_t begins, ends;
	uint16_t depth;	  /* depth of the tree, as in spec_expr */
	const char *name; /* LEAF: name of the event */
};

/*
 * `ere:`, a regular expression over the events of a property. Its `~` is the complement; it differs
 * from `!` in a pattern.
 */
enum spec_ere_kind {
	SPEC_ERE_EVENT,
	SPEC_ERE_ANY,	  /* . any event of the property */
	SPEC_ERE_EPSILON, /* epsilon: the empty word */
	SPEC_ERE_EMPTY,	  /* empty: the language without any word */
	SPEC_ERE_SEQUENCE,
	SPEC_ERE_EITHER,
	SPEC_ERE_BOTH,
	SPEC_ERE_STAR,
	SPEC_ERE_PLUS,
	SPEC_ERE_MAYBE,
	SPEC_ERE_NOT,
};
struct spec_ere {
	uint8_t kind;
	struct spec_location place;
	struct spec_ere *parts, *next; /* as in spec_pattern */
	uint32_t event;
	uint16_t depth;
	const char *name; /* name of the event */
};

/*
 * `grammar`: productions whose symbols are events or other productions, with Lua code between the
 * symbols.
 */
enum spec_item_kind {
	SPEC_ITEM_EVENT,
	SPEC_ITEM_PRODUCTION,
	SPEC_ITEM_ACTION, /* { Lua } */
	SPEC_ITEM_ASSERT, /* assert(expression in Lua; C's && || ! != are accepted, too) */
};
struct spec_item {
	struct spec_item *next;
	uint8_t kind;
	struct spec_location place;
	const char *name;		/* EVENT, PRODUCTION */
	const char *label;		/* gf1 in `gf1=get`; NULL: the name is used as the label */
	uint32_t number;		/* index of the event or production */
	const char *lua;		/* ACTION, ASSERT: the text between the brackets */
	struct spec_location lua_place; /* location of the first byte of `lua` */
};
struct spec_alternative {
	struct spec_alternative *next;
	struct spec_location place;
	struct spec_item *items; /* NULL: the empty word */
};
struct spec_production {
	const char *name;
	struct spec_location place;
	struct spec_alternative *alternatives;
};
struct spec_grammar {
	const char *attributes;		       /* the Lua code in the parentheses, or NULL */
	struct spec_location attributes_place; /* location of the first byte of `attributes` */
	struct spec_production *productions;   /* the first one is the start symbol */
	uint32_t production_count;
};

enum spec_formalism { SPEC_TEMPORAL, SPEC_LTL, SPEC_PATTERN, SPEC_ERE, SPEC_GRAMMAR, SPEC_MONITOR };

struct spec_formula {
	struct spec_formula *next;
	uint8_t formalism;
	struct spec_location place;
	bool never;		      /* TEMPORAL: `never`, not `always` */
	struct spec_expr *expr;	      /* TEMPORAL, LTL */
	struct spec_pattern *pattern; /* PATTERN */
	const char **threads, **regions;
	uint32_t thread_count, region_count;
	struct spec_ere *ere;
	struct spec_grammar *grammar;
	const char *text; /* source of the formula; MONITOR: the file name */
};

enum spec_view { SPEC_VIEW_NONE, SPEC_VIEW_THREAD, SPEC_VIEW_OBJECT, SPEC_VIEW_GLOBAL };

struct spec_property {
	struct spec_property *next;
	const char *name;
	struct spec_location place;
	struct spec_parameter *parameters;
	uint32_t parameter_count;
	struct spec_event *events;
	uint32_t event_count;
	struct spec_formula *formulas;
	uint8_t view;
	uint32_t view_parameter; /* VIEW_OBJECT: index of its parameter */
	const char *view_name;
	struct spec_location view_place;
	bool until_end;				 /* each word must be complete when it ends */
	const char *on_violation;		 /* Lua, or NULL */
	struct spec_location on_violation_place; /* location of the first byte of `on_violation` */
};

struct spec_use { /* use goodlock with max_threads = 4; */
	struct spec_use *next;
	const char *name, *option; /* `option` is NULL if there is none */
	int64_t value;
	struct spec_location place, option_place;
};

struct spec_file {
	const char *path, *text;
	struct spec_property *properties;
	uint32_t property_count;
	struct spec_use *uses;
	struct spec_parameter *externs; /* extern int landing, x; */
	uint32_t extern_count;
};

#endif
