/*
 * bench/lattice: measures cuts per second, and bytes per cut of the widest level, on grids: k
 * columns of n events each, without any order between columns, so that all (n + 1)^k cuts exist.
 *
 *	lattice				the table: three monitors, one and two threads, with the goals
 *	lattice K N MONITOR JOBS [count|sets]	one of them (MONITOR: small, word, rich), for a profiler
 *
 * Each measurement runs in a process of its own. The bytes are the peak resident memory of this
 * process.
 */
#include "monitor/lattice/lattice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- monitors -------------------------------------------------------------------------------- */

/*
 * small has 8 states, word has 64; both have three labels with random effects. rich has 128 states:
 * a variable of 16 values, which two columns set, and an automaton of 8 states, which reads the
 * variable. No state is ever bad, so every cut is visited with all its states.
 */
enum monitor { MONITOR_SMALL, MONITOR_WORD, MONITOR_RICH };
static const char *const monitor_names[] = { "small", "word", "rich" };

struct table {
	uint8_t next[4][64];
};

static uint32_t start(void *self)
{
	(void)self;
	return 0;
}

static bool step_table(void *self, uint32_t state, uint32_t label, machine_states *next,
		       struct err *err)
{
	(void)err;
	*vec_push(next) = ((struct table *)self)->next[label][state];
	return true;
}

/*
 * Label 4 + value sets the variable x. Labels 1 to 3 step the automaton, which reads x. A state
 * consists of x and the 3 bits of the automaton's state.
 */
static bool step_rich(void *self, uint32_t state, uint32_t label, machine_states *next,
		      struct err *err)
{
	const struct table *table = self;
	uint32_t x = state >> 3, q = state & 7;

	(void)err;
	if (label >= 4)
		x = label - 4;
	else
		q = table->next[label][q + (x < 8 ? 0 : 8)] & 7;
	*vec_push(next) = x << 3 | q;
	return true;
}

static bool never(void *self, uint32_t state)
{
	(void)self;
	(void)state;
	return false;
}

static void make_machine(enum monitor monitor, struct table *table, struct machine *machine)
{
	uint64_t seed = 88172645463325252u;
	uint32_t states = monitor == MONITOR_SMALL ? 8 : 64;

	for (uint32_t l = 1; l < 4; l++) {
		for (uint32_t s = 0; s < states; s++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			table->next[l][s] = (seed >> 33) % states;
		}
	}
	*machine = (struct machine){ .self = table,
				     .initial = start,
				     .step = monitor == MONITOR_RICH ? step_rich : step_table,
				     .is_bad = never,
				     .is_bad_at_end = never };
}

/* ---- one measurement ------------------------------------------------------------------------- */

struct measured {
	double seconds;
	uint64_t cuts, widest;
	long kilobytes;
};

struct grid {
	uint32_t columns, events;
	enum monitor monitor;
	unsigned jobs;
	bool count, sets;
};

/*
 * If `sets`, each pair of neighbouring events of a column is a critical section, and all sections
 * are of one lock. If the number of events is odd, the last event is in no section.
 */
static void feed(struct lattice *lattice, const struct grid *grid, uint32_t column, uint32_t at)
{
	uint32_t value = column * 7 + at * 3;
	struct message_member member = { .set = column * grid->events + at / 2,
					 .role = at % 2 ? MESSAGE_CLOSES : MESSAGE_OPENS,
					 .lock = true };
	struct message message = {
		.column = column,
		.position = at,
		.label = grid->monitor == MONITOR_RICH && column < 2 ? 4 + value % 16
								     : 1 + value % 3,
		.members = &member,
		.member_count = grid->sets && (at | 1) < grid->events,
	};

	lattice_feed(lattice, &message);
}

