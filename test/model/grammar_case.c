#include "grammar_case.h"

#include <string.h>

const char *const case_event_names[EVENT_ATTRIBUTES] = { "x", "y", "tid", "callee", "o" };
const char *const case_attribute_names[ATTRIBUTES] = { "p", "q", "t" };
const char *const case_wide_names[WIDES] = { "g", "h", "m", "k" };
const char *const case_texts[2] = { "f", "get" };

uint64_t case_random(uint64_t *random, uint64_t below)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (*random >> 11) % below;
}

const struct item *case_find_symbol(const struct rule *rule, int symbol)
{
	for (int i = 0; i < rule->count; i++) {
		if (rule->items[i].symbol == symbol)
			return &rule->items[i];
	}
	return NULL;
}

/* The place for which code is made, which decides what names the code may use. */
struct maker {
	struct grammar_case *c;
	uint64_t *random;
	const struct rule *rule; /* NULL: code of a reset or of the head */
	int at;			 /* items before this one have been passed */
	bool reset;
	bool condition; /* make a condition in C */
	/*
	 * prefer attributes of the whole session, so that the effects of earlier code are visible
	 */
	bool wide;
};

static int pick(struct maker *m, int below)
{
	return (int)case_random(m->random, (uint64_t)below);
}

static bool chance(struct maker *m, int percent)
{
	return pick(m, 100) < percent;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool same_name(const struct item *a, const struct item *b)
{
	return a->kind == b->kind && a->number == b->number && !a->label && !b->label;
}

static bool is_symbol(const struct item *item)
{
	return item->kind == ITEM_EVENT || item->kind == ITEM_PRODUCTION;
}

/*
 * Can code name the symbol? Not if two symbols have this name, or if it is that of the left side.
 */
static bool has_name(const struct rule *rule, const struct item *item)
{
	if (item->label)
		return true;
	if (item->kind == ITEM_PRODUCTION && item->number == rule->left)
		return false;
	for (int i = 0; i < rule->count; i++) {
		if (&rule->items[i] != item && is_symbol(&rule->items[i]) &&
		    same_name(&rule->items[i], item))
			return false;
	}
	return true;
}

/*
 * Returns a random symbol of this kind that code may name here, or NULL. Events must come before
 * the code.
 */
static const struct item *pick_symbol(struct maker *m, enum item_kind kind)
{
	const struct item *found = NULL;
	int seen = 0;

	if (!m->rule)
		return NULL;
	for (int i = 0; i < (kind == ITEM_EVENT ? m->at : m->rule->count); i++) {
		const struct item *item = &m->rule->items[i];

		if (item->kind == kind && has_name(m->rule, item) && !pick(m, ++seen))
			found = item;
	}
	return found;
}

/* ---- expressions ----------------------------------------------------------------------------- */

#define SPARE 60 /* nodes reserved to complete an expression when there is no more room */

static int node(struct maker *m, enum node_kind kind, int number, int a, int b)
{
	struct node *n = &m->c->nodes[m->c->node_count];

	*n = (struct node){ .kind = (uint8_t)kind,
			    .number = (int16_t)number,
			    .a = (int16_t)a,
			    .b = (int16_t)b,
			    .words = chance(m, 30) };
	return m->c->node_count++;
}

static int number_node(struct maker *m, int number)
{
	return node(m, NODE_NUMBER, number, 0, 0);
}

static int of_symbol(struct maker *m, enum node_kind kind, int symbol, int number)
{
	int made = node(m, kind, number, 0, 0);

	m->c->nodes[made].symbol = (int16_t)symbol;
	return made;
}

/* Picks an attribute of an event, in most cases one that is a number. */
static int pick_event_number(struct maker *m)
{
	static const int numbers[] = { EVENT_X, EVENT_X, EVENT_X, EVENT_Y, EVENT_TID, EVENT_O };
	int number = numbers[pick(m, 6)];

	return number == EVENT_O && !m->c->parameter ? EVENT_X : number;
}

static int make_read(struct maker *m)
{
	const struct item *event = pick_symbol(m, ITEM_EVENT);
	const struct item *production = pick_symbol(m, ITEM_PRODUCTION);
	int way = pick(m, 100);

	if (m->reset && way < 75)
		return node(m, NODE_OWN, pick_event_number(m), 0, 0);
	if (m->wide && m->rule && chance(m, 45))
		return node(m, NODE_WIDE, pick(m, WIDE_M), 0, 0);
	if (!m->rule || way < 10)
		return node(m, NODE_SESSION, pick(m, ATTRIBUTE_T), 0, 0);
	if (event && way < 40)
		return of_symbol(m, NODE_ATTRIBUTE, event->symbol, pick_event_number(m));
	if (production && way < 65)
		return of_symbol(m, NODE_ATTRIBUTE, production->symbol, pick(m, ATTRIBUTE_T));
	if (way < 80)
		return of_symbol(m, NODE_ATTRIBUTE, SYMBOL_LEFT, pick(m, ATTRIBUTE_T));
	return node(m, NODE_WIDE, pick(m, WIDE_M), 0, 0);
}

static int make_table(struct maker *m)
{
	const struct item *production = pick_symbol(m, ITEM_PRODUCTION);

	if (!m->rule)
		return node(m, NODE_SESSION, ATTRIBUTE_T, 0, 0);
	if (chance(m, 60))
		return node(m, NODE_WIDE, WIDE_M, 0, 0);
	if (production && chance(m, 50))
		return of_symbol(m, NODE_ATTRIBUTE, production->symbol, ATTRIBUTE_T);
	if (chance(m, 20))
		return node(m, NODE_SESSION, ATTRIBUTE_T, 0, 0);
	return of_symbol(m, NODE_ATTRIBUTE, SYMBOL_LEFT, ATTRIBUTE_T);
}

static int make_condition(struct maker *m, int depth);

static int make_number(struct maker *m, int depth)
{
	int way = pick(m, 100), a;

	if (m->c->node_count > CASE_NODES - SPARE)
		return number_node(m, 1);
	if (depth <= 0 ? way < 35 : way < 20)
		return number_node(m, pick(m, 6) - 1);
	if (depth <= 0 || way < 60) {
		a = make_read(m);
		return chance(m, 96) ? node(m, NODE_OR_ZERO, 0, a, 0) : a;
	}
	if (way < 80) {
		/* in C a comparison is a number, too */
		a = m->condition && chance(m, 8)
			    ? node(m, NODE_LESS, 0, make_number(m, 0), make_number(m, 0))
			    : make_number(m, depth - 1);
		return node(m, way < 72 ? NODE_ADD : NODE_SUBTRACT, 0, a,
			    make_number(m, depth - 1));
	}
	if (way < 84)
		return node(m, NODE_MULTIPLY, 0, make_number(m, depth - 1), make_number(m, 0));
	if (way < 90)
		return node(m, NODE_MODULO, 2 + pick(m, 4), make_number(m, depth - 1), 0);
	if (way < 94) {
		a = node(m, NODE_CHOOSE, 0, make_condition(m, 0), make_number(m, depth - 1));
		m->c->nodes[a].c = (int16_t)make_number(m, depth - 1);
		return a;
	}
	if (way < 97)
		return node(m, NODE_COUNT, 0, make_table(m), 0);
	a = node(m, NODE_INDEX, 0, make_table(m), make_number(m, 0));
	return node(m, NODE_OR_ZERO, 0, a, 0);
}

static int make_condition(struct maker *m, int depth)
{
	const struct item *event = pick_symbol(m, ITEM_EVENT);
	int way = pick(m, 100), a;

	if (m->c->node_count > CASE_NODES - SPARE)
		return number_node(m, 1);
	if (way < 30)
		return node(m, NODE_LESS, 0, make_number(m, 1), make_number(m, 1));
	if (way < 45)
		return node(m, NODE_EQUAL, 0, make_number(m, 1), make_number(m, 1));
	if (way < 62)
		return node(m, NODE_UNEQUAL, 0, make_number(m, 1), make_number(m, 1));
	if (way < 68 && event) {
		a = of_symbol(m, NODE_ATTRIBUTE, event->symbol, EVENT_CALLEE);
		return node(m, way < 66 ? NODE_EQUAL : NODE_UNEQUAL, 0, a,
			    node(m, NODE_TEXT, pick(m, 2), 0, 0));
	}
	if (way < 70 && m->rule)
		return node(m, NODE_ACYCLIC, 0, 0, 0);
	if (way < 72 && m->condition)
		return node(m, NODE_EQUAL, 0,
			    node(m, NODE_LESS, 0, make_number(m, 0), make_number(m, 0)),
			    number_node(m, pick(m, 2)));
	if (way < 75)
		return node(m, chance(m, 50) ? NODE_EQUAL : NODE_UNEQUAL, 0, make_read(m),
			    node(m, NODE_NIL, 0, 0, 0));
	if (depth <= 0 || way < 80)
		return make_number(m, 0);
	if (way < 86)
		return node(m, NODE_NOT, 0, make_condition(m, depth - 1), 0);
	return node(m, way < 93 ? NODE_AND : NODE_OR, 0, make_condition(m, depth - 1),
		    make_condition(m, depth - 1));
}

/* Makes an assertion that is true in most cases, so that words continue. */
static int make_assertion(struct maker *m)
{
	int way = pick(m, 100), a;

	if (m->wide && way < 35) { /* g + h * 2 + count(m) < a number */
		a = node(m, NODE_OR_ZERO, 0, node(m, NODE_WIDE, WIDE_H, 0, 0), 0);
		a = node(m, NODE_MULTIPLY, 0, a, number_node(m, 2));
		a = node(m, NODE_ADD, 0, a,
			 node(m, NODE_OR_ZERO, 0, node(m, NODE_WIDE, WIDE_G, 0, 0), 0));
		a = node(m, NODE_ADD, 0, a,
			 node(m, NODE_COUNT, 0, node(m, NODE_WIDE, WIDE_M, 0, 0), 0));
		return node(m, NODE_LESS, 0, a, number_node(m, 3 + pick(m, 8)));
	}
	if (way < 45)
		return node(m, NODE_UNEQUAL, 0, make_number(m, 2), number_node(m, 1 + pick(m, 5)));
	if (way < 70)
		return node(m, NODE_LESS, 0, make_number(m, 2), number_node(m, 2 + pick(m, 7)));
	if (way < 75)
		return node(m, NODE_ACYCLIC, 0, 0, 0);
	return make_condition(m, 2);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Makes a sum, so that the value is a number, or evaluation fails. */
static int sum_node(struct maker *m, int a)
{
	return node(m, NODE_ADD, 0, a, number_node(m, pick(m, 2)));
}

static void pick_target(struct maker *m, struct statement *s)
{
	const struct item *production = pick_symbol(m, ITEM_PRODUCTION);
	const struct item *event = pick_symbol(m, ITEM_EVENT);

	s->symbol = SYMBOL_LEFT;
	s->number = (int16_t)pick(m, ATTRIBUTE_T);
	if (m->wide && chance(m, 50)) {
		s->symbol = SYMBOL_WIDE;
		s->number = (int16_t)pick(m, WIDE_M);
	} else if (event && chance(m, 3)) {
		s->symbol = event->symbol;
		s->number = EVENT_X;
	} else if (production && chance(m, 45)) {
		s->symbol = production->symbol;
	} else if (chance(m, 45)) {
		s->symbol = SYMBOL_WIDE;
		s->number = (int16_t)pick(m, WIDE_M);
	}
}

static void pick_table_target(struct maker *m, struct statement *s)
{
	bool wide = chance(m, 85);

	s->symbol = wide ? SYMBOL_WIDE : SYMBOL_LEFT;
	s->number = wide ? WIDE_M : ATTRIBUTE_T;
}

/* Makes an assignment of a table to the t of some symbol, or to m. */
static void make_table_set(struct maker *m, struct statement *s)
{
	const struct item *production = pick_symbol(m, ITEM_PRODUCTION);
	const struct item *event = pick_symbol(m, ITEM_EVENT);
	int way = pick(m, 100);

	s->kind = STATEMENT_SET;
	s->symbol = production && chance(m, 30) ? production->symbol : SYMBOL_LEFT;
	s->number = ATTRIBUTE_T;
	if (chance(m, 15)) {
		s->symbol = SYMBOL_WIDE;
		s->number = WIDE_M;
	}
	if (way < 7)
		s->a = (int16_t)node(m, NODE_SESSION, ATTRIBUTE_T, 0, 0);
	else if (way < 35)
		s->a = (int16_t)node(m, NODE_WIDE, WIDE_M, 0, 0);
	else if (way < 60 && production)
		s->a = (int16_t)of_symbol(m, NODE_ATTRIBUTE, production->symbol, ATTRIBUTE_T);
	else if (way < 75)
		s->a = (int16_t)node(m, NODE_TABLE, 0, 0, 0);
	else if (way < 85 && event && s->symbol != SYMBOL_WIDE)
		s->a = (int16_t)of_symbol(m, NODE_WHOLE, event->symbol, 0);
	else
		s->a = (int16_t)node(m, NODE_SINGLE, 0, sum_node(m, make_number(m, 1)), 0);
}

static int make_key(struct maker *m)
{
	return node(m, NODE_MODULO, 3, make_number(m, 1), 0);
}

/* Makes code that an analysis of its effects could get wrong: it uses new and old tables. */
static struct statement make_subtle(struct maker *m)
{
	static const enum statement_kind kinds[] = { STATEMENT_FRESH, STATEMENT_MAYBE,
						     STATEMENT_ALIAS, STATEMENT_TOTAL,
						     STATEMENT_EDGE,  STATEMENT_EDGE,
						     STATEMENT_CUT,   STATEMENT_GRAPH };
	struct statement s = { .kind = (uint8_t)kinds[pick(m, 8)] };

	pick_table_target(m, &s);
	s.a = (int16_t)make_key(m);
	s.b = (int16_t)make_key(m);
	if (s.kind == STATEMENT_MAYBE)
		s.a = (int16_t)make_condition(m, 0);
	return s;
}

static struct statement make_statement(struct maker *m)
{
	struct statement s = { .kind = STATEMENT_SET };
	int way = pick(m, 100);

	if (chance(m, 15))
		return make_subtle(m);
	pick_target(m, &s);
	if (way < 50) {
		s.a = (int16_t)(chance(m, 2) ? make_condition(m, 0) : make_number(m, 2));
	} else if (way < 60) {
		s.kind = STATEMENT_IF;
		s.a = (int16_t)make_number(m, 1);
		s.b = (int16_t)make_condition(m, 1);
	} else if (way < 70) {
		make_table_set(m, &s);
	} else if (way < 78) {
		pick_table_target(m, &s);
		s.kind = STATEMENT_PUT;
		s.a = (int16_t)make_key(m);
		s.b = (int16_t)sum_node(m, make_number(m, 1));
	} else if (way < 88) {
		pick_table_target(m, &s);
		s.kind = STATEMENT_BUMP;
		s.a = (int16_t)make_key(m);
		s.b = (int16_t)number_node(m, chance(m, 60) ? 1 : -1);
	} else if (way < 92) {
		s.kind = STATEMENT_SWAP;
	} else if (way < 98) {
		s.kind = STATEMENT_LOCAL;
		s.a = (int16_t)make_number(m, 1);
	} else {
		s.kind = STATEMENT_FAIL;
		s.b = (int16_t)node(m, NODE_EQUAL, 0, make_number(m, 1),
				    number_node(m, 5 + pick(m, 3)));
	}
	return s;
}

static void make_action(struct maker *m, struct item *item)
{
	int count = 1 + (pick(m, 3) == 0);

	item->kind = ITEM_ACTION;
	item->first = (int16_t)m->c->statement_count;
	while (count-- && m->c->statement_count < CASE_STATEMENTS &&
	       m->c->node_count < CASE_NODES - SPARE) {
		struct statement s = make_statement(m);

		m->c->statements[m->c->statement_count++] = s;
		item->count++;
	}
}

/* Adds code between the symbols of a rule, from left to right, so that `at` is right. */
static void add_code(struct maker *m, struct rule *rule, int density)
{
	for (int at = 0; at <= rule->count; at++) {
		struct item item = { 0 };

		if (rule->count >= CASE_ITEMS || !chance(m, density))
			continue;
		m->rule = rule;
		m->at = at;
		if (chance(m, 45)) {
			m->condition = true;
			item.kind = ITEM_ASSERT;
			item.node = (int16_t)make_assertion(m);
			m->condition = false;
		} else {
			make_action(m, &item);
		}
		item.symbol = -2; /* no symbol refers to it */
		memmove(&rule->items[at + 1], &rule->items[at],
			(size_t)(rule->count - at) * sizeof item);
		rule->items[at++] = item;
		rule->count++;
	}
	m->rule = NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* The kind of grammars that are made; numbers are percentages. */
struct profile {
	int first_production, other_production, self, epsilon, longest;
	/*
	 * BY_EVENT: alternatives start with different events; BY_SECOND: their second events differ
	 */
	enum { ANYHOW, BY_EVENT, BY_SECOND } start;
	bool mirror; /* the rules are reversed */
};

static const struct profile profiles[] = {
	{ 0, 45, 40, 45, 3, BY_EVENT, false }, /* LL(1) in most cases */
	/* LL(1) in most cases, with all kinds of recursion */
	{ 0, 55, 60, 70, 3, BY_EVENT, false },
	{ 15, 50, 40, 60, 3, BY_EVENT, false },
	{ 0, 45, 50, 45, 3, BY_EVENT, true }, /* one tree, but not LL(1) */
	{ 0, 60, 60, 60, 3, BY_EVENT, true },
	{ 0, 40, 50, 40, 4, BY_SECOND, false },
	{ 45, 45, 50, 30, 3, ANYHOW, false }, /* any grammar */
	{ 80, 20, 80, 40, 3, ANYHOW, false }, /* left recursion */
	{ 10, 70, 80, 40, 3, ANYHOW, false }, /* right and middle recursion */
	{ 70, 70, 40, 50, 2, ANYHOW, false }, /* nullable, cyclic, ambiguous */
	{ 35, 20, 50, 15, 4, ANYHOW, false }, /* longer rules, few empty ones */
};

static void add_symbol(struct maker *m, struct rule *rule, enum item_kind kind, int number)
{
	rule->items[rule->count++] = (struct item){ .kind = (uint8_t)kind,
						    .number = (uint8_t)number,
						    .symbol = ++m->c->symbol_count };
}

static void add_production(struct maker *m, struct rule *rule, const struct profile *p)
{
	int number = chance(m, p->self) ? rule->left : pick(m, m->c->production_count);

	add_symbol(m, rule, ITEM_PRODUCTION, number);
}

static void mirror(struct rule *rule)
{
	for (int i = 0, k = rule->count - 1; i < k; i++, k--) {
		struct item item = rule->items[i];

		rule->items[i] = rule->items[k];
		rule->items[k] = item;
	}
}

/* Returns a label that is the name of an event that is not in the rule. */
static int borrow_label(struct maker *m, const struct rule *rule)
{
	int event = pick(m, m->c->event_count);

	for (int i = 0; i < rule->count; i++) {
		const struct item *item = &rule->items[i];

		if ((item->kind == ITEM_EVENT && item->number == event) ||
		    item->label == LABEL_EVENT + event)
			return LABEL_OWN;
	}
	return LABEL_EVENT + event;
}

static void make_labels(struct maker *m, struct rule *rule)
{
	for (int i = 0; i < rule->count; i++) {
		struct item *item = &rule->items[i];

		if (!chance(m, has_name(rule, item) ? 12 : 85) &&
		    (m->c->stretch == 1 || item->kind != ITEM_EVENT))
			continue;
		item->label = (uint8_t)(chance(m, 15) ? borrow_label(m, rule) : LABEL_OWN);
	}
}

/* Makes a rule. `event` distinguishes it from other alternatives; -1: nothing does. */
static void make_rule(struct maker *m, struct rule *rule, const struct profile *p, int event)
{
	int length = 1 + pick(m, p->longest);

	if (event >= 0 && p->start == BY_SECOND)
		add_symbol(m, rule, ITEM_EVENT, 0);
	for (int i = 0; i < length; i++) {
		if (!i && event >= 0)
			add_symbol(m, rule, ITEM_EVENT, event);
		else if (chance(m, i ? p->other_production : p->first_production))
			add_production(m, rule, p);
		else
			add_symbol(m, rule, ITEM_EVENT, pick(m, m->c->event_count));
	}
	if (p->mirror)
		mirror(rule);
	make_labels(m, rule);
}

static void make_production(struct maker *m, int left, const struct profile *p)
{
	struct grammar_case *c = m->c;
	int alternatives = 1 + pick(m, 3), first = pick(m, c->event_count);
	bool epsilon = chance(m, p->epsilon);

	for (int i = 0; i < alternatives && c->rule_count < CASE_RULES; i++) {
		struct rule *rule = &c->rules[c->rule_count++];
		bool by_event = p->start != ANYHOW && !chance(m, p->first_production);

		rule->left = (uint8_t)left;
		if (by_event && i >= c->event_count) {
			c->rule_count--;
			break;
		}
		if (epsilon && i == alternatives - 1)
			continue;
		make_rule(m, rule, p, by_event ? (first + i) % c->event_count : -1);
	}
}

/*
 * Makes a grammar whose words are all sequences of events, by left or right recursion. Each prefix
 * is a word, so code is executed at each event.
 */
static void make_list(struct maker *m)
{
	struct grammar_case *c = m->c;
	bool left = chance(m, 65);

	for (int e = 0; e < c->event_count; e++) {
		struct rule *rule = &c->rules[c->rule_count++];

		if (left)
			add_symbol(m, rule, ITEM_PRODUCTION, 0);
		add_symbol(m, rule, ITEM_EVENT, e);
		if (!left)
			add_symbol(m, rule, ITEM_PRODUCTION, 0);
		make_labels(m, rule);
	}
	c->rule_count++;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void make_resets(struct maker *m)
{
	struct grammar_case *c = m->c;

	for (int e = 0; e < c->event_count; e++) {
		if (!chance(m, 45))
			continue;
		c->reset[e] = chance(m, 50) ? RESET_ALWAYS : RESET_IF;
		m->reset = m->condition = true;
		if (c->reset[e] == RESET_IF)
			c->reset_node[e] = (int16_t)make_condition(m, 1);
		m->reset = m->condition = false;
	}
}

static void make_head(struct maker *m)
{
	struct grammar_case *c = m->c;

	for (int i = 0; i < WIDES; i++) {
		c->head_is_set[i] = chance(m, i >= WIDE_M ? 93 : 60);
		if (!c->head_is_set[i])
			continue;
		if (i == WIDE_K)
			c->head[i] = (int16_t)node(m, NODE_GRAPH, 0, 0, 0);
		else if (i == WIDE_M)
			c->head[i] = (int16_t)node(m, NODE_TABLE, 0, 0, 0);
		else
			c->head[i] = (int16_t)(chance(m, 60) ? number_node(m, pick(m, 3))
							     : make_number(m, 1));
	}
}

static void make_letters(struct maker *m)
{
	struct grammar_case *c = m->c;

	c->letter_count = c->event_count;
	if (c->stretch == 1 && c->event_count < 4)
		c->letter_count += 1 + (c->event_count == 1);
	for (int i = 0; i < c->letter_count; i++) {
		c->letters[i] = (struct letter){
			.event = (uint8_t)(i % c->event_count),
			.x = (int8_t)pick(m, 4),
			.y = (int8_t)(pick(m, 4) - 1),
			.tid = (int8_t)(1 + pick(m, 2)),
			.callee = (int8_t)pick(m, 2),
			.o = (int8_t)pick(m, 3),
		};
	}
}

void case_make(struct grammar_case *c, uint64_t *random)
{
	struct maker m = { .c = c, .random = random };
	struct profile profile = profiles[pick(&m, sizeof profiles / sizeof *profiles)];
	int density = chance(&m, 92) ? 20 + pick(&m, 50) : 0;
	int way = pick(&m, 100);

	memset(c, 0, sizeof *c);
	c->node_count = 2; /* the two fixed nodes: nil, and */
	c->nodes[NODE_ONE] = (struct node){ .kind = NODE_NUMBER, .number = 1 };
	c->stretch = 1;
	c->event_count = (uint8_t)(1 + pick(&m, 3) + (pick(&m, 5) == 0));
	if (pick(&m, 100) == 0) {
		c->stretch = 24;
		c->event_count = (uint8_t)(1 + pick(&m, 2));
		profile = profiles[6 + pick(&m, 4)];
		density = 30;
	}
	c->production_count = (uint8_t)(1 + pick(&m, 3) + (pick(&m, 4) == 0));
	c->parameter = chance(&m, 20);
	c->reports = chance(&m, 50);
	c->until_end = way >= 40 && chance(&m, way >= 80 ? 100 : 35);
	if (way < 40) { /* each prefix must be a word */
		profile.epsilon = (profile.epsilon + 100) / 2;
		m.wide = chance(&m, 60);
		density += m.wide && density ? 15 : 0;
	}
	if (c->stretch == 1 && chance(&m, way < 40 ? 9 : 3)) {
		make_list(&m);
		c->production_count = 1;
	}
	for (int i = c->rule_count > 0; i < c->production_count; i++)
		make_production(&m, i, &profile);
	for (int i = 0; i < c->rule_count && density; i++)
		add_code(&m, &c->rules[i], density);
	if (way >= 40 && way < 80)
		make_resets(&m);
	make_head(&m);
	make_letters(&m);
}
