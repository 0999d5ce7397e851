// The malloc family, growing and shrinking, alignment, and what must fail.
// build: -pthread
// clang: -fno-builtin
// stdout: kept 1 zero 1 aligned 1 1 1 failed 1 1
// stdout: passed on 99
// text: \|alloc\(0x[0-9a-f]*,100000\)
// text: \|alloc\(0x[0-9a-f]*000,100\)
// text: \|alloc\(0x[0-9a-f]*00,512\)
// count: 8 \|free\(.*heap\.c
// text: ^T1\|w\(.*\)=99\|
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *use(void *block)
{
	*(int *)block = 99;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	char *grow = malloc(10);
	volatile size_t huge = SIZE_MAX / 2;
	void *a = NULL, *b = aligned_alloc(256, 512), *c = memalign(64, 10);

	for (int i = 0; i < 10; i++)
		grow[i] = (char)i;
	grow = realloc(grow, 100000);
	grow = realloc(grow, 10);
	int *zero = calloc(100, sizeof(int));
	int failed = posix_memalign(&a, 4096, 100);
	int aligned = !failed && (uintptr_t)a % 4096 == 0;
	printf("kept %d zero %d aligned %d %d %d", grow[9] == 9, zero[99] == 0, aligned,
	       (uintptr_t)b % 256 == 0, (uintptr_t)c % 64 == 0);
	errno = 0;
	void *none = malloc(huge);
	int no_memory = !none && errno == ENOMEM;
	void *over = reallocarray(NULL, huge, 4);
	printf(" failed %d %d\n", no_memory, !over);
	free(grow);
	free(a);
	free(b);
	free(c);
	free(zero);
	free(NULL);
	int *shared = malloc(sizeof(*shared));
	pthread_create(&thread, NULL, use, shared);
	pthread_join(thread, NULL);
	printf("passed on %d\n", *shared);
	free(shared);
	return 0;
}
