/*
 * From a return address to source lines, through the debugging information of the program's
 * files. Opened with the first question: reading it takes time, and sites need none of it.
 */
#ifndef TRACE_SYMBOL_H
#define TRACE_SYMBOL_H

#include "trace/trace.h"

struct trace_symbols;

struct trace_symbol {
	const char *function; /* NULL unknown */
	const char *file;     /* NULL unknown */
	unsigned line;
};

struct trace_symbols *trace_symbols_open(const struct trace *trace);
void trace_symbols_close(struct trace_symbols *symbols);

/* The innermost function first, then those it was inlined into. 0: nothing is known. */
unsigned trace_symbols_find(struct trace_symbols *symbols, uint64_t pc, struct trace_symbol *frames,
			    unsigned most);

/*
 * The name of the variable that starts at an address: trace_object_name, else what the program's
 * symbol table says. No two addresses get the same name. NULL: none.
 */
const char *trace_symbols_object(struct trace_symbols *symbols, uint64_t address);

/*
 * The variable whose bytes an address is among, and how far into it; NULL: none. Unlike above a
 * name may stand for several variables (static ones of different files).
 */
const char *trace_symbols_around(struct trace_symbols *symbols, uint64_t address, uint64_t *offset);

/* The files with their debugging information, where the run had them; NULL: none. */
struct Dwfl *trace_symbols_dwfl(struct trace_symbols *symbols);

/* Files that are gone or are not those of the recorded run, in words; none of them is used. */
size_t trace_symbols_problem_count(const struct trace_symbols *symbols);
const char *trace_symbols_problem(const struct trace_symbols *symbols, size_t i);

#endif
