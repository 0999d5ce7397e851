/* Options that several commands share, and the setters for them. */
#include "cli/option_groups.h"

#include "pipeline/predict_trace.h"
#include "pipeline/record_program.h"
#include "pipeline/z3_module.h"

#include <string.h>

/* ---- properties ------------------------------------------------------------------------------ */

static bool add_property_file(const struct cli_option *option, void *target, const char *value,
			      struct err *err)
{
	struct property_files *files = target;

	(void)option, (void)err;
	*vec_push(&files->given) = value;
	return true;
}

static bool add_property_names(const struct cli_option *option, void *target, const char *value,
			       struct err *err)
{
	struct property_files *files = target;

	return property_choice_add(&files->choice, value, option->name[2] == 'n') ||
	       err_set(err, "must be a list of names: NAME,...");
}

const struct cli_option property_options[] = {
	{ "-p", "FILE.prop",
	  "check the properties of this file as well (doc/language.md); may be repeated. -p NAME: "
	  "a file that comes with sooth, such as race or use-after-close",
	  .set = add_property_file },
	{ "--property", "NAMES", "check only these properties of the files (A,B)",
	  .set = add_property_names },
	{ "--no-property", "NAMES", "check all properties except these",
	  .set = add_property_names },
	{ 0 },
};

/* ---- prediction ------------------------------------------------------------------------------ */

static bool set_analyses(const struct cli_option *option, void *target, const char *value,
			 struct err *err)
{
	static const struct {
		const char *name;
		unsigned analysis; /* 0: properties, which are always checked */
	} known[] = {
		{ "race", PREDICT_RACE },
		{ "deadlock", PREDICT_DEADLOCK },
		{ "lost-signal", PREDICT_LOST_SIGNAL },
		{ "atomicity", PREDICT_ATOMICITY },
		{ "use-after-free", PREDICT_USE_AFTER_FREE },
		{ "misuse", PREDICT_MISUSE },
		{ "eraser", PREDICT_ERASER },
		{ "goodlock", PREDICT_GOODLOCK },
		{ "property", 0 },
	};
	struct predict_trace *p = target;

	(void)option;
	p->options.only = 0;
	do {
		size_t length = strcspn(value, ","), i = 0;

		while (i < sizeof known / sizeof known[0] &&
		       (strlen(known[i].name) != length || memcmp(known[i].name, value, length)))
			i++;
		if (i == sizeof known / sizeof known[0])
			return err_set(err, "there is no analysis '%.*s'", (int)length, value);
		p->options.only |= known[i].analysis;
		value += length;
	} while (*value++ == ',');
	return true;
}

static bool set_solver(const struct cli_option *option, void *target, const char *value,
		       struct err *err)
{
	int choice = option_choice(option, value, err);

	order_external_solver *z3 = choice == 1 ? z3_module_load() : NULL;

	if (choice == 1 && !z3)
		return err_set(err,
			       "this installation has no Z3 module; install libz3-dev and build "
			       "sooth again");
	((struct predict_trace *)target)->options.z3 = z3;
	return choice >= 0;
}

#define PREDICT_FIELD(name) offsetof(struct predict_trace, name)
const struct cli_option prediction_options[] = {
	{ "--only", "LIST",
	  "only these analyses: race, deadlock, lost-signal, atomicity, use-after-free, misuse "
	  "(default: all of them); eraser, goodlock (see --warnings); property: nothing but the "
	  "properties",
	  .set = set_analyses },
	{ "--every", NULL, "report every pair of events, not one for each pair of code sites",
	  .set = option_set_flag, .field = PREDICT_FIELD(options.every) },
	{ "--window", "N", "analyse N events at once (default 10000)", .set = option_set_u32,
	  .field = PREDICT_FIELD(options.window), .least = 2, .most = 1u << 30 },
	{ "--time", "SECONDS", "time limit for the prediction; 0: none (default 60)",
	  .set = option_set_seconds, .field = PREDICT_FIELD(options.seconds) },
	{ "--solver", "NAME", "native (default) or z3, which is slow and meant for comparison",
	  .set = set_solver, .choices = (const char *const[]){ "native", "z3", NULL } },
	{ "-j", "N", "use N processors (default: all)", .set = option_set_u32,
	  .field = PREDICT_FIELD(options.jobs), .least = 1, .most = 1024 },
	{ "--benign", NULL,
	  "report benign races as well: with a write of the value that is there already",
	  .set = option_set_flag, .field = PREDICT_FIELD(benign) },
	{ "--warnings", NULL,
	  "report warnings as well (eraser, goodlock and others): they are not proved and do not "
	  "change the exit status",
	  .set = option_set_flag, .field = PREDICT_FIELD(warnings) },
	{ 0 },
};

