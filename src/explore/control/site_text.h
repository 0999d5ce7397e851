/* Describes the sites, objects and operations of a controlled run in terms of the source. */
#ifndef EXPLORE_CONTROL_SITE_TEXT_H
#define EXPLORE_CONTROL_SITE_TEXT_H

#include "trace/symbol.h"
#include "trace/trace.h"

#define SITE_TEXT_BYTES 200

struct site_text {
	char text[SITE_TEXT_BYTES];
};

/* Returns "bank.c:12 (teller)", or "?" if nothing is known. `symbols` may be NULL. */
struct site_text site_text(const struct trace *trace, struct trace_symbols *symbols, uint64_t site);

/*
 * Returns the variable's name, such as "balance" or "forks+40"; without one, the expression at that
 * site, such as "p->next"; without that, the address.
 */
struct site_text object_text(const struct trace *trace, struct trace_symbols *symbols,
			     uint64_t site, uint64_t address);

/* Returns what an operation does: "read of balance", "lock of m", "join of T2". */
struct site_text operation_text(const struct trace *trace, struct trace_symbols *symbols,
				uint8_t kind, uint64_t site, uint64_t address);

#endif
