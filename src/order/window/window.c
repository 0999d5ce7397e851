/*
 * Reads the base run and cuts it into windows. Events that another thread can notice become items;
 * when enough items are there, window_build() makes a window of them, and the first half of the
 * items is dropped.
 */
#include "order/window/window.h"

#include "base/mem.h"
#include "base/sort.h"
#include "order/base_run/base_run.h"
#include "order/window/window_blocks.h"
#include "order/window/window_build.h"
#include "trace/sites.h"

#include <assert.h>
#include <string.h>

/* A block that was freed, but that items still refer to. */
struct ended_block {
	uint32_t block;
	uint64_t until; /* its number can be reused when this number of nodes has been dropped */
};

struct window_reader {
	uint32_t size, step;
	struct share_survey survey;
	struct window_state state;
	struct base_run *base_run;
	struct window_blocks blocks;
	struct map allocated; /* start of a block to its size + 1, or to 0 if it was freed */
	VEC(struct ended_block) ended;
	size_t ended_start;
	/* the items of the next window, and one more: items[size] */
	VEC(struct window_item) items;
	uint64_t before; /* number of nodes before the first item */
	uint32_t fresh;	 /* items from this one on were in no earlier window */
	VEC(uint8_t) pool;
	uint64_t pool_start; /* the offset that stands for the pool's first byte */
	VEC(struct window_slice) slices;
	VEC(uint64_t) slice_starts; /* index of each slice's first event */
	uint64_t first_slice;	    /* first slice of the next window */
	/*
	 * Site to its number. Sites are numbered in the order of their first occurrence, so the
	 * numbers are the same in every process.
	 */
	struct map sites;
	struct map source_sites; /* trace_site_line_key() of a site to its number */
	uint64_t done;
	uint32_t shown; /* number of windows returned so far */
	bool exhausted, shown_last;
	bool handlers; /* as in struct window */
	const struct window_keep *keeps;
	uint32_t keep_count;
	struct map keep_next; /* stream to index + 1 of its next entry in `keeps`, or 0 */
};

/* ---- reading the base run -------------------------------------------------------------------- */

