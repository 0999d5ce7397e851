/* Compares the tool's verdict on a case with that of the definitions. */
#ifndef MODEL_LATTICE_TOOL_H
#define MODEL_LATTICE_TOOL_H

#include "lattice_brute.h"
#include "monitor/observe/observe.h"

struct tool_mode {
	bool strong, all;
};

/* Returns NULL, or the difference. `judged`: the case was small enough for the brute force. */
const char *tool_compare(const struct trace *trace, const struct property_set *set,
			 const struct lattice_case *c, const struct system *truth,
			 const struct tool_mode *mode, bool *judged);

/* Checks that messages in another order give the same lattice. */
const char *tool_shuffle(const struct property_set *set, const struct computation *computation,
			 const struct tool_mode *mode, uint64_t *random);

#endif
