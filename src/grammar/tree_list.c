/*
 * Turns shared derivations into a list (tree_list.h). On the way, tests whether an object has a
 * second derivation. An object that was found to be unique is not tested again.
 */
#include "grammar/tree_list.h"
#include "base/mem.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_EVENTS 16

/* The stack of what is still to be listed. The top comes next. */
enum { TODO_TREE, TODO_EMPTY, TODO_LEVEL };
struct tree_list_todo {
	uint8_t kind;
	bool silent; /* it is only checked, not listed */
	bool hole;   /* no rule that is listed before it has steps left: a walk may start here */
	/*
	 * This object, and all objects from the next symbol above whose state is to be kept, have
	 * only one reference.
	 */
	bool sole;
	struct tree *tree; /* TREE: SYMBOL or LEAF; LEVEL: the SYMBOL that contains it */
	uint32_t symbol;   /* EMPTY */
	uint32_t from, to; /* LEVEL: which of the SYMBOL's levels are left */
	/* LEVEL: the SYMBOL, if this is its top level and its state is to be kept */
	struct tree *keep;
};

/*
 * Leo's rule can combine several rules in one SYMBOL: each rule is the last symbol of the rule
 * above it. Each of these rules is a level. The lowest level has no level as its last symbol;
 * `last` is the STEP of that symbol. In the other levels, `last` is the STEP of the symbol before
 * it.
 */
struct tree_list_level {
	uint32_t rule;
	struct tree *last;
};

struct tree_lister {
	const struct earley_tables *tables;
	tree_list *list;
	/*
	 * indices in the list: the last entry at which a walk may start, and the entry at which it
	 * starts
	 */
	size_t hole, start;
	VEC(struct tree_list_todo) todo;
	VEC(struct tree_list_level) levels;
	VEC(struct tree *) seen; /* SYMBOLs that were tested */
	/* of one rule: the trees of symbols with cores; NULL: the empty tree */
	VEC(struct tree *) children;
	bool leaves; /* do not test; list all events and nothing else */
	/*
	 * If there are two trees: the object that has them, or NULL for the empty word; and the
	 * rules that derive its word.
	 */
	struct tree *within;
	uint32_t rules[2];
};

/* ---- one rule -------------------------------------------------------------------------------- */

static bool is_goal(const struct tree_lister *lister, uint32_t rule)
{
	return rule == lister->tables->grammar->rules.count;
}

static bool has_code(const struct tree_lister *lister, uint32_t rule)
{
	const struct grammar *grammar = lister->tables->grammar;
	return is_goal(lister, rule) ||
	       lister->tables->has_code[grammar->rules.items[rule].left - grammar->terminal_count];
}

static struct tree_entry *add_entry(struct tree_lister *lister, uint8_t kind, struct tree *tree)
{
	struct tree_entry *entry = vec_push(lister->list);
	*entry = (struct tree_entry){ .kind = kind, .tree = tree };
	return entry;
}

static void add_hole(struct tree_lister *lister, struct tree *step)
{
	lister->start = lister->list->count;
	add_entry(lister, ENTRY_HOLE, step);
}

/*
 * Collects the trees of a rule's symbols, except the last one if that is a level of its own. Clears
 * `*sole` if another object refers to one of the rule's STEPs. Returns false if one of them has a
 * second derivation.
 */
static bool collect_children(struct tree_lister *lister, const struct tree_list_level *level,
			     bool nested, bool *sole)
{
	const struct earley_tables *tables = lister->tables;
	uint32_t count = 1;
	if (!is_goal(lister, level->rule))
		count = tables->first_kept[level->rule + 1] - tables->first_kept[level->rule];
	lister->children.count = 0;
	memset(vec_reserve(&lister->children, count), 0, count * sizeof *lister->children.items);
	lister->children.count = count;
	count -= nested;
	for (struct tree *step = level->last; step; step = step->before) {
		if (step->second != GRAMMAR_NONE && !lister->leaves) {
			lister->rules[0] = lister->rules[1] = level->rule;
			return false;
		}
		if (step->refs > 1)
			*sole = false;
		assert(count);
		lister->children.items[--count] = step->child;
	}
	return true;
}

static void push_child(struct tree_lister *lister, struct tree_list_todo todo,
		       const struct grammar_step *step, struct tree *child)
{
	todo.tree = child;
	todo.kind = child ? TODO_TREE : TODO_EMPTY;
	todo.symbol = step->symbol;
	if (lister->leaves
		    ? !child
		    : step->kind == GRAMMAR_TERMINAL && (todo.silent || step->slot == GRAMMAR_NONE))
		return;
	*vec_push(&lister->todo) = todo;
}

/*
 * Returns the STEP before the last symbol of a level, if a state may be kept there: that symbol can
 * start in only one state, and no code runs after it. Otherwise returns NULL.
 */
