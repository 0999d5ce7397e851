/*
 * Checks that a schedule violates a formula. The word of states is read from the schedule that was
 * played: variables get their values from the events' own records, and property events happen at
 * their anchors. Then the formula is evaluated on the word (truth.h).
 *
 * A prefix is bad if no continuation satisfies the formula. There are infinitely many
 * continuations. The checker tries only the word as it ends, and short continuations: by one state
 * with freely chosen atoms (if there are at most 6 atoms), and by two such states (if there are at
 * most 3). For an ERE it tries one further state in which a single event happens, and two such
 * states if the property has at most 8 events.
 */
#include "check/formula.h"

#include "base/mem.h"
#include "check/moments.h"
#include "check/truth.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

/* Longer words are judged only as they are: each continuation costs as much as the word. */
#define LONG_WORD 300u

struct formula_judge {
	const struct checker_play *play;
	const struct checker_formula_claim *word;
	uint8_t (*values)[8]; /* of the variables, in the current state */
	uint8_t *known;	      /* bit mask of their known bytes */
	struct checker_moments moments;
	/*
	 * key of an event, or of the moment before it, to bits: the property events that happen
	 * there
	 */
	struct map events;
	struct truth_table table;
	/* ERE: for each state in which something happens, its input symbol */
	VEC(uint64_t) symbols;
};

/* ---- the word in the schedule ---------------------------------------------------------------- */

static bool agrees_with_binding(const struct formula_judge *j, const struct checker_occurrence *o)
{
	const uint32_t *binding = &j->word->events->bindings[o->bindings];

	for (uint32_t p = 0; p < j->word->events->parameters; p++) {
		if (binding[p] != CHECKER_UNBOUND && j->word->binding &&
		    binding[p] != j->word->binding[p])
			return false;
	}
	return true;
}

static void index_events(struct formula_judge *j)
{
	bool fresh;

	for (size_t i = 0; i < j->word->events->count; i++) {
		const struct checker_occurrence *o = &j->word->events->occurrences[i];
		uint64_t key =
			checker_moments_key(o->anchor.stream, o->anchor.index) << 1 | o->before;

		if (agrees_with_binding(j, o)) {
			uint64_t *bits = map_put(&j->events, key, &fresh);

			*bits = (fresh ? 0 : *bits) | 1ull << o->event;
		}
	}
}

static bool overlaps(const struct checker_variable *v, const struct checker_record *record)
{
	return checker_writes(record) && record->address < v->address + v->size &&
	       v->address < record->address + record->size;
}

/* Checks that the word leaves out no event that makes a state of the formula. */
static bool is_complete(const struct formula_judge *j, struct err *err)
{
	for (size_t i = 0; i < j->word->events->count; i++) {
		const struct checker_occurrence *o = &j->word->events->occurrences[i];

		if (agrees_with_binding(j, o) && checker_moments_left_out(&j->moments, o))
			return checker_moments_refuse(
				&j->moments, &o->anchor,
				"is an event of the property, but was left out", err);
	}
	for (size_t i = 0; i < j->play->order.count; i++) {
		const struct checker_record *record =
			checker_base_record(j->play->base, j->play->order.items[i]);
		struct event_id event = {
			trace_stream(j->play->world->trace, record->stream)->number, record->index
		};

		for (size_t v = 0; v < j->word->variable_count; v++) {
			if (overlaps(&j->word->variables[v], record) &&
			    !checker_moments_has(&j->moments,
						 checker_moments_record_key(&j->moments, record),
						 false))
				return checker_moments_refuse(
					&j->moments, &event,
					"writes a variable, but the claimed run leaves it out",
					err);
		}
	}
	return true;
}

/* ---- states ---------------------------------------------------------------------------------- */

static void write_variables(struct formula_judge *j, const struct checker_record *record)
{
	const uint8_t *value = checker_written_value(record);

	for (size_t v = 0; v < j->word->variable_count; v++) {
		const struct checker_variable *variable = &j->word->variables[v];

		if (!overlaps(variable, record))
			continue;
		for (uint8_t b = 0; b < variable->size; b++) {
			uint64_t offset = variable->address + b - record->address;

			if (offset >= record->size)
				continue;
			if (value)
				j->values[v][b] = value[offset % record->unit];
			j->known[v] =
				(uint8_t)(value ? j->known[v] | 1u << b : j->known[v] & ~(1u << b));
		}
	}
}

static struct spec_value read_variable(void *context, const struct spec_expr *expr)
{
	const struct formula_judge *j = context;
	struct spec_value out = { .type = SPEC_VALUE_UNKNOWN };
	char name[512];
	float single;

