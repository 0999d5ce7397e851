#include "generate.h"

#include <inttypes.h>
#include <string.h>

#define HEAP_AT 32   /* offset of the heap block in the machine's memory; 16 bytes */
#define MAP_AT 64    /* offset of two mappings of 32 bytes */
#define STACK_AT 128 /* offset of two stacks of 64 bytes */

static bool chance(struct machine *m, unsigned percent)
{
	return generate_random(m, 100) < percent;
}

/* ---- memory ------------------------------------------------------------------------------- */

struct place {
	char name[16];
	int at, size;
};

static bool pick_place(struct machine *m, struct place *place)
{
	static const int offsets[] = { 0, 4, 2 };
	bool heap = m->groups & HEAP && m->block_live && chance(m, 60);
	int variable = (int)generate_random(m, (uint64_t)m->variable_count);

	if (heap) {
		bool second = chance(m, 40);

		place->at = HEAP_AT + (second ? 4 : 0);
		place->size = second || chance(m, 50) ? 4 : 8;
		snprintf(place->name, sizeof place->name, "%s%s", second ? "q" : "p",
			 place->size == 4 ? "@4" : "");
		return true;
	}
	if (m->groups & MAPPINGS && (m->mapped[0] || m->mapped[1]) && chance(m, 60)) {
		bool second = !m->mapped[0] || (m->mapped[1] && chance(m, 50));

		*place = (struct place){ .at = MAP_AT + (second ? 32 : 0), .size = 8 };
		snprintf(place->name, sizeof place->name, "%s", second ? "N" : "M");
		return true;
	}
	if (m->groups & STACKS && chance(m, 60)) {
		int thread = (int)generate_random(m, (uint64_t)m->thread_count);

		if (m->threads[thread].stack && m->threads[thread].doing != GONE) {
			*place = (struct place){ .at = STACK_AT + 64 * (thread % 2), .size = 8 };
			snprintf(place->name, sizeof place->name, "0x%x",
				 0x5000 + 0x40 * (thread % 2));
			return true;
		}
	}
	if (!m->variable_count)
		return false;
	if (!m->overlap) {
		place->at = variable * 8;
		place->size = 8;
		snprintf(place->name, sizeof place->name, "%c", "xyz"[variable]);
		return true;
	}
	place->at = offsets[variable];
	place->size = 1 << generate_random(m, 4);
	snprintf(place->name, sizeof place->name, place->size == 8 ? "%c" : "%c@%d",
		 "xyz"[variable], place -> size);
	return true;
}

static uint64_t load(const struct machine *m, const struct place *place)
{
	uint64_t value = 0;

	memcpy(&value, m->memory + place->at, (size_t)place->size);
	return value;
}

static uint64_t new_value(struct machine *m, const struct place *place)
{
	uint64_t value = generate_random(m, (uint64_t)m->value_range);

	if (m->overlap && chance(m, 40)) /* also set some of the upper bytes */
		value *= 0x0100010001000101u;
	return place->size == 8 ? value : value & ((1ull << 8 * place->size) - 1);
}

static bool shows_value(struct machine *m)
{
	return m->value_mode == 1 || (m->value_mode == 2 && chance(m, 60));
}

static bool do_read(struct machine *m, int t, const char *op, const char *flag)
{
	struct place place;
	uint64_t value;

	if (!pick_place(m, &place))
		return false;
	value = load(m, &place);
	if (m->groups & NOISE && chance(m, 15))
		value ^= 1;
	if (chance(m, 2) && !*flag && op[1] != 'a')
		flag = ",inexact";
	if (m->groups & NOISE && !*flag && chance(m, 3))
		flag = ",environment";
	if (shows_value(m))
		generate_line(m, t, "%s(%s%s)=%" PRIu64, op, place.name, flag, value);
	else
		generate_line(m, t, "%s(%s%s)", op, place.name, flag);
	return true;
}

static bool do_write(struct machine *m, int t, const char *op)
{
	const char *flag = "";
	struct place place;
	uint64_t value;

	if (!pick_place(m, &place))
		return false;
	value = new_value(m, &place);
	memcpy(m->memory + place.at, &value, (size_t)place.size);
	if (m->groups & NOISE && chance(m, 10))
		flag = ",environment";
	else if (chance(m, 2) && op[1] != 'a')
		flag = ",inexact";
	if (shows_value(m))
		generate_line(m, t, "%s(%s%s)=%" PRIu64, op, place.name, flag, value);
	else
		generate_line(m, t, "%s(%s%s)", op, place.name, flag);
	return true;
}

static bool read_plain(struct machine *m, int t)
{
	return do_read(m, t, "r", "");
}

static bool write_plain(struct machine *m, int t)
{
	return do_write(m, t, "w");
}

