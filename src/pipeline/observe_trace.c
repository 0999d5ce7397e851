#include "pipeline/observe_trace.h"

#include "base/mem.h"
#include "explore/confirm/formula_finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that levels may take before breadth is lowered. */
#define MEMORY (4ull << 30)

const char observe_trace_options_help[] =
	"  --causality C    weak (default): writes of a variable change places with their reads;\n"
	"                   strong: accesses of a variable keep their order\n"
	"  --events E       relevant: what the properties speak of; all: every access. Default:\n"
	"                   all for a text under weak, else relevant\n"
	"  --breadth N      how many cuts of a level go on: 1 is the observed run alone; all: no\n"
	"                   limit (default: what takes a few seconds, at most 1000000)\n";

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

/* ---- options ----------------------------------------------------------------------------------- */

static bool read_breadth(struct observe_trace *o, const char *value)
{
	char *end;

	o->options.effort = 0;
	if (!strcmp(value, "all")) {
		o->options.breadth = 0;
		return true;
	}
	o->options.breadth = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && o->options.breadth;
}

static bool read_value(struct observe_trace *o, const char *name, const char *value)
{
	if (!strcmp(name, "--breadth"))
		return read_breadth(o, value);
	if (!strcmp(name, "--causality")) {
		o->options.computation.causality =
			!strcmp(value, "strong") ? COMPUTATION_STRONG : COMPUTATION_WEAK;
		return !strcmp(value, "strong") || !strcmp(value, "weak");
	}
	o->events_given = true;
	o->options.computation.events =
		!strcmp(value, "all") ? COMPUTATION_ALL : COMPUTATION_RELEVANT;
	return !strcmp(value, "all") || !strcmp(value, "relevant");
}

int observe_trace_read_option(struct observe_trace *o, const char *command, char **argv, int *i)
{
	static const char *const names[] = { "--causality", "--events", "--breadth" };
	const char *word = argv[*i], *value;

	for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
		size_t length = strlen(names[k]);

		if (strncmp(word, names[k], length) || (word[length] && word[length] != '='))
			continue;
		value = word[length] ? word + length + 1 : argv[*i + 1];
		if (!value) {
			fprintf(stderr, "sooth %s: %s: its value is missing\n", command, names[k]);
			return -1;
		}
		*i += !word[length];
		if (read_value(o, names[k], value))
			return 1;
		fprintf(stderr, "sooth %s: %s %s: not a value for it (sooth %s --help)\n", command,
			names[k], value, command);
		return -1;
	}
	return 0;
}

/* ---- findings ---------------------------------------------------------------------------------- */

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

/* ---- the work ---------------------------------------------------------------------------------- */

static void show_progress(void *context, const char *property, uint64_t level, uint64_t levels,
			  uint64_t cuts)
{
	(void)context;
	fprintf(stderr, "\r%.40s: level %" PRIu64 " of %" PRIu64 ", %" PRIu64 " cuts\033[K",
		property, level, levels, cuts);
}

/* ---- schedules of predictions ------------------------------------------------------------------ */

typedef VEC(struct observe_schedule) schedule_list;

static struct event_id *copy_ids(const struct event_id *ids, size_t count)
{
	struct event_id *copy = mem_alloc((count + 1) * sizeof *copy);

	for (size_t i = 0; i < count; i++)
		copy[i] = (struct event_id){ ids[i].stream, ids[i].index };
	return copy;
}

static void list_schedules(const struct predict_result *result, schedule_list *out)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *f = &result->findings.items[i];

		if (f->status != FINDING_PREDICTED)
			continue;
		*vec_push(out) = (struct observe_schedule){
			.start = copy_ids(f->start.items, f->start.count),
			.start_count = f->start.count,
			.steps = copy_ids(f->steps.items, f->steps.count),
			.step_count = f->steps.count,
		};
	}
}

static void free_schedules(schedule_list *schedules)
{
	for (size_t i = 0; i < schedules->count; i++) {
		free((void *)schedules->items[i].start);
		free((void *)schedules->items[i].steps);
	}
	vec_free(schedules);
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
	free_schedules(&schedules);
	if (terminal)
		fputs("\r\033[K", stderr);
	for (size_t i = 0; i < out->findings.count; i++)
		*vec_push(&result->findings) = formula_finding(trace, &out->findings.items[i]);
	result->stats.seconds += out->seconds;
	result->stats.rejected += out->faults.count;
	for (size_t i = 0; i < out->faults.count; i++)
		*vec_push(&result->faults) = strdup(out->faults.items[i]);
	return done;
}

void observe_trace_add_places(const struct predict_result *result,
			      const struct observe_result *observation,
			      observe_trace_places *places)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *f = &result->findings.items[i];

		for (size_t k = 0; k < f->run.count; k++)
			*vec_push(places) = f->run.items[k];
	}
	for (size_t i = 0; observation && i < observation->findings.count; i++) {
		const struct observe_story *s = &observation->findings.items[i].recorded;
		const struct observe_sentence *word = observation->findings.items[i].sentence;

		for (size_t k = 0; word && k < word->session.count; k++)
			*vec_push(places) = (struct event_id){ word->session.items[k].stream,
							       word->session.items[k].index };

		for (size_t k = 0; k < s->steps.count; k++)
			*vec_push(places) = (struct event_id){ s->steps.items[k].stream,
							       s->steps.items[k].index };
	}
}
