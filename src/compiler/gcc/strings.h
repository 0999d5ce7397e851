/*
 * The strings of a unit's tables. Each string is stored once and referred to by an assembler label.
 */
#ifndef GCC_STRINGS_H
#define GCC_STRINGS_H

#include <string>

/*
 * Returns an assembler expression for a self-relative reference to the text; "0" for an empty text.
 */
std::string strings_ref(const std::string &text);

/*
 * To be called at the end of the unit: prints the strings, and code that announces the module to
 * the runtime.
 */
void strings_finish_unit(FILE *out);

/* Was anything instrumented in this unit? Then the module must be announced. */
extern bool strings_module_needed;

#endif