static bool read_atomic(struct machine *m, int t)
{
	return do_read(m, t, "ra", chance(m, 30) ? ",acquire" : "");
}

static bool fail_exchange(struct machine *m, int t)
{
	return do_read(m, t, "ra", ",casfail");
}

static bool write_atomic(struct machine *m, int t)
{
	return do_write(m, t, "wa");
}

static bool update(struct machine *m, int t)
{
	struct place place;
	uint64_t old, value;

	if (!pick_place(m, &place))
		return false;
	old = load(m, &place);
	value = new_value(m, &place);
	memcpy(m->memory + place.at, &value, (size_t)place.size);
	if (shows_value(m))
		generate_line(m, t, "u(%s)=%" PRIu64 ",%" PRIu64, place.name, old, value);
	else
		generate_line(m, t, "u(%s)", place.name);
	return true;
}

static bool note(struct machine *m, int t)
{
	static const char *const notes[] = { "fence(acquire)", "call f(1)", "ret f=2",
					     "probe n(3)" };

	if (!chance(m, 10))
		return false;
	generate_line(m, t, "%s", notes[generate_random(m, 4)]);
	return true;
}

/* ---- the heap ----------------------------------------------------------------------------- */

static bool allocate(struct machine *m, int t)
{
	if (m->block_live)
		return false;
	m->block_live = true;
	for (int i = 0; i < 16; i++) /* the previous content of the memory */
		m->memory[HEAP_AT + i] = (uint8_t)generate_random(m, (uint64_t)m->value_range);
	generate_line(m, t, "alloc(p,16)");
	return true;
}

/* ---- mappings and descriptors ------------------------------------------------------------- */

/* Maps one or both areas at once, also over existing mappings. */
static bool map(struct machine *m, int t)
{
	int first = (int)generate_random(m, 2), both = !first && chance(m, 40);

	if (m->mapped[first] && !chance(m, 20))
		return false;
	for (int i = first; i <= first + both; i++) {
		m->mapped[i] = true;
		for (int k = 0; k < 32; k++)
			m->memory[MAP_AT + 32 * i + k] =
				(uint8_t)generate_random(m, (uint64_t)m->value_range);
	}
	generate_line(m, t, "map(%c,%d)", "MN"[first], both ? 64 : 32);
	return true;
}

static bool unmap(struct machine *m, int t)
{
	int first = (int)generate_random(m, 2), both = !first && m->mapped[1] && chance(m, 40);

	if (!m->mapped[first])
		return false;
	m->mapped[first] = false;
	m->mapped[1] &= !both;
	generate_line(m, t, "unmap(%c,%d)", "MN"[first], both ? 64 : 32);
	return true;
}

static bool open_file(struct machine *m, int t)
{
	int fd = m->fd_open[0] || chance(m, 20);

	if (m->fd_open[fd] && !chance(m, 10)) /* dup2 */
		return false;
	m->fd_open[fd] = true;
	generate_line(m, t, "fdopen(%d)", 3 + fd);
	return true;
}

static bool close_file(struct machine *m, int t)
{
	int fd = !m->fd_open[0] || chance(m, 20);

	if (!m->fd_open[fd])
		return false;
	m->fd_open[fd] = false;
	generate_line(m, t, "fdclose(%d)", 3 + fd);
	return true;
}

static bool use_file(struct machine *m, int t)
{
	int fd = !m->fd_open[0] || chance(m, 20);

	if (!m->fd_open[fd])
		return false;
	generate_line(m, t, "fduse(%d)", 3 + fd);
	return true;
}

/*
 * Frees an address at which no block starts, or at which a mapping starts: this counts as one byte.
 */
static bool release_other(struct machine *m, int t)
{
	if (!chance(m, 6))
		return false;
	generate_line(m, t, "free(%c)", "MN"[generate_random(m, 2)]);
	return true;
}

static bool release_block(struct machine *m, int t)
{
	if (!m->block_live || generate_lock_is_used(m, HEAP_LOCK))
		return false;
	m->block_live = false;
	generate_line(m, t, "free(p)");
	return true;
}

const struct operation generate_memory[] = {
	{ MEMORY, 6, false, read_plain },     { MEMORY, 7, false, write_plain },
	{ MEMORY, 1, false, note },	      { ATOMICS, 4, false, read_atomic },
	{ ATOMICS, 1, false, fail_exchange }, { ATOMICS, 4, false, write_atomic },
	{ ATOMICS, 4, false, update },	      { HEAP, 4, false, allocate },
	{ HEAP, 3, false, release_block },    { MAPPINGS, 4, false, map },
	{ MAPPINGS, 3, false, unmap },	      { MAPPINGS, 1, false, release_other },
	{ MAPPINGS, 3, false, open_file },    { MAPPINGS, 3, false, close_file },
	{ MAPPINGS, 4, false, use_file },     { 0, 0, false, NULL },
};
