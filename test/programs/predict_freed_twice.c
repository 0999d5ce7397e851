// A block is freed and replaced by one at the same address: who reads the pointer between the two
// frees it a second time.
// build: -pthread
// plain: lib/turn.c
// stdout: the same block
// serial: no, blocks are not used again
// predict: use-after-free block~of~64~bytes@FIRST block~of~64~bytes@SECOND
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *shared;

static void *renew(void *unused)
{
	uintptr_t before = (uintptr_t)shared;

	free(shared); // FIRST
	pthread_mutex_lock(&lock);
	shared = malloc(64);
	puts(before == (uintptr_t)shared ? "the same block" : "another block");
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *block;

	shared = malloc(64);
	pthread_create(&thread, NULL, renew, NULL);
	turn_wait(1);
	pthread_mutex_lock(&lock);
	block = shared;
	pthread_mutex_unlock(&lock);
	free(block); // SECOND
	pthread_join(thread, NULL);
	return 0;
}
