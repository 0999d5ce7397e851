/* Prints the sizes of the lattices and the numbers of their runs. */
#include "report/lattices.h"

#include "monitor/observe/observe.h"

#include <inttypes.h>
#include <stdlib.h>

/* Larger numbers become strings, because JSON readers may lose digits of them. */
#define EXACT (1ull << 53)

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *count_json(const struct lattice_count *count)
{
	char *text = lattice_count_text(count);
	uint64_t low = count->limb_count ? count->limbs[0] : 0;
	bool large = low >= EXACT;
	json_t *value;

	for (uint32_t i = 1; i < count->limb_count; i++)
		large |= count->limbs[i] != 0;
	value = large ? json_string(text) : json_integer((json_int_t)low);
	free(text);
	return value;
}

static void set_runs(json_t *object, const struct observe_lattice *l)
{
	json_object_set_new(object, "runs", l->counted ? count_json(&l->runs) : json_null());
	json_object_set_new(object, "violating_runs",
			    l->counted ? count_json(&l->violating) : json_null());
}

static json_t *lattice_json(const struct observe_lattice *l)
{
	json_t *object = json_object();
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "instances", l->instances }, { "events", l->events }, { "silent", l->silent },
		{ "cuts", l->cuts },	       { "levels", l->levels }, { "widest", l->widest },
		{ "dropped", l->dropped },
	};

	json_object_set_new(object, "property",
			    report_json_text(l->property ? l->property->name : NULL));
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		json_object_set_new(object, numbers[i].key,
				    json_integer((json_int_t)numbers[i].value));
	set_runs(object, l);
	return object;
}

void lattices_json(json_t *stats, const struct report *reports, size_t count)
{
	struct observe_lattice sum = { .counted = true };
	json_t *list = json_array();
	bool any = false;

	for (size_t r = 0; r < count; r++) {
		const struct observe_result *o = reports[r].observation;

		for (size_t i = 0; o && i < o->lattices.count; i++) {
			const struct observe_lattice *l = &o->lattices.items[i];

			any = true;
			sum.cuts += l->cuts;
			sum.levels += l->levels;
			sum.counted &= l->counted;
			lattice_count_add(&sum.runs, &l->runs);
			lattice_count_add(&sum.violating, &l->violating);
			json_array_append_new(list, lattice_json(l));
		}
	}
	if (any) {
		json_object_set_new(stats, "cuts", json_integer((json_int_t)sum.cuts));
		json_object_set_new(stats, "levels", json_integer((json_int_t)sum.levels));
		set_runs(stats, &sum);
		json_object_set(stats, "lattices", list);
	}
	json_decref(list);
	free(sum.runs.limbs);
	free(sum.violating.limbs);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *plural_suffix(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_lattice(const struct observe_lattice *l, bool all, FILE *out)
{
	char *runs, *violating;

	if (!all && !l->dropped)
		return;
	runs = lattice_count_text(&l->runs);
	violating = lattice_count_text(&l->violating);
	fprintf(out,
		"lattice%s of %s: %" PRIu64 " event%s, %" PRIu64 " cut%s in %" PRIu64 " level%s",
		plural_suffix(l->instances), l->property ? l->property->name : "all properties",
		l->events, plural_suffix(l->events), l->cuts, plural_suffix(l->cuts), l->levels,
		plural_suffix(l->levels));
	if (l->instances > 1)
		fprintf(out, " of %" PRIu32 " instances", l->instances);
	if (l->counted)
		fprintf(out, "; %s run%s, %s of them violating", runs,
			l->runs.limb_count == 1 ? plural_suffix(l->runs.limbs[0]) : "s", violating);
	fputc('\n', out);
	free(runs);
	free(violating);
}

void lattices_print(const struct report *reports, size_t count, bool all, FILE *out)
{
	for (size_t r = 0; r < count; r++) {
		const struct observe_result *o = reports[r].observation;

		for (size_t i = 0; o && i < o->lattices.count; i++)
			print_lattice(&o->lattices.items[i], all, out);
		for (size_t i = 0; o && i < o->notes.count; i++)
			fprintf(out, "  note: %s\n", o->notes.items[i]);
	}
}
