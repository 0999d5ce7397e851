/* Makes a report from the failure of a controlled run and its recording. */
#include "pipeline/explore_report.h"

#include "base/mem.h"
#include "pipeline/confirm_findings.h"
#include "pipeline/paths.h"
#include "event/event.h"
#include "explore/control/run_outcome.h"
#include "explore/control/site_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* ---- kind, message and command --------------------------------------------------------------- */

/* Was the condition signalled before the thread began to wait? Then that signal was lost. */
static bool signalled_before(const struct outcome *outcome, const struct control_blocked *blocked)
{
	bool signalled = false;

	for (uint32_t i = 0; i < outcome->event_count; i++) {
		const struct control_event *event = &outcome->events[i];
		if (event->address != blocked->address)
			continue;
		if (event->kind == EV_SIGNAL || event->kind == EV_BROADCAST)
			signalled = true;
		if (event->kind == EV_WAIT && event->thread == blocked->thread &&
		    event->step + 1 == blocked->step)
			break;
	}
	return signalled;
}

static const char *stuck_kind(const struct outcome *outcome)
{
	for (uint32_t i = 0; i < outcome->blocked_count; i++)
		if (outcome->blocked[i].kind == EV_WOKEN &&
		    outcome->blocked[i].how == CONTROL_BY_NOBODY &&
		    signalled_before(outcome, &outcome->blocked[i]))
			return "lost-signal";
	return "deadlock";
}

const char *explore_report_kind(const struct outcome *outcome)
{
	switch (outcome->result) {
	case CONTROL_ASSERTION:
	case CONTROL_ABORTED: return "assertion";
	case CONTROL_DEADLOCK: return "deadlock";
	case CONTROL_STUCK: return stuck_kind(outcome);
	case CONTROL_USE_AFTER_FREE: return "use-after-free";
	case CONTROL_BAD_FREE: return "misuse";
	default: return "crash";
	}
}

static char *make_message(const struct explore_report_source *source,
			  const struct run_outcome_source *words)
{
	int usual = WIFEXITED(source->usual) ? WEXITSTATUS(source->usual) : -1;
	struct run_outcome effect = { 0 };

	run_outcome_of_end(&effect, source->outcome, words, usual);
	return mem_format("%s%s%s%s%s", run_outcome_name(effect.kind), effect.text[0] ? ": " : "",
			  effect.text, source->why ? "; not repeated: " : "",
			  source->why ? source->why : "");
}

char *explore_report_replay(const char *schedule, const struct property_files *properties,
			    char **program)
{
	char *text;
	size_t length;
	FILE *out = mem_stream(&text, &length);

	fputs("sooth replay ", out);
	if (properties)
		property_files_print_options(properties, out);
	print_shell_word(out, schedule);
	fputs(" --", out);
	for (char **word = program; *word; word++) {
		fputc(' ', out);
		print_shell_word(out, *word);
	}
	mem_stream_close(out);
	return text;
}

/* ---- sites ----------------------------------------------------------------------------------- */

/* Reads "FILE:LINE: ...", which assert() prints. */
static void read_assert_site(struct report_site *site, const char *text)
{
	for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
		const char *file = at;
		if (!isdigit((unsigned char)at[1]))
			continue;
		while (file > text && !isspace((unsigned char)file[-1]))
			file--;
		site->file = mem_copy_text(file, (size_t)(at - file));
		site->line = (unsigned)atoi(at + 1);
		site->operation = "assertion";
		return;
	}
}

static void read_site(struct report_site *site, const struct trace *trace,
		      struct trace_symbols *symbols, uint64_t number, const char *operation)
{
	struct site_text words = site_text(trace, symbols, number);
	char *colon = strchr(words.text, ':'), *open = strchr(words.text, '(');

	if (!colon)
		return;
	site->operation = operation;
	site->file = mem_copy_text(words.text, (size_t)(colon - words.text));
	site->line = (unsigned)atoi(colon + 1);
	if (open)
		site->function = mem_copy_text(open + 1, strcspn(open + 1, ")"));
}

static void find_site(struct report_observed *observed, const struct outcome *outcome,
		      const struct run_outcome_source *source)
{
	const struct control *control = outcome->control;

	observed->site.thread = control->fault_thread;
	if (outcome->result == CONTROL_ASSERTION)
		read_assert_site(&observed->site, control->text);
	else if (control->fault_site)
		read_site(&observed->site, source->trace, source->symbols, control->fault_site,
			  "access");
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Is this thread part of the failure? */
static bool is_concerned(const struct outcome *outcome, uint32_t thread)
{
	bool blocked = outcome->result == CONTROL_DEADLOCK || outcome->result == CONTROL_STUCK;

	if (!blocked)
		return thread == outcome->control->fault_thread;
	for (uint32_t i = 0; i < outcome->blocked_count; i++)
		if (outcome->blocked[i].thread == thread)
			return outcome->result == CONTROL_DEADLOCK
				       ? outcome->blocked[i].in_cycle
				       : outcome->blocked[i].how != CONTROL_BY_NOTHING;
	return false;
}

/*
 * Finds the free of the block that was used, or freed again: the first event of such a report. In a
 * controlled run no address is allocated twice, so the address identifies the block.
 */
static void find_free(struct report_observed *observed, const struct outcome *outcome,
		      const struct trace *trace)
{
	uint64_t address = outcome->control->fault_address, low = 0;
	struct event_id last = { 0 };
	struct trace_event event;
	struct err err;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
			struct trace_cursor *cursor = trace_cursor_open(trace, i);

			while (trace_next(cursor, &event, &err)) {
				if (!pass && event.kind == EV_ALLOC &&
				    address - event.address < (event.size ? event.size : 1))
					low = event.address;
				if (!pass || event.kind != EV_FREE || event.address != low)
					continue;
				last = (struct event_id){ event.stream, event.index };
				observed->ends = true;
			}
			trace_cursor_close(cursor);
		}
	}
	if (observed->ends)
		*vec_push(&observed->events) = last;
}

