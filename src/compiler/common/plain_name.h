/* Names of C++ functions without their parameters. Both plugins use this file. */
#ifndef COMPILER_PLAIN_NAME_H
#define COMPILER_PLAIN_NAME_H

#include <string>

/* Returns a demangled name without return type and parameters: "ns::table<int>::put". */
std::string plain_name_of(const std::string &demangled);

/* As plain_name_of(), for a linker name. Returns "" if it is not a mangled C++ name. */
std::string plain_name_demangled(const std::string &linker_name);

#endif
