/* Another library than tally.c, with a table of another size. */
static long pages[3], sum;

long ledger_add(int n);
long ledger_add(int n)
{
	for (int i = 0; i < 3; i++)
		pages[i] += n + i;
	sum += pages[1];
	return sum;
}
