/*
 * Says what a report cannot know because code was not recorded. A prediction counts only calls
 * after which a thread recorded something else, so the numbers are those of returns, or of calls
 * back into the program.
 */
#include "report/unrecorded.h"

#include "base/file.h"
#include "base/sort.h"

#include <inttypes.h>
#include <string.h>

struct unrecorded_library {
	const char *path; /* NULL: not known */
	uint64_t returns;
};
typedef VEC(struct unrecorded_library) unrecorded_libraries;

/* ---- counting -------------------------------------------------------------------------------- */

static bool same_path(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void count_returns(unrecorded_libraries *list, const char *path, uint64_t returns)
{
	for (size_t i = 0; i < list->count; i++) {
		if (same_path(list->items[i].path, path)) {
			list->items[i].returns += returns;
			return;
		}
	}
	*vec_push(list) = (struct unrecorded_library){ path, returns };
}

SORT_COMPARISON(by_returns, struct unrecorded_library, a, b, sort_order(b->returns, a->returns))

/* The libraries of all processes, those with most returns first. */
static unrecorded_libraries list_libraries(const struct report *reports, size_t count)
{
	unrecorded_libraries list = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct predict_result *result = reports[i].result;
		struct trace_symbols *symbols = describe_symbols(reports[i].describe);

		for (size_t k = 0; k < result->opaque.count; k++)
			count_returns(&list,
				      trace_symbols_file(symbols, result->opaque.items[k].address),
				      result->opaque.items[k].count);
	}
	vec_sort(&list, by_returns);
	return list;
}

/* Only those that the report does not list as warnings. */
static uint64_t count_suspicions(const struct report *reports, size_t count)
{
	uint64_t suspicions = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < reports[i].result->leads.count; k++)
			suspicions += reports[i].result->leads.items[k].unrecorded;
		for (size_t k = 0; k < reports[i].result->findings.count; k++)
			suspicions +=
				report_hides(&reports[i], &reports[i].result->findings.items[k]);
	}
	return suspicions;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *library_name(const struct unrecorded_library *library)
{
	return library->path ? path_name(library->path) : "an unknown library";
}

#define NAMES_MOST 8 /* more libraries are only counted */

static void print_libraries(const unrecorded_libraries *list, bool with_returns, FILE *out)
{
	for (size_t i = 0; i < list->count && i < NAMES_MOST; i++) {
		fprintf(out, "%s%s", i ? ", " : "", library_name(&list->items[i]));
		if (with_returns)
			fprintf(out, " (%" PRIu64 " call%s)", list->items[i].returns,
				list->items[i].returns == 1 ? "" : "s");
	}
	if (list->count > NAMES_MOST)
		fprintf(out, " and %zu more", list->count - NAMES_MOST);
}

void unrecorded_print(const struct report *reports, size_t count, FILE *out)
{
	unrecorded_libraries list = list_libraries(reports, count);
	uint64_t suspicions = count_suspicions(reports, count);

	if (suspicions) {
		fprintf(out, "%" PRIu64 " suspicion%s code that was not recorded%s", suspicions,
			suspicions == 1 ? " involves" : "s involve", list.count ? ": " : "");
		print_libraries(&list, false, out);
		fprintf(out, "; --warnings lists %s\n", suspicions == 1 ? "it" : "them");
	}
	if (list.count) {
		fputs("not recorded: ", out);
		print_libraries(&list, true, out);
		fputc('\n', out);
	}
	vec_free(&list);
}

void unrecorded_why(const struct report *report, const struct finding *finding, FILE *out)
{
	unrecorded_libraries list;

	if (!finding->unrecorded)
		return;
	list = list_libraries(report, 1);
	if (finding->status == FINDING_CONFIRMED)
		fputs(" The recorded run alone does not show that this is possible, because code "
		      "that was not recorded took part: ",
		      out);
	else
		fprintf(out,
			" This is only a suspicion: code that was not recorded may prevent it%s",
			list.count ? ": " : "");
	print_libraries(&list, false, out);
	fputc('.', out);
	vec_free(&list);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void unrecorded_json(const struct report *reports, size_t count, json_t *all)
{
	unrecorded_libraries list = list_libraries(reports, count);
	json_t *libraries = json_array();

	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(libraries,
				      json_pack("{s:o, s:I}", "library",
						report_json_text(list.items[i].path), "calls",
						(json_int_t)list.items[i].returns));
	json_object_set_new(all, "suspicions",
			    json_integer((json_int_t)count_suspicions(reports, count)));
	json_object_set_new(all, "unrecorded", libraries);
	vec_free(&list);
}
