/*
 * A property as the pattern test writes it, and its events in a text trace: a small part of the
 * language, read without a line of src/. One property a file:
 *
 *	property P(void *o, void *q, mutex m) {
 *	  event a = probe e:a(o, q);  event n = probe e:n(o) new o;  event z = probe e:z(o) end o;
 *	  event r = read x;  event w = write x;
 *	  event k = request m;  event l = acquire m;  event u = release m;
 *	  event s = spawn;  event j = join;
 *	  pattern: (a(t1,<r1) (b | c)+) & !(r w);
 *	}
 *
 * Everything in a pattern that binds differently stands in parentheses of its own.
 */
#ifndef MODEL_PATTERN_CASE_H
#define MODEL_PATTERN_CASE_H

#include "brute_text.h"

#define MAX_PARTS 8
#define MAX_NAMED 12 /* events of a property */
#define MAX_PARAMETERS 3
#define MAX_OCCURRENCES 64 /* of property events in a trace */
#define MAX_VALUES 64
#define NO_VALUE (-1)

enum operator{ LEAF, SEQUENCE, EITHER, BOTH, PARALLEL, STAR, PLUS, MAYBE, INVERTED };

struct tree {
	enum operator operator;
	struct tree *parts[MAX_PARTS];
	int count;
	int event;	  /* LEAF: of the property */
	int thread;	  /* LEAF: number of the name, or -1 */
	int begins, ends; /* LEAF: numbers of regions, or -1 */
	int leaf;	  /* LEAF of an unrolled tree: its number */
};

enum point { PROBED, READS, WRITES, REQUESTS, ACQUIRES, RELEASES, SPAWNS, JOINS };

struct named {
	char name[16], word[16]; /* word: of the probe, of the variable */
	enum point point;
	int parameters[MAX_PARAMETERS], count; /* of the property, by argument */
	int born, dead;			       /* parameter whose life begins or ends here, or -1 */
};

/* A property event of the trace. */
struct occurrence {
	int anchor; /* event of the text */
	bool before, may_be_next;
	int event;
	int values[MAX_PARAMETERS];
};

struct value {
	int born, dead; /* events that bound its life, or -1 */
};

struct pattern_case {
	struct tree *pattern;
	int parameter_count, event_count, thread_count, region_count;
	char parameters[MAX_PARAMETERS][16];
	struct named events[MAX_NAMED];
	int occurrence_count, value_count;
	struct occurrence occurrences[MAX_OCCURRENCES]; /* by line */
	struct value values[MAX_VALUES];
	char error[200];
};

/* Both say false when something is not of this form; `error` says what. Trees live until the next. */
bool case_read(const char *path, struct pattern_case *out);
bool case_find(const char *trace, const struct text *text, struct pattern_case *out);

/* A tree that lives as long as those of case_read. */
struct tree *tree_new(enum operator operator);

#endif
