// A mutex and a semaphore in a block of the heap that are initialised when the thread that uses them is
// there already; those that are initialised before are fine, and so is a global one, which is all zeros.
// build: -pthread
// plain: lib/turn.c
// stdout: 1
// predict: misuse pool->late@INIT pool->late@LOCK
// predict: misuse pool->posts@INIT_POSTS pool->posts@POST
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

struct pool {
	pthread_mutex_t early, late;
	sem_t posts;
	int value;
};

static struct pool *pool;
static pthread_mutex_t global;

static void *use(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&pool->early);
	pthread_mutex_unlock(&pool->early);
	sem_post(&pool->posts);		 // POST
	pthread_mutex_lock(&pool->late); // LOCK
	pool->value = 1;
	pthread_mutex_unlock(&pool->late);
	pthread_mutex_lock(&global);
	pthread_mutex_unlock(&global);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pool = calloc(1, sizeof *pool);
	pthread_mutex_init(&pool->early, NULL);
	pthread_create(&thread, NULL, use, NULL);
	sem_init(&pool->posts, 0, 0);	       // INIT_POSTS
	pthread_mutex_init(&pool->late, NULL); // INIT
	pthread_mutex_init(&global, NULL);
	turn_done();
	pthread_join(thread, NULL);
	printf("%d\n", pool->value);
	free(pool);
	return 0;
}
