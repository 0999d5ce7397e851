/* Keeping every signal out of the calling thread for a moment; mask.c. */
#ifndef RUNTIME_MASK_H
#define RUNTIME_MASK_H

#include <stdbool.h>

/* What the thread blocked before, as the kernel has it. */
struct mask {
	unsigned long signals;
	bool changed; /* false: the kernel refused, and nothing is to be restored */
};

struct mask mask_all(void);
void mask_restore(struct mask before);

#endif
