/* The findings of a report: their ids, their order, and the commands that replay them. */
#include "report/report.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

static void number_item(struct report_numbers *n, const char *kind, struct report_item *item)
{
	size_t i = 0;

	while (n->kinds[i] && strcmp(n->kinds[i], kind) != 0)
		i++;
	assert(i + 1 < REPORT_KINDS);
	n->kinds[i] = kind;
	snprintf(item->id, REPORT_ID, "%s-%u", kind, ++n->counts[i]);
}

static unsigned report_rank(const struct report_item *item)
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

bool report_hides(const struct report *r, const struct finding *finding)
{
	return finding->status == FINDING_WARNING && finding->unrecorded && !finding->lead &&
	       !r->warnings;
}

void report_list(const struct report *r, struct report_numbers *numbers, report_items *items)
{
	report_items all = { 0 };

	/*
	 * Observed failures are numbered last, because `sooth replay` does not know of them and
	 * numbers only the findings.
	 */
	for (size_t i = 0; i < r->result->findings.count; i++) {
		struct report_item *item = vec_push(&all);

		*item = (struct report_item){ .finding = &r->result->findings.items[i] };
		item->confirmation = r->confirmations ? &r->confirmations[i] : NULL;
		if (item->finding->lead)
			snprintf(item->id, REPORT_ID, "lead-%u", (unsigned)item->finding->lead);
		else
			number_item(numbers, finding_kind_name(item->finding->kind), item);
	}
	for (size_t i = 0; i < r->observed.count; i++) {
		struct report_item *item = vec_push(&all);

		*item = (struct report_item){ .observed = &r->observed.items[i] };
		number_item(numbers, item->observed->kind, item);
	}
	for (unsigned which = 0; which <= 4; which++) {
		for (size_t i = 0; i < all.count; i++) {
			if (report_rank(&all.items[i]) == which &&
			    !(all.items[i].finding && report_hides(r, all.items[i].finding)))
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

	if (item->finding->status == FINDING_WARNING || (!whole && !report->replay))
		return NULL;
	return whole ? mem_format("%s", whole) : mem_format("%s %s", report->replay, item->id);
}

/* The result lists findings of formulas in the same order as the observation. */
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

bool report_has_findings(const struct report *r)
{
	for (size_t i = 0; i < r->result->findings.count; i++) {
		if (r->result->findings.items[i].status != FINDING_WARNING)
			return true;
	}
	return false;
}

void report_observed_free(struct report_observed *observed)
{
	free(observed->message);
	free(observed->replay);
	free(observed->site.file);
	free(observed->site.function);
	vec_free(&observed->events);
}
