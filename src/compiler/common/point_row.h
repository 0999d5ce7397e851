/* The row of a point (event/point.h) as the assembler's text. Both plugins use it. */
#ifndef COMPILER_POINT_ROW_H
#define COMPILER_POINT_ROW_H

#include <string>

struct point_row_text {
	unsigned kind, flags;
	std::string name, where,
		types;	      /* as they are: what an asm takes for its own is escaped here */
	std::string operands; /* put in as they are: the compiler replaces them */
	unsigned line, column;
};

/* Characters that have a meaning in the template of an asm, and what is put before them. */
struct point_escape {
	const char *special;
	char before;
};

/*
 * The five bytes of the NOP, at the label 990, and the row behind them. The section of rows is in the
 * group of the function (the '?'), so that they are dropped together.
 *
 * Where the linker may drop functions one by one (-ffunction-sections, `loose`) the rows are with those
 * of a debugger: --gc-sections drops all else that is not loaded, or would keep what it refers to. Such
 * sections it keeps, and sets to 0 what leads to a function that is gone. But `strip` drops them.
 */
std::string point_row_nop(const point_row_text &row, const point_escape &escape, bool loose);

/* A row without a NOP, for outside of functions: nothing is escaped there, and there is no group. */
std::string point_row_none(const point_row_text &row, bool loose);

/* Is this the template of a point? */
bool point_row_is_in(const char *asm_template);

#endif