static struct tree *find_hole(const struct tree_lister *lister, const struct tree_list_level *level,
			      bool nested, const struct grammar_step *last)
{
	const struct earley_tables *tables = lister->tables;
	struct tree *step = level->last && !nested ? level->last->before : level->last;
	if (!step || !step->edge || !tables->ends_clean[level->rule] ||
	    last->kind != GRAMMAR_NONTERMINAL ||
	    !tables->has_code[last->symbol - tables->grammar->terminal_count])
		return NULL;
	return step;
}

/*
 * Pushes the symbols of a level, the last one first. If the state before the last symbol was kept,
 * pushes only the last symbol.
 */
static void push_symbols(struct tree_lister *lister, struct tree_list_todo todo,
			 const struct tree_list_level *level, bool nested)
{
	const struct earley_tables *tables = lister->tables;
	const struct grammar_rule *rule = &tables->grammar->rules.items[level->rule];
	const uint32_t *kept = &tables->kept[tables->first_kept[level->rule]];
	uint32_t at = lister->children.count;
	assert(at);
	struct tree *hole = find_hole(lister, level, nested, &rule->steps[kept[at - 1]]);
	bool is_kept = hole && hole->kept != LUA_NOREF;
	if (is_kept) {
		add_hole(lister, hole);
	} else if (!todo.silent && !lister->leaves) {
		struct tree_entry *entry = add_entry(lister, ENTRY_RULE, todo.keep);
		entry->rule = level->rule;
		entry->hole = hole && hole->refs > 1 ? hole : NULL;
	}
	todo.keep = NULL;
	for (uint32_t i = rule->step_count; i-- > 0 && !(is_kept && at < lister->children.count);) {
		todo.hole = false;
		if (at && kept[at - 1] == i) {
			at--;
			todo.hole = hole && at == lister->children.count - 1;
			if (nested && at == lister->children.count - 1)
				*vec_push(&lister->todo) = todo;
			else
				push_child(lister, todo, &rule->steps[i],
					   lister->children.items[at]);
		} else if (rule->steps[i].kind == GRAMMAR_NONTERMINAL) {
			push_child(lister, todo, &rule->steps[i], NULL);
		}
	}
}

/* Lists the highest level of a symbol that is left. */
static bool list_level(struct tree_lister *lister, struct tree_list_todo todo)
{
	struct tree_list_level level = lister->levels.items[--todo.to];
	lister->levels.count = todo.to;
	bool nested = todo.to > todo.from;
	if (!collect_children(lister, &level, nested, &todo.sole)) {
		lister->within = todo.tree;
		return false;
	}
	todo.silent |= !has_code(lister, level.rule);
	if (!is_goal(lister, level.rule)) {
		push_symbols(lister, todo, &level, nested);
	} else if (nested) {
		*vec_push(&lister->todo) = todo;
	} else {
		const struct grammar_step start = {
			.kind = GRAMMAR_NONTERMINAL,
			.symbol = lister->tables->grammar->terminal_count,
		};
		push_child(lister, todo, &start, lister->children.items[0]);
	}
	return true;
}

/* ---- a symbol -------------------------------------------------------------------------------- */

static struct tree *tail_of(const struct tree *step)
{
	while (step->before)
		step = step->before;
	return step->tail;
}

/*
 * Pushes the levels of a symbol, the lowest first, up to the first one for which a state was kept.
 * Returns the STEP with that state, or NULL if all levels were pushed.
 */
static struct tree *find_levels(struct tree_lister *lister, struct tree *symbol)
{
	assert(symbol->before);
	*vec_push(&lister->levels) = (struct tree_list_level){ symbol->number, symbol->before };
	for (struct tree *frame = tail_of(symbol->before); frame;
	     frame = frame->before ? tail_of(frame->before) : frame->tail) {
		if (frame->before && frame->before->kept != LUA_NOREF)
			return frame->before;
		*vec_push(&lister->levels) =
			(struct tree_list_level){ frame->number, frame->before };
	}
	return NULL;
}

static bool list_symbol(struct tree_lister *lister, struct tree_list_todo todo)
{
	struct tree *symbol = todo.tree;
	if (symbol->kept != LUA_NOREF) {
		lister->start = lister->hole;
		add_entry(lister, ENTRY_KEPT, symbol)->last_use = todo.sole && symbol->refs == 1;
		return true;
	}
	todo.kind = TODO_LEVEL;
	todo.from = lister->levels.count;
	struct tree *hole = find_levels(lister, symbol);
	todo.to = lister->levels.count;
	uint32_t rule = lister->levels.items[todo.to - 1].rule;
	todo.silent |= !has_code(lister, rule);
	if (todo.silent && symbol->checked && !lister->leaves) {
		lister->levels.count = todo.from;
		return true;
	}
	todo.keep = !todo.silent && symbol->leads && symbol->refs > 1 ? symbol : NULL;
	todo.sole = todo.to - todo.from == 1 && (todo.keep || (todo.sole && symbol->refs == 1));
	if (!lister->leaves && symbol->second != GRAMMAR_NONE) {
		lister->within = symbol;
		lister->rules[0] = symbol->number;
		lister->rules[1] = symbol->second;
		return false;
	}
	*vec_push(&lister->seen) = symbol;
	if (hole) {
		add_hole(lister, hole);
		todo.hole = true;
	}
	*vec_push(&lister->todo) = todo;
	return true;
}

