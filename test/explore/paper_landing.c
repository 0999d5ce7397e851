// An aeroplane may land if the tower permits it, while the radio may go off. "If landing is modified
// then landing is true or permit was always false": no reordering of what a good run did violates
// it, since the run that does goes another way at `if (permit)`.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "work.h"

static atomic_bool permit, landing, was_permitted;

static void set_permit(bool value)
{
	if (value)
		was_permitted = true;
	permit = value;
}

static void set_landing(bool value)
{
	landing = value;
	assert(value || !was_permitted); // FAILS
}

static bool check_tower(void)
{
	return true;
}

static void *control(void *unused)
{
	set_permit(check_tower());
#ifdef FIXED
	set_landing(true);
#else
	if (permit)
		set_landing(true);
	else
		set_landing(false);
#endif
	return unused;
}

static void *radio(void *unused)
{
	set_permit(false);
	return unused;
}

int main(void)
{
	pthread_t controller, radio_off;

	pthread_create(&radio_off, NULL, radio, NULL);
	work(10);
	pthread_create(&controller, NULL, control, NULL);
	pthread_join(controller, NULL);
	pthread_join(radio_off, NULL);
	return 0;
}
