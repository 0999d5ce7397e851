// A variable that a loop of one round tests is read once, also where a compiler would test it before the loop to have a loop for either.
// opt: -O3 -O0
// count: 1 r\(tested@4\)

int tested = 1, also, added = 1, counted;
int *to = &counted;
volatile int one = 1;

static inline int run(int n)
{
	for (int i = 0; i < n; i++)
		if (tested == n && also > 2)
			*to += added * n;
	return n;
}

int main(void)
{
	return run(one) != 1;
}
