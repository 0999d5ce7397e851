/*
 * Replays the current order and makes lemmas. This file has the lemmas about locks; those about
 * reads, semaphores and waits are in lemma_read.c, lemma_semaphore.c and lemma_wait.c.
 */
#include "order/solver/lemma.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* ---- clauses --------------------------------------------------------------------------------- */

int32_t lemma_before(struct lemma *l, uint32_t a, uint32_t b)
{
	if (closure_before(l->closure, a, b))
		return CDCL_TRUE;
	if (a == b || closure_before(l->closure, b, a))
		return CDCL_FALSE;
	return cdcl_before(l->cdcl, a, b);
}

void lemma_begin_clause(struct lemma *l)
{
	l->clause.count = 0;
}

void lemma_add_literal(struct lemma *l, int32_t literal)
{
	*vec_push(&l->clause) = literal;
}

void lemma_end_clause(struct lemma *l)
{
	assert(cdcl_is_new(l->cdcl, l->clause.items, l->clause.count));
	l->lemmas++;
	cdcl_add(l->cdcl, l->clause.items, l->clause.count);
}

void lemma_add_either(struct lemma *l, int32_t one, int32_t other)
{
	lemma_begin_clause(l);
	lemma_add_literal(l, one);
	lemma_add_literal(l, other);
	lemma_end_clause(l);
}

void lemma_add_implication(struct lemma *l, int32_t choice, int32_t literal)
{
	int32_t both[] = { -choice, literal };

	cdcl_add(l->cdcl, both, 2);
}

