/*
 * brute TRACE...
 * brute check <CASES
 *
 * The correct results for the tests: searches all feasible prefixes of small text traces, straight
 * from doc/prediction.md and without a line of src/.
 *
 * The first form prints a line of JSON for each trace. It lists all races, all deadlocks by a
 * cycle, and all sets of events at which no thread can continue, as events (thread, index) and as
 * line numbers, with a shortest schedule that leads there. "claims" lists uses after the end of a
 * lifetime, misuse and atomicity violations, whose events have an order ("optional": need not be
 * found). A trace that cannot be judged has "error" instead.
 *
 * The second form reads cases, one per line, words separated by tabs:
 *
 *	TRACE  CLAIM  EVENTS  STEPS
 *
 * CLAIM is race, cycle, stuck, lost, prefix, use-after-free, atomicity or misuse:SORT. EVENTS and
 * STEPS are lists like 0.3,1.7 (thread and index; `-` for none). A step means that the thread runs
 * up to and including this event. For each case it prints `yes`, or `no` and the reason: can the
 * steps happen, and does the claim hold after them?
 */
#include "brute_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct text text;
static struct facts facts;
static struct findings findings;

/* ---- truth -------------------------------------------------------------------------------- */

static void print_events(const char *key, const int *events, int count, bool lines)
{
	printf("\"%s\":[", key);
	for (int i = 0; i < count; i++) {
		const struct event *e = &text.events[events[i]];

		if (lines)
			printf("%s%d", i ? "," : "", e->line);
		else
			printf("%s[%d,%d]", i ? "," : "", e->stream, e->number_in_stream);
	}
	printf("]");
}

static void print_set(const int *events, int count, long state, bool first)
{
	int path[MAX_EVENTS];

	printf("%s{", first ? "" : ",");
	print_events("events", events, count, false);
	printf(",");
	print_events("lines", events, count, true);
	printf(",");
	print_events("steps", path, search_path(findings.origins, state, path), false);
}

/* Returns which example state to print: that of a lost signal if there is one. */
static int first_bit(unsigned why)
{
	return why & BY_LATENESS ? 2 : why & BY_NOBODY ? 1 : 0;
}

static void print_sets(const char *key, unsigned why)
{
	bool first = true;

	printf(",\"%s\":[", key);
	for (int i = 0; i < findings.set_count; i++) {
		const struct found *set = &findings.sets[i];

		if (!(set->why & why))
			continue;
		print_set(set->events, set->count, set->state[first_bit(set->why & why)], first);
		if (why != BY_CYCLE)
			printf(",\"kinds\":[%s%s%s]", set->why & BY_NOBODY ? "\"deadlock\"" : "",
			       (set->why & why) == why ? "," : "",
			       set->why & BY_LATENESS ? "\"lost-signal\"" : "");
		printf("}");
		first = false;
	}
	printf("]");
}

/*
 * Is the claim about an arrival at a second meeting of a barrier? Such an arrival is next only by
 * the letter of the rules, because no thread arrives there before the first meeting.
 */
static bool is_optional(const struct claim *claim)
{
	int last = claim->events[claim->count - 1];
	const struct meeting *own = &facts.meetings[facts.meeting[last]];

	if (text.events[last].kind != ARRIVE)
		return false;
	for (const struct meeting *m = facts.meetings; m < own; m++) {
		if (m->object == own->object)
			return true;
	}
	return false;
}

static void print_claims(void)
{
	printf(",\"claims\":[");
	for (int i = 0; i < findings.claim_count; i++) {
		const struct claim *claim = &findings.claims[i];

		printf("%s{\"kind\":\"%s\",\"misuse\":\"%s\",", i ? "," : "", claim->kind,
		       claim->misuse);
		print_events("events", claim->events, claim->count, false);
		printf(",");
		print_events("lines", claim->events, claim->count, true);
		printf(",");
		print_events("steps", claim->steps, claim->step_count, false);
		printf(",\"optional\":%s}", is_optional(claim) ? "true" : "false");
	}
	printf("]");
}

