// Valgrind's client requests, as helgrind.h and drd.h write them.
// build: -pthread
// plain: lib/own_lock.c
// stdout: 2 2 1 2
// text: ^T2\|receive\(.*\)=told\|.*predict_client_requests
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>

enum {
	HELGRIND = 'H' << 24 | 'G' << 16,
	LOCK_POST = HELGRIND + 256 + 8,
	UNLOCK_PRE = HELGRIND + 256 + 5,
	BEFORE = HELGRIND + 256 + 33,
	AFTER = HELGRIND + 256 + 34,
	UNTRACKED = HELGRIND + 256 + 39,
};

#define REQUEST(what, one, two)                                                                    \
	do {                                                                                       \
		volatile unsigned long arguments[6] = { what, (unsigned long)(one), two };         \
		unsigned long result = 0;                                                          \
		__asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"                           \
				 "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"                           \
				 "xchgq %%rbx,%%rbx"                                               \
				 : "=d"(result)                                                    \
				 : "a"(&arguments[0]), "0"(result)                                 \
				 : "cc", "memory");                                                \
	} while (0)

void own_lock(int *lock);
void own_unlock(int *lock);
void own_set(int *flag);
void own_await(int *flag);

static int lock, flag, counter, handed, loose, benign;

static void count(void)
{
	own_lock(&lock);
	REQUEST(LOCK_POST, &lock, 0);
	counter++;
	REQUEST(UNLOCK_PRE, &lock, 0);
	own_unlock(&lock);
}

static void *first(void *unused)
{
	benign++;
	handed = 1;
	REQUEST(BEFORE, &flag, 0);
	own_set(&flag);
	loose = 1; // FIRST
	count();
	return unused;
}

static void *second(void *unused)
{
	own_await(&flag);
	benign++;
	REQUEST(AFTER, &flag, 0);
	handed++;
	loose = 1; // SECOND
	count();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	REQUEST(UNTRACKED, &benign, sizeof(benign));
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d\n", counter, handed, loose, benign);
	return 0;
}
