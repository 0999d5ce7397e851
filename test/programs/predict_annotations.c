// dynamic_annotations.h: orders and locks that are told of, races that are meant, and one that is not.
// build: -pthread
// plain: lib/own_lock.c
// native: no
// stdout: 2 2 1 2 2
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>

void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *memory, long size,
			     const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

void own_lock(int *lock);
void own_unlock(int *lock);
void own_set(int *flag);
void own_await(int *flag);

static int lock, flag, counter, handed, loose, benign, ignored;

static void count(void)
{
	own_lock(&lock);
	AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1);
	counter++;
	AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
	own_unlock(&lock);
}

static void race_on_purpose(void)
{
	benign++;
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	ignored++;
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

static void *first(void *unused)
{
	race_on_purpose();
	handed = 1;
	AnnotateHappensBefore(__FILE__, __LINE__, &flag);
	own_set(&flag);
	loose = 1; // FIRST
	count();
	return unused;
}

static void *second(void *unused)
{
	own_await(&flag);
	race_on_purpose();
	AnnotateHappensAfter(__FILE__, __LINE__, &flag);
	handed++;
	loose = 1; // SECOND
	count();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	AnnotateRWLockCreate(__FILE__, __LINE__, &lock);
	AnnotateBenignRaceSized(__FILE__, __LINE__, &benign, sizeof(benign), "a statistic");
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d %d\n", counter, handed, loose, benign, ignored);
	return 0;
}
