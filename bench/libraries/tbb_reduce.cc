// LIBS: -ltbb

// parallel_reduce joins the sums of the parts.
#include <tbb/tbb.h>

int main()
{
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
	long calls = 0;
	long sum = tbb::parallel_reduce(
		tbb::blocked_range<int>(0, 32, 4), 0L,
		[&](const tbb::blocked_range<int> &range, long part) {
			for (int i = range.begin(); i < range.end(); i++)
				part += i;
#ifdef BUG
			calls++;
#endif
			return part;
		},
		[](long a, long b) { return a + b; });

	return sum + calls < 0;
}
