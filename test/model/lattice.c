/*
 * lattice [--count N] [--seed S]
 * lattice --play PROPERTY TRACE ...
 *
 * Compares random small computations with the definitions (lattice_brute.c), in both causalities,
 * with all events and with relevant ones: the runs that the messages allow, for an observer that
 * sees only what the property sees; the numbers of cuts and complete runs; the checker's verdicts
 * on the schedules of random runs; and the formula: the number of runs that violate it and the
 * places where they do, with accepted witnesses. The results must also be the same if messages come
 * in another order. A case that fails is shrunk and printed.
 *
 * --play: the checker plays random runs of traces of any size.
 */
#include "lattice_messages.h"
#include "lattice_play.h"
#include "lattice_tool.h"

#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct opened {
	struct spec_file *file;
	struct property_set set;
	struct trace *trace;
};

struct totals {
	uint64_t cases, computations, silent, dropped, runs, skipped, judged;
};

/* ---- the tool's side ------------------------------------------------------------------------- */

static char trace_file[] = "/tmp/sooth-lattice-XXXXXX";

static bool open_case(const struct lattice_case *c, struct opened *o, struct err *err)
{
	struct spec_messages messages = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = fopen(trace_file, "w");

	*o = (struct opened){ 0 };
	case_print_trace(c, out);
	fclose(out);
	out = open_memstream(&text, &size);
	case_print_property(c, out);
	fclose(out);
	o->file = spec_parse("case.prop", text, &messages);
	if (!o->file)
		err_set(err, "%s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	free(text);
	return o->file && trace_open(trace_file, &o->trace, err) &&
	       property_read(o->trace, &o->file, 1, &o->set, err);
}

static void close_case(struct opened *o)
{
	property_set_free(&o->set);
	trace_close(o->trace);
	spec_free(o->file);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_counts(const struct system *truth, const struct system *found,
			struct totals *totals, const char **wrong)
{
	struct brute_counts a, b;

	if (!brute_count(truth, &a) || !brute_count(found, &b)) {
		totals->skipped++;
		return true;
	}
	totals->runs += a.runs;
	if (a.cuts != b.cuts)
		*wrong = "other cuts";
	else if (a.levels != b.levels)
		*wrong = "other levels";
	else if (a.runs != b.runs)
		*wrong = "other runs";
	return !*wrong;
}

/* Can e come directly after d? */
static bool may_be_next(const struct system *s, int d, int e)
{
	for (int m = 0; m < s->count; m++) {
		if ((s->before[m] >> d & 1) && (s->before[e] >> m & 1))
			return false;
	}
	return true;
}

/*
 * Compares fences, but only where they matter: if another event must come between two events
 * anyway, their fence has no effect.
 */
static bool same_fences(const struct system *truth, const struct system *found, const char **wrong)
{
	for (int e = 0; e < truth->count; e++) {
		for (int d = 0; d < truth->count; d++) {
			int f = 0, g = 0;

			while (found->seen[f] != truth->seen[e])
				f++;
			while (found->seen[g] != truth->seen[d])
				g++;
			if (may_be_next(found, g, f) &&
			    (truth->fenced[e] >> d & 1) != (found->fenced[f] >> g & 1))
				*wrong = "other fences";
		}
	}
	return !*wrong;
}

static const char *compare(const struct lattice_case *c, const struct opened *o, bool strong,
			   bool all, uint64_t *random, struct totals *totals)
{
	struct computation_options options = {
		.causality = strong ? COMPUTATION_STRONG : COMPUTATION_WEAK,
		.events = all ? COMPUTATION_ALL : COMPUTATION_RELEVANT,
	};
	struct tool_mode mode = { strong, all };
	struct computations computations;
	struct system truth, found;
	const char *wrong = NULL;
	bool judged = false;
	static struct err err;

	if (!computations_read(o->trace, &o->set, &options, &computations, &err))
		return err.text;
	brute_system(c, strong, all, &truth);
	if (computations.list.count != 1 ||
	    !messages_system(o->trace, c, &computations.list.items[0], &found)) {
		wrong = "no system";
	} else {
		totals->computations++;
		totals->silent += computations.list.items[0].silent;
		totals->dropped += (uint64_t)(truth.count - found.count);
		wrong = brute_compare(&truth, &found);
		if (!wrong && (all || strong))
			same_counts(&truth, &found, totals, &wrong);
		if (!wrong && all)
			same_fences(&truth, &found, &wrong);
		if (!wrong)
			wrong = messages_play(o->trace, &computations.list.items[0], &found, random,
					      5);
		if (!wrong)
			wrong = tool_shuffle(&o->set, &computations.list.items[0], &mode, random);
		if (!wrong)
			wrong = tool_compare(o->trace, &o->set, c, &truth, &mode, &judged);
		totals->judged += judged;
	}
	computations_free(&computations);
	return wrong;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const char *const modes[] = { "weak, all", "weak, relevant", "strong, all",
				     "strong, relevant" };

static const char *try_case(const struct lattice_case *c, int mode, uint64_t random,
			    struct totals *totals)
{
	static struct err err;
	const char *wrong = NULL;
	struct opened o;

	if (!open_case(c, &o, &err))
		wrong = err.text;
	else
		wrong = compare(c, &o, mode >> 1, !(mode & 1), &random, totals);
	close_case(&o);
	return wrong;
}

static void report(struct lattice_case *c, int mode, uint64_t random)
{
	struct lattice_case smaller;
	struct totals ignored = { 0 };
	bool again = true;

	while (again) {
		again = false;
		for (int i = c->count; i-- && !again;) {
			if (case_without(c, i, &smaller) &&
			    try_case(&smaller, mode, random, &ignored)) {
				*c = smaller;
				again = true;
			}
		}
	}
	printf("---- %s: %s\n", modes[mode], try_case(c, mode, random, &ignored));
	case_print_trace(c, stdout);
	case_print_property(c, stdout);
	fflush(stdout);
}

static int play_all(const char *property, char **traces)
{
	uint64_t random = 88172645463325252u, played = 0, failed = 0;

	for (; *traces; traces++, played++)
		failed += !play_trace(*traces, property, &random, 20);
	printf("%llu traces played, %llu refused\n", (unsigned long long)played,
	       (unsigned long long)failed);
	return failed > 0;
}

int main(int count, char **arguments)
{
	uint64_t cases = 500, seed = 1, failed = 0;
	struct totals totals = { 0 };

	if (count > 2 && !strcmp(arguments[1], "--play"))
		return play_all(arguments[2], arguments + 3);

	for (int i = 1; i + 1 < count; i += 2) {
		if (!strcmp(arguments[i], "--count"))
			cases = strtoull(arguments[i + 1], NULL, 0);
		else if (!strcmp(arguments[i], "--seed"))
			seed = strtoull(arguments[i + 1], NULL, 0);
	}
	close(mkstemp(trace_file));
	for (uint64_t i = 0; i < cases; i++) {
		uint64_t random = (seed + i) * 0x9e3779b97f4a7c15u | 1;
		struct lattice_case c;

		case_make(&c, &random);
		totals.cases++;
		for (int mode = 0; mode < 4; mode++) {
			if (!try_case(&c, mode, random, &totals))
				continue;
			if (failed++ < 3)
				report(&c, mode, random);
			break;
		}
	}
	unlink(trace_file);
	printf("%llu cases, %llu computations, %llu silent messages, %llu events dropped, %llu "
	       "runs, "
	       "%llu not counted, %llu verdicts: %s\n",
	       (unsigned long long)totals.cases, (unsigned long long)totals.computations,
	       (unsigned long long)totals.silent, (unsigned long long)totals.dropped,
	       (unsigned long long)totals.runs, (unsigned long long)totals.skipped,
	       (unsigned long long)totals.judged, failed ? "some differ" : "all agree");
	return failed > 0;
}
