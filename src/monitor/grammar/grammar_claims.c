#include "monitor/grammar/grammar_claims.h"

#include "base/mem.h"
#include "monitor/grammar/grammar_machine.h"
#include "monitor/observe/observe.h"
#include "monitor/grammar/grammar_tokens.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------------------------------ */

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

/* The first error is enough here: `spec check` and the commands that read files tell all. */
static void open_grammar(struct sentence *sentence, const struct spec_property *property,
			 const struct spec_formula *formula)
{
	struct spec_messages messages = { 0 };
	const char *why = "its file is not known";

	if (sentence->file) {
		why = "the grammar is not good";
		sentence->grammar = grammar_open(sentence->file, property, formula, &messages);
	}
	for (size_t i = messages.list.count; i--;) {
		if (messages.list.items[i].severity == SPEC_ERROR)
			why = messages.list.items[i].text;
	}
	if (!sentence->grammar)
		sentence->why = mem_copy_text(why, strlen(why));
	spec_messages_free(&messages);
}

void grammar_claims_open(struct grammar_claims *s, const struct property_set *set,
			 struct spec_file *const *files, size_t count)
{
	*s = (struct grammar_claims){ .set = set };
	for (uint32_t i = 0; i < set->properties.count; i++) {
		const struct spec_property *property = set->properties.items[i].property;
		uint32_t number = 0;

		for (const struct spec_formula *f = property->formulas; f; f = f->next) {
			struct sentence sentence = { .property = i, .number = ++number };

			if (f->formalism != SPEC_GRAMMAR)
				continue;
			sentence.file = file_of(property, files, count);
			open_grammar(&sentence, property, f);
			*vec_push(&s->list) = sentence;
		}
	}
}

void grammar_claims_close(struct grammar_claims *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		if (s->list.items[i].grammar)
			grammar_close(s->list.items[i].grammar);
		free(s->list.items[i].why);
	}
	vec_free(&s->list);
	grammar_run_free(&s->run);
}

struct sentence *grammar_claims_find(struct grammar_claims *s, uint32_t property, uint32_t number)
{
	for (size_t i = 0; i < s->list.count; i++) {
		struct sentence *sentence = &s->list.items[i];

		if (sentence->property == property && sentence->number == number)
			return sentence;
	}
	return NULL;
}

/* ---- the recorded run ---------------------------------------------------------------------------- */

typedef VEC(struct grammar *) grammar_list;

/* By formula of all properties. */
static void list_grammars(struct grammar_claims *s, grammar_list *out)
{
	for (uint32_t i = 0; i < s->set->properties.count; i++) {
		uint32_t number = 0;

		for (const struct spec_formula *f = s->set->properties.items[i].property->formulas;
		     f; f = f->next) {
			const struct sentence *sentence = grammar_claims_find(s, i, ++number);

			*vec_push(out) = sentence ? sentence->grammar : NULL;
		}
	}
}

bool grammar_claims_judge_recorded(struct grammar_claims *s, const struct trace *trace,
				   struct spec_file *const *files, size_t count, bool ended,
				   struct err *err)
{
	grammar_list grammars = { 0 };
	bool done = true;

	list_grammars(s, &grammars);
	if (s->list.count)
		done = grammar_run(trace, files, count, grammars.items, ended, &s->run, err);
	vec_free(&grammars);
	for (size_t i = 0; i < s->run.left.count; i++) {
		const struct grammar_left *left = &s->run.left.items[i];
		struct sentence *sentence = grammar_claims_find(s, left->property, left->formula);

		if (sentence && !sentence->why)
			sentence->why = mem_copy_text(left->why, strlen(left->why));
	}
	return done;
}

/* ---- other runs ---------------------------------------------------------------------------------- */

struct machine *grammar_claims_machine(const struct grammar_claims *s,
				       const struct sentence *sentence,
				       const struct computation *computation, struct err *err)
{
	return grammar_machine_open(s->set, sentence->property, sentence->grammar,
				    &computation->labels, err);
}

void grammar_claims_keep(struct observe_sentence *told, struct grammar_violation *violation)
{
	const struct grammar_code *assertion = violation->assertion;

	told->violation = *violation;
	*violation = (struct grammar_violation){ 0 };
	told->violation.assertion = NULL;
	if (!assertion)
		return;
	told->assertion = mem_copy_text(assertion->text, strlen(assertion->text));
	told->line = assertion->place.line;
}

struct telling {
	const struct property_events *events;
	struct grammar_word *word;
	struct observe_sentence *told;
	struct grammar_violation violation;
	VEC(struct script_value) values;
};

static enum grammar_verdict take(struct telling *t, uint32_t number, struct event_id id)
{
	const struct property_event *event = &t->events->events.items[number];
	uint32_t count;

	free(grammar_attributes(t->events->property, event->event, &count));
	while (t->values.count < count)
		*vec_push(&t->values) = (struct script_value){ 0 };
	grammar_tokens_of_event(t->events, event, t->values.items);
	if (!grammar_word_length(t->word))
		t->told->session.count = 0;
	*vec_push(&t->told->session) = id;
	return grammar_word_take(t->word, &(struct grammar_token){ event->event, t->values.items },
				 &t->violation);
}

static enum grammar_verdict take_all(struct telling *t, const struct computation *computation,
				     const uint32_t *messages, size_t count)
{
	enum grammar_verdict verdict = GRAMMAR_OPEN;

	for (size_t i = 0; i < count && verdict == GRAMMAR_OPEN; i++) {
		const struct message *m = &computation->messages.items[messages[i]];
		const struct label *label = &computation->labels.list.items[m->label];

		for (uint32_t k = 0; k < label->event_count && verdict == GRAMMAR_OPEN; k++)
			verdict = take(t, label->events[k].number, m->parts[m->anchor]);
	}
	return verdict;
}

static void shorten(struct observe_sentence *told)
{
	size_t more = told->session.count > OBSERVE_STORY ? told->session.count - OBSERVE_STORY : 0;

	told->session_length = told->session.count;
	memmove(told->session.items, told->session.items + more,
		(told->session.count - more) * sizeof *told->session.items);
	told->session.count -= more;
}

struct observe_sentence *grammar_claims_tell(const struct grammar_claims *s,
					     const struct sentence *sentence,
					     const struct computation *computation,
					     const uint32_t *messages, size_t count, bool at_end)
{
	struct err err;
	struct grammar_parser *parser = grammar_parser_open(sentence->grammar, false, NULL, &err);
	struct telling t = { .events = &s->set->properties.items[sentence->property] };
	enum grammar_verdict verdict = GRAMMAR_OPEN;

	t.told = mem_zalloc(1, sizeof *t.told);
	t.told->stream = UINT32_MAX;
	t.word = parser ? grammar_word_open(parser, &err) : NULL;
	if (t.word)
		verdict = take_all(&t, computation, messages, count);
	if (t.word && verdict == GRAMMAR_OPEN && at_end)
		grammar_word_end(t.word, &t.violation);
	grammar_claims_keep(t.told, &t.violation);
	if (t.told->session.count)
		shorten(t.told);
	if (t.word)
		grammar_word_close(t.word);
	if (parser)
		grammar_parser_close(parser);
	vec_free(&t.values);
	return t.told;
}
