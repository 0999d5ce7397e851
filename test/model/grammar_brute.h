/*
 * The definitions of doc/grammars.md, evaluated by trying everything: which words a grammar has and
 * how many trees each has, how a prefix can continue, the results of evaluating a tree, and the
 * verdict for each event of a word.
 */
#ifndef MODEL_GRAMMAR_BRUTE_H
#define MODEL_GRAMMAR_BRUTE_H

#include "grammar_case.h"
#include "grammar_value.h"

#define BRUTE_STEPS (CASE_ITEMS * 24)

struct brute_step {
	uint8_t kind; /* kind of the item */
	uint8_t number;
	uint8_t item;
	/* the first of the repetitions of an event: the attributes are those of this one */
	bool first;
};
struct brute_rule {
	int left, count;
	struct brute_step steps[BRUTE_STEPS];
};

struct brute {
	const struct grammar_case *c;
	struct arena *arena;
	struct brute_rule rules[CASE_RULES];
	int rule_count;
	bool nullable[CASE_PRODUCTIONS], reachable[CASE_PRODUCTIONS];
	bool has_wordless, has_code, is_ll1;

	/* the word: its letters, and by [production][from][to]: number of trees, 2 for more */
	int letters[CASE_WORD];
	uint8_t events[CASE_WORD];
	uint8_t trees[CASE_PRODUCTIONS][CASE_WORD + 1][CASE_WORD + 1];
	/* [production][from]: the production has a word that begins with the whole rest */
	bool begins[CASE_PRODUCTIONS][CASE_WORD + 1];

	uint64_t walks, codes; /* number of evaluated trees, and of executed pieces of code */
};

void brute_open(struct brute *b, const struct grammar_case *c, struct arena *arena);

/* Returns how many trees a word of these events has: 0, 1, or 2 for more. */
int brute_count(struct brute *b, const uint8_t *events, int count);

enum truth_verdict { TRUTH_OPEN, TRUTH_VIOLATED, TRUTH_BROKEN };
enum truth_fault { TRUTH_NO_CONTINUATION, TRUTH_INCOMPLETE, TRUTH_ASSERTION };

/* The correct verdict after an event. */
struct truth {
	uint8_t verdict, fault;
	/*
	 * the code that caused it, an assertion or failing code; rule < 0: none, or not code of a
	 * rule
	 */
	int8_t rule, item;
	bool two_trees;
	/* set of the events that were possible instead; bit event_count stands for the end */
	uint8_t expected;
	char *report; /* ASSERTION: the values of g and h */
	/*
	 * was the condition of the event's reset evaluated, did the evaluation fail, and does the
	 * event end the session?
	 */
	bool reset_asked, reset_fails, resets;
};

/* The state between two events. */
struct moment {
	int start; /* start of the session */
	const struct table *before;
};

/*
 * Computes the verdict for event `at` of the word, which must be in b->letters and b->events; the
 * events before it must have been taken in order. `early`: assertions fail as soon as an evaluation
 * along with the events reaches them.
 */
void brute_take(struct brute *b, const struct moment *from, int at, bool early, struct truth *truth,
		struct moment *to);
/* Computes the verdict for a word that ends after `count` events. */
void brute_end(struct brute *b, const struct moment *from, int count, struct truth *truth);

/* ---- inside --------------------------------------------------------------------------------- */

/* Computes the part of `b->trees` that ends at `to`; the parts before it must be there. */
void brute_fill(struct brute *b, int start, int to);
/* Is start … to a prefix of a word? */
bool brute_is_viable(struct brute *b, int start, int to);
/*
 * brute_makes(): can the steps from `step` on produce from … to? brute_may_begin(): can they
 * produce a word that begins with from … to?
 */
bool brute_makes(const struct brute *b, const struct brute_rule *rule, int step, int from, int to);
bool brute_may_begin(const struct brute *b, const struct brute_rule *rule, int step, int from,
		     int to);

/*
 * The result of evaluating the only tree of start … to. `early`: only of what all possible trees
 * have in common.
 */
struct walked {
	bool broken, false_assertion;
	int rule, item; /* the code that failed */
	struct table *root;
	struct value wide[WIDES]; /* the session's attributes at the end */
};
void brute_walk(struct brute *b, const struct moment *from, int to, bool early,
		struct walked *walked);

#endif
