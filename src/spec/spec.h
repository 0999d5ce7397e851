/* Reading property files. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/err.h"
#include "base/vec.h"
#include "spec/tree.h"

#include <stdio.h>

enum spec_severity { SPEC_ERROR, SPEC_NOTE };

/* A message as it is printed: "FILE:3:12: error: …", the line, the caret, what to do. */
struct spec_message {
	uint8_t severity;
	struct spec_place place;
	char *text;  /* without position */
	char *shown; /* all of it, several lines */
};
struct spec_messages {
	VEC(struct spec_message) list;
	unsigned errors;
};

/*
 * Reads a file. NULL: `err` says why it cannot be read, or `messages` has errors. All errors of a
 * file are found in one go. The file is freed with spec_free.
 */
struct spec_file *spec_read(const char *path, struct spec_messages *messages, struct err *err);
struct spec_file *spec_parse(const char *path, const char *text, struct spec_messages *messages);
void spec_free(struct spec_file *file);
void spec_messages_free(struct spec_messages *messages);
void spec_complain(const struct spec_file *file, struct spec_messages *messages,
		   enum spec_severity severity, struct spec_place place, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * What a program has, for checking names. src/property makes one from an ELF file with DWARF and the
 * plugin's tables; tests make their own. Each returns false where there is no such thing; `nearest`
 * says what the user may have meant, or NULL. What is NULL is not checked.
 *
 * `global` is asked for whole names, "config", "config.limits.most", "table[3]"; `function` tells how
 * many parameters it has, -1 where that is not known or not fixed; `probe` is asked for "app:name".
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

/* Adds what is unknown. Errors with names, notes without (NULL: nothing is known of the program). */
void spec_check(const struct spec_file *file, const struct spec_names *names,
		struct spec_messages *messages);

/*
 * What is behind each property: text, or Graphviz. To be freed. `draw` shows what a formula of time or
 * an ere becomes (src/logic/draw.h), or a grammar (src/grammar/grammar.h); NULL: only how it was read. `next` is the number of the last node
 * of the graph so far; the new last one is returned, and where nothing can be drawn the same.
 */
typedef unsigned spec_drawing(FILE *out, const struct spec_file *file,
			      const struct spec_property *property,
			      const struct spec_formula *formula, bool graphviz, unsigned next);
char *spec_explain(const struct spec_file *file, bool graphviz, spec_drawing *draw);

/* Does the point give the parameter (its number) a value? Does the expression name it? */
bool spec_point_binds(const struct spec_point *point, uint32_t parameter);
bool spec_names_parameter(const struct spec_expr *expr, uint32_t parameter);

/* ---- evaluating ------------------------------------------------------------------------------ */

enum spec_value_type { SPEC_VALUE_UNKNOWN, SPEC_VALUE_INT, SPEC_VALUE_REAL, SPEC_VALUE_TEXT };

struct spec_value {
	uint8_t type;
	int64_t number; /* integers and pointers */
	double real;
	const char *text;
	uint32_t length;
	bool cut; /* TEXT: there was more */
};

/*
 * The variable of the program, or part of one, that an expression is: "config.limits.most", "a[3].x".
 * False: it is none, or its place is not fixed (a parameter, what a pointer points at, an index that
 * is no number).
 */
bool spec_variable_name(const struct spec_expr *expr, char *name, size_t size);

/* Where names get their values. NULL for what there is none of. */
struct spec_scope {
	void *context;
	const struct spec_value *parameters, *locals;
	struct spec_value (*global)(void *context, const struct spec_expr *expr);
};

/*
 * C's rules on 64 bits and double; what depends on something unknown is unknown, except where the
 * other side of && and || decides. Never fails.
 */
struct spec_value spec_evaluate(const struct spec_expr *expr, const struct spec_scope *scope);

#endif
