#include "predict/warnings/warnings.h"

#include "base/map.h"
#include "base/mem.h"

#include <string.h>

struct finding *warnings_put(struct predict_result *result, struct map *known, uint64_t key,
			     enum finding_kind kind)
{
	bool fresh;
	uint64_t *position = map_put(known, key, &fresh);
	struct finding *finding;

	if (fresh) {
		*position = result->findings.count;
		finding = vec_push(&result->findings);
		*finding = (struct finding){ .kind = kind, .status = FINDING_WARNING };
	}
	finding = &result->findings.items[*position];
	finding->count++;
	return finding;
}

/* The finaliser of MurmurHash3; a sum, so that the order does not matter. */
uint64_t warnings_key(const uint64_t *sites, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t x = sites[i] + 0x9e3779b97f4a7c15u;

		x ^= x >> 33;
		x *= 0xff51afd7ed558ccdu;
		x ^= x >> 33;
		x *= 0xc4ceb9fe1a85ec53u;
		sum += x ^ x >> 33;
	}
	return sum + count;
}

void warnings_add_problem(struct predict_result *result, const char *text)
{
	for (size_t i = 0; i < result->problems.count; i++) {
		if (!strcmp(result->problems.items[i], text))
			return;
	}
	*vec_push(&result->problems) = mem_copy_text(text, strlen(text));
}
