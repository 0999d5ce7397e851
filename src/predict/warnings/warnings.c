/* What the analyses that only warn have in common. */
#include "predict/warnings/warnings.h"

#include "base/map.h"
#include "base/mem.h"
#include "predict/driver/analysis.h"

#include <string.h>

struct finding *warnings_add(struct predict_result *result, struct map *found,
			     enum finding_kind kind, const uint64_t *sites, size_t count)
{
	bool fresh;
	uint64_t *position = map_put(found, analysis_key(kind, sites, count), &fresh);
	struct finding *finding;

	if (fresh) {
		*position = result->findings.count;
		*vec_push(&result->findings) =
			(struct finding){ .kind = kind, .status = FINDING_WARNING };
	}
	finding = &result->findings.items[*position];
	finding->count++;
	return finding;
}

void warnings_add_problem(struct predict_result *result, const char *text)
{
	if (!mem_has_text(result->problems.items, result->problems.count, text))
		*vec_push(&result->problems) = mem_copy_text(text, strlen(text));
}
