/*
 * bench/solver [--queries N] [--seeds N] [--limit MS] [--only SIZE]
 *
 * Compares our ordering solver with Z3 on the same windows and the same queries, in one run. The
 * windows are synthetic (solver_trace.h): 8 threads, 20 locks, and one variable for each ten
 * events. At every fifth step outside of sections a thread takes a lock, and at every tenth step
 * another thread continues. There are two profiles: in `mid`, half of the written values are one of
 * three values and the rest are new; in `dense`, 95 % are one of three. Few different values make
 * hard queries, because each read can read from many writes.
 *
 * The queries are races: half of them about the nearest conflicting accesses, half about any two.
 * Z3 gets them only in windows of 1,000 events, each for at most --limit milliseconds: for a race
 * that exists it takes 2 to 15 seconds at 2,000 events, and more than a minute at 5,000. The time
 * of Z3 includes writing the formula. Our total time includes the work that is done once per
 * window; our times of single queries do not.
 *
 * Fails if the two solvers disagree, or if an answer contains an invalid order.
 */
#include "solver_trace.h"

#include "base/mem.h"
#include "order/z3/z3.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define Z3_EVENTS_MAX 1000

struct options {
	uint32_t queries, seeds, limit, only;
};

/* The results of one solver for the queries of a row. */
struct tally {
	VEC(double) times; /* one for each query, in milliseconds */
	double total;	   /* milliseconds, including the work done once per window */
	uint32_t answers[3];
};

struct row {
	struct solver_shape shape;
	const char *profile;
	struct tally native, z3;
	struct order_counts counts; /* counters of our solver */
	double both;		    /* our time for the queries that Z3 got, too */
	uint32_t disagreements, wrong;
};

/*
 * Returns processor time in milliseconds: both solvers run in one thread, and the machine may be
 * shared.
 */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void count(struct tally *tally, enum order_answer answer, double time)
{
	*vec_push(&tally->times) = time;
	tally->total += time;
	tally->answers[answer]++;
}

/* Does the order lead to a state in which both accesses are next? */
static bool shows(const struct solver_trace *trace, struct solver_pair pair, const uint32_t *inside,
		  uint32_t length)
{
	const uint32_t *position = trace->model.position.items;
	uint32_t before_a = 0, before_b = 0;

	for (uint32_t i = 0; i < length; i++) {
		before_a +=
			trace->model.thread.items[inside[i]] == trace->model.thread.items[pair.a];
		before_b +=
			trace->model.thread.items[inside[i]] == trace->model.thread.items[pair.b];
	}
	return order_model_accepts(&trace->model, inside, length) && before_a == position[pair.a] &&
	       before_b == position[pair.b];
}

static void ask(struct row *row, struct solver_trace *trace, struct order_solver *solver,
		struct solver_pair pair, const struct options *options)
{
	struct order_query query = { 0 };
	struct order_solution solution;
	enum order_answer native, z3;
	uint32_t *inside, length;
	double start, time;

	solver_trace_ask(trace, pair, &query);
	start = now();
	native = order_solve(solver, &query, 0, &solution);
	time = now() - start;
	count(&row->native, native, time);
	if (native == ORDER_POSSIBLE && !shows(trace, pair, solution.inside, solution.count))
		row->wrong++;
	if (row->shape.events <= Z3_EVENTS_MAX) {
		row->both += time;
		start = now();
		z3 = order_solve_z3(&trace->model, &trace->clock, &query, options->limit, &inside,
				    &length);
		count(&row->z3, z3, now() - start);
		if (z3 == ORDER_POSSIBLE && !shows(trace, pair, inside, length))
			row->wrong++;
		free(inside);
		if (z3 != native && z3 != ORDER_UNKNOWN && native != ORDER_UNKNOWN) {
			row->disagreements++;
			printf("disagreement: nodes %u and %u\n", pair.a, pair.b);
		}
	}
	order_query_free(&query);
}

static void add_counts(struct order_counts *sum, const struct order_counts *counts)
{
	sum->by_projection += counts->by_projection;
	sum->by_saturation += counts->by_saturation;
	sum->by_greedy += counts->by_greedy;
	sum->by_search += counts->by_search;
	sum->conflicts += counts->conflicts;
	sum->lemmas += counts->lemmas;
}

