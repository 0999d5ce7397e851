/*
 * The row of a point (event/point.h) as assembler text. Both plugins put this text into the asm
 * statement that is the point's NOP.
 */
#ifndef COMPILER_POINT_ROW_H
#define COMPILER_POINT_ROW_H

#include <string>

/*
 * Selects the functions that get points at their start and end. By default, small inline functions
 * that make no calls get none.
 */
enum points_wanted { POINTS_NONE, POINTS_SOME, POINTS_ALL };

/* A function with fewer statements than this that makes no calls is nearly always inlined. */
const unsigned small_statements = 12;

struct point_row_text {
	unsigned kind, flags;
	std::string name, where,
		/* plain text: point_row_nop() escapes special characters */
		types;
	std::string operands; /* inserted as it is: the compiler replaces %0 etc. */
	unsigned line, column;
};

/* The special characters of an asm template, and the character that escapes them. */
struct point_escape {
	const char *special;
	char before;
};

/*
 * Returns the NOP of five bytes, at the label 990, followed by the row. The section of the rows
 * belongs to the section group of the function (the '?'), so the linker drops both together.
 *
 * With -ffunction-sections (`loose`) the linker may drop single functions. Then the rows are in a
 * debug section. Any other section that is not loaded would not do: with --gc-sections, the linker
 * either drops it or keeps everything that it refers to. The linker keeps debug sections and sets
 * references to dropped functions to 0. The disadvantage is that `strip` removes the rows.
 */
std::string point_row_nop(const point_row_text &row, const point_escape &escape, bool loose);

/*
 * Returns a row without a NOP, for use outside of functions. Nothing is escaped there, and there is
 * no section group.
 */
std::string point_row_none(const point_row_text &row, bool loose);

/* Is this the asm template of a point? */
bool point_row_is_in(const char *asm_template);

#endif
