/*
 * Builds declarations, properties, the statements in them, and the productions of grammars. See
 * build.h.
 */
#include "spec/build.h"

#include <string.h>

/* ---- declarations ---------------------------------------------------------------------------- */

#define MOST_PARTS 32u /* words and stars of one declaration */

void build_part(struct build *build, const char *text, const struct span *span)
{
	if (build->parts.count == MOST_PARTS)
		build_complain(build, span->place, "this declaration is too long");
	if (build->parts.count <= MOST_PARTS)
		*vec_push(&build->parts) = (struct build_part){ .text = text, .span = *span };
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words;
}

static const char *const floats[] = { "float", "double", NULL };
static const char *const aggregates[] = { "struct", "union", "class", NULL };
static const char *const qualifiers[] = { "const", "volatile", "restrict", "enum", NULL };

static bool is_single_word(const struct build_part *parts, size_t count, const char *name)
{
	return count == 1 && !strcmp(parts[0].text, name);
}

/*
 * Joins the parts into one text, for example "struct table *". If `bare` is set, leaves out
 * qualifiers and the words struct, union, class and enum: "table".
 */
static const char *join_parts(struct build *build, const struct build_part *parts, size_t count,
			      bool bare)
{
	VEC(char) text = { 0 };
	const char *made;

	for (size_t i = 0; i < count; i++) {
		const char *word = parts[i].text;

		if (bare && (is_one_of(word, aggregates) || is_one_of(word, qualifiers)))
			continue;
		if (text.count && text.items[text.count - 1] != '*')
			*vec_push(&text) = ' ';
		for (; *word; word++)
			*vec_push(&text) = *word;
	}
	made = build_text(build, text.items, (uint32_t)text.count);
	vec_free(&text);
	return made;
}

static enum spec_type parameter_type(const struct build_part *parts, size_t count, size_t stars)
{
	if (stars)
		return SPEC_POINTER;
	for (size_t i = 0; i < count; i++)
		if (is_one_of(parts[i].text, floats))
			return SPEC_FLOATING;
	return is_single_word(parts, count, "addr")	? SPEC_ADDR
	       : is_single_word(parts, count, "mutex")	? SPEC_LOCK
	       : is_single_word(parts, count, "string") ? SPEC_STRING
	       : is_single_word(parts, count, "thread") ? SPEC_THREAD
							: SPEC_INT;
}

/*
 * Makes a parameter from `build->parts`: the last word is its name, the words before it are its
 * type.
 */
static bool make_parameter(struct build *build, const struct span *span,
			   struct spec_parameter *made)
{
	const struct build_part *parts = build->parts.items;
	size_t count = build->parts.count, stars = 0, last_star = 0;

