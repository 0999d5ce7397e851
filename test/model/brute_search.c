#include "brute_search.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>

#define MOST_STATES 3000000l

/* ---- blocked sets ------------------------------------------------------------------------- */

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void add_set(struct findings *findings, const struct stand *stands, unsigned threads,
		    unsigned why, long state)
{
	struct found new = { .why = why };
	int bit = __builtin_ctz(why);

	for (int t = 0; t < MAX_THREADS; t++) {
		if (threads >> t & 1)
			new.events[new.count++] = stands[t].event;
	}
	qsort(new.events, (size_t) new.count, sizeof new.events[0], compare_ints);
	for (int i = 0; i < findings->set_count; i++) {
		struct found *old = &findings->sets[i];

		if (old->count == new.count &&
		    !memcmp(old->events, new.events, (size_t) new.count * sizeof new.events[0])) {
			if (!(old->why & why))
				old->state[bit] = state;
			old->why |= why;
			return;
		}
	}
	if (findings->set_count == findings->set_room) {
		findings->set_room = findings->set_room ? findings->set_room * 2 : 16;
		findings->sets = realloc(findings->sets,
					 (size_t)findings->set_room * sizeof *findings->sets);
		if (!findings->sets)
			abort();
	}
	new.state[bit] = state;
	findings->sets[findings->set_count++] = new;
}

/*
 * Finds the simple cycles through `first` in which it is the smallest thread. Returns whether there
 * is any.
 */
static bool find_cycles(const struct stand *stands, int count, int first, int at, unsigned path,
			long state, struct findings *findings)
{
	bool any = false;

	path |= 1u << at;
	for (int t = first; t < count; t++) {
		if (stands[at].standing != BLOCKED || !(stands[at].owners >> t & 1))
			continue;
		if (t == first) {
			add_set(findings, stands, path, BY_CYCLE, state);
			any = true;
		} else if (!(path >> t & 1)) {
			any |= find_cycles(stands, count, first, t, path, state, findings);
		}
	}
	return any;
}

void search_blocked(const struct facts *f, const struct state *state, long number,
		    struct findings *findings)
{
	struct stand stands[MAX_THREADS];
	int count = f->text->thread_count;
	unsigned blocked = 0;
	bool goes_on = false, late = false, cycle = false;

	for (int t = 0; t < count; t++) {
		stands[t] = rules_stand(f, state, t);
		goes_on |= stands[t].standing == GOES_ON;
		if (stands[t].standing == BLOCKED) {
			blocked |= 1u << t;
			late |= stands[t].late;
		}
	}
	for (int t = 0; blocked && t < count; t++)
		cycle |= find_cycles(stands, count, t, t, 0, number, findings);
	if (blocked && !cycle && !goes_on)
		add_set(findings, stands, blocked, late ? BY_LATENESS : BY_NOBODY, number);
}

/* ---- all states --------------------------------------------------------------------------- */

/*
 * The states seen so far, with a hash table. In the order of their discovery they are also the work
 * list.
 */
struct seen {
	struct state *states;
	struct origin *origins;
	long count, room;
	long *table; /* index of a state + 1 */
	long mask;
};