static void print_truth(const char *path)
{
	bool first = true;

	printf("{\"trace\":\"%s\"", path);
	if (!text_read(path, &text) || !facts_make(&facts, &text)) {
		printf(",\"error\":\"%s%s\"}\n", text.error, text.error[0] ? "" : facts.error);
		return;
	}
	if (!search_all(&facts, &findings)) {
		printf(",\"error\":\"too many states\"}\n");
		search_free(&findings);
		return;
	}
	printf(",\"events\":%d,\"states\":%ld,\"unexplained\":%d,\"races\":[", text.event_count,
	       findings.states, facts.unexplained);
	for (int i = 0; i < text.event_count; i++) {
		for (int j = i + 1; j < text.event_count; j++) {
			if (!findings.race[i][j])
				continue;
			print_set((int[]){ i, j }, 2, findings.race[i][j] - 1, first);
			printf("}");
			first = false;
		}
	}
	printf("]");
	print_sets("deadlocks", BY_CYCLE);
	print_sets("stuck", BY_NOBODY | BY_LATENESS);
	print_claims();
	printf("}\n");
	search_free(&findings);
}

/* ---- cases -------------------------------------------------------------------------------- */

/* The states that a schedule can lead to: several if a signal could wake different threads. */
struct states {
	struct state *items;
	int count;
};

/* What a case is about, if that restricts the schedule. */
static struct {
	int end;     /* end of a lifetime whose uses come after it; -1: none */
	int tear[4]; /* events l1, r1, r2 and l2 of an atomicity violation; -1: none */
} about;

static bool may(const struct state *state, int event)
{
	if (about.end >= 0 && !over_may(&facts, state, about.end, event))
		return false;
	return event != about.tear[1] || rules_has_happened(&facts, state, about.tear[0]);
}

static bool advance(struct states *now, int event)
{
	struct states after = { calloc((size_t)now->count, sizeof(struct state) * MAX_THREADS), 0 };

	if (!after.items)
		abort();
	for (int i = 0; i < now->count; i++) {
		if (rules_next(&facts, &now->items[i], text.events[event].thread) == event &&
		    may(&now->items[i], event))
			after.count += rules_step(&facts, &now->items[i], event,
						  after.items + after.count);
	}
	free(now->items);
	*now = after;
	return after.count > 0;
}

/*
 * Reads the next "thread.index" of a list. Returns the number of the event; -1: no such event, -2:
 * end of the list.
 */
static int take_event(char **list)
{
	char *end;
	long stream, number;

	if (!**list || **list == '-')
		return -2;
	stream = strtol(*list, &end, 10);
	if (*end != '.')
		return -1;
	number = strtol(end + 1, &end, 10);
	*list = *end == ',' ? end + 1 : end;
	if (stream < 0 || stream >= text.thread_count || number < 0 ||
	    number >= text.stream_length[stream])
		return -1;
	return text.of_stream[stream][number];
}

static bool follow(struct states *now, char *steps, char *why)
{
	for (int number = 1;; number++) {
		int event = take_event(&steps), thread, at;

		if (event == -2)
			return true;
		if (event < 0)
			return sprintf(why, "step %d: no such event", number), false;
		thread = text.events[event].thread;
		at = now->items[0].at[thread];
		if (text.events[event].index < at)
			return sprintf(why, "step %d: has happened before", number), false;
		for (; at <= text.events[event].index; at++) {
			if (!advance(now, text.of[thread][at]))
				return sprintf(why, "step %d: line %d cannot happen", number,
					       text.events[text.of[thread][at]].line),
				       false;
		}
	}
}

static bool is_set(const struct found *set, const int *events, int count, unsigned why)
{
	return set->why & why && set->count == count &&
	       !memcmp(set->events, events, (size_t)count * sizeof events[0]);
}

static bool is_over(const struct state *state, const char *claim, const int *events, int count)
{
	const char *misuse,
		*kind = count == 2 ? over_kind(&facts, events[0], events[1], &misuse) : NULL;

	if (!kind || !over_holds(&facts, state, events[0], events[1]))
		return false;
	return *misuse ? !strncmp(claim, "misuse:", 7) && !strcmp(claim + 7, misuse)
		       : !strcmp(claim, kind);
}