/* Can another thread notice the event? */
static bool is_noticeable(const struct window_reader *r, const struct base_run_event *ev)
{
	if (r->survey.text)
		return true;
	switch (event_group(ev->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC:
		return ev->kind != EV_FENCE &&
		       share_survey_shares(&r->survey, ev->address, ev->size);
	case EG_MEMORY:
		return ev->kind == EV_FD_USE ? share_survey_shares(&r->survey, ev->address, 1)
					     : share_survey_shares_block(&r->survey, ev->address);
	case EG_FUNCTION: return false;
	default: return true;
	}
}

static void add_to_slices(struct window_reader *r, const struct base_run_event *ev)
{
	if (r->slices.count && r->slices.items[r->slices.count - 1].stream == ev->stream) {
		r->slices.items[r->slices.count - 1].end = ev->index + 1;
		return;
	}
	*vec_push(&r->slices) = (struct window_slice){ ev->stream, ev->index + 1 };
	*vec_push(&r->slice_starts) = ev->index;
}

static void end_block(struct window_reader *r, uint64_t address)
{
	uint32_t block = window_blocks_remove(&r->blocks, address);

	if (block)
		*vec_push(&r->ended) =
			(struct ended_block){ block, r->before + r->items.count + 1 };
}

/* Removes the whole block if a part of it is unmapped: the remaining parts are not known. */
static void end_block_around(struct window_reader *r, uint64_t address)
{
	uint32_t block = window_blocks_find(&r->blocks, address);

	if (block)
		end_block(r, r->blocks.nodes.items[block].block.address);
}

static bool is_init(uint8_t kind)
{
	return event_group(kind) >= EG_LOCK && window_effect_of(kind) == WINDOW_BEGINS;
}

/* Updates the live blocks. Sets the size of a FREE to the size of its block. */
static void follow_blocks(struct window_reader *r, const struct base_run_event *ev,
			  struct window_item *item)
{
	uint32_t block;
	uint64_t *size;

	if (ev->kind == EV_MAP || ev->kind == EV_UNMAP)
		end_block_around(r, ev->address);
	if (ev->kind == EV_ALLOC)
		*map_put(&r->allocated, ev->address, NULL) = ev->size + 1;
	if (ev->kind == EV_ALLOC || ev->kind == EV_MAP) {
		end_block(r, ev->address);
		window_blocks_add(
			&r->blocks,
			&(struct window_block){ ev->address, ev->size, { ev->stream, ev->index } });
		return;
	}
	block = window_blocks_find(&r->blocks, ev->address);
	item->block = block;
	if (ev->kind != EV_FREE)
		return;
	item->size = ev->address != 0;
	size = map_get(&r->allocated, ev->address);
	if (size && *size > 1)
		item->size = *size - 1;
	if (size)
		*size = 0;
	end_block(r, ev->address);
}

/* Updates the part of the thread's state that windows need. */
static void follow_stream(struct window_reader *r, struct window_item *item, bool node)
{
	struct window_stream *stream = &r->state.streams[item->owner], *child;
	uint64_t now = r->before + r->items.count + node;
	uint32_t i;

	if (stream->begun == WINDOW_NEVER)
		stream->begun = now;
	if (stream->left)
		stream->left--;
	if (!stream->left)
		stream->finished = now;
	switch (item->kind) {
	case EV_BEGIN:
		item->size = item->other > item->address ? item->other - item->address : 0;
		stream->stack_low = item->address;
		stream->stack_size = item->size;
		break;
	case EV_END:
		item->address = stream->stack_low;
		item->size = stream->stack_size;
		break;
	case EV_CREATE:
		i = trace_find_stream(r->state.trace, (uint32_t)item->number);
		child = i == TRACE_NONE ? NULL : &r->state.streams[r->survey.owner_of[i]];
		if (child && child->created == WINDOW_NEVER)
			child->created = now;
		break;
	}
	stream->last = *item;
}

static uint64_t store_bytes(struct window_reader *r, const uint8_t *bytes, uint32_t unit)
{
	uint64_t value = 0;

	if (unit <= 8) {
		memcpy(&value, bytes, unit);
		return value;
	}
	value = r->pool_start + r->pool.count;
	memcpy(vec_reserve(&r->pool, unit), bytes, unit);
	r->pool.count += unit;
	return value;
}

/* Numbers sites. All copies that the compiler made of one site get the same number. */
static uint64_t number_site(struct window_reader *r, uint64_t site)
{
	bool fresh;
	uint64_t *number, *first, place;

	if (!site)
		return 0;
	number = map_put(&r->sites, site, &fresh);
	if (!fresh)
		return *number;
	*number = r->sites.count;
	place = trace_site_line_key(r->state.trace, site);
	if (place) {
		first = map_put(&r->source_sites, place, &fresh);
		*first = fresh ? *number : *first;
		*number = *first;
	}
	return *number;
}

/*
 * Returns the index in `keeps` of the event, or ORDER_NONE. Sets *moment to the index of the moment
 * before the event, or ORDER_NONE. The events of a stream come in order, so only the next entries
 * of the stream are compared.
 */
static uint32_t find_keep(struct window_reader *r, const struct base_run_event *ev,
			  uint32_t *moment)
{
	uint64_t *next = r->keep_count ? map_get(&r->keep_next, ev->stream) : NULL;
	uint32_t found = ORDER_NONE;

	*moment = ORDER_NONE;
	while (next && *next) {
		const struct window_keep *keep = &r->keeps[*next - 1];

		if (keep->id.index > ev->index)
			break;
		if (keep->id.index == ev->index)
			*(keep->before ? moment : &found) = (uint32_t)*next - 1;
		*next = *next < r->keep_count && keep[1].id.stream == ev->stream ? *next + 1 : 0;
	}
	return found;
}

/* Adds the item for the moment before event `of`. */
static void add_moment(struct window_reader *r, const struct window_item *of, uint64_t site,
		       uint32_t kept)
{
	bool shared = of->kind == EV_READ_ACQUIRE || of->kind == EV_READ_REQUEST;

	*vec_push(&r->items) = (struct window_item){ .kind = shared ? EV_READ_REQUEST : EV_REQUEST,
						     .owner = of->owner,
						     .id = of->id,
						     .slice = (uint32_t)r->slices.count - 1,
						     .address = of->address,
						     .site = number_site(r, site),
						     .moment = true,
						     .kept = kept };
}

static void add_event(struct window_reader *r, const struct base_run_event *ev)
{
	uint32_t moment, kept = find_keep(r, ev, &moment);
	bool node = kept != ORDER_NONE || is_noticeable(r, ev);
	struct window_item item = { .kind = ev->kind,
				    .flags = ev->flags,
				    .mode = ev->mode,
				    .foreign = ev->foreign,
				    .owner = ev->owner,
				    .id = { ev->stream, ev->index },
				    .unit = ev->unit,
				    .address = ev->address,
				    .size = ev->size,
				    .other = ev->other,
				    .number = ev->number,
				    .kept = kept };

	r->done++;
	add_to_slices(r, ev);
	if (moment != ORDER_NONE)
		add_moment(r, &item, ev->site, moment);
	if (event_group(ev->kind) == EG_MEMORY ||
	    (node && (event_group(ev->kind) <= EG_ATOMIC || is_init(ev->kind))))
		follow_blocks(r, ev, &item);
	item.site = node ? number_site(r, ev->site) : 0;
	follow_stream(r, &item, node);
	if (!node)
		return;
	item.slice = (uint32_t)r->slices.count - 1;
	item.has_value = ev->value && event_group(ev->kind) <= EG_ATOMIC;
	item.has_old = ev->old != NULL;
	if (item.has_value)
		item.value = store_bytes(r, ev->value, ev->unit);
	if (item.has_old)
		item.old = store_bytes(r, ev->old, ev->unit);
	*vec_push(&r->items) = item;
}

/* Reads the window's items and one more, which shows whether the window is the last. */
static void read_items(struct window_reader *r)
{
	struct base_run_event ev;

	while (!r->exhausted && r->items.count <= r->size) {
		if (base_run_next(r->base_run, &ev))
			add_event(r, &ev);
		else
			r->exhausted = true;
	}
}

/* ---- cutting the base run -------------------------------------------------------------------- */

/* Returns the slice that starts with item i. Splits a slice if the item is in its middle. */
static uint64_t slice_at(struct window_reader *r, uint32_t i)
{
	uint64_t slice = i < r->items.count ? r->items.items[i].slice : r->slices.count;
	uint64_t index;

	if (i == r->items.count || r->slice_starts.items[slice] == r->items.items[i].id.index)
		return slice;
	index = r->items.items[i].id.index;
	*vec_push(&r->slices) = (struct window_slice){ 0 };
	*vec_push(&r->slice_starts) = 0;
	memmove(&r->slices.items[slice + 1], &r->slices.items[slice],
		(r->slices.count - slice - 1) * sizeof *r->slices.items);
	memmove(&r->slice_starts.items[slice + 1], &r->slice_starts.items[slice],
		(r->slice_starts.count - slice - 1) * sizeof *r->slice_starts.items);
	r->slices.items[slice].end = index;
	r->slice_starts.items[slice + 1] = index;
	for (size_t k = i; k < r->items.count; k++)
		r->items.items[k].slice++;
	return slice + 1;
}

/* Drops the items before `next`, which are in no further window. */
static void drop_items(struct window_reader *r, uint32_t next)
{
	uint64_t keep = r->pool_start + r->pool.count;

	r->before += next;
	r->items.count -= next;
	memmove(r->items.items, r->items.items + next, r->items.count * sizeof *r->items.items);
	for (size_t i = r->items.count; i > 0; i--) {
		const struct window_item *item = &r->items.items[i - 1];

		if (item->unit > 8 && item->has_old && !item->has_value)
			keep = item->old;
		else if (item->unit > 8 && item->has_value)
			keep = item->value;
	}
	r->pool.count -= keep - r->pool_start;
	if (r->pool.count)
		memmove(r->pool.items, r->pool.items + (keep - r->pool_start), r->pool.count);
	r->pool_start = keep;
	while (r->ended_start < r->ended.count && r->ended.items[r->ended_start].until <= r->before)
		window_blocks_reuse(&r->blocks, r->ended.items[r->ended_start++].block);
	if (r->ended_start == r->ended.count)
		r->ended_start = r->ended.count = 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

SORT_COMPARISON(by_address, struct window_block, a, b,
		sort_order(a->address, b->address)
			?: sort_order(a->allocated.stream, b->allocated.stream)
			?: sort_order(a->allocated.index, b->allocated.index))

/* Lists the blocks that the window's accesses are in. */
static void list_blocks(const struct window_reader *r, struct window *w)
{
	struct map seen = { 0 };

	for (size_t i = 0; i < w->nodes.count; i++) {
		uint32_t block = r->items.items[i].block;
		bool fresh = false;

		if (block)
			map_put(&seen, block, &fresh);
		if (fresh)
			*vec_push(&w->blocks) = r->blocks.nodes.items[block].block;
	}
	map_free(&seen);
	vec_sort(&w->blocks, by_address);
	for (size_t i = 0; i < w->nodes.count; i++) {
		uint32_t block = r->items.items[i].block;

		if (block)
			w->nodes.items[i].block =
				(uint32_t)((struct window_block *)bsearch(
						   &r->blocks.nodes.items[block].block,
						   w->blocks.items, w->blocks.count,
						   sizeof *w->blocks.items, by_address) -
					   w->blocks.items);
	}
}

const struct window_block *window_find_block(const struct window *w, uint32_t node)
{
	uint32_t block = w->nodes.items[node].block;

	return block == ORDER_NONE ? NULL : &w->blocks.items[block];
}

/* ---- interface ------------------------------------------------------------------------------- */

struct window_reader *window_reader_open(const struct trace *trace, uint32_t size)
{
	struct window_reader *r = mem_zalloc(1, sizeof *r);

	assert(size >= 2);
	r->size = size;
	r->step = (size + 1) / 2;
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		r->handlers |= trace_stream(trace, i)->host != TRACE_NONE && !trace_is_text(trace);
	share_survey_make(&r->survey, trace);
	window_state_open(&r->state, trace, &r->survey);
	r->base_run = base_run_open(trace, &r->survey);
	return r;
}

void window_reader_close(struct window_reader *r)
{
	if (!r)
		return;
	base_run_close(r->base_run);
	window_state_close(&r->state);
	share_survey_free(&r->survey);
	window_blocks_free(&r->blocks);
	map_free(&r->allocated);
	vec_free(&r->ended);
	vec_free(&r->items);
	vec_free(&r->pool);
	vec_free(&r->slices);
	vec_free(&r->slice_starts);
	map_free(&r->sites);
	map_free(&r->source_sites);
	map_free(&r->keep_next);
	free(r);
}

void window_reader_keep(struct window_reader *r, const struct window_keep *keeps, uint32_t count)
{
	assert(!r->done && !r->keep_count);
	r->keeps = keeps;
	r->keep_count = count;
	for (uint32_t i = count; i-- > 0;)
		*map_put(&r->keep_next, keeps[i].id.stream, NULL) = i + 1;
}

static struct window *build_next_window(struct window_reader *r, uint32_t most, uint32_t *next,
					uint32_t *taken)
{
	struct window_input input = {
		.items = r->items.items,
		.count = r->items.count < most ? (uint32_t)r->items.count : most,
		.next = r->step > r->fresh ? r->step : r->fresh,
		.fresh = r->fresh,
		.before = r->before,
		.pool = r->pool.items,
		.pool_start = r->pool_start,
	};
	struct window *w = window_build(&r->state, &input, taken);

	w->text = r->survey.text;
	w->handlers = r->handlers;
	w->cancels = r->survey.cancels;
	*next = input.next < *taken ? input.next : *taken;
	return w;
}

/*
 * A window that had to end early (window_build.h) may end before the previous window ended. Then it
 * contains no new items: it only changes the state and is not returned. The next window starts
 * where it ended. No window starts before the end of the last window but one, so slices that were
 * returned are not split later.
 */
struct window *window_reader_next(struct window_reader *r)
{
	uint32_t taken, next, most = r->size;
	struct window *w;

	read_items(r);
	if (r->shown_last || !r->items.count)
		return NULL;
	while (w = build_next_window(r, most, &next, &taken), taken <= r->fresh && r->fresh) {
		window_free(w);
		r->fresh -= taken;
		drop_items(r, taken);
		read_items(r);
		if (!r->items.count)
			return NULL;
		most = r->fresh ? r->fresh : r->size;
		if (!r->fresh)
			r->first_slice = slice_at(r, 0);
	}
	list_blocks(r, w);
	w->number = r->shown++;
	w->first_slice = r->first_slice;
	w->last = r->shown_last = r->exhausted && taken == r->items.count;
	r->first_slice = slice_at(r, next);
	w->last_slice = slice_at(r, taken);
	r->fresh = taken - next;
	drop_items(r, next);
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	order_model_free(&w->model);
	vec_free(&w->nodes);
	vec_free(&w->threads);
	vec_free(&w->cells);
	vec_free(&w->held);
	vec_free(&w->meetings);
	vec_free(&w->arrivals);
	vec_free(&w->onces);
	vec_free(&w->lock_lifetimes);
	vec_free(&w->semaphore_lifetimes);
	vec_free(&w->blocks);
	vec_free(&w->entities);
	vec_free(&w->touches);
	vec_free(&w->lifetime_edges);
	vec_free(&w->opaque_edges);
	vec_free(&w->idle);
	free(w);
}

const struct window_slice *window_reader_slices(const struct window_reader *r, size_t *count)
{
	*count = r->slices.count;
	return r->slices.items;
}

void window_reader_progress(const struct window_reader *r, uint64_t *done, uint64_t *all)
{
	*done = r->done;
	*all = r->survey.events;
}

const struct map *window_reader_opaque(const struct window_reader *r)
{
	return &r->survey.opaque;
}

unsigned window_reader_stops(const struct window_reader *r)
{
	return r->survey.stops;
}

size_t window_reader_failure_count(const struct window_reader *r)
{
	return base_run_failure_count(r->base_run);
}

const char *window_reader_failure(const struct window_reader *r, size_t i)
{
	return base_run_failure(r->base_run, i);
}
