/*
 * Points: calls, starts and returns of functions, and the probes that a program declares. The
 * compiler plugin leaves a 5-byte NOP and a row at each point; a property file switches some of
 * them on.
 */
#ifndef EVENT_POINT_H
#define EVENT_POINT_H

#include <stdint.h>

enum point_kind {
	POINT_CALL, /* before a call, in the caller */
	POINT_BODY, /* at the start of a function's body */
	/* at the end of the body, or after the call of a function that is not recorded */
	POINT_RETURN,
	POINT_PROBE, /* sooth_probe(app, name, ...) of annotate.h */
	/*
	 * The others are for noticing code that is not recorded (runtime/opaque) and cannot be
	 * requested. They have no name.
	 */
	POINT_ENTRY,	  /* at the start of a function that has no BODY but may be a callback */
	POINT_EXIT,	  /* at its end */
	POINT_BY_POINTER, /* before a call through a pointer, which is the only argument */
};

/* How an argument or a result is recorded. */
enum point_type {
	POINT_VOID,
	POINT_SIGNED, /* sign-extended to 64 bits */
	POINT_UNSIGNED,
	POINT_POINTER,
	POINT_STRING, /* char *: the pointer and the first POINT_STRING_MOST bytes of the text */
	POINT_FLOAT,  /* as a double */
	POINT_BYTES,  /* a struct of at most 16 bytes */
	POINT_OPAQUE, /* anything else: not recorded */
};
#define POINT_ARGUMENTS 12 /* further arguments are not recorded */
#define POINT_STRING_MOST                                                                          \
	256u /* bytes of a string that are kept; longer strings are marked as cut */

/* ---- rows ------------------------------------------------------------------------------------ */

/*
 * A row of the section sooth_point (or .debug_sooth_point) of a module's file. The section is not
 * loaded, so it costs the program nothing and the linker drops rows together with their functions.
 * The runtime reads it when points are asked for. Texts are offsets into the section sooth_pstr,
 * which is not loaded either.
 *
 * The row is part of the asm statement that is the NOP. However often the compiler copies that
 * statement (inlining, cloning, unrolling), each copy has a row that is right for it.
 */
#define POINT_SECTION "sooth_point"
#define POINT_SECTION_LOOSE ".debug_sooth_point" /* used with -ffunction-sections */
struct point_row {
	uint64_t pc; /* address of the NOP in the file; POINT_ROW_NONE: 0 */
	uint32_t
		/*
		 * a function's linker name; if its name in the source differs (C++: demangled,
		 * without parameters), a tab and that name follow. "app:name" for a probe
		 */
		name;
	uint32_t place; /* "function TAB file" that contains the NOP */
	uint32_t
		/*
		 * a letter for the type of each argument, '*', then a letter for the type that each
		 * argument points at ('o' if that is neither a number nor a pointer). RETURN: the
		 * same for the result only. POINT_ROW_NONE: the reason why there is no point
		 */
		types;
	uint32_t operands; /* for each value, where it is at the NOP, and a ';' */
	uint32_t line;
	uint16_t column;
	uint8_t kind;  /* enum point_kind, or POINT_ROW_NONE */
	uint8_t flags; /* enum point_row_flag */
};
#define POINT_ROW_NONE 15 /* this function has no points */

enum point_row_flag {
	POINT_ROW_LOCAL = 1,	  /* the function cannot be called from other units by its name */
	POINT_ROW_AFTER_CALL = 2, /* RETURN: after a call, not at the end of a body */
	POINT_ROW_MORE = 4,	  /* there are more arguments than are listed */
};

/*
 * Letters: b h i l are SIGNED of 1, 2, 4, 8 bytes, B H I L UNSIGNED, p POINTER, s STRING, f and d
 * FLOAT of 4 and 8 bytes, o OPAQUE, v VOID; a struct of n bytes is the character '0' + n.
 *
 * Operands are written as in assembler, in either syntax: a register, a constant, or memory at an
 * offset from a register; `_` means none.
 */

/* ---- selections ------------------------------------------------------------------------------ */

/*
 * A selection is a text. Each line is "KIND LIBRARY FUNCTION [POINTED]", separated by tabs, with
 * globs as in fnmatch without flags. LIBRARY is matched against the soname, or the last component
 * of the file name, of the module that defines the function; "-" is any library. FUNCTION of a
 * probe is "app:name". C++ functions match by their demangled name up to the parenthesis, or by
 * their linker name.
 *
 *	call	-	use_*
 *	return	libc.so.6	accept*
 *	return	-	sqlite3_open	2
 *	call	-	sqlite3_exec	s2
 *
 * POINTED is a comma-separated list of argument numbers, from 1: what these arguments point at when
 * the point is reached is recorded as well. `s2` means that the text of argument 2 matters, `s0`
 * the text of the result. The text of every string argument is recorded, but only a text that
 * matters is read by a *look*.
 *
 * A look is a READ with the flag EF_LOOK, before the POINT. Another order of events may have had
 * another value in that memory, so predictions must keep what the look saw. A look is a step of its
 * own. The arguments recorded with a RETURN are those of its call, and were looked at there.
 *
 * The runtime gets the selection by the option points=PATH and copies it to the trace as `points`.
 * What was selected but cannot be recorded is listed in the file `points_missed`, one per line:
 * "REASON\tKIND\tLIBRARY\tFUNCTION". REASON is a text. It begins with "nothing" if the program has
 * no such function (so far: the file is rewritten when a library is loaded). Otherwise the function
 * exists, but has no points or cannot be patched; then FUNCTION is its name.
 *
 * `call` of a function that is itself recorded is its BODY: its callers have no CALL for it.
 */

/* ---- records --------------------------------------------------------------------------------- */

/*
 * Points that are on are numbered from 1, in the order in which they are switched on. The file
 * `points_on` of the trace lists them, one per line, words separated by tabs and percent-escaped as
 * in `names`:
 *
 *	NUMBER KIND FLAGS PC TYPES POINTED LIBRARY LINE COLUMN NAME PLAIN FUNCTION FILE
 *
 * PC (hex) is the address after the NOP, to which the call that replaces it returns. TYPES are
 * those of the row, with 'o' for values that cannot be found. POINTED is the bit set (hex) of the
 * arguments that were asked for. LIBRARY is the last component of the name of the file that defines
 * the function, or `-`. PLAIN may be empty.
 *
 * An EV_POINT record has the number in `n`. Its payload is the values, in the order of TYPES:
 *	SIGNED UNSIGNED POINTER FLOAT	8 bytes
 *	STRING	8 bytes pointer, 2 bytes length (0xffff: not readable; bit 15: cut), the bytes
 *	BYTES	its bytes
 *	VOID OPAQUE	nothing
 * The result of a RETURN comes after the number (LEB128) of the BODY or CALL to which the RETURN
 * belongs, and the values recorded there. If that BODY or CALL was not recorded, the number is 0
 * and there are no such values.
 *
 * After the values, each argument in POINTED that is a pointer has a byte with its number, from 1.
 * If bit 7 of this byte is set, the memory could not be read and nothing follows. Otherwise the
 * value at which the argument points follows, extended to 8 bytes.
 */
#define POINT_STRING_UNREADABLE 0xffffu
#define POINT_STRING_CUT 0x8000u

#endif
