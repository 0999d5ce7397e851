/* Names of functions in the rows of points. */
#include "compiler/gcc/gcc.h"

#include "compiler/common/plain_name.h"
#include "compiler/gcc/point_name.h"

std::string point_linker_name(tree function)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
	return name + (name[0] == '*');
}

std::string point_full_name(tree function)
{
	std::string linker = point_linker_name(function), plain = plain_name_demangled(linker);

	if (linker.compare(0, 2, "_Z") && DECL_NAME(function)) {
		plain = IDENTIFIER_POINTER(DECL_NAME(function));
		if (!plain.compare(0, 10, "__builtin_"))
			plain.clear();
	}
	return plain.empty() || plain == linker ? linker : linker + "\t" + plain;
}
