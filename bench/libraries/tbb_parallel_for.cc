// LIBS: -ltbb

// Each index of a parallel loop writes its own element.
#include <tbb/tbb.h>
#include <vector>

int main()
{
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
	std::vector<int> values(16);
	int last = 0;

	tbb::parallel_for(0, 16, [&](int i) {
		values[i] = i;
#ifdef BUG
		last = i;
#endif
	});
	return values[15] + last < 0;
}
