/* Writes to what it was given once, and nobody sees it. Built without hooks; with turns. */
#include "turn.c"

#include <sys/mman.h>

void unseen_register(int i, int *at);
void unseen_set(int i);
void unseen_fill(int *at);
int *unseen_memory(void);

static int *registered[3];

void unseen_register(int i, int *at)
{
	registered[i] = at;
}

void unseen_set(int i)
{
	__atomic_store_n(registered[i], 1, __ATOMIC_RELEASE);
}

void unseen_fill(int *at)
{
	*at = 0;
}

/* That nobody knows the bounds of. */
int *unseen_memory(void)
{
	register long flags __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_mmap), "D"(0), "S"(4096), "d"(PROT_READ | PROT_WRITE),
			   "r"(flags), "r"(fd), "r"(offset)
			 : "rcx", "r11", "memory");
	return (int *)result;
}
