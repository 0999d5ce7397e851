/*
 * Code of the program itself that is not recorded: inline assembly, and functions that are compiled
 * without recording. The compiler plugins add a call of __sooth_opaque() before such code, and
 * after a call of such a function. The code may order threads as that of an opaque library may, so
 * it has the same consequence (opaque.h).
 */
#include "runtime/opaque/opaque.h"

#include "runtime/buffer/record.h"
#include "runtime/host/interposer.h"

void opaque_code_comes(uintptr_t pc)
{
	if (opaque_wanted)
		opaque_called(pc, pc);
}

DEFINE(void, __sooth_opaque, void)
{
	opaque_code_comes(RECORD_CALLER);
}
