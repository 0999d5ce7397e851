/*
 * vectors NAME: a thread's vector registers all hold values while the thread is stopped before an
 * access and other threads run (test/unit/explore_vectors.c).
 *
 * handed	the turn goes from thread to thread before accesses
 * awaited	the other thread has the turn and waits in the kernel for this thread, in a call
 *	that is not recorded: this thread must notice that and take the turn, with its
 *	registers intact
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#define REGISTERS 16
#define BYTES 32
#define ROUNDS 20

static volatile int shared;
static int over;

/* ---- registers ------------------------------------------------------------------------------- */

/* clang-format off */
#define EACH(DO) \
	DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) \
	DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define LOAD_X(n) "movups " #n "*32(%0), %%xmm" #n "\n\t"
#define STORE_X(n) "movups %%xmm" #n ", " #n "*32(%0)\n\t"
#define LOAD_Y(n) "vmovups " #n "*32(%0), %%ymm" #n "\n\t"
#define STORE_Y(n) "vmovups %%ymm" #n ", " #n "*32(%0)\n\t"
#define CLOBBER(n) "xmm" #n,
/* clang-format on */

/*
 * Makes one access with all registers in use. The compiler itself uses none of them between the two
 * asm statements, because they are declared as clobbered.
 */
#define ACCESS(load, store, before, after, value)                                                  \
	do {                                                                                       \
		__asm__ volatile(EACH(load)::"r"(before) : EACH(CLOBBER) "memory");                \
		shared = (value);                                                                  \
		__asm__ volatile(EACH(store)::"r"(after) : "memory");                              \
	} while (0)

static void access_with(unsigned thread, unsigned round)
{
	uint8_t before[REGISTERS * BYTES] = { 0 }, after[REGISTERS * BYTES] = { 0 };

	for (unsigned i = 0; i < sizeof(before); i++)
		before[i] = (uint8_t)(1 + i + 85 * thread + 7 * round);
	/*
	 * in some rounds the upper halves are in their initial state, which must be preserved, too
	 */
	if (__builtin_cpu_supports("avx") && round % 4 != 3) {
		ACCESS(LOAD_Y, STORE_Y, before, after, (int)round);
	} else {
		for (unsigned i = 0; i < REGISTERS; i++)
			memset(before + i * BYTES + 16, 0, 16);
		if (__builtin_cpu_supports("avx"))
			__asm__ volatile("vzeroupper" ::: "memory");
		ACCESS(LOAD_X, STORE_X, before, after, (int)round);
		if (__builtin_cpu_supports("avx")) {
			uint8_t whole[REGISTERS * BYTES];
			ACCESS(LOAD_X, STORE_Y, before, whole, (int)round);
			assert(!memcmp(before, whole, sizeof(whole)));
		}
	}
	assert(!memcmp(before, after, sizeof(after)));
}

/* ---- a wait that is not recorded ------------------------------------------------------------- */

static long futex(int *word, long operation, long value)
{
	register long timeout __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_futex), "D"(word), "S"(operation), "d"(value), "r"(timeout)
			 : "rcx", "r11", "memory");
	return result;
}

static void *bear(void *unused)
{
	access_with(1, 0);
	__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
	futex(&over, FUTEX_WAKE, 1);
	return unused;
}

static void *wait_unseen(void *unused)
{
	shared = -1;
	while (*(volatile int *)&over == 0)
		futex(&over, FUTEX_WAIT, 0);
	return unused;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void *work(void *number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		access_with((unsigned)(uintptr_t)number, i);
	return NULL;
}

int main(int argc, char **argv)
{
	int awaited = argc > 1 && !strcmp(argv[1], "awaited");
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, awaited ? bear : work, (void *)1);
	pthread_create(&threads[1], NULL, awaited ? wait_unseen : work, (void *)2);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
