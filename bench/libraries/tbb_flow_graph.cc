// LIBS: -ltbb

// Messages go through a graph of two nodes; the second one runs one at a time.
#include <tbb/flow_graph.h>

int main()
{
	tbb::flow::graph graph;
	int sum = 0, calls = 0;
	tbb::flow::function_node<int, int> twice(graph, tbb::flow::unlimited, [&](int v) {
#ifdef BUG
		calls++;
#endif
		return 2 * v;
	});
	tbb::flow::function_node<int> add(graph, tbb::flow::serial, [&](int v) { sum += v; });

	tbb::flow::make_edge(twice, add);
	for (int i = 0; i < 4; i++)
		twice.try_put(i);
	graph.wait_for_all();
	return sum != 12 && calls < 99;
}
