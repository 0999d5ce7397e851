/* A recorded library that calls one that is not recorded, which the program has loaded. */
double closed_sum(int count, ...);
double call(void);

static double last;

double call(void)
{
	last = closed_sum(3, 1L, 2.5, 3L);
	return last;
}
