/* Sites of a controlled run in terms of the source. */
#ifndef EXPLORE_PLACE_WORDS_H
#define EXPLORE_PLACE_WORDS_H

#include "trace/symbol.h"
#include "trace/trace.h"

#define PLACE_WORDS 200

struct place_words {
	char text[PLACE_WORDS];
};

/* "bank.c:12 (teller)"; "?" when nothing is known. `symbols` may be NULL. */
struct place_words place_words(const struct trace *trace, struct trace_symbols *symbols,
			       uint64_t site);

/* The variable's name, "balance" or "forks+40"; else what the source calls it there, "p->next"; else
 * its address. */
struct place_words place_object(const struct trace *trace, struct trace_symbols *symbols,
				uint64_t site, uint64_t address);

/* What an operation does: "read of balance", "lock of m", "join". */
struct place_words place_operation(const struct trace *trace, struct trace_symbols *symbols,
				   uint8_t kind, uint64_t site, uint64_t address);

#endif