/* ---- formulas on all schedules --------------------------------------------------------------- */

static bool set_causality(const struct cli_option *option, void *target, const char *value,
			  struct err *err)
{
	int choice = option_choice(option, value, err);

	((struct observe_trace *)target)->options.computation.causality =
		choice == 1 ? COMPUTATION_STRONG : COMPUTATION_WEAK;
	return choice >= 0;
}

static bool set_events(const struct cli_option *option, void *target, const char *value,
		       struct err *err)
{
	struct observe_trace *o = target;
	int choice = option_choice(option, value, err);

	o->events_given = true;
	o->options.computation.events = choice == 1 ? COMPUTATION_ALL : COMPUTATION_RELEVANT;
	return choice >= 0;
}

static bool set_breadth(const struct cli_option *option, void *target, const char *value,
			struct err *err)
{
	struct observe_trace *o = target;

	(void)option;
	o->options.effort = 0;
	if (!strcmp(value, "all")) {
		o->options.breadth = 0;
		return true;
	}
	return option_number(value, 1, UINT64_MAX, &o->options.breadth, err);
}

const struct cli_option lattice_options[] = {
	{ "--causality", "C",
	  "weak (default): a write and the reads of its value may, together, change places with "
	  "other writes of the variable; strong: accesses of a variable keep their order",
	  .set = set_causality, .choices = (const char *const[]){ "weak", "strong", NULL } },
	{ "--events", "E",
	  "relevant: the accesses that the properties mention; all: every access. Default: all for "
	  "a text trace under weak causality, otherwise relevant",
	  .set = set_events, .choices = (const char *const[]){ "relevant", "all", NULL } },
	{ "--breadth", "N",
	  "follow at most N cuts of a level; 1: only the recorded run; all: no limit (default: "
	  "what "
	  "takes a few seconds, at most 1000000)",
	  .set = set_breadth },
	{ 0 },
};

/* ---- recording and output -------------------------------------------------------------------- */

static bool set_size(const struct cli_option *option, void *target, const char *value,
		     struct err *err)
{
	size_t digits = strspn(value, "0123456789");
	const char *unit = value + digits;

	if (!digits || (*unit && (!strchr("kKmMgG", *unit) || unit[1])))
		return err_set(err, "must be a size, such as 500M or 2G");
	return option_set_text(option, target, value, err);
}

bool option_set_number_text(const struct cli_option *option, void *target, const char *value,
			    struct err *err)
{
	uint64_t number;

	return option_number(value, 0, UINT64_MAX, &number, err) &&
	       option_set_text(option, target, value, err);
}

const struct cli_option recording_options[] = {
	{ "--patterns", NULL, "print a message when a thread nests locks in a new way",
	  .set = option_set_flag, .field = offsetof(struct record_program, patterns) },
	{ "--limit", "SIZE",
	  "stop recording after SIZE bytes (for example 64M or 2G); the program goes on",
	  .set = set_size, .field = offsetof(struct record_program, limit) },
	{ 0 },
};

const struct cli_option json_options[] = {
	{ "--json", NULL, "print the report as JSON", .set = option_set_flag },
	{ 0 },
};
