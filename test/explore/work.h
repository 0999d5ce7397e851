// Time that passes, about a third of a millisecond for each unit: computing in registers, which nobody
// else sees. It is why these programs do well as a rule, and no reason why they must. The fixed ones
// do not need it, and are explored the faster without.
static void work(long amount)
{
#ifdef FIXED
	amount = 0;
#endif
	for (long i = 0; i < amount * 1000000; i++)
		__asm__ volatile("");
}