/* Adds a choice for an event and returns its literal. The choice would bring a close to b. */
static int32_t add_choice(struct lemma *l, uint32_t what, uint32_t a, uint32_t b, bool preferred)
{
	int32_t literal = cdcl_boolean(l->cdcl, a, b, preferred);

	*vec_push(&l->choices) = (struct lemma_choice){ literal, what };
	return literal;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static struct open_sections *lock_state(struct lemma *l, uint32_t number)
{
	return order_index_open_sections(l->index, l->locks, number, l->round);
}

/*
 * Adds the clause for two sections that overlap: one of them does not begin, or one of them ends
 * before the other begins.
 */
static void forbid_overlap(struct lemma *l, const struct order_section *a,
			   const struct order_section *b)
{
	uint32_t cut = l->total->cut;

	lemma_begin_clause(l);
	lemma_add_literal(l, lemma_before(l, cut, b->acquire));
	if (a->acquire != ORDER_NONE)
		lemma_add_literal(l, lemma_before(l, cut, a->acquire));
	if (a->release != ORDER_NONE)
		lemma_add_literal(l, lemma_before(l, a->release, b->acquire));
	if (b->release != ORDER_NONE && a->acquire != ORDER_NONE)
		lemma_add_literal(l, lemma_before(l, b->release, a->acquire));
	lemma_end_clause(l);
}

static void replay_acquire(struct lemma *l, uint32_t number, uint32_t section)
{
	const struct order_section *all = l->index->model->sections.items;
	struct open_sections *open = lock_state(l, number);

	for (size_t i = 0; i < open->list.count; i++)
		if (!all[section].shared || !all[open->list.items[i]].shared)
			forbid_overlap(l, &all[open->list.items[i]], &all[section]);
	*vec_push(&open->list) = section;
}

static void replay_release(struct lemma *l, uint32_t number, uint32_t section)
{
	struct open_sections *open = lock_state(l, number);

	for (size_t i = 0; i < open->list.count; i++)
		if (open->list.items[i] == section) {
			open->list.items[i] = open->list.items[--open->list.count];
			return;
		}
}

static bool excludes_try(const struct order_model *m, const struct order_section *s,
			 const struct order_fail *fail)
{
	return s->thread != m->thread.items[fail->node] && !(s->shared && fail->shared);
}

/* Adds the clause for a failed try: the try is outside, or during a section that excludes it. */
static void explain_fail(struct lemma *l, uint32_t number, uint32_t item)
{
	const struct order_model *m = l->index->model;
	const struct order_lock *lock = &m->locks.items[number];
	const struct order_fail *fail = &m->fails.items[item];
	uint32_t start = (uint32_t)l->choices.count;

	assert(l->of_fail[item].epoch != l->epoch);
	for (uint32_t i = lock->section_start; i < lock->section_start + lock->section_count; i++) {
		const struct order_section *s = &m->sections.items[i];
		int32_t after = s->acquire == ORDER_NONE ? CDCL_TRUE
							 : lemma_before(l, s->acquire, fail->node);
		int32_t until = s->release == ORDER_NONE ? CDCL_TRUE
							 : lemma_before(l, fail->node, s->release);
		int32_t choice;

		if (!excludes_try(m, s, fail) || after == CDCL_FALSE || until == CDCL_FALSE)
			continue;
		choice = add_choice(l, i, s->acquire, fail->node,
				    s->acquire == l->index->fail_needs[item]);
		lemma_add_implication(l, choice, after);
		lemma_add_implication(l, choice, until);
	}
	l->of_fail[item] =
		(struct lemma_choices){ l->epoch, start, (uint32_t)l->choices.count - start };
	lemma_begin_clause(l);
	lemma_add_literal(l, lemma_before(l, l->total->cut, fail->node));
	for (size_t i = start; i < l->choices.count; i++)
		lemma_add_literal(l, l->choices.items[i].literal);
	lemma_end_clause(l);
}

static void replay_fail(struct lemma *l, uint32_t number, uint32_t item)
{
	const struct order_model *m = l->index->model;
	struct open_sections *open = lock_state(l, number);

	for (size_t i = 0; i < open->list.count; i++)
		if (excludes_try(m, &m->sections.items[open->list.items[i]], &m->fails.items[item]))
			return;
	explain_fail(l, number, item);
}

/* ---- replay ---------------------------------------------------------------------------------- */

static bool sees_its_value(const struct order_model *m, uint32_t cell,
			   const struct order_read *read, uint32_t writer)
{
	uint32_t node = writer == ORDER_NONE ? ORDER_NONE : m->writes.items[writer].node;
	uint32_t initial = m->cells.items[cell].initial;

	if (read->writer != ORDER_ANY)
		return read->writer == node;
	if (writer == ORDER_NONE)
		return initial != ORDER_NONE && initial == read->value;
	return m->writes.items[writer].value == read->value;
}

static void replay_read(struct lemma *l, uint32_t cell, uint32_t read)
{
	struct lemma_cell *state = &l->cells[cell];
	uint32_t writer = state->round == l->round ? state->writer : ORDER_NONE;

	if (!sees_its_value(l->index->model, cell, &l->index->model->reads.items[read], writer))
		lemma_add_read(l, cell, read);
}

static struct lemma_semaphore *semaphore_state(struct lemma *l, uint32_t number)
{
	struct lemma_semaphore *s = &l->semaphores[number];

	if (s->round != l->round)
		*s = (struct lemma_semaphore){ .round = l->round };
	return s;
}

static bool has_tokens(struct lemma *l, uint32_t number)
{
	const struct lemma_semaphore *s = semaphore_state(l, number);

	return l->index->model->semaphores.items[number].initial + s->posts > s->downs;
}

static void replay_event(struct lemma *l, const struct index_event *e)
{
	switch ((enum index_kind)e->kind) {
	case INDEX_READ: replay_read(l, e->object, e->item); break;
	case INDEX_WRITE: l->cells[e->object] = (struct lemma_cell){ l->round, e->item }; break;
	case INDEX_RELEASE: replay_release(l, e->object, e->item); break;
	case INDEX_ACQUIRE: replay_acquire(l, e->object, e->item); break;
	case INDEX_FAIL: replay_fail(l, e->object, e->item); break;
	case INDEX_WAIT: lemma_replay_wait(l, e->object, e->item); break;
	case INDEX_SIGNAL: lemma_replay_signal(l, e->object, e->item); break;
	case INDEX_WOKEN: lemma_replay_woken(l, e->object, e->item); break;
	case INDEX_POST: semaphore_state(l, e->object)->posts++; break;
	case INDEX_DOWN:
		if (!has_tokens(l, e->object))
			lemma_add_down(l, e->object, e->node);
		semaphore_state(l, e->object)->downs++;
		break;
	case INDEX_TAKE: semaphore_state(l, e->object)->downs++; break;
	case INDEX_ZERO:
		if (has_tokens(l, e->object))
			lemma_add_zero(l, e->object, e->node,
				       lemma_before(l, l->total->cut, e->node));
		break;
	}
}

int32_t lemma_literal_of_query(const struct lemma *l, int32_t literal)
{
	return literal > 0 ? l->atoms[literal] : -l->atoms[-literal];
}

bool lemma_check(struct lemma *l)
{
	const struct order_index *x = l->index;
	uint64_t before = l->lemmas;

	l->round++;
	l->unsignalled.count = 0;
	for (uint32_t n = topo_order_first(l->total); n != l->total->cut; n = l->total->next[n]) {
		l->cdcl->steps++;
		for (uint32_t i = x->event_start[n]; i < x->event_start[n + 1]; i++)
			replay_event(l, &x->events[i]);
	}
	lemma_check_waits(l);
	for (size_t i = 0; i < l->query->empty.count; i++) {
		const struct order_empty *e = &l->query->empty.items[i];
		int32_t literal = lemma_literal_of_query(l, e->literal);

		if (cdcl_holds(l->cdcl, literal) && has_tokens(l, e->semaphore))
			lemma_add_zero(l, e->semaphore, l->total->cut, -literal);
	}
	return l->lemmas == before && !l->cdcl->contradiction;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

void lemma_make(struct lemma *l, const struct order_index *index, struct topo_order *total,
		struct cdcl *cdcl, struct closure *closure)
{
	const struct order_model *m = index->model;

	*l = (struct lemma){ .index = index, .total = total, .cdcl = cdcl, .closure = closure };
	l->of_read = mem_zalloc(m->reads.count + 1, sizeof *l->of_read);
	l->of_fail = mem_zalloc(m->fails.count + 1, sizeof *l->of_fail);
	l->of_wait = mem_zalloc(m->waits.count + 1, sizeof *l->of_wait);
	l->latest = mem_zalloc((size_t)m->thread_count + 1, sizeof *l->latest);
	l->cells = mem_zalloc(m->cells.count + 1, sizeof *l->cells);
	l->locks = mem_zalloc(m->locks.count + 1, sizeof *l->locks);
	l->conditions = mem_zalloc(m->conditions.count + 1, sizeof *l->conditions);
	l->semaphores = mem_zalloc(m->semaphores.count + 1, sizeof *l->semaphores);
	l->pair_of_wait = mem_zalloc(m->waits.count + 1, sizeof *l->pair_of_wait);
	l->used_by = mem_zalloc(m->signals.count + 1, sizeof *l->used_by);
}

void lemma_free(struct lemma *l)
{
	const struct order_model *m = l->index->model;

	for (size_t i = 0; i < m->locks.count; i++)
		vec_free(&l->locks[i].list);
	for (size_t i = 0; i < m->conditions.count; i++)
		vec_free(&l->conditions[i].waiting);
	free(l->of_read);
	free(l->of_fail);
	free(l->of_wait);
	free(l->latest);
	free(l->cells);
	free(l->locks);
	free(l->conditions);
	free(l->semaphores);
	free(l->used_by);
	free(l->pair_of_wait);
	map_free(&l->pair_of);
	vec_free(&l->pairs);
	vec_free(&l->crowd);
	vec_free(&l->choices);
	vec_free(&l->clause);
	vec_free(&l->unsignalled);
}

void lemma_reset(struct lemma *l, const struct order_query *query, const int32_t *atoms)
{
	l->query = query;
	l->atoms = atoms;
	l->epoch++;
	l->choices.count = 0;
	lemma_waits_reset(l);
}
