/* Prints parts of events: the pieces of the text form, the dump and messages. */
#ifndef TRACE_PRINT_H
#define TRACE_PRINT_H

#include "trace/symbol.h"
#include "trace/trace.h"

#include <stdio.h>

void print_thread(FILE *out, const struct trace *trace, uint32_t stream);

/* Prints a variable's name, or the address. */
void print_object(FILE *out, struct trace_symbols *symbols, uint64_t address);

/* Prints the operation as in the text form. Returns false if the kind has no line there. */
bool print_operation(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
		     const struct trace_event *event);

/* Prints the part of an access that follows the operation's name: "(x@4)=7". */
void print_access_arguments(FILE *out, struct trace_symbols *symbols,
			    const struct trace_event *event);

/* Prints file:line, or the address of the code, or nothing. */
void print_place(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
		 const struct trace_event *event);

/* Prints the function that an event is in, or nothing. */
void print_function(FILE *out, const struct trace *trace, struct trace_symbols *symbols,
		    const struct trace_event *event);

#endif
