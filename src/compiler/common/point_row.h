/*
 * The row of a point (event/point.h) as assembler text. Both plugins put this text into the asm
 * statement that is the point's NOP.
 */
#ifndef COMPILER_POINT_ROW_H
#define COMPILER_POINT_ROW_H

#include <string>

struct point_row_text {
	unsigned kind, flags;
	std::string name, where,
		/* plain text: point_row_nop() escapes what has a meaning in an asm template */
		types;
	std::string operands; /* inserted unchanged: the compiler replaces them by the operands */
	unsigned line, column;
};

/* Characters that have a meaning in an asm template, and the character that escapes them. */
struct point_escape {
	const char *special;
	char before;
};

/*
 * Returns the five bytes of the NOP, at the label 990, followed by the row. The section of the rows
 * is in the section group of the function (the '?'), so the linker drops both together.
 *
 * With -ffunction-sections (`loose`) the linker may drop single functions. Then the rows are in a
 * debug section. With --gc-sections the linker drops every other section that is not loaded, or
 * would keep what the section refers to. It keeps debug sections and sets references to dropped
 * functions to 0. The price: `strip` removes the rows.
 */
std::string point_row_nop(const point_row_text &row, const point_escape &escape, bool loose);

/*
 * Returns a row without a NOP, for use outside of functions: nothing is escaped there, and there is
 * no section group.
 */
std::string point_row_none(const point_row_text &row, bool loose);

/* Returns whether this is the asm template of a point. */
bool point_row_is_in(const char *asm_template);

#endif
