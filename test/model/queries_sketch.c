#include "queries_sketch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct fact *sketch_add(struct sketch *sketch, struct fact fact)
{
	struct fact *added = vec_push(&sketch->facts);

	*added = fact;
	added->number = (uint32_t)sketch->facts.count;
	return added;
}

void sketch_add_literal(struct fact *fact, uint32_t a, uint32_t b, bool negative)
{
	assert(fact->literal_count < SKETCH_LITERALS);
	fact->literals[fact->literal_count++] = (struct sketch_literal){ a, b, negative };
}

void sketch_free(struct sketch *sketch)
{
	vec_free(&sketch->nodes);
	vec_free(&sketch->facts);
}

void sketch_copy(struct sketch *to, const struct sketch *from)
{
	*to = (struct sketch){ .threads = from->threads };
	for (size_t i = 0; i < from->nodes.count; i++)
		*vec_push(&to->nodes) = from->nodes.items[i];
	for (size_t i = 0; i < from->facts.count; i++)
		*vec_push(&to->facts) = from->facts.items[i];
}

void sketch_drop_fact(struct sketch *sketch, size_t i)
{
	struct fact *facts = sketch->facts.items;
	struct fact gone = facts[i];

	memmove(&facts[i], &facts[i + 1], (--sketch->facts.count - i) * sizeof *facts);
	if (gone.kind != FACT_WAIT)
		return;
	for (size_t k = sketch->facts.count; k-- > 0;)
		if (facts[k].kind == FACT_DEAF && facts[k].a == gone.number)
			sketch_drop_fact(sketch, k);
}

/* Do a and b of the fact denote nodes? */
static bool names_nodes(const struct fact *fact)
{
	return fact->kind != FACT_DEAF && fact->kind != FACT_CLAUSE && fact->kind != FACT_EMPTY &&
	       fact->kind != FACT_INITIAL && fact->kind != FACT_SEMAPHORE;
}

static bool has_second_node(const struct fact *fact)
{
	return fact->kind == FACT_EDGE || fact->kind == FACT_READ || fact->kind == FACT_SECTION ||
	       fact->kind == FACT_WAIT;
}

static void renumber(uint32_t *node, uint32_t gone)
{
	if (*node<ORDER_ANY && * node> gone)
		--*node;
}

void sketch_drop_node(struct sketch *sketch, uint32_t node)
{
	uint32_t *nodes = sketch->nodes.items;

	for (size_t i = sketch->facts.count; i-- > 0;) {
		struct fact *f = &sketch->facts.items[i];
		bool gone =
			names_nodes(f) && (f->a == node || (has_second_node(f) && f->b == node));

		for (uint32_t k = 0; k < f->literal_count; k++)
			gone |= f->literals[k].a == node ||
				(f->literals[k].a != ORDER_NONE && f->literals[k].b == node);
		if (gone) {
			sketch_drop_fact(sketch, i);
			if (i > sketch->facts.count)
				i = sketch->facts.count;
		}
	}
	memmove(&nodes[node], &nodes[node + 1], (--sketch->nodes.count - node) * sizeof *nodes);
	for (size_t i = 0; i < sketch->facts.count; i++) {
		struct fact *f = &sketch->facts.items[i];

		if (names_nodes(f))
			renumber(&f->a, node);
		if (names_nodes(f) && has_second_node(f))
			renumber(&f->b, node);
		for (uint32_t k = 0; k < f->literal_count; k++) {
			renumber(&f->literals[k].a, node);
			if (f->literals[k].a != ORDER_NONE)
				renumber(&f->literals[k].b, node);
		}
	}
}

/* ---- building ------------------------------------------------------------------------------ */

/* Returns the number of objects of a kind: one more than the highest index in a fact. */
static uint32_t count_objects(const struct sketch *sketch, unsigned kinds)
{
	uint32_t count = 0;

	for (size_t i = 0; i < sketch->facts.count; i++)
		if (kinds >> sketch->facts.items[i].kind & 1 &&
		    count <= sketch->facts.items[i].object)
			count = sketch->facts.items[i].object + 1;
	return count;
}

