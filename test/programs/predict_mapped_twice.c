// Objects in a file that is mapped twice are the same objects, whichever mapping a thread uses, also
// after the first mapping has ended. Another lock of the file protects nothing.
// build: -pthread
// stdout: 4 1 1
// predict: race loose@ONE loose@TWO
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

struct objects {
	pthread_mutex_t lock, other[2];
	pthread_cond_t changed;
	sem_t done;
};

static struct objects *first, *second;
static int guarded, loose, given;

static void add(struct objects *o)
{
	pthread_mutex_lock(&o->lock);
	guarded++;
	pthread_cond_signal(&o->changed);
	pthread_mutex_unlock(&o->lock);
}

static void *use_first(void *unused)
{
	add(first);
	pthread_mutex_lock(&first->other[0]);
	loose = 1; // ONE
	pthread_mutex_unlock(&first->other[0]);
	return unused;
}

static void *use_second(void *unused)
{
	add(second);
	pthread_mutex_lock(&second->other[1]);
	loose = 2; // TWO
	pthread_mutex_unlock(&second->other[1]);
	return unused;
}

static void *give(void *o)
{
	add(o);
	given = 1;
	sem_post(&second->done);
	return NULL;
}

static void initialise(struct objects *o)
{
	pthread_mutexattr_t lock;
	pthread_condattr_t condition;

	pthread_mutexattr_init(&lock);
	pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&o->lock, &lock);
	pthread_mutex_init(&o->other[0], &lock);
	pthread_mutex_init(&o->other[1], &lock);
	pthread_cond_init(&o->changed, &condition);
	sem_init(&o->done, 1, 0);
}

int main(void)
{
	int file = memfd_create("objects", 0);
	pthread_t threads[2];

	if (ftruncate(file, 2 * PAGE))
		return 1;
	first = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	second = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	initialise(first);
	pthread_create(&threads[0], NULL, use_first, NULL);
	pthread_create(&threads[1], NULL, use_second, NULL);
	pthread_mutex_lock(&second->lock);
	while (guarded < 2)
		pthread_cond_wait(&second->changed, &second->lock);
	pthread_mutex_unlock(&second->lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);

	munmap(first, PAGE);
	pthread_create(&threads[0], NULL, give, second);
	add(second);
	sem_wait(&second->done);
	printf("%d %d %d\n", guarded, given, loose != 0);
	pthread_join(threads[0], NULL);
	return 0;
}
