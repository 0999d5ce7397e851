/*
 * doc/grammars.md by trying everything: which words a grammar has and how many trees, what a prefix can
 * become, what comes of the walk of a tree, and what is to be said of each event of a word.
 */
#ifndef MODEL_GRAMMAR_BRUTE_H
#define MODEL_GRAMMAR_BRUTE_H

#include "grammar_case.h"
#include "grammar_value.h"

#define BRUTE_STEPS (CASE_ITEMS * 24)

struct brute_step {
	uint8_t kind; /* of the item */
	uint8_t number;
	uint8_t item;
	bool first; /* of the stretch of an event: its attributes are this one's */
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

	/* the word: letters, and [production][from][to]: how many trees, 2 for more */
	int letters[CASE_WORD];
	uint8_t events[CASE_WORD];
	uint8_t trees[CASE_PRODUCTIONS][CASE_WORD + 1][CASE_WORD + 1];
	/* [production][from]: something that begins with all the rest comes of it */
	bool begins[CASE_PRODUCTIONS][CASE_WORD + 1];

	uint64_t walks, codes; /* of whole trees, and what was carried out there */
};

void brute_open(struct brute *b, const struct grammar_case *c, struct arena *arena);

/* How many trees a word of these events has: 0, 1 or 2. */
int brute_count(struct brute *b, const uint8_t *events, int count);

enum truth_verdict { TRUTH_OPEN, TRUTH_VIOLATED, TRUTH_BROKEN };
enum truth_fault { TRUTH_NO_CONTINUATION, TRUTH_INCOMPLETE, TRUTH_ASSERTION };

/* What is to be said behind an event. */
struct truth {
	uint8_t verdict, fault;
	/* of what code: an assertion, or what fails; rule < 0: none, or not code of a rule */
	int8_t rule, item;
	bool two_trees;
	uint8_t expected; /* a set of events that may come instead; bit event_count the end */
	char *report;	  /* ASSERTION: g and h */
	/* was the event's condition asked; did it fail; does the event end the session */
	bool reset_asked, reset_fails, resets;
};

/* Between events. */
struct moment {
	int start; /* of the session */
	const struct table *before;
};

/*
 * Event `at` of the word, which has been put into b->letters and b->events; those before it were asked
 * in their order. `early`: assertions fail as soon as a walk along with the events comes to them.
 */
void brute_take(struct brute *b, const struct moment *from, int at, bool early, struct truth *truth,
		struct moment *to);
/* The word ends behind `count` events. */
void brute_end(struct brute *b, const struct moment *from, int count, struct truth *truth);

/* ---- inside --------------------------------------------------------------------------------- */

/* The parts of `b->trees` that end at `to`, those before it being there. */
void brute_fill(struct brute *b, int start, int to);
/* Is it the beginning of something? */
bool brute_is_viable(struct brute *b, int start, int to);
/* Can the steps from `step` on make from … to? And begin with all that comes up to `to`? */
bool brute_makes(const struct brute *b, const struct brute_rule *rule, int step, int from, int to);
bool brute_may_begin(const struct brute *b, const struct brute_rule *rule, int step, int from,
		     int to);

/* The walk of the only tree of start … to; `early`: of what all trees have in common. */
struct walked {
	bool broken, false_assertion;
	int rule, item; /* which code */
	struct table *root;
	struct value wide[WIDES]; /* when it was over */
};
void brute_walk(struct brute *b, const struct moment *from, int to, bool early,
		struct walked *walked);

#endif
