/* Collects the reasons from the counts of the predictions. */
#include "report/incomplete.h"

#include "base/mem.h"

#include <inttypes.h>

/* What is summed over all processes. */
struct incomplete_counts {
	uint64_t unknown, not_asked, far_choices, apart, windows_left, leads_left;
	unsigned stops;
};

static struct incomplete_counts sum_counts(const struct report *reports, size_t count)
{
	struct incomplete_counts all = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct predict_stats *s = &reports[i].result->stats;

		all.unknown += s->unknown;
		all.not_asked += s->not_asked;
		all.far_choices += s->far_choices;
		all.apart += s->apart;
		all.windows_left += s->windows_left;
		all.stops |= s->stops;
		all.leads_left += reports[i].leads_left;
	}
	return all;
}

static void add_stops(unsigned stops, struct report_sentences *out)
{
	static const char *const why[] = {
		[EVENT_STOP_LIMIT] = "the recording reached its limit (--limit)",
		[EVENT_STOP_NO_SPACE] = "the disk was full while recording",
		[EVENT_STOP_IO] = "the recording could not be written",
	};

	for (unsigned i = 0; i < sizeof why / sizeof why[0]; i++) {
		if (stops & 1u << i)
			*vec_push(&out->list) = mem_format("%s", why[i]);
	}
}

void incomplete_reasons(const struct report *reports, size_t count, struct report_sentences *out)
{
	const struct incomplete_counts all = sum_counts(reports, count);
	const struct {
		uint64_t count;
		const char *before, *one, *many;
	} lines[] = {
		{ all.unknown, "not decided within the solver's limit of steps: ", "candidate",
		  "candidates" },
		{ all.not_asked,
		  "not checked, no time was left (--time) or one code site had too many: ",
		  "candidate", "candidates" },
		{ all.far_choices, "not checked, too many events match a pattern: at least ",
		  "choice of events", "choices of events" },
		{ all.apart, "not checked, in no window together (--window): at least ",
		  "pair of events of a pattern", "pairs of events of a pattern" },
		{ all.windows_left, "not analysed, no time was left (--time): ", "window",
		  "windows" },
		{ all.leads_left, "not replayed, no time was left (--confirm): ", "lead", "leads" },
	};

	add_stops(all.stops, out);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		if (lines[i].count)
			*vec_push(&out->list) =
				mem_format("%s%" PRIu64 " %s", lines[i].before, lines[i].count,
					   lines[i].count == 1 ? lines[i].one : lines[i].many);
	}
}

void incomplete_print(const struct report_sentences *reasons, FILE *out)
{
	for (size_t i = 0; i < reasons->list.count; i++)
		fprintf(out, "%s%s", i ? "; " : "incomplete: ", reasons->list.items[i]);
	if (reasons->list.count)
		fputc('\n', out);
}

void incomplete_json(const struct report_sentences *reasons, json_t *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < reasons->list.count; i++)
		json_array_append_new(list, report_json_text(reasons->list.items[i]));
	json_object_set_new(all, "complete", json_boolean(!reasons->list.count));
	json_object_set_new(all, "incomplete", list);
}
