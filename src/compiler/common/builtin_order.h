/*
 * Builtins of the processor (`__builtin_ia32_…`, `llvm.x86.…`): gathers, masked and streaming
 * accesses, transactions. The plugins do not know which memory they access, so they are not
 * recorded. Data that goes from thread to thread through such an access orders the threads, so they
 * are announced as inline assembly is (asm_order.h).
 */
#ifndef COMPILER_BUILTIN_ORDER_H
#define COMPILER_BUILTIN_ORDER_H

#include <string>

/* `has_shared_pointer`: an argument points to memory that other threads can see. */
bool builtin_order_is_possible(const std::string &name, bool has_shared_pointer);

#endif
