/*
 * The planner: a depth-first search over the order of writes. A state consists of the number of
 * steps that each owner has done and the contents of the spots. The hashes of visited states are
 * stored, so that no state is visited twice.
 */
#include "order/base_run/base_run_plan_state.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

#define STATES_MAX 50000 /* the search gives up after this number of states */
#define BEST_STEP 32

static uint64_t spot_key(uint32_t spot, uint32_t number, uint64_t value)
{
	return hash_mix(hash_mix(hash_mix(0, spot), number), value);
}

/* ---- input ----------------------------------------------------------------------------------- */

void base_run_planner_clear(struct base_run_planner *p)
{
	p->count = 0;
	p->accesses.count = p->spots.count = 0;
	map_free(&p->spot_index);
	map_free(&p->writers);
	map_free(&p->seen);
}

bool base_run_planner_add_stream(struct base_run_planner *p, uint32_t owner)
{
	if (p->count == PLAN_STREAMS_MAX)
		return false;
	p->streams[p->count].number = owner;
	p->streams[p->count].count = p->streams[p->count].done = 0;
	p->streams[p->count].more = false;
	p->count++;
	return true;
}

static uint32_t find_spot(struct base_run_planner *p, const struct base_run_memory *memory,
			  const struct spot_access *t)
{
	bool fresh;
	uint64_t *number = map_put(&p->spot_index, t->spot, &fresh);

	if (fresh) {
		*vec_push(&p->spots) =
			(struct plan_spot){ .value = memory->spots.items[t->spot].value,
					    .known = memory->spots.items[t->spot].known,
					    .mask = t->mask,
					    .uniform = true };
		*number = p->spots.count;
	}
	p->spots.items[*number - 1].uniform &= p->spots.items[*number - 1].mask == t->mask;
	return (uint32_t)*number - 1;
}

bool base_run_planner_add_step(struct base_run_planner *p, const struct plan_step *step,
			       const struct base_run_memory *memory, const uint32_t *accesses,
			       size_t count)
{
	struct plan_stream *stream = &p->streams[p->count - 1];

	if (stream->count == PLAN_STEPS_MAX)
		return false;
	stream->steps[stream->count] = *step;
	stream->steps[stream->count].first = (uint32_t)p->accesses.count;
	stream->steps[stream->count++].count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		const struct spot_access *t = &memory->accesses.items[accesses[i]];

		*vec_push(&p->accesses) = (struct plan_access){ .spot = find_spot(p, memory, t),
								.value = t->value,
								.bits = spot_bits(t->mask),
								.mask = t->mask,
								.write = t->write,
								.known = t->known };
	}
	return true;
}

struct plan_step *base_run_planner_steps(struct base_run_planner *p, uint32_t *count)
{
	*count = p->streams[p->count - 1].count;
	return p->streams[p->count - 1].steps;
}

void base_run_planner_cut_stream(struct base_run_planner *p)
{
	p->streams[p->count - 1].more = true;
}

/* ---- preparation ----------------------------------------------------------------------------- */

/* Marks the reads that need another owner's write. Stores the last step that writes each value. */
static void find_foreign_reads(struct base_run_planner *p, uint32_t i)
{
	struct plan_stream *stream = &p->streams[i];

	for (size_t k = 0; k < p->spots.count; k++)
		p->spots.items[k].own_mask = p->spots.items[k].own_step = 0;
	for (uint32_t k = 0; k < stream->count; k++) {
		stream->foreign[k] = SPOT_NONE;
		for (uint32_t n = 0; n < stream->steps[k].count; n++) {
			struct plan_access *t = &p->accesses.items[stream->steps[k].first + n];
			struct plan_spot *s = &p->spots.items[t->spot];

			if (t->write) {
				s->own = t->value;
				s->own_mask = t->known ? t->mask : 0;
				s->own_step = k + 1;
				if (t->known)
					*map_put(&p->writers, spot_key(t->spot, i, t->value),
						 NULL) = k + 1;
			} else if (t->known && (s->own_mask != t->mask || s->own != t->value)) {
				t->foreign = true;
				t->own_write = s->own_step;
				stream->foreign[k] = k;
			}
		}
	}
	for (uint32_t k = stream->count; k > 1; k--) {
		if (stream->foreign[k - 2] == SPOT_NONE)
			stream->foreign[k - 2] = stream->foreign[k - 1];
	}
}

static void prepare_search(struct base_run_planner *p)
{
	p->horizon = UINT64_MAX;
	p->hash = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		struct plan_stream *stream = &p->streams[i];

		find_foreign_reads(p, i);
		if (stream->more && stream->count &&
		    stream->steps[stream->count - 1].time < p->horizon)
			p->horizon = stream->steps[stream->count - 1].time;
	}
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool is_later(uint64_t time, uint64_t until)
{
	return time > until && time - until > SPOT_SLACK;
}

