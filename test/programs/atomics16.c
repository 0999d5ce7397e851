// Compare-and-swap of 16 bytes from two threads.
// build: -pthread -mcx16
// stdout: 2000 4000
// count: 2000 \|u\(pair@16\)=
// text: ^T[12]\|u\(pair@16\)=.*,0x0000000000000fa000000000000007d0\|
#include <pthread.h>
#include <stdio.h>

static __int128 pair;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		__int128 old = 0, seen;
		while ((seen = __sync_val_compare_and_swap(&pair, old,
							   old + 1 + ((__int128)2 << 64))) != old)
			old = seen;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%lld %lld\n", (long long)pair, (long long)(pair >> 64));
	return 0;
}
