/*
 * A property as the pattern test writes it, and its events in a text trace. This reads a small part
 * of the language without a line of src/. Each file has one property:
 *
 *	property P(void *o, void *q, mutex m) {
 *	  event a = probe e:a(o, q);  event n = probe e:n(o) new o;  event z = probe e:z(o) end o;
 *	  event r = read x;  event w = write x;
 *	  event k = request m;  event l = acquire m;  event u = release m;
 *	  event s = spawn;  event j = join;
 *	  pattern: (a(t1,<r1) (b | c)+) & !(r w);
 *	}
 *
 * In a pattern, operators of different precedence must be separated by parentheses.
 */
#ifndef MODEL_PATTERN_CASE_H
#define MODEL_PATTERN_CASE_H

#include "brute_text.h"

#define MAX_PARTS 8
#define MAX_NAMED 12 /* maximum number of events of a property */
#define MAX_PARAMETERS 3
#define MAX_OCCURRENCES 64 /* maximum number of property events in a trace */
#define MAX_VALUES 64
#define NO_VALUE (-1)

enum operator{ LEAF, SEQUENCE, EITHER, BOTH, PARALLEL, STAR, PLUS, MAYBE, INVERTED };

struct tree {
	enum operator operator;
	struct tree *parts[MAX_PARTS];
	int count;
	int event;	  /* LEAF: index of the event in the property */
	int thread;	  /* LEAF: number of the thread name, or -1 */
	int begins, ends; /* LEAF: numbers of regions, or -1 */
	int leaf;	  /* LEAF of a form without repetitions: its number */
};

enum point { PROBED, READS, WRITES, REQUESTS, ACQUIRES, RELEASES, SPAWNS, JOINS };

struct named {
	char name[16], word[16]; /* `word`: name of the probe or of the variable */
	enum point point;
	int parameters[MAX_PARAMETERS], count; /* by argument: the property's parameter */
	/* parameter whose lifetime begins or ends here, or -1 */
	int born, dead;
};

/* A property event of the trace. */
struct occurrence {
	int anchor; /* event of the text trace */
	bool before, may_be_next;
	int event;
	int values[MAX_PARAMETERS];
};

struct value {
	int born, dead; /* events that begin and end its lifetime, or -1 */
};

struct pattern_case {
	struct tree *pattern;
	int parameter_count, event_count, thread_count, region_count;
	char parameters[MAX_PARAMETERS][16];
	struct named events[MAX_NAMED];
	int occurrence_count, value_count;
	struct occurrence occurrences[MAX_OCCURRENCES]; /* in the order of the lines */
	struct value values[MAX_VALUES];
	char error[200];
};

/*
 * Both return false if the input does not have this form; `error` says why. Trees are valid until
 * the next call.
 */
bool case_read(const char *path, struct pattern_case *out);
bool case_find(const char *trace, const struct text *text, struct pattern_case *out);

/* Makes a tree that is valid as long as those of case_read(). */
struct tree *tree_new(enum operator operator);

#endif
