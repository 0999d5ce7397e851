/* The strings of a unit's tables: each stands once, and is referred to by an assembler label. */
#ifndef GCC_STRINGS_H
#define GCC_STRINGS_H

#include <string>

/* An assembler expression for a self-relative reference to the text; "0" for an empty text. */
std::string strings_ref(const std::string &text);

/* At the end of the unit: the strings, and the code that tells the runtime of this module. */
void strings_finish_unit(FILE *out);

/* Was anything instrumented in this unit? Then the module must be made known. */
extern bool strings_module_needed;

#endif