	if (!strcmp(parts[count - 1].text, "*")) {
		build_complain(build, parts[count - 1].span.place,
			       "a name is missing after the '*'");
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (!strcmp(parts[i].text, "*"))
			stars++, last_star = i;
	if (count < 2 || !strcmp(parts[0].text, "*")) {
		build_complain(build, span->place,
			       "'%s' has no type; write int, struct NAME *, addr, mutex, string or "
			       "another C type before it",
			       parts[count - 1].text);
		return false;
	}
	*made = (struct spec_parameter){ .name = parts[count - 1].text,
					 .type_text = join_parts(build, parts, count - 1, false),
					 .type = (uint8_t)parameter_type(parts, count - 1, stars),
					 .place = parts[count - 1].span.place };
	if (stars)
		made->pointee = join_parts(build, parts, last_star, true);
	else if (is_one_of(parts[0].text, aggregates)) {
		build_complain(build, span->place,
			       "'%s' is a %s passed by value; declare a pointer instead",
			       made->name, parts[0].text);
		return false;
	}
	return true;
}

void build_parameter(struct build *build, const struct span *span)
{
	struct spec_parameter made;

	if (make_parameter(build, span, &made))
		*vec_push(&build->now.parameters) = made;
	else
		build->now.broken = true;
	build->parts.count = 0;
}

/*
 * For `extern int a, b;`: keeps the words of the type (without stars) in `parts`, because the next
 * names use the same type.
 */
static void keep_type_words(struct build *build, size_t words)
{
	struct build_part *parts = build->parts.items;
	size_t kept = 0;

	while (kept < words && strcmp(parts[kept].text, "*") != 0)
		kept++;
	build->parts.count = kept;
}

void build_extern(struct build *build, const struct span *span)
{
	struct spec_parameter made;

	if (build->parts.count && make_parameter(build, span, &made))
		*vec_push(&build->externs) = made;
	if (build->parts.count)
		keep_type_words(build, build->parts.count - 1);
}

/* ---- properties ------------------------------------------------------------------------------ */

void build_property_begin(struct build *build, const struct span *span, const char *name)
{
	struct spec_property *property = build_alloc(build, sizeof *property);

	build_discard(build);
	build->now.parameters.count = build->now.events.count = 0;
	build->now.broken = false;
	build->now.property = property;
	build->now.next_formula = &property->formulas;
	property->name = name;
	property->place = span->place;
	property->view_parameter = SPEC_NONE;
}

void build_property_end(struct build *build)
{
	struct build_property *now = &build->now;
	struct spec_property *property = now->property;
	struct arena *arena = &build->made->arena;

	property->parameters = arena_copy(arena, now->parameters.items,
					  now->parameters.count * sizeof *now->parameters.items);
	property->parameter_count = (uint32_t)now->parameters.count;
	property->events =
		arena_copy(arena, now->events.items, now->events.count * sizeof *now->events.items);
	property->event_count = (uint32_t)now->events.count;
	if (now->broken)
		/*
		 * Keeping the property would only cause errors about names that could not be
		 * declared.
		 */
		return;
	*build->next_property = property;
	build->next_property = &property->next;
	build->file->property_count++;
}

static const char **copy_names(struct build *build, const struct intern *names)
{
	const char **copy = build_alloc(build, names->items.count * sizeof *copy);

	for (size_t i = 0; i < names->items.count; i++)
		copy[i] =
			build_text(build, names->items.items[i].text, names->items.items[i].length);
	return copy;
}

struct spec_formula *build_formula(struct build *build, enum spec_formalism formalism,
				   const struct span *span, const struct span *text)
{
	struct spec_formula *formula = build_alloc(build, sizeof *formula);

	formula->formalism = (uint8_t)formalism;
	formula->place = span->place;
	formula->text = build_source(build, text->from, text->to);
	formula->threads = copy_names(build, &build->threads);
	formula->thread_count = (uint32_t)build->threads.items.count;
	formula->regions = copy_names(build, &build->regions);
	formula->region_count = (uint32_t)build->regions.items.count;
	*build->now.next_formula = formula;
	build->now.next_formula = &formula->next;
	build_discard(build);
	return formula;
}

void build_temporal(struct build *build, const struct span *word, const struct span *span,
		    struct spec_expr *expr, bool never)
{
	struct span whole = span_join(word, span);
	struct spec_formula *formula = build_formula(build, SPEC_TEMPORAL, &whole, &whole);

