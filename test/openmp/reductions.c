// Reductions of several variables, of a floating-point number and of a type of the program.
#include <stdio.h>

struct range {
	int low, high;
};
static struct range join(struct range a, struct range b)
{
	return (struct range){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}
#pragma omp declare reduction(join                                                                 \
			      : struct range                                                       \
			      : omp_out = join(omp_out, omp_in))                                   \
	initializer(omp_priv = (struct range){ 0, 0 })

int main(void)
{
	struct range all = { 0, 0 };
	double product = 1;
	int sum = 0, most = -1;
	double histogram[4] = { 0 };

#pragma omp parallel num_threads(4)
	{
#pragma omp for reduction(join : all) reduction(max : most) reduction(+ : histogram[:4])
		for (int i = -10; i < 10; i++) {
			all = join(all, (struct range){ i, i });
			most = i > most ? i : most;
			histogram[i & 3]++;
		}
#pragma omp for reduction(+ : sum) reduction(* : product) nowait
		for (int i = 1; i < 8; i++) {
			sum += i * all.high;
			product *= i;
		}
	}
	printf("%d %d %d %g %d %g\n", all.low, all.high, sum, product, most, histogram[1]);
	return 0;
}
