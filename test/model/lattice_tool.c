#include "lattice_tool.h"

#include "lattice_messages.h"

#include <stdlib.h>
#include <string.h>

/* ---- verdicts -------------------------------------------------------------------------------- */

static bool count_is(const struct lattice_count *count, uint64_t value)
{
	for (uint32_t i = 1; i < count->limb_count; i++) {
		if (count->limbs[i])
			return false;
	}
	return (count->limb_count ? count->limbs[0] : 0) == value;
}

/* Compares the lines of violations. A request and its acquire have the same line. */
static const char *compare_places(const struct trace *trace, const struct lattice_case *c,
				  const struct brute_verdict *truth,
				  const struct observe_result *result)
{
	bool found[CASE_EVENTS] = { 0 };

	for (size_t i = 0; i < result->findings.count; i++) {
		int line = messages_line(trace, c, result->findings.items[i].event);

		if (line < 0 || found[line])
			return "a finding at no place, or twice";
		found[line] = true;
	}
	for (int i = 0; i < c->count; i++) {
		if (found[i] != (truth->at[2 * i] || truth->at[2 * i + 1]))
			return found[i] ? "a violation where there is none"
					: "a violation is missing";
	}
	return NULL;
}

static const char *compare_result(const struct trace *trace, const struct lattice_case *c,
				  const struct system *truth, const struct tool_mode *mode,
				  const struct observe_result *result, bool *judged)
{
	struct brute_verdict verdict;
	struct brute_counts counts;
	const struct observe_lattice *lattice = result->lattices.items;

	if (result->faults.count)
		return result->faults.items[0];
	if (result->unjudged.count)
		return NULL; /* an event never happened: nothing is claimed */
	if (result->lattices.count != 1)
		return "not one lattice";
	if (mode->all || mode->strong) {
		if (!brute_count(truth, &counts))
			return NULL;
		if (lattice->cuts != counts.cuts || lattice->levels != counts.levels)
			return "the walk finds other cuts";
		if (!lattice->counted || !count_is(&lattice->runs, counts.runs))
			return "the walk finds other runs";
	}
	*judged = brute_judge(c, truth, &verdict);
	if (!*judged || verdict.at_start)
		return NULL;
	if ((mode->all || mode->strong) && !count_is(&lattice->violating, verdict.violating))
		return "other violating runs";
	/*
	 * the brute force judges ltl at the end of complete runs only; the tool's bad prefix may
	 * lead to no complete run
	 */
	if (verdict.any ? !result->findings.count : result->findings.count && c->kind != CASE_LTL)
		return verdict.any ? "not violated" : "violated";
	return c->kind == CASE_LTL ? NULL : compare_places(trace, c, &verdict, result);
}

const char *tool_compare(const struct trace *trace, const struct property_set *set,
			 const struct lattice_case *c, const struct system *truth,
			 const struct tool_mode *mode, bool *judged)
{
	static struct err err;
	static char text[sizeof err.text];
	struct observe_options options = {
		.computation.causality = mode->strong ? COMPUTATION_STRONG : COMPUTATION_WEAK,
		.computation.events = mode->all ? COMPUTATION_ALL : COMPUTATION_RELEVANT,
		.count = true,
		.jobs = 1,
	};
	struct observe_result result = { 0 };
	const char *wrong;

	if (!observe_run(trace, set, &options, &result, &err))
		return err.text;
	wrong = compare_result(trace, c, truth, mode, &result, judged);
	if (wrong)
		wrong = strncpy(text, wrong, sizeof text - 1);
	observe_result_free(&result);
	return wrong;
}

/* ---- another order --------------------------------------------------------------------------- */

struct walked {
	uint64_t cuts, levels, violations;
	char *runs, *violating;
};

static bool walk(const struct property_set *set, const struct computation *computation, bool all,
		 const uint32_t *turns, struct walked *out, struct err *err)
{
	const struct spec_formula *formula = set->properties.items[0].property->formulas;
	bool fences = all && machine_needs_fences(formula);
	size_t count = computation->messages.count;
	uint32_t *observed = calloc(count + 1, sizeof *observed);
	struct machine *machine =
		machine_of_formula(set, 0, formula, &computation->labels, ".", err);
	struct lattice_options options = { .count = true,
					   .jobs = 1,
					   .ended = true,
					   .observed = observed,
					   .observed_count = count };
	struct lattice_result result = { 0 };
	struct lattice *lattice = lattice_new(&options);
	bool ok = machine != NULL;

	if (ok && fences)
		machine = machine_with_fences(machine, computation->messages.items, count);
	if (ok)
		lattice_add_machine(lattice, machine, fences);
	for (size_t i = 0; i < count; i++) {
		observed[i] = computation->messages.items[i].column;
		lattice_feed(lattice, &computation->messages.items[turns[i]]);
	}
	ok = ok && lattice_walk(lattice, 0, &result, err);
	if (ok)
		*out = (struct walked){ result.cuts, result.levels, result.violations.count,
					lattice_count_text(&result.runs),
					lattice_count_text(&result.violating_any) };
	lattice_result_free(&result);
	lattice_free(lattice);
	machine_close(machine);
	free(observed);
	return ok;
}

const char *tool_shuffle(const struct property_set *set, const struct computation *computation,
			 const struct tool_mode *mode, uint64_t *random)
{
	static struct err err;
	uint32_t turns[SYSTEM_EVENTS] = { 0 };
	struct walked a = { 0 }, b = { 0 };
	const char *wrong = NULL;
	uint32_t count = (uint32_t)computation->messages.count;

	for (uint32_t i = 0; i < count; i++)
		turns[i] = i;
	if (!walk(set, computation, mode->all, turns, &a, &err))
		return err.text;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t k = (uint32_t)case_random(random, i), turn = turns[k];

		turns[k] = turns[i - 1];
		turns[i - 1] = turn;
	}
	if (!walk(set, computation, mode->all, turns, &b, &err))
		wrong = err.text;
	else if (a.cuts != b.cuts || a.levels != b.levels || a.violations != b.violations ||
		 strcmp(a.runs, b.runs) || strcmp(a.violating, b.violating))
		wrong = "shuffled messages make another lattice";
	free(a.runs);
	free(a.violating);
	free(b.runs);
	free(b.violating);
	return wrong;
}