	formula->expr = expr;
	formula->never = never;
}

void build_monitor(struct build *build, const struct span *span, struct build_text path)
{
	build_formula(build, SPEC_MONITOR, span, span)->text = path.text;
	if (strlen(path.text) != path.length || !path.length)
		build_complain(build, span->place, "this is not a file name");
}

/* If the last two words are `until end`, removes them and returns true. */
static bool remove_until_end(struct build *build)
{
	const struct build_part *parts = build->parts.items;
	size_t count = build->parts.count;

	if (count < 3 || strcmp(parts[count - 2].text, "until") != 0 ||
	    strcmp(parts[count - 1].text, "end") != 0)
		return false;
	build->parts.count -= 2;
	return true;
}

void build_view(struct build *build, const struct span *span)
{
	static const char *const names[] = { "", "thread", "object", "global" };
	struct spec_property *property = build->now.property;
	bool until_end = remove_until_end(build);
	const struct build_part *parts = build->parts.items;
	const char *parameter = build->parts.count > 1 ? parts[1].text : NULL;
	uint8_t view = SPEC_VIEW_NONE;

	for (uint8_t i = SPEC_VIEW_THREAD; i <= SPEC_VIEW_GLOBAL; i++)
		if (!strcmp(names[i], parts[0].text))
			view = i;
	if (view == SPEC_VIEW_NONE)
		build_complain(build, parts[0].span.place,
			       "there is no view '%s'; use thread, object PARAMETER or global",
			       parts[0].text);
	else if (build->parts.count > 2)
		build_complain(build, parts[2].span.place,
			       "'%s' is not expected here; only 'until end' can follow a view",
			       parts[2].text);
	else if ((view == SPEC_VIEW_OBJECT) != (parameter != NULL))
		build_complain(
			build, span->place, "%s",
			parameter ? "only 'view object' takes a parameter"
				  : "the parameter is missing; write 'view object PARAMETER;'");
	else if (property->view != SPEC_VIEW_NONE)
		build_complain(build, span->place, "a property can have only one view");
	else {
		property->view = view;
		property->view_name = parameter;
		property->view_place = span->place;
		property->until_end = until_end;
	}
	build->parts.count = 0;
}

void build_violation(struct build *build, const struct span *span, const char *what,
		     const char *lua, const struct span *bracket)
{
	if (strcmp(what, "violation") != 0)
		build_complain(build, span->place, "only 'on violation { Lua }' is possible here");
	else if (build->now.property->on_violation)
		build_complain(build, span->place, "a property can have only one 'on violation'");
	build->now.property->on_violation = lua;
	build->now.property->on_violation_place = build_inside(bracket);
}

void build_use(struct build *build, const struct span *span, const char *name, const char *option,
	       const struct span *option_span, int64_t value)
{
	struct spec_use *use = build_alloc(build, sizeof *use);

	*use = (struct spec_use){ .name = name,
				  .option = option,
				  .value = value,
				  .place = span->place,
				  .option_place = option_span->place };
	*build->next_use = use;
	build->next_use = &use->next;
}

/* ---- grammars -------------------------------------------------------------------------------- */

struct spec_location build_inside(const struct span *bracket)
{
	return (struct spec_location){ bracket->place.line, bracket->place.column + 1, 1 };
}

/*
 * Builds a symbol of a production. It is marked as an event; names.c later finds out whether it is
 * a production.
 */
struct spec_item *build_symbol(struct build *build, const struct span *span, const char *label,
			       const char *name)
{
	struct spec_item *item = build_alloc(build, sizeof *item);

	*item = (struct spec_item){ .kind = SPEC_ITEM_EVENT,
				    .place = span->place,
				    .label = label,
				    .name = name,
				    .number = SPEC_NONE };
	return item;
}

struct spec_item *build_code(struct build *build, enum spec_item_kind kind, const struct span *span,
			     const char *lua, const struct span *bracket)
{
	struct spec_item *item = build_alloc(build, sizeof *item);

	*item = (struct spec_item){ .kind = (uint8_t)kind,
				    .place = span->place,
				    .lua = lua,
				    .lua_place = build_inside(bracket),
				    .number = SPEC_NONE };
	return item;
}

struct build_items build_add_item(struct build_items list, struct spec_item *item)
{
	BUILD_APPEND(&list, item);
	return list;
}

struct build_alternatives build_add_alternative(struct build *build, struct build_alternatives list,
						const struct span *span, struct spec_item *items)
{
	struct spec_alternative *made = build_alloc(build, sizeof *made);

	made->place = span->place;
	made->items = items;
	BUILD_APPEND(&list, made);
	return list;
}

void build_production(struct build *build, const struct span *span, const char *name,
		      struct spec_alternative *alternatives)
{
	*vec_push(&build->productions) = (struct spec_production){ .name = name,
								   .place = span->place,
								   .alternatives = alternatives };
}

void build_grammar(struct build *build, const struct span *span, const char *attributes,
		   const struct span *bracket)
{
	struct spec_grammar *grammar = build_alloc(build, sizeof *grammar);
	size_t size = build->productions.count * sizeof(struct spec_production);

	grammar->attributes = attributes;
	grammar->attributes_place = build_inside(bracket);
	grammar->productions = arena_copy(&build->made->arena, build->productions.items, size);
	grammar->production_count = (uint32_t)build->productions.count;
	build_formula(build, SPEC_GRAMMAR, span, span)->grammar = grammar;
}