/* By time and sync order, can the next step come before all remaining steps of other owners? */
static bool may_go_next(const struct base_run_planner *p, const struct plan_stream *stream)
{
	const struct plan_step *s = &stream->steps[stream->done];

	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_stream *other = &p->streams[i];

		if (other != stream && other->done < other->count &&
		    (is_later(s->time, other->steps[other->done].until) ||
		     s->after_sync > other->steps[other->done].before_sync))
			return false;
	}
	return true;
}

enum fit { FITS, FITS_UNKNOWN, FITS_NOT };

/* Do the reads of the owner's next step find their values? Unknown bytes may have any value. */
static enum fit next_step_fits(const struct base_run_planner *p, const struct plan_stream *stream,
			       bool *writes)
{
	const struct plan_step *s = &stream->steps[stream->done];
	enum fit fit = FITS;

	*writes = false;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct plan_access *t = &p->accesses.items[s->first + i];
		const struct plan_spot *spot = &p->spots.items[t->spot];

		*writes |= t->write;
		if (t->write || !t->known)
			continue;
		if ((t->value ^ spot->value) & spot_bits(t->mask & spot->known))
			return FITS_NOT;
		if (t->mask & ~spot->known)
			fit = FITS_UNKNOWN;
	}
	return fit;
}

static void do_step(struct base_run_planner *p, uint32_t i)
{
	struct plan_stream *stream = &p->streams[i];
	const struct plan_step *s = &stream->steps[stream->done++];

	*vec_push(&p->path) = i;
	for (uint32_t k = 0; k < s->count; k++) {
		const struct plan_access *t = &p->accesses.items[s->first + k];
		struct plan_spot *spot = &p->spots.items[t->spot];

		if (!t->known && !t->write)
			continue;
		*vec_push(&p->changes) = (struct plan_change){ t->spot, spot->known, spot->value };
		p->hash ^= spot_key(t->spot, spot->known, spot->value);
		spot->value = (spot->value & ~t->bits) | t->value;
		spot->known = t->known ? spot->known | t->mask : spot->known & (uint8_t)~t->mask;
		p->hash ^= spot_key(t->spot, spot->known, spot->value);
	}
}

/* Does all next steps that only read and find their values. */
static void do_fitting_reads(struct base_run_planner *p)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t i = 0; i < p->count; i++) {
			struct plan_stream *stream = &p->streams[i];
			bool writes;

			while (stream->done < stream->count &&
			       next_step_fits(p, stream, &writes) == FITS && !writes &&
			       may_go_next(p, stream)) {
				do_step(p, i);
				moved = true;
			}
		}
	}
}

/* Can the current contents or a later write explain the owner's next foreign read? */
static bool can_be_explained(const struct base_run_planner *p, uint32_t i)
{
	const struct plan_stream *stream = &p->streams[i];
	uint32_t read = stream->done < stream->count ? stream->foreign[stream->done] : SPOT_NONE;
	const struct plan_step *s = &stream->steps[read == SPOT_NONE ? 0 : read];

	for (uint32_t k = 0; read != SPOT_NONE && k < s->count; k++) {
		const struct plan_access *t = &p->accesses.items[s->first + k];
		const struct plan_spot *spot = &p->spots.items[t->spot];
		bool served = !t->foreign || !spot->uniform || (t->mask & ~spot->known) ||
			      (spot->value == t->value && t->own_write <= stream->done);

		for (uint32_t n = 0; n < p->count && !served; n++) {
			const struct plan_stream *other = &p->streams[n];
			const uint64_t *last =
				n == i ? NULL
				       : map_get(&p->writers, spot_key(t->spot, n, t->value));

			/* A step that was not added to the planner may write the value in time. */
			served = (last && *last > other->done) ||
				 (n != i && other->more && !is_later(p->horizon, s->until));
		}
		if (!served)
			return false;
	}
	return true;
}

/* Can each owner's next foreign read be explained? After most wrong choices, one cannot. */
static bool can_all_be_explained(const struct base_run_planner *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (!can_be_explained(p, i))
			return false;
	}
	return true;
}

/* ---- search ---------------------------------------------------------------------------------- */

/*
 * Returns the next owner to try, or SPOT_NONE. Prefers the owner whose next step has the earliest
 * upper bound of its time; of equal ones, the owner that wrote last. Steps that read unknown bytes
 * come after all others.
 */
static uint32_t choose_stream(const struct base_run_planner *p, const struct plan_choice *c)
{
	uint32_t best = SPOT_NONE;
	uint64_t rank = UINT64_MAX;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_stream *stream = &p->streams[i];
		uint64_t mine;
		enum fit fit;
		bool writes;

		if (c->tried & 1u << i || stream->done == stream->count || !may_go_next(p, stream))
			continue;
		fit = next_step_fits(p, stream, &writes);
		if (fit == FITS_NOT)
			continue;
		mine = (stream->steps[stream->done].until >> 2 << 1 | (i != c->last)) &
		       ~(1ull << 63);
		if (fit == FITS_UNKNOWN)
			mine |= 1ull << 63;
		if (mine < rank) {
			rank = mine;
			best = i;
		}
	}
	return best;
}

