// LIBS: -ltbb

// Tasks of a group have finished when wait() returns.
#include <tbb/task_group.h>
#include <tbb/global_control.h>

int main()
{
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
	tbb::task_group group;
	int left = 0, right = 0;

	group.run([&] { left = 1; });
	group.run([&] {
		right = 2;
#ifdef BUG
		left = 3;
#endif
	});
	group.wait();
	return left + right < 0;
}