static void build_cell(const struct sketch *sketch, uint32_t number, struct order_model *m)
{
	struct order_cell cell = { .initial = ORDER_NONE,
				   .write_start = (uint32_t)m->writes.count,
				   .read_start = (uint32_t)m->reads.count };

	for (size_t i = 0; i < sketch->facts.count; i++) {
		const struct fact *f = &sketch->facts.items[i];

		if (f->object != number)
			continue;
		if (f->kind == FACT_INITIAL)
			cell.initial = f->value;
		else if (f->kind == FACT_WRITE)
			*vec_push(&m->writes) = (struct order_write){ f->a, f->value };
		else if (f->kind == FACT_READ)
			*vec_push(&m->reads) = (struct order_read){ f->a, f->value, f->b };
	}
	cell.write_count = (uint32_t)m->writes.count - cell.write_start;
	cell.read_count = (uint32_t)m->reads.count - cell.read_start;
	*vec_push(&m->cells) = cell;
}

static void build_lock(const struct sketch *sketch, uint32_t number, struct order_model *m)
{
	struct order_lock lock = { .section_start = (uint32_t)m->sections.count,
				   .fail_start = (uint32_t)m->fails.count };

	for (size_t i = 0; i < sketch->facts.count; i++) {
		const struct fact *f = &sketch->facts.items[i];

		if (f->kind == FACT_SECTION && f->object == number)
			*vec_push(&m->sections) =
				(struct order_section){ f->a, f->b, f->thread, f->flag };
		else if (f->kind == FACT_FAIL && f->object == number)
			*vec_push(&m->fails) = (struct order_fail){ f->a, f->flag };
	}
	lock.section_count = (uint32_t)m->sections.count - lock.section_start;
	lock.fail_count = (uint32_t)m->fails.count - lock.fail_start;
	*vec_push(&m->locks) = lock;
}

static void build_condition(const struct sketch *sketch, uint32_t number, struct order_model *m)
{
	struct order_condition condition = { .wait_start = (uint32_t)m->waits.count,
					     .signal_start = (uint32_t)m->signals.count };

	for (size_t i = 0; i < sketch->facts.count; i++) {
		const struct fact *f = &sketch->facts.items[i];

		if (f->kind == FACT_WAIT && f->object == number)
			*vec_push(&m->waits) =
				(struct order_wait){ f->a,  f->b,      f->thread, (uint8_t)f->value,
						     false, ORDER_NONE };
		else if (f->kind == FACT_SIGNAL && f->object == number)
			*vec_push(&m->signals) = (struct order_signal){ f->a, f->flag };
	}
	condition.wait_count = (uint32_t)m->waits.count - condition.wait_start;
	condition.signal_count = (uint32_t)m->signals.count - condition.signal_start;
	*vec_push(&m->conditions) = condition;
}

static void build_semaphore(const struct sketch *sketch, uint32_t number, struct order_model *m)
{
	struct order_semaphore s = { .exact = true,
				     .post_start = (uint32_t)m->posts.count,
				     .down_start = (uint32_t)m->downs.count,
				     .zero_start = (uint32_t)m->zeros.count };

	for (size_t i = 0; i < sketch->facts.count; i++) {
		const struct fact *f = &sketch->facts.items[i];

		if (f->object != number)
			continue;
		if (f->kind == FACT_SEMAPHORE)
			s.initial = f->value;
		else if (f->kind == FACT_POST)
			*vec_push(&m->posts) = f->a;
		else if (f->kind == FACT_DOWN)
			*vec_push(&m->downs) = f->a;
		else if (f->kind == FACT_ZERO)
			*vec_push(&m->zeros) = f->a;
	}
	s.post_count = (uint32_t)m->posts.count - s.post_start;
	s.down_count = (uint32_t)m->downs.count - s.down_start;
	s.zero_count = (uint32_t)m->zeros.count - s.zero_start;
	*vec_push(&m->semaphores) = s;
}

static int32_t build_literal(const struct sketch_literal *l, struct order_query *q,
			     int32_t *booleans)
{
	int32_t literal;

	if (l->a != ORDER_NONE) {
		literal = l->negative ? order_query_before(q, l->b, l->a)
				      : order_query_before(q, l->a, l->b);
		return l->negative ? -literal : literal;
	}
	assert(l->b < 32);
	if (!booleans[l->b])
		booleans[l->b] = order_query_boolean(q);
	return l->negative ? -booleans[l->b] : booleans[l->b];
}

