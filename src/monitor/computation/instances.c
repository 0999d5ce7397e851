/*
 * The instances are all joins of compatible bindings that occur (Roşu and Chen, algorithm D). An
 * instance is judged on the events whose bindings are part of its binding. The *domain* of a
 * binding is the set of parameters that it binds. Bindings of the same domain never join with each
 * other. To join bindings of two domains, a hash of the parameters that both bind finds the
 * candidates. This is repeated until no new instance appears.
 */
#include "monitor/computation/instances.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct instance_finder {
	struct instances *found;
	struct map index;      /* hash of a binding to the first instance with this hash, + 1 */
	VEC(uint32_t) next;    /* by instance: the next one with the same hash, + 1 */
	VEC(uint64_t) domains; /* by instance: its domain, one bit per parameter */
	VEC(uint64_t) kinds;   /* the distinct domains */
};

static uint64_t domain_of(const uint32_t *binding, uint32_t parameters)
{
	uint64_t domain = 0;

	for (uint32_t p = 0; p < parameters; p++) {
		if (binding[p] != PROPERTY_NONE)
			domain |= 1ull << p;
	}
	return domain;
}

static uint64_t hash_of(const uint32_t *binding, uint32_t parameters, uint64_t domain)
{
	uint64_t hash = domain;

	for (uint32_t p = 0; p < parameters; p++) {
		if (domain >> p & 1)
			hash = hash_mix(hash, binding[p] + 1ull);
	}
	return hash;
}

static const uint32_t *binding_of_instance(const struct instance_finder *f, size_t i)
{
	return f->found->values.items + i * f->found->parameters;
}

/* Adds an instance. Returns false if it is known already or there are too many. */
static bool add_instance(struct instance_finder *f, const uint32_t *binding)
{
	uint32_t parameters = f->found->parameters;
	uint64_t domain = domain_of(binding, parameters);
	uint64_t *first = map_put(&f->index, hash_of(binding, parameters, domain), NULL);
	size_t kind = 0;

	for (uint64_t i = *first; i; i = f->next.items[i - 1]) {
		if (!memcmp(binding_of_instance(f, i - 1), binding, parameters * sizeof *binding))
			return false;
	}
	if (f->found->count == INSTANCES_MOST) {
		f->found->cut = true;
		return false;
	}
	*vec_push(&f->next) = (uint32_t)*first;
	*first = f->next.count;
	*vec_push(&f->domains) = domain;
	for (uint32_t p = 0; p < parameters; p++)
		*vec_push(&f->found->values) = binding[p];
	f->found->count++;
	while (kind < f->kinds.count && f->kinds.items[kind] != domain)
		kind++;
	if (kind == f->kinds.count)
		*vec_push(&f->kinds) = domain;
	return true;
}

/*
 * Joins instance `i` with the compatible instances of the other domain. Returns whether this found
 * a new instance.
 */
static bool join_instance(struct instance_finder *f, size_t i, const struct map *heads,
			  const uint32_t *next, uint64_t common)
{
	uint32_t parameters = f->found->parameters;
	const uint64_t *head =
		map_get(heads, hash_of(binding_of_instance(f, i), parameters, common));
	uint32_t *joined = mem_alloc((parameters + 1ull) * sizeof *joined);
	bool found = false;

	for (uint64_t k = head ? *head : 0; k && !f->found->cut; k = next[k - 1]) {
		const uint32_t *a = binding_of_instance(f, i), *b = binding_of_instance(f, k - 1);
		bool agree = true;

		for (uint32_t p = 0; p < parameters; p++) {
			agree &= a[p] == PROPERTY_NONE || b[p] == PROPERTY_NONE || a[p] == b[p];
			joined[p] = a[p] == PROPERTY_NONE ? b[p] : a[p];
		}
		if (agree)
			found |= add_instance(f, joined);
	}
	free(joined);
	return found;
}

static bool join_domains(struct instance_finder *f, uint64_t a, uint64_t b)
{
	size_t count = f->found->count;
	uint32_t *next = mem_zalloc(count + 1, sizeof *next);
	struct map heads = { 0 };
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t *head;

		if (f->domains.items[i] != b)
			continue;
		head = map_put(&heads,
			       hash_of(binding_of_instance(f, i), f->found->parameters, a & b),
			       NULL);
		next[i] = (uint32_t)*head;
		*head = i + 1;
	}
	for (size_t i = 0; i < count && !f->found->cut; i++) {
		if (f->domains.items[i] == a)
			found |= join_instance(f, i, &heads, next, a & b);
	}
	map_free(&heads);
	free(next);
	return found;
}

static bool join_all(struct instance_finder *f)
{
	bool found = false;

	for (size_t i = 0; i < f->kinds.count; i++) {
		for (size_t k = 0; k < i; k++) {
			uint64_t a = f->kinds.items[i], b = f->kinds.items[k];

			if ((a | b) != a && (a | b) != b)
				found |= join_domains(f, a, b);
		}
	}
	return found;
}

void instances_find(const struct property_events *events, struct instances *instances)
{
	struct instance_finder f = { .found = instances };

	*instances = (struct instances){ .parameters = events->parameters };
	for (size_t i = 0; i < events->events.count; i++)
		add_instance(&f, events->bindings.items + events->events.items[i].bindings);
	while (events->parameters <= 64 && !instances->cut && join_all(&f))
		;
	map_free(&f.index);
	vec_free(&f.next);
	vec_free(&f.domains);
	vec_free(&f.kinds);
}

void instances_free(struct instances *instances)
{
	vec_free(&instances->values);
}
