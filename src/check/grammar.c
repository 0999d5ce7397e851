/*
 * Checks that a grammar rejects a word at its last event. The word is read from the schedule that
 * was played, and split into sessions. Each session is judged (grammar_check.h): those before the
 * last must be complete and correct, and the last one must be wrong at its last event.
 */
#include "check/grammar.h"

#include "base/mem.h"
#include "check/moments.h"
#include "check/source.h"
#include "check/grammar_check.h"

struct grammar_judge {
	const struct checker_grammar_claim *claim;
	struct checker_moments moments;
	/* a moment (an event, or just before it) to 1 + the index of its first occurrence */
	struct map occurrences;
	VEC(uint32_t) more; /* by occurrence: 1 + the next one at the same moment; 0 if none */
	struct grammar_check grammar;
	VEC(struct grammar_check_token) tokens;
	size_t length; /* of the whole word, including events after the schedule */
};

/* ---- the word -------------------------------------------------------------------------------- */

/* Returns the number of the thread that executed the stream with this number. */
static uint32_t find_thread_number(const struct grammar_judge *j, uint32_t number)
{
	const struct trace *trace = j->moments.play->world->trace;
	uint32_t stream = trace_find_stream(trace, number);

	return stream == TRACE_NONE
		       ? number
		       : trace_stream(trace, trace_stream_owner(trace, stream))->number;
}

static bool is_in_word(const struct grammar_judge *j, const struct checker_occurrence *o)
{
	const struct checker_grammar_claim *claim = j->claim;
	uint32_t object = claim->property->view_parameter;

	if (claim->stream != UINT32_MAX && find_thread_number(j, o->anchor.stream) != claim->stream)
		return false;
	return !claim->binding ||
	       claim->events->bindings[o->bindings + object] == claim->binding[object];
}

static uint64_t moment_key(const struct event_id *anchor, bool before)
{
	return checker_moments_key(anchor->stream, anchor->index) << 1 | before;
}

/* Goes backwards, so that the lists of occurrences at one moment end up in order. */
static void index_occurrences(struct grammar_judge *j)
{
	const struct checker_property *events = j->claim->events;

	for (size_t i = 0; i < events->count; i++)
		*vec_push(&j->more) = 0;
	for (size_t i = events->count; i--;) {
		const struct checker_occurrence *o = &events->occurrences[i];
		uint64_t *first;
		bool fresh;

		if (!is_in_word(j, o))
			continue;
		j->length++;
		first = map_put(&j->occurrences, moment_key(&o->anchor, o->before), &fresh);
		j->more.items[i] = fresh ? 0 : (uint32_t)*first;
		*first = i + 1;
	}
}

/* Checks that no event of the word was left out. */
static bool is_complete(const struct grammar_judge *j, struct err *err)
{
	for (size_t i = 0; i < j->claim->events->count; i++) {
		const struct checker_occurrence *o = &j->claim->events->occurrences[i];

		if (is_in_word(j, o) && checker_moments_left_out(&j->moments, o))
			return checker_moments_refuse(&j->moments, &o->anchor,
						      "is an event of the word, but was left out",
						      err);
	}
	return true;
}

static void read_word(struct grammar_judge *j)
{
	for (size_t m = 0; m < j->claim->moment_count; m++) {
		const struct checker_moment *moment = &j->claim->moments[m];
		const uint64_t *first =
			map_get(&j->occurrences, moment_key(&moment->anchor, moment->before));

		for (uint64_t i = first ? *first : 0; i; i = j->more.items[i - 1])
			*vec_push(&j->tokens) = (struct grammar_check_token){
				j->claim->events->occurrences[i - 1].event, j->claim->values[i - 1]
			};
	}
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool has_resets(const struct spec_property *property)
{
	for (uint32_t e = 0; e < property->event_count; e++) {
		if (property->events[e].reset)
			return true;
	}
	return false;
}

/*
 * If every prefix must be a word, no prefix before the last event may be wrong. Each prefix is
 * judged separately, so this is tested only for words up to this length. In a longer word, an
 * earlier event may have been wrong already.
 */
#define PREFIXES 200u

static bool is_first_error(struct grammar_judge *j, struct err *err)
{
	for (size_t count = 1; count < j->tokens.count && j->tokens.count <= PREFIXES; count++) {
		struct grammar_check_result result =
			grammar_check_judge(&j->grammar, j->tokens.items, count, true, err);

		if (result.verdict == GRAMMAR_CHECK_BROKEN)
			return false;
		if (result.verdict != GRAMMAR_CHECK_GOOD)
			return err_set(
				err, "the word already violates the grammar before its last event");
	}
	return true;
}

/* Is the last session, from token `start`, wrong at its last event? `reset`: that event ends it. */
static bool is_last_session_wrong(struct grammar_judge *j, size_t start, bool reset,
				  struct err *err)
{
	const struct spec_property *property = j->claim->property;
	bool always = !has_resets(property) && !property->until_end;
	bool complete = always || reset || (property->until_end && j->claim->at_end);
	struct grammar_check_result result = grammar_check_judge(
		&j->grammar, j->tokens.items + start, j->tokens.count - start, complete, err);

	if (result.verdict == GRAMMAR_CHECK_BROKEN)
		return false;
	if (result.verdict != GRAMMAR_CHECK_WRONG)
		return err_set(err, "the word is correct");
	if (j->claim->at_end && j->tokens.count < j->length)
		return err_set(err, "the word continues after the schedule");
	if (start + result.at + 1 < j->tokens.count)
		return err_set(err, "the word already violates the grammar before its last event");
	return !always || is_first_error(j, err);
}

/* Judges the sessions in turn. If the last event ends a session, no further one is judged. */
static bool judge_sessions(struct grammar_judge *j, struct err *err)
{
	size_t start = 0;

	for (size_t i = 0; i < j->tokens.count; i++) {
		struct grammar_check_result result;
		bool reset;

		if (!grammar_check_resets(&j->grammar, &j->tokens.items[i], &reset, err))
			return false;
		if (i + 1 == j->tokens.count)
			return is_last_session_wrong(j, start, reset, err);
		if (!reset)
			continue;
		result = grammar_check_judge(&j->grammar, j->tokens.items + start, i + 1 - start,
					     true, err);
		if (result.verdict == GRAMMAR_CHECK_BROKEN)
			return false;
		if (result.verdict != GRAMMAR_CHECK_GOOD)
			return err_set(err, "an earlier session already violates the grammar");
		grammar_check_next_session(&j->grammar);
		start = i + 1;
	}
	return err_set(err, "the word is empty");
}

bool checker_play_rejects_word(const struct checker_play *play,
			       const struct checker_grammar_claim *sentence, struct err *err)
{
	struct grammar_judge j = { .claim = sentence };
	bool ok;

	ok = checker_moments_open(&j.moments, play, sentence->moments, sentence->moment_count, err);
	index_occurrences(&j);
	ok = ok && is_complete(&j, err) &&
	     grammar_check_open(&j.grammar, sentence->file, sentence->property, sentence->formula,
				err);
	if (ok) {
		read_word(&j);
		ok = judge_sessions(&j, err);
	}
	if (j.grammar.script)
		grammar_check_close(&j.grammar);
	checker_moments_close(&j.moments);
	map_free(&j.occurrences);
	vec_free(&j.more);
	vec_free(&j.tokens);
	return ok;
}
