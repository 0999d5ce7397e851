#include "order/base_run/base_run_cells.h"

void base_run_cells_free(struct base_run_cells *s)
{
	map_free(&s->index);
	vec_free(&s->spots);
	vec_free(&s->queues);
	vec_free(&s->touches);
	vec_free(&s->free_queues);
	vec_free(&s->free_touches);
}

uint32_t base_run_cells_find(struct base_run_cells *s, uint64_t address)
{
	bool fresh;
	uint64_t *number = map_put(&s->index, address / 8, &fresh);

	if (fresh) {
		*vec_push(&s->spots) = (struct spot){ .queues = SPOT_NONE };
		*number = s->spots.count;
	}
	return (uint32_t)*number - 1;
}

static uint32_t find_queue(struct base_run_cells *s, uint32_t spot, uint32_t lane)
{
	uint32_t i = s->spots.items[spot].queues;

	while (i != SPOT_NONE && s->queues.items[i].lane != lane)
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
		(struct spot_queue){ lane, SPOT_NONE, SPOT_NONE, s->spots.items[spot].queues };
	s->spots.items[spot].queues = i;
	return i;
}

uint32_t base_run_cells_add(struct base_run_cells *s, uint32_t lane, const struct spot_touch *touch)
{
	uint32_t i, queue = find_queue(s, touch->spot, lane);
	struct spot_queue *q = &s->queues.items[queue];

	if (s->free_touches.count) {
		i = s->free_touches.items[--s->free_touches.count];
	} else {
		i = (uint32_t)s->touches.count;
		vec_push(&s->touches);
	}
	s->spots.items[touch->spot].writes += touch->write;
	s->touches.items[i] = *touch;
	s->touches.items[i].next = SPOT_NONE;
	if (q->last == SPOT_NONE)
		q->first = i;
	else
		s->touches.items[q->last].next = i;
	q->last = i;
	return i;
}

static void drop_first(struct base_run_cells *s, uint32_t spot, uint32_t lane)
{
	uint32_t *link = &s->spots.items[spot].queues;
	struct spot_queue *q;

	while (s->queues.items[*link].lane != lane)
		link = &s->queues.items[*link].next;
	q = &s->queues.items[*link];
	q->first = s->touches.items[q->first].next;
	if (q->first == SPOT_NONE) {
		*vec_push(&s->free_queues) = *link;
		*link = q->next;
	}
}

void base_run_cells_do(struct base_run_cells *s, uint32_t lane, uint32_t touch)
{
	const struct spot_touch *t = &s->touches.items[touch];
	struct spot *spot = &s->spots.items[t->spot];
	uint64_t bits = spot_bits(t->mask);

	if (t->known) { /* a read says what was there, too */
		spot->value = (spot->value & ~bits) | t->value;
		spot->known |= t->mask;
	} else if (t->write) {
		spot->known &= (uint8_t)~t->mask;
	}
	spot->version++;
	spot->writes -= t->write;
	drop_first(s, t->spot, lane);
	*vec_push(&s->free_touches) = touch;
}

void base_run_cells_forget(struct base_run_cells *s, uint64_t address, uint64_t size)
{
	uint64_t first = address / 8, last = (address + size - 1) / 8;

	if (!size || last - first > s->spots.count) /* a block so large has nobody's bytes twice */
		return;
	for (uint64_t key = first; key <= last; key++) {
		const uint64_t *number = map_get(&s->index, key);

		if (number)
			s->spots.items[*number - 1].known = 0;
	}
}
