/* Prints a case as a property file. Each piece of code is on a line of its own. */
#include "grammar_case.h"

struct printer {
	const struct grammar_case *c;
	FILE *out;
	const struct rule *rule;
	bool condition; /* prints a condition in C */
};

static const char *const productions[CASE_PRODUCTIONS] = { "S", "A", "B", "C" };
static const char *const events[CASE_EVENTS] = { "a", "b", "c", "d" };

/* ---- expressions ----------------------------------------------------------------------------- */

static void print_symbol(const struct printer *p, const struct item *item)
{
	if (item->label == LABEL_OWN)
		fprintf(p->out, "e%d", item->symbol);
	else if (item->label)
		fprintf(p->out, "%s", events[item->label - LABEL_EVENT]);
	else
		fprintf(p->out, "%s",
			item->kind == ITEM_EVENT ? events[item->number]
						 : productions[item->number]);
}

/* Has shrinking removed the symbol? It is printed as nil. */
static bool is_gone(const struct printer *p, int symbol)
{
	return symbol > 0 && !case_find_symbol(p->rule, symbol);
}

static void print_attribute(const struct printer *p, int symbol, int number)
{
	const struct item *item;

	if (symbol == SYMBOL_WIDE) {
		fprintf(p->out, "%s", case_wide_names[number]);
	} else if (symbol == SYMBOL_LEFT) {
		fprintf(p->out, "%s.%s", productions[p->rule->left], case_attribute_names[number]);
	} else {
		item = case_find_symbol(p->rule, symbol);
		print_symbol(p, item);
		fprintf(p->out, ".%s",
			item->kind == ITEM_EVENT ? case_event_names[number]
						 : case_attribute_names[number]);
	}
}

static const char *sign_of(const struct printer *p, const struct node *n)
{
	bool c = p->condition && !n->words;

	switch ((enum node_kind)n->kind) {
	case NODE_ADD: return "+";
	case NODE_SUBTRACT: return "-";
	case NODE_MULTIPLY: return "*";
	case NODE_LESS: return "<";
	case NODE_EQUAL: return "==";
	case NODE_UNEQUAL: return c ? "!=" : "~=";
	case NODE_AND: return c ? "&&" : "and";
	default: return c ? "||" : "or";
	}
}

static void print_node(const struct printer *p, int number);

static void print_around(const struct printer *p, const char *before, int number, const char *after)
{
	fprintf(p->out, "%s", before);
	print_node(p, number);
	fprintf(p->out, "%s", after);
}

static void print_choice(const struct printer *p, const struct node *n)
{
	print_around(p, "(", n->a, p->condition ? " ? " : " and ");
	print_node(p, n->b);
	print_around(p, p->condition ? " : " : " or ", n->c, ")");
}

static void print_leaf(const struct printer *p, const struct node *n)
{
	switch ((enum node_kind)n->kind) {
	case NODE_NUMBER: fprintf(p->out, n->number < 0 ? "(%d)" : "%d", n->number); break;
	case NODE_TEXT: fprintf(p->out, "\"%s\"", case_texts[n->number]); break;
	case NODE_ATTRIBUTE:
		if (is_gone(p, n->symbol))
			fprintf(p->out, "nil");
		else
			print_attribute(p, n->symbol, n->number);
		break;
	case NODE_WHOLE:
		if (is_gone(p, n->symbol))
			fprintf(p->out, "nil");
		else
			print_symbol(p, case_find_symbol(p->rule, n->symbol));
		break;
	case NODE_WIDE: fprintf(p->out, "%s", case_wide_names[n->number]); break;
	case NODE_SESSION: fprintf(p->out, "session.%s", case_attribute_names[n->number]); break;
	case NODE_OWN: fprintf(p->out, "%s", case_event_names[n->number]); break;
	case NODE_TABLE: fprintf(p->out, "{}"); break;
	case NODE_GRAPH: fprintf(p->out, "graph()"); break;
	case NODE_ACYCLIC: fprintf(p->out, "k.acyclic"); break;
	default: fprintf(p->out, "nil");
	}
}

