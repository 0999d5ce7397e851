/*
 * Inline assembly of the program. It is not recorded, so it may order threads in a way that no
 * record shows: a spin lock, a system call that waits. Before such a statement, the plugins insert
 * a call of __sooth_opaque() (runtime/opaque/opaque_code.c). Most statements cannot order threads:
 * they compute in registers, read the clock, or only keep the compiler from moving code.
 */
#ifndef COMPILER_ASM_ORDER_H
#define COMPILER_ASM_ORDER_H

#include <string>

/* An asm statement. `text` is its template as asm_order_text_of_…() returns it. */
struct asm_order_statement {
	std::string text;
	bool clobbers_memory;
	bool has_shared_operand; /* an operand is memory that other threads can see */
};

/*
 * Returns a template as the assembler will see it, in AT&T syntax, but with `@` for each operand.
 */
std::string asm_order_text_of_gcc(const std::string &asm_template);
std::string asm_order_text_of_llvm(const std::string &asm_template);

/* May the statement make its thread wait for another one, or let another thread go on? */
bool asm_order_is_possible(const asm_order_statement &statement);

#endif
