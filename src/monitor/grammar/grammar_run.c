/* Judges grammars on the recorded run in one pass (grammar_run.h). */
#include "monitor/grammar/grammar_run.h"

#include "base/map.h"
#include "base/mem.h"
#include "monitor/observe/observe.h"
#include "monitor/grammar/grammar_tokens.h"
#include "monitor/grammar/grammar_views.h"

#include <assert.h>
#include <string.h>

/* Limit for the words reported at one site. Further words are like them. */
#define FOUND_AT_SITE 64u

/* A grammar that is being judged. */
struct running_grammar {
	uint32_t property, formula;
	const struct grammar *grammar;
	struct grammar_parser *parser; /* NULL: it is not judged any further */
	struct view view;
	struct map sites; /* code site to the number of violations there */
};

struct grammar_pass {
	const struct trace *trace;
	struct property_reader *reader;
	struct grammar_run_result *result;
	bool ended;
	VEC(struct running_grammar) grammars; /* sorted by property */
	uint32_t *first;	     /* by property: index of its first grammar; one extra entry */
	grammar_token_values values; /* of the current event */
	bool *threads_ended;	     /* by stream number; NULL: not computed yet */
	uint32_t thread_count;
};

/* ---- results --------------------------------------------------------------------------------- */

static void add_unjudged(struct grammar_pass *r, const struct running_grammar *s, char *why)
{
	for (size_t i = 0; i < r->result->unjudged.count; i++) {
		const struct grammar_unjudged *unjudged = &r->result->unjudged.items[i];

		if (unjudged->property == s->property && unjudged->formula == s->formula) {
			free(why);
			return;
		}
	}
	*vec_push(&r->result->unjudged) = (struct grammar_unjudged){ .property = s->property,
								     .formula = s->formula,
								     .why = why };
}

static void close_words(struct grammar_pass *r, struct running_grammar *s)
{
	r->result->words += s->view.opened;
	if (s->view.most > r->result->most)
		r->result->most = s->view.most;
	view_free(&s->view);
	grammar_parser_close(s->parser);
	s->parser = NULL;
}

/* Stops judging the grammar. Violations found before remain. */
static void stop_grammar(struct grammar_pass *r, struct running_grammar *s, const char *why)
{
	add_unjudged(r, s, mem_copy_text(why, strlen(why)));
	close_words(r, s);
}

static void copy_object(const struct grammar_pass *r, const struct running_grammar *s,
			uint32_t value, struct grammar_found *found)
{
	const struct spec_property *property = s->grammar->property;
	struct property_value *object;

	for (uint32_t p = 0; p < property->parameter_count; p++)
		*vec_push(&found->binding) = (struct property_value){ .type = OBSERVE_UNBOUND };
	object = &found->binding.items[property->view_parameter];
	*object = *property_reader_value(r->reader, s->property, value);
	if (object->text)
		object->text = mem_copy_text(object->text, object->length);
}

/* Adds a violation of the word with this key. Takes over `violation`. */
static void add_violation(struct grammar_pass *r, struct running_grammar *s, struct view_word *word,
			  uint32_t key, bool at_end, struct grammar_violation *violation)
{
	uint64_t *count = map_put(&s->sites, word->last.site, NULL);
	uint8_t view = s->grammar->property->view;
	struct grammar_found *found;

	if ((*count)++ >= FOUND_AT_SITE) {
		grammar_violation_free(violation);
		return;
	}
	found = vec_push(&r->result->found);
	*found = (struct grammar_found){ .property = s->property,
					 .formula = s->formula,
					 .event = word->last.id,
					 .site = word->last.site,
					 .before = word->last.before,
					 .at_end = at_end,
					 .stream = view == SPEC_VIEW_THREAD ? key : UINT32_MAX,
					 .violation = *violation,
					 .session_length = word->length };
	if (view == SPEC_VIEW_OBJECT)
		copy_object(r, s, key, found);
	view_copy_session(word, vec_reserve(&found->session, word->session.count));
	found->session.count = word->session.count;
}

