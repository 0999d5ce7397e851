/*
 * Expands a pattern into its alternatives. Each operator combines the forms of its operands: a
 * sequence orders their leaves, `|` lists them side by side, `||` puts them into one group.
 */
#include "predict/pattern/pattern_form.h"

#include <assert.h>
#include <string.h>

uint32_t form_count_leaves(const struct spec_pattern *pattern)
{
	uint32_t count = pattern->kind == SPEC_LEAF;

	for (const struct spec_pattern *part = pattern->parts; part; part = part->next)
		count += form_count_leaves(part);
	return count;
}

static void free_form(struct pattern_form *form)
{
	vec_free(&form->leaves);
	vec_free(&form->inverted);
}

void form_list_free(form_list *forms)
{
	for (size_t i = 0; i < forms->count; i++)
		free_form(&forms->items[i]);
	vec_free(forms);
}

/* ---- combining two forms --------------------------------------------------------------------- */

static void append_form(struct pattern_form *to, const struct pattern_form *from, bool in_sequence)
{
	uint32_t start = (uint32_t)to->leaves.count, count = (uint32_t)from->leaves.count;

	assert(start + count <= FORM_LEAVES);
	for (uint32_t i = 0; i < start && in_sequence; i++) {
		for (uint32_t j = 0; j < count; j++)
			to->followers[i] |= 1ull << (start + j);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct form_leaf leaf = from->leaves.items[i];

		if (leaf.group != FORM_NONE)
			leaf.group += to->groups;
		*vec_push(&to->leaves) = leaf;
		to->followers[start + i] = from->followers[i] << start;
	}
	for (size_t i = 0; i < from->inverted.count; i++) {
		struct form_inverted inverted = from->inverted.items[i];

		inverted.first += start;
		*vec_push(&to->inverted) = inverted;
	}
	to->groups += from->groups;
}

static struct pattern_form combine(const struct pattern_form *a, const struct pattern_form *b,
				   bool in_sequence)
{
	struct pattern_form form = { 0 };

	append_form(&form, a, false);
	append_form(&form, b, in_sequence);
	return form;
}

/* Replaces `so_far` by the combinations of each of its forms with each of `more`. */
static bool multiply_forms(form_list *so_far, const form_list *more, bool in_sequence)
{
	form_list product = { 0 };
	bool whole = true;

	for (size_t i = 0; i < so_far->count; i++) {
		for (size_t j = 0; j < more->count; j++) {
			if (so_far->items[i].leaves.count + more->items[j].leaves.count >
				    FORM_LEAVES ||
			    product.count == FORM_ALTERNATIVES) {
				whole = false;
				continue;
			}
			*vec_push(&product) =
				combine(&so_far->items[i], &more->items[j], in_sequence);
		}
	}
	form_list_free(so_far);
	*so_far = product;
	return whole;
}

/* ---- from the tree --------------------------------------------------------------------------- */

static bool expand_pattern(const struct spec_pattern *pattern, form_list *out);

static bool expand_product(const struct spec_pattern *pattern, bool in_sequence, form_list *out)
{
	bool whole = true;

	*vec_push(out) = (struct pattern_form){ 0 };
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		form_list more = { 0 };

		whole &= expand_pattern(part, &more);
		whole &= multiply_forms(out, &more, in_sequence);
		form_list_free(&more);
	}
	return whole;
}

static bool expand_either(const struct spec_pattern *pattern, form_list *out)
{
	bool whole = true;

	for (const struct spec_pattern *part = pattern->parts; part; part = part->next) {
		form_list more = { 0 };

		whole &= expand_pattern(part, &more);
		for (size_t i = 0; i < more.count; i++) {
			if (out->count == FORM_ALTERNATIVES) {
				free_form(&more.items[i]);
				whole = false;
			} else {
				*vec_push(out) = more.items[i];
			}
		}
		vec_free(&more);
	}
	return whole;
}

static bool expand_leaf(const struct spec_pattern *pattern, form_list *out)
{
	struct pattern_form *form = vec_push(out);

	*form = (struct pattern_form){ 0 };
	*vec_push(&form->leaves) = (struct form_leaf){ .leaf = pattern, .group = FORM_NONE };
	return true;
}

static bool expand_parallel(const struct spec_pattern *pattern, form_list *out)
{
	bool whole = expand_product(pattern, false, out);

	for (size_t i = 0; i < out->count; i++) {
		struct pattern_form *form = &out->items[i];

		for (size_t k = 0; k < form->leaves.count; k++)
			form->leaves.items[k].group = 0;
		form->groups = 1;
	}
	return whole;
}

static void collect_leaves(const struct spec_pattern *pattern, struct pattern_form *form)
{
	if (pattern->kind == SPEC_LEAF)
		*vec_push(&form->leaves) =
			(struct form_leaf){ .leaf = pattern, .group = FORM_NONE, .inverted = true };
	for (const struct spec_pattern *part = pattern->parts; part; part = part->next)
		collect_leaves(part, form);
}

static bool expand_inverted(const struct spec_pattern *pattern, form_list *out)
{
	struct pattern_form *form;

	if (form_count_leaves(pattern) > FORM_LEAVES)
		return false;
	form = vec_push(out);
	*form = (struct pattern_form){ 0 };
	collect_leaves(pattern->parts, form);
	*vec_push(&form->inverted) = (struct form_inverted){ pattern->parts, 0 };
	return true;
}

static bool expand_pattern(const struct spec_pattern *pattern, form_list *out)
{
	switch ((enum spec_pattern_kind)pattern->kind) {
	case SPEC_LEAF: return expand_leaf(pattern, out);
	case SPEC_SEQUENCE: return expand_product(pattern, true, out);
	case SPEC_BOTH: return expand_product(pattern, false, out);
	case SPEC_EITHER: return expand_either(pattern, out);
	case SPEC_PARALLEL: return expand_parallel(pattern, out);
	case SPEC_PLUS: return expand_pattern(pattern->parts, out);
	case SPEC_STAR:
	case SPEC_MAYBE: *vec_push(out) = (struct pattern_form){ 0 }; return true;
	case SPEC_INVERTED: return expand_inverted(pattern, out);
	}
	assert(!"a kind of pattern");
	return false;
}

bool form_make(const struct spec_pattern *pattern, form_list *forms)
{
	form_list all = { 0 };
	bool whole = expand_pattern(pattern, &all);

	for (size_t i = 0; i < all.count; i++) {
		struct pattern_form *form = &all.items[i];

		for (size_t k = 0; k < form->leaves.count; k++)
			form->leaves.items[k].followed = form->followers[k] != 0;
		if (form->leaves.count)
			*vec_push(forms) = *form;
		else
			free_form(form);
	}
	vec_free(&all);
	return whole;
}