	if (!spec_variable_name(expr, name, sizeof name))
		return out;
	for (size_t i = 0; i < j->word->variable_count; i++) {
		const struct checker_variable *v = &j->word->variables[i];
		unsigned spare = 64u - 8u * v->size;

		if (strcmp(v->name, name) || j->known[i] != (1u << v->size) - 1)
			continue;
		if (v->form == CHECKER_FLOATING) {
			out.type = SPEC_VALUE_REAL;
			memcpy(&single, j->values[i], sizeof single);
			memcpy(&out.real, j->values[i], sizeof out.real);
			out.real = v->size == sizeof single ? (double)single : out.real;
			continue;
		}
		out.type = SPEC_VALUE_INT;
		memcpy(&out.number, j->values[i], 8);
		out.number = v->form == CHECKER_SIGNED
				     ? (int64_t)((uint64_t)out.number << spare) >> spare
				     : (int64_t)((uint64_t)out.number << spare >> spare);
	}
	return out;
}

static enum truth evaluate(struct formula_judge *j, const struct spec_expr *expr)
{
	struct spec_scope scope = { .context = j, .global = read_variable };
	struct spec_value value = spec_evaluate(expr, &scope);

	switch (value.type) {
	case SPEC_VALUE_INT: return value.number ? TRUTH_TRUE : TRUTH_FALSE;
	case SPEC_VALUE_REAL: return value.real != 0 ? TRUTH_TRUE : TRUTH_FALSE;
	default: return TRUTH_OPEN;
	}
}

static void push_state(struct formula_judge *j, uint64_t events)
{
	for (size_t i = 0; i < j->table.rows.count; i++) {
		struct truth_row *row = &j->table.rows.items[i];

		if (row->atom && row->expr->operator== SPEC_EVENT)
			*vec_push(&row->states) =
				events >> row->expr->event & 1 ? TRUTH_TRUE : TRUTH_FALSE;
		else if (row->atom)
			*vec_push(&row->states) = (uint8_t)evaluate(j, row->expr);
	}
	if (events)
		*vec_push(&j->symbols) = events;
}

static uint64_t find_events(const struct formula_judge *j, const struct checker_moment *moment)
{
	const uint64_t *bits = map_get(
		&j->events, checker_moments_key(moment->anchor.stream, moment->anchor.index) << 1 |
				    moment->before);

	return bits ? *bits : 0;
}

/*
 * Returns the events whose `becomes` points are true now and were false in the last state. `was`
 * contains the truth values in the last state, in the order of the points in the file.
 */
static uint64_t find_becoming(struct formula_judge *j, uint8_t *was)
{
	uint64_t bits = 0;

	for (uint32_t e = 0; e < j->word->property->event_count; e++) {
		const struct spec_point *p = j->word->property->events[e].points;

		for (; p; p = p->next) {
			enum truth now;

			if (p->kind != SPEC_POINT_BECOMES)
				continue;
			now = evaluate(j, p->becomes);
			if (now == TRUTH_TRUE && *was == TRUTH_FALSE)
				bits |= 1ull << e;
			*was++ = (uint8_t)now;
		}
	}
	return bits;
}

static size_t count_becoming(const struct spec_property *property)
{
	size_t count = 0;

	for (uint32_t e = 0; e < property->event_count; e++) {
		for (const struct spec_point *p = property->events[e].points; p; p = p->next)
			count += p->kind == SPEC_POINT_BECOMES;
	}
	return count;
}

