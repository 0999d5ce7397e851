/* Replays the findings of a report one by one, within a time limit. */
#include "pipeline/confirm_findings.h"

#include "base/mem.h"
#include "base/seconds.h"
#include "pipeline/end_request.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Ctrl-C and SIGTERM ---------------------------------------------------------------------- */

static volatile int interrupted;
static struct sigaction before, before_termination;

static void note_interrupt(int number)
{
	interrupted = number;
}

const volatile int *confirm_findings_catch(void)
{
	struct sigaction action = { .sa_handler = note_interrupt };

	interrupted = end_request_came() ? SIGTERM : 0;
	sigaction(SIGINT, &action, &before);
	sigaction(SIGTERM, NULL, &before_termination);
	if (before_termination.sa_handler != SIG_IGN)
		sigaction(SIGTERM, &action, NULL);
	return &interrupted;
}

void confirm_findings_release(void)
{
	sigaction(SIGINT, &before, NULL);
	sigaction(SIGTERM, &before_termination, NULL);
}

/* ---- findings and leads ---------------------------------------------------------------------- */

static void show_progress(size_t done, size_t all, size_t confirmed)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\rreplayed %zu of %zu findings, %zu confirmed\033[K", done, all,
			confirmed);
}

static void skip_finding(struct confirmation *confirmation, const char *why)
{
	*confirmation = (struct confirmation){ .why = mem_copy_text(why, strlen(why)) };
}

static void skip_all(const struct predict_result *result, struct confirmation *confirmations,
		     const char *why)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		if (result->findings.items[i].status == FINDING_PREDICTED)
			skip_finding(&confirmations[i], why);
	}
}

void confirm_findings_skip(struct report *report, const char *why)
{
	struct confirmation *confirmations =
		mem_zalloc(report->result->findings.count + 1, sizeof *confirmations);

	skip_all(report->result, confirmations, why);
	report->confirmations = confirmations;
}

/*
 * Replays the predicted findings one after the other while there is time. Returns false if the user
 * interrupted it.
 */
static bool confirm_all(double deadline, struct confirmer *confirmer, struct predict_result *result,
			struct confirmation *confirmations)
{
	size_t confirmed = 0;
	bool going = true;

	for (size_t i = 0; i < result->findings.count; i++) {
		struct finding *finding = &result->findings.items[i];

		show_progress(i, result->findings.count, confirmed);
		if (finding->status != FINDING_PREDICTED)
			continue;
		if (!going)
			skip_finding(&confirmations[i], "interrupted");
		else if (seconds_now() > deadline)
			skip_finding(&confirmations[i],
				     "the time for replays (--confirm) was used up");
		else
			going = confirm_finding(confirmer, finding, &confirmations[i]);
		if (confirmations[i].verdict == CONFIRM_DONE) {
			finding->status = FINDING_CONFIRMED;
			confirmed++;
		} else if (confirmations[i].outside) {
			finding->status = FINDING_WARNING;
			finding->unrecorded = true;
		}
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	return going;
}

/*
 * Replays the leads in the time that the findings left. Appends those that are confirmed to the
 * findings; `confirmations` has room for them.
 */
static bool try_leads(double deadline, struct confirmer *confirmer, struct report *report,
		      struct confirmation *confirmations)
{
	struct predict_result *result = (struct predict_result *)report->result;
	bool going = true;
	size_t i;

	for (i = 0; i < result->leads.count && going && seconds_now() < deadline; i++) {
		struct confirmation *confirmation = &confirmations[result->findings.count];
		struct finding *lead = &result->leads.items[i];

		going = confirm_finding(confirmer, lead, confirmation);
		if (confirmation->verdict != CONFIRM_DONE) {
			confirmation_free(confirmation);
			*confirmation = (struct confirmation){ 0 };
			continue;
		}
		lead->status = FINDING_CONFIRMED;
		lead->count = 1;
		*vec_push(&result->findings) = *lead;
		*lead = (struct finding){ 0 };
	}
	report->leads_left = result->leads.count - i;
	return going;
}

bool confirm_findings_run(const struct confirm_findings *c, struct report *report)
{
	struct predict_result *result = (struct predict_result *)report->result;
	struct confirmation *confirmations =
		mem_zalloc(result->findings.count + result->leads.count + 1, sizeof *confirmations);
	struct confirm_options options = {
		.run = {
			.program = c->program,
			.directory = c->directory,
			.seconds = c->run_seconds,
			.quiet = true,
			.stop = confirm_findings_catch(),
		},
		.predict_seconds = c->seconds / 4,
		.deadline = seconds_now() + c->seconds,
		.events = result->stats.events,
		.files = c->files,
		.file_count = c->file_count,
	};
	struct err err = { 0 };
	struct confirmer *confirmer =
		confirm_open(&options, describe_trace(report->describe), &err);
	bool going = true;

	if (confirmer) {
		going = confirm_all(options.deadline, confirmer, result, confirmations) &&
			try_leads(options.deadline, confirmer, report, confirmations);
		confirm_close(confirmer);
	} else {
		skip_all(result, confirmations, err.text);
	}
	confirm_findings_release();
	report->confirmations = confirmations;
	return going;
}

void confirm_findings_free(struct report *report)
{
	struct confirmation *confirmations = (struct confirmation *)report->confirmations;

	for (size_t i = 0; confirmations && i < report->result->findings.count; i++)
		confirmation_free(&confirmations[i]);
	free(confirmations);
	report->confirmations = NULL;
}
