// Atomics of 1, 2, 4 and 8 bytes, every operation: results as the language says.
// build: -pthread
// stdout: 1: 8 12 8 14 9 247 55 1 0 66
// stdout: 2: 8 12 8 14 9 65527 55 1 0 66
// stdout: 4: 8 12 8 14 9 4294967287 55 1 0 66
// stdout: 8: 8 12 8 14 9 18446744073709551607 55 1 0 66
// stdout: counted 4000
// text: ^T0\|u\([^)]*@1\)=8,13\|
// text: ^T0\|u\([^)]*@2,relaxed\)=13,12\|
// text: ^T0\|u\([^)]*@4,acq_rel\)=14,9\|
// text: ^T0\|u\([^)@]*\)=9,-9\|
// text: ^T0\|ra\([^)]*casfail\)=66\|
// text: ^T0\|wa\([^)]*@1\)=8\|
// text: ^T[1-4]\|u\([^)]*@4\)=3999,4000\|
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define TRY(bits)                                                                                  \
	static void try_##bits(void)                                                               \
	{                                                                                          \
		static _Atomic uint##bits##_t x;                                                   \
		uint##bits##_t expected;                                                           \
		atomic_store(&x, 8);                                                               \
		printf("%d: %d", bits / 8, (int)atomic_load(&x));                                  \
		atomic_fetch_add(&x, 5);                                                           \
		atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);                            \
		printf(" %d", (int)x);                                                             \
		atomic_fetch_and(&x, 9);                                                           \
		printf(" %d", (int)x);                                                             \
		x |= 6;                                                                            \
		printf(" %d", (int)x);                                                             \
		atomic_fetch_xor_explicit(&x, 7, memory_order_acq_rel);                            \
		printf(" %d", (int)x);                                                             \
		__atomic_fetch_nand((uint##bits##_t *)&x, 8, __ATOMIC_SEQ_CST);                    \
		printf(" %llu", (unsigned long long)x);                                            \
		atomic_exchange(&x, 55);                                                           \
		printf(" %d", (int)x);                                                             \
		expected = 55;                                                                     \
		printf(" %d", atomic_compare_exchange_strong(&x, &expected, 66));                  \
		expected = 1;                                                                      \
		printf(" %d", atomic_compare_exchange_strong(&x, &expected, 77));                  \
		printf(" %d\n", (int)expected);                                                    \
	}
TRY(8)
TRY(16)
TRY(32)
TRY(64)

static atomic_int counter;

static void *count(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		int old = atomic_load_explicit(&counter, memory_order_relaxed);
		if (i % 2)
			counter++;
		else
			while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
				;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	try_8();
	try_16();
	try_32();
	try_64();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("counted %d\n", counter);
	return 0;
}
