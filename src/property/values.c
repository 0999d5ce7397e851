/*
 * Keeps a hash table of the live values. A sparse array maps words of memory to the objects in
 * them; when memory is allocated again, the lifetimes of these objects end. See values.h.
 */
#include "property/values.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORD 8u

static bool is_object(uint8_t type)
{
	return type == SPEC_POINTER || type == SPEC_LOCK;
}

/* ---- comparing values ------------------------------------------------------------------------ */

/* A value to look up; it does not own its text. */
struct values_key {
	uint8_t type;
	uint64_t bits, hash;
	const char *text;
	uint32_t length;
};

enum values_why values_check_type(uint8_t type, const struct property_raw *raw)
{
	if (!raw->known)
		return VALUES_UNKNOWN;
	if (raw->word)
		return raw->cut ? VALUES_CUT : VALUES_FITS;
	switch (type) {
	case SPEC_POINTER:
	case SPEC_LOCK: return raw->real ? VALUES_TYPE : raw->bits ? VALUES_FITS : VALUES_NULL;
	case SPEC_STRING: return !raw->text ? VALUES_NO_TEXT : raw->cut ? VALUES_CUT : VALUES_FITS;
	case SPEC_FLOATING: return VALUES_FITS;
	default: return raw->real ? VALUES_TYPE : VALUES_FITS;
	}
}

static uint64_t hash_text(uint64_t hash, const char *text, uint32_t length)
{
	uint64_t piece;

	for (; length >= 8; text += 8, length -= 8) {
		memcpy(&piece, text, 8);
		hash = hash_mix(hash, piece);
	}
	piece = length;
	for (uint32_t i = 0; i < length; i++)
		piece = piece << 8 | (uint8_t)text[i];
	return hash_mix(hash, piece);
}

/*
 * Builds the key to look up a value. A name in a text trace (`word`) is compared by its text. If a
 * text trace uses one name for two things, such as a lock and a variable, their types distinguish
 * them.
 */
static struct values_key make_key(uint8_t type, const struct property_raw *raw)
{
	struct values_key key = { .type = type, .bits = raw->bits, .hash = hash_mix(0, type) };
	double number = raw->number;

	if (raw->word || type == SPEC_STRING) {
		key.text = raw->text;
		key.length = raw->length;
		if (type == SPEC_STRING)
			key.bits = 0;
		key.hash = hash_text(key.hash, key.text, key.length);
		return key;
	}
	if (type == SPEC_FLOATING) {
		if (!raw->real)
			number = (double)(int64_t)raw->bits;
		number += 0.0; /* -0 becomes +0 */
		memcpy(&key.bits, &number, sizeof key.bits);
	}
	key.hash = hash_mix(key.hash, key.bits);
	return key;
}

static bool same_text(const char *a, uint32_t length, const char *b, uint32_t other)
{
	return a ? b && length == other && !memcmp(a, b, length) : !b;
}

bool values_same(uint8_t type, const struct property_raw *a, const struct property_raw *b)
{
	struct values_key x = make_key(type, a), y = make_key(type, b);

	return x.hash == y.hash && same_text(x.text, x.length, y.text, y.length) &&
	       (x.text || x.bits == y.bits);
}

/* ---- hash table ------------------------------------------------------------------------------ */

void values_open(struct values *v, bool keeps)
{
	*v = (struct values){ .keeps = keeps, .words.size = sizeof(uint32_t), .mask = 63 };
	v->buckets = mem_zalloc(v->mask + 1, sizeof *v->buckets);
}

void values_close(struct values *v)
{
	for (size_t i = 0; i < v->entries.count; i++)
		free((char *)v->entries.items[i].value.text);
	vec_free(&v->entries);
	vec_free(&v->vacant);
	vec_free(&v->gone);
	pages_free(&v->words);
	map_free(&v->lives);
	free(v->buckets);
}

static uint32_t *bucket(struct values *v, uint64_t hash)
{
	return &v->buckets[(hash >> 20 ^ hash) & v->mask];
}

static bool entry_matches(const struct values_entry *e, const struct values_key *key)
{
	return e->hash == key->hash && e->value.type == key->type &&
	       same_text(e->value.text, e->value.length, key->text, key->length) &&
	       (key->text || e->value.bits == key->bits);
}

static struct values_entry *find_entry(struct values *v, const struct values_key *key)
{
	for (uint32_t n = *bucket(v, key->hash); n; n = v->entries.items[n - 1].next) {
		struct values_entry *e = &v->entries.items[n - 1];

		if (entry_matches(e, key))
			return e;
	}
	return NULL;
}

static uint32_t index_of(const struct values *v, const struct values_entry *e)
{
	return (uint32_t)(e - v->entries.items);
}