/*
 * Finds the last event of each thread that is part of the failure. For a blocked thread, that is
 * the request that blocks.
 */
static void find_events(struct report_observed *observed, const struct outcome *outcome,
			const struct trace *trace)
{
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor;
		struct event_id last = { 0 };
		struct trace_event event;
		struct err err;
		bool any = false;
		if (!is_concerned(outcome, trace_stream(trace, i)->number))
			continue;
		cursor = trace_cursor_open(trace, i);
		while (trace_next(cursor, &event, &err))
			if (event.index != TRACE_NO_INDEX && event.kind != EV_EXIT &&
			    event.kind != EV_ENTER) {
				last = (struct event_id){ event.stream, event.index };
				any = true;
			}
		trace_cursor_close(cursor);
		if (any)
			*vec_push(&observed->events) = last;
	}
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Reports a violated property. Checks the recording again to get the findings. */
static bool open_violation(struct explore_report *explored,
			   const struct explore_report_source *source, struct trace *trace,
			   struct err *err)
{
	struct property_judge_look *look = explored->look = mem_zalloc(1, sizeof *look);
	observe_trace_events also = { 0 };

	if (!property_judge_look(source->properties, trace, look, err)) {
		property_judge_look_free(look);
		free(look);
		trace_close(trace);
		return false;
	}
	observe_trace_add_shown(&look->result, &look->observation, &also);
	explored->replays = mem_zalloc(look->result.findings.count + 1, sizeof *explored->replays);
	explored->report = (struct report){
		.trace = explored->trace,
		.result = &look->result,
		.replays = explored->replays,
		.properties = &look->set,
		.observation = &look->observation,
		.files = source->properties->files.items,
		.file_count = source->properties->files.count,
		.describe = describe_open(&(struct describe_request){ .trace = trace,
								      .path = explored->trace,
								      .result = &look->result,
								      .also = also.items,
								      .also_count = also.count,
								      .rows = true }),
	};
	vec_free(&also);
	return true;
}

bool explore_report_open(struct explore_report *explored,
			 const struct explore_report_source *source, struct err *err)
{
	const struct outcome *outcome = source->outcome;
	struct report_observed observed = { .kind = explore_report_kind(outcome) };
	struct predict_result *result;
	struct run_outcome_source words = { 0 };
	struct trace *trace;

	if (!trace_open(source->trace, &trace, err))
		return false;
	*explored = (struct explore_report){
		.trace = mem_copy_text(source->trace, strlen(source->trace)),
	};
	if (outcome->violated && source->properties)
		return open_violation(explored, source, trace, err);
	words.trace = trace;
	words.symbols = trace_symbols_open(trace);
	observed.status = source->why ? FINDING_OBSERVED : FINDING_CONFIRMED;
	observed.message = make_message(source, &words);
	if (source->schedule)
		observed.replay = explore_report_replay(source->schedule, source->properties,
							source->program);
	find_site(&observed, outcome, &words);
	if (outcome->result == CONTROL_USE_AFTER_FREE || outcome->result == CONTROL_BAD_FREE)
		find_free(&observed, outcome, trace);
	if (observed.ends) /* a double free is a use of the freed block */
		observed.kind = "use-after-free";
	else
		find_events(&observed, outcome, trace);
	trace_symbols_close(words.symbols);
	result = mem_zalloc(1, sizeof *result);
	result->stats.threads = outcome->thread_count;
	result->stats.events = outcome->event_count;
	explored->report.trace = explored->trace;
	explored->report.result = result;
	*vec_push(&explored->report.observed) = observed;
	explored->report.describe =
		describe_open(&(struct describe_request){ .trace = trace,
							  .path = explored->trace,
							  .result = result,
							  .also = observed.events.items,
							  .also_count = observed.events.count });
	return true;
}

void explore_report_close(struct explore_report *explored)
{
	struct report *report = &explored->report;
	const struct trace *trace = describe_trace(report->describe);

	confirm_findings_free(report);
	for (size_t i = 0; explored->replays && i < report->result->findings.count; i++)
		free(explored->replays[i]);
	free(explored->replays);
	describe_close(report->describe);
	trace_close((struct trace *)trace);
	if (explored->look) {
		property_judge_look_free(explored->look);
		free(explored->look);
	} else {
		predict_result_free((struct predict_result *)report->result);
		free((struct predict_result *)report->result);
	}
	for (size_t i = 0; i < report->observed.count; i++)
		report_observed_free(&report->observed.items[i]);
	vec_free(&report->observed);
	free(explored->trace);
}
