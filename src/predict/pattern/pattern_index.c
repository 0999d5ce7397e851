/* Sorted lists of a property's events, searched by binary search. */
#include "predict/pattern/pattern_index.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static uint32_t value_of(const struct pattern_index *index, uint32_t item, uint32_t parameter)
{
	const struct property_events *property = index->property;
	uint32_t number = index->numbers[item];

	return property->bindings.items[property->events.items[number].bindings + parameter];
}

struct value_order {
	const struct pattern_index *index;
	uint32_t parameter;
};

static int compare_values(const void *a, const void *b, void *context)
{
	const struct value_order *order = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return sort_order(value_of(order->index, x, order->parameter),
			  value_of(order->index, y, order->parameter))
		       ?: sort_order(x, y);
}

static uint32_t **list_at(const struct pattern_index *index, uint32_t type, uint32_t parameter)
{
	uint32_t parameters = index->property->parameters;

	return &index->by_value[type * (parameters + 1) +
				(parameter == PROPERTY_NONE ? parameters : parameter)];
}

static void list_items(struct pattern_index *index, uint32_t items, uint32_t type,
		       uint32_t parameter)
{
	const struct property_event *events = index->property->events.items;
	uint32_t *list = mem_alloc(index->count[type] * sizeof *list + 1), count = 0;
	struct value_order order = { index, parameter };

	for (uint32_t i = 0; i < items; i++) {
		if (index->numbers[i] != UINT32_MAX && events[index->numbers[i]].event == type)
			list[count++] = i;
	}
	if (parameter != PROPERTY_NONE && count)
		qsort_r(list, count, sizeof *list, compare_values, &order);
	*list_at(index, type, parameter) = list;
}

void pattern_index_make(struct pattern_index *index, const struct property_events *property,
			uint32_t *numbers, uint32_t count)
{
	uint32_t types = property->property->event_count, parameters = property->parameters;

	*index = (struct pattern_index){
		.property = property,
		.numbers = numbers,
		.count = mem_zalloc(types + (size_t)1, sizeof *index->count),
		.by_value =
			mem_zalloc((size_t)types * (parameters + 1) + 1, sizeof *index->by_value),
	};
	for (uint32_t i = 0; i < count; i++) {
		if (numbers[i] != UINT32_MAX)
			index->count[property->events.items[numbers[i]].event]++;
	}
	for (uint32_t type = 0; type < types; type++) {
		for (uint32_t p = 0; p < parameters; p++)
			list_items(index, count, type, p);
		list_items(index, count, type, PROPERTY_NONE);
	}
}

void pattern_index_free(struct pattern_index *index)
{
	size_t lists = 0;

	if (index->property)
		lists = (size_t)index->property->property->event_count *
			(index->property->parameters + 1);
	for (size_t i = 0; i < lists; i++)
		free(index->by_value[i]);
	free(index->by_value);
	free(index->count);
	free(index->numbers);
}

struct pattern_list pattern_index_list(const struct pattern_index *index, uint32_t type,
				       uint32_t parameter, uint32_t value)
{
	const uint32_t *list = *list_at(index, type, parameter);
	uint32_t count = index->count[type], low, high;

	if (parameter == PROPERTY_NONE)
		return (struct pattern_list){ list, count };
	SEARCH_FIRST(low, count, value_of(index, list[low], parameter) >= value);
	SEARCH_FIRST(high, count, value_of(index, list[high], parameter) > value);
	return (struct pattern_list){ list + low, high - low };
}
