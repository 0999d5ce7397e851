/*
 * Finds the source lines of a return address in the debugging information of the program's files.
 * The debugging information is opened at the first query, because reading it takes time and sites
 * do not need it.
 */
#ifndef TRACE_SYMBOL_H
#define TRACE_SYMBOL_H

#include "trace/trace.h"

struct trace_symbols;

struct trace_symbol {
	const char *function; /* NULL if unknown */
	const char *file;     /* NULL if unknown */
	unsigned line;
};

struct trace_symbols *trace_symbols_open(const struct trace *trace);
void trace_symbols_close(struct trace_symbols *symbols);

/* Returns the innermost function first, then those it was inlined into; 0 if nothing is known. */
unsigned trace_symbols_find(struct trace_symbols *symbols, uint64_t pc, struct trace_symbol *frames,
			    unsigned most);

/*
 * Returns the name of the variable that starts at an address, from trace_object_name() or else from
 * the program's symbol table, or NULL. No two addresses get the same name.
 */
const char *trace_symbols_object(struct trace_symbols *symbols, uint64_t address);

/*
 * Returns the variable that contains an address, and the offset in it, or NULL. Unlike
 * trace_symbols_object(), several variables may have the same name (static ones of different
 * files).
 */
const char *trace_symbols_around(struct trace_symbols *symbols, uint64_t address, uint64_t *offset);

/*
 * Returns the path of the program or library that contains an address; in a text trace the name
 * that the address has. NULL if it is not known.
 */
const char *trace_symbols_file(struct trace_symbols *symbols, uint64_t address);

/* Returns the files with debugging information, at the addresses of the recorded run, or NULL. */
struct Dwfl *trace_symbols_dwfl(struct trace_symbols *symbols);

/* Messages about files that are missing or have changed since the run. These files are not used. */
size_t trace_symbols_problem_count(const struct trace_symbols *symbols);
const char *trace_symbols_problem(const struct trace_symbols *symbols, size_t i);

#endif
