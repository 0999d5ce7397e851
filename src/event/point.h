/*
 * Points: where a function is called, starts and returns, and the program's own probes. The
 * compiler plugin leaves a 5-byte NOP and a row at each; a property file switches some on.
 */
#ifndef EVENT_POINT_H
#define EVENT_POINT_H

#include <stdint.h>

enum point_kind {
	POINT_CALL,   /* before a call, in the caller */
	POINT_BODY,   /* a function's body starts */
	POINT_RETURN, /* of the body, or behind the call of a function that is not recorded */
	POINT_PROBE,  /* sooth_probe(app, name, ...) of annotate.h */
};

/* How an argument or a result is passed on. */
enum point_type {
	POINT_VOID,
	POINT_SIGNED, /* sign-extended to 64 bits */
	POINT_UNSIGNED,
	POINT_POINTER,
	POINT_STRING, /* char *: the pointer, and the first POINT_STRING_MOST bytes of the text */
	POINT_FLOAT,  /* as double */
	POINT_BYTES,  /* a struct of at most 16 bytes */
	POINT_OPAQUE, /* something else: nothing is recorded */
};
#define POINT_ARGUMENTS 12     /* more are not recorded */
#define POINT_STRING_MOST 256u /* bytes of a string kept; longer ones say so */

/* ---- rows ------------------------------------------------------------------------------------ */

/*
 * A row of the section sooth_point, or .debug_sooth_point, of a module's file. It is not loaded, so that a program pays
 * nothing for it and the linker drops rows with their functions; the runtime reads it when points
 * are asked for. Texts are offsets into the section sooth_pstr, which is not loaded either.
 *
 * The row is part of the asm that is the NOP: however often the compiler copies that (inlining,
 * cloning, unrolling), each copy has a row with what is true there.
 */
#define POINT_SECTION "sooth_point"
#define POINT_SECTION_LOOSE ".debug_sooth_point" /* compiled with -ffunction-sections */
struct point_row {
	uint64_t pc; /* of the NOP, as in the file; NONE: 0 */
	uint32_t
		name; /* of the function: linker's name, and " TAB plain" where the source has another
			    * (C++: demangled, without parameters). "app:name" of a probe */
	uint32_t place; /* "function TAB file" the NOP is in */
	uint32_t
		types; /* a letter for each argument, '*', a letter for what each points at ('o' where
			    * that is no number or pointer). RETURN: of the result alone. NONE: why */
	uint32_t operands; /* for each where the NOP finds it, a ';' behind it */
	uint32_t line;
	uint16_t column;
	uint8_t kind;  /* enum point_kind, or POINT_ROW_NONE */
	uint8_t flags; /* enum point_row_flag */
};
#define POINT_ROW_NONE 15 /* this function has no points */

enum point_row_flag {
	POINT_ROW_LOCAL = 1,  /* the function cannot be called from other units by its name */
	POINT_ROW_BEHIND = 2, /* RETURN: behind a call, not of the body */
	POINT_ROW_MORE = 4,   /* there are arguments behind those */
};

/*
 * Letters: b h i l are SIGNED of 1, 2, 4, 8 bytes, B H I L UNSIGNED, p POINTER, s STRING, f and d
 * FLOAT of 4 and 8, o OPAQUE, v VOID; a struct of n bytes is the character '0' + n.
 *
 * Operands are as the assembler writes them, in either syntax: a register, a constant, a place on the
 * stack or behind a register; `_` is none.
 */

/* ---- selections ------------------------------------------------------------------------------ */

/*
 * What a selection is: text lines, each "KIND LIBRARY FUNCTION [POINTED]", tabs between, globs as
 * fnmatch without flags; LIBRARY "-" is any, matched against the soname or the file's last component of the
 * module that defines the function. FUNCTION of a probe is "app:name". C++ functions match by their
 * demangled name up to its parenthesis, or by the linker's name.
 *
 *	call	-	use_*
 *	return	libc.so.6	accept*
 *	return	-	sqlite3_open	2
 *	call	-	sqlite3_exec	s2
 *
 * POINTED are numbers of arguments, from 1, separated by commas: what they point at when the point
 * happens is recorded, too. `s2`: the text of argument 2 matters, `s0`: that of the result; texts are
 * recorded of all arguments that are strings, but only such a one is *looked at*.
 *
 * A look is a READ ahead of the POINT, with EF_LOOK: what it saw is what the record has, another order
 * may have had something else there, and so predictions must keep it. It is a step of its own. The
 * arguments that a RETURN has are those of its call, and are looked at there.
 *
 * The runtime gets it with the option points=PATH and keeps a copy in the trace as `points`. What was asked for and cannot be seen is in `points_missed` beside it, a line each:
 * "REASON\tKIND\tLIBRARY\tFUNCTION"; REASON is in words, and begins with "nothing" where the program
 * has no such function (so far: the file is written anew when a library is loaded). Otherwise it is
 * there, but has no points or cannot be patched: FUNCTION is then its name.
 *
 * `call` of a function that is itself recorded is its BODY: it has no CALL at its callers.
 */

/* ---- records --------------------------------------------------------------------------------- */

/*
 * Points that are on are numbered from 1 in the order they are switched on, and stand in the file
 * `points_on` of the trace, a line each, words separated by tabs, percent-escaped as in `names`:
 *
 *	NUMBER KIND FLAGS PC TYPES POINTED LIBRARY LINE COLUMN NAME PLAIN FUNCTION FILE
 *
 * PC (hex) is behind the NOP, where the call that replaces it returns to. TYPES are those of the row;
 * 'o' stands for what cannot be found. POINTED are the bits (hex) of the arguments asked for. LIBRARY
 * is the last component of the file that defines the function, or `-`; PLAIN may be empty.
 *
 * An EV_POINT record has the number in `n`. Its payload are the values, in the order of TYPES:
 *	SIGNED UNSIGNED POINTER FLOAT	8 bytes
 *	STRING	8 bytes pointer, 2 bytes length (0xffff: not readable; bit 15: cut), the bytes
 *	BYTES	its bytes
 *	VOID OPAQUE	nothing
 * A RETURN has in front of its result the number (LEB128) of the BODY or CALL it belongs to and the
 * values that had, or 0 when that was not seen.
 *
 * Behind all that, for each argument asked for that is a pointer: a byte with its number from 1, bit 7
 * set where it could not be read; then nothing follows, else 8 bytes, extended by what it points at.
 */
#define POINT_STRING_UNREADABLE 0xffffu
#define POINT_STRING_CUT 0x8000u

#endif
