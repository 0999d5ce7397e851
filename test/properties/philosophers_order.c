// The second philosopher takes the fork on the right first. That cannot end in a circle here, but is not what
// was agreed upon. A thread's word is the same in every schedule: the recorded run shows it.
// property: philosophers.prop
// violates: observed Phil release@RELEASE
#include "philosophers.h"

static void phil_run(struct fork *left, struct fork *right)
{
	struct fork *first = left, *second = right;

#ifndef FIXED
	if (left == &forks[1]) {
		first = right;
		second = left;
	}
#endif
	for (int meal = 0; meal < 2; meal++) {
		fork_get(first);
		fork_get(second);
		pasta_eat();
		fork_release(left);
		fork_release(right);
	}
}

int main(void)
{
	struct seat seats[SEATS] = { { &forks[0], &forks[1] },
				     { &forks[1], &forks[2] },
				     { &forks[0], &forks[2] } };

	return dine(seats);
}
