/* Builds queries, literal by literal and clause by clause. */
#include "order/model/query.h"

#include <assert.h>
#include <string.h>

void order_query_clear(struct order_query *query)
{
	query->atoms.count = query->clauses.count = 0;
	query->empty.count = query->unwoken.count = 0;
}

void order_query_free(struct order_query *query)
{
	vec_free(&query->atoms);
	vec_free(&query->clauses);
	vec_free(&query->empty);
	vec_free(&query->unwoken);
}

int32_t order_query_before(struct order_query *query, uint32_t a, uint32_t b)
{
	assert(a != b && a != ORDER_NONE && b != ORDER_NONE);
	*vec_push(&query->atoms) = (struct order_atom){ a, b };
	return (int32_t)query->atoms.count;
}

int32_t order_query_boolean(struct order_query *query)
{
	*vec_push(&query->atoms) = (struct order_atom){ ORDER_NONE, ORDER_NONE };
	return (int32_t)query->atoms.count;
}

void order_query_clause(struct order_query *query, const int32_t *literals, uint32_t count)
{
	int32_t *room = vec_reserve(&query->clauses, count + 1);

	for (uint32_t i = 0; i < count; i++)
		assert(literals[i] != 0 && (size_t)abs(literals[i]) <= query->atoms.count);
	if (count)
		memcpy(room, literals, count * sizeof *room);
	room[count] = 0;
	query->clauses.count += count + 1;
}

static void require_before(struct order_query *query, uint32_t a, uint32_t b)
{
	int32_t literal = order_query_before(query, a, b);

	order_query_clause(query, &literal, 1);
}

void order_query_next(struct order_query *query, const struct order_model *model, uint32_t node)
{
	uint32_t previous = order_model_previous(model, node);

	if (previous != ORDER_NONE)
		require_before(query, previous, ORDER_CUT);
	require_before(query, ORDER_CUT, node);
}

bool order_query_next_unit(const struct order_query *query, size_t *at, struct order_atom *atom)
{
	const int32_t *literals = query->clauses.items;

	for (size_t i = *at; i < query->clauses.count; i++) {
		if (literals[i] == 0 || literals[i + 1] != 0 || (i > 0 && literals[i - 1] != 0))
			continue;
		*atom = query->atoms.items[abs(literals[i]) - 1];
		if (literals[i] < 0)
			*atom = (struct order_atom){ atom->after, atom->before };
		*at = i + 1;
		return true;
	}
	return false;
}
