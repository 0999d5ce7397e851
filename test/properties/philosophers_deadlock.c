// Each of them takes the fork on the left first, all around the table: they may all have one and wait for the
// other. In the recorded run one eats after the other.
// property: philosophers.prop
// violates: NoDeadlock req@LOCK
#include "philosophers.h"

static void phil_run(struct fork *left, struct fork *right)
{
	for (int meal = 0; meal < 2; meal++) {
		fork_get(left);
		fork_get(right);
		pasta_eat();
		fork_release(left);
		fork_release(right);
	}
}

int main(void)
{
	struct seat seats[SEATS] = { { &forks[0], &forks[1] }, { &forks[1], &forks[2] } };

#ifdef FIXED
	seats[2] = (struct seat){ &forks[0], &forks[2] };
#else
	seats[2] = (struct seat){ &forks[2], &forks[0] };
#endif
	return dine(seats);
}
