/*
 * Makes texts for sites, objects and operations from the site tables of a trace and the symbols of
 * its modules.
 */
#include "explore/control/site_text.h"

#include "trace/sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *file_name_of(const char *path, int length, int *left)
{
	const char *slash = memrchr(path, '/', (size_t)length);

	*left = slash ? (int)(path + length - slash - 1) : length;
	return slash ? slash + 1 : path;
}

struct site_text site_text(const struct trace *trace, struct trace_symbols *symbols, uint64_t site)
{
	const struct wire_element *element = trace_site_at(trace, site);
	struct site_text words = { "?" };
	struct trace_symbol symbol;
	struct trace_source_line place;
	int length;

	if (trace_site_lines(trace, element, &place, 1)) {
		const char *file = file_name_of(place.file.text, place.file.length, &length);

		snprintf(words.text, sizeof words.text, "%.*s:%" PRIu32 " (%.*s)", length, file,
			 place.line, place.function.length, place.function.text);
	} else if (!element && symbols && site && trace_symbols_find(symbols, site, &symbol, 1) &&
		   symbol.function) {
		if (symbol.file)
			snprintf(words.text, sizeof words.text, "%.60s:%u (%.100s)",
				 file_name_of(symbol.file, (int)strlen(symbol.file), &length),
				 symbol.line, symbol.function);
		else
			snprintf(words.text, sizeof words.text, "%.100s", symbol.function);
	}
	return words;
}

struct site_text object_text(const struct trace *trace, struct trace_symbols *symbols,
			     uint64_t site, uint64_t address)
{
	const char *name = trace_object_name(trace, address);
	struct site_text words;
	uint64_t offset = 0;

	if (!name && symbols)
		name = trace_symbols_object(symbols, address);
	if (!name && symbols)
		name = trace_symbols_around(symbols, address, &offset);
	if (!name) {
		name = trace_site_name(trace, trace_site_at(trace, site));
		offset = 0;
	}
	if (name && *name && offset)
		snprintf(words.text, sizeof words.text, "%.100s+%" PRIu64, name, offset);
	else if (name && *name)
		snprintf(words.text, sizeof words.text, "%.100s", name);
	else
		snprintf(words.text, sizeof words.text, "0x%" PRIx64, address);
	return words;
}

static const char *operation_phrase(uint8_t kind)
{
	switch (kind) {
	case EV_READ:
	case EV_ATOMIC_READ: return "read of ";
	case EV_WRITE:
	case EV_FILL:
	case EV_ATOMIC_WRITE: return "write of ";
	case EV_COPY: return "copy to ";
	case EV_ATOMIC_UPDATE: return "update of ";
	case EV_ACQUIRE:
	case EV_REQUEST: return "lock of ";
	case EV_READ_ACQUIRE:
	case EV_READ_REQUEST: return "read lock of ";
	case EV_RELEASE:
	case EV_READ_RELEASE: return "unlock of ";
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL: return "failed lock of ";
	case EV_WAIT: return "wait on ";
	case EV_WOKEN: return "return from the wait on ";
	case EV_SIGNAL: return "signal on ";
	case EV_BROADCAST: return "broadcast on ";
	case EV_POST: return "post of ";
	case EV_DOWN:
	case EV_DOWN_REQUEST: return "wait on semaphore ";
	case EV_DOWN_FAIL: return "failed wait on semaphore ";
	case EV_ARRIVE: return "arrival at barrier ";
	case EV_PASS: return "passing of barrier ";
	case EV_FREE: return "free of ";
	}
	return NULL;
}

struct site_text operation_text(const struct trace *trace, struct trace_symbols *symbols,
				uint8_t kind, uint64_t site, uint64_t address)
{
	const char *what = operation_phrase(kind);
	struct site_text words;

	if (kind == EV_JOIN || kind == EV_JOIN_REQUEST)
		snprintf(words.text, sizeof words.text, "join of T%" PRIu64, address);
	else if (kind == EV_CREATE)
		snprintf(words.text, sizeof words.text, "creation of T%" PRIu64, address);
	else if (what)
		snprintf(words.text, sizeof words.text, "%s%.100s", what,
			 object_text(trace, symbols, site, address).text);
	else
		snprintf(words.text, sizeof words.text, "%s", event_text(kind));
	return words;
}
