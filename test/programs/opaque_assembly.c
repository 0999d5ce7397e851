// Which inline assembly may order threads. After each statement, an access is recorded; before it, OPAQUE if the
// statement may.
// build: -pthread
// stdout: 36
// count: 9 \|opaque\(.*opaque_assembly
#include <stdio.h>

static volatile int shared;
static int word, other;
static long number;

#define DO(...)                                                                                    \
	do {                                                                                       \
		__asm__ __VA_ARGS__;                                                               \
		shared++;                                                                          \
	} while (0)

/* Exchange, update, load and store of shared memory; memory that is only reached by a register. */
static void order_threads(int *p)
{
	int value = 1;
	long result = 39; /* getpid */
	char old;

	DO(volatile("xchgl %0, %1" : "+r"(value), "+m"(word) : : "memory"));
	DO(volatile("lock; addl %1, %0" : "+m"(word) : "r"(6) : "cc", "memory"));
	DO(("lock; cmpxchgl %2, %1" : "=a"(value) : "m"(*p), "r"(0), "0"(-1) : "cc"));
	__asm__ volatile("" : : "r"(value));
	DO(volatile("movl %1, %0" : "=r"(value) : "m"(*p)));
	DO(volatile("movl $2, (%0)" : : "r"(p) : "memory"));
	DO(volatile("lock; btsl $0, %1; setc %0" : "=q"(old), "+m"(other) : : "cc", "memory"));
	DO(volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory"));
	DO(volatile("1:\tincl %0\n\tjz 1b" : "+m"(*p) : : "cc"));
	DO(volatile("cld; rep stosl" : "+D"(p), "=c"(number) : "1"(1L), "a"(0) : "memory"));
}

static void order_nothing(int *p)
{
	unsigned low, high = 5, a = 0, b, c = 0, d;
	unsigned short mode;

	DO(volatile("" : : : "memory"));
	DO(volatile("" : "+m"(*p)));
	DO(volatile("# a comment with (%0)" : : "r"(p) : "memory"));
	DO(volatile("pause" : : : "memory"));
	DO(volatile("rep; nop" : : : "memory"));
	DO(volatile("nop\n\t.balign 4\n" : : : "memory"));
	DO(volatile("mfence" : : : "memory"));
	DO(volatile("lock; addl $0, 0(%%rsp)" : : : "memory", "cc"));
	DO(volatile("lock; orl $0, %0" : "+m"(word) : : "memory", "cc"));
	DO(volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory"));
	DO(volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory"));
	DO(("bsfl %1, %0" : "=r"(low) : "r"(high | 1)));
	DO(volatile("roll $3, %0" : "+r"(low) : : "cc", "memory"));
	DO(volatile("movq %%fs:0, %0" : "=r"(number)));
	DO(volatile("fnstcw %0" : "=m"(mode)));
	DO(volatile("prefetcht0 (%0)" : : "r"(p)));
	DO(volatile("leaq 8(%1), %0" : "=r"(number) : "r"(p)));
	DO(volatile("pushfq; popfq" : : : "memory", "cc"));
	DO(volatile("nop; .pushsection .note.test, \"?\"; .quad 1; .popsection" : : : "memory"));
	DO(volatile("jmp 1f\n1:" : : : "memory"));
	DO(volatile("xchgw %%ax, %%ax" : : : "memory"));
	DO(volatile("{addl $1, %0|add %0, 1}" : "+r"(low) : : "cc"));
	DO(volatile("movl %%esp, %k0" : "=r"(number)));
	DO(("mull %3" : "=a"(a), "=d"(d) : "0"(low), "rm"(high) : "cc"));
	DO(volatile(".byte 0x0f, 0x1f, 0x00" : : "r"(p)));
	DO(volatile("pxor %%xmm0, %%xmm0" : : : "xmm0"));
	DO(volatile("mov %%rsp, %[to]" : [to] "=r"(number)));
}

int main(void)
{
	int *p = &other;

	shared = 0;
	__asm__ volatile("" : "+r"(p));
	order_threads(p);
	order_nothing(p);
	printf("%d\n", shared);
	return 0;
}
