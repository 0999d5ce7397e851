#include "monitor/grammar/grammar_machine.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "monitor/grammar/grammar_tokens.h"

#include <stdlib.h>

/* All words of a lattice are alive at once. */
#define MEMORY ((size_t)1 << 30)

/* Bytes of keys: what steps cost, about. A second or two. */
#define COPIED_MOST ((size_t)100 << 20)

struct grammar_machine_state {
	struct grammar_word *word; /* NULL: violated */
	bool asked, bad_at_end;
};

struct words {
	struct machine machine;
	const struct property_events *events;
	const struct grammar *grammar;
	const struct labels *labels;
	struct grammar_parser *parser;
	VEC(struct grammar_machine_state) states; /* [0] is the violated one */
	struct intern keys;			  /* by number of the state - 1 */
	struct map known;			  /* state and label: the next state */
	script_key_text key;
	VEC(struct script_value) values;
	uint32_t first;
	size_t copied;
	bool full;
};
#define VIOLATED 0u

/* The number of a word, which is taken over. */
static bool put_word(struct words *w, struct grammar_word *word, uint32_t *number, struct err *err)
{
	bool fresh;

	w->key.count = 0;
	if (!grammar_word_key(word, &w->key, err)) {
		grammar_word_close(word);
		return false;
	}
	w->copied += w->key.count;
	*number = intern_put(&w->keys, w->key.items, w->key.count, &fresh) + 1;
	if (fresh)
		*vec_push(&w->states) = (struct grammar_machine_state){ .word = word };
	else
		grammar_word_close(word);
	if (w->states.count <= GRAMMAR_MACHINE_STATES && w->copied <= COPIED_MOST)
		return true;
	w->full = true;
	return err_set(err, "its words make too many states");
}

/* Takes the events of a label, one after the other. */
static enum grammar_verdict take_label(struct words *w, struct grammar_word *word, uint32_t label,
				       struct err *err)
{
	const struct label *l = &w->labels->list.items[label];
	enum grammar_verdict verdict = GRAMMAR_OPEN;
	struct grammar_violation violation = { 0 };

	for (uint32_t i = 0; i < l->event_count && verdict == GRAMMAR_OPEN; i++) {
		const struct property_event *event = &w->events->events.items[l->events[i].number];

		grammar_tokens_of_event(w->events, event, w->values.items);
		verdict = grammar_word_take(
			word, &(struct grammar_token){ event->event, w->values.items }, &violation);
	}
	if (verdict == GRAMMAR_BROKEN)
		err_set(err, "%s", violation.why);
	grammar_violation_free(&violation);
	return verdict;
}

static bool find_next(struct words *w, uint32_t state, uint32_t label, uint32_t *next,
		      struct err *err)
{
	struct grammar_word *word = grammar_word_copy(w->states.items[state].word, err);
	enum grammar_verdict verdict;

	if (!word) {
		w->full = true;
		return false;
	}
	verdict = take_label(w, word, label, err);
	if (verdict == GRAMMAR_OPEN)
		return put_word(w, word, next, err);
	grammar_word_close(word);
	*next = VIOLATED;
	return verdict == GRAMMAR_VIOLATED;
}

static bool step(void *self, uint32_t state, uint32_t label, machine_states *next, struct err *err)
{
	struct words *w = self;
	uint64_t key = (uint64_t)state << 32 | label;
	const uint64_t *known = map_get(&w->known, key);
	uint32_t found = known ? (uint32_t)*known : state;

	if (!known && state != VIOLATED) {
		if (!find_next(w, state, label, &found, err))
			return false;
		*map_put(&w->known, key, NULL) = found;
	}
	*vec_push(next) = found;
	return true;
}

static uint32_t initial(void *self)
{
	return ((struct words *)self)->first;
}

static bool is_bad(void *self, uint32_t state)
{
	(void)self;
	return state == VIOLATED;
}

/* An end that breaks is none that violates; the recorded run's own end is told by others. */
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
	struct words *w = self;
	struct grammar_machine_state *s = &w->states.items[state];

	if (state == VIOLATED || !w->grammar->until_end)
		return state == VIOLATED;
	if (!s->asked)
		s->bad_at_end = ends_badly(s->word);
	s->asked = true;
	return s->bad_at_end;
}

static void free_words(void *self)
{
	struct words *w = self;

	for (size_t i = 1; i < w->states.count; i++)
		grammar_word_close(w->states.items[i].word);
	grammar_parser_close(w->parser);
	vec_free(&w->states);
	intern_free(&w->keys);
	map_free(&w->known);
	vec_free(&w->key);
	vec_free(&w->values);
	free(w);
}

static void make_room_for_values(struct words *w)
{
	for (uint32_t i = 0; i < w->grammar->terminal_count; i++) {
		while (w->values.count < w->grammar->events[i].attribute_count)
			*vec_push(&w->values) = (struct script_value){ 0 };
	}
}

struct machine *grammar_machine_open(const struct property_set *set, uint32_t property,
				     const struct grammar *grammar, const struct labels *labels,
				     struct err *err)
{
	struct words *w = mem_zalloc(1, sizeof *w);
	struct grammar_word *word;

	w->events = &set->properties.items[property];
	w->grammar = grammar;
	w->labels = labels;
	w->machine = (struct machine){ .self = w,
				       .initial = initial,
				       .step = step,
				       .is_bad = is_bad,
				       .is_bad_at_end = is_bad_at_end,
				       .free = free_words };
	*vec_push(&w->states) = (struct grammar_machine_state){ 0 };
	make_room_for_values(w);
	w->parser = grammar_parser_open(
		grammar, false,
		&(struct script_limits){ .instructions = SCRIPT_INSTRUCTIONS, .memory = MEMORY },
		err);
	word = w->parser ? grammar_word_open(w->parser, err) : NULL;
	if (word && put_word(w, word, &w->first, err))
		return &w->machine;
	free_words(w);
	return NULL;
}

bool grammar_machine_is_full(const struct machine *machine)
{
	return ((const struct words *)machine->self)->full;
}
