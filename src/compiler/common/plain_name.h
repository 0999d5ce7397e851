/* What C++ functions are called without their parameters. Both plugins use it. */
#ifndef COMPILER_PLAIN_NAME_H
#define COMPILER_PLAIN_NAME_H

#include <string>

/* A demangled name without its return type and parameters: "ns::table<int>::put". */
std::string plain_name_of(const std::string &demangled);

/* The same of a linker's name; "" when it is none of C++. */
std::string plain_name_demangled(const std::string &linker_name);

#endif
