// A static barrier and a static semaphore have no static initialiser: a thread that may use them before
// their initialisation misuses them. The barrier that is initialised before is fine.
// build: -pthread
// plain: lib/turn.c
// predict: misuse late@INIT_BARRIER late@WAIT
// predict: misuse posts@INIT_POSTS posts@POST
#include <pthread.h>
#include <semaphore.h>

void turn_wait(int number);
void turn_done(void);

static pthread_barrier_t early, late;
static sem_t posts;

static void *use(void *unused)
{
	pthread_barrier_wait(&early);
	turn_wait(1);
	sem_post(&posts);	     // POST
	pthread_barrier_wait(&late); // WAIT
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&early, NULL, 2);
	pthread_create(&thread, NULL, use, NULL);
	pthread_barrier_wait(&early);
	sem_init(&posts, 0, 0);		      // INIT_POSTS
	pthread_barrier_init(&late, NULL, 2); // INIT_BARRIER
	turn_done();
	pthread_barrier_wait(&late);
	pthread_join(thread, NULL);
	return 0;
}
