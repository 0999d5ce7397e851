/*
 * Copies a violation that src/monitor found into a finding. The kind comes from the violated
 * formula; kind, address and size of the event are read again from the trace.
 */
#include "explore/confirm/formula_finding.h"

#include "base/mem.h"
#include "explore/control/recorded.h"

#include <stdlib.h>
#include <string.h>

static enum finding_kind kind_of_formula(const struct observe_finding *found)
{
	const struct spec_formula *f = found->property->formulas;

	for (uint32_t i = 1; i < found->formula; i++)
		f = f->next;
	switch (f->formalism) {
	case SPEC_ERE: return FINDING_ERE;
	case SPEC_MONITOR: return FINDING_MONITOR;
	case SPEC_GRAMMAR: return FINDING_GRAMMAR;
	default: return FINDING_LTL;
	}
}

static struct finding_event read_event(const struct trace *trace, struct event_id id)
{
	struct finding_event out = { .id = id, .waits_for = ORDER_NONE, .named = ORDER_NONE };
	struct trace_event event;

	if (recorded_event(trace, id, &event)) {
		out.kind = event.kind;
		out.address = event.address;
		out.size = event.size;
	}
	return out;
}

struct finding formula_finding(const struct trace *trace, const struct observe_finding *found)
{
	struct finding finding = {
		.kind = kind_of_formula(found),
		.status = found->observed ? FINDING_OBSERVED : FINDING_PREDICTED,
		.count = found->count,
		.property = found->property,
		.formula = found->formula,
		.at_start = found->at_start,
		.at_end = found->at_end,
	};

	if (!found->at_start) {
		struct finding_event *event = vec_push(&finding.events);

		*event = read_event(trace, found->event);
		event->before = found->before;
		if (found->events.count && !found->at_end)
			event->named = found->events.items[0];
	}
	for (size_t i = 0; i < found->steps.count; i++)
		*vec_push(&finding.steps) = found->steps.items[i];
	for (size_t i = 0; i < found->run.count; i++)
		*vec_push(&finding.run) = found->run.items[i];
	for (size_t i = 0; i < found->binding.count; i++)
		*vec_push(&finding.binding) = found->binding.items[i];
	return finding;
}

char **formula_directories(const struct property_set *set, struct spec_file *const *files,
			   size_t count)
{
	char **directories = mem_zalloc(set->properties.count + 1, sizeof *directories);

	for (size_t i = 0; i < set->properties.count; i++) {
		for (size_t f = 0; f < count; f++) {
			const struct spec_property *p = files[f]->properties;
			const char *path = files[f]->path;
			const char *slash = strrchr(path, '/');

			while (p && p != set->properties.items[i].property)
				p = p->next;
			if (p)
				directories[i] = slash ? mem_copy_text(path, (size_t)(slash - path))
						       : mem_copy_text(".", 1);
		}
	}
	return directories;
}

void formula_directories_free(char **directories, const struct property_set *set)
{
	for (size_t i = 0; i < set->properties.count; i++)
		free(directories[i]);
	free(directories);
}
