/*
 * Builds the tables of a grammar (grammar.h): runs the stages of builder.h in order, limits the
 * size of grammars and rejects ambiguous grammars with code.
 */
#include "grammar/builder.h"
#include "base/mem.h"
#include "spec/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The size of the tables grows with the square of the grammar. No realistic grammar reaches these
 * limits.
 */
#define MOST_PRODUCTIONS 2000u
#define MOST_ALTERNATIVES 10000u
#define MOST_ENTRIES 4000000u /* of the LL(1) table */

void builder_complain(struct builder *builder, enum spec_severity severity,
		      struct spec_location place, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < builder->messages->list.count; i++) {
		const struct spec_message *m = &builder->messages->list.items[i];

		if (m->place.line == place.line && m->place.column == place.column &&
		    m->severity == severity && !strcmp(m->text, text)) {
			builder->errors += severity == SPEC_ERROR;
			return;
		}
	}
	builder->errors += severity == SPEC_ERROR;
	spec_report(builder->grammar->file, builder->messages, severity, place, "%s", text);
}

/* ---- attributes of events -------------------------------------------------------------------- */

static bool has_name(const char *const *names, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char **grammar_attributes(const struct spec_property *property, uint32_t event,
				uint32_t *count)
{
	static const char *const common[] = { "tid", "callee", "caller" };
	const struct spec_event *e = &property->events[event];
	const char **names =
		mem_alloc((property->parameter_count + e->local_count + 3) * sizeof *names);

	*count = 0;
	for (uint32_t i = 0; i < property->parameter_count; i++)
		names[(*count)++] = property->parameters[i].name;
	for (uint32_t i = 0; i < e->local_count; i++)
		names[(*count)++] = e->locals[i];
	for (size_t i = 0; i < 3; i++)
		if (!has_name(names, *count, common[i]))
			names[(*count)++] = common[i];
	return names;
}

/* ---- building the tables --------------------------------------------------------------------- */

static bool check_size(struct builder *builder)
{
	const struct grammar *g = builder->grammar;
	uint64_t productions = builder->spec->production_count, alternatives = 0;

	for (uint32_t i = 0; i < productions; i++)
		for (const struct spec_alternative *a = builder->spec->productions[i].alternatives;
		     a; a = a->next)
			alternatives++;
	if (productions <= MOST_PRODUCTIONS && alternatives <= MOST_ALTERNATIVES &&
	    productions * (g->property->event_count + 1) <= MOST_ENTRIES)
		return true;
	builder_complain(builder, SPEC_ERROR, g->formula->place,
			 "the grammar is too large: %" PRIu64 " productions, %" PRIu64
			 " alternatives, %u events",
			 productions, alternatives, g->property->event_count);
	return false;
}

/* Actions and assertions need a unique parse tree. */
static void reject_ambiguous(struct builder *builder)
{
	const struct grammar *g = builder->grammar;
	char *trees[2], *word;

	if (!g->has_code || g->is_ll1 || !(word = grammar_find_ambiguity(g, trees)))
		return;
	builder_complain(builder, SPEC_ERROR, builder->spec->productions[0].place,
			 "%s%.200s%s has two parse trees, but actions and assertions need "
			 "exactly one: %.250s and %.250s",
			 word[0] ? "the word '" : "the empty word", word, word[0] ? "'" : "",
			 trees[0], trees[1]);
	free(word);
	free(trees[0]);
	free(trees[1]);
}

static void set_mode(struct grammar *g)
{
	g->until_end = g->property->until_end;
	g->mode = g->until_end ? GRAMMAR_AT_RESET : GRAMMAR_EVERY_EVENT;
	for (uint32_t i = 0; i < g->property->event_count; i++)
		if (g->property->events[i].reset)
			g->mode = GRAMMAR_AT_RESET;
}

static void build_tables(struct builder *builder)
{
	if (!check_size(builder))
		return;
	set_mode(builder->grammar);
	rules_read(builder);
	outside_read(builder);
	undeclared_names_report(builder);
	outside_report_events(builder);
	code_purity_find(builder);
	sets_find(builder);
	code_compile(builder);
	if (!builder->errors)
		reject_ambiguous(builder);
}

struct grammar *grammar_open(const struct spec_file *file, const struct spec_property *property,
			     const struct spec_formula *formula, struct spec_messages *messages)
{
	struct grammar *g = mem_zalloc(1, sizeof *g);
	struct builder builder = { .grammar = g, .spec = formula->grammar, .messages = messages };
	size_t first = messages->list.count;

	g->file = file;
	g->property = property;
	g->formula = formula;
	build_tables(&builder);
	intern_free(&builder.names);
	vec_free(&builder.wide);
	message_sort(messages, first);
	if (!builder.errors)
		return g;
	grammar_close(g);
	return NULL;
}

void grammar_close(struct grammar *grammar)
{
	if (!grammar)
		return;
	vec_free(&grammar->rules);
	vec_free(&grammar->codes);
	free(grammar->conflict);
	free(grammar->table);
	arena_free(&grammar->arena);
	free(grammar);
}

void grammar_check(const struct spec_file *file, struct spec_messages *messages)
{
	for (const struct spec_property *p = file->properties; p; p = p->next)
		for (const struct spec_formula *f = p->formulas; f; f = f->next)
			if (f->formalism == SPEC_GRAMMAR)
				grammar_close(grammar_open(file, p, f, messages));
}
