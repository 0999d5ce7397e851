/* The findings of a report: their names, and in which order they are told. */
#include "report/report.h"

#include <string.h>

void report_number(struct report_numbers *n, const char *kind, char text[REPORT_ID])
{
	const struct {
		const char *kind;
		unsigned *count;
	} kinds[] = {
		{ "race", &n->races },
		{ "deadlock", &n->deadlocks },
		{ "lost-signal", &n->lost_signals },
		{ "crash", &n->crashes },
		{ "use-after-free", &n->uses_after_free },
		{ "misuse", &n->misuses },
		{ "atomicity", &n->atomicities },
		{ "assertion", &n->assertions },
		{ "lockset", &n->locksets },
		{ "lock-order", &n->lock_orders },
		{ "pattern", &n->patterns },
		{ "ltl", &n->formulas },
		{ "ere", &n->expressions },
		{ "monitor", &n->monitors },
		{ "grammar", &n->grammars },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (!strcmp(kinds[i].kind, kind))
			snprintf(text, REPORT_ID, "%s-%u", kind, ++*kinds[i].count);
	}
}

static unsigned rank(const struct report_item *item)
{
	if (!item->finding)
		return 0;
	switch (item->finding->status) {
	case FINDING_OBSERVED: return 1;
	case FINDING_CONFIRMED: return 2;
	case FINDING_PREDICTED: return 3;
	case FINDING_WARNING: break;
	}
	return 4;
}

void report_list(const struct report *r, struct report_numbers *numbers, report_items *items)
{
	report_items all = { 0 };

	/* Predictions first: what a run showed by itself is not in its trace. */
	for (size_t i = 0; i < r->result->findings.count; i++) {
		struct report_item *item = vec_push(&all);

		*item = (struct report_item){ .finding = &r->result->findings.items[i] };
		item->confirmation = r->confirmations ? &r->confirmations[i] : NULL;
		if (item->finding->lead)
			snprintf(item->id, REPORT_ID, "lead-%u", (unsigned)item->finding->lead);
		else
			report_number(numbers, finding_kind_name(item->finding->kind), item->id);
	}
	for (size_t i = 0; i < r->observed.count; i++) {
		struct report_item *item = vec_push(&all);

		*item = (struct report_item){ .observed = &r->observed.items[i] };
		report_number(numbers, item->observed->kind, item->id);
	}
	for (unsigned which = 0; which <= 4; which++) {
		for (size_t i = 0; i < all.count; i++) {
			if (rank(&all.items[i]) == which)
				*vec_push(items) = all.items[i];
		}
	}
	vec_free(&all);
}

char *report_replay(const struct report *report, const struct report_item *item)
{
	const char *whole =
		report->replays ? report->replays[item->finding - report->result->findings.items]
				: NULL;
	char *text;

	if (item->finding->status == FINDING_WARNING || (!whole && !report->replay))
		return NULL;
	if (whole ? asprintf(&text, "%s", whole) < 0
		  : asprintf(&text, "%s %s", report->replay, item->id) < 0)
		abort();
	return text;
}

/* Findings of formulas stand in the result as the observation has them. */
const struct observe_finding *report_observed_finding(const struct report *r,
						      const struct finding *finding)
{
	size_t n = 0;

	if (!r->observation || !finding->property || finding->kind == FINDING_PATTERN)
		return NULL;
	for (size_t i = 0; &r->result->findings.items[i] != finding; i++)
		n += r->result->findings.items[i].property &&
		     r->result->findings.items[i].kind != FINDING_PATTERN;
	return n < r->observation->findings.count ? &r->observation->findings.items[n] : NULL;
}
