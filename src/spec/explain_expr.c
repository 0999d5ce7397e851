/* Prints expressions and extended regular expressions. */
#include "spec/explain.h"

#include <ctype.h>
#include <inttypes.h>

static const char *const signs[] = {
	[SPEC_DEREF] = "*",	     [SPEC_ADDRESS] = "&",     [SPEC_NOT] = "!",
	[SPEC_COMPLEMENT] = "~",     [SPEC_NEGATE] = "-",      [SPEC_MULTIPLY] = "*",
	[SPEC_DIVIDE] = "/",	     [SPEC_MODULO] = "%",      [SPEC_ADD] = "+",
	[SPEC_SUBTRACT] = "-",	     [SPEC_SHIFT_LEFT] = "<<", [SPEC_SHIFT_RIGHT] = ">>",
	[SPEC_LESS] = "<",	     [SPEC_LESS_EQUAL] = "<=", [SPEC_GREATER] = ">",
	[SPEC_GREATER_EQUAL] = ">=", [SPEC_EQUAL] = "==",      [SPEC_UNEQUAL] = "!=",
	[SPEC_BIT_AND] = "&",	     [SPEC_BIT_XOR] = "^",     [SPEC_BIT_OR] = "|",
	[SPEC_AND] = "&&",	     [SPEC_OR] = "||",	       [SPEC_IMPLIES] = "=>",
	[SPEC_IFF] = "<=>",	     [SPEC_PREV] = "prev",     [SPEC_ONCE] = "once",
	[SPEC_SOFAR] = "sofar",	     [SPEC_SINCE] = "since",   [SPEC_START] = "start",
	[SPEC_END] = "end",	     [SPEC_ALWAYS] = "always", [SPEC_EVENTUALLY] = "eventually",
	[SPEC_NEXT] = "next",	     [SPEC_UNTIL] = "until",
};

const char *explain_operator(uint8_t operator)
{
	return operator<sizeof signs / sizeof * signs ? signs[operator] : NULL;
}

static void print_text(FILE *out, const char *text, uint32_t length)
{
	putc('"', out);
	for (uint32_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c == 127)
			/* always three digits, because the next character may be a digit */
			fprintf(out, "\\%03o", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void print_list(FILE *out, const struct spec_expr *e)
{
	for (; e; e = e->next) {
		explain_whole(out, e);
		if (e->next)
			fprintf(out, ", ");
	}
}

static void print_prefix(FILE *out, const struct spec_expr *e)
{
	const char *sign = explain_operator(e->operator);

	fprintf(out, "%s%s", sign, isalpha((unsigned char)sign[0]) ? " " : "");
	explain_expr(out, e->left);
}

static bool is_infix(const struct spec_expr *e)
{
	return e->right &&
	       e->operator>= SPEC_MULTIPLY && e->operator!= SPEC_CONDITIONAL && e->operator!=
	       SPEC_INTERVAL;
}

static void print_infix(FILE *out, const struct spec_expr *e)
{
	explain_expr(out, e->left);
	fprintf(out, " %s ", explain_operator(e->operator));
	explain_expr(out, e->right);
}

/*
 * Does the operator extend as far to the right as possible? If so, the expression needs parentheses
 * inside another expression.
 */
static bool extends_right(const struct spec_expr *e)
{
	return e->operator== SPEC_ALWAYS || e->operator== SPEC_EVENTUALLY;
}

void explain_whole(FILE *out, const struct spec_expr *e)
{
	if (is_infix(e))
		print_infix(out, e);
	else if (extends_right(e))
		print_prefix(out, e);
	else
		explain_expr(out, e);
}

void explain_expr(FILE *out, const struct spec_expr *e)
{
	switch (e->operator) {
	case SPEC_NUMBER: fprintf(out, "%" PRId64, e->number); return;
	case SPEC_REAL: fprintf(out, "%g", e->real); return;
	case SPEC_TEXT: print_text(out, e->text, e->text_length); return;
	case SPEC_NAME:
	case SPEC_EVENT: fputs(e->text, out); return;
	case SPEC_MEMBER:
		explain_expr(out, e->left);
		fprintf(out, "%s%s", e->arrow ? "->" : ".", e->text);
		return;
	case SPEC_INDEX:
		explain_expr(out, e->left);
		putc('[', out);
		explain_whole(out, e->right);
		putc(']', out);
		return;
	case SPEC_CALL:
	case SPEC_START:
	case SPEC_END:
		fprintf(out, "%s(",
			e->operator== SPEC_CALL ? e->text : explain_operator(e->operator));
		print_list(out, e->left);
		putc(')', out);
		return;
	case SPEC_INTERVAL:
		putc('[', out);
		explain_whole(out, e->left);
		fprintf(out, ", ");
		explain_whole(out, e->right);
		putc(')', out);
		return;
	case SPEC_CONDITIONAL:
		putc('(', out);
		explain_expr(out, e->left);
		fprintf(out, " ? ");
		explain_expr(out, e->right);
		fprintf(out, " : ");
		explain_expr(out, e->third);
		putc(')', out);
		return;
	default:
		if (!is_infix(e) && !extends_right(e)) {
			print_prefix(out, e);
			return;
		}
		putc('(', out);
		(is_infix(e) ? print_infix : print_prefix)(out, e);
		putc(')', out);
	}
}

static const char *ere_separator(uint8_t kind)
{
	return kind == SPEC_ERE_EITHER ? " | " : kind == SPEC_ERE_BOTH ? " & " : " ";
}

void explain_ere(FILE *out, const struct spec_ere *e)
{
	switch (e->kind) {
	case SPEC_ERE_EVENT: fputs(e->name, out); return;
	case SPEC_ERE_ANY: putc('.', out); return;
	case SPEC_ERE_EPSILON: fputs("epsilon", out); return;
	case SPEC_ERE_EMPTY: fputs("empty", out); return;
	case SPEC_ERE_NOT:
		putc('~', out);
		explain_ere(out, e->parts);
		return;
	case SPEC_ERE_STAR:
	case SPEC_ERE_PLUS:
	case SPEC_ERE_MAYBE:
		explain_ere(out, e->parts);
		putc(e->kind == SPEC_ERE_STAR ? '*' : e->kind == SPEC_ERE_PLUS ? '+' : '?', out);
		return;
	default:
		putc('(', out);
		for (const struct spec_ere *part = e->parts; part; part = part->next) {
			explain_ere(out, part);
			fputs(part->next ? ere_separator(e->kind) : ")", out);
		}
	}
}
