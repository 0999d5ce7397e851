/*
 * Memory, in lines of 64 bytes: for each byte, whether its value is known, the value, and (in a
 * world on top of another) which event of the window wrote it last.
 */
#include "check/world.h"

#include <string.h>

/*
 * Ranges of up to this many bytes are forgotten at once. A longer range is listed in `forgotten`,
 * and applied to a line when the line is first used.
 */
#define FORGET_NOW 4096u

/* ---- pieces ---------------------------------------------------------------------------------- */

bool checker_piece_next(struct checker_piece *piece, uint64_t address, uint64_t size)
{
	uint64_t offset = piece->offset + piece->to - piece->from, at = address + offset, left;

	if (offset >= size || at < address)
		return false;
	left = size - offset;
	piece->offset = offset;
	piece->line = at / CHECKER_LINE;
	piece->from = at % CHECKER_LINE;
	piece->to = left < CHECKER_LINE - piece->from ? piece->from + (unsigned)left : CHECKER_LINE;
	return true;
}

static uint64_t piece_bits(const struct checker_piece *piece)
{
	unsigned count = piece->to - piece->from;

	return (count == CHECKER_LINE ? UINT64_MAX : (1ull << count) - 1) << piece->from;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void forget_piece(const struct checker_piece *piece, uint32_t number,
			 struct checker_line *bytes, struct checker_writers *writers)
{
	bytes->known &= ~piece_bits(piece);
	for (unsigned i = piece->from; writers && i < piece->to; i++)
		writers->of[i] = number;
}

/* Sets *piece to the part of the range that is in the line. Returns false if there is none. */
static bool cut_piece(uint64_t line, uint64_t first, uint64_t last, struct checker_piece *piece)
{
	uint64_t start = line * CHECKER_LINE, end = start + (CHECKER_LINE - 1);

	if (last < start || first > end)
		return false;
	*piece = (struct checker_piece){
		.line = line,
		.from = first > start ? (unsigned)(first - start) : 0,
		.to = last < end ? (unsigned)(last - start) + 1 : CHECKER_LINE,
	};
	return true;
}

void checker_memory_see(const struct checker_world *world, uint64_t line,
			struct checker_line *bytes, struct checker_writers *writers)
{
	const struct checker_memory *memory = &world->memory;
	const uint64_t *position = map_get(&memory->index, line);
	struct checker_piece piece;

	if (position) {
		*bytes = memory->lines.items[*position - 1];
		if (writers && world->under)
			*writers = memory->writers.items[*position - 1];
		else if (writers)
			*writers = (struct checker_writers){ 0 };
		return;
	}
	if (writers)
		*writers = (struct checker_writers){ 0 };
	if (world->under)
		checker_memory_see(world->under, line, bytes, NULL);
	else
		*bytes = (struct checker_line){ .known = memory->zeros ? UINT64_MAX : 0 };
	for (size_t i = 0; i < memory->forgotten.count; i++) {
		const struct checker_forgotten *stretch = &memory->forgotten.items[i];

		if (cut_piece(line, stretch->first, stretch->last, &piece))
			forget_piece(&piece, stretch->number, bytes, writers);
	}
}

/* Returns the line's position in this world. Copies the line from the world under it if needed. */
static size_t find_line_to_change(struct checker_world *world, uint64_t line)
{
	struct checker_memory *memory = &world->memory;
	const uint64_t *position = map_get(&memory->index, line);
	struct checker_writers writers;
	struct checker_line bytes;

	if (position)
		return *position - 1;
	checker_memory_see(world, line, &bytes, world->under ? &writers : NULL);
	*vec_push(&memory->lines) = bytes;
	if (world->under)
		*vec_push(&memory->writers) = writers;
	*map_put(&memory->index, line, NULL) = memory->lines.count;
	return memory->lines.count - 1;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_piece(struct checker_world *world, const struct checker_record *record,
			const uint8_t *value, const struct checker_piece *piece, uint32_t number)
{
	size_t position = find_line_to_change(world, piece->line);
	struct checker_line *bytes = &world->memory.lines.items[position];
	uint64_t at = piece->offset;

	if (value && piece->offset + (piece->to - piece->from) <= record->unit) {
		memcpy(&bytes->value[piece->from], value + at, piece->to - piece->from);
	} else if (value) {
		for (unsigned i = piece->from; i < piece->to; i++, at++)
			bytes->value[i] = value[at % record->unit];
	}
	bytes->known = value ? bytes->known | piece_bits(piece) : bytes->known & ~piece_bits(piece);
	for (unsigned i = piece->from; world->under && i < piece->to; i++)
		world->memory.writers.items[position].of[i] = number;
}

/* ---- forgetting ------------------------------------------------------------------------------ */

static void forget_line(struct checker_world *world, size_t position, uint64_t line, uint64_t first,
			uint64_t last, uint32_t number)
{
	struct checker_memory *memory = &world->memory;
	struct checker_piece piece;

	if (cut_piece(line, first, last, &piece))
		forget_piece(&piece, number, &memory->lines.items[position],
			     world->under ? &memory->writers.items[position] : NULL);
}

/*
 * Forgets the range in the lines that exist here: looks up each line of the range, or visits all
 * lines if they are fewer.
 */
static void forget_present(struct checker_world *world, uint64_t first, uint64_t last,
			   uint32_t number)
{
	const struct map *index = &world->memory.index;
	uint64_t low = first / CHECKER_LINE, high = last / CHECKER_LINE;

	if (high - low < world->memory.lines.count) {
		for (uint64_t line = low; line <= high; line++) {
			const uint64_t *position = map_get(index, line);

			if (position)
				forget_line(world, *position - 1, line, first, last, number);
		}
		return;
	}
	if (index->has_zero)
		forget_line(world, index->zero - 1, 0, first, last, number);
	for (size_t i = 0; index->slots && i <= index->mask; i++) {
		if (index->slots[i].key)
			forget_line(world, index->slots[i].value - 1, index->slots[i].key, first,
				    last, number);
	}
}

/* Makes the bytes of a range unknown, with event `number` as their writer. */
static void forget_range(struct checker_world *world, uint64_t address, uint64_t size,
			 uint32_t number)
{
	uint64_t first = address, last;
	bool absent_matters = world->under || world->memory.zeros;

	if (!size)
		return;
	last = checker_last_address(address, size);
	if (absent_matters && last - first < FORGET_NOW) {
		for (uint64_t line = first / CHECKER_LINE; line <= last / CHECKER_LINE; line++)
			find_line_to_change(world, line);
	} else if (absent_matters) {
		*vec_push(&world->memory.forgotten) =
			(struct checker_forgotten){ first, last, number };
	}
	forget_present(world, first, last, number);
}

/* ---- applying an event ----------------------------------------------------------------------- */

void checker_memory_apply(struct checker_world *world, const struct checker_record *record,
			  uint32_t number)
{
	struct checker_piece piece = { 0 };
	const uint8_t *value;

	if (checker_is_blank(record)) {
		forget_range(world, record->address, record->size, number);
		return;
	}
	if (checker_writes(record)) {
		value = checker_written_value(record);
		if (record->size > CHECKER_ACCESS_MAX) {
			forget_range(world, record->address, record->size, number);
			return;
		}
		while (checker_piece_next(&piece, record->address, record->size))
			write_piece(world, record, value, &piece, number);
		return;
	}
	/*
	 * A read shows what is there, whatever was assumed before. So the state stays right when
	 * unrecorded code writes. In a world on top of another, reads have been judged and change
	 * nothing.
	 */
	value = world->under ? NULL : checker_read_value(record);
	while (value && record->size <= CHECKER_ACCESS_MAX &&
	       checker_piece_next(&piece, record->address, record->size))
		write_piece(world, record, value, &piece, number);
}

void checker_memory_learn(struct checker_world *world, uint64_t address, uint8_t value)
{
	size_t position = find_line_to_change(world, address / CHECKER_LINE);
	struct checker_line *bytes = &world->memory.lines.items[position];

	bytes->value[address % CHECKER_LINE] = value;
	bytes->known |= 1ull << address % CHECKER_LINE;
}
