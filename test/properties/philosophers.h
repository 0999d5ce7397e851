// The dining philosophers of SAGA (de Boer and de Gouw), for the programs philosophers_*.c. Three of them sit
// at a table with three forks; phil_run takes the fork on the left first. That the third one has the first
// fork on its left keeps them from waiting in a circle.
#ifndef PHILOSOPHERS_H
#define PHILOSOPHERS_H

#include <pthread.h>

#define EVENT __attribute__((noipa))
#define SEATS 3

struct fork {
	pthread_mutex_t m;
};

static struct fork forks[SEATS] = { { PTHREAD_MUTEX_INITIALIZER },
				    { PTHREAD_MUTEX_INITIALIZER },
				    { PTHREAD_MUTEX_INITIALIZER } };

EVENT static void fork_get(struct fork *fork) // GET
{
	pthread_mutex_lock(&fork->m); // LOCK
}

EVENT static void fork_release(struct fork *fork) // RELEASE
{
	pthread_mutex_unlock(&fork->m);
}

EVENT static void pasta_eat(void)
{
}

/* The program's own: in which order it takes them. */
static void phil_run(struct fork *left, struct fork *right);

struct seat {
	struct fork *left, *right;
};

static void *sit(void *given)
{
	struct seat *seat = given;

	phil_run(seat->left, seat->right);
	return NULL;
}

static int dine(struct seat seats[SEATS])
{
	pthread_t philosophers[SEATS];

	for (int i = 0; i < SEATS; i++)
		pthread_create(&philosophers[i], NULL, sit, &seats[i]);
	for (int i = 0; i < SEATS; i++)
		pthread_join(philosophers[i], NULL);
	return 0;
}

#endif
