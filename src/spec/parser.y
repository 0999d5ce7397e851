/*
 * The grammar of the property language (doc/language.md). Names are resolved afterwards (names.c),
 * so that a name may be used before its declaration. syntax.c reports syntax errors.
 */
%code requires {
#include "spec/build.h"
}

%define api.pure full
%define api.prefix {spec_yy}
%define api.token.prefix {TOK_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {struct build *build}

%code {
#include "spec/syntax.h"

/*
 * The code that bison generates counts errors, but reads the counter only in error recovery. clang
 * 15 and later warn about that.
 */
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
	((current) = (n) ? span_join(&YYRHSLOC(rhs, 1), &YYRHSLOC(rhs, n))                         \
		       : end_of(&YYRHSLOC(rhs, 0)))

/* The location of an empty rule: just after the symbol before it. */
static struct span end_of(const struct span *last)
{
	struct span span = *last;

	span.place.column += span.place.length;
	span.place.length = 0;
	span.from = span.to;
	return span;
}

#define UNARY_EXPR(operator, span, left)                                                           \
	build_expr(build, SPEC_##operator, (span), (left), NULL, NULL)
#define BINARY_EXPR(operator, span, left, right)                                                   \
	build_expr(build, SPEC_##operator, (span), (left), (right), NULL)

static int spec_yylex(YYSTYPE *value, struct span *span, struct build *build);
static void spec_yyerror(const struct span *span, struct build *build, const char *text);
}

%union {
	const char *word;
	struct build_text text;
	int64_t number;
	double real;
	bool flag;
	struct spec_expr *expr;
	struct build_expressions exprs;
	struct spec_pattern *pattern;
	struct build_patterns patterns;
	struct build_attributes attributes;
	struct spec_ere *ere;
	struct build_eres eres;
	struct spec_target *target;
	struct spec_argument *argument;
	struct spec_point *point;
	struct build_points points;
	struct build_tail tail;
	struct spec_item *item;
	struct build_items items;
	struct build_alternatives alternatives;
}

%token END_OF_FILE 0 "the end of the file"
%token <word> WORD "a name" GLOB "a function"
%token <word> LUA "Lua in brackets"
%token <text> STRING "text in \"\""
%token <number> NUMBER "a number"
%token <real> REAL "a real number"
%token ATTACHED "(("
%token IMPLIES "=>" IFF "<=>" ARROW "->" EQ "==" NE "!=" LE "<=" GE ">=" AND "&&" OR "||"
%token SHL "<<" SHR ">>" REST "..."
%token <word> PROPERTY "property" USE "use" EXTERN "extern" WITH "with"
%token <word> EVENT "event" VIEW "view" NEVER "never" LTL "ltl" PATTERN "pattern" ERE "ere"
%token <word> GRAMMAR "grammar" MONITOR "monitor" ON "on" ASSERT "assert"
%token <word> CALL "call" EXEC "exec" RETURN "return" PROBE "probe" READ "read" WRITE "write"
%token <word> BECOMES "becomes" REQUEST "request" ACQUIRE "acquire" RELEASE "release"
%token <word> SPAWN "spawn" JOIN "join" IF "if" HOLDING "holding" RESET "reset" NEW "new" END "end"
%token <word> PREV "prev" ONCE "once" SOFAR "sofar" SINCE "since"
%token <word> ALWAYS "always" EVENTUALLY "eventually" NEXT "next" UNTIL "until"

/*
 * always and eventually extend as far to the right as possible. The other temporal operators with
 * one operand bind tighter than &&.
 */
%precedence REACHES
%right "=>" "<=>"
%right "until" "since"
%right '?' ':'
%left "||"
%left "&&"
%precedence OF_TIME
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' "<=" '>' ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%precedence '.' "->" '['

%type <word> word use_name
%type <text> library
%type <expr> expr filter
%type <exprs> expressions
%type <flag> arguments
%type <argument> result
%type <target> target lock
%type <point> point bare_point points
%type <points> point_list
%type <tail> tail tail_part
%type <number> function_kind access_kind lock_kind thread_kind
%type <pattern> pattern parallel_member either_member both_member prefixed repeated
%type <patterns> parallel either both sequence
%type <attributes> attributes attribute
%type <ere> ere ere_either_member ere_both_member ere_prefixed ere_repeated
%type <eres> ere_either ere_both ere_sequence
%type <item> item
%type <items> items
%type <alternatives> alternatives
%type <word> grammar_head

%%

file:
	%empty
|	file property
|	file use
|	file extern
|	file error ';'			{ build_discard(build); }
|	file error '}'			{ build_discard(build); }
;

word:
	WORD | CALL | EXEC | RETURN | PROBE | READ | WRITE | BECOMES | REQUEST | ACQUIRE | RELEASE
|	SPAWN | JOIN | IF | HOLDING | RESET | NEW | END
;

open: '(' | ATTACHED ;

/* ---- outside of properties ------------------------------------------------------------------ */

use:
	USE use_name ';'		{ build_use(build, &@2, $2, NULL, &@2, 0); }
|	USE use_name WITH word '=' NUMBER ';'	{ build_use(build, &@2, $2, $4, &@4, $6); }
;
use_name:
	word
|	use_name '-' word
		{ $$ = @3.to - @1.from < 64 ? build_source(build, @1.from, @3.to) : $1; }
;

extern: EXTERN externs ';'		{ build_discard(build); } ;
externs:
	declaration			{ build_extern(build, &@1); }
|	externs ',' declaration		{ build_extern(build, &@3); }
;

declaration: part | declaration part ;
part:
	word				{ build_part(build, $1, &@1); }
|	'*'				{ build_part(build, "*", &@1); }
;

/* ---- properties ------------------------------------------------------------------------------ */

property:
	header '{' body '}'		{ build_property_end(build); }
|	header '{' body error '}'	{ build_discard(build); build_property_end(build); }
;
header: name_of_property parameters ;
name_of_property: PROPERTY word		{ build_property_begin(build, &@2, $2); } ;
parameters:
	%empty
|	open ')'
|	open parameter_list ')'
|	open error ')'			{ build_discard(build); build->now.broken = true; }
;
parameter_list:
	declaration			{ build_parameter(build, &@1); }
|	parameter_list ',' declaration	{ build_parameter(build, &@3); }
;

body:
	%empty
|	body statement
|	body error ';'			{ build_discard(build); }
;

statement:
	EVENT word '=' points ';'	{ build_event(build, &@2, $2, $4); }
|	EVENT word error ';'		{ build_event(build, &@2, $2, NULL); }
|	VIEW view_words ';'		{ build_view(build, &@$); }
|	ALWAYS expr ';'			{ build_temporal(build, &@1, &@2, $2, false); }
|	NEVER expr ';'			{ build_temporal(build, &@1, &@2, $2, true); }
|	LTL ':' expr ';'		{ build_formula(build, SPEC_LTL, &@$, &@3)->expr = $3; }
|	PATTERN ':' pattern ';'
		{ build_formula(build, SPEC_PATTERN, &@$, &@3)->pattern = $3; }
|	ERE ':' ere ';'			{ build_formula(build, SPEC_ERE, &@$, &@3)->ere = $3; }
|	GRAMMAR grammar_head '{' productions '}'	{ build_grammar(build, &@$, $2, &@2); }
|	GRAMMAR grammar_head '{' error '}'	{ build_grammar(build, &@$, $2, &@2); }
|	MONITOR STRING ';'		{ build_monitor(build, &@$, $2); }
|	ON word LUA			{ build_violation(build, &@2, $2, $3, &@3); }
|	';'
;
view_words:
	word				{ build_part(build, $1, &@1); }
|	view_words word			{ build_part(build, $2, &@2); }
;

/* ---- events ---------------------------------------------------------------------------------- */

points: point_list			{ $$ = $1.first; } ;
point_list:
	point				{ $$ = build_add_point((struct build_points){ 0 }, $1); }
|	point_list ',' point		{ $$ = build_add_point($1, $3); }
;

point: bare_point tail			{ $$ = build_tailed(build, $1, &$2, &@1); } ;

bare_point:
	function_kind GLOB open arguments ')' result {
		$$ = build_function(build, $1, &@$, NULL, $2, $4);
		$$->result = $6;
	}
|	function_kind library ':' GLOB open arguments ')' result {
		$$ = build_function(build, $1, &@$, $2.text, $4, $6);
		$$->result = $8;
	}
|	access_kind target result {
		$$ = build_access(build, $1, &@$, $2);
		$$->result = $3;
	}
|	BECOMES open expr ')' {
		$$ = build_access(build, SPEC_POINT_BECOMES, &@$, NULL);
		$$->becomes = $3;
	}
|	lock_kind lock			{ $$ = build_access(build, $1, &@$, $2); }
|	thread_kind			{ $$ = build_access(build, $1, &@$, NULL); }
|	thread_kind open arguments ')'	{ $$ = build_function(build, $1, &@$, NULL, NULL, $3); }
;
function_kind:
	CALL				{ $$ = SPEC_POINT_CALL; }
|	EXEC				{ $$ = SPEC_POINT_EXEC; }
|	RETURN				{ $$ = SPEC_POINT_RETURN; }
|	PROBE				{ $$ = SPEC_POINT_PROBE; }
;
access_kind:
	READ				{ $$ = SPEC_POINT_READ; }
|	WRITE				{ $$ = SPEC_POINT_WRITE; }
;
lock_kind:
	REQUEST				{ $$ = SPEC_POINT_REQUEST; }
|	ACQUIRE				{ $$ = SPEC_POINT_ACQUIRE; }
|	RELEASE				{ $$ = SPEC_POINT_RELEASE; }
;
thread_kind:
	SPAWN				{ $$ = SPEC_POINT_SPAWN; }
|	JOIN				{ $$ = SPEC_POINT_JOIN; }
;
library: STRING ;

arguments: /* value: true if `...` allows further arguments */
	%empty				{ $$ = false; }
|	REST				{ $$ = true; }
|	argument_list			{ $$ = false; }
|	argument_list ',' REST		{ $$ = true; }
;
argument_list:
	expr				{ build_add_argument(build, $1); }
|	argument_list ',' expr		{ build_add_argument(build, $3); }
;
result:
	%empty				{ $$ = NULL; }
|	'=' expr			{ $$ = build_result(build, $2); }
;

target:
	lock
|	'*' word			{ $$ = build_target(build, SPEC_POINTED, &@$, $2); }
;
lock:
	word				{ $$ = build_target(build, SPEC_GLOBAL, &@$, $1); }
|	word path			{ $$ = build_target(build, SPEC_GLOBAL, &@$, $1); }
;
path: step | path step ;
step:
	'.' word			{ build_step(build, ".", $2); }
|	"->" word			{ build_step(build, "->", $2); }
|	"->" '*'			{ build_step(build, "->", "*"); }
|	'[' NUMBER ']'
		{ build_step(build, "", build_source(build, @1.from, @3.to)); }
;

tail:
	%empty				{ $$ = (struct build_tail){ 0 }; }
|	tail tail_part			{ build_tail_add(build, &$1, $2, &@2); $$ = $1; }
;
tail_part:
	HOLDING lock			{ $$ = (struct build_tail){ .holding = $2, .own = @$ }; }
|	IF filter			{ $$ = (struct build_tail){ .filter = $2 }; }
|	RESET
		{ $$ = (struct build_tail){ .reset = true, .reset_span = @1 }; }
|	RESET LUA
		{ $$ = (struct build_tail){ .reset = true, .reset_if = $2,
					    .reset_span = @1, .condition_span = @2 }; }
|	NEW word
		{ $$ = (struct build_tail){ .lives = build_lifetime(build, &@$, $2, false) }; }
|	END word
		{ $$ = (struct build_tail){ .lives = build_lifetime(build, &@$, $2, true) }; }
;
filter: open expr ')'			{ $$ = $2; } ;

/* ---- expressions: as in C, and temporal operators in formulas -------------------------------- */

expr:
	NUMBER				{ $$ = build_number(build, &@$, $1); }
|	REAL				{ $$ = build_real(build, &@$, $1); }
|	STRING				{ $$ = build_string(build, &@$, $1); }
|	word				{ $$ = build_name(build, &@$, $1); }
|	word open ')'
		{ $$ = build_call(build, &@$, $1, (struct build_expressions){ 0 }); }
|	word open expressions ')'	{ $$ = build_call(build, &@$, $1, $3); }
|	open expr ')'			{ $$ = $2; }
|	expr '.' word			{ $$ = build_member(build, &@$, $1, $3, false); }
|	expr "->" word			{ $$ = build_member(build, &@$, $1, $3, true); }
|	expr '[' expr ']'		{ $$ = BINARY_EXPR(INDEX, &@$, $1, $3); }
|	'*' expr %prec UNARY		{ $$ = UNARY_EXPR(DEREF, &@$, $2); }
|	'&' expr %prec UNARY		{ $$ = UNARY_EXPR(ADDRESS, &@$, $2); }
|	'!' expr %prec UNARY		{ $$ = UNARY_EXPR(NOT, &@$, $2); }
|	'~' expr %prec UNARY		{ $$ = UNARY_EXPR(COMPLEMENT, &@$, $2); }
|	'-' expr %prec UNARY		{ $$ = UNARY_EXPR(NEGATE, &@$, $2); }
|	'+' expr %prec UNARY		{ $$ = $2; }
|	expr '*' expr			{ $$ = BINARY_EXPR(MULTIPLY, &@$, $1, $3); }
|	expr '/' expr			{ $$ = BINARY_EXPR(DIVIDE, &@$, $1, $3); }
|	expr '%' expr			{ $$ = BINARY_EXPR(MODULO, &@$, $1, $3); }
|	expr '+' expr			{ $$ = BINARY_EXPR(ADD, &@$, $1, $3); }
|	expr '-' expr			{ $$ = BINARY_EXPR(SUBTRACT, &@$, $1, $3); }
|	expr "<<" expr			{ $$ = BINARY_EXPR(SHIFT_LEFT, &@$, $1, $3); }
|	expr ">>" expr			{ $$ = BINARY_EXPR(SHIFT_RIGHT, &@$, $1, $3); }
|	expr '<' expr			{ $$ = BINARY_EXPR(LESS, &@$, $1, $3); }
|	expr "<=" expr			{ $$ = BINARY_EXPR(LESS_EQUAL, &@$, $1, $3); }
|	expr '>' expr			{ $$ = BINARY_EXPR(GREATER, &@$, $1, $3); }
|	expr ">=" expr			{ $$ = BINARY_EXPR(GREATER_EQUAL, &@$, $1, $3); }
|	expr "==" expr			{ $$ = BINARY_EXPR(EQUAL, &@$, $1, $3); }
|	expr "!=" expr			{ $$ = BINARY_EXPR(UNEQUAL, &@$, $1, $3); }
|	expr '&' expr			{ $$ = BINARY_EXPR(BIT_AND, &@$, $1, $3); }
|	expr '^' expr			{ $$ = BINARY_EXPR(BIT_XOR, &@$, $1, $3); }
|	expr '|' expr			{ $$ = BINARY_EXPR(BIT_OR, &@$, $1, $3); }
|	expr "&&" expr			{ $$ = BINARY_EXPR(AND, &@$, $1, $3); }
|	expr "||" expr			{ $$ = BINARY_EXPR(OR, &@$, $1, $3); }
|	expr '?' expr ':' expr
		{ $$ = build_expr(build, SPEC_CONDITIONAL, &@$, $1, $3, $5); }
|	expr "=>" expr			{ $$ = BINARY_EXPR(IMPLIES, &@$, $1, $3); }
|	expr "<=>" expr			{ $$ = BINARY_EXPR(IFF, &@$, $1, $3); }
|	expr "since" expr		{ $$ = BINARY_EXPR(SINCE, &@$, $1, $3); }
|	expr "until" expr		{ $$ = BINARY_EXPR(UNTIL, &@$, $1, $3); }
|	PREV expr %prec OF_TIME		{ $$ = UNARY_EXPR(PREV, &@$, $2); }
|	ONCE expr %prec OF_TIME		{ $$ = UNARY_EXPR(ONCE, &@$, $2); }
|	SOFAR expr %prec OF_TIME	{ $$ = UNARY_EXPR(SOFAR, &@$, $2); }
|	NEXT expr %prec OF_TIME		{ $$ = UNARY_EXPR(NEXT, &@$, $2); }
|	ALWAYS expr %prec REACHES	{ $$ = UNARY_EXPR(ALWAYS, &@$, $2); }
|	EVENTUALLY expr %prec REACHES	{ $$ = UNARY_EXPR(EVENTUALLY, &@$, $2); }
|	'[' expr ',' expr ')'		{ $$ = BINARY_EXPR(INTERVAL, &@$, $2, $4); }
;
expressions:
	expr
		{ $$ = build_add_expr((struct build_expressions){ 0 }, $1); }
|	expressions ',' expr		{ $$ = build_add_expr($1, $3); }
;

/* ---- patterns -------------------------------------------------------------------------------- */

pattern: parallel			{ $$ = build_pattern(build, SPEC_PARALLEL, &@$, $1); } ;
parallel:
	parallel_member
		{ $$ = build_add_pattern((struct build_patterns){ 0 }, $1); }
|	parallel "||" parallel_member	{ $$ = build_add_pattern($1, $3); }
;
parallel_member: either			{ $$ = build_pattern(build, SPEC_EITHER, &@$, $1); } ;
either:
	either_member
		{ $$ = build_add_pattern((struct build_patterns){ 0 }, $1); }
|	either '|' either_member	{ $$ = build_add_pattern($1, $3); }
;
either_member: both			{ $$ = build_pattern(build, SPEC_BOTH, &@$, $1); } ;
both:
	both_member
		{ $$ = build_add_pattern((struct build_patterns){ 0 }, $1); }
|	both '&' both_member		{ $$ = build_add_pattern($1, $3); }
;
both_member: sequence			{ $$ = build_pattern(build, SPEC_SEQUENCE, &@$, $1); } ;
sequence:
	prefixed
		{ $$ = build_add_pattern((struct build_patterns){ 0 }, $1); }
|	sequence prefixed		{ $$ = build_add_pattern($1, $2); }
;
prefixed:
	repeated
|	'!' prefixed			{ $$ = build_repeat(build, SPEC_INVERTED, &@$, $2); }
;
repeated:
	word				{ $$ = build_leaf(build, &@$, $1, NULL); }
|	word ATTACHED attributes ')'	{ $$ = build_leaf(build, &@$, $1, &$3); }
|	'(' pattern ')'			{ $$ = $2; }
|	repeated '*'			{ $$ = build_repeat(build, SPEC_STAR, &@$, $1); }
|	repeated '+'			{ $$ = build_repeat(build, SPEC_PLUS, &@$, $1); }
|	repeated '?'			{ $$ = build_repeat(build, SPEC_MAYBE, &@$, $1); }
;
attributes:
	attribute
|	attributes ',' attribute	{ build_attributes_add(build, &$1, &$3); $$ = $1; }
;
attribute:
	word
		{ $$ = (struct build_attributes){ .thread = $1, .thread_span = @1 }; }
|	'<' word
		{ $$ = (struct build_attributes){ .begins = $2, .begins_span = @$ }; }
|	'>' word
		{ $$ = (struct build_attributes){ .ends = $2, .ends_span = @$ }; }
;

/* ---- extended regular expressions --------------------------------------------------------- */

ere: ere_either				{ $$ = build_ere(build, SPEC_ERE_EITHER, &@$, $1); } ;
ere_either:
	ere_either_member		{ $$ = build_add_ere((struct build_eres){ 0 }, $1); }
|	ere_either '|' ere_either_member	{ $$ = build_add_ere($1, $3); }
;
ere_either_member: ere_both		{ $$ = build_ere(build, SPEC_ERE_BOTH, &@$, $1); } ;
ere_both:
	ere_both_member			{ $$ = build_add_ere((struct build_eres){ 0 }, $1); }
|	ere_both '&' ere_both_member	{ $$ = build_add_ere($1, $3); }
;
ere_both_member: ere_sequence		{ $$ = build_ere(build, SPEC_ERE_SEQUENCE, &@$, $1); } ;
ere_sequence:
	ere_prefixed			{ $$ = build_add_ere((struct build_eres){ 0 }, $1); }
|	ere_sequence ere_prefixed	{ $$ = build_add_ere($1, $2); }
;
ere_prefixed:
	ere_repeated
|	'~' ere_prefixed		{ $$ = build_ere_repeat(build, SPEC_ERE_NOT, &@$, $2); }
;
ere_repeated:
	word				{ $$ = build_ere_leaf(build, SPEC_ERE_EVENT, &@$, $1); }
|	'.'				{ $$ = build_ere_leaf(build, SPEC_ERE_ANY, &@$, NULL); }
|	open ere ')'			{ $$ = $2; }
|	ere_repeated '*'		{ $$ = build_ere_repeat(build, SPEC_ERE_STAR, &@$, $1); }
|	ere_repeated '+'		{ $$ = build_ere_repeat(build, SPEC_ERE_PLUS, &@$, $1); }
|	ere_repeated '?'		{ $$ = build_ere_repeat(build, SPEC_ERE_MAYBE, &@$, $1); }
;

/* ---- grammars ----------------------------------------------------------------------------- */

grammar_head:
	%empty				{ $$ = NULL; }
|	LUA
;
productions: production | productions production ;
production:
	word ':' alternatives ';'	{ build_production(build, &@1, $1, $3.first); }
|	word error ';'			{ build_production(build, &@1, $1, NULL); }
;
alternatives:
	items
		{ $$ = build_add_alternative(build, (struct build_alternatives){ 0 },
						      &@1, $1.first); }
|	alternatives '|' items		{ $$ = build_add_alternative(build, $1, &@3, $3.first); }
;
items:
	%empty				{ $$ = (struct build_items){ 0 }; }
|	items item			{ $$ = build_add_item($1, $2); }
;
item:
	word				{ $$ = build_symbol(build, &@$, NULL, $1); }
|	word '=' word			{ $$ = build_symbol(build, &@$, $1, $3); }
|	LUA				{ $$ = build_code(build, SPEC_ITEM_ACTION, &@$, $1, &@1); }
|	ASSERT LUA			{ $$ = build_code(build, SPEC_ITEM_ASSERT, &@$, $2, &@2); }
;

%%

static int spec_yylex(YYSTYPE *value, struct span *span, struct build *build)
{
	struct lexer_token token;
	int kind = context_next(&build->context, &token);

	*span = token.span;
	if (kind == TOK_NUMBER)
		value->number = token.number;
	else if (kind == TOK_REAL)
		value->real = token.real;
	else if (kind == TOK_STRING)
		value->text = (struct build_text){ token.text, token.length };
	else
		value->word = token.text;
	return kind;
}

/* Called only if bison cannot continue: its stack is full. */
static void spec_yyerror(const struct span *span, struct build *build, const char *text)
{
	(void)text;
	build_complain(build, span->place, "this is nested too deeply");
}

static int yyreport_syntax_error(const yypcontext_t *at, struct build *build)
{
	yysymbol_kind_t expected[YYNTOKENS];
	const char *names[YYNTOKENS];
	int count = yypcontext_expected_tokens(at, expected, YYNTOKENS);
	yysymbol_kind_t token = yypcontext_token(at);

	for (int i = 0; i < count; i++)
		names[i] = yysymbol_name(expected[i]);
	syntax_complain(build, yypcontext_location(at),
			token == YYSYMBOL_YYEMPTY ? NULL : yysymbol_name(token), names,
			count > 0 ? (size_t)count : 0);
	return 0;
}