/* Handles the verdict on a word. Returns true if the word goes on. */
static bool handle_verdict(struct grammar_pass *r, struct running_grammar *s,
			   struct view_word *word, uint32_t key, bool at_end,
			   enum grammar_verdict verdict, struct grammar_violation *violation)
{
	switch (verdict) {
	case GRAMMAR_OPEN: return true;
	case GRAMMAR_VIOLATED:
		add_violation(r, s, word, key, at_end, violation);
		view_stop_word(&s->view, word);
		break;
	case GRAMMAR_BROKEN:
		stop_grammar(r, s, violation->why);
		grammar_violation_free(violation);
		break;
	}
	return false;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Finds the key of the word that an event belongs to. Returns false if it belongs to none. */
static bool find_key(const struct running_grammar *s, const struct property_step *step,
		     uint32_t *key)
{
	const struct spec_property *property = s->grammar->property;
	uint32_t locals = property->events[step->event.event].local_count;

	switch (property->view) {
	case SPEC_VIEW_THREAD:
		*key = (uint32_t)step->captured[locals + PROPERTY_TID].number;
		return true;
	case SPEC_VIEW_OBJECT:
		*key = step->bindings[property->view_parameter];
		return *key != PROPERTY_NONE;
	}
	*key = 0;
	return true;
}

static void read_event(struct grammar_pass *r, struct running_grammar *s,
		       const struct property_step *step)
{
	struct grammar_token token = { .event = step->event.event, .values = r->values.items };
	struct grammar_violation violation = { 0 };
	struct view_word *word;
	struct err err = { 0 };
	const char *missing;
	uint32_t key;

	if (!find_key(s, step, &key))
		return;
	word = view_open(&s->view, key, s->parser, &err);
	if (!word) {
		stop_grammar(r, s, err.text);
		return;
	}
	if (!word->word)
		return;
	missing = grammar_tokens_missing(s->grammar, token.event, step->captured);
	if (missing) {
		add_unjudged(r, s, grammar_tokens_missing_text(s->grammar, token.event, missing));
		view_stop_word(&s->view, word);
		return;
	}
	view_record_event(word, &step->event);
	handle_verdict(r, s, word, key, false, grammar_word_take(word->word, &token, &violation),
		       &violation);
}

static void fill_values(struct grammar_pass *r, const struct property_step *step,
			const struct spec_property *property)
{
	const struct property_value *parameters[64] = { 0 }; /* src/spec limits their number */

	for (uint32_t p = 0; p < property->parameter_count; p++) {
		if (step->bindings[p] != PROPERTY_NONE)
			parameters[p] =
				property_reader_value(r->reader, step->property, step->bindings[p]);
	}
	grammar_tokens_fill(property, step->event.event, step->event.id.stream, parameters,
			    step->captured, &r->values);
}

static void handle_event(struct grammar_pass *r, const struct property_step *step)
{
	bool made = false;

	for (uint32_t i = r->first[step->property]; i < r->first[step->property + 1]; i++) {
		struct running_grammar *s = &r->grammars.items[i];

		if (!s->parser)
			continue;
		if (!made) {
			fill_values(r, step, s->grammar->property);
			r->result->events++;
		}
		made = true;
		read_event(r, s, step);
	}
}

/* ---- ends of words --------------------------------------------------------------------------- */

static void end_word(struct grammar_pass *r, struct running_grammar *s, uint32_t key)
{
	struct grammar_violation violation = { 0 };
	struct view_word *word = view_find(&s->view, key);

	if (!word || !word->word)
		return;
	handle_verdict(r, s, word, key, true, grammar_word_end(word->word, &violation), &violation);
}

/* The end of an object's lifetime ends its word. */
static void handle_end_of_object(struct grammar_pass *r, const struct property_step *step)
{
	for (uint32_t i = r->first[step->property]; i < r->first[step->property + 1]; i++) {
		struct running_grammar *s = &r->grammars.items[i];

		if (!s->parser || s->grammar->property->view != SPEC_VIEW_OBJECT)
			continue;
		if (r->ended)
			end_word(r, s, step->value);
		if (s->parser)
			view_close(&s->view, step->value);
	}
}

/*
 * Finds the threads that came to their end. Threads that still ran at process exit did not. A text
 * trace need not say `end`: there a thread ends with its last line.
 */
static void find_ended_threads(struct grammar_pass *r)
{
	bool text = trace_is_text(r->trace);

	for (uint32_t i = 0; i < trace_stream_count(r->trace); i++) {
		uint32_t number = trace_stream(r->trace, i)->number;

		if (number >= r->thread_count)
			r->thread_count = number + 1;
	}
	r->threads_ended = mem_zalloc(r->thread_count + 1ull, sizeof *r->threads_ended);
	for (uint32_t i = 0; i < trace_stream_count(r->trace); i++) {
		bool *ended = &r->threads_ended[trace_stream(r->trace, i)->number];
		struct trace_cursor *cursor = trace_cursor_open(r->trace, i);
		struct trace_event event;
		struct err err;

		*ended = text;
		while (!*ended && trace_next(cursor, &event, &err))
			*ended = event.kind == EV_END ||
				 (event.kind == EV_PROCESS && event.mode == EVENT_PROCESS_EXIT);
		trace_cursor_close(cursor);
	}
}

static bool is_complete_word(struct grammar_pass *r, const struct running_grammar *s, uint32_t key)
{
	if (s->grammar->property->view != SPEC_VIEW_THREAD)
		return true;
	if (!r->threads_ended)
		find_ended_threads(r);
	return key < r->thread_count && r->threads_ended[key];
}

/* The end of the run ends every remaining word. */
static void end_all_words(struct grammar_pass *r)
{
	for (size_t i = 0; i < r->grammars.count; i++) {
		struct running_grammar *s = &r->grammars.items[i];

		if (!r->ended || !s->grammar->until_end)
			continue;
		for (uint32_t key = 0; s->parser && key < s->view.by_key.count; key++) {
			if (view_find(&s->view, key) && is_complete_word(r, s, key))
				end_word(r, s, key);
		}
	}
}

/* ---- events that could not be seen ----------------------------------------------------------- */

static void free_found(struct grammar_found *found)
{
	for (size_t p = 0; p < found->binding.count; p++)
		free((char *)found->binding.items[p].text);
	vec_free(&found->binding);
	vec_free(&found->session);
	grammar_violation_free(&found->violation);
}

static void remove_violations(struct grammar_pass *r, const struct running_grammar *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->result->found.count; i++) {
		struct grammar_found *found = &r->result->found.items[i];

		if (found->property == s->property && found->formula == s->formula)
			free_found(found);
		else
			r->result->found.items[kept++] = *found;
	}
	r->result->found.count = kept;
}