static void grow_table(struct values *v)
{
	free(v->buckets);
	v->mask = v->mask * 2 + 1;
	v->buckets = mem_zalloc(v->mask + 1, sizeof *v->buckets);
	for (uint32_t i = 0; i < v->entries.count; i++) {
		struct values_entry *e = &v->entries.items[i];
		uint32_t *head;

		if (!e->lives)
			continue;
		head = bucket(v, e->hash);
		e->next = *head;
		*head = i + 1;
	}
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

/*
 * Returns a free entry. In the second walk, returns the entry that the first walk used for this
 * value.
 */
static struct values_entry *take_entry(struct values *v, const struct values_key *key)
{
	struct values_entry *e;

	if (v->again) {
		assert(v->made < v->entries.count);
		e = &v->entries.items[v->made++];
		assert(entry_matches(e, key));
		return e;
	}
	if (v->vacant.count)
		e = &v->entries.items[v->vacant.items[--v->vacant.count]];
	else
		e = vec_push(&v->entries);
	*e = (struct values_entry){ .hash = key->hash };
	e->value = (struct property_value){ .type = key->type,
					    .bits = key->bits,
					    .length = key->length };
	if (key->text)
		e->value.text = mem_copy_text(key->text, key->length);
	return e;
}

static struct values_entry *make_entry(struct values *v, const struct values_key *key)
{
	struct values_entry *e;
	const uint64_t *lived;
	uint32_t *head;

	if (++v->living * 2 > v->mask)
		grow_table(v);
	e = take_entry(v, key);
	lived = map_get(&v->lives, e->hash);
	e->value.life = lived ? (uint32_t)*lived : 0;
	e->lives = true;
	head = bucket(v, e->hash);
	e->next = *head;
	*head = index_of(v, e) + 1;
	if (is_object(key->type) && key->bits) {
		head = pages_put(&v->words, key->bits / WORD, NULL);
		e->above = *head;
		*head = index_of(v, e) + 1;
	}
	return e;
}

static void unlink_word(struct values *v, const struct values_entry *e)
{
	uint32_t *at = pages_get(&v->words, e->value.bits / WORD);

	while (*at != index_of(v, e) + 1)
		at = &v->entries.items[*at - 1].above;
	*at = e->above;
}

static void end_lifetime(struct values *v, struct values_entry *e)
{
	uint32_t number = index_of(v, e), *at = bucket(v, e->hash);

	while (*at != number + 1)
		at = &v->entries.items[*at - 1].next;
	*at = e->next;
	if (is_object(e->value.type) && e->value.bits)
		unlink_word(v, e);
	e->lives = false;
	v->living--;
	*map_put(&v->lives, e->hash, NULL) = e->value.life + 1;
	*vec_push(&v->gone) = number;
}

void values_rewind(struct values *v)
{
	for (size_t i = 0; i < v->entries.count; i++) {
		struct values_entry *e = &v->entries.items[i];

		if (e->lives)
			end_lifetime(v, e);
		e->value.has_born = e->value.has_dead = false;
	}
	map_free(&v->lives);
	v->gone.count = 0;
	v->again = true;
	v->made = 0;
}

uint32_t values_put(struct values *v, uint8_t type, const struct property_raw *raw)
{
	struct values_key key = make_key(type, raw);
	struct values_entry *e = find_entry(v, &key);

	return index_of(v, e ? e : make_entry(v, &key));
}

static bool same_id(struct event_id a, struct event_id b)
{
	return a.stream == b.stream && a.index == b.index;
}

uint32_t values_begin(struct values *v, uint8_t type, const struct property_raw *raw,
		      struct event_id at)
{
	struct values_key key = make_key(type, raw);
	struct values_entry *e = find_entry(v, &key);

	if (e && e->value.has_born && same_id(e->value.born, at))
		return index_of(v, e);
	if (e)
		values_end(v, index_of(v, e), at);
	e = make_entry(v, &key);
	e->value.has_born = true;
	e->value.born = at;
	return index_of(v, e);
}

void values_end(struct values *v, uint32_t number, struct event_id at)
{
	struct values_entry *e = &v->entries.items[number];

	if (!e->lives)
		return;
	e->value.has_dead = true;
	e->value.dead = at;
	end_lifetime(v, e);
}

/* ---- memory that is allocated again ---------------------------------------------------------- */

struct values_range {
	struct values *values;
	uint64_t low, high;
};

static void end_word(void *context, uint64_t word, void *item)
{
	const struct values_range *range = context;
	uint32_t *at = item;

	(void)word;
	while (*at) {
		struct values_entry *e = &range->values->entries.items[*at - 1];

		if (e->value.bits >= range->low && e->value.bits < range->high)
			end_lifetime(range->values, e); /* also unlinks the entry from this list */
		else
			at = &e->above;
	}
}

void values_end_memory(struct values *v, uint64_t low, uint64_t size, const char *name)
{
	struct values_range range = { v, low, low + (size ? size : 1) };
	struct property_raw raw = { .known = true, .word = true, .text = name };
	struct values_entry *e;
	struct values_key key;

	if (range.high < low)
		return;
	if (name) { /* calls in the trace may have used the name before the block had an address */
		raw.length = (uint32_t)strlen(name);
		key = make_key(SPEC_POINTER, &raw);
		e = find_entry(v, &key);
		if (e)
			end_lifetime(v, e);
	}
	pages_each(&v->words, low / WORD, (range.high - 1) / WORD + 1, end_word, &range);
}

/* ---- reuse of indices ------------------------------------------------------------------------ */

void values_end_reported(struct values *v, uint32_t number)
{
	struct values_entry *e = &v->entries.items[number];

	if (v->keeps)
		return;
	free((char *)e->value.text);
	e->value.text = NULL;
	*vec_push(&v->vacant) = number;
}
