/*
 * The machine of a grammar for the lattice (grammar_machine.h): its states are copies of words,
 * identified by their keys.
 */
#include "monitor/grammar/grammar_machine.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "monitor/grammar/grammar_tokens.h"

#include <stdlib.h>

/* Memory limit of the Lua state: all words of a lattice exist at once. */
#define LUA_MEMORY ((size_t)1 << 30)

/*
 * Limit in bytes for all keys together. The steps take time in proportion to the keys: at the
 * limit, a second or two.
 */
#define MOST_KEY_BYTES ((size_t)100 << 20)

struct grammar_machine_state {
	struct grammar_word *word; /* NULL: violated */
	bool end_known, bad_at_end;
};

struct grammar_states {
	struct machine machine;
	const struct property_events *events;
	const struct grammar *grammar;
	const struct labels *labels;
	struct grammar_parser *parser;
	VEC(struct grammar_machine_state) states; /* [0] is the violated state */
	struct intern keys;			  /* from a key to the number of its state, - 1 */
	struct map successors;			  /* (state, label) to the next state */
	script_buffer key;
	grammar_token_values values;
	uint32_t first;
	size_t key_bytes;
	bool full;
};
#define VIOLATED 0u

/* Finds the number of a word's state. Takes over the word. */
static bool number_word(struct grammar_states *w, struct grammar_word *word, uint32_t *number,
			struct err *err)
{
	bool fresh;

	w->key.count = 0;
	if (!grammar_word_key(word, &w->key, err)) {
		grammar_word_close(word);
		return false;
	}
	w->key_bytes += w->key.count;
	*number = intern_put(&w->keys, w->key.items, w->key.count, &fresh) + 1;
	if (fresh)
		*vec_push(&w->states) = (struct grammar_machine_state){ .word = word };
	else
		grammar_word_close(word);
	if (w->states.count <= GRAMMAR_MACHINE_STATES && w->key_bytes <= MOST_KEY_BYTES)
		return true;
	w->full = true;
	return err_set(err, "its words lead to too many states");
}

/* Makes the word read the events of a label one after the other. */
static enum grammar_verdict read_label(struct grammar_states *w, struct grammar_word *word,
				       uint32_t label, struct err *err)
{
	const struct label *l = &w->labels->list.items[label];
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	struct grammar_violation violation = { 0 };

	for (uint32_t i = 0; i < l->event_count && verdict == GRAMMAR_OPEN; i++) {
		const struct property_event *event = &w->events->events.items[l->events[i].number];

		verdict = grammar_word_take(
			word,
			&(struct grammar_token){
				event->event,
				grammar_tokens_of_event(w->events, event, &w->values) },
			&violation);
	}
	if (verdict == GRAMMAR_BROKEN)
		err_set(err, "%s", violation.why);
	grammar_violation_free(&violation);
	return verdict;
}

static bool find_successor(struct grammar_states *w, uint32_t state, uint32_t label, uint32_t *next,
			   struct err *err)
{
	struct grammar_word *word = grammar_word_copy(w->states.items[state].word, err);
	enum grammar_verdict verdict;

	if (!word) {
		w->full = true;
		return false;
	}
	verdict = read_label(w, word, label, err);
	if (verdict == GRAMMAR_OPEN)
		return number_word(w, word, next, err);
	grammar_word_close(word);
	*next = VIOLATED;
	return verdict == GRAMMAR_VIOLATED;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct grammar_states *w = self;
	uint64_t key = (uint64_t)state << 32 | label;
	const uint64_t *successors = map_get(&w->successors, key);
	uint32_t found = successors ? (uint32_t)*successors : state;

	if (!successors && state != VIOLATED) {
		if (!find_successor(w, state, label, &found, err))
			return false;
		*map_put(&w->successors, key, NULL) = found;
	}
	*vec_push(next) = found;
	return true;
}

static uint32_t initial(void *self)
{
	return ((struct grammar_states *)self)->first;
}

static bool is_bad(void *self, uint32_t state)
{
	(void)self;
	return state == VIOLATED;
}

/*
 * Does the word violate the grammar if it ends here? A Lua error at the end is not a violation; for
 * the recorded run, grammar_run() reports it.
 */
static bool ends_badly(const struct grammar_word *word)
{
	struct err err;
	struct grammar_word *copy = grammar_word_copy(word, &err);
	struct grammar_violation violation = { 0 };
	bool bad = copy && grammar_word_end(copy, &violation) == GRAMMAR_VIOLATED;

	grammar_violation_free(&violation);
	if (copy)
		grammar_word_close(copy);
	return bad;
}

static bool is_bad_at_end(void *self, uint32_t state)
{
	struct grammar_states *w = self;
	struct grammar_machine_state *s = &w->states.items[state];

	if (state == VIOLATED || !w->grammar->until_end)
		return state == VIOLATED;
	if (!s->end_known)
		s->bad_at_end = ends_badly(s->word);
	s->end_known = true;
	return s->bad_at_end;
}

static void free_states(void *self)
{
	struct grammar_states *w = self;

	for (size_t i = 1; i < w->states.count; i++)
		grammar_word_close(w->states.items[i].word);
	grammar_parser_close(w->parser);
	vec_free(&w->states);
	intern_free(&w->keys);
	map_free(&w->successors);
	vec_free(&w->key);
	vec_free(&w->values);
	free(w);
}

struct machine *grammar_machine_open(const struct property_set *set, uint32_t property,
				     const struct grammar *grammar, const struct labels *labels,
				     struct err *err)
{
	struct grammar_states *w = mem_zalloc(1, sizeof *w);
	struct grammar_word *word;

	w->events = &set->properties.items[property];
	w->grammar = grammar;
	w->labels = labels;
	w->machine = (struct machine){ .self = w,
				       .initial = initial,
				       .step = step,
				       .is_bad = is_bad,
				       .is_bad_at_end = is_bad_at_end,
				       .free = free_states };
	*vec_push(&w->states) = (struct grammar_machine_state){ 0 };
	w->parser =
		grammar_parser_open(grammar, false,
				    &(struct script_limits){ .instructions = SCRIPT_INSTRUCTIONS,
							     .memory = LUA_MEMORY },
				    err);
	word = w->parser ? grammar_word_open(w->parser, err) : NULL;
	if (word && number_word(w, word, &w->first, err))
		return &w->machine;
	free_states(w);
	return NULL;
}

bool grammar_machine_is_full(const struct machine *machine)
{
	return ((const struct grammar_states *)machine->self)->full;
}
