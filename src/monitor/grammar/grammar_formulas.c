/*
 * The grammars of a set of properties (grammar_formulas.h). If a run of the lattice violates a
 * grammar, its word is parsed again to find out what is wrong with it.
 */
#include "monitor/grammar/grammar_formulas.h"

#include "base/mem.h"
#include "monitor/grammar/grammar_machine.h"
#include "monitor/observe/observe.h"
#include "monitor/grammar/grammar_tokens.h"

#include <stdlib.h>
#include <string.h>

/* ---- the grammars ---------------------------------------------------------------------------- */

static const struct spec_file *file_of(const struct spec_property *property,
				       struct spec_file *const *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (const struct spec_property *p = files[i]->properties; p; p = p->next) {
			if (p == property)
				return files[i];
		}
	}
	return NULL;
}

/*
 * Keeps only the first error of a grammar. `spec check`, and the commands that read property files,
 * report all errors.
 */
static void open_grammar(struct grammar_formula *g, const struct spec_property *property,
			 const struct spec_formula *formula)
{
	struct spec_messages messages = { 0 };
	const char *why = "its file is unknown";

	if (g->file) {
		why = "the grammar is not valid";
		g->grammar = grammar_open(g->file, property, formula, &messages);
	}
	for (size_t i = messages.list.count; i--;) {
		if (messages.list.items[i].severity == SPEC_ERROR)
			why = messages.list.items[i].text;
	}
	if (!g->grammar)
		g->why = mem_copy_text(why, strlen(why));
	spec_messages_free(&messages);
}

void grammar_formulas_open(struct grammar_formulas *s, const struct property_set *set,
			   struct spec_file *const *files, size_t count)
{
	*s = (struct grammar_formulas){ .set = set };
	for (uint32_t i = 0; i < set->properties.count; i++) {
		const struct spec_property *property = set->properties.items[i].property;
		uint32_t number = 0;

		for (const struct spec_formula *f = property->formulas; f; f = f->next) {
			struct grammar_formula g = { .property = i, .number = ++number };

			if (f->formalism != SPEC_GRAMMAR)
				continue;
			g.file = file_of(property, files, count);
			open_grammar(&g, property, f);
			*vec_push(&s->list) = g;
		}
	}
}

void grammar_formulas_close(struct grammar_formulas *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		if (s->list.items[i].grammar)
			grammar_close(s->list.items[i].grammar);
		free(s->list.items[i].why);
	}
	vec_free(&s->list);
	grammar_run_free(&s->run);
}

struct grammar_formula *grammar_formulas_find(struct grammar_formulas *s, uint32_t property,
					      uint32_t number)
{
	for (size_t i = 0; i < s->list.count; i++) {
		struct grammar_formula *g = &s->list.items[i];

		if (g->property == property && g->number == number)
			return g;
	}
	return NULL;
}

/* ---- the recorded run ------------------------------------------------------------------------ */

typedef VEC(struct grammar *) grammar_list;

/* Lists the grammars by formula of all properties. */
static void list_grammars(struct grammar_formulas *s, grammar_list *out)
{
	for (uint32_t i = 0; i < s->set->properties.count; i++) {
		uint32_t number = 0;

		for (const struct spec_formula *f = s->set->properties.items[i].property->formulas;
		     f; f = f->next) {
			const struct grammar_formula *g = grammar_formulas_find(s, i, ++number);

			*vec_push(out) = g ? g->grammar : NULL;
		}
	}
}

bool grammar_formulas_judge_recorded(struct grammar_formulas *s, const struct trace *trace,
				     struct spec_file *const *files, size_t count, bool ended,
				     struct err *err)
{
	grammar_list grammars = { 0 };
	bool done = true;