/*
 * Removes violations that may be false because events are missing. Whether events are missing is
 * known only after the pass.
 */
static void remove_uncertain_violations(struct grammar_pass *r)
{
	for (size_t i = 0; i < r->grammars.count; i++) {
		const struct running_grammar *s = &r->grammars.items[i];
		struct property_events unseen;
		char *why;

		property_reader_unseen(r->reader, s->property, &unseen);
		why = grammar_tokens_unjudged(s->grammar, &unseen);
		property_events_free(&unseen);
		if (!why)
			continue;
		remove_violations(r, s);
		add_unjudged(r, s, why);
	}
}

/* ---- the pass as a whole --------------------------------------------------------------------- */

static void add_grammar(struct grammar_pass *r, uint32_t property, uint32_t formula,
			const struct grammar *grammar)
{
	struct running_grammar *s = vec_push(&r->grammars);
	struct err err = { 0 };

	*s = (struct running_grammar){ .property = property,
				       .formula = formula,
				       .grammar = grammar };
	s->parser = grammar_parser_open(grammar, false, NULL, &err);
	if (!s->parser)
		add_unjudged(r, s, mem_copy_text(err.text, strlen(err.text)));
}

static void open_grammars(struct grammar_pass *r, struct spec_file *const *files, size_t count,
			  struct grammar *const *grammars)
{
	size_t properties = 0;
	uint32_t property = 0;

	for (size_t f = 0; f < count; f++)
		properties += files[f]->property_count;
	r->first = mem_zalloc(properties + 1, sizeof *r->first);
	for (size_t f = 0; f < count; f++) {
		for (const struct spec_property *p = files[f]->properties; p; p = p->next) {
			uint32_t number = 0;

			r->first[property] = (uint32_t)r->grammars.count;
			for (const struct spec_formula *g = p->formulas; g; g = g->next) {
				number++;
				if (*grammars)
					add_grammar(r, property, number, *grammars);
				grammars++;
			}
			property++;
		}
	}
	assert(property == properties);
	r->first[property] = (uint32_t)r->grammars.count;
}

static void free_pass(struct grammar_pass *r)
{
	for (size_t i = 0; i < r->grammars.count; i++) {
		close_words(r, &r->grammars.items[i]);
		map_free(&r->grammars.items[i].sites);
	}
	vec_free(&r->grammars);
	free(r->first);
	vec_free(&r->values);
	free(r->threads_ended);
	property_reader_close(r->reader);
}

bool grammar_run(const struct trace *trace, struct spec_file *const *files, size_t count,
		 struct grammar *const *grammars, bool ended, struct grammar_run_result *result,
		 struct err *err)
{
	struct grammar_pass r = { .trace = trace, .result = result, .ended = ended };
	struct property_step step;

	(void)err;
	*result = (struct grammar_run_result){ 0 };
	open_grammars(&r, files, count, grammars);
	if (r.grammars.count) {
		r.reader = property_reader_open(trace, files, count);
		while (property_reader_next(r.reader, &step)) {
			if (step.kind == PROPERTY_HAPPENED)
				handle_event(&r, &step);
			else
				handle_end_of_object(&r, &step);
		}
		end_all_words(&r);
		remove_uncertain_violations(&r);
	}
	free_pass(&r);
	return true;
}

void grammar_run_free(struct grammar_run_result *result)
{
	for (size_t i = 0; i < result->found.count; i++)
		free_found(&result->found.items[i]);
	vec_free(&result->found);
	for (size_t i = 0; i < result->unjudged.count; i++)
		free(result->unjudged.items[i].why);
	vec_free(&result->unjudged);
}
