/*
 * Points: where a function is called, starts and returns, and the program's own probes. The
 * compiler plugin leaves a 5-byte NOP and a row at each; a property file switches some on.
 *
 * Rows are in the section sooth_point of each module, loaded, in no order. Like all of the
 * plugin's tables they are self-relative (wire.h).
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

/*
 * What a selection is: text lines, each "KIND LIBRARY FUNCTION", tabs between, globs as fnmatch
 * without flags; LIBRARY "-" is any, matched against the soname or the file's last component of the
 * module that defines the function. FUNCTION of a probe is "app:name". C++ functions match by their
 * demangled name up to its parenthesis, or by the linker's name.
 *
 *	call	-	use_*
 *	return	libc.so.6	accept*
 *
 * The runtime gets it with the option points=PATH; the tool keeps a copy in the trace as `points`.
 * For each line that nothing in the program fits at its end, and each row that cannot be patched,
 * the runtime notes it in `points_missed` beside it: "REASON\tKIND\tLIBRARY\tFUNCTION".
 */

/*
 * The payload of an EV_POINT record (field *), behind its row's address in `a`: for each recorded
 * argument, then for a RETURN the result:
 *	SIGNED UNSIGNED POINTER FLOAT	8 bytes
 *	STRING	8 bytes pointer, 2 bytes length (0xffff: not readable; bit 15: cut), the bytes
 *	BYTES	1 byte size, the bytes
 *	VOID OPAQUE	nothing
 */

#endif
