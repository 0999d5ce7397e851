/* Keeps the contents of spots and the queues of accesses to them. */
#include "order/base_run/base_run_memory.h"

void base_run_memory_free(struct base_run_memory *s)
{
	map_free(&s->index);
	vec_free(&s->spots);
	vec_free(&s->queues);
	vec_free(&s->accesses);
	vec_free(&s->free_queues);
	vec_free(&s->free_accesses);
}

uint32_t base_run_memory_find_spot(struct base_run_memory *s, uint64_t address)
{
	bool fresh;
	uint64_t *number = map_put(&s->index, address / 8, &fresh);

	if (fresh) {
		*vec_push(&s->spots) = (struct spot){ .queues = SPOT_NONE };
		*number = s->spots.count;
	}
	return (uint32_t)*number - 1;
}

static uint32_t find_queue(struct base_run_memory *s, uint32_t spot, uint32_t owner)
{
	uint32_t i = s->spots.items[spot].queues;

	while (i != SPOT_NONE && s->queues.items[i].owner != owner)
		i = s->queues.items[i].next;
	if (i != SPOT_NONE)
		return i;
	if (s->free_queues.count) {
		i = s->free_queues.items[--s->free_queues.count];
	} else {
		i = (uint32_t)s->queues.count;
		vec_push(&s->queues);
	}
	s->queues.items[i] =
		(struct spot_queue){ owner, SPOT_NONE, SPOT_NONE, s->spots.items[spot].queues };
	s->spots.items[spot].queues = i;
	return i;
}

uint32_t base_run_memory_add_access(struct base_run_memory *s, uint32_t owner,
				    const struct spot_access *access)
{
	uint32_t i, queue = find_queue(s, access->spot, owner);
	struct spot_queue *q = &s->queues.items[queue];

	if (s->free_accesses.count) {
		i = s->free_accesses.items[--s->free_accesses.count];
	} else {
		i = (uint32_t)s->accesses.count;
		vec_push(&s->accesses);
	}
	s->spots.items[access->spot].writes += access->write;
	s->accesses.items[i] = *access;
	s->accesses.items[i].next = SPOT_NONE;
	if (q->last == SPOT_NONE)
		q->first = i;
	else
		s->accesses.items[q->last].next = i;
	q->last = i;
	return i;
}

static void drop_first_access(struct base_run_memory *s, uint32_t spot, uint32_t owner)
{
	uint32_t *link = &s->spots.items[spot].queues;
	struct spot_queue *q;

	while (s->queues.items[*link].owner != owner)
		link = &s->queues.items[*link].next;
	q = &s->queues.items[*link];
	q->first = s->accesses.items[q->first].next;
	if (q->first == SPOT_NONE) {
		*vec_push(&s->free_queues) = *link;
		*link = q->next;
	}
}

void base_run_memory_apply(struct base_run_memory *s, uint32_t owner, uint32_t access)
{
	const struct spot_access *t = &s->accesses.items[access];
	struct spot *spot = &s->spots.items[t->spot];
	uint64_t bits = spot_bits(t->mask);

	if (t->known) { /* a read, too, makes the contents known */
		spot->value = (spot->value & ~bits) | t->value;
		spot->known |= t->mask;
	} else if (t->write) {
		spot->known &= (uint8_t)~t->mask;
	}
	spot->version++;
	spot->writes -= t->write;
	drop_first_access(s, t->spot, owner);
	*vec_push(&s->free_accesses) = access;
}

void base_run_memory_forget(struct base_run_memory *s, uint64_t address, uint64_t size)
{
	uint64_t first = address / 8, last = (address + size - 1) / 8;

	if (!size || last - first > s->spots.count) /* too large for a shared block */
		return;
	for (uint64_t key = first; key <= last; key++) {
		const uint64_t *number = map_get(&s->index, key);

		if (number)
			s->spots.items[*number - 1].known = 0;
	}
}