static void print_node(const struct printer *p, int number)
{
	const struct node *n = &p->c->nodes[number];

	switch ((enum node_kind)n->kind) {
	case NODE_OR_ZERO: print_around(p, "(", n->a, " or 0)"); break;
	case NODE_MODULO:
		print_around(p, "(", n->a, " % ");
		fprintf(p->out, "%d)", n->number);
		break;
	case NODE_ADD:
	case NODE_SUBTRACT:
	case NODE_MULTIPLY:
	case NODE_LESS:
	case NODE_EQUAL:
	case NODE_UNEQUAL:
	case NODE_AND:
	case NODE_OR:
		print_around(p, "(", n->a, " ");
		fprintf(p->out, "%s ", sign_of(p, n));
		print_around(p, "", n->b, ")");
		break;
	case NODE_NOT:
		print_around(p, p->condition && !n->words ? "(!" : "(not ", n->a, ")");
		break;
	case NODE_CHOOSE: print_choice(p, n); break;
	case NODE_COUNT: print_around(p, "count(", n->a, " or {})"); break;
	case NODE_INDEX:
		print_around(p, "(", n->a, " or {})[");
		print_around(p, "", n->b, "]");
		break;
	case NODE_SINGLE: print_around(p, "{", n->a, "}"); break;
	default: print_leaf(p, n);
	}
}

/* ---- code ------------------------------------------------------------------------------------ */

static void print_subtle(const struct printer *p, const struct statement *s)
{
	switch ((enum statement_kind)s->kind) {
	case STATEMENT_FRESH: print_around(p, "m = {}; m[", s->a, "] = "); break;
	case STATEMENT_MAYBE: print_around(p, "if ", s->a, " then m = {} end m[1] = "); break;
	case STATEMENT_ALIAS:
		fprintf(p->out, "local t = ");
		print_attribute(p, s->symbol, s->number);
		print_around(p, "; t[", s->a, "] = ");
		break;
	case STATEMENT_TOTAL:
		fprintf(p->out, "for _, v in pairs(m) do g = (g or 0) + v end;");
		return;
	default:
		fprintf(p->out, s->kind == STATEMENT_GRAPH  ? "k = graph(); k:edge("
				: s->kind == STATEMENT_EDGE ? "k:edge("
							    : "k:remove(");
		print_around(p, "", s->a, ", ");
		print_around(p, "", s->b, ");");
		return;
	}
	print_around(p, "", s->b, ";");
}

static void print_statement(const struct printer *p, const struct statement *s)
{
	if (is_gone(p, s->symbol) && s->kind != STATEMENT_SWAP && s->kind != STATEMENT_FAIL)
		return;
	switch ((enum statement_kind)s->kind) {
	case STATEMENT_NONE: return;
	case STATEMENT_SET:
		print_attribute(p, s->symbol, s->number);
		print_around(p, " = ", s->a, ";");
		break;
	case STATEMENT_IF:
		print_around(p, "if ", s->b, " then ");
		print_attribute(p, s->symbol, s->number);
		print_around(p, " = ", s->a, " end;");
		break;
	case STATEMENT_PUT:
		print_attribute(p, s->symbol, s->number);
		print_around(p, "[", s->a, "]");
		print_around(p, " = ", s->b, ";");
		break;
	case STATEMENT_BUMP:
		fprintf(p->out, "bump(");
		print_attribute(p, s->symbol, s->number);
		print_around(p, ", ", s->a, ", ");
		print_around(p, "", s->b, ");");
		break;
	case STATEMENT_SWAP: fprintf(p->out, "g, h = h, g;"); break;
	case STATEMENT_LOCAL:
		print_around(p, "local v = ", s->a, "; ");
		print_attribute(p, s->symbol, s->number);
		fprintf(p->out, " = v + v;");
		break;
	case STATEMENT_FAIL: print_around(p, "if ", s->b, " then error(\"stop\") end;"); break;
	default: print_subtle(p, s);
	}
	fprintf(p->out, " ");
}

