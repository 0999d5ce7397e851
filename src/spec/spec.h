/*
 * Property files (doc/language.md): reading them into a tree (tree.h), checking them against a
 * program, explaining them, and evaluating their expressions.
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/err.h"
#include "base/vec.h"
#include "spec/tree.h"

#include <stdio.h>

enum spec_severity { SPEC_ERROR, SPEC_NOTE };

/*
 * A message, formatted for printing: "FILE:3:12: error: ...", the source line, and a caret below
 * it.
 */
struct spec_message {
	uint8_t severity;
	struct spec_location place;
	char *text;  /* the message without its location */
	char *shown; /* the complete message, several lines */
};
struct spec_messages {
	VEC(struct spec_message) list;
	unsigned errors;
};

/*
 * These read and check a property file. They return NULL if `messages` contains errors, or if the
 * file cannot be read (`err` then says why). They find all errors of a file in one pass. The caller
 * frees the result with spec_free().
 */
struct spec_file *spec_read(const char *path, struct spec_messages *messages, struct err *err);
struct spec_file *spec_parse(const char *path, const char *text, struct spec_messages *messages);
void spec_free(struct spec_file *file);
void spec_messages_free(struct spec_messages *messages);
void spec_report(const struct spec_file *file, struct spec_messages *messages,
		 enum spec_severity severity, struct spec_location place, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Functions that look up names of a program, for checking a property file against the program.
 * src/property implements them with an ELF file, its DWARF and the compiler plugin's tables; tests
 * have their own. `nearest` and `nearest_field` return the name that the user may have meant, or
 * NULL. The other functions return false if the program has no such name. If a function pointer is
 * NULL, names of that kind are not checked.
 *
 * `global` gets whole names: "config", "config.limits.most", "table[3]". `function` sets the number
 * of parameters, or -1 if it is unknown or not fixed. `probe` gets "app:name".
 */
struct spec_names {
	void *context;
	bool (*global)(void *context, const char *name, uint8_t *type);
	bool (*field)(void *context, const char *type, const char *path);
	bool (*function)(void *context, const char *library, const char *glob, int *parameters);
	const char *(*nearest)(void *context, enum spec_point_kind kind, const char *name);
	bool (*probe)(void *context, const char *glob);
	const char *(*nearest_field)(void *context, const char *type, const char *path);
};

/*
 * Reports names that the program does not have. With `names` == NULL nothing is known about the
 * program, and the messages about its variables are notes instead of errors.
 */
void spec_check(const struct spec_file *file, const struct spec_names *names,
		struct spec_messages *messages);

/*
 * Explains each property as text or as a Graphviz graph. The caller frees the result.
 *
 * `draw` prints the automaton of a temporal formula or an ere (src/logic/draw.h), or a grammar
 * (src/grammar/grammar.h). If it is NULL, only the parsed formula is shown. `next` is the number of
 * the last node in the graph so far. `draw` returns the number of the last node after drawing, or
 * `next` if it cannot draw the formula.
 */
typedef unsigned spec_drawing(FILE *out, const struct spec_file *file,
			      const struct spec_property *property,
			      const struct spec_formula *formula, bool graphviz, unsigned next);
char *spec_explain(const struct spec_file *file, bool graphviz, spec_drawing *draw);
/* Prints a text inside a string of Graphviz. */
void spec_print_quoted(FILE *out, const char *text);

/*
 * spec_point_binds(): does the point bind the parameter with this index? spec_names_parameter():
 * does the expression mention it?
 */
bool spec_point_binds(const struct spec_point *point, uint32_t parameter);
bool spec_names_parameter(const struct spec_expr *expr, uint32_t parameter);

/* ---- evaluating ------------------------------------------------------------------------------ */

enum spec_value_type { SPEC_VALUE_UNKNOWN, SPEC_VALUE_INT, SPEC_VALUE_REAL, SPEC_VALUE_TEXT };

struct spec_value {
	uint8_t type;
	int64_t number; /* INT: an integer or a pointer */
	double real;
	const char *text;
	uint32_t length;
	bool cut; /* TEXT: only the start of the string is known */
};

/*
 * Writes the name of the program variable, or part of one, that an expression denotes:
 * "config.limits.most", "a[3].x". Returns false if the expression is not a variable or its address
 * is not fixed (a parameter, a dereferenced pointer, an index that is not a constant).
 */
bool spec_variable_name(const struct spec_expr *expr, char *name, size_t size);

/* The values of names. If a member is NULL, the values of its names are unknown. */
struct spec_scope {
	void *context;
	const struct spec_value *parameters, *locals;
	struct spec_value (*global)(void *context, const struct spec_expr *expr);
};

/*
 * Evaluates with C's rules for 64-bit integers and double. A result that depends on an unknown
 * value is unknown, unless the other side of && or || decides it. Never fails.
 */
struct spec_value spec_evaluate(const struct spec_expr *expr, const struct spec_scope *scope);

#endif