static bool claims(const struct state *state, const char *claim, const int *events, int count)
{
	unsigned why = !strcmp(claim, "cycle")	 ? BY_CYCLE
		       : !strcmp(claim, "stuck") ? BY_NOBODY | BY_LATENESS
						 : BY_LATENESS;
	bool ok = false;

	if (!strcmp(claim, "prefix"))
		return true;
	if (!strcmp(claim, "atomicity"))
		return about.tear[0] >= 0 && (count == 3 || events[1] != events[2]) &&
		       tear_counts(&facts, about.tear) && tear_holds(&facts, state, about.tear);
	if (about.end >= 0)
		return is_over(state, claim, events, count);
	if (!strncmp(claim, "misuse:", 7))
		return misuse_holds(&facts, state, claim + 7, events, count);
	if (!strcmp(claim, "race"))
		return count == 2 && rules_is_race(&facts, events[0], events[1]) &&
		       rules_next(&facts, state, text.events[events[0]].thread) == events[0] &&
		       rules_next(&facts, state, text.events[events[1]].thread) == events[1];
	memset(&findings, 0, sizeof findings);
	search_blocked(&facts, state, 0, &findings);
	for (int i = 0; i < findings.set_count; i++)
		ok |= is_set(&findings.sets[i], events, count, why);
	search_free(&findings);
	return ok;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Sets `about` for a claim. Returns true if the events of the claim have an order. */
static bool set_about(const char *claim, const int *e, int count)
{
	about.end = facts.early = facts.rumour = -1;
	for (int i = 0; i < 4; i++)
		about.tear[i] = -1;
	if (!strcmp(claim, "atomicity") && (count == 3 || count == 4)) {
		const int tear[4] = { e[0], e[1], e[count - 2], e[count - 1] };

		memcpy(about.tear, tear, sizeof tear);
		facts.rumour = tear[2];
	}
	if (count == 2 && (!strcmp(claim, "use-after-free") || !strcmp(claim, "misuse:destroyed") ||
			   !strcmp(claim, "misuse:closed")))
		about.end = facts.early = e[0];
	return !strcmp(claim, "atomicity") || !strcmp(claim, "use-after-free") ||
	       !strncmp(claim, "misuse:", 7);
}

static bool judge(const char *claim, char *event_list, char *steps, char *why)
{
	struct states now = { calloc(1, sizeof(struct state)), 1 };
	int events[MAX_THREADS], count = 0, event;
	bool ok = false;

	if (!now.items)
		abort();
	strcpy(why, "the claim does not hold");
	rules_start(&facts, now.items);
	while ((event = take_event(&event_list)) >= 0 && count < MAX_THREADS)
		events[count++] = event;
	if (!set_about(claim, events, count))
		qsort(events, (size_t)count, sizeof events[0], compare_ints);
	if (event == -1)
		strcpy(why, "no such event");
	else if (follow(&now, steps, why)) {
		for (int i = 0; i < now.count; i++)
			ok |= claims(&now.items[i], claim, events, count);
	}
	free(now.items);
	return ok;
}

static int check_cases(void)
{
	char *line = NULL, last[4096] = "", why[200];
	size_t room = 0;
	bool readable = false;

	while (getline(&line, &room, stdin) > 0) {
		char *rest = line, *words[4];

		line[strcspn(line, "\n")] = 0;
		for (int i = 0; i < 4; i++) {
			words[i] = strsep(&rest, "\t");
			if (!words[i])
				return fprintf(stderr, "brute: a case has four words\n"), 2;
		}
		if (strcmp(last, words[0])) {
			readable = text_read(words[0], &text) && facts_make(&facts, &text);
			snprintf(last, sizeof last, "%s", words[0]);
		}
		if (!readable)
			printf("no: the trace cannot be read\n");
		else if (judge(words[1], words[2], words[3], why))
			printf("yes\n");
		else
			printf("no: %s\n", why);
	}
	free(line);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check_cases();
	for (int i = 1; i < argc; i++)
		print_truth(argv[i]);
	return argc < 2 ? 2 : 0;
}