static uint64_t hash_state(const struct state *state)
{
	const uint8_t *p = (const uint8_t *)state;
	uint64_t hash = 0xcbf29ce484222325u, word;

	static_assert(sizeof *state % 8 == 0, "a state is hashed in words");
	for (size_t i = 0; i < sizeof *state; i += 8) {
		memcpy(&word, p + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static void grow(struct seen *seen)
{
	seen->room = seen->room ? seen->room * 2 : 1024;
	seen->mask = seen->room * 2 - 1;
	seen->states = realloc(seen->states, (size_t)seen->room * sizeof *seen->states);
	seen->origins = realloc(seen->origins, (size_t)seen->room * sizeof *seen->origins);
	free(seen->table);
	seen->table = calloc((size_t)seen->mask + 1, sizeof *seen->table);
	if (!seen->states || !seen->origins || !seen->table)
		abort();
	for (long i = 0; i < seen->count; i++) {
		long at = (long)(hash_state(&seen->states[i]) & (uint64_t)seen->mask);

		while (seen->table[at])
			at = (at + 1) & seen->mask;
		seen->table[at] = i + 1;
	}
}

static void see(struct seen *seen, const struct state *state, struct origin origin)
{
	long at;

	if (seen->count == seen->room)
		grow(seen);
	at = (long)(hash_state(state) & (uint64_t)seen->mask);
	for (; seen->table[at]; at = (at + 1) & seen->mask) {
		if (!memcmp(&seen->states[seen->table[at] - 1], state, sizeof *state))
			return;
	}
	seen->table[at] = seen->count + 1;
	seen->origins[seen->count] = origin;
	seen->states[seen->count++] = *state;
}

void search_add(struct hunt *hunt, long state, const char *kind, const char *misuse,
		const int *events, int count)
{
	struct findings *findings = hunt->findings;
	struct claim *claim;

	for (int i = 0; i < findings->claim_count; i++) {
		claim = &findings->claims[i];
		if (!strcmp(claim->kind, kind) && !strcmp(claim->misuse, misuse) &&
		    claim->count == count &&
		    !memcmp(claim->events, events, (size_t)count * sizeof events[0]))
			return;
	}
	if (findings->claim_count == findings->claim_room) {
		findings->claim_room = findings->claim_room ? findings->claim_room * 2 : 16;
		findings->claims = realloc(findings->claims,
					   (size_t)findings->claim_room * sizeof *findings->claims);
		if (!findings->claims)
			abort();
	}
	claim = &findings->claims[findings->claim_count++];
	*claim = (struct claim){ .kind = kind, .misuse = misuse, .count = count };
	memcpy(claim->events, events, (size_t)count * sizeof events[0]);
	claim->step_count = state < 0 ? 0 : search_path(hunt->origins, state, claim->steps);
}

bool search_hunt(struct hunt *hunt, struct origin **origins)
{
	const struct facts *f = hunt->facts;
	struct seen seen = { 0 };
	struct state state, after[MAX_THREADS];
	bool enough = false, ok = true;

	rules_start(f, &state);
	see(&seen, &state, (struct origin){ -1, 0 });
	for (long i = 0; ok && !enough && i < seen.count; i++) {
		state = seen.states[i];
		hunt->origins = seen.origins;
		hunt->count = seen.count;
		enough = hunt->visit(hunt, &state, i);
		for (int t = 0; !enough && t < f->text->thread_count; t++) {
			int event = rules_next(f, &state, t), count;

			if (event < 0 || (hunt->may && !hunt->may(hunt, &state, event)))
				continue;
			count = rules_step(f, &state, event, after);
			for (int k = 0; k < count; k++)
				see(&seen, &after[k], (struct origin){ i, event });
		}
		ok = seen.count < MOST_STATES;
	}
	hunt->count = seen.count;
	free(seen.states);
	free(seen.table);
	if (origins)
		*origins = seen.origins;
	else
		free(seen.origins);
	return ok;
}

static bool visit(struct hunt *hunt, const struct state *state, long number)
{
	const struct facts *f = hunt->facts;
	int next[MAX_THREADS], threads = f->text->thread_count;

	for (int t = 0; t < threads; t++) {
		next[t] = rules_next(f, state, t);
		for (int u = 0; u < t && next[t] >= 0; u++) {
			if (next[u] >= 0 && rules_is_race(f, next[t], next[u])) {
				int low = next[t] < next[u] ? next[t] : next[u];
				long *race = &hunt->findings->race[low][next[t] + next[u] - low];

				*race = *race ? *race : number + 1;
			}
		}
	}
	search_blocked(f, state, number, hunt->findings);
	misuse_find(hunt, state, number);
	return false;
}

bool search_all(struct facts *f, struct findings *findings)
{
	struct hunt hunt = { .facts = f, .findings = findings, .visit = visit };
	bool ok;

	memset(findings, 0, sizeof *findings);
	ok = search_hunt(&hunt, &findings->origins);
	findings->states = hunt.count;
	misuse_find_recorded(&hunt);
	return ok && over_find(f, findings) && tear_find(f, findings);
}

int search_path(const struct origin *origins, long state, int *events)
{
	const struct origin *origin = &origins[state];
	int count;

	if (origin->state < 0)
		return 0;
	count = search_path(origins, origin->state, events);
	events[count] = origin->event;
	return count + 1;
}

void search_free(struct findings *findings)
{
	free(findings->sets);
	free(findings->origins);
	free(findings->claims);
	findings->sets = NULL;
	findings->origins = NULL;
	findings->claims = NULL;
}
