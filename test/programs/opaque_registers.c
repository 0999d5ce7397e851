// Assembly whose operands are in registers that the program chose: noticing it must not change them.
// build: -pthread
#include <assert.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static void *map(long bytes)
{
	long result = SYS_mmap;
	register long flags __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(0l), "S"(bytes), "d"(PROT_READ | PROT_WRITE), "r"(flags), "r"(fd),
			   "r"(offset)
			 : "rcx", "r11", "memory");
	return (void *)result;
}

int main(void)
{
	int *memory = map(8192);

	assert(memory != MAP_FAILED && (long)memory > 0);
	memory[1024] = 5;
	return memory[1024] - 5;
}
