/*
 * Applies accesses to the cells of a window, in the order of the base run. Determines which value
 * each read found and which write it came from, and which reads only the environment explains. Adds
 * edges for the lifetimes of blocks and stacks.
 */
#include "order/window/window_build.h"

#include "base/mem.h"

/* ---- lifetimes ------------------------------------------------------------------------------- */

/* Adds an edge from a segment's last lifetime event to the thread's first touch after it. */
static void touch_lifetime(struct window_builder *b, struct build_segment *s, uint32_t node)
{
	struct build_memory *m = &b->memory;
	uint32_t thread = b->window->model.thread.items[node];

	build_add_touch(b, s, node);
	for (uint32_t i = s->toucher; i != ORDER_NONE; i = m->touchers.items[i].next) {
		if (m->touchers.items[i].thread == thread) {
			m->touchers.items[i].node = node;
			return;
		}
	}
	*vec_push(&m->touchers) = (struct build_toucher){ thread, node, s->toucher };
	s->toucher = (uint32_t)m->touchers.count - 1;
	if (s->lifetime_event != ORDER_NONE)
		build_add_lifetime_edge(b, s->lifetime_event, node);
}

/* Does the event use an object at its address without an access to bytes? */
static bool uses_without_access(uint8_t kind)
{
	return kind == EV_FD_USE || (event_group(kind) >= EG_LOCK && !build_is_request(kind));
}

static void touch_object(struct window_builder *b, uint64_t address, uint32_t node)
{
	struct build_segment *s = build_segment_at(b, address);

	if (s && s->mortal)
		touch_lifetime(b, s, node);
}

static void add_cell(struct window_builder *b, struct build_segment *s)
{
	struct build_memory *m = &b->memory;
	struct build_cell cell = { .segment = (uint32_t)(s - m->segments.items),
				   .initial = ORDER_NONE,
				   .value = ORDER_NONE,
				   .writer = ORDER_NONE,
				   .loaded = true };

	s->cell = (uint32_t)m->cells.count;
	*vec_push(&m->cells) = cell;
}

/* A lifetime of a block or a stack begins or ends: orders the event after all earlier touches. */
static void begin_or_end_lifetime(struct window_builder *b, const struct build_range *r,
				  bool begins, uint32_t node)
{
	struct build_memory *m = &b->memory;

	for (uint32_t i = r->first; i < r->first + r->count; i++) {
		struct build_segment *s = &m->segments.items[i];

		if (s->lifetime_event != ORDER_NONE)
			build_collect_last(b, s->lifetime_event);
		for (uint32_t k = s->toucher; k != ORDER_NONE; k = m->touchers.items[k].next)
			build_collect_last(b, m->touchers.items[k].node);
		s->toucher = ORDER_NONE;
		s->lifetime_event = node;
		build_add_touch(b, s, node);
		if (begins && s->covered)
			add_cell(b, s);
	}
	build_add_lifetime_edges_from_lasts(b, node);
}

/* ---- reads and writes ------------------------------------------------------------------------ */

/* Returns the segment's bytes at the start of the window, and their states, in scratch memory. */
static uint8_t *load_bytes(struct window_builder *b, const struct build_segment *s, uint8_t **state)
{
	uint64_t size = s->high - s->low;
	uint8_t *value;

	b->memory.scratch.count = 0;
	value = vec_reserve(&b->memory.scratch, 2 * size);
	*state = value + size;
	window_bytes_load(&b->state->bytes, s->low, size, value, *state);
	return value;
}

/* Loads the cell's value at the start of the window, if all its bytes are known. */
static void load_cell(struct window_builder *b, struct build_cell *c)
{
	struct build_memory *m = &b->memory;
	const struct build_segment *s = &m->segments.items[c->segment];
	uint64_t size = s->high - s->low;
	uint8_t *value, *state;

	value = load_bytes(b, s, &state);
	c->loaded = true;
	for (uint64_t i = 0; i < size; i++) {
		if (state[i] != BYTE_KNOWN)
			return;
	}
	c->initial = c->value = build_value_of_bytes(b, value, size);
}

/*
 * Called for the first read of a cell that this window has not written and that is not fully known.
 * Can the cell have had this value at the start of the window? Returns false if known bytes differ.
 */
static bool may_be_initial_value(struct window_builder *b, struct build_cell *c, uint32_t value)
{
	struct build_memory *m = &b->memory;
	const struct build_segment *s = &m->segments.items[c->segment];
	uint64_t size = s->high - s->low;
	uint8_t *known, *state;
	const uint8_t *bytes;
	uint32_t unit;

	if (&m->cells.items[s->first] != c)
		return true; /* the cell's lifetime began in this window */
	known = load_bytes(b, s, &state);
	bytes = build_bytes_of_value(b, value, size, &unit);
	for (uint64_t i = 0; i < size; i++) {
		if ((state[i] == BYTE_KNOWN || state[i] == BYTE_SEEN) &&
		    known[i] != bytes[i % unit])
			return false;
		c->pinned |= state[i] == BYTE_WRITTEN || state[i] == BYTE_SEEN;
	}
	return true;
}