/* Returns the index of a wait in the model, from the number of its fact. */
static uint32_t find_wait(const struct sketch *sketch, uint32_t number)
{
	uint32_t conditions = count_objects(sketch, 1u << FACT_WAIT | 1u << FACT_SIGNAL), wait = 0;

	for (uint32_t c = 0; c < conditions; c++)
		for (size_t i = 0; i < sketch->facts.count; i++) {
			const struct fact *f = &sketch->facts.items[i];

			if (f->kind != FACT_WAIT || f->object != c)
				continue;
			if (f->number == number)
				return wait;
			wait++;
		}
	assert(!"a unwoken wait that is not there");
	return 0;
}

static void build_query(const struct sketch *sketch, struct order_query *q)
{
	int32_t booleans[32] = { 0 };

	for (size_t i = 0; i < sketch->facts.count; i++) {
		const struct fact *f = &sketch->facts.items[i];
		int32_t literals[SKETCH_LITERALS];

		for (uint32_t k = 0; k < f->literal_count; k++)
			literals[k] = build_literal(&f->literals[k], q, booleans);
		if (f->kind == FACT_CLAUSE)
			order_query_clause(q, literals, f->literal_count);
		else if (f->kind == FACT_EMPTY)
			*vec_push(&q->empty) = (struct order_empty){ literals[0], f->object };
		else if (f->kind == FACT_DEAF)
			*vec_push(&q->unwoken) =
				(struct order_unwoken){ literals[0], find_wait(sketch, f->a) };
	}
}

void sketch_build(const struct sketch *sketch, struct order_model *m, struct order_query *query)
{
	uint32_t cells =
		count_objects(sketch, 1u << FACT_INITIAL | 1u << FACT_WRITE | 1u << FACT_READ);
	uint32_t locks = count_objects(sketch, 1u << FACT_SECTION | 1u << FACT_FAIL);
	uint32_t conditions = count_objects(sketch, 1u << FACT_WAIT | 1u << FACT_SIGNAL);
	uint32_t semaphores =
		count_objects(sketch, 1u << FACT_SEMAPHORE | 1u << FACT_POST | 1u << FACT_DOWN |
					      1u << FACT_ZERO | 1u << FACT_EMPTY);

	*m = (struct order_model){ .node_count = (uint32_t)sketch->nodes.count,
				   .thread_count = sketch->threads };
	*query = (struct order_query){ 0 };
	for (size_t i = 0; i < sketch->nodes.count; i++)
		*vec_push(&m->thread) = sketch->nodes.items[i];
	for (size_t i = 0; i < sketch->facts.count; i++)
		if (sketch->facts.items[i].kind == FACT_EDGE)
			*vec_push(&m->edges) = (struct order_edge){ sketch->facts.items[i].a,
								    sketch->facts.items[i].b };
	for (uint32_t i = 0; i < cells; i++)
		build_cell(sketch, i, m);
	for (uint32_t i = 0; i < locks; i++)
		build_lock(sketch, i, m);
	for (uint32_t i = 0; i < conditions; i++)
		build_condition(sketch, i, m);
	for (uint32_t i = 0; i < semaphores; i++)
		build_semaphore(sketch, i, m);
	order_model_index(m);
	build_query(sketch, query);
}

static void take_query(struct sketch *sketch, const struct order_query *query)
{
	struct fact clause = { .kind = FACT_CLAUSE };

	for (size_t i = 0; i < query->clauses.count; i++) {
		int32_t literal = query->clauses.items[i];
		struct order_atom atom;

		if (!literal) {
			sketch_add(sketch, clause);
			clause.literal_count = 0;
			continue;
		}
		atom = query->atoms.items[abs(literal) - 1];
		if (literal > 0)
			sketch_add_literal(&clause, atom.before, atom.after, false);
		else
			sketch_add_literal(&clause, atom.after, atom.before, true);
	}
}

