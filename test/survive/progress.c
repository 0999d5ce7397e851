#include "progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct progress *progress_open(const void *cells)
{
	const char *name = getenv("PROGRESS");
	int file = name ? open(name, O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;

	if (file < 0 || ftruncate(file, sizeof(struct progress)))
		return NULL;
	struct progress *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (p == MAP_FAILED)
		return NULL;
	p->cells = (uintptr_t)cells;
	return p;
}

void progress_reached(struct progress *progress, int thread, uint64_t number)
{
	__atomic_store_n(&progress->reached[thread], number, __ATOMIC_RELEASE);
}
