/*
 * Prints one row for each state: first the step that leads to the state, then a digit for each
 * subformula. A legend explains the letters of the subformulas.
 */
#include "report/formula_table.h"

#include "report/matched.h"
#include "report/message.h"
#include "report/name.h"

#include <string.h>

#define STEP 34	    /* width of the column for steps */
#define LETTERS 26u /* with more subformulas there is no table */

static void describe_step(struct describe *d, const struct observe_states *story, size_t state,
			  char text[STEP + 1])
{
	const struct described *one;
	struct event_id id;

	if (state > story->steps.count) {
		text[0] = 0;
		return;
	}
	if (!state) {
		snprintf(text, STEP + 1, "initially");
		return;
	}
	id = story->steps.items[state - 1];
	one = describe_find(d, id);
	if (one && one->point)
		snprintf(text, STEP + 1, "%s: %s", describe_thread(d, id.stream), one->point);
	else
		snprintf(text, STEP + 1, "%s: %s %s", describe_thread(d, id.stream),
			 one ? message_operation(one->event.kind) : "?",
			 one ? name_subject(d, &one->event) : "");
}

static void print_state(struct describe *d, const struct observe_states *story, size_t state,
			size_t letters, FILE *out)
{
	char text[STEP + 1];

	describe_step(d, story, state, text);
	fprintf(out, "%-*s", STEP, text);
	for (size_t i = 0; i < letters; i++)
		fprintf(out, " %c",
			state >= story->values.states
				? ' '
				: "01?"[subformulas_at(&story->values, i, state)]);
}

/* Prints each subformula in full, because letters for its parts would be harder to read. */
static void print_legend(const struct subformulas *values, FILE *out)
{
	for (size_t i = 0; i < values->texts.count; i++)
		fprintf(out, "    %c  %s\n", (int)('a' + i), values->texts.items[i]);
}

void formula_table_print(const struct report *r, const struct finding *finding, FILE *out)
{
	const struct observe_finding *f = report_observed_finding(r, finding);
	size_t letters = f ? f->violating.values.texts.count : 0, rows;

	if (!letters || letters > LETTERS || !f->recorded.values.states)
		return;
	rows = f->violating.values.states;
	if (!f->observed && rows < f->recorded.values.states)
		rows = f->recorded.values.states;
	fputs("  Values in each state (1 true, 0 false, ? not yet decided):\n", out);
	print_legend(&f->violating.values, out);
	fprintf(out, "    %-*s%s\n", f->observed ? 0 : STEP + 2 * (int)letters + 2, "violating run",
		f->observed ? "" : "recorded run");
	for (size_t i = 0; i < rows; i++) {
		fputs("    ", out);
		print_state(r->describe, &f->violating, i, letters, out);
		if (!f->observed) {
			fputs("  ", out);
			print_state(r->describe, &f->recorded, i, letters, out);
		}
		fputc('\n', out);
	}
}
