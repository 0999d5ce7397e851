/*
 * Before libstdc++'s own header of this name: strings are compiled with the program. Up to C++17
 * `extern template` says that most of std::string is in libstdc++ already, and what is done there is not recorded: two
 * threads that append to one string would race unseen. -1 is libstdc++'s own word for "all but strings".
 */
#include_next <bits/c++config.h>
#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
