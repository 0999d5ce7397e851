/*
 * The engine for any context-free grammar. The state of a session is an Earley set (earley_set.h).
 * An event does not fit if its set has no items and the session is not complete: every nonterminal
 * has words, so each item could be continued. If the session must be complete and the grammar has
 * code, the engine walks the tree that the set holds (tree_walk.h).
 */
#include "grammar/earley_set.h"
#include "grammar/earley_key.h"
#include "grammar/tree_walk.h"
#include "base/mem.h"

#include <lua5.4/lauxlib.h>

struct earley_session {
	struct earley_set *set;
	bool walked; /* the tree of this set was walked without a failure */
};

struct earley_shared {
	struct earley_sets *sets;
	struct tree_walker *walker;
};

static bool earley_open(struct grammar_parser *parser, struct err *err)
{
	(void)err;
	struct earley_shared *shared = parser->shared = mem_alloc(sizeof *shared);
	shared->sets = earley_sets_open(parser->grammar, script_lua(parser->script));
	shared->walker = tree_walker_open(parser, earley_sets_tables(shared->sets));
	return true;
}

static void earley_close(struct grammar_parser *parser)
{
	struct earley_shared *shared = parser->shared;
	tree_walker_close(shared->walker);
	earley_sets_close(shared->sets);
	free(shared);
}

static struct earley_sets *sets_of(const struct grammar_parser *parser)
{
	return ((struct earley_shared *)parser->shared)->sets;
}

/* Evaluates the head only to report its errors at once. Each walk of a tree evaluates it again. */
static void *earley_begin_session(struct grammar_parser *parser, int before,
				  struct grammar_violation *violation)
{
	if (parser->grammar->attributes) {
		if (!engine_push_attributes(parser, before, violation))
			return NULL;
		lua_pop(script_lua(parser->script), 1);
	}
	struct earley_session *session = mem_zalloc(1, sizeof *session);
	session->set = earley_set_first(sets_of(parser));
	return session;
}

static enum grammar_verdict walk_session_tree(struct grammar_parser *parser,
					      const struct earley_session *session,
					      struct tree_walk how, int *attributes,
					      struct grammar_violation *violation)
{
	struct earley_shared *shared = parser->shared;
	how.sole = session->set->refs == 1;
	return tree_walk(shared->walker, &how, session->set->root, attributes, violation);
}

/*
 * Reports that an event, or the end of the session, does not fit. `on violation` gets the
 * attributes after the previous event if the tree was walked there; otherwise those from the start
 * of the session.
 */
static enum grammar_verdict report_violation(struct grammar_parser *parser,
					     const struct earley_session *session, int before,
					     uint8_t fault, struct grammar_violation *violation)
{
	violation->fault = fault;
	if (!parser->grammar->on_violation)
		return GRAMMAR_VIOLATED;
	if (session->walked) {
		struct tree_walk how = { .before = before, .goes_on = true, .tells = true };
		enum grammar_verdict verdict =
			walk_session_tree(parser, session, how, NULL, violation);
		return verdict == GRAMMAR_OPEN ? GRAMMAR_VIOLATED : verdict;
	}
	if (!engine_push_attributes(parser, before, violation))
		return GRAMMAR_BROKEN;
	engine_report(parser, before, violation);
	return GRAMMAR_VIOLATED;
}

static enum grammar_verdict earley_take_event(struct grammar_parser *parser, void *of, int before,
					      const struct grammar_token *token,
					      struct grammar_violation *violation)
{
	struct earley_sets *sets = sets_of(parser);
	struct earley_session *session = of;
	bool code = parser->grammar->has_code;
	struct tree *leaf = code ? tree_make_leaf(parser->grammar, token) : NULL;
	struct earley_set *next = earley_set_next(sets, session->set, token->event, leaf);
	tree_drop(script_lua(parser->script), leaf);
	if (!next)
		return report_violation(parser, session, before, GRAMMAR_NO_CONTINUATION,
					violation);
	earley_set_drop(sets, session->set);
	session->set = next;
	session->walked = false;
	return GRAMMAR_OPEN;
}

static enum grammar_verdict earley_finish_session(struct grammar_parser *parser, void *of,
						  int before, bool goes_on, int *attributes,
						  struct grammar_violation *violation)
{
	struct earley_session *session = of;
	if (attributes)
		*attributes = LUA_NOREF;
	if (!session->set->complete)
		return report_violation(parser, session, before, GRAMMAR_INCOMPLETE, violation);
	if (!parser->grammar->has_code)
		return GRAMMAR_OPEN;
	struct tree_walk how = { .before = before, .goes_on = goes_on };
	enum grammar_verdict verdict =
		walk_session_tree(parser, session, how, goes_on ? NULL : attributes, violation);
	session->walked = verdict == GRAMMAR_OPEN;
	return verdict;
}

static void earley_expected_events(struct grammar_parser *parser, const void *of,
				   uint64_t *terminals)
{
	const struct grammar *grammar = parser->grammar;
	const struct earley_tables *tables = earley_sets_tables(sets_of(parser));
	const struct earley_session *session = of;
	const struct earley_set *set = session->set;
	for (uint32_t i = 0; i < set->count; i++) {
		uint32_t symbol = tables->cores[set->items[i].core].symbol;
		for (uint32_t w = 0; w * 64 < grammar->terminal_count; w++)
			terminals[w] |= grammar->starts[symbol][w];
	}
	if (set->complete)
		grammar_set_add(terminals, grammar->terminal_count);
}

static void *earley_copy_session(struct grammar_parser *parser, const void *of, struct err *err)
{
	(void)parser, (void)err;
	struct earley_session *session = mem_alloc(sizeof *session);
	*session = *(const struct earley_session *)of;
	earley_set_hold(session->set);
	return session;
}

static bool earley_session_key(struct grammar_parser *parser, const void *of, script_buffer *text,
			       struct err *err)
{
	const struct earley_session *session = of;
	return earley_key(parser, session->set, text, err);
}

static void earley_end_session(struct grammar_parser *parser, void *of)
{
	struct earley_session *session = of;
	earley_set_drop(sets_of(parser), session->set);
	free(session);
}

const struct engine engine_earley = {
	.open = earley_open,
	.close = earley_close,
	.begin = earley_begin_session,
	.take = earley_take_event,
	.finish = earley_finish_session,
	.expects = earley_expected_events,
	.copy = earley_copy_session,
	.key = earley_session_key,
	.end = earley_end_session,
};