/* Checks whether the value that a read found is possible. From here on the cell has this value. */
static void check_read_value(struct window_builder *b, struct build_cell *c, uint32_t value)
{
	bool first = c->value == ORDER_NONE, fits = first || c->value == value;

	if (first && c->writer == ORDER_NONE)
		fits = may_be_initial_value(b, c, value);
	if (!fits) { /* unrecorded code wrote the value */
		b->memory.segments.items[c->segment].frozen = true;
		b->unexplained = b->read_unexplained = true;
		c->pinned = false;
	}
	c->value = value;
	if (first && c->writer == ORDER_NONE && !c->pinned)
		c->initial = value;
}

static void read_cell(struct window_builder *b, struct build_cell *c,
		      const struct window_item *item, uint32_t node)
{
	bool update = item->kind == EV_ATOMIC_UPDATE;
	bool known = (update ? item->has_old : item->has_value) && !(item->flags & EF_INEXACT);
	struct build_access read = { .node = node, .value = ORDER_NONE, .writer = c->writer };

	if (known) {
		read.value = build_value(b, &b->memory.segments.items[c->segment], item, update);
		check_read_value(b, c, read.value);
		if (!c->pinned)
			read.writer = ORDER_ANY;
	}
	read.cell = (uint32_t)(c - b->memory.cells.items);
	*vec_push(&b->memory.accesses) = read;
	c->reads++;
}

/* `was` is the value of the cell before the event. An update may have read another value. */
static void write_cell(struct window_builder *b, struct build_cell *c,
		       const struct window_item *item, uint32_t node, uint32_t was)
{
	const struct build_segment *s = &b->memory.segments.items[c->segment];
	bool known = item->has_value && !(item->flags & EF_INEXACT);
	uint32_t value = known ? build_value(b, s, item, false) : build_unique_value(b);
	bool idle = !c->blind && was == value;

	c->value = known ? value : ORDER_NONE;
	c->pinned = c->blind = !known;
	c->writer = node;
	c->writes++;
	*vec_push(&b->memory.accesses) = (struct build_access){
		(uint32_t)(c - b->memory.cells.items), node, value, ORDER_NONE, true, idle
	};
}

static void touch_cell(struct window_builder *b, struct build_segment *s,
		       const struct window_item *item, uint32_t node)
{
	struct build_cell *c = &b->memory.cells.items[s->cell];
	uint32_t thread = b->window->model.thread.items[node], was;

	if (!c->loaded)
		load_cell(b, c);
	was = c->value;
	if (!c->reads && !c->writes)
		c->thread = thread;
	c->many |= c->thread != thread;
	if (item->flags & EF_ENVIRONMENT)
		s->frozen = b->unexplained = true;
	if (item->kind != EV_WRITE && item->kind != EV_ATOMIC_WRITE)
		read_cell(b, c, item, node);
	if (item->kind != EV_READ && item->kind != EV_ATOMIC_READ)
		write_cell(b, c, item, node, was);
}

void build_touch_memory(struct window_builder *b, const struct window_item *item, uint32_t node)
{
	struct build_memory *m = &b->memory;
	uint32_t range = m->range_of.items[node];
	struct window_node *window_node = &b->window->nodes.items[node];

	if (range == ORDER_NONE) {
		if (m->mortal && uses_without_access(item->kind)) {
			touch_object(b, item->address, node);
			if (item->kind == EV_WAIT || item->kind == EV_WOKEN)
				touch_object(b, item->other, node);
		}
		return;
	}
	if (m->ranges.items[range].lifetime) {
		begin_or_end_lifetime(b, &m->ranges.items[range],
				      item->kind == EV_ALLOC || item->kind == EV_MAP, node);
		return;
	}
	window_node->cell_start = (uint32_t)b->window->cells.count;
	for (uint32_t i = 0; i < m->ranges.items[range].count; i++) {
		struct build_segment *s = &m->segments.items[m->ranges.items[range].first + i];

		if (!s->covered)
			continue;
		if (s->mortal)
			touch_lifetime(b, s, node);
		touch_cell(b, s, item, node);
		*vec_push(&b->window->cells) = s->cell;
	}
	window_node->cell_count = (uint32_t)b->window->cells.count - window_node->cell_start;
}

/* ---- back to the state ----------------------------------------------------------------------- */

