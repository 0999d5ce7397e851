/*
 * The checker's rules for condition variables: cases by hand, and random traces and schedules
 * compared with a search through all assignments of signals to waits.
 */
#include "check_play.h"

static void by_hand(void **state)
{
	const char *text =
		"A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\nA|woken(c,m)|\n"
		"A|rel(m)|\n";

	(void)state;
	can(text, "A1 B2 A3");
	can(text, "A1 B1");
	cannot(text, "A1 B1 A2", "wakes up with lock m, which B has held since its event 0");
	cannot(text, "B2 A2", "A event 2: is woken on condition c, but no signal is left for it");
	cannot(text, "A0 B0", "acquires lock m, which A has held since its event 0");
	can(text, "A1 B0"); /* the wait released m */
	/* a wait releases a recursive mutex completely, and gets it back with its depth */
	text = "A|acq(m)|\nA|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|rel(m)|\nB|notify(c)|\nA|woken(c,"
	       "m)|\n"
	       "A|rel(m)|\nA|rel(m)|\nB|acq(m)|\n";
	can(text, "A2 B2 A5 B3");
	cannot(text, "A2 B2 A4 B3", "acquires lock m, which A has held since its event 3");
	/* a signal wakes one, a broadcast all */
	text = "A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|wait(c,m)|\nC|notify(c)|\nA|woken(c,m)|\nA|"
	       "rel(m)|\n"
	       "C|notify(c)|\nB|woken(c,m)|\nB|rel(m)|\nC|notifyall(c)|\n";
	can(text, "A1 B1 C0 B3");
	cannot(text, "A1 B1 C0 B3 A2", "no signal is left for it");
	can(text, "A1 B1 C1 B3 A2");
	/* the second signal found no waiting thread */
	cannot(text, "A1 C1 B1 A3 B2", "no signal is left for it");
	/* a time-out takes no signal */
	text = "A|acq(m)|\nA|wait(c,m)=timed|\nA|woken(c,m)=timeout|\nA|rel(m)|\nB|acq(m)|\n"
	       "B|wait(c,m)|\nC|notify(c)|\nB|woken(c,m)|\n";
	can(text, "A3 B1 C0 B2");
	can(text, "A1 B1 C0 A3 B2");
	cannot(text, "A1 C0 B1 A3 B2", "no signal is left for it");
}

/* ---- all assignments ---------------------------------------------------------------------- */

#define THREADS 5
#define MOST 17

enum deed { ACQUIRE, WAIT, WOKEN, TIMED_OUT, RELEASE, SIGNAL, BROADCAST };

struct program {
	enum deed deeds[THREADS][MOST];
	bool timed[THREADS][MOST];
	unsigned count[THREADS];
};

/*
 * A schedule to examine. `unwoken`: threads that must still be waiting at its end. (In possible(),
 * `open` and `woken` are sets of threads: waiting, and woken but not continued.)
 */
struct moment {
	const struct program *program;
	const unsigned *schedule; /* thread numbers */
	unsigned count, unwoken;
};

static bool possible(const struct moment *m, unsigned i, const unsigned *at, unsigned open,
		     unsigned woken)
{
	unsigned next[THREADS], t;
	enum deed deed;

	if (i == m->count)
		return (open & m->unwoken) == m->unwoken;
	memcpy(next, at, sizeof next);
	t = m->schedule[i];
	deed = m->program->deeds[t][next[t]++];
	if (deed == WAIT && m->program->deeds[t][next[t]] != TIMED_OUT)
		return possible(m, i + 1, next, open | 1u << t, woken);
	if (deed == BROADCAST)
		return possible(m, i + 1, next, 0, woken | open);
	if (deed == WOKEN)
		return (woken >> t & 1) && possible(m, i + 1, next, open, woken & ~(1u << t));
	if (deed != SIGNAL || !open)
		return possible(m, i + 1, next, open, woken);
	for (unsigned who = 0; who < THREADS; who++) {
		if ((open >> who & 1) &&
		    possible(m, i + 1, next, open & ~(1u << who), woken | 1u << who))
			return true;
	}
	return false;
}

static bool can_be(const struct program *program, const unsigned *schedule, unsigned count,
		   unsigned unwoken)
{
	const struct moment m = { program, schedule, count, unwoken };

	return possible(&m, 0, (unsigned[THREADS]){ 0 }, 0, 0);
}

static void add(struct program *program, unsigned t, enum deed deed, bool timed)
{
	program->timed[t][program->count[t]] = timed;
	program->deeds[t][program->count[t]++] = deed;
}

static void make_program(struct program *program, struct make_random *random)
{
	*program = (struct program){ 0 };
	for (unsigned t = 0; t < THREADS; t++) {
		unsigned deeds = 1 + (unsigned)make_below(random, t < 3 ? 2 : 4);

		for (unsigned i = 0; i < deeds; i++) {
			bool timed = !make_below(random, 4);

			if (t >= 3) {
				add(program, t, make_below(random, 6) ? SIGNAL : BROADCAST, false);
				continue;
			}
			add(program, t, ACQUIRE, false);
			add(program, t, WAIT, timed);
			add(program, t, timed && make_below(random, 2) ? TIMED_OUT : WOKEN, false);
			add(program, t, RELEASE, false);
		}
	}
}

/*
 * Makes a random schedule of the threads' deeds. The first `given` deeds are fixed. Stops when no
 * further deed is possible. Returns the number of deeds.
 */
