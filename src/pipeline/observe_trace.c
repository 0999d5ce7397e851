/* Runs src/monitor on a trace and converts the violations to findings. */
#include "pipeline/observe_trace.h"

#include "base/mem.h"
#include "explore/confirm/formula_finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes that the levels of a lattice may take. If they need more, the breadth is lowered. */
#define MEMORY (4ull << 30)

void observe_trace_init(struct observe_trace *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	*o = (struct observe_trace){ .options = {
					     .breadth = OBSERVE_BREADTH,
					     .effort = OBSERVE_EFFORT,
					     .count = true,
					     .jobs = processors > 0 ? (unsigned)processors : 1,
					     .memory = MEMORY,
				     } };
}

bool observe_trace_has_work(const struct property_set *set)
{
	for (size_t i = 0; set && i < set->properties.count; i++) {
		const struct spec_formula *f = set->properties.items[i].property->formulas;

		for (; f; f = f->next) {
			if (observe_judges(f))
				return true;
		}
	}
	return false;
}

static void show_progress(void *context, const char *property, uint64_t level, uint64_t levels,
			  uint64_t cuts)
{
	(void)context;
	fprintf(stderr, "\r%.40s: level %" PRIu64 " of %" PRIu64 ", %" PRIu64 " cuts\033[K",
		property, level, levels, cuts);
}

/* Schedules of predicted findings. Grammars are checked on these schedules too. */
typedef VEC(struct observe_schedule) schedule_list;

static void list_schedules(const struct predict_result *result, schedule_list *out)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *f = &result->findings.items[i];

		if (f->status == FINDING_PREDICTED)
			*vec_push(out) = (struct observe_schedule){
				.start = f->start.items,
				.start_count = f->start.count,
				.steps = f->steps.items,
				.step_count = f->steps.count,
			};
	}
}

bool observe_trace_add(const struct observe_trace *o, const struct trace *trace,
		       const struct property_set *set, const struct property_files *files,
		       struct predict_result *result, struct observe_result *out, struct err *err)
{
	char **directories = formula_directories(set, files->files.items, files->files.count);
	struct observe_options options = o->options;
	schedule_list schedules = { 0 };
	bool terminal = !o->quiet && isatty(STDERR_FILENO), done;

	if (!o->events_given)
		options.computation.events =
			trace_is_text(trace) && options.computation.causality == COMPUTATION_WEAK
				? COMPUTATION_ALL
				: COMPUTATION_RELEVANT;
	options.files = files->files.items;
	options.file_count = files->files.count;
	list_schedules(result, &schedules);
	options.schedules = schedules.items;
	options.schedule_count = schedules.count;
	options.directories = directories;
	options.progress = terminal ? show_progress : NULL;
	done = observe_run(trace, set, &options, out, err);
	formula_directories_free(directories, set);
	vec_free(&schedules);
	if (terminal)
		fputs("\r\033[K", stderr);
	for (size_t i = 0; i < out->findings.count; i++)
		*vec_push(&result->findings) = formula_finding(trace, &out->findings.items[i]);
	result->stats.seconds += out->seconds;
	result->stats.rejected += out->faults.count;
	for (size_t i = 0; i < out->faults.count; i++)
		*vec_push(&result->faults) =
			mem_copy_text(out->faults.items[i], strlen(out->faults.items[i]));
	return done;
}

void observe_trace_add_shown(const struct predict_result *result,
			     const struct observe_result *observation, observe_trace_events *events)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *f = &result->findings.items[i];

		for (size_t k = 0; k < f->run.count; k++)
			*vec_push(events) = f->run.items[k];
	}
	for (size_t i = 0; observation && i < observation->findings.count; i++) {
		const struct observe_states *s = &observation->findings.items[i].recorded;
		const struct observe_word *word = observation->findings.items[i].sentence;

		for (size_t k = 0; word && k < word->session.count; k++)
			*vec_push(events) = word->session.items[k];
		for (size_t k = 0; k < s->steps.count; k++)
			*vec_push(events) = s->steps.items[k];
	}
}
