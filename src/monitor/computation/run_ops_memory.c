/*
 * The operations of accesses, allocations and frees: what they do to cells and to objects in
 * memory.
 */
#include "monitor/computation/run_ops.h"

#include "trace/symbol.h"

/* ---- accesses -------------------------------------------------------------------------------- */

static void touch_cell(struct run_ops_maker *m, uint32_t cell, bool frozen, bool reads, bool writes)
{
	struct run_op_touch touch = { .object = cell, .writes = writes };

	if (frozen) {
		touch.role = RUN_OP_KEEPS_ORDER;
		touch.writes = true;
		run_ops_touch(m, &touch);
		return;
	}
	if (reads) {
		touch.role = m->cell_sets[cell] ? RUN_OP_JOINS : RUN_OP_READS_INITIAL;
		touch.set = m->cell_sets[cell] - 1;
		run_ops_touch(m, &touch);
	}
	if (writes) {
		touch.role = RUN_OP_OPENS;
		touch.set = run_ops_new_set(m);
		m->cell_sets[cell] = touch.set + 1;
		run_ops_touch(m, &touch);
	}
}

static bool is_global(struct run_ops_maker *m, uint64_t address)
{
	bool fresh;
	uint64_t *known = map_put(&m->globals, address, &fresh), offset;

	if (fresh) {
		if (!m->symbols)
			m->symbols = trace_symbols_open(m->ops->trace);
		*known = trace_symbols_around(m->symbols, address, &offset) != NULL;
	}
	return *known;
}

/*
 * Adds the touches of an access. Returns false if the access is an internal event, which does not
 * count: no other thread touches the memory, and it is not a global variable.
 */
bool run_ops_add_access(struct run_ops_maker *m, const struct trace_event *ev)
{
	bool reads = ev->kind != EV_WRITE && ev->kind != EV_ATOMIC_WRITE;
	bool writes = ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ;
	bool several = false;
	uint32_t last = 0;

	for (uint64_t i = 0; i < ev->size; i++) {
		const struct survey_byte *byte = pages_get(&m->survey.bytes, ev->address + i);

		several |= byte->bits & SURVEY_SEVERAL;
		if (byte->cell && byte->cell != last)
			touch_cell(m, byte->cell - 1, byte->bits & SURVEY_FROZEN, reads, writes);
		last = byte->cell;
	}
	return m->every && (several || trace_is_text(m->ops->trace) || is_global(m, ev->address));
}

/*
 * Calls that use a descriptor keep no order among each other. They only stay inside its lifetime.
 */
void run_ops_add_descriptor(struct run_ops_maker *m, const struct trace_event *ev)
{
	const struct survey_object *object;

	if (ev->kind != EV_FD_USE)
		return;
	object = survey_object(&m->survey, SURVEY_DESCRIPTOR, ev->address);
	if (object->number != SURVEY_NONE)
		run_ops_touch(m, &(struct run_op_touch){ .object = object->number,
							 .role = RUN_OP_READS_INITIAL });
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static void touch_lifetime(struct run_ops_maker *m, uint32_t object)
{
	m->ops->objects.items[object].has_lifetime = true;
	run_ops_touch(m, &(struct run_op_touch){
				 .object = object, .role = RUN_OP_LIFETIME, .writes = true });
}

struct cell_lifetimes {
	struct run_ops_maker *maker;
	uint32_t last;
};

static void begin_lifetime_of_cell(void *context, uint64_t number, void *item)
{
	struct cell_lifetimes *cells = context;
	const struct survey_byte *byte = item;

	(void)number;
	if (byte->cell && byte->cell != cells->last) {
		touch_lifetime(cells->maker, byte->cell - 1);
		cells->maker->cell_sets[byte->cell - 1] = 0;
	}
	cells->last = byte->cell;
}

/*
 * An access to a block cannot come before the block's lifetime begins, nor after it ends. Blocks,
 * stacks and mappings that overlap keep their order.
 */
void run_ops_add_lifetime(struct run_ops_maker *m, const struct trace_event *ev, uint32_t thread)
{
	struct cell_lifetimes cells = { m, 0 };
	uint64_t low, high;

	if (!survey_lifetimes_range(&m->lifetimes, ev, thread, &low, &high))
		return;
	for (size_t i = survey_first_object(&m->survey, SURVEY_BLOCK, low);
	     i < m->survey.objects.count && m->survey.objects.items[i].address < high; i++) {
		if (m->survey.objects.items[i].number != SURVEY_NONE)
			run_ops_touch(m, &(struct run_op_touch){
						 .object = m->survey.objects.items[i].number,
						 .role = RUN_OP_KEEPS_ORDER,
						 .writes = true });
	}
	pages_each(&m->survey.bytes, low, high, begin_lifetime_of_cell, &cells);
	for (enum survey_class class = 0; class < SURVEY_BLOCK; class ++) {
		for (size_t i = survey_first_object(&m->survey, class, low);
		     i < m->survey.objects.count && m->survey.objects.items[i].class == class &&
		     m->survey.objects.items[i].address < high;
		     i++) {
			if (m->survey.objects.items[i].number != SURVEY_NONE)
				touch_lifetime(m, m->survey.objects.items[i].number);
		}
	}
}