static unsigned make_schedule(const struct program *program, struct make_random *random,
			      unsigned *schedule, unsigned given, bool valid)
{
	unsigned at[THREADS] = { 0 }, count = given;

	for (unsigned i = 0; i < given; i++)
		at[schedule[i]]++;
	for (unsigned misses = 0; misses < 50;) {
		unsigned t = (unsigned)make_below(random, THREADS);

		schedule[count] = t;
		if (at[t] == program->count[t] ||
		    (valid && !can_be(program, schedule, count + 1, 0))) {
			misses++;
			continue;
		}
		at[t]++;
		count++;
		misses = 0;
	}
	return count;
}

/*
 * Prints the trace. Each waiting thread has a mutex of its own, because only signals are tested
 * here.
 */
static void print_schedule(const struct program *program, const unsigned *schedule, unsigned count,
			   char *text, size_t room)
{
	static const char *const words[] = {
		[ACQUIRE] = "acq(%c)",	      [WAIT] = "wait(x,%c)",
		[WOKEN] = "woken(x,%c)",      [TIMED_OUT] = "woken(x,%c)=timeout",
		[RELEASE] = "rel(%c)",	      [SIGNAL] = "notify(x)",
		[BROADCAST] = "notifyall(x)",
	};
	unsigned at[THREADS] = { 0 };
	size_t used = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned t = schedule[i], k = at[t]++;
		char word[32];

		snprintf(word, sizeof word, words[program->deeds[t][k]], 'm' + (int)t);
		used += (size_t)snprintf(text + used, room - used, "%c|%s%s|\n", 'A' + (int)t, word,
					 program->timed[t][k] ? "=timed" : "");
	}
}

/*
 * Lists the threads that are in an untimed WAIT. Returns false if some other thread could continue,
 * or if no thread waits.
 */
static bool find_waiting(const struct program *program, const unsigned *schedule, unsigned count,
			 unsigned *waiting, char *events)
{
	unsigned at[THREADS] = { 0 };

	for (unsigned i = 0; i < count; i++)
		at[schedule[i]]++;
	*waiting = 0;
	for (unsigned t = 0; t < THREADS; t++) {
		/* the thread has no more deeds: it is in its last WAIT, or has ended */
		bool hangs = at[t] == program->count[t];

		if (hangs && (!at[t] || program->deeds[t][at[t] - 1] != WAIT))
			continue;
		if ((!hangs && program->deeds[t][at[t]] != WOKEN) || program->timed[t][at[t] - 1])
			return false;
		*waiting |= 1u << t;
		events += sprintf(events, "%c%u ", 'A' + (int)t, at[t] - hangs);
	}
	return *waiting;
}

static void print_steps(const unsigned *schedule, unsigned given, unsigned count, char *steps)
{
	unsigned at[THREADS] = { 0 };

	*steps = 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned t = schedule[i], k = at[t]++;

		if (i >= given)
			steps += sprintf(steps, "%c%u ", 'A' + (int)t, k);
	}
}

/* Keeps only the deeds that are in the base run, which may end with blocked threads. */
static void shorten(struct program *program, const unsigned *schedule, unsigned count)
{
	memset(program->count, 0, sizeof program->count);
	for (unsigned i = 0; i < count; i++)
		program->count[schedule[i]]++;
	for (unsigned t = 0; t < THREADS; t++)
		program->deeds[t][program->count[t]] = RELEASE;
}

/*
 * Compares the checker's answers with the search, on a random schedule that follows the base run up
 * to the window.
 */
static void compare(struct play *p, const struct program *program, struct make_random *random,
		    const unsigned *base, unsigned given, unsigned answers[4])
{
	unsigned schedule[THREADS * MOST], waiting, count;
	char steps[THREADS * MOST * 6], events[THREADS * 6] = "";
	bool want;
	struct err err;

	memcpy(schedule, base, given * sizeof *schedule);
	count = make_schedule(program, random, schedule, given, make_below(random, 3));
	count -= (unsigned)make_below(random, 2) * (unsigned)make_below(random, count - given + 1);
	print_steps(schedule, given, count, steps);
	want = can_be(program, schedule, count, 0);
	answers[want]++;
	if (play_judge(p, CHECKER_PREFIX, "", steps, &err) != want)
		fail_msg("%s: %s", steps, want ? err.text : "accepted");
	if (!want || !find_waiting(program, schedule, count, &waiting, events))
		return;
	want = can_be(program, schedule, count, waiting);
	answers[2 + want]++;
	if (play_judge(p, CHECKER_STUCK, events, steps, &err) != want)
		fail_msg("%safter %s: %s", events, steps, want ? err.text : "accepted");
}

static void against_all(void **state)
{
	struct make_random random = { 20240501 };
	unsigned answers[4] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		unsigned schedule[THREADS * MOST], count, given;
		char text[4096] = "";
		struct program program;
		struct play p;

		make_program(&program, &random);
		count = make_schedule(&program, &random, schedule, 0, true);
		shorten(&program, schedule, count);
		print_schedule(&program, schedule, count, text, sizeof text);
		play_open(&p, text, false);
		given = (unsigned)(make_below(&random, 2) * make_below(&random, count + 1));
		play_enter(&p, given, p.runs.count);
		for (unsigned k = 0; k < 30; k++)
			compare(&p, &program, &random, schedule, given, answers);
		play_close(&p);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_true(answers[i] > 100); /* each answer occurred often enough */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(against_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