static void compute_states(struct formula_judge *j)
{
	uint8_t *was = mem_zalloc(count_becoming(j->word->property) + 1, 1);
	size_t at = 0;

	for (size_t v = 0; v < j->word->variable_count; v++) {
		memcpy(j->values[v], j->word->variables[v].initial, 8);
		j->known[v] = (uint8_t)((1u << j->word->variables[v].size) - 1);
	}
	find_becoming(j, was);
	push_state(j, 0);
	for (size_t m = 0; m < j->word->moment_count; m++) {
		const struct checker_moment *moment = &j->word->moments[m];

		if (moment->paused)
			push_state(j, 0);
		for (; at < j->play->order.count && (double)at + 1 <= j->moments.positions[m]; at++)
			write_variables(
				j, checker_base_record(j->play->base, j->play->order.items[at]));
		push_state(j, find_events(j, moment) | find_becoming(j, was));
	}
	free(was);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Adds `length` states after the word, with the atoms in `tail`, and evaluates the formula. */
static enum truth evaluate_with_tail(struct formula_judge *j, size_t count, const uint64_t *tail,
				     size_t length)
{
	for (size_t i = 0; i < j->table.rows.count; i++) {
		struct truth_row *row = &j->table.rows.items[i];

		if (!row->atom)
			continue;
		row->states.count = count;
		for (size_t t = 0; t < length; t++) {
			uint8_t value =
				tail[t] >> (row->atom_number & 63) & 1 ? TRUTH_TRUE : TRUTH_FALSE;

			if (row->atom_number == TRUTH_CONSTANT)
				value = row->states.items[0];
			*vec_push(&row->states) = value;
		}
	}
	return truth_at(&j->table, 0, count + length);
}

static bool is_bad_prefix(struct formula_judge *j, size_t count, struct err *err)
{
	uint64_t symbols = j->table.atom_count <= 6 ? 1ull << j->table.atom_count : 0, tail[2];

	if (count > LONG_WORD)
		symbols = 0;
	for (tail[0] = 0; tail[0] < symbols; tail[0]++) {
		if (evaluate_with_tail(j, count, tail, 1) == TRUTH_TRUE)
			return err_set(err, "the formula could still become true");
		for (tail[1] = 0; tail[1] < symbols && symbols <= 8; tail[1]++) {
			if (evaluate_with_tail(j, count, tail, 2) == TRUTH_TRUE)
				return err_set(err, "the formula could still become true");
		}
	}
	return true;
}

static bool violates_temporal(struct formula_judge *j, struct err *err)
{
	const struct spec_formula *formula = j->word->formula;
	bool ahead = formula->formalism == SPEC_LTL;
	size_t count = 0;
	enum truth found;

	for (size_t i = 0; i < j->table.rows.count && !count; i++)
		count = j->table.rows.items[i].states.count;
	found = truth_at(&j->table, ahead ? 0 : count - 1, count);
	/*
	 * If a state without events precedes the last state, both belong to the last step: the
	 * formula may be violated in either.
	 */
	if (!ahead && (found == TRUTH_TRUE) != formula->never && j->word->moment_count &&
	    j->word->moments[j->word->moment_count - 1].paused)
		found = truth_at(&j->table, count - 2, count);
	if (found == TRUTH_OPEN)
		return err_set(err, "whether the formula holds depends on unknown values");
	if ((found == TRUTH_TRUE) != formula->never)
		return err_set(err, "the formula holds");
	return !ahead || j->word->at_end || is_bad_prefix(j, count, err);
}

static bool violates_ere(struct formula_judge *j, struct err *err)
{
	const struct spec_ere *ere = j->word->formula->ere;
	uint32_t events = j->word->property->event_count;
	size_t count = j->symbols.count;

	if (truth_ere_has(ere, j->symbols.items, count))
		return err_set(err, "the word is in the language");
	if (j->word->at_end || count > LONG_WORD)
		return true;
	(void)vec_reserve(&j->symbols, 2);
	for (uint32_t a = 0; a < events; a++) {
		j->symbols.items[count] = 1ull << a;
		if (truth_ere_has(ere, j->symbols.items, count + 1))
			return err_set(err,
				       "the word could still be continued to one in the language");
		for (uint32_t b = 0; b < events && events <= 8; b++) {
			j->symbols.items[count + 1] = 1ull << b;
			if (truth_ere_has(ere, j->symbols.items, count + 2))
				return err_set(
					err,
					"the word could still be continued to one in the language");
		}
	}
	return true;
}

bool checker_play_violates(const struct checker_play *play,
			   const struct checker_formula_claim *word, struct err *err)
{
	struct formula_judge j = { .play = play, .word = word };
	bool ere = word->formula->formalism == SPEC_ERE, ok;

	if (word->property->event_count > 64)
		return err_set(err, "properties with more than 64 events are not supported");
	j.values = mem_zalloc(word->variable_count + 1, sizeof *j.values);
	j.known = mem_zalloc(word->variable_count + 1, 1);
	if (!ere)
		truth_open(&j.table, word->formula->expr);
	index_events(&j);
	ok = checker_moments_open(&j.moments, play, word->moments, word->moment_count, err) &&
	     is_complete(&j, err);
	if (ok) {
		compute_states(&j);
		ok = ere ? violates_ere(&j, err) : violates_temporal(&j, err);
	}
	truth_close(&j.table);
	vec_free(&j.symbols);
	free(j.values);
	free(j.known);
	checker_moments_close(&j.moments);
	map_free(&j.events);
	return ok;
}
