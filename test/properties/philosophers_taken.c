// A philosopher who is done leaves it to another thread to put a fork back.
// property: philosophers.prop
// violates: observed Fork release@TIDIED
#include "philosophers.h"

static void *tidy(void *given)
{
#ifndef FIXED
	struct fork *fork = given;

	pthread_mutex_unlock(&fork->m); // TIDIED
#endif
	(void)given;
	return NULL;
}

static void phil_run(struct fork *left, struct fork *right)
{
	pthread_t helper;

	fork_get(left);
	fork_get(right);
	pasta_eat();
	fork_release(left);
#ifdef FIXED
	fork_release(right);
#endif
	pthread_create(&helper, NULL, tidy, right);
	pthread_join(helper, NULL);
}

int main(void)
{
	struct seat seats[SEATS] = { { &forks[0], &forks[1] },
				     { &forks[1], &forks[2] },
				     { &forks[0], &forks[2] } };

	return dine(seats);
}