static void run_row(struct row *row, const struct options *options)
{
	struct solver_pair *pairs = mem_zalloc(options->queries + 1, sizeof *pairs);

	for (uint32_t seed = 1; seed <= options->seeds; seed++) {
		struct solver_trace trace;
		struct order_solver *solver;
		double start;
		uint32_t found;

		solver_trace_make(&trace, &row->shape, seed);
		found = solver_trace_pairs(&trace, pairs, options->queries);
		start = now();
		solver = order_solver_open(&trace.model, &trace.clock);
		row->native.total += now() - start;
		for (uint32_t i = 0; i < found; i++)
			ask(row, &trace, solver, pairs[i], options);
		add_counts(&row->counts, order_solver_counts(solver));
		order_solver_close(solver);
		solver_trace_free(&trace);
	}
	free(pairs);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double at(const struct tally *tally, double part)
{
	size_t i = (size_t)((double)(tally->times.count - 1) * part + 0.5);

	return tally->times.count ? tally->times.items[i] : 0;
}

static void print_tally(const char *name, struct tally *tally)
{
	if (tally->times.count)
		qsort(tally->times.items, tally->times.count, sizeof *tally->times.items, compare);
	printf("  %-6s %5zu %5u %5u %4u  %9.3f %9.3f %9.3f %10.1f", name, tally->times.count,
	       tally->answers[ORDER_POSSIBLE], tally->answers[ORDER_IMPOSSIBLE],
	       tally->answers[ORDER_UNKNOWN], at(tally, 0.5), at(tally, 0.95), at(tally, 1),
	       tally->total);
}

static void print_row(struct row *row)
{
	const struct order_counts *c = &row->counts;

	printf("%6u %-5s", row->shape.events, row->profile);
	print_tally("native", &row->native);
	printf("   projection %llu, saturation %llu, greedy %llu, search %llu (%llu conflicts)\n",
	       (unsigned long long)c->by_projection, (unsigned long long)c->by_saturation,
	       (unsigned long long)c->by_greedy, (unsigned long long)c->by_search,
	       (unsigned long long)c->conflicts);
	if (row->z3.times.count) {
		printf("%12s", "");
		print_tally("z3", &row->z3);
		printf("   median %.0fx, total %.0fx, %u disagreements\n",
		       at(&row->z3, 0.5) / at(&row->native, 0.5), row->z3.total / row->both,
		       row->disagreements);
	}
	if (row->wrong)
		printf("%u wrong orders\n", row->wrong);
	fflush(stdout);
}

static bool bench(const struct options *options)
{
	static const uint32_t sizes[] = { 1000, 5000, 10000, 20000 };
	static const struct {
		const char *name;
		double small;
	} profiles[] = { { "mid", 0.5 }, { "dense", 0.95 } };
	bool good = true;

	printf("%-12s  %-6s %5s %5s %5s %4s  %9s %9s %9s %10s\n", "events", "solver", "asked",
	       "yes", "no", "open", "median ms", "95%", "max", "total ms");
	for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct row row = { .profile = profiles[p].name };

			if (options->only && options->only != sizes[i])
				continue;
			row.shape = (struct solver_shape){ sizes[i], 8,	  sizes[i] / 10,    20,
							   0.2,	     0.1, profiles[p].small };
			run_row(&row, options);
			print_row(&row);
			good = good && !row.disagreements && !row.wrong;
			vec_free(&row.native.times);
			vec_free(&row.z3.times);
		}
	return good;
}

int main(int argc, char **argv)
{
	static const struct option names[] = { { "queries", required_argument, NULL, 'q' },
					       { "seeds", required_argument, NULL, 's' },
					       { "limit", required_argument, NULL, 'l' },
					       { "only", required_argument, NULL, 'o' },
					       { 0 } };
	struct options options = { .queries = 100, .seeds = 3, .limit = 20000 };
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		uint32_t value = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 0;

		switch (option) {
		case 'q': options.queries = value; break;
		case 's': options.seeds = value; break;
		case 'l': options.limit = value; break;
		case 'o': options.only = value; break;
		default: return 2;
		}
	}
	return bench(&options) ? 0 : 1;
}
