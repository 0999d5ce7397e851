/* The checker's interface: enters windows and plays witnesses. */
#include "check/checker.h"

#include "base/mem.h"
#include "check/play.h"

#include <stdlib.h>

struct checker {
	struct checker_survey *survey;
	struct checker_base *base;
	bool entered; /* a window was entered, and its slices fitted the trace */
};

struct checker *checker_open(const struct trace *trace)
{
	struct checker *checker = mem_zalloc(1, sizeof *checker);

	checker->survey = checker_survey_open(trace);
	checker->base = checker_base_open(trace, checker->survey);
	return checker;
}

void checker_close(struct checker *checker)
{
	if (!checker)
		return;
	checker_base_close(checker->base);
	checker_survey_close(checker->survey);
	free(checker);
}

bool checker_enter(struct checker *checker, const struct checker_slice *before, size_t before_count,
		   const struct checker_slice *within, size_t within_count, struct err *err)
{
	struct checker_base *base = checker->base;

	checker->entered = false;
	base->count = 0;
	for (size_t i = 0; i < before_count; i++) {
		if (!checker_base_pass(base, before[i].stream, before[i].end, err))
			return false;
	}
	checker_base_clear(base);
	for (size_t i = 0; i < within_count; i++) {
		if (!checker_base_load(base, within[i].stream, within[i].end, err))
			return false;
	}
	checker_base_learn(base);
	checker->entered = true;
	return true;
}

bool checker_accepts(struct checker *checker, const struct checker_witness *witness,
		     struct err *err)
{
	struct checker_play play;
	bool ok;

	if (!checker->entered)
		return err_set(err, "no window was entered");
	checker_play_open(&play, checker->base);
	checker_play_expect(&play, witness);
	ok = checker_play_steps(&play, witness->steps, witness->step_count, err) &&
	     checker_play_shows(&play, witness, err);
	checker_play_close(&play);
	return ok;
}
