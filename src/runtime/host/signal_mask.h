/* Blocks all signals in the calling thread for a moment; see signal_mask.c. */
#ifndef RUNTIME_HOST_SIGNAL_MASK_H
#define RUNTIME_HOST_SIGNAL_MASK_H

#include <stdbool.h>

/* The previous mask of the thread, in the kernel's form. */
struct signal_mask {
	unsigned long signals;
	bool changed; /* false: the kernel refused, and there is nothing to restore */
};

struct signal_mask signal_mask_all(void);
void signal_mask_restore(struct signal_mask before);

#endif