static void walk(const struct grid *grid, struct measured *measured)
{
	struct lattice_options options = { .jobs = grid->jobs, .count = grid->count };
	struct lattice *lattice = lattice_new(&options);
	struct table table;
	struct machine machine;
	struct lattice_result result;
	struct rusage usage;
	struct err err;

	make_machine(grid->monitor, &table, &machine);
	lattice_add_machine(lattice, &machine, false);
	for (uint32_t c = 0; c < grid->columns; c++) {
		for (uint32_t i = 0; i < grid->events; i++)
			feed(lattice, grid, c, i);
	}
	if (!lattice_walk(lattice, 0, &result, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
	getrusage(RUSAGE_SELF, &usage);
	*measured =
		(struct measured){ result.seconds, result.cuts, result.widest, usage.ru_maxrss };
	lattice_result_free(&result);
	lattice_free(lattice);
}

static bool measure(const struct grid *grid, struct measured *measured)
{
	int ends[2], status;
	pid_t child;
	bool good;

	fflush(stdout);
	if (pipe(ends))
		return false;
	child = fork();
	if (!child) {
		walk(grid, measured);
		_exit(write(ends[1], measured, sizeof *measured) != sizeof *measured);
	}
	close(ends[1]);
	good = child > 0 && read(ends[0], measured, sizeof *measured) == sizeof *measured;
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && good;
}

static void show(const struct grid *grid, const struct measured *m)
{
	printf("%u x %-4u %-6s %u  %12" PRIu64 " %10" PRIu64 " %8.2f %8.1f %8.1f%s%s\n",
	       grid->columns, grid->events, monitor_names[grid->monitor], grid->jobs, m->cuts,
	       m->widest, m->seconds, m->cuts / m->seconds / 1e6, m->kilobytes * 1024.0 / m->widest,
	       grid->count ? "  counting runs" : "", grid->sets ? "  critical sections" : "");
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool measure_all(void)
{
	static const uint32_t sizes[][2] = { { 6, 8 }, { 6, 12 }, { 6, 16 }, { 7, 16 } };
	double speed[3] = { 0 }, bytes = 0, gain = 0;

	puts("grid     monitor jobs       cuts     widest  seconds   Mcuts/s  B/cut of the widest");
	for (int monitor = 0; monitor < 3; monitor++) {
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			double alone = 0;

			for (unsigned jobs = 1; jobs <= 2; jobs++) {
				struct grid grid = { sizes[s][0], sizes[s][1], monitor,
						     jobs,	  false,       false };
				struct measured m;

				if (!measure(&grid, &m))
					return false;
				show(&grid, &m);
				if (s + 1 < sizeof sizes / sizeof *sizes)
					continue;
				if (jobs == 1)
					alone = speed[monitor] = m.cuts / m.seconds / 1e6;
				else if (!monitor)
					gain = m.cuts / m.seconds / 1e6 / alone;
				if (m.kilobytes * 1024.0 / m.widest > bytes)
					bytes = m.kilobytes * 1024.0 / m.widest;
			}
		}
	}
	for (int what = 0; what < 2; what++) {
		struct grid grid = { 6, 16, MONITOR_SMALL, 1, !what, what };
		struct measured m;

		if (!measure(&grid, &m))
			return false;
		show(&grid, &m);
	}
	printf("\nlargest grid: %.1f Mcuts/s small (goal 30), %.1f word, %.1f rich (goal 10), "
	       "at most %.1f bytes (goal 35), two threads %.2f times (goal 1.5)\n",
	       speed[0], speed[1], speed[2], bytes, gain);
	return true;
}

int main(int argc, char **argv)
{
	struct grid grid = { 0 };
	struct measured m;

	if (argc < 5)
		return measure_all() ? 0 : 2;
	grid.columns = atoi(argv[1]);
	grid.events = atoi(argv[2]);
	while (grid.monitor < MONITOR_RICH && strcmp(argv[3], monitor_names[grid.monitor]))
		grid.monitor++;
	grid.jobs = atoi(argv[4]);
	grid.count = argc > 5 && !strcmp(argv[5], "count");
	grid.sets = argc > 5 && !strcmp(argv[5], "sets");
	walk(&grid, &m);
	show(&grid, &m);
	return 0;
}