static bool is_new_state(struct base_run_planner *p)
{
	uint64_t hash = p->hash;
	bool fresh;

	for (uint32_t i = 0; i < p->count; i++)
		hash = hash_mix(hash, p->streams[i].done);
	map_put(&p->seen, hash, &fresh);
	return fresh;
}

/* Keeps the path if it is the longest: even if it leads nowhere, most of a long path is right. */
static void keep_longest_path(struct base_run_planner *p)
{
	if (p->path.count >= p->best.count + BEST_STEP)
		vec_copy(&p->best, &p->path);
}

static void undo_to_choice(struct base_run_planner *p, const struct plan_choice *c)
{
	while (p->path.count > c->length)
		p->streams[p->path.items[--p->path.count]].done--;
	while (p->changes.count > c->changes) {
		const struct plan_change *change = &p->changes.items[--p->changes.count];
		struct plan_spot *spot = &p->spots.items[change->spot];

		p->hash ^= spot_key(change->spot, spot->known, spot->value);
		spot->known = change->known;
		spot->value = change->value;
		p->hash ^= spot_key(change->spot, spot->known, spot->value);
	}
}

static void push_choice(struct base_run_planner *p, uint32_t last)
{
	*vec_push(&p->choices) = (struct plan_choice){ 0, (uint32_t)p->path.count,
						       (uint32_t)p->changes.count, last };
}

/*
 * Have all owners done all their steps, or reached the horizon, the time up to which the steps of
 * all owners are known? It is not enough if only some owners have reached it: the others may still
 * need to read values that those overwrite.
 */
static bool has_come_far_enough(const struct base_run_planner *p, bool *whole)
{
	bool far = true;

	*whole = true;
	for (uint32_t i = 0; i < p->count; i++) {
		const struct plan_stream *stream = &p->streams[i];

		if (stream->done < stream->count)
			far &= stream->steps[stream->done].time >= p->horizon;
		*whole &= stream->done == stream->count && !stream->more;
	}
	return far;
}

static bool search_order(struct base_run_planner *p, bool *whole)
{
	p->best.count = p->choices.count = 0;
	prepare_search(p);
	do_fitting_reads(p);
	push_choice(p, SPOT_NONE);
	for (uint32_t nodes = 0; p->choices.count && nodes < STATES_MAX; nodes++) {
		struct plan_choice *c = &p->choices.items[p->choices.count - 1];
		uint32_t i;

		if (has_come_far_enough(p, whole))
			return true;
		i = choose_stream(p, c);
		if (i == SPOT_NONE) {
			keep_longest_path(p);
			if (--p->choices.count)
				undo_to_choice(p, &p->choices.items[p->choices.count - 1]);
			continue;
		}
		c->tried |= 1u << i;
		do_step(p, i);
		do_fitting_reads(p);
		if (can_all_be_explained(p) && is_new_state(p))
			push_choice(p, i);
		else
			undo_to_choice(p, c);
	}
	return false;
}

/* Resets the planner and adds unseen writes. Returns true if a second search may succeed. */
static bool add_unseen_writes(struct base_run_planner *p)
{
	undo_to_choice(p, &(struct plan_choice){ 0 });
	map_free(&p->writers);
	map_free(&p->seen);
	return base_run_planner_add_unseen_writes(p);
}

bool base_run_planner_run(struct base_run_planner *p, struct base_run_plan *plan)
{
	const uint32_t *path;
	bool whole = false, found;
	size_t count;

	p->path.count = p->changes.count = 0;
	found = search_order(p, &whole);
	if (!found && add_unseen_writes(p))
		found = search_order(p, &whole);
	path = found ? p->path.items : p->best.items;
	count = found ? p->path.count : p->best.count;
	for (uint32_t i = 0; i < p->count; i++)
		p->streams[i].done = 0;
	plan->entries.count = plan->next = 0;
	for (size_t i = 0; i < count; i++) {
		struct plan_stream *stream = &p->streams[path[i]];

		*vec_push(&plan->entries) =
			(struct plan_entry){ stream->number,
					     stream->steps[stream->done++].position };
	}
	plan->end = found && whole ? count : (count + 1) / 2;
	return plan->end;
}

struct base_run_planner *base_run_planner_open(void)
{
	return mem_zalloc(1, sizeof(struct base_run_planner));
}

void base_run_planner_close(struct base_run_planner *p)
{
	base_run_planner_clear(p);
	vec_free(&p->accesses);
	vec_free(&p->spots);
	vec_free(&p->path);
	vec_free(&p->best);
	vec_free(&p->choices);
	vec_free(&p->changes);
	free(p);
}
