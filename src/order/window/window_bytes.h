/* The contents of each byte of memory at the start of a window. */
#ifndef ORDER_WINDOW_WINDOW_BYTES_H
#define ORDER_WINDOW_WINDOW_BYTES_H

#include "base/pages.h"

enum window_byte {
	BYTE_UNKNOWN, /* not yet read or written in its lifetime */
	BYTE_KNOWN,
	BYTE_WRITTEN, /* written by an event without a value: differs from any other value */
	BYTE_SEEN,    /* written without a value, but a later read has shown the value */
};

struct bytes_granule {
	uint8_t value[8], state[8]; /* enum window_byte */
};

struct window_bytes {
	bool zero;	       /* untouched bytes are known to be 0, as in a text trace */
	struct pages granules; /* address / 8 to struct bytes_granule */
};

void window_bytes_free(struct window_bytes *bytes);
void window_bytes_load(const struct window_bytes *bytes, uint64_t address, uint64_t size,
		       uint8_t *value, uint8_t *state);
/* Stores `value`, whose `unit` bytes repeat, or BYTE_WRITTEN if `value` is NULL. */
void window_bytes_store(struct window_bytes *bytes, uint64_t address, uint64_t size,
			const uint8_t *value, uint32_t unit, enum window_byte state);
/* Makes the bytes unknown, because a new lifetime begins. */
void window_bytes_forget(struct window_bytes *bytes, uint64_t address, uint64_t size);

#endif
