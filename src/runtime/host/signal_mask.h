/* Keeping every signal out of the calling thread for a moment; signal_mask.c. */
#ifndef RUNTIME_HOST_SIGNAL_MASK_H
#define RUNTIME_HOST_SIGNAL_MASK_H

#include <stdbool.h>

/* What the thread blocked before, as the kernel has it. */
struct signal_mask {
	unsigned long signals;
	bool changed; /* false: the kernel refused, and nothing is to be restored */
};

struct signal_mask signal_mask_all(void);
void signal_mask_restore(struct signal_mask before);

#endif