void build_commit_memory(struct window_builder *b, uint32_t items)
{
	struct build_memory *m = &b->memory;
	struct window_bytes *bytes = &b->state->bytes;

	for (uint32_t i = 0; m->mortal && i < items; i++) {
		const struct window_item *item = &b->input->items[i];

		if (item->kind == EV_ALLOC || item->kind == EV_MAP)
			window_bytes_forget(bytes, item->address, item->size);
	}
	for (size_t i = 0; i < m->segments.count; i++) {
		const struct build_segment *s = &m->segments.items[i];
		const struct build_cell *c = &m->cells.items[s->cell];
		uint64_t size = s->high - s->low;
		uint32_t unit = 1;

		if (!c->reads && !c->writes)
			continue;
		if (c->value != ORDER_NONE) {
			const uint8_t *value = build_bytes_of_value(b, c->value, size, &unit);

			window_bytes_store(bytes, s->low, size, value, unit,
					   c->pinned ? BYTE_SEEN : BYTE_KNOWN);
		} else if (c->writer != ORDER_NONE) {
			window_bytes_store(bytes, s->low, size, NULL, 1, BYTE_WRITTEN);
		}
	}
}

/* ---- into the model -------------------------------------------------------------------------- */

/*
 * Numbers the cells of the model. Leaves out cells that constrain nothing: those that only one
 * thread accesses, and those that are never written, unless they are frozen. A frozen cell gets a
 * number, but no reads and writes in the model: its accesses only keep their order.
 */
static void number_cells(struct window_builder *b)
{
	struct build_memory *m = &b->memory;
	struct order_model *model = &b->window->model;
	uint32_t reads = 0, writes = 0;

	for (size_t i = 0; i < m->cells.count; i++) {
		struct build_cell *c = &m->cells.items[i];

		c->number = ORDER_NONE;
		if (!c->many || (!c->writes && !m->segments.items[c->segment].frozen))
			continue;
		c->number = (uint32_t)model->cells.count;
		if (m->segments.items[c->segment].frozen)
			c->reads = c->writes = 0;
		*vec_push(&model->cells) =
			(struct order_cell){ c->initial, writes, c->writes, reads, c->reads };
		writes += c->writes;
		reads += c->reads;
	}
	vec_reserve(&model->writes, writes + 1)[0] = (struct order_write){ 0 };
	vec_reserve(&model->reads, reads + 1)[0] = (struct order_read){ 0 };
	model->writes.count = writes;
	model->reads.count = reads;
}

static void emit_accesses(struct window_builder *b, uint32_t *reads, uint32_t *writes,
			  uint32_t *chain)
{
	struct build_memory *m = &b->memory;
	struct order_model *model = &b->window->model;

	for (size_t i = 0; i < m->accesses.count; i++) {
		const struct build_access *a = &m->accesses.items[i];
		const struct build_cell *c = &m->cells.items[a->cell];

		if (m->segments.items[c->segment].frozen) {
			b->window->nodes.items[a->node].environment = true;
			/*
			 * A chain is for bytes, through all their lifetimes, and does not contain
			 * the events that begin a lifetime: analyses that ignore lifetimes
			 * (predict/lifetime/lifetime.c) need it, too.
			 */
			if (event_group(b->window->nodes.items[a->node].kind) == EG_MEMORY)
				continue;
			if (a->idle && c->number != ORDER_NONE)
				*vec_push(&b->window->idle) = (uint64_t)a->node << 32 | c->number;
			if (chain[c->segment] != ORDER_NONE && chain[c->segment] != a->node)
				build_add_edge(b, chain[c->segment], a->node);
			chain[c->segment] = a->node;
		} else if (c->number == ORDER_NONE) {
			continue;
		} else if (a->write) {
			model->writes.items[writes[c->number]++] =
				(struct order_write){ a->node, a->value };
		} else {
			model->reads.items[reads[c->number]++] =
				(struct order_read){ a->node, a->value, a->writer };
		}
	}
}

/* Replaces the cells of each node by their numbers in the model. */
static void renumber_cells(struct window_builder *b)
{
	struct window *w = b->window;
	uint32_t kept = 0;

	for (size_t i = 0; i < w->nodes.count; i++) {
		struct window_node *node = &w->nodes.items[i];
		uint32_t start = kept;

		for (uint32_t k = 0; k < node->cell_count; k++) {
			uint32_t cell = w->cells.items[node->cell_start + k];

			if (b->memory.cells.items[cell].number != ORDER_NONE)
				w->cells.items[kept++] = b->memory.cells.items[cell].number;
		}
		node->cell_start = start;
		node->cell_count = kept - start;
	}
	w->cells.count = kept;
}

void build_emit_memory(struct window_builder *b)
{
	struct build_memory *m = &b->memory;
	struct order_model *model = &b->window->model;
	uint32_t *reads, *writes, *chain;

	number_cells(b);
	reads = mem_alloc((model->cells.count + 1) * sizeof *reads);
	writes = mem_alloc((model->cells.count + 1) * sizeof *writes);
	chain = mem_alloc((m->segments.count + 1) * sizeof *chain);
	for (size_t i = 0; i < model->cells.count; i++) {
		reads[i] = model->cells.items[i].read_start;
		writes[i] = model->cells.items[i].write_start;
	}
	for (size_t i = 0; i < m->segments.count; i++)
		chain[i] = ORDER_NONE;
	emit_accesses(b, reads, writes, chain);
	renumber_cells(b);
	free(reads);
	free(writes);
	free(chain);
}
