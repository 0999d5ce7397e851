/*
 * Is a word in the language of an extended regular expression? For each part of the expression,
 * computes all pairs of positions between which the part fits, from the definitions. For a word of
 * n symbols this takes n² cells per part, and n³ time for sequences and stars.
 */
#include "base/mem.h"
#include "check/truth.h"

#include <assert.h>
#include <stdlib.h>

/* cells[i * (n + 1) + j]: are symbols i … j-1 a word of the part? */
struct fits {
	size_t n;
	bool *cells;
};

static bool *cell(const struct fits *f, size_t i, size_t j)
{
	return &f->cells[i * (f->n + 1) + j];
}

static struct fits no_fits(size_t n)
{
	return (struct fits){ .n = n, .cells = mem_zalloc((n + 1) * (n + 1), sizeof(bool)) };
}

static struct fits fit_sequence(struct fits a, struct fits b)
{
	struct fits out = no_fits(a.n);

	for (size_t i = 0; i <= a.n; i++) {
		for (size_t j = i; j <= a.n; j++) {
			for (size_t k = i; k <= j && !*cell(&out, i, j); k++)
				*cell(&out, i, j) = *cell(&a, i, k) && *cell(&b, k, j);
		}
	}
	free(a.cells);
	free(b.cells);
	return out;
}

/*
 * Where do one or more words of `a` in a row fit? (With `also_none`, no word at all fits, too.)
 * Computed from the end. The first of the words is not empty.
 */
static struct fits fit_repeated(struct fits a, bool also_none)
{
	struct fits out = no_fits(a.n);

	for (size_t i = a.n + 1; i-- > 0;) {
		for (size_t j = i; j <= a.n; j++) {
			bool found = *cell(&a, i, j) || (also_none && i == j);

			for (size_t k = i + 1; k < j && !found; k++)
				found = *cell(&a, i, k) && *cell(&out, k, j);
			*cell(&out, i, j) = found;
		}
	}
	free(a.cells);
	return out;
}

static struct fits fit_combined(struct fits a, struct fits b, bool all)
{
	for (size_t i = 0; i < (a.n + 1) * (a.n + 1); i++)
		a.cells[i] = all ? a.cells[i] && b.cells[i] : a.cells[i] || b.cells[i];
	free(b.cells);
	return a;
}

static struct fits fit(const struct spec_ere *ere, const uint64_t *word, size_t n);

static struct fits fit_parts(const struct spec_ere *ere, const uint64_t *word, size_t n)
{
	struct fits out = fit(ere->parts, word, n);

	for (const struct spec_ere *part = ere->parts->next; part; part = part->next) {
		struct fits next = fit(part, word, n);

		out = ere->kind == SPEC_ERE_SEQUENCE
			      ? fit_sequence(out, next)
			      : fit_combined(out, next, ere->kind == SPEC_ERE_BOTH);
	}
	return out;
}

static struct fits fit_leaf(const struct spec_ere *ere, const uint64_t *word, size_t n)
{
	struct fits out = no_fits(n);

	for (size_t i = 0; i <= n; i++) {
		if (ere->kind == SPEC_ERE_EPSILON)
			*cell(&out, i, i) = true;
		else if (i < n && ere->kind == SPEC_ERE_ANY)
			*cell(&out, i, i + 1) = true;
		else if (i < n && ere->kind == SPEC_ERE_EVENT)
			*cell(&out, i, i + 1) = word[i] >> ere->event & 1;
	}
	return out;
}

static struct fits fit(const struct spec_ere *ere, const uint64_t *word, size_t n)
{
	struct fits out;

	switch ((enum spec_ere_kind)ere->kind) {
	case SPEC_ERE_EVENT:
	case SPEC_ERE_ANY:
	case SPEC_ERE_EPSILON:
	case SPEC_ERE_EMPTY: return fit_leaf(ere, word, n);
	case SPEC_ERE_SEQUENCE:
	case SPEC_ERE_EITHER:
	case SPEC_ERE_BOTH: return fit_parts(ere, word, n);
	case SPEC_ERE_STAR: return fit_repeated(fit(ere->parts, word, n), true);
	case SPEC_ERE_PLUS: return fit_repeated(fit(ere->parts, word, n), false);
	case SPEC_ERE_MAYBE:
	case SPEC_ERE_NOT: break;
	}
	out = fit(ere->parts, word, n);
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = i; j <= n; j++) {
			bool *at = cell(&out, i, j);

			*at = ere->kind == SPEC_ERE_NOT ? !*at : *at || i == j;
		}
	}
	return out;
}

bool truth_ere_has(const struct spec_ere *ere, const uint64_t *word, size_t count)
{
	struct fits out = fit(ere, word, count);
	bool has = *cell(&out, 0, count);

	free(out.cells);
	return has;
}
