/*
 * explore BUILD: measures controlled runs per second, for each way to run a program again, and
 * prints them next to the goals. Each figure is the median of five samples. A run either follows a
 * plan with a few preemptions, as in the systematic search, or uses random priorities that differ
 * from run to run. All runs write their log of events. The table also has the processor time of a
 * run (tool and program together), which hardly depends on the load of the machine.
 */
#include "explore/control/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES 5
#define SAMPLE_SECONDS 0.5
#define LINE "----------------------------------"

struct load {
	const char *name;
	const char *threads, *operations;
};
static const struct load loads[] = {
	{ "2 threads × 100 operations", "2", "100" },
	{ "100 threads × 4 operations", "100", "4" },
};
#define LOADS (sizeof(loads) / sizeof(loads[0]))

struct way {
	const char *name;
	enum runner_mode mode;
	double goal[LOADS]; /* 0: no goal */
};
static const struct way ways[] = {
	{ "executed each time", RUNNER_ONCE, { 0, 0 } },
	{ "process, kernel threads", RUNNER_FORK, { 2000, 150 } },
	{ "process, fibers", RUNNER_FORK_FIBERS, { 3000, 1000 } },
	{ "persistent, fibers", RUNNER_PERSISTENT, { 50000, 5000 } },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double processor_time(void)
{
	double sum = 0;

	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		struct rusage usage;
		getrusage(who, &usage);
		sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	}
	return sum;
}

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "bench-explore: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
	exit(1);
}

static void build_program(const char *build, char *program)
{
	char command[3 * 4096];

	sprintf(program, "%s/bench/operations", build);
	snprintf(command, sizeof(command),
		 "%s/bin/sooth-cc -O2 -g -pthread -o %s bench/programs/operations.c", build,
		 program);
	if (system(command) != 0)
		die("the program cannot be built", NULL);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct figures {
	double rate, steps, switches;
	double runs, cpu; /* sums over all samples */
};

/*
 * Makes a plan that interrupts a thread after some steps, three times per run. Otherwise each
 * thread runs until it waits.
 */
#define PREEMPTIONS 3
static void make_plan(struct plan *plan, uint32_t threads)
{
	plan->seed++;
	plan->slices.count = 0;
	if (plan->policy != CONTROL_STAY)
		return;
	for (uint32_t i = 0; i < PREEMPTIONS; i++) {
		uint32_t thread = 1 + (uint32_t)(plan->seed * 7 + i) % threads;
		*vec_push(&plan->slices) =
			(struct control_slice){ thread, 2 + (uint32_t)(plan->seed + i * 5) % 20 };
	}
}

static double sample(struct runner *session, struct plan *plan, uint32_t threads,
		     struct figures *figures)
{
	struct executor *executor = runner_executor(session);
	struct outcome outcome;
	struct err err;
	unsigned runs = 0;
	double steps = 0, switches = 0, start = now(), end = start;

	for (; end < start + SAMPLE_SECONDS; end = now()) {
		make_plan(plan, threads);
		if (!executor->run(executor, plan, &outcome, &err))
			die("a run failed", &err);
		if (outcome.result != CONTROL_ENDED)
			die("a run did not end well", NULL);
		steps += (double)outcome.control->steps;
		switches += outcome.control->switches;
		runs++;
	}
	figures->runs += runs;
	figures->steps = steps / runs;
	figures->switches = switches / runs;
	return runs / (end - start);
}

static struct figures measure(char *program, const struct load *load, enum runner_mode mode,
			      uint32_t policy)
{
	char *words[] = { program, (char *)load->threads, (char *)load->operations, NULL };
	struct runner_options options = { .program = words, .mode = mode, .quiet = true };
	struct plan plan = { .policy = policy, .options = CONTROL_END_STUCK };
	struct figures figures = { 0 };
	struct err err;
	double rates[SAMPLES], before = processor_time();

	struct runner *session = runner_open(&options, &err);
	if (!session)
		die("no session", &err);
	for (unsigned i = 0; i < SAMPLES; i++)
		rates[i] = sample(session, &plan, (uint32_t)atoi(load->threads), &figures);
	if (runner_mode(session) != mode)
		die(runner_fallback(session), NULL);
	runner_close(session);
	figures.cpu = processor_time() - before;
	plan_free(&plan);
	qsort(rates, SAMPLES, sizeof(rates[0]), by_value);
	figures.rate = rates[SAMPLES / 2];
	return figures;
}

int main(int argc, char **argv)
{
	char program[4096];

	if (argc < 2 || strlen(argv[1]) > 1000)
		die("usage: explore BUILD", NULL);
	build_program(argv[1], program);
	printf("Controlled executions per second (median of %d)\n\n", SAMPLES);
	printf("| %-26s | %-23s | %8s | %10s | %8s | %6s | %6s | %5s | %8s |\n", "program", "way",
	       "by plan", "priorities", "goal", "CPU us", "CPU us", "steps", "switches");
	printf("|%.28s|%.25s|%.10s|%.12s|%.10s|%.8s|%.8s|%.7s|%.10s|\n", LINE, LINE, LINE, LINE,
	       LINE, LINE, LINE, LINE, LINE);
	for (unsigned l = 0; l < LOADS; l++) {
		for (unsigned w = 0; w < WAYS; w++) {
			struct figures plan =
				measure(program, &loads[l], ways[w].mode, CONTROL_STAY);
			struct figures f =
				measure(program, &loads[l], ways[w].mode, CONTROL_PRIORITIES);
			char goal[32] = "";
			if (ways[w].goal[l])
				sprintf(goal, "%.0f", ways[w].goal[l]);
			/* the × in the name has two bytes but one column */
			printf("| %-27s | %-23s | %8.0f | %10.0f | %8s | %6.0f | %6.0f | %5.0f | "
			       "%8.0f "
			       "|\n",
			       loads[l].name, ways[w].name, plan.rate, f.rate, goal,
			       plan.cpu / plan.runs * 1e6, f.cpu / f.runs * 1e6, f.steps,
			       f.switches);
			fflush(stdout);
		}
	}
	return 0;
}
