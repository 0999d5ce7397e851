// What a program says of its own synchronisation in ThreadSanitizer's words: a lock and a hand-over
// that are made of code which is not recorded.
// build: -pthread
// plain: lib/own_lock.c
// native: no
// stdout: 3 2 1
// text: ^T1\|acq\(.*\)\|.*predict_tsan_annotations
// text: ^T2\|receive\(.*\)=told\|.*predict_tsan_annotations
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>

void __tsan_acquire(void *object);
void __tsan_release(void *object);
void __tsan_mutex_create(void *mutex, unsigned flags);
void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
void __tsan_mutex_post_lock(void *mutex, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
void __tsan_mutex_post_unlock(void *mutex, unsigned flags);
void __tsan_mutex_destroy(void *mutex, unsigned flags);

void own_lock(int *lock);
void own_unlock(int *lock);
void own_set(int *flag);
void own_await(int *flag);

static int lock, flag, counter, handed, loose;

static void take(void)
{
	__tsan_mutex_pre_lock(&lock, 0);
	own_lock(&lock);
	__tsan_mutex_post_lock(&lock, 0, 0);
}

static void give(void)
{
	__tsan_mutex_pre_unlock(&lock, 0);
	own_unlock(&lock);
	__tsan_mutex_post_unlock(&lock, 0);
}

static void count(void)
{
	take();
	counter++;
	give();
}

static void *first(void *unused)
{
	handed = 1;
	__tsan_release(&flag);
	own_set(&flag);
	loose = 1; // FIRST
	count();
	return unused;
}

static void *second(void *unused)
{
	own_await(&flag);
	__tsan_acquire(&flag);
	handed++;
	loose = 1; // SECOND
	count();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	__tsan_mutex_create(&lock, 0);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	count();
	__tsan_mutex_destroy(&lock, 0);
	printf("%d %d %d\n", counter, handed, loose);
	return 0;
}
