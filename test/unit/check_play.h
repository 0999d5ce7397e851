/*
 * Helpers for the tests of src/check: traces as text, and witnesses as lists of events. Threads are
 * single letters; "A2 B0" are A's event 2 and B's event 0. The base run is the order of the lines.
 */
#ifndef TEST_CHECK_PLAY_H
#define TEST_CHECK_PLAY_H

#include "trace_make.h"

#include "base/vec.h"
#include "check/checker.h"
#include "trace/import.h"
#include "trace/order.h"

struct play {
	struct make_dir dir;
	/* `text` has the names and the order; the checker reads `trace` */
	struct trace *text, *trace;
	VEC(struct checker_slice) runs;
	struct checker *checker;
	size_t from;		  /* number of thread runs before the window */
	enum event_misuse misuse; /* for claims of misuse */
};

/* Makes a recording with the same events. Values are known only if an event in the text has one. */
static inline void play_make_recording(struct play *p, const char *path)
{
	struct import_image image;
	struct err err;

	if (!import_text(path, &image, &err))
		fail_msg("%s", err.text);
	make_file(&p->dir, "events.0", image.events, image.events_bytes);
	import_free(&image);
	p->trace = make_open(&p->dir);
}

static inline void play_open(struct play *p, const char *text, bool recording)
{
	char path[128];
	struct trace_order *order;
	struct trace_event event;
	struct err err;

	*p = (struct play){ .dir = make_dir() };
	snprintf(path, sizeof path, "%s/text.std", p->dir.path);
	make_file(&p->dir, "text.std", text, strlen(text));
	if (!trace_open(path, &p->text, &err))
		fail_msg("%s", err.text);
	if (recording)
		play_make_recording(p, path);
	else
		p->trace = p->text;
	order = trace_order_open(p->text);
	while (trace_order_next(order, &event)) {
		if (event.index != TRACE_NO_INDEX)
			*vec_push(&p->runs) =
				(struct checker_slice){ event.stream, event.index + 1 };
	}
	trace_order_close(order);
	p->checker = checker_open(p->trace);
}

static inline void play_close(struct play *p)
{
	checker_close(p->checker);
	if (p->trace != p->text)
		trace_close(p->trace);
	trace_close(p->text);
	vec_free(&p->runs);
	make_remove(&p->dir);
}

/* Enters the window of the events from `from` up to, but not including, `to`, in base order. */
static inline void play_enter(struct play *p, size_t from, size_t to)
{
	struct err err;

	if (!checker_enter(p->checker, &p->runs.items[p->from], from - p->from,
			   &p->runs.items[from], to - from, &err))
		fail_msg("%s", err.text);
	p->from = from;
}

/* Converts a list such as "A2 B0" to events. Returns their number. */
static inline size_t play_events(const struct play *p, const char *words, struct event_id *events)
{
	size_t count = 0;

	for (; *words; words++) {
		struct event_id *event = &events[count];
		uint32_t number = 0;
		char *end;

		if (*words == ' ')
			continue;
		for (;; number++) {
			const char *name = trace_thread_name(p->text, number);

			if (!name)
				fail_msg("there is no thread %c", *words);
			if (name[0] == *words && !name[1])
				break;
		}
		*event = (struct event_id){ number, strtoull(words + 1, &end, 10) };
		words = end - 1;
		count++;
	}
	return count;
}

static inline bool play_judge(struct play *p, enum checker_claim claim, const char *event_words,
			      const char *step_words, struct err *err)
{
	struct event_id events[64], steps[64];
	struct checker_witness witness = {
		.claim = claim, .events = events, .steps = steps, .misuse = p->misuse
	};

	witness.event_count = play_events(p, event_words, events);
	witness.step_count = play_events(p, step_words, steps);
	return checker_accepts(p->checker, &witness, err);
}

static inline void play_accept(struct play *p, enum checker_claim claim, const char *events,
			       const char *steps)
{
	struct err err;

	if (!play_judge(p, claim, events, steps, &err))
		fail_msg("refused \"%s\" after \"%s\": %s", events, steps, err.text);
}

static inline void play_refuse(struct play *p, enum checker_claim claim, const char *events,
			       const char *steps, const char *message)
{
	struct err err;

	if (play_judge(p, claim, events, steps, &err))
		fail_msg("accepted \"%s\" after \"%s\"", events, steps);
	if (!strstr(err.text, message))
		fail_msg("expected \"%s\" for \"%s\" after \"%s\": %s", message, events, steps,
			 err.text);
}

/* Opens one window over the whole trace and expects that the witness is accepted. */
static inline void accepts(const char *text, enum checker_claim claim, const char *events,
			   const char *steps)
{
	struct play p;

	play_open(&p, text, false);
	play_enter(&p, 0, p.runs.count);
	play_accept(&p, claim, events, steps);
	play_close(&p);
}

static inline void refuses(const char *text, enum checker_claim claim, const char *events,
			   const char *steps, const char *message)
{
	struct play p;

	play_open(&p, text, false);
	play_enter(&p, 0, p.runs.count);
	play_refuse(&p, claim, events, steps, message);
	play_close(&p);
}

/* The same for claims of misuse. */
static inline void accepts_misuse(const char *text, enum event_misuse misuse, const char *events,
				  const char *steps)
{
	struct play p;

	play_open(&p, text, false);
	p.misuse = misuse;
	play_enter(&p, 0, p.runs.count);
	play_accept(&p, CHECKER_MISUSE, events, steps);
	play_close(&p);
}

static inline void refuses_misuse(const char *text, enum event_misuse misuse, const char *events,
				  const char *steps, const char *message)
{
	struct play p;

	play_open(&p, text, false);
	p.misuse = misuse;
	play_enter(&p, 0, p.runs.count);
	play_refuse(&p, CHECKER_MISUSE, events, steps, message);
	play_close(&p);
}

/* The same for a recording. */
static inline void accepts_recorded(const char *text, enum checker_claim claim, const char *events,
				    const char *steps)
{
	struct play p;

	play_open(&p, text, true);
	play_enter(&p, 0, p.runs.count);
	play_accept(&p, claim, events, steps);
	play_close(&p);
}

static inline void refuses_recorded(const char *text, enum checker_claim claim, const char *events,
				    const char *steps, const char *message)
{
	struct play p;

	play_open(&p, text, true);
	play_enter(&p, 0, p.runs.count);
	play_refuse(&p, claim, events, steps, message);
	play_close(&p);
}

/* For tests of the rules: a schedule without a claim. */
static inline void can(const char *text, const char *steps)
{
	accepts(text, CHECKER_PREFIX, "", steps);
}

static inline void cannot(const char *text, const char *steps, const char *message)
{
	refuses(text, CHECKER_PREFIX, "", steps, message);
}

#endif