static bool list_empty(struct tree_lister *lister, struct tree_list_todo todo)
{
	const struct earley_tables *tables = lister->tables;
	uint32_t number = todo.symbol - tables->grammar->terminal_count;
	if (tables->empty_twice[number]) {
		lister->rules[0] = lister->rules[1] = tables->empty_rule[number];
		return false;
	}
	if (!todo.silent && tables->has_code[number])
		add_entry(lister, ENTRY_EMPTY, NULL)->rule = tables->empty_rule[number];
	return true;
}

/* Lists everything below `root`. Returns false if a part of it has two trees. */
static bool list_tree(struct tree_lister *lister, struct tree *root)
{
	lister->todo.count = lister->levels.count = lister->seen.count = 0;
	lister->start = lister->hole = 0;
	*vec_push(&lister->todo) = (struct tree_list_todo){ .kind = TODO_TREE, .tree = root };
	bool only = true;
	while (only && lister->todo.count) {
		struct tree_list_todo todo = lister->todo.items[--lister->todo.count];
		if (todo.hole)
			lister->hole = lister->list->count;
		if (todo.kind == TODO_LEVEL)
			only = list_level(lister, todo);
		else if (todo.kind == TODO_EMPTY)
			only = list_empty(lister, todo);
		else if (todo.tree->kind == TREE_LEAF)
			add_entry(lister, ENTRY_LEAF, todo.tree);
		else
			only = list_symbol(lister, todo);
	}
	return only;
}

struct tree_lister *tree_lister_open(const struct earley_tables *tables)
{
	struct tree_lister *lister = mem_zalloc(1, sizeof *lister);
	lister->tables = tables;
	return lister;
}

void tree_lister_close(struct tree_lister *lister)
{
	vec_free(&lister->todo);
	vec_free(&lister->levels);
	vec_free(&lister->seen);
	vec_free(&lister->children);
	free(lister);
}

/* ---- reporting two trees --------------------------------------------------------------------- */

static void show_word(FILE *out, const struct earley_tables *tables, struct tree *within)
{
	tree_list leaves = { 0 };
	struct tree_lister *lister = tree_lister_open(tables);
	lister->list = &leaves;
	lister->leaves = true;
	if (within)
		list_tree(lister, within);
	for (size_t i = 0; i < leaves.count; i++) {
		const struct tree_entry *entry = &leaves.items[i];
		fprintf(out, "%s", i ? " " : "");
		if (entry->kind != ENTRY_LEAF || i == SHOWN_EVENTS) {
			fprintf(out, "…");
			i = i < SHOWN_EVENTS ? i : leaves.count;
		} else {
			fprintf(out, "%s", tables->grammar->names[entry->tree->number]);
		}
	}
	vec_free(&leaves);
	tree_lister_close(lister);
}

static char *show_two_trees(const struct earley_tables *tables, struct tree *within,
			    const uint32_t rules[2])
{
	const struct grammar *grammar = tables->grammar;
	const struct grammar_rule *one = &grammar->rules.items[rules[0]];
	const struct grammar_rule *other = &grammar->rules.items[rules[1]];
	char *text = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&text, &size);
	fprintf(out, "%s:%u: \"", grammar->file->path, one->place.line);
	show_word(out, tables, within);
	fprintf(out,
		"\" has two parse trees, but actions and assertions need exactly "
		"one: alternative %u of %s",
		one->number + 1, grammar->names[one->left]);
	if (one == other)
		fprintf(out, ", in two ways");
	else if (one->left == other->left)
		fprintf(out, ", or alternative %u", other->number + 1);
	else
		fprintf(out, ", or alternative %u of %s", other->number + 1,
			grammar->names[other->left]);
	mem_stream_close(out);
	return text;
}

char *tree_list_only(struct tree_lister *lister, struct tree *root, tree_list *list, size_t *start)
{
	list->count = 0;
	lister->list = list;
	lister->within = NULL;
	if (!list_tree(lister, root))
		return show_two_trees(lister->tables, lister->within, lister->rules);
	for (size_t i = 0; i < lister->seen.count; i++)
		lister->seen.items[i]->checked = true;
	*start = lister->start;
	return NULL;
}