static void print_item(struct printer *p, const struct item *item)
{
	switch ((enum item_kind)item->kind) {
	case ITEM_EVENT:
	case ITEM_PRODUCTION:
		if (item->label) {
			print_symbol(p, item);
			fprintf(p->out, "=");
		}
		fprintf(p->out, "%s ",
			item->kind == ITEM_EVENT ? events[item->number]
						 : productions[item->number]);
		for (int i = 1; item->kind == ITEM_EVENT && i < p->c->stretch; i++)
			fprintf(p->out, "%s ", events[item->number]);
		break;
	case ITEM_ACTION:
		fprintf(p->out, "{ ");
		for (int i = 0; i < item->count; i++)
			print_statement(p, &p->c->statements[item->first + i]);
		fprintf(p->out, "}");
		break;
	case ITEM_ASSERT:
		p->condition = true;
		print_around(p, "assert(", item->node, ")");
		p->condition = false;
		break;
	}
}

/* ---- the property ---------------------------------------------------------------------------- */

static void print_events(struct printer *p, int *line)
{
	const struct grammar_case *c = p->c;

	for (int e = 0; e < c->event_count; e++) {
		fprintf(p->out, "\tevent %s = probe t:%s(%sx, y)", events[e], events[e],
			c->parameter ? "o, " : "");
		p->condition = true;
		if (c->reset[e] == RESET_IF)
			print_around(p, " reset(", c->reset_node[e], ")");
		else if (c->reset[e] == RESET_ALWAYS)
			fprintf(p->out, " reset");
		p->condition = false;
		fprintf(p->out, ";\n");
		++*line;
	}
}

static void print_head(const struct printer *p)
{
	const char *before = "(";

	fprintf(p->out, "\tgrammar ");
	for (int i = 0; i < WIDES; i++) {
		if (!p->c->head_is_set[i])
			continue;
		fprintf(p->out, "%s%s", before, case_wide_names[i]);
		print_around(p, " = ", p->c->head[i], "");
		before = ", ";
	}
	fprintf(p->out, "%s{\n", *before == ',' ? ") " : "");
}

static void print_rules(struct printer *p, int line, case_lines lines)
{
	for (int r = 0; r < p->c->rule_count; r++) {
		bool first = !r || p->c->rules[r].left != p->c->rules[r - 1].left;

		p->rule = &p->c->rules[r];
		if (first)
			fprintf(p->out, "\t\t%s :", productions[p->rule->left]);
		else
			fprintf(p->out, "\t\t  |");
		for (int i = 0; i < p->rule->count; i++) {
			fprintf(p->out, "\n\t\t\t");
			line++;
			if (lines)
				lines[r][i] = line;
			print_item(p, &p->rule->items[i]);
		}
		if (r + 1 == p->c->rule_count || p->c->rules[r + 1].left != p->rule->left)
			fprintf(p->out, " ;");
		fprintf(p->out, "\n");
		line++;
	}
}

void case_print(const struct grammar_case *c, FILE *out, case_lines lines)
{
	struct printer p = { .c = c, .out = out };
	int line = 4;

	fprintf(out, "property P%s {\n", c->parameter ? "(int o)" : "");
	fprintf(out, "\tview global%s;\n", c->until_end ? " until end" : "");
	print_events(&p, &line);
	print_head(&p);
	print_rules(&p, line, lines);
	fprintf(out, "\t}\n");
	if (c->reports)
		fprintf(out, "\ton violation { report(g, h) }\n");
	fprintf(out, "}\n");
}

void case_print_letter(const struct grammar_case *c, int number, FILE *out)
{
	const struct letter *l = &c->letters[number];

	fprintf(out, "%s(x=%d y=%d tid=%d callee=%s o=%d)", events[l->event], l->x, l->y, l->tid,
		case_texts[l->callee], l->o);
}
