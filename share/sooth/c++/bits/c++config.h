/*
 * Included in place of libstdc++'s own header of this name, which it includes. Makes the compiler
 * compile std::string together with the program. Up to C++17, libstdc++ declares most of
 * std::string as `extern template`, so that its code is in the library. What the library does is
 * not recorded: races of two threads that append to the same string would not be found. The value
 * -1 is defined by libstdc++ itself and means "extern templates for everything except strings".
 */
#include_next <bits/c++config.h>
#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
