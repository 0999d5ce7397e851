/* The functions of a module and the frames of their calls, from its unwind tables (.eh_frame). */
#ifndef RUNTIME_OPAQUE_OPAQUE_FRAME_H
#define RUNTIME_OPAQUE_OPAQUE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opaque_frames {
	const uint8_t *header; /* PT_GNU_EH_FRAME */
	const int32_t *table;  /* sorted pairs: start of a function, its description */
	size_t count;	       /* number of functions */
};

/* Returns false if there is no table that this code can read. */
bool opaque_frames_open(struct opaque_frames *frames, const uint8_t *header);

#define OPAQUE_FRAME_NONE SIZE_MAX

/* The function that contains an address, from 0, or OPAQUE_FRAME_NONE. */
size_t opaque_frames_find(const struct opaque_frames *frames, uintptr_t pc);

uintptr_t opaque_frames_start(const struct opaque_frames *frames, size_t function);

/* Where the code at an address finds the return address of its function. */
struct opaque_frame_rule {
	unsigned reg; /* the processor's number of a register */
	int32_t offset;
	bool indirect; /* the frame begins at the address that is stored at reg + offset ... */
};		       /* ... otherwise there; the return address is in the 8 bytes before it */

/* Returns false if no rule of this kind describes the frame at `pc`. */
bool opaque_frames_rule(const struct opaque_frames *frames, size_t function, uintptr_t pc,
			struct opaque_frame_rule *rule);

#endif
