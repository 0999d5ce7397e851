// LIBS: -ltbb

// An accessor of a concurrent_hash_map locks the element.
#include <tbb/concurrent_hash_map.h>
#include <thread>

typedef tbb::concurrent_hash_map<int, int> map_type;
static map_type map;
static int changes;

static void work()
{
	for (int i = 0; i < 2; i++) {
		map_type::accessor found;

		map.insert(found, i);
		found->second++;
	}
#ifdef BUG
	changes++;
#endif
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	return changes > 2;
}