void sketch_take(struct sketch *sketch, const struct order_model *m,
		 const struct order_query *query)
{
	*sketch = (struct sketch){ .threads = m->thread_count };
	for (uint32_t n = 0; n < m->node_count; n++)
		*vec_push(&sketch->nodes) = m->thread.items[n];
	for (size_t i = 0; i < m->edges.count; i++)
		sketch_add(sketch, (struct fact){ .kind = FACT_EDGE,
						  .a = m->edges.items[i].from,
						  .b = m->edges.items[i].to });
	for (uint32_t c = 0; c < m->cells.count; c++) {
		const struct order_cell *cell = &m->cells.items[c];
		const struct order_write *w = &m->writes.items[cell->write_start];
		const struct order_read *r = &m->reads.items[cell->read_start];

		if (cell->initial != ORDER_NONE)
			sketch_add(sketch, (struct fact){ .kind = FACT_INITIAL,
							  .object = c,
							  .value = cell->initial });
		for (uint32_t i = 0; i < cell->write_count; i++)
			sketch_add(sketch, (struct fact){ .kind = FACT_WRITE,
							  .object = c,
							  .a = w[i].node,
							  .value = w[i].value });
		for (uint32_t i = 0; i < cell->read_count; i++)
			sketch_add(sketch, (struct fact){ .kind = FACT_READ,
							  .object = c,
							  .a = r[i].node,
							  .b = r[i].writer,
							  .value = r[i].value });
	}
	for (uint32_t l = 0; l < m->locks.count; l++)
		for (uint32_t i = 0; i < m->locks.items[l].section_count; i++) {
			struct order_section *s =
				&m->sections.items[m->locks.items[l].section_start + i];

			sketch_add(sketch, (struct fact){ .kind = FACT_SECTION,
							  .object = l,
							  .a = s->acquire,
							  .b = s->release,
							  .thread = s->thread,
							  .flag = s->shared });
		}
	take_query(sketch, query);
}

/* ---- printing ------------------------------------------------------------------------------ */

static const char *name(uint32_t node)
{
	static char texts[4][16];
	static unsigned next;
	char *text = texts[next++ % 4];

	if (node == ORDER_CUT)
		return "CUT";
	if (node == ORDER_NONE)
		return "-";
	if (node == ORDER_ANY)
		return "any";
	snprintf(text, sizeof texts[0], "%u", node);
	return text;
}

static void print_literals(const struct fact *f)
{
	for (uint32_t i = 0; i < f->literal_count; i++) {
		const struct sketch_literal *l = &f->literals[i];

		if (l->a == ORDER_NONE)
			printf(" %sb%u", l->negative ? "not " : "", l->b);
		else
			printf(" %s<%s", name(l->a), name(l->b));
		printf(i + 1 < f->literal_count ? " or" : "");
	}
}

void sketch_print(const struct sketch *sketch)
{
	static const char *const kinds[] = { "edge", "initial", "write",  "read",      "section",
					     "fail", "wait",	"signal", "semaphore", "post",
					     "down", "zero",	"clause", "empty",     "unwoken" };

	printf("threads of nodes:");
	for (size_t i = 0; i < sketch->nodes.count; i++)
		printf(" %zu:T%u", i, sketch->nodes.items[i]);
	printf("\n");
	for (size_t i = 0; i < sketch->facts.count; i++) {
		const struct fact *f = &sketch->facts.items[i];

		printf("%s", kinds[f->kind]);
		if (f->kind != FACT_EDGE && f->kind != FACT_CLAUSE && f->kind != FACT_DEAF)
			printf(" of %u:", f->object);
		if (names_nodes(f))
			printf(" %s", name(f->a));
		if (names_nodes(f) && has_second_node(f))
			printf(f->kind == FACT_READ ? " from %s" : " %s", name(f->b));
		if (f->kind == FACT_SECTION || f->kind == FACT_WAIT)
			printf(" T%u", f->thread);
		if (f->kind == FACT_INITIAL || f->kind == FACT_WRITE || f->kind == FACT_READ ||
		    f->kind == FACT_SEMAPHORE)
			printf(" = %u", f->value);
		if (f->kind == FACT_WAIT)
			printf(" #%u%s", f->number, f->value == ORDER_WAKE_FREE ? " free" : "");
		if (f->kind == FACT_DEAF)
			printf(" #%u", f->a);
		if (f->flag)
			printf(f->kind == FACT_SIGNAL ? " broadcast" : " shared");
		print_literals(f);
		printf("\n");
	}
}