	list_grammars(s, &grammars);
	if (s->list.count)
		done = grammar_run(trace, files, count, grammars.items, ended, &s->run, err);
	vec_free(&grammars);
	for (size_t i = 0; i < s->run.unjudged.count; i++) {
		const struct grammar_unjudged *unjudged = &s->run.unjudged.items[i];
		struct grammar_formula *g =
			grammar_formulas_find(s, unjudged->property, unjudged->formula);

		if (g && !g->why)
			g->why = mem_copy_text(unjudged->why, strlen(unjudged->why));
	}
	return done;
}

/* ---- other runs ------------------------------------------------------------------------------ */

struct machine *grammar_formulas_machine(const struct grammar_formulas *s,
					 const struct grammar_formula *g,
					 const struct computation *computation, struct err *err)
{
	return grammar_machine_open(s->set, g->property, g->grammar, &computation->labels, err);
}

void grammar_formulas_take_violation(struct observe_word *result,
				     struct grammar_violation *violation)
{
	const struct grammar_code *assertion = violation->assertion;

	result->violation = *violation;
	*violation = (struct grammar_violation){ 0 };
	result->violation.assertion = NULL;
	if (!assertion)
		return;
	result->assertion = mem_copy_text(assertion->text, strlen(assertion->text));
	result->line = assertion->place.line;
}

struct word_replay {
	const struct property_events *events;
	struct grammar_word *word;
	struct observe_word *result;
	struct grammar_violation violation;
	grammar_token_values values;
};

static enum grammar_verdict replay_event(struct word_replay *t, uint32_t number, struct event_id id)
{
	const struct property_event *event = &t->events->events.items[number];

	if (!grammar_word_length(t->word))
		t->result->session.count = 0;
	*vec_push(&t->result->session) = id;
	return grammar_word_take(
		t->word,
		&(struct grammar_token){ event->event,
					 grammar_tokens_of_event(t->events, event, &t->values) },
		&t->violation);
}

static enum grammar_verdict replay_messages(struct word_replay *t,
					    const struct computation *computation,
					    const uint32_t *messages, size_t count)
{
	enum grammar_verdict verdict = GRAMMAR_OPEN;

	for (size_t i = 0; i < count && verdict == GRAMMAR_OPEN; i++) {
		const struct message *m = &computation->messages.items[messages[i]];
		const struct label *label = &computation->labels.list.items[m->label];

		for (uint32_t k = 0; k < label->event_count && verdict == GRAMMAR_OPEN; k++)
			verdict = replay_event(t, label->events[k].number, m->parts[m->anchor]);
	}
	return verdict;
}

static void keep_last_events(struct observe_word *result)
{
	size_t more =
		result->session.count > OBSERVE_SHOWN ? result->session.count - OBSERVE_SHOWN : 0;

	result->session_length = result->session.count;
	memmove(result->session.items, result->session.items + more,
		(result->session.count - more) * sizeof *result->session.items);
	result->session.count -= more;
}

struct observe_word *grammar_formulas_explain_word(const struct grammar_formulas *s,
						   const struct grammar_formula *g,
						   const struct computation *computation,
						   const uint32_t *messages, size_t count,
						   bool at_end)
{
	struct err err;
	struct grammar_parser *parser = grammar_parser_open(g->grammar, false, NULL, &err);
	struct word_replay t = { .events = &s->set->properties.items[g->property] };
	enum grammar_verdict verdict = GRAMMAR_OPEN;

	t.result = mem_zalloc(1, sizeof *t.result);
	t.result->stream = UINT32_MAX;
	t.word = parser ? grammar_word_open(parser, &err) : NULL;
	if (t.word)
		verdict = replay_messages(&t, computation, messages, count);
	if (t.word && verdict == GRAMMAR_OPEN && at_end)
		grammar_word_end(t.word, &t.violation);
	grammar_formulas_take_violation(t.result, &t.violation);
	if (t.result->session.count)
		keep_last_events(t.result);
	if (t.word)
		grammar_word_close(t.word);
	if (parser)
		grammar_parser_close(parser);
	vec_free(&t.values);
	return t.result;
}
